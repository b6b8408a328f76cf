"""See, teach and decide what differential privacy does to hierarchical statistics."""
