"""Least-squares consistency on a tree, exact, in two sweeps."""

from typing import NamedTuple

import numpy as np

from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.util.arrays import FloatArray, IntArray


class Estimates(NamedTuple):
    """The best linear unbiased estimate of every node from the measurements in its subtree.

    Attributes:
        values: shape (n_nodes, ...).
        spread: shape (n_nodes,), their variance, up to a common factor.
    """

    values: FloatArray
    spread: FloatArray


def least_squares_on_tree(
    tree: Hierarchy, targets: IntArray | FloatArray, precisions: FloatArray
) -> FloatArray:
    """Return the consistent real values closest to `targets` in weighted least squares.

    From the leaves up, every node gets its best estimate from the measurements in its subtree. From
    the root down, the difference between a parent and the sum of its children is divided among
    them in proportion to their variances.
    Source: Hay, Rastogi, Miklau and Suciu 2010, Theorem 3, here for nodes with different
    numbers of children and for unequal precisions.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, ...).
        precisions: shape (n_levels,), 1/variance; 0 for a level not measured, above 0 for
            the last. A common factor does not change the result.

    Returns:
        shape (n_nodes, ...). Values may be negative and fractional.
    """
    below = estimates_from_below(tree, targets, precisions)
    return settle_from_above(tree, below, below.values[0])


def estimates_from_below(
    tree: Hierarchy,
    targets: IntArray | FloatArray,
    precisions: FloatArray,
    *,
    last: Estimates | None = None,
) -> Estimates:
    """Return the best estimate of every node from the measurements in its subtree.

    Args:
        tree: the hierarchy, or its upper levels.
        targets: shape (n_nodes, ...).
        precisions: shape (n_levels,), as in `least_squares_on_tree`.
        last: the estimates of the last level, if the tree continues below it; else its targets
            are used.
    """
    values = np.array(targets, dtype=np.float64)
    spread = np.empty(tree.n_nodes)
    column = _column(values)
    if last is None:
        spread[tree.leaves] = 1 / precisions[-1]
    else:
        values[tree.leaves], spread[tree.leaves] = last
    for level in reversed(range(tree.n_levels - 1)):
        nodes = tree.level(level)
        sums = child_sums(tree, values, level)
        variance = child_sums(tree, spread, level)
        own = precisions[level] * variance  # weight of the node's measurement relative to the sum
        values[nodes] = (own[column] * values[nodes] + sums) / (1 + own[column])
        spread[nodes] = variance / (1 + own)
    return Estimates(values, spread)


def settle_from_above(
    tree: Hierarchy, below: Estimates, root: FloatArray | np.float64
) -> FloatArray:
    """Return consistent values, from the estimates of all nodes and the final values of the root.

    From the root down, the difference between a parent and the sum of its children is divided among
    the children in proportion to their variances.

    Args:
        tree: the hierarchy, or the part of it under one node.
        below: the result of `estimates_from_below`.
        root: shape (...), the final values of the root.

    Returns:
        shape (n_nodes, ...).
    """
    column = _column(below.values)
    values = np.empty_like(below.values)
    values[0] = root
    for level in range(tree.n_levels - 1):
        children = tree.level(level + 1)
        parents = tree.parent[children] - tree.level(level).start
        left_over = values[tree.level(level)] - child_sums(tree, below.values, level)
        share = below.spread[children] / child_sums(tree, below.spread, level)[parents]
        values[children] = below.values[children] + share[column] * left_over[parents]
    return values


def _column(values: FloatArray) -> tuple[slice | None, ...]:
    return (slice(None),) + (None,) * (values.ndim - 1)
