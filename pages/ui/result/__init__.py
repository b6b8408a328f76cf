"""The page Result in parts: one area of a table larger than memory, and all levels."""
