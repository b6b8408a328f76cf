"""Neighbouring tables that reach a mechanism's sensitivity: what an audit runs it on.

A mechanism chooses its own (`Mechanism.worst_neighbours`), since it alone knows how far one
change of its options' privacy unit moves everything that it measures. The tables are small and
synthetic.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions, sum_up
from hierdp_core.privacy import Neighbours
from hierdp_core.tables import Counts, Flows, GroupSizes, Table

MOST_DIFFERENT = 100  # different trips of one person that a small table has room for
_MANY = 1_000  # others beside each trip of a person, where there are many


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """Two neighbouring tables.

    Attributes:
        id: a short name.
        title: what tells them apart, in words.
        before, after: the tables; the person is in the second.
    """

    id: str
    title: str
    before: Table
    after: Table


@dataclass(frozen=True, kw_only=True)
class Person:
    """One person of a table of trips, and what a neighbouring table has instead.

    Attributes:
        trips: how many they have.
        distinct: no two of them between the same places.
        replaced: another person comes in their place; else they are added.
    """

    trips: int
    distinct: bool
    replaced: bool

    @property
    def spread(self) -> bool:
        """Their trips are in several cells of the last level."""
        return self.distinct and self.trips > 1

    @property
    def cells(self) -> int:
        """How many cells of the last level they are in."""
        return min(self.trips, MOST_DIFFERENT) if self.spread else 1

    @property
    def in_each(self) -> int:
        return 1 if self.spread else self.trips

    @property
    def many_others(self) -> int:
        """So many records in a cell that noise hardly ever hides it."""
        return _MANY * self.trips

    def differ(self, others: str) -> str:
        """What tells the two tables apart, in words."""
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
        return f"One person with {self.cells:,} of {self.trips:,} different trips"


@dataclass(frozen=True, kw_only=True)
class Change:
    """What may differ between two neighbouring tables.

    Attributes:
        neighbours: a record is added or removed, or replaced.
        trips: how many trips one record may have.
        distinct: all of them between different pairs, so that no number moves by more than 1.
        groups_come: an empty group may come or go, and a person with a group of their own.
    """

    neighbours: Neighbours
    trips: int = 1
    distinct: bool = False
    groups_come: bool = False


ALONE, AMONG_MANY = "with nobody else in the table", "with many others at the same places"


def one_more_counted() -> tuple[Pair, ...]:
    """Counts of people: one is added, to a few others or to an empty table."""
    return (
        counts_pair("one-more", "A fourth person moves to North (South has two)", (3, 2), (4, 2)),
        counts_pair("first-ever", "The first person of all moves to North", (0, 0), (1, 0)),
    )


def one_more_in_a_group() -> tuple[Pair, ...]:
    """Group sizes: a household of one, not the largest, gets a second member."""
    title = "Someone joins a household of one in Georgia"
    return (joined(running_example(), 0, 1, id="joins", title=title),)


def usual_pairs(kind: str, neighbours: Neighbours) -> tuple[Pair, ...]:
    """Return pairs that reach the sensitivity of a mechanism with no options of its own.

    Raises:
        ChoiceError: none is known.
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
    """Return the pairs for a kind of table and its neighbours.

    Raises:
        ChoiceError: none is known.
    """
    if (kind, neighbours) not in known:
        raise ChoiceError(
            f"No pair of {kind} tables is known for neighbours “{neighbours.value}”; give two "
            "tables."
        )
    return known[kind, neighbours]()


def person_counted(id: str, person: Person, *, others: int, title: str) -> Pair:
    """Counts that differ by one person, who moves every level as far as a person can.

    All trips share a state. On the last level they share a cell too, or lie in as many as there
    are, where all of them are different.

    Args:
        id: of the pair.
        person: added to the first state, or moved from there to the second.
        others: records of other people in each cell that the person is or was in.
        title: of the pair.
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
    """Flows that differ by one person, who moves every tree level as far as a person can.

    Args:
        id: of the pair.
        person: added, or replaced by one whose trips share no place with theirs above the last
            level of the tree.
        others: trips of other people between each two places that the person is or was in.
        title: of the pair.
        by_origin: the tree refines origins first: all trips then share an origin, otherwise a
            destination.
    """
    shared, apart = two_states(), _places(person.cells) if person.spread else two_states()
    far = 0 if person.spread else 1  # where the other person's first trip has its unshared end
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
    """Two tables of people in North and South."""
    one, other = (Counts.from_leaves(two_states(), list(leaves)) for leaves in (before, after))
    return Pair(id=id, title=title, before=one, after=other)


def running_example() -> GroupSizes:
    """Six households of Georgia and New York by size, as in [A], Section 2; none is empty."""
    regions = Regions.from_parents(
        {"US": None, "GA": "US", "NY": "US"},
        levels=("nation", "state"),
        names={"US": "United States", "GA": "Georgia", "NY": "New York"},
    )
    return _groups(regions, [[0, 2, 0, 1, 0, 0], [0, 1, 1, 1, 0, 0]])


def with_empty_groups() -> GroupSizes:
    """Four units in North and South, three of them empty."""
    return _groups(two_states(), [[1, 1, 0], [2, 0, 0]])


def joined(table: GroupSizes, leaf: int, size: int, *, id: str, title: str) -> Pair:
    """One group of a size in a leaf region gets one member more."""
    return _changed(table, leaf, {size: -1, size + 1: 1}, id, title)


def come(table: GroupSizes, leaf: int, size: int, *, id: str, title: str) -> Pair:
    """One more group of a size in a leaf region."""
    return _changed(table, leaf, {size: 1}, id, title)


def two_states() -> Regions:
    chain: dict[str, str | None] = {"Nation": None, "North": "Nation", "South": "Nation"}
    return Regions.from_parents(chain, levels=("nation", "state"))


def _counties(in_each: int) -> Regions:
    """North and South, so many counties in each."""
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
    """Flows with so many trips between two places, counted from 0; `swap` turns them round."""
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
