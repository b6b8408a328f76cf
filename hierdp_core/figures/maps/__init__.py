"""Maps of errors and outcomes, their colour scale and the tables below them."""

from hierdp_core.figures.maps import (
    error_map,
    frequency,
    region_table,
    scale,
)

__all__ = [
    "error_map",
    "frequency",
    "region_table",
    "scale",
]
