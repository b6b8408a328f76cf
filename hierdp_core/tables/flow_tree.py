"""The tree over flows: pairs of places, refined by one end at a time.

Level 0 is (all, all). Level 2k holds pairs at geographic level k. In the tree that refines
destinations first, level 2k − 1 holds pairs whose destination is at geographic level k and whose
origin is one level above. In the tree that refines origins first, it is the reverse. The tree is
never stored as a whole. Children are computed only for the nodes that are given. Source: Boninsegna
and Silvestri 2024, Section 3.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from hierdp_core.hierarchy import Hierarchy, Regions, sum_up
from hierdp_core.tables import Domain, Pairs
from hierdp_core.util.arrays import IntArray, NumberArray

FIRST = ("destination", "origin")


@dataclass(frozen=True, eq=False, kw_only=True)
class FlowTree:
    """The tree over flows; a node's key is origin × number of destinations + destination.

    Attributes:
        origins, destinations: the two hierarchies, of the same depth.
        first: the end that is refined first: "destination" or "origin".
    """

    origins: Regions
    destinations: Regions
    first: str = "destination"

    @classmethod
    def of(cls, domain: Domain, first: str = "destination") -> Self:
        """Return the tree over the flows of a domain."""
        assert domain.destinations is not None
        return cls(origins=domain.regions, destinations=domain.destinations, first=first)

    @property
    def n_levels(self) -> int:
        """The number of levels: two for each geographic level below the root, and the root."""
        return 2 * self.origins.tree.n_levels - 1

    @property
    def trees(self) -> tuple[Hierarchy, Hierarchy]:
        """The hierarchies of the origins and of the destinations, without names."""
        return self.origins.tree, self.destinations.tree

    def geographic(self, level: int) -> tuple[int, int]:
        """Return the geographic levels of origins and destinations on a level of the tree."""
        above, below = level // 2, (level + 1) // 2
        return (above, below) if self.first == "destination" else (below, above)

    def cells(self, level: int) -> int:
        """Return the number of possible pairs on a level."""
        origins, destinations = self.widths(level)
        return origins * destinations

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Names from the root down: "all → all", "all → region", "region → region", …"""
        names = []
        for level in range(self.n_levels):
            origin, destination = self.geographic(level)
            ends = (
                "all" if origin == 0 else self.origins.levels[origin],
                "all" if destination == 0 else self.destinations.levels[destination],
            )
            names.append(" → ".join(ends))
        return tuple(names)

    def widths(self, level: int) -> tuple[int, int]:
        """Return the numbers of origins and of destinations on a level."""
        origin, destination = self.geographic(level)
        sizes = self.origins.tree.level_sizes, self.destinations.tree.level_sizes
        return int(sizes[0][origin]), int(sizes[1][destination])

    def ends(self, level: int, keys: IntArray) -> tuple[IntArray, IntArray]:
        """Return the origins and destinations of nodes, counted from 0 on geographic levels."""
        width = self.widths(level)[1]
        origin = keys // width
        return origin, keys - origin * width

    def family_sizes(self, level: int, nodes: IntArray) -> IntArray:
        """Return the number of children, on `level`, of each of the nodes one level up."""
        refined, k = self._refined(level)
        first = _first_children(self.trees[refined], k)
        end = self.ends(level - 1, nodes)[refined]
        return first[end + 1] - first[end]

    def children(self, level: int, nodes: IntArray, family: IntArray, rank: IntArray) -> IntArray:
        """Return the keys of children of some nodes.

        Args:
            level: the level of the children.
            nodes: the keys of the parents.
            family: shape (children,), the index in `nodes` of the parent of each child.
            rank: shape (children,), the position of each child in its family, from 0.
        """
        refined, k = self._refined(level)
        ends = list(self.ends(level - 1, nodes[family]))
        ends[refined] = _first_children(self.trees[refined], k)[ends[refined]] + rank
        return ends[0] * self.widths(level)[1] + ends[1]

    def parents(self, level: int, keys: IntArray) -> tuple[IntArray, IntArray]:
        """Return the keys of the parents of some nodes of `level`, and their rank in the family."""
        refined, k = self._refined(level)
        tree, ends = self.trees[refined], list(self.ends(level, keys))
        child = ends[refined]
        ends[refined] = (tree.parent[tree.level(k)] - tree.level(k - 1).start)[child]
        rank = child - _first_children(tree, k)[ends[refined]]
        return ends[0] * self.widths(level - 1)[1] + ends[1], rank

    def leaf_nodes(self, pairs: Pairs) -> tuple[IntArray, NumberArray]:
        """Return the keys of flows between leaves, ascending, and their values."""
        width = self.destinations.tree.n_leaves
        return pairs.origin * width + pairs.destination, pairs.values

    def content(self, keys: IntArray, values: NumberArray) -> Pairs:
        """Return flows from the keys and values of nodes of the last level, in ascending order."""
        return Pairs.of_keys(keys, values, self.destinations.tree.n_leaves)

    def _refined(self, level: int) -> tuple[int, int]:
        """Return the end that a level refines (0 for the origin) and its new geographic level."""
        here, above = self.geographic(level), self.geographic(level - 1)
        refined = 0 if here[0] > above[0] else 1
        return refined, here[refined]


@dataclass(frozen=True, eq=False, kw_only=True)
class RegionTree:
    """A hierarchy of regions used like a `FlowTree`; a node's key is its place on its level."""

    tree: Hierarchy

    @property
    def n_levels(self) -> int:
        """The number of levels of the hierarchy."""
        return self.tree.n_levels

    def cells(self, level: int) -> int:
        """Return the number of regions on a level."""
        return int(self.tree.level_sizes[level])

    def family_sizes(self, level: int, nodes: IntArray) -> IntArray:
        """Return the number of children of some nodes: see `FlowTree.family_sizes`."""
        first = _first_children(self.tree, level)
        return first[nodes + 1] - first[nodes]

    def children(self, level: int, nodes: IntArray, family: IntArray, rank: IntArray) -> IntArray:
        """Return the keys of children of some nodes: see `FlowTree.children`."""
        return _first_children(self.tree, level)[nodes[family]] + rank

    def parents(self, level: int, keys: IntArray) -> tuple[IntArray, IntArray]:
        """Return the keys of the parents of some nodes of `level`, and their rank in the family."""
        above = self.tree.parent[self.tree.level(level)] - self.tree.level(level - 1).start
        parents: IntArray = above[keys]
        return parents, keys - _first_children(self.tree, level)[parents]

    def leaf_nodes(self, values: NumberArray) -> tuple[IntArray, NumberArray]:
        """Return the places of leaves whose values are not 0, ascending, and these values."""
        leaves = values[self.tree.leaves]
        keys = np.flatnonzero(leaves)
        return keys, leaves[keys]

    def content(self, keys: IntArray, values: NumberArray) -> NumberArray:
        """Return the counts of all regions from the places and values of leaves."""
        leaves = np.zeros(self.tree.n_leaves, dtype=values.dtype)
        leaves[keys] = values
        counts: NumberArray = sum_up(self.tree, leaves)
        return counts


def _first_children(tree: Hierarchy, level: int) -> IntArray:
    """Return where the children of each node one level up begin, and where the last ones end.

    Returns:
        shape (nodes one level up + 1,), counted from 0 on `level`.
    """
    above = tree.level(level - 1)
    starts = tree.child_start[above.start : above.stop + 1]
    first: IntArray = starts - tree.level(level).start
    return first
