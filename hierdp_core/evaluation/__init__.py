"""Evaluation: errors, proven bounds, repeated simulations and comparisons of mechanisms."""
