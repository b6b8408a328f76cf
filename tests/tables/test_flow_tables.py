"""Flows: pairs of leaves, and what comes in by their door."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from support.strategies import flow_tables, regions_of

from hierdp_core.exceptions import TableError
from hierdp_core.hierarchy import Hierarchy, Regions, child_sums, leaf_ancestors
from hierdp_core.tables import Flows, Pairs, by_region, quantity, quantity_regions, require_exact
from hierdp_core.tables.flow_tree import FlowTree

PLACES = Regions.from_parents(
    {"it": None, "a": "it", "b": "it", "a1": "a", "a2": "a", "b1": "b"},
    levels=("country", "region", "town"),
    names={"a1": "Alba", "a2": "Asti", "b1": "Bari"},
)
ROWS = (["a1", "a2", "a1", "b1"], ["a2", "a1", "a2", "b1"], [3, 4, 2, 0])


def test_pairs_that_occur_twice_are_added_up_and_reported():
    table = Flows.from_pairs(PLACES, PLACES, *ROWS, unit="commuters", person="commuter")
    assert table.origin.tolist() == [0, 1]
    assert table.destination.tolist() == [1, 0]
    assert table.values.tolist() == [5, 4]
    assert (table.merged, table.total) == (1, 9)
    assert table.pair(0) == "Alba (a1) → Asti (a2)"


def test_ids_and_places_say_the_same():
    by_id = Flows.from_pairs(PLACES, PLACES, *ROWS)
    by_place = Flows.from_pairs(PLACES, PLACES, [0, 1, 0, 2], [1, 0, 1, 2], ROWS[2])
    for name in ("origin", "destination", "values"):
        assert getattr(by_id, name).tolist() == getattr(by_place, name).tolist()


def test_no_flows_at_all_are_a_table():
    table = Flows.from_pairs(PLACES, PLACES, [], [], [])
    assert len(table.pairs) == table.total == 0
    assert len(table.at(1)) == 0
    assert not by_region(table, quantity(table, "within")).any()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((["a1", "rome"], ["a2", "a1"], [1, 1]), 'origin "rome" of flow 2 is not a town'),
        ((["a1"], ["a"], [1]), 'destination "a" of flow 1 is not a town'),
        (
            ([0], [3], [1]),
            "destination of flow 1 is at position 3; .* town, has positions 0 to 2",
        ),
        (([-1], [0], [1]), "origin of flow 1 is at position -1"),
        (
            ([1.5], [0], [1]),
            "origin is a code as text, or a position as a whole number; these are of type float64",
        ),
        (([[0]], [0], [1]), "one code or one position"),
        (([0], [0], [-2]), "must not be negative; flow 1 has -2"),
        (([0, 1], [0, 1], [1, 2.5]), "whole numbers; flow 2 has 2.5"),
        (([0], [0], [float("nan")]), "finite numbers; flow 1 has nan"),
        (([0], [0], ["many"]), "must be numbers"),
        (([0], [0], [10**13]), "go up to 1,000,000,000,000"),
        (([0, 1], [0, 1], [10**12, 10**12]), "All flows together"),
        (([0, 1], [0], [1, 1]), "got 2 origins, 1 destination and 2 numbers"),
        (([0], [0], [[1]]), "one number"),
    ],
)
def test_flows_that_cannot_be_are_refused_by_name(rows, message):
    with pytest.raises(TableError, match=message):
        Flows.from_pairs(PLACES, PLACES, *rows)


def test_hierarchies_of_different_depth_are_refused():
    flat = Regions.from_parents({"de": None, "x": "de"}, levels=("land", "kreis"))
    with pytest.raises(TableError, match=r"the same number of levels; here they have 3 .* and 2 "):
        Flows.from_pairs(PLACES, flat, [0], [0], [1])


def test_pairs_are_sorted_and_stand_once():
    for origin, destination in (([1, 0], [0, 0]), ([0, 0], [1, 1])):
        with pytest.raises(TableError, match="unique and sorted"):
            Pairs(
                origin=np.array(origin), destination=np.array(destination), values=np.array([1, 2])
            )
    with pytest.raises(TableError, match="needs an origin"):
        Pairs(origin=np.array([0]), destination=np.array([0, 1]), values=np.array([1, 2]))


@given(table=flow_tables())
def test_levels_departures_and_arrivals_add_up(table):
    require_exact(table)
    for level in range(table.tree.n_levels):
        pairs = table.at(level)
        expected = Counter()
        for o, d, trips in zip(
            leaf_ancestors(table.origins.tree, level)[table.origin].tolist(),
            leaf_ancestors(table.destinations.tree, level)[table.destination].tolist(),
            table.values.tolist(),
            strict=True,
        ):
            expected[o, d] += trips
        found = zip(pairs.origin.tolist(), pairs.destination.tolist(), strict=True)
        assert dict(zip(found, pairs.values.tolist(), strict=True)) == expected
    for name in ("departures", "arrivals"):
        wanted = quantity(table, name)
        regions, numbers = quantity_regions(table, wanted), by_region(table, wanted)
        assert numbers[0] == table.total
        for level in range(regions.tree.n_levels - 1):
            sums = child_sums(regions.tree, numbers, level)
            assert (sums == numbers[regions.tree.level(level)]).all()


@given(table=flow_tables(same=True))
def test_what_stays_within_is_the_diagonal_of_every_level(table):
    within = by_region(table, quantity(table, "within"))
    for level in range(table.tree.n_levels):
        pairs = table.at(level)
        inside = pairs.origin == pairs.destination
        expected = np.zeros(table.tree.level_sizes[level], dtype=np.int64)
        expected[pairs.origin[inside]] = pairs.values[inside]
        assert within[table.tree.level(level)].tolist() == expected.tolist()


def test_two_hierarchies_have_no_within():
    other = regions_of(
        Hierarchy(parent=np.array([-1, 0, 1, 1]), level_start=np.array([0, 1, 2, 4]))
    )
    table = Flows.from_pairs(PLACES, other, [0], [1], [5])
    assert [q.id for q in table.quantities] == ["departures", "arrivals"]


def test_tree_levels_are_named_by_their_ends():
    table = Flows.from_pairs(PLACES, PLACES, *ROWS)
    assert FlowTree.of(table.domain).levels == (
        "all → all",
        "all → region",
        "region → region",
        "region → town",
        "town → town",
    )
    origin_first = FlowTree.of(table.domain, "origin")
    assert origin_first.levels[1::2] == ("region → all", "town → region")
    assert [origin_first.cells(k) for k in range(5)] == [1, 2, 4, 6, 9]
