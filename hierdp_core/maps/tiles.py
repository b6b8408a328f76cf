"""A map for regions without a position on the earth: one tile per leaf, with siblings adjacent.

The rectangle of a region is divided among its children, in order of decreasing weight. A cut across
its longer side separates them into two sequences with sums of weights as equal as possible. Each
sequence is divided in the same way. Leaves of equal weight get tiles of equal area, the tiles of a
region form one rectangle, and the same weights on the same tree give the same map.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Regions, sum_up
from hierdp_core.maps.boundaries import Boundaries, Box, Geometry
from hierdp_core.util.arrays import FloatArray

# Small enough that Plotly, which draws edges as great circles, shows them straight.
_WHOLE: Box = (-4.0, 4.0, -2.5, 2.5)
CAPTION: Final = "Tiles in place of a map"
_DIGITS = 5
_LEAST = 0.01  # the smallest weight of a tile, as a proportion of the mean


def tile_layout(
    regions: Regions, sizes: npt.ArrayLike | None = None, *, label: str = "tiles"
) -> Boundaries:
    """Return rectangles for every region of every level.

    Args:
        regions: the hierarchy with its names.
        sizes: the weight of each leaf, shape (n_leaves,); None makes all tiles equal. The area of
            a tile is proportional to the weight, of which at least 1% of the mean is used.
        label: a word for file names.

    Raises:
        HierarchyError: the sizes do not fit the leaves, or are not valid weights.
    """
    tree = regions.tree
    weights = sum_up(tree, _weights(regions, sizes))
    boxes: list[Box] = [_WHOLE] * tree.n_nodes
    for node in range(tree.n_nodes):
        children = tree.children(node)
        family = children.start + np.argsort(-weights[children], kind="stable")
        for child, box in zip(family, _parted(weights[family], boxes[node]), strict=True):
            boxes[child] = box
    levels = (boxes[tree.level(level)] for level in range(tree.n_levels))
    shapes = tuple(tuple(_rectangle(box) for box in level) for level in levels)
    return Boundaries(regions=regions, shapes=shapes, caption=CAPTION, label=label)


def _weights(regions: Regions, sizes: npt.ArrayLike | None) -> FloatArray:
    n_leaves = regions.tree.n_leaves
    weights = np.ones(n_leaves) if sizes is None else np.asarray(sizes, dtype=np.float64)
    if weights.shape != (n_leaves,):
        raise HierarchyError(
            f"One size for each {regions.levels[-1]} is needed, shape ({n_leaves},); got shape "
            f"{weights.shape}. Give the sizes in the order of table.regions."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        region = regions.names[regions.tree.leaves.start + int(wrong[0])]
        raise HierarchyError(
            f"The size of a tile is a finite number, at least 0; {region} has {weights[wrong[0]]}. "
            "Correct the size."
        )
    if weights.max() == 0:
        raise HierarchyError(
            "The sizes of all tiles are 0. Give at least one size above 0, or leave the sizes out."
        )
    return np.asarray(np.maximum(weights, _LEAST * weights.mean()))


def _parted(weights: FloatArray, box: Box) -> Iterator[Box]:
    """Yield the rectangle of each of a sequence of siblings, which together fill `box`."""
    if len(weights) <= 1:
        yield from [box] * len(weights)
        return
    run = np.cumsum(weights)
    cut = 1 + int(np.argmin(np.abs(run[:-1] - run[-1] / 2)))
    part = float(run[cut - 1] / run[-1])
    x0, x1, y0, y1 = box
    if x1 - x0 >= y1 - y0:
        x = x0 + (x1 - x0) * part
        first, second = (x0, x, y0, y1), (x, x1, y0, y1)
    else:  # the first run on top, as one reads
        y = y1 - (y1 - y0) * part
        first, second = (x0, x1, y, y1), (x0, x1, y0, y)
    yield from _parted(weights[:cut], first)
    yield from _parted(weights[cut:], second)


def _rectangle(box: Box) -> Geometry:
    x0, x1, y0, y1 = (round(value, _DIGITS) for value in box)
    ring = [[x0, y0], [x0, y1], [x1, y1], [x1, y0], [x0, y0]]  # clockwise
    return {"type": "Polygon", "coordinates": [ring]}
