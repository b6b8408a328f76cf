"""The page What ε means."""
