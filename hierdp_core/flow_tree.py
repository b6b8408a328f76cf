"""The tree over flows: pairs of places, refined by one end at a time.

Level 0 is (all, all). Level 2k holds pairs at geographic level k; level 2k − 1 holds pairs
whose destination is at geographic level k and whose origin is one above (in the tree that
refines destinations first), or the reverse. The tree is never written out: only children
of nodes that are asked for are formed. Source: [C] Section 3.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.regions import Regions
from hierdp_core.tables import Domain

FIRST = ("destination", "origin")


@dataclass(frozen=True, eq=False, kw_only=True)
class FlowTree:
    """The levels of a tree over flows.

    Attributes:
        origins, destinations: the two hierarchies, of the same depth.
        first: which end is refined first: "destination" or "origin".
    """

    origins: Regions
    destinations: Regions
    first: str = "destination"

    @classmethod
    def of(cls, domain: Domain, first: str = "destination") -> Self:
        """The tree over the flows of a domain."""
        assert domain.destinations is not None
        return cls(origins=domain.regions, destinations=domain.destinations, first=first)

    @property
    def n_levels(self) -> int:
        """T + 1: two for each geographic level below the root, and the root."""
        return 2 * self.origins.tree.n_levels - 1

    @property
    def trees(self) -> tuple[Hierarchy, Hierarchy]:
        return self.origins.tree, self.destinations.tree

    def geographic(self, level: int) -> tuple[int, int]:
        """The geographic levels of the origins and of the destinations on a tree level."""
        above, below = level // 2, (level + 1) // 2
        return (above, below) if self.first == "destination" else (below, above)

    def cells(self, level: int) -> int:
        """How many pairs there could be on a level."""
        origin, destination = self.geographic(level)
        sizes = self.origins.tree.level_sizes, self.destinations.tree.level_sizes
        return int(sizes[0][origin]) * int(sizes[1][destination])

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
