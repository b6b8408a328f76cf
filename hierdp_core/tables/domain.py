"""What is public about a table, and its quantities."""

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from typing import Self

from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.shown import Shown


class Fact(Enum):
    """A fact about a table that mechanisms take as public, and that records can reveal.

    It is public where someone stated it without looking at the records. Taken from the records, it
    can change with a single one of them, and no privacy guarantee covers that.
    """

    REGIONS = "the list of regions"
    LEVELS = "how regions nest"
    MAX_SIZE = "the maximum group size"
    EMPTY_GROUPS = "whether empty groups are counted"

    @classmethod
    def ordered(cls, facts: Collection[Self]) -> tuple[Self, ...]:
        """The same facts, each once, in the order of this list."""
        return tuple(fact for fact in cls if fact in facts)


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One number per region that people ask about, linear in the table.

    Attributes:
        id: its name in files and addresses: "households", "size-3".
        title: the same for people, plural: "households of 3 people".
        weights: shape (n_columns,); a region's number is its row times these. Empty where a
            table works it out otherwise, as flows do.
        additive: parts add up to their region.
    """

    id: str
    title: str
    weights: tuple[int, ...]
    additive: bool = True


@dataclass(frozen=True, kw_only=True, repr=False)
class Domain(Shown):
    """All that is public about a table: what a plan may know.

    Attributes:
        kind: "counts", "group-sizes" or "flows".
        regions: the hierarchy with its names; of flows the origins.
        n_columns: numbers a region has: 1 for counts, N + 1 for group sizes 0…N.
        person: what one record is, singular: "person".
        groups: how many groups there are in all, a public number; None for counts.
        group: what a group is, plural: "housing units"; None for counts.
        region_groups: shape (n_nodes,), how many groups each region has, where the mechanism
            takes that as public; else None.
        destinations: for flows, the hierarchy of destinations; else None.
        total: all records together, where the mechanism takes that as public; else None.
        empty_groups: empty groups are counted, so that a group stays when its only member leaves.
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
        return self.regions.tree

    @property
    def between_regions(self) -> bool:
        """A number lies between two regions, an origin and a destination, and not in one."""
        return self.destinations is not None

    @property
    def hierarchies(self) -> tuple[Regions, ...]:
        """The regions; of flows, the origins and the destinations."""
        return (self.regions,) if self.destinations is None else (self.regions, self.destinations)
