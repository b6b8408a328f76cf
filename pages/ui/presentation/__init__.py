"""The page Presentation."""
