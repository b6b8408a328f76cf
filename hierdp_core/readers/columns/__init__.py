"""Columns: what they mean, as guessed from names and contents or as stated."""
