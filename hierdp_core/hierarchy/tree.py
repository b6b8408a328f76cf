"""The tree of regions as arrays in level order.

In level order, the root comes first, then the nodes of each level in turn, with siblings side by
side. Every leaf lies on the last level. So a level is a slice, the children of a node are a slice,
and a sum over children is one vectorised line.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import HierarchyError
from hierdp_core.util.arrays import IntArray, frozen_array
from hierdp_core.util.shown import Shown


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Hierarchy(Shown):
    """A rooted tree, its nodes numbered level by level from the root down.

    Attributes:
        parent: shape (n_nodes,), the parent of each node, one level up; parent[0] is -1. Within a
            level it never decreases, so siblings are side by side.
        level_start: shape (n_levels + 1,). Level k is the slice
            `level_start[k]:level_start[k + 1]`; level 0 holds the root alone.

    Raises:
        HierarchyError: the arrays break one of these rules.

    >>> tree = Hierarchy(parent=[-1, 0, 0], level_start=[0, 1, 3])
    >>> tree.n_levels, tree.level(1)
    (2, slice(1, 3, None))
    """

    parent: IntArray
    level_start: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "parent", _whole("parent", self.parent))
        object.__setattr__(self, "level_start", _whole("level_start", self.level_start))
        _check_level_order(self.parent, self.level_start)

    @property
    def n_nodes(self) -> int:
        """The number of nodes on all levels."""
        return len(self.parent)

    @property
    def n_levels(self) -> int:
        """The number of levels, including that of the root."""
        return len(self.level_start) - 1

    @property
    def n_leaves(self) -> int:
        """The number of nodes on the last level."""
        return int(self.level_start[-1] - self.level_start[-2])

    @property
    def leaves(self) -> slice:
        """The nodes of the last level, as a slice of any array in level order."""
        return self.level(self.n_levels - 1)

    def level(self, k: int) -> slice:
        """Return the nodes of level `k`, as a slice of any array in level order.

        Raises:
            HierarchyError: there is no level `k`.
        """
        if not 0 <= k < self.n_levels:
            raise HierarchyError(
                f"There is no level {k}. Choose a level from 0 to {self.n_levels - 1}."
            )
        return slice(int(self.level_start[k]), int(self.level_start[k + 1]))

    @cached_property
    def level_sizes(self) -> IntArray:
        """The number of nodes on each level, shape (n_levels,)."""
        return frozen_array(np.diff(self.level_start), np.int64)

    @cached_property
    def level_of(self) -> IntArray:
        """The level of every node, shape (n_nodes,)."""
        return frozen_array(np.repeat(np.arange(self.n_levels), self.level_sizes), np.int64)

    @cached_property
    def child_start(self) -> IntArray:
        """Where each node's children begin, shape (n_nodes + 1,).

        The children of node r are `child_start[r]:child_start[r + 1]`; empty for leaves.
        """
        starts = np.searchsorted(self.parent[1:], np.arange(self.n_nodes + 1), side="left") + 1
        return frozen_array(starts, np.int64)

    def children(self, node: int) -> slice:
        """Return the children of a node, as a slice of any array in level order."""
        return slice(int(self.child_start[node]), int(self.child_start[node + 1]))


def child_sums(tree: Hierarchy, values: npt.NDArray[Any], level: int) -> npt.NDArray[Any]:
    """Return the sums over the children of every node of `level`.

    Args:
        tree: the hierarchy.
        values: shape (n_nodes, ...), in level order.
        level: any but the last.

    Returns:
        shape (nodes on `level`, ...), of the dtype of `values`.
    """
    below = tree.level(level + 1)
    starts = tree.child_start[tree.level(level)] - below.start
    return np.add.reduceat(values[below], starts, axis=0)


def sum_up(tree: Hierarchy, leaf_values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the value of every node, where each parent is the sum of its children.

    Args:
        tree: the hierarchy.
        leaf_values: shape (n_leaves, ...), in level order.

    Returns:
        shape (n_nodes, ...), in level order, of the dtype of `leaf_values`.
    """
    values = np.empty((tree.n_nodes, *leaf_values.shape[1:]), dtype=leaf_values.dtype)
    values[tree.leaves] = leaf_values
    for level in reversed(range(tree.n_levels - 1)):
        values[tree.level(level)] = child_sums(tree, values, level)
    return values


def leaf_ancestors(tree: Hierarchy, level: int) -> npt.NDArray[np.int64]:
    """Return for every leaf its ancestor on `level`, counted from 0 on that level.

    Returns:
        shape (n_leaves,).
    """
    place: npt.NDArray[np.int64] = np.arange(tree.leaves.start, tree.leaves.stop)
    for _ in range(tree.n_levels - 1 - level):
        place = tree.parent[place]
    place -= tree.level(level).start
    return place


_BUILT = "Use Regions.from_parents, which puts nodes in this order."


def _whole(name: str, values: npt.ArrayLike) -> IntArray:
    array = np.asarray(values)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise HierarchyError(f"{name} must hold integers; it is of type {array.dtype}. {_BUILT}")
    return frozen_array(array, np.int64)


def _check_level_order(parent: IntArray, level_start: IntArray) -> None:
    if parent.ndim != 1 or level_start.ndim != 1:
        raise HierarchyError(f"parent and level_start must have one dimension each. {_BUILT}")
    n_nodes = len(parent)
    if n_nodes == 0 or len(level_start) < 2:
        raise HierarchyError(
            "A hierarchy needs at least a root: one node on one level. Add a root."
        )
    if level_start[0] != 0 or level_start[-1] != n_nodes or np.any(np.diff(level_start) < 1):
        raise HierarchyError(
            f"level_start must rise from 0 to the number of nodes, {n_nodes}, with no empty "
            f"level; it is {level_start.tolist()[:10]}. {_BUILT}"
        )
    if level_start[1] != 1:
        raise HierarchyError(
            f"Level 0 must hold the root alone; it holds {level_start[1]} nodes. {_BUILT}"
        )
    if parent[0] != -1:
        raise HierarchyError(f"parent[0], of the root, must be -1; it is {parent[0]}. {_BUILT}")
    for level in range(1, len(level_start) - 1):
        start, stop = int(level_start[level]), int(level_start[level + 1])
        above, below = int(level_start[level - 1]), start
        parents = parent[start:stop]
        wrong = np.flatnonzero((parents < above) | (parents >= below)) + start
        if len(wrong):
            raise HierarchyError(
                f"A node of level {level} must have its parent in level {level - 1}; "
                f"nodes {wrong[:5].tolist()} do not. {_BUILT}"
            )
        fallen = np.flatnonzero(np.diff(parents) < 0) + start + 1
        if len(fallen):
            raise HierarchyError(
                f"Siblings must stand side by side: on level {level} the parent must never "
                f"decrease; it does at nodes {fallen[:5].tolist()}. {_BUILT}"
            )
        childless = np.setdiff1d(np.arange(above, below), parents)
        if len(childless):
            raise HierarchyError(
                f"Every leaf must lie on the last level; nodes {childless[:5].tolist()} of level "
                f"{level - 1} have no child. Pad a ragged tree with only children "
                f"(Regions.from_parents does)."
            )
