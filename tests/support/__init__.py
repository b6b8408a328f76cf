"""What tests share: strategies, oracles, planted faults and the driver of pages."""
