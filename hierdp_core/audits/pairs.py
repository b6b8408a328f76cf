"""Pairs of tables that differ by one record, on which an audit runs a mechanism."""

from collections.abc import Callable, Mapping

import numpy as np

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.mechanisms.neighbours import (
    Pair,
    counts_pair,
    flows_of,
    joined,
    known_pairs,
    one_more_counted,
    one_more_in_a_group,
    running_example,
    two_states,
    with_empty_groups,
)
from hierdp_core.privacy import Budget, Neighbours
from hierdp_core.tables import Flows, GroupSizes, Table
from hierdp_core.util.arrays import NumberArray
from hierdp_core.util.text import by_number, counted

_ONE = {
    Neighbours.ADD_OR_REMOVE_ONE: "one record more or less",
    Neighbours.REPLACE_ONE: "one record replaced by another",
}


def pairs_of(mechanism: Mechanism | str, *, budget: Budget) -> tuple[Pair, ...]:
    """Return every pair that is supplied for a mechanism, the worst cases first.

    Raises:
        ChoiceError: the mechanism or an option is unknown, or there is no pair for it.
    """
    one = mechanisms.configured(mechanism)
    by_id = {pair.id: pair for pair in one.worst_neighbours(budget)}
    kinds = {pair.before.kind for pair in by_id.values()}
    for kind in one.kinds if one.kinds[0] in kinds else kinds:
        for pair in pairs_for(kind, one.neighbours):
            by_id.setdefault(pair.id, pair)
    return tuple(by_id.values())


def worst_pairs(mechanism: Mechanism | str, *, budget: Budget) -> tuple[Pair, ...]:
    """Return the pairs that an audit runs on by default: the mechanism's worst cases.

    Every event of a plan changes by its full sensitivity in at least one of them, unless a person
    may have more than 100 different trips. The small tables have room for 100 of them.

    Raises:
        ChoiceError: the mechanism or an option is unknown, or there is no pair for it.
    """
    return mechanisms.configured(mechanism).worst_neighbours(budget)


def pairs_for(kind: str, neighbours: Neighbours) -> tuple[Pair, ...]:
    """Return pairs of tables of one kind that differ by one record with one trip.

    Raises:
        ChoiceError: there is none.
    """
    makers: Mapping[tuple[str, Neighbours], Callable[[], tuple[Pair, ...]]] = {
        ("counts", Neighbours.ADD_OR_REMOVE_ONE): _one_more_counted,
        ("counts", Neighbours.REPLACE_ONE): _one_moved,
        ("group-sizes", Neighbours.ADD_OR_REMOVE_ONE): _one_more_in_a_group,
        ("flows", Neighbours.ADD_OR_REMOVE_ONE): _one_more_trip,
        ("flows", Neighbours.REPLACE_ONE): _another_trip,
    }
    return known_pairs(makers, kind, neighbours)


def neighbour_of(table: Table, neighbours: Neighbours) -> Pair:
    """Return a pair of a given table and a neighbouring one, which differs by one record.

    In a table with groups, the first group below the largest size gets one more member. In other
    tables, a record is added in the first cell, or moved from the cell with the highest count to
    another cell.

    Raises:
        ChoiceError: there is no record to move or only one cell, or all groups have the largest
            size.
    """
    arrays = dict(table.leaf_arrays())
    change = _one_more_member if table.has_groups else _one_changed
    arrays["values"] = change(arrays["values"], neighbours)
    after = type(table).from_leaf_arrays(
        table.regions, arrays, taken_from_data=table.taken_from_data, **table.labels
    )
    return Pair(
        id="own", title="your own table, with one record changed", before=table, after=after
    )


def _one_changed(values: NumberArray, neighbours: Neighbours) -> NumberArray:
    """Return values with one more record in the first cell, or one moved from the fullest cell."""
    changed = values.copy()
    if neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        changed[0] += 1
        return changed
    origin = int(np.argmax(changed))
    if len(changed) < 2 or not changed[origin]:
        raise ChoiceError("No record can be replaced. Use a table with a record and two areas.")
    changed[origin] -= 1
    changed[0 if origin else 1] += 1
    return changed


def _one_more_member(values: NumberArray, _: Neighbours) -> NumberArray:
    """Return values in which the first group below the largest size has one more member."""
    changed = values.copy()
    smaller = np.argwhere(changed[:, :-1] > 0)
    if not len(smaller):
        raise ChoiceError("No group is below the maximum group size. Use a larger maximum.")
    leaf, size = smaller[0]
    changed[leaf, size] -= 1
    changed[leaf, size + 1] += 1
    return changed


def checked_pair(
    pair: Pair | tuple[Table, Table],
    neighbours: Neighbours,
    *,
    trips: int = 1,
    distinct: bool = False,
    private_totals: bool = False,
) -> Pair:
    """Return a pair of tables if they are neighbours.

    Args:
        pair: a pair, or its two tables.
        neighbours: the neighbouring relation of the mechanism.
        trips: the largest number of trips of a person.
        distinct: whether all trips of a person are counted in different numbers of the last level,
            so that none of these changes by more than 1.
        private_totals: whether neighbouring tables may also differ by an empty group, or by a
            person with a group of their own.

    Raises:
        ChoiceError: the tables are not neighbours; the message gives the reason.
    """
    if not isinstance(pair, Pair):
        if len(pair) != 2:
            raise ChoiceError(
                f"A pair is two tables; got {len(pair)}. Give two neighbouring tables."
            )
        before, after = pair
        pair = Pair(id="given", title="the two tables given", before=before, after=after)
    before, after = pair.before, pair.after
    fault_and_remedy = _public_fault(before, after, private_totals) or _distance_fault(
        before, after, neighbours, trips, distinct
    )
    if fault_and_remedy:
        raise ChoiceError(
            f"The two tables are not neighbours ({_ONE[neighbours]}): {fault_and_remedy}"
        )
    return pair


def _public_fault(before: Table, after: Table, private_totals: bool) -> str:
    """Return how the tables differ in public facts; empty if they do not."""
    if type(before) is not type(after):
        return (
            f"one holds {before.kind_words}, the other {after.kind_words}. Give two tables of the "
            "same kind."
        )
    if not all(
        one.ids == other.ids and np.array_equal(one.tree.parent, other.tree.parent)
        for one, other in zip(before.domain.hierarchies, after.domain.hierarchies, strict=True)
    ):
        return "their areas differ. Give two tables over the same hierarchy."
    if before.has_groups:
        if before.sizes != after.sizes:
            return (
                f"one has sizes up to {before.sizes[-1]:,}, the other up to {after.sizes[-1]:,}. "
                "Give two tables with the same sizes."
            )
        groups = [table.values.sum(axis=1) for table in (before, after)]
        if not private_totals and not np.array_equal(*groups):
            node = int(np.argmax(groups[0] != groups[1]))
            return (
                f"{before.regions.names[node]} has {counted(int(groups[0][node]), 'group')} in one "
                f"and {groups[1][node]:,} in the other. The number of groups is public. Adding or "
                "removing a person changes only the size of a group."
            )
    return ""


def _distance_fault(
    before: Table, after: Table, neighbours: Neighbours, trips: int, distinct: bool
) -> str:
    """Return why the tables do not differ by exactly one record; empty if they do."""
    changes = before.leaf_changes(after)
    added, removed = int(changes[changes > 0].sum()), int(-changes[changes < 0].sum())
    if not added and not removed:
        return "they are the same. Change one record in one of them."
    if before.has_groups:
        return _group_fault(before, after)
    if distinct and np.abs(changes).max() > 1:
        return (
            "one number differs by more than 1, but no number counts two trips of one person. "
            "Change each number by at most 1."
        )
    if neighbours is Neighbours.REPLACE_ONE:
        if added == removed <= trips:
            return ""
        moves = by_number(trips, "just one record", f"up to {trips:,} trips of one person")
        return f"the second table removes {removed:,} and adds {added:,}. Move {moves}."
    if min(added, removed) == 0 and max(added, removed) <= trips:
        return ""
    adds = by_number(trips, "one record in one place", f"up to {trips:,} trips, and remove none")
    return f"the second table adds {added:,} and removes {removed:,}. Add {adds}."


def _group_fault(before: Table, after: Table) -> str:
    leaves = before.tree.leaves
    changes = (after.values - before.values)[leaves]
    if changes.sum(axis=1).any():  # possible only with private totals
        alone = np.abs(changes).sum() == 1 and not changes[:, 2:].any()
        return (
            ""
            if alone
            else "they differ by more than one empty group, or one person with their own group. "
            "Add only one of these."
        )
    below = np.cumsum(changes, axis=1)[:, :-1]  # changes in the numbers of groups up to each size
    if np.abs(below).sum() == 1:
        return ""
    places = np.flatnonzero(np.abs(changes).sum(axis=1)) + leaves.start
    distance = int(np.abs(below).sum())
    return (
        f"group sizes in {', '.join(before.regions.names[node] for node in places[:3])} differ by "
        f"{distance:,} people in all. Add one person to one group of one area."
    )


def _one_more_counted() -> tuple[Pair, ...]:
    title = "One person is added to South, which was empty"
    return (*one_more_counted(), counts_pair("first", title, (3, 0), (3, 1)))


def _one_moved() -> tuple[Pair, ...]:
    return (
        counts_pair("moved", "One person lives in South instead of North", (4, 2), (3, 3)),
        counts_pair("emptied", "The only person of South lives in North instead", (3, 1), (4, 0)),
    )


def _one_more_in_a_group() -> tuple[Pair, ...]:
    grows = "Someone joins the household of three in New York"
    moves = "One person is added to South, in one of its two empty units"
    return (
        *one_more_in_a_group(),
        joined(running_example(), 1, 3, id="grows", title=grows),
        joined(with_empty_groups(), 1, 0, id="moves-in", title=moves),
        _one_of_many(),
    )


def _one_of_many() -> Pair:
    states = [f"State {k}" for k in range(1, 13)]
    chain: dict[str, str | None] = {"Nation": None} | dict.fromkeys(states, "Nation")
    table = GroupSizes.from_leaves(
        Regions.from_parents(chain, levels=("nation", "state")),
        [[0, 1, 1]] * len(states),
        group="units",
        occupied="occupied units",
    )
    title = "Someone joins a household, in one of twelve states"
    return joined(table, 0, 1, id="one-of-many", title=title)


def _trips(trips: Mapping[tuple[int, int], int]) -> Flows:
    regions = two_states()
    return flows_of(regions, regions, trips)


def _one_more_trip() -> tuple[Pair, ...]:
    before, after = {(0, 0): 4, (0, 1): 2}, {(0, 0): 4, (0, 1): 2, (1, 0): 1}
    return (
        Pair(
            id="first-trip",
            title="The first trip from South to North",
            before=_trips(before),
            after=_trips(after),
        ),
    )


def _another_trip() -> tuple[Pair, ...]:
    before, after = {(0, 0): 4, (0, 1): 3}, {(0, 0): 4, (0, 1): 2, (1, 0): 1}
    return (
        Pair(
            id="other-trip",
            title="One trip is from South to North instead of from North to South",
            before=_trips(before),
            after=_trips(after),
        ),
    )
