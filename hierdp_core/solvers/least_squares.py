"""Least-squares consistency on a tree, exact, in two sweeps."""

import numpy as np

from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.util.arrays import FloatArray, IntArray


def least_squares_on_tree(
    tree: Hierarchy, targets: IntArray | FloatArray, precisions: FloatArray
) -> FloatArray:
    """The consistent real values nearest to `targets` in weighted squares.

    Bottom-up every node gets its best estimate from what lies at and below it; top-down
    what is left over is handed to children in proportion to their variances.
    Source: Hay, Rastogi, Miklau and Suciu 2010, Theorem 3, here for uneven families and
    unequal precisions.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, ...).
        precisions: shape (n_levels,), 1/variance; 0 for a level not measured, above 0 for
            the last.

    Returns:
        shape (n_nodes, ...). May be negative and fractional.

    Any common factor of the precisions is the same program.
    """
    below = np.array(targets, dtype=np.float64)
    spread = np.empty(tree.n_nodes)  # variance of `below`, node by node
    column = (slice(None),) + (None,) * (below.ndim - 1)
    spread[tree.leaves] = 1 / precisions[-1]
    for level in reversed(range(tree.n_levels - 1)):
        nodes = tree.level(level)
        sums = child_sums(tree, below, level)
        variance = child_sums(tree, spread, level)
        own = precisions[level] * variance  # weight of the own measurement against the sum's
        below[nodes] = (own[column] * below[nodes] + sums) / (1 + own[column])
        spread[nodes] = variance / (1 + own)

    values = np.empty_like(below)
    values[0] = below[0]
    for level in range(tree.n_levels - 1):
        children = tree.level(level + 1)
        parents = tree.parent[children] - tree.level(level).start
        left_over = values[tree.level(level)] - child_sums(tree, below, level)
        share = spread[children] / child_sums(tree, spread, level)[parents]
        values[children] = below[children] + share[column] * left_over[parents]
    return values
