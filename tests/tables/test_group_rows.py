"""Tables from single groups: one row a group."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import hierarchies, regions_of

from hierdp_core import Regions
from hierdp_core.exceptions import TableError
from hierdp_core.tables import GroupSizes

PLACES = {"land": None, "north": "land", "south": "land"}
REGIONS = Regions.from_parents(PLACES, levels=["country", "province"])


@given(tree=hierarchies(max_nodes=12), data=st.data(), cap=st.none() | st.integers(1, 6))
def test_every_group_is_counted_where_it_is(tree, data, cap):
    place = st.integers(0, tree.n_leaves - 1)
    rows = data.draw(st.lists(st.tuples(place, st.integers(0, 8)), max_size=30))
    where, sizes = [r[0] for r in rows], [r[1] for r in rows]
    regions = regions_of(tree)
    table, above = GroupSizes.from_groups(regions, where, sizes, max_size=cap)
    largest = max([1, *sizes]) if cap is None else cap
    wanted = np.zeros((tree.n_leaves, largest + 1), dtype=int)
    for leaf, size in rows:
        wanted[leaf, min(size, largest)] += 1
    assert (table.values[tree.leaves] == wanted).all()
    assert above == sum(size > largest for size in sizes)
    assert table.top_coded == (cap is not None)
    codes = [regions.ids[tree.leaves.start + leaf] for leaf in where]
    by_code, _ = GroupSizes.from_groups(regions, codes, np.array(sizes, dtype=float), max_size=cap)
    assert (by_code.values == table.values).all()


def test_groups_that_a_cap_makes_smaller_are_reported():
    table, above = GroupSizes.from_groups(
        REGIONS, ["north", "south", "south"], [2, 7, 9], max_size=5, people="guests"
    )
    assert above == 2
    assert table.values[0].tolist() == [0, 0, 1, 0, 0, 2]
    assert table.people == "guests"


@pytest.mark.parametrize(
    ("ids", "places", "message"),
    [
        (["a", "b", "a"], ["north", "north", "south"], '"a" is in .*north.* and .*south'),
        ([7, 8, 8], ["north", "south", "south"], r'"8" is in .*south.* twice.* row 2 or row 3'),
        (["a"], ["north", "south", "south"], "Each group needs a code; got 1 code for 3 groups"),
    ],
)
def test_a_group_stands_in_one_leaf_once(ids, places, message):
    with pytest.raises(TableError, match=message):
        GroupSizes.from_groups(REGIONS, places, [1, 2, 3], group_ids=ids)


@pytest.mark.parametrize(
    ("places", "sizes", "cap", "message"),
    [
        (["north", "east"], [1, 1], None, 'No province has the code "east"; group 2 has it'),
        ([0, 2], [1, 1], None, "position, from 0 to 1; group 2 has 2"),
        ([-1], [1], None, "group 1 has -1"),
        ([0, 1], [1, -2], None, "whole number from 0 .* group 2 has -2"),
        ([0], [1.5], None, "group 1 has 1.5"),
        ([0], [float("nan")], None, "group 1 has nan"),
        ([0], ["two"], None, "must be numbers"),
        ([0, 1], [1], None, "got 2 areas and 1 size"),
        ([0], [1], 0, "maximum group size, max_size, is a whole number, at least 1; got 0"),
        ([0], [1], True, "at least 1; got True"),
        ([0], [10**9], None, "Set a smaller maximum size with `max_size`"),
    ],
)
def test_rows_that_cannot_be_used_are_refused_with_their_place(places, sizes, cap, message):
    with pytest.raises(TableError, match=message):
        GroupSizes.from_groups(REGIONS, places, sizes, max_size=cap)


def test_the_earlier_name_of_the_maximum_size_still_works() -> None:
    where, sizes = ["north", "south", "south"], [2, 7, 9]
    old: dict[str, Any] = {"cap": 5}
    with pytest.warns(DeprecationWarning, match=r"now from_groups\(max_size=…\)"):
        earlier, above = GroupSizes.from_groups(REGIONS, where, sizes, **old)
    table, _ = GroupSizes.from_groups(REGIONS, where, sizes, max_size=5)
    assert (earlier.values == table.values).all()
    assert (earlier.top_coded, above) == (True, 2)
