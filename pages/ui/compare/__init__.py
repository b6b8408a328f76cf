"""The page Compare mechanisms."""
