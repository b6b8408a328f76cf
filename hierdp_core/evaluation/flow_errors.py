"""Errors over all pairs of a level, most of which are empty and never stored."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.tables import Pairs
from hierdp_core.tables.flow_tree import FlowTree
from hierdp_core.tables.flows import merged_keys, sums_by_key
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.tolerance import within


def levels_of(tree: FlowTree, pairs: Pairs) -> list[tuple[IntArray, NumberArray]]:
    """Return ascending keys and values of the non-empty nodes of every level, root first."""
    keys, values = tree.leaf_nodes(pairs)
    levels = [(keys, values)]
    for level in reversed(range(1, tree.n_levels)):
        above, _ = tree.parents(level, keys)
        keys, values = sums_by_key(above, values)
        levels.append((keys, values))
    return levels[::-1]


def flow_errors(
    true: tuple[IntArray, NumberArray],
    released: tuple[IntArray, NumberArray],
    *,
    cells: int,
    tolerance: float,
    quantiles: dict[str, float],
) -> dict[str, Any]:
    """Return the errors of one level over all its `cells`, of which most are 0 in both tables.

    Args:
        true, released: keys, ascending, and values.
        cells: the number of possible pairs.
        tolerance: a proportion of the true count.
        quantiles: the quantiles of the absolute error, by name.
    """
    keys = merged_keys(true[0], released[0])
    true_values, released_values = _at(keys, *true), _at(keys, *released)
    error = released_values - true_values
    size = np.abs(error)
    positive, positive_released = true_values > 0, released_values > 0
    relative = size[positive] / true_values[positive]
    spurious, missed = (
        int((positive_released & ~positive).sum()),
        int((positive & ~positive_released).sum()),
    )
    alike = int(within(size, true_values, tolerance).sum()) + cells - len(keys)
    ascending = np.sort(size)
    return {
        "l1": float(size.sum()),
        "l2": float(np.sqrt(np.square(error, dtype=np.float64).sum())),
        "mean_abs": float(size.sum()) / cells,
        "max_abs": float(size.max(initial=0)),
        **{name: padded_quantile(ascending, cells, q) for name, q in quantiles.items()},
        "bias": float(error.sum()) / cells,
        "mean_rel": float(relative.mean()) if len(relative) else np.nan,
        "median_rel": float(np.median(relative)) if len(relative) else np.nan,
        "q90_rel": float(np.quantile(relative, 0.9)) if len(relative) else np.nan,
        "without_rel": cells - len(relative),
        "within_tolerance": alike / cells,
        "fdr": spurious / max(1, int(positive_released.sum())),
        "fnr": missed / max(1, int(positive.sum())),
        "false_positives": spurious,
        "false_negatives": missed,
    }


def padded_quantile(ascending: NumberArray, cells: int, q: float) -> float:
    """Return a quantile of `cells` numbers, which are zeros and then those of `ascending`.

    >>> padded_quantile(np.array([1.0, 3.0]), 4, 0.5)
    0.5
    """
    place = (cells - 1) * q
    below = int(np.floor(place))
    zeros = cells - len(ascending)

    def at(k: int) -> float:
        return float(ascending[k - zeros]) if k >= zeros else 0.0

    low = at(below)
    high = at(min(below + 1, cells - 1))
    return low + (high - low) * (place - below)


def _at(keys: IntArray, some: IntArray, values: NumberArray) -> NumberArray:
    spread: npt.NDArray[Any] = np.zeros(len(keys), dtype=values.dtype)
    spread[np.searchsorted(keys, some)] = values
    return spread
