"""Least-squares consistency on a tree, exact, in two sweeps."""

from typing import NamedTuple

import numpy as np

from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.util.arrays import FloatArray, IntArray


class Estimates(NamedTuple):
    """The best estimate of every node from what lies at and below it.

    Attributes:
        values: shape (n_nodes, ...).
        spread: shape (n_nodes,), their variance up to a common factor.
    """

    values: FloatArray
    spread: FloatArray


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
    below = estimates_from_below(tree, targets, precisions)
    return settle_from_above(tree, below, below.values[0])


def estimates_from_below(
    tree: Hierarchy,
    targets: IntArray | FloatArray,
    precisions: FloatArray,
    *,
    last: Estimates | None = None,
) -> Estimates:
    """Return the best estimate of every node from what lies at and below it.

    Args:
        tree: the hierarchy, or its upper levels.
        targets: shape (n_nodes, ...).
        precisions: shape (n_levels,), as in `least_squares_on_tree`.
        last: the estimates of the last level, where more lies below; else its targets.
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
        own = precisions[level] * variance  # weight of the own measurement against the sum's
        values[nodes] = (own[column] * values[nodes] + sums) / (1 + own[column])
        spread[nodes] = variance / (1 + own)
    return Estimates(values, spread)


def settle_from_above(
    tree: Hierarchy, below: Estimates, root: FloatArray | np.float64
) -> FloatArray:
    """Return consistent values: what is left over of each parent goes to its children.

    Args:
        tree: the hierarchy, or the part of it under one node.
        below: the below of `estimates_from_below`.
        root: shape (...), the settled values of the root.

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
