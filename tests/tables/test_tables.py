from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from support.strategies import counts_tables, group_size_tables, regions_of

from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.tables import (
    LARGEST_TOTAL,
    Counts,
    Flows,
    GroupSizes,
    by_region,
    quantity,
    require_exact,
)

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
REGIONS = regions_of(TREE)


@given(table=counts_tables() | group_size_tables())
def test_what_comes_in_by_the_leaves_is_exact(table):
    require_exact(table)
    assert table.values.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 1


@pytest.mark.parametrize(
    ("leaves", "message"),
    [
        ([1, 2, 3], "One row for each region is needed, 2 in all; got 3"),
        (5, "One row for each region is needed, 2 in all; got 0"),
        ([1, -2], r"not be negative; region r2 \(r2\) has -2"),
        ([1, 2.5], r"must be whole numbers; region r2 \(r2\) has 2.5"),
        ([float("nan"), 2], r"finite numbers; region r1 \(r1\) has nan"),
        ([float("inf"), 2], "finite numbers"),
        ([1e15, 2], r"go up to 1,000,000,000,000; region r1 \(r1\) has 1000000000000000"),
        ([2**63, 2], "go up to"),
        ([2**70, 2], "go up to"),
        ([LARGEST_TOTAL, LARGEST_TOTAL], "All counts together"),
        (["a", "b"], "must be numbers; these are of type"),
        ([True, False], "must be numbers"),
        ([[1], [2]], "one number per area"),
    ],
)
def test_counts_that_cannot_be_are_refused_by_name(leaves, message):
    with pytest.raises(TableError, match=message):
        Counts.from_leaves(REGIONS, leaves)


def test_group_sizes_that_cannot_be_are_refused():
    with pytest.raises(TableError, match="row per area and one column per size; got 1 dimension"):
        GroupSizes.from_leaves(REGIONS, [1, 2])
    with pytest.raises(TableError, match="a column for each size"):
        GroupSizes.from_leaves(REGIONS, [[1], [2]])
    with pytest.raises(TableError, match=r"not be negative; region r1 \(r1\) has -1 at size 1"):
        GroupSizes.from_leaves(REGIONS, [[1, -1], [2, 0]])


def test_a_table_needs_numbers_of_its_shape():
    for values, message in [
        (np.zeros(2), "shape"),
        (np.array([1.0, np.nan, 2.0]), "finite"),
        (np.array(["a", "b", "c"]), "holds numbers"),
    ]:
        with pytest.raises(TableError, match=message):
            Counts(regions=REGIONS, values=values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([3.0, 1.0, 2.0], "must be whole"),
        ([1, -1, 2], r"not be negative; region r1 \(r1\) has -1"),
        ([-6, -1, -5], r"not be negative; nation r0 \(r0\) has -6"),
        ([1, -1, -5], r"not be negative; region r1 \(r1\) has -1"),
        (
            [4, 1, 2],
            r"sum of the counts of its sub-areas; nation r0 \(r0\) has 4, and the sum is 3",
        ),
    ],
)
def test_a_released_table_is_not_taken_for_an_exact_one(values, message):
    with pytest.raises(TableError, match=message):
        require_exact(Counts(regions=REGIONS, values=np.array(values)))


@given(table=group_size_tables())
def test_quantities_are_what_they_are_called(table):
    values = table.values
    asked = {q.id: by_region(table, q) for q in table.quantities}
    assert (asked["groups"] == values.sum(axis=1)).all()
    assert (asked["occupied"] == values.sum(axis=1) - values[:, 0]).all()
    assert (asked["members"] == sum(s * values[:, s] for s in range(table.n_sizes))).all()
    assert (asked["size-1"] == values[:, 1]).all()


def test_sizes_have_names_people_say():
    table = GroupSizes.from_leaves(
        REGIONS,
        [[1, 2, 3], [0, 0, 1]],
        group="housing units",
        occupied="households",
        top_coded=True,
    )
    assert [table.size_title(s) for s in range(3)] == [
        "empty housing units",
        "households of 1 person",
        "households of 2 or more people",
    ]
    assert table.domain.groups == 7
    with pytest.raises(ChoiceError, match=r'has no quantity "rooms".*occupied'):
        quantity(table, "rooms")


def test_every_size_can_be_requested_though_not_every_one_is_listed():
    sizes = np.zeros((2, 400), dtype=int)
    sizes[:, 333] = 7
    table = GroupSizes.from_leaves(REGIONS, sizes)
    assert len(table.quantities) < 30
    assert by_region(table, quantity(table, "size-333")).tolist() == [14, 7, 7]
    for id in ("size-400", "size--1", "size-"):
        with pytest.raises(ChoiceError, match="has no quantity"):
            quantity(table, id)


def tables_of_all_kinds():
    flows = Flows.from_pairs(
        REGIONS, REGIONS, [0, 0, 1], [1, 1, 0], [2, 3, 4], unit="rides", person="rider"
    )
    sizes = GroupSizes.from_leaves(
        REGIONS, [[1, 2, 3], [0, 0, 1]], group="units", person="member", top_coded=True
    )
    return [Counts.from_leaves(REGIONS, [1, 2], unit="jobs", person="worker"), sizes, flows]


@pytest.mark.parametrize("table", tables_of_all_kinds(), ids=lambda table: table.kind)
def test_a_blank_table_has_the_titles_and_nothing_from_the_records(table):
    blank = table.blank()
    derived = {"counts": {"values"}, "group-sizes": {"values"}, "flows": {"pairs", "merged"}}
    for field in fields(table):
        same = getattr(blank, field.name) is getattr(table, field.name)
        assert same == (field.name not in derived[table.kind]), field.name
    assert not blank.values.any()
    assert type(blank.with_values(table.content)) is type(table)


def test_a_blank_table_does_not_tell_the_largest_size_or_the_rows_of_a_file():
    sizes, more = (
        GroupSizes.from_leaves(REGIONS, np.ones((2, n), dtype=int)).blank() for n in (2, 9)
    )
    assert sizes.values.shape == more.values.shape
    flows = tables_of_all_kinds()[2]
    assert flows.merged == 1
    assert flows.blank().merged == 0
    assert len(flows.blank().pairs) == 0


@pytest.mark.parametrize("size", [-1, 3])
def test_a_size_without_a_column_is_no_quantity(size):
    table = GroupSizes.from_leaves(REGIONS, [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(ChoiceError, match=f"go from 0 to 2; got {size}"):
        table.of_size(size)
