"""Charts of errors: by level, by size of area, by mechanism and by budget."""

from hierdp_core.figures.errors import (
    budget_search,
    by_size,
    consistency,
    distance,
    levels,
    mechanisms,
    moves,
    post_processing,
    spread,
    trade_off,
)

__all__ = [
    "budget_search",
    "by_size",
    "consistency",
    "distance",
    "levels",
    "mechanisms",
    "moves",
    "post_processing",
    "spread",
    "trade_off",
]
