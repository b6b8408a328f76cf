"""The page Impact on decisions."""
