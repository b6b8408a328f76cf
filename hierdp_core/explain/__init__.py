"""What happens inside a mechanism, step by step, for "How it works" and "Area profile"."""
