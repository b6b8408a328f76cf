import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import regions_of

from hierdp_core.evaluation.errors import by_region_errors, earth_movers_distance, errors
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.simulation import check, plan, simulate
from hierdp_core.tables import Counts, GroupSizes

TREE = Hierarchy(parent=np.array([-1, 0, 0, 0]), level_start=np.array([0, 1, 4]))


def released_as(table, values):
    """A release of `table` whose values are the given ones."""
    values = np.array(values)
    made = simulate(
        table, plan(table, "tree-dp" if table.kind == "counts" else "pgsr-h-dp", epsilon=1)
    )
    return dataclasses.replace(
        made, table=table.with_values(values), checks=check(table.domain, values)
    )


def test_every_error_is_what_it_is_called():
    table = Counts.from_leaves(regions_of(TREE), [100, 0, 40])
    frame = errors(table, released_as(table, [150, 104, 6, 0]), tolerance=0.05)
    leaves = frame.iloc[1]
    assert (leaves["level"], leaves["regions"], leaves["cells"]) == ("region", 3, 3)
    assert leaves["l1"] == 4 + 6 + 40
    assert leaves["l2"] == pytest.approx(np.sqrt(16 + 36 + 1600))
    assert leaves["mean_abs"] == pytest.approx(50 / 3)
    assert (leaves["median_abs"], leaves["max_abs"]) == (6, 40)
    assert leaves["bias"] == pytest.approx((4 + 6 - 40) / 3)
    assert leaves["mean_rel"] == pytest.approx((0.04 + 1) / 2)
    assert leaves["without_rel"] == 1
    assert leaves["within_tolerance"] == pytest.approx(1 / 3)
    assert leaves["fdr"] == pytest.approx(1 / 2)
    assert leaves["fnr"] == pytest.approx(1 / 2)
    assert frame["violations"].tolist() == [1, 0]
    assert frame.iloc[0]["l1"] == 10
    assert "emd" not in frame


def test_a_level_without_any_positive_true_count_has_no_relative_error():
    table = Counts.from_leaves(regions_of(TREE), [0, 0, 0])
    frame = errors(table, released_as(table, [0, 0, 0, 0]))
    assert frame["median_rel"].isna().all()
    assert frame["without_rel"].tolist() == [1, 3]
    assert frame["fdr"].tolist() == [0, 0]


def test_group_sizes_can_be_requested_one_number_per_region():
    table = GroupSizes.from_leaves(regions_of(TREE), [[1, 2, 0], [0, 5, 1], [3, 0, 0]])
    values = [[5, 6, 1], [2, 1, 0], [0, 5, 1], [3, 0, 0]]
    released = released_as(table, values)
    whole = errors(table, released)
    assert whole["cells"].tolist() == [3, 9]
    assert whole["l1"].tolist() == [2, 2]
    assert whole["emd"].tolist() == [1.0, pytest.approx(1 / 3)]
    occupied = errors(table, released, quantity="occupied")
    assert occupied["cells"].tolist() == [1, 3]
    assert occupied["l1"].tolist() == [1, 1]
    assert "emd" not in occupied


# The golden distances.
@pytest.mark.parametrize(("size", "distance"), [(2, 100), (5, 400)])
def test_earth_movers_distance_has_its_golden_values(size, distance):
    ones = np.array([[0, 100, 0, 0, 0, 0]])
    moved = np.zeros((1, 6), dtype=int)
    moved[0, size] = 100
    assert earth_movers_distance(ones, moved).tolist() == [distance]


def test_errors_by_region_stand_beside_the_true_counts():
    table = Counts.from_leaves(regions_of(TREE), [100, 0, 40])
    frame = by_region_errors(table, released_as(table, [150, 104, 6, 40]), "count")
    assert frame["parent"].tolist() == ["", "r0", "r0", "r0"]
    assert frame["error"].tolist() == [10, 4, 6, 0]
    assert frame["rel_error"].tolist()[1] == 0.04
    assert np.isnan(frame["rel_error"].tolist()[2])


def test_copies_that_pad_a_ragged_tree_are_not_counted():
    regions = Regions.from_parents(
        {"US": None, "GA": "US", "DC": "US", "a": "GA", "b": "GA"},
        levels=("nation", "state", "county"),
    )
    table = Counts.from_leaves(regions, [1, 2, 3])
    frame = errors(table, released_as(table, [6, 3, 3, 1, 2, 99]))
    assert frame["regions"].tolist() == [1, 2, 2]
    assert frame["l1"].tolist() == [0, 0, 0]


def test_a_release_of_another_table_is_refused():
    table = Counts.from_leaves(regions_of(TREE), [1, 2, 3])
    other = Hierarchy(parent=np.array([-1, 0]), level_start=np.array([0, 1, 2]))
    small = Counts.from_leaves(regions_of(other), [1])
    with pytest.raises(ChoiceError, match="simulation is of another table"):
        errors(table, released_as(small, [1, 1]))
    with pytest.raises(ChoiceError, match='has no quantity "rooms"'):
        errors(table, released_as(table, [6, 1, 2, 3]), quantity="rooms")


@given(
    true=st.lists(st.integers(0, 9), min_size=2, max_size=6),
    size=st.integers(0, 5),
    more=st.integers(0, 9),
)
def test_a_group_too_many_counts_by_its_size_whatever_the_number_of_columns(true, size, more):
    row = np.array([true + [0] * (6 - len(true))])
    other = row.copy()
    other[0, size] += more
    wide = np.pad(other, ((0, 0), (0, 50)))
    assert earth_movers_distance(row, other)[0] == size * more
    assert earth_movers_distance(row, wide)[0] == size * more
