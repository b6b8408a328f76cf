"""The page Area profile."""
