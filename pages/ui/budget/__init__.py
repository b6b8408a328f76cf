"""The page Set a budget."""
