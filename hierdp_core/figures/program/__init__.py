"""Charts of the steps of a mechanism: families, cost tables, merges and matchings."""

from hierdp_core.figures.program import (
    chain_cost,
    cost,
    family,
    group_matching,
    running_sums,
    size_distribution,
    style_of_steps,
)

__all__ = [
    "chain_cost",
    "cost",
    "family",
    "group_matching",
    "running_sums",
    "size_distribution",
    "style_of_steps",
]
