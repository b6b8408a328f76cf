"""Neighbouring tables that reach a mechanism's sensitivity, on which audits run it.

Each mechanism defines its own tables (`Mechanism.worst_neighbours`), because only its definition
determines how far one privacy unit can change everything that it measures. The tables are small and
synthetic.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions, sum_up
from hierdp_core.privacy import Neighbours
from hierdp_core.tables import Counts, Flows, GroupSizes, Table

MOST_DIFFERENT = 100  # distinct trips of one person; a small table has no room for more
_MANY = 1_000  # other records for each trip of the person, in tables with many others


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """Two neighbouring tables.

    Attributes:
        id: a short name.
        title: how the two tables differ, in words.
        before, after: the tables. The record that is added, or that replaces another, is in the
            second.
    """

    id: str
    title: str
    before: Table
    after: Table


@dataclass(frozen=True, kw_only=True)
class Person:
    """The person by whom two neighbouring tables of trips differ.

    Attributes:
        trips: the number of their trips, 1 or more.
        distinct: whether all trips of the person are between different pairs of places.
        replaced: whether the person is replaced by another; else the person is added.
    """

    trips: int
    distinct: bool
    replaced: bool

    @property
    def spread(self) -> bool:
        """Whether the trips lie in several cells of the last level."""
        return self.distinct and self.trips > 1

    @property
    def cells(self) -> int:
        """The number of cells of the last level that contain trips of the person."""
        return min(self.trips, MOST_DIFFERENT) if self.spread else 1

    @property
    def in_each(self) -> int:
        """The number of the person's trips in each of these cells."""
        return 1 if self.spread else self.trips

    @property
    def many_others(self) -> int:
        """A number of other records in a cell, so large that noise rarely reduces it to 0."""
        return _MANY * self.trips

    def differ(self, others: str) -> str:
        """Return how the two tables differ. `others` describes the other records, as in `ALONE`."""
        if self.replaced:
            return f"{self._in_words} is replaced by one elsewhere, {others}"
        return f"{self._in_words} is added, {others}"

    @property
    def _in_words(self) -> str:
        if self.trips == 1:
            return "One person"
        if not self.distinct:
            return f"One person with {self.trips:,} trips"
        if self.cells == self.trips:
            return f"One person with {self.trips:,} different trips"
        return f"One person with {self.cells:,} different trips (of up to {self.trips:,})"


@dataclass(frozen=True, kw_only=True)
class Change:
    """What may differ between two neighbouring tables.

    Attributes:
        neighbours: whether a record is added or removed, or replaced.
        trips: the maximum number of trips of one person.
        distinct: whether all trips of a person are between different pairs of places, so that a
            person adds at most 1 to any count of the last level.
        groups_come: whether an empty group, or a person with a group of their own, may also be
            added or removed.
    """

    neighbours: Neighbours
    trips: int = 1
    distinct: bool = False
    groups_come: bool = False


ALONE, AMONG_MANY = "with nobody else in the table", "with many others at the same places"


def one_more_counted() -> tuple[Pair, ...]:
    """Return counts that differ by one added person, among a few others and in an empty table."""
    return (
        counts_pair(
            "one-more", "One person is added to the three in North (South has two)", (3, 2), (4, 2)
        ),
        counts_pair(
            "first-ever", "One person is added to an empty nation, in North", (0, 0), (1, 0)
        ),
    )


def one_more_in_a_group() -> tuple[Pair, ...]:
    """Return group sizes where a household of one, not the largest, gets a second member."""
    title = "Someone joins a household of one in Georgia"
    return (joined(running_example(), 0, 1, id="joins", title=title),)


def usual_pairs(kind: str, neighbours: Neighbours) -> tuple[Pair, ...]:
    """Return pairs that reach the sensitivity of mechanisms whose options do not change it.

    Raises:
        ChoiceError: no pair is known for this kind of table and these neighbours.
    """
    return known_pairs(
        {
            ("counts", Neighbours.ADD_OR_REMOVE_ONE): one_more_counted,
            ("group-sizes", Neighbours.ADD_OR_REMOVE_ONE): one_more_in_a_group,
        },
        kind,
        neighbours,
    )


def known_pairs(
    known: Mapping[tuple[str, Neighbours], Callable[[], tuple[Pair, ...]]],
    kind: str,
    neighbours: Neighbours,
) -> tuple[Pair, ...]:
    """Return the pairs for a kind of table and a neighbouring relation.

    Raises:
        ChoiceError: no pair is known for them.
    """
    if (kind, neighbours) not in known:
        raise ChoiceError(
            f"No pair of {kind} tables is known for neighbours “{neighbours.value}”. Give two "
            "tables of your own."
        )
    return known[kind, neighbours]()


def person_counted(id: str, person: Person, *, others: int, title: str) -> Pair:
    """Return counts that differ by one person and reach the sensitivity at every level.

    All trips of a person are counted in one state. At the last level they share one cell, or lie
    in one cell each if they are distinct.

    Args:
        id: the id of the pair.
        person: the person, added to the first state, or replaced by one in the second.
        others: the number of other records in each cell that contains the person in either table.
        title: the title of the pair.
    """
    regions = _counties(person.cells) if person.spread else two_states()
    width = regions.tree.n_leaves // 2
    first, second = np.zeros((2, regions.tree.n_leaves), dtype=np.int64)
    first[: person.cells] = 1
    second[width : width + person.cells] = 1
    there = others * (first + second * person.replaced)
    own = person.in_each * first
    before, after = (there, there + own)
    if person.replaced:
        before, after = there + own, there + person.in_each * second
    one, other = (Counts.from_leaves(regions, leaves) for leaves in (before, after))
    return Pair(id=id, title=title, before=one, after=other)


def person_travelling(
    id: str, person: Person, *, others: int, title: str, by_origin: bool = False
) -> Pair:
    """Return flows that differ by one person and reach the sensitivity at every tree level.

    Args:
        id: the id of the pair.
        person: the person, added, or replaced by one whose trips share no node of the tree with
            theirs, except for the root.
        others: the number of other trips in each cell that contains the person in either table.
        title: the title of the pair.
        by_origin: whether the tree refines origins first. All trips of a person then share their
            origin, otherwise their destination.
    """
    shared, apart = two_states(), _places(person.cells) if person.spread else two_states()
    far = 0 if person.spread else 1  # the end not shared, of the other person's first trip
    one = [(place, 0) for place in range(person.cells)]
    other = [(place + far, 1) for place in range(person.cells)]
    trips = dict.fromkeys(one + other * person.replaced, others)
    before, after = dict(trips), dict(trips)
    for cell in one:
        (before if person.replaced else after)[cell] += person.in_each
    for cell in other * person.replaced:
        after[cell] += person.in_each
    sides = (shared, apart) if by_origin else (apart, shared)
    tables = [flows_of(*sides, table, swap=by_origin) for table in (before, after)]
    return Pair(id=id, title=title, before=tables[0], after=tables[1])


def counts_pair(id: str, title: str, before: Sequence[int], after: Sequence[int]) -> Pair:
    """Return two tables of people in North and South, in that order."""
    one, other = (Counts.from_leaves(two_states(), list(leaves)) for leaves in (before, after))
    return Pair(id=id, title=title, before=one, after=other)


def running_example() -> GroupSizes:
    """Return the six households of Fioretto et al. 2021, Section 2, by state and size.

    None of them is empty.
    """
    regions = Regions.from_parents(
        {"US": None, "GA": "US", "NY": "US"},
        levels=("nation", "state"),
        names={"US": "United States", "GA": "Georgia", "NY": "New York"},
    )
    return _groups(regions, [[0, 2, 0, 1, 0, 0], [0, 1, 1, 1, 0, 0]])


def with_empty_groups() -> GroupSizes:
    """Return four units in North and South, three of them empty."""
    return _groups(two_states(), [[1, 1, 0], [2, 0, 0]])


def joined(table: GroupSizes, leaf: int, size: int, *, id: str, title: str) -> Pair:
    """Return a pair where one group of this size in a leaf region gets one more member."""
    return _changed(table, leaf, {size: -1, size + 1: 1}, id, title)


def come(table: GroupSizes, leaf: int, size: int, *, id: str, title: str) -> Pair:
    """Return a pair where one group of this size is added to a leaf region."""
    return _changed(table, leaf, {size: 1}, id, title)


def two_states() -> Regions:
    chain: dict[str, str | None] = {"Nation": None, "North": "Nation", "South": "Nation"}
    return Regions.from_parents(chain, levels=("nation", "state"))


def _counties(in_each: int) -> Regions:
    """Return North and South, with `in_each` counties each."""
    chain: dict[str, str | None] = {"Nation": None, "North": "Nation", "South": "Nation"}
    for state in ("North", "South"):
        chain |= {f"{state} {k}": state for k in range(1, in_each + 1)}
    return Regions.from_parents(chain, levels=("nation", "state", "county"))


def _places(n: int) -> Regions:
    states = [f"Place {k}" for k in range(1, max(2, n) + 1)]
    chain: dict[str, str | None] = {"Nation": None} | dict.fromkeys(states, "Nation")
    return Regions.from_parents(chain, levels=("nation", "state"))


def flows_of(
    origins: Regions,
    destinations: Regions,
    trips: Mapping[tuple[int, int], int],
    *,
    swap: bool = False,
) -> Flows:
    """Return flows between places numbered from 0; `swap` exchanges origins and destinations."""
    ends = np.array(list(trips), dtype=np.int64).reshape(-1, 2)
    numbers = np.array(list(trips.values()), dtype=np.int64)
    first, second = (ends[:, 1], ends[:, 0]) if swap else (ends[:, 0], ends[:, 1])
    return Flows.from_pairs(origins, destinations, first, second, numbers)


def _groups(regions: Regions, leaves: Sequence[Sequence[int]]) -> GroupSizes:
    return GroupSizes.from_leaves(regions, leaves, group="units", occupied="occupied units")


def _changed(table: GroupSizes, leaf: int, changes: Mapping[int, int], id: str, title: str) -> Pair:
    leaves = table.values[table.tree.leaves].astype(np.int64)
    for size, change in changes.items():
        leaves[leaf, size] += change
    after = replace(table, values=sum_up(table.tree, leaves))
    return Pair(id=id, title=title, before=table, after=after)
