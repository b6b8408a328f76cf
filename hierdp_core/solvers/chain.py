"""The chain of [A] §9.2: one cumulative sum over all sizes and regions of each level.

The sums of a level are ordered by size, and for each size by region. The sum of a region equals the
sum of its last child at the same size. The sums of all levels therefore lie on one chain, that of
the leaves, and Model 3 is weighted isotonic regression on this chain.
"""

from collections.abc import Sequence

import numpy as np

from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.util.arrays import FloatArray, IntArray

_LEAST_VARIANCE = 1e-9


def running_sums(tree: Hierarchy, values: IntArray) -> IntArray:
    """Return the cumulative sums of every level, ordered by size, and for each size by region.

    Args:
        tree: the hierarchy.
        values: shape (n_nodes, n_sizes, ...).

    Returns:
        shape (n_nodes, n_sizes, ...), the sum up to and including that region and size.
    """
    sums = np.empty_like(values)
    for level in range(tree.n_levels):
        nodes = tree.level(level)
        by_size = values[nodes].swapaxes(0, 1)
        chain = np.cumsum(by_size.reshape(-1, *values.shape[2:]), axis=0)
        sums[nodes] = chain.reshape(by_size.shape).swapaxes(0, 1)
    return sums


def fit_chain(
    tree: Hierarchy, noisy: IntArray, variances: Sequence[float | None], *, total: int
) -> IntArray:
    """Return the group sizes of the monotone, consistent chain of integers closest to `noisy`.

    Args:
        tree: the hierarchy.
        noisy: noisy cumulative sums, shape (n_nodes, n_sizes).
        variances: the noise variance of each level, from the root down; None for a level that is
            not measured. The last level must be measured.
        total: the last value of the chain, which is the number of groups.

    Returns:
        shape (n_nodes, n_sizes), the optimum of Model 3 up to the rounding of floats. In least
        squares, the closest chain of integers is the closest real one, rounded.

    Source: Model 3 of [A].
    """
    ends = last_leaves(tree)
    n_sizes = noisy.shape[1]
    target = np.zeros((tree.n_leaves, n_sizes))
    weight = np.zeros(tree.n_leaves)
    for level, variance in enumerate(variances):
        if variance is None:
            continue
        nodes, own = tree.level(level), 1 / max(variance, _LEAST_VARIANCE)
        # Regions of one level end at different leaves, so no index occurs twice.
        target[ends[nodes]] += own * noisy[nodes]
        weight[ends[nodes]] += own
    chain = (target / weight[:, None]).T.ravel()
    weights = np.tile(weight, n_sizes)
    fitted = _monotone_to(chain, weights, total)
    leaves = np.diff(fitted, prepend=0).reshape(n_sizes, tree.n_leaves).T
    return sum_up(tree, np.ascontiguousarray(leaves))


def last_leaves(tree: Hierarchy) -> IntArray:
    """Return the last leaf under every node, shape (n_nodes,), counted from the first leaf."""
    last = np.empty(tree.n_nodes, dtype=np.int64)
    last[tree.leaves] = np.arange(tree.n_leaves)
    for level in reversed(range(tree.n_levels - 1)):
        nodes = tree.level(level)
        last[nodes] = last[tree.child_start[1:][nodes] - 1]
    return last


def _monotone_to(chain: FloatArray, weights: FloatArray, total: int) -> IntArray:
    """Return the non-decreasing integers in [0, total] closest to `chain`, the last one `total`."""
    if len(chain) > 1:
        from scipy.optimize import isotonic_regression  # slow to load

        rising = isotonic_regression(chain[:-1], weights=weights[:-1]).x
        before = np.floor(np.clip(rising, 0, total) + 0.5).astype(np.int64)
    else:
        before = np.empty(0, dtype=np.int64)
    return np.append(before, total)
