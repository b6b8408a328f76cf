"""From rows whose columns are known to tables, regions and boundaries."""
