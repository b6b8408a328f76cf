"""Flows: arcs on a map, matrices, and errors by level."""

from hierdp_core.figures.flows import (
    arcs_and_matrix,
    by_level,
)

__all__ = [
    "arcs_and_matrix",
    "by_level",
]
