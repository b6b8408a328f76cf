"""File formats: what a file is, and its rows as text."""
