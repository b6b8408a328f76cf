"""The public facts of a table, and its quantities."""

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from typing import Self

from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.shown import Shown


class Fact(Enum):
    """A fact about a table that mechanisms treat as public, and that records can reveal.

    A fact is public if it was stated without looking at the records. If it was taken from the
    records, a single record can change it, and no privacy guarantee covers that.
    """

    REGIONS = "the list of areas"
    LEVELS = "how areas nest"
    MAX_SIZE = "the maximum group size"
    EMPTY_GROUPS = "whether empty groups are counted"
    COUNTS = "what is counted"
    ROUNDING = "how the counts were rounded"

    @classmethod
    def ordered(cls, facts: Collection[Self]) -> tuple[Self, ...]:
        """Return the same facts, each once, in the order of this enumeration."""
        return tuple(fact for fact in cls if fact in facts)


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number that can be shown for each region, linear in the table.

    Attributes:
        id: its name in files and addresses: "occupied", "size-3".
        title: the same in words, plural: "households of 3 people".
        weights: shape (n_columns,). A region's number is the inner product of its row and the
            weights. Empty if a table computes it in another way, as flows do.
        additive: whether the numbers of sub-areas add up to that of their region.
    """

    id: str
    title: str
    weights: tuple[int, ...]
    additive: bool = True


@dataclass(frozen=True, kw_only=True, repr=False)
class Domain(Shown):
    """All that is public about a table, which is all that a plan may use.

    Attributes:
        kind: "counts", "group-sizes" or "flows".
        regions: the hierarchy with its names; for flows, that of the origins.
        n_columns: how many numbers a region has: 1 for counts and flows, N + 1 for group
            sizes 0…N, and 0 if the mechanism measures N.
        person: the noun for one record, singular: "person".
        groups: the total number of groups, if it is public; None if the mechanism measures it, and
            for a table without groups.
        group: the noun for groups, plural: "housing units"; None for a table without groups.
        region_groups: shape (n_nodes,), the number of groups of each region, if the mechanism
            treats these numbers as public; else None.
        destinations: for flows, the hierarchy of destinations; else None.
        total: the number of all records, if the mechanism treats it as public; else None.
        empty_groups: whether empty groups are counted. A group then remains when its only member
            leaves.
        taken_from_data: the facts that were taken from the records.
    """

    kind: str
    regions: Regions = field(repr=False, compare=False)
    n_columns: int
    person: str
    groups: int | None = None
    group: str | None = None
    region_groups: IntArray | None = field(default=None, repr=False, compare=False)
    destinations: Regions | None = field(default=None, repr=False, compare=False)
    total: int | None = field(default=None, compare=False)
    empty_groups: bool = True
    taken_from_data: tuple[Fact, ...] = ()

    @property
    def tree(self) -> Hierarchy:
        """The hierarchy of `regions` without its names."""
        return self.regions.tree

    @property
    def between_regions(self) -> bool:
        """Whether a number belongs to two regions, an origin and a destination."""
        return self.destinations is not None

    @property
    def hierarchies(self) -> tuple[Regions, ...]:
        """The hierarchy of the regions; for flows, those of the origins and the destinations."""
        return (self.regions,) if self.destinations is None else (self.regions, self.destinations)
