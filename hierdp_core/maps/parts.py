"""Regions without boundaries, drawn as parts of the region above.

As on a map of tiles, the shape of a region is divided among its children. A straight cut across the
longer side of its box separates them into two sequences with numbers of leaves as equal as
possible. Each sequence is divided in the same way. The area of a part is in proportion to the
number of leaves in it.
"""

from typing import Any

import numpy as np

from hierdp_core.hierarchy import Regions, sum_up
from hierdp_core.maps.boundaries import Box, Shapes
from hierdp_core.util.arrays import FloatArray

_HALVINGS = 16  # steps of the bisection that places a cut
_GRID = 1e-4  # display degrees, ten metres: corners of parts are rounded to this grid


def parts_below(regions: Regions, level: int, shapes: Shapes) -> tuple[Shapes, ...]:
    """Return the shapes of each level from number `level` down to the last.

    Args:
        regions: the hierarchy.
        level: the number of the level that `shapes` belongs to.
        shapes: polygons on the display plane, shape (regions of the level,), in level order.
    """
    tree = regions.tree
    weights = sum_up(tree, np.ones(tree.n_leaves))
    levels = [shapes]
    for below in range(level, tree.n_levels - 1):
        nodes = range(*tree.level(below).indices(tree.n_nodes))
        families = (weights[tree.children(node)] for node in nodes)
        parts = (_parted(shape, own) for shape, own in zip(levels[-1], families, strict=True))
        levels.append(np.array([part for family in parts for part in family], dtype=object))
    return tuple(levels)


def _parted(shape: Any, weights: FloatArray) -> list[Any]:
    """Return one part of `shape` for each of a sequence of siblings."""
    if len(weights) == 1:
        return [shape]
    run = np.cumsum(weights)
    cut = 1 + int(np.argmin(np.abs(run[:-1] - run[-1] / 2)))
    first, second = _halves(shape, float(run[cut - 1] / run[-1]))
    return [*_parted(first, weights[:cut]), *_parted(second, weights[cut:])]


def _halves(shape: Any, share: float) -> tuple[Any, Any]:
    """Return `shape` cut in two across the longer side; the first has `share` of its area."""
    import shapely

    x0, y0, x1, y1 = shape.bounds
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        less = shapely.clip_by_rect(shape, *_sides(shape.bounds, middle)[0]).area
        low, high = (middle, high) if less < share * shape.area else (low, middle)
    first, second = (shapely.box(*side) for side in _sides((x0, y0, x1, y1), (low + high) / 2))
    return _areal(shapely.intersection(shape, first)), _areal(shapely.intersection(shape, second))


def _sides(box: Box, part: float) -> tuple[Box, Box]:
    """Return a box (x0, y0, x1, y1) cut across its longer side, the left or upper part first."""
    x0, y0, x1, y1 = box
    if x1 - x0 >= y1 - y0:
        x = x0 + (x1 - x0) * part
        return (x0, y0, x, y1), (x, y0, x1, y1)
    y = y1 - (y1 - y0) * part
    return (x0, y, x1, y1), (x0, y0, x1, y)


def _areal(shape: Any) -> Any:
    """Return `shape` as one Polygon or MultiPolygon with short coordinates."""
    import shapely

    short = shapely.set_precision(shape, _GRID)
    parts = [p for p in shapely.get_parts(short if short.area else shape)
             if p.geom_type == "Polygon"]  # fmt: skip
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)
