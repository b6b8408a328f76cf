"""What every kind of table answers alike."""

import numpy as np
import pytest
from hypothesis import given
from support.strategies import counts_tables, flow_tables, group_size_tables

from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.hierarchy import Regions
from hierdp_core.tables import KINDS, Counts, Fact, Flows, GroupSizes, Table

ANY_TABLE = counts_tables() | group_size_tables() | flow_tables()
REGIONS = Regions.from_parents(
    {"n": None, "a": "n", "b": "n", "a1": "a", "a2": "a", "b1": "b"},
    levels=("nation", "state", "county"),
    names={"n": "Nation", "a1": "Alba", "a2": "Asti", "b1": "Bari"},
)
COUNTS = Counts.from_leaves(REGIONS, [1, 2, 3], unit="jobs", person="worker")
GROUPS = GroupSizes.from_leaves(
    REGIONS, [[0, 1, 2], [3, 0, 0], [1, 1, 1]], group="units", occupied="homes", top_coded=True
)
FLOWS = Flows.from_pairs(REGIONS, REGIONS, [0, 0, 2], [1, 2, 0], [5, 1, 2], unit="rides")
TABLES = (COUNTS, GROUPS, FLOWS)

every_kind = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.kind)


def test_each_kind_is_named_once() -> None:
    assert list(KINDS) == ["counts", "group-sizes", "flows"]
    assert [kind.kind_words for kind in KINDS.values()] == ["counts", "group sizes", "flows"]
    assert [type(table) for table in TABLES] == list(KINDS.values())


@every_kind
def test_a_kind_states_what_its_tables_are(table: Table) -> None:
    assert table.has_groups == bool(table.sizes) == (table.domain.group is not None)
    assert table.between_regions == table.domain.between_regions
    assert len(table.domain.hierarchies) == 1 + table.between_regions


@every_kind
def test_all_records_together(table: Table) -> None:
    assert table.total == {"counts": 6, "group-sizes": 8, "flows": 8}[table.kind]
    public = table.domain_with_total.total
    assert public == (None if table.has_groups else table.total)
    assert (table.domain_by_region.region_groups is not None) == table.has_groups


@every_kind
def test_a_quantity_can_be_requested_by_its_id(table: Table) -> None:
    for quantity in table.quantities:
        numbers = table.by_region(quantity)
        assert numbers.tolist() == table.by_region(quantity.id).tolist()
        assert len(numbers) == table.regions_of(quantity).tree.n_nodes
    with pytest.raises(ChoiceError, match='has no quantity "rooms"'):
        table.by_region("rooms")


def test_a_number_has_a_title() -> None:
    assert COUNTS.cell_title(3) == "jobs in Alba"
    assert GROUPS.cell_title(5, 2) == "homes of 2 or more people in Bari"
    assert FLOWS.cell_title(0, 2) == "rides from Alba to Bari"
    assert COUNTS.column_title(0) == "jobs"
    assert GROUPS.column_title(1) == "homes of 1 person"
    assert FLOWS.column_title(0) == "rides in flows from the area"


@given(table=ANY_TABLE)
def test_upper_levels_are_an_exact_table(table: Table) -> None:
    for n_levels in range(1, table.tree.n_levels + 1):
        upper = table.upper_levels(n_levels)
        upper.require_exact()
        assert upper.regions.levels == table.regions.levels[:n_levels]
        assert upper.total == table.total
        # Places that differ below may agree above, where more can then be asked.
        for quantity in set(upper.quantities) & set(table.quantities):
            above = table.by_region(quantity)[: len(upper.by_region(quantity))]
            assert upper.by_region(quantity).tolist() == above.tolist()


@every_kind
def test_a_table_is_built_again_from_its_arrays(table: Table) -> None:
    again = KINDS[table.kind].from_leaf_arrays(
        table.regions, table.leaf_arrays(), taken_from_data=[Fact.LEVELS], **table.labels
    )
    assert again.labels == table.labels
    assert again.taken_from_data == (Fact.LEVELS,)
    assert again.values.tolist() == table.values.tolist()


def test_changes_of_the_leaves_leave_out_what_no_table_has() -> None:
    more = Counts.from_leaves(REGIONS, [1, 5, 0])
    assert COUNTS.leaf_changes(more).tolist() == [0, 3, -3]
    other = Flows.from_pairs(REGIONS, REGIONS, [0, 1, 2], [1, 1, 0], [5, 7, 1])
    assert sorted(FLOWS.leaf_changes(other).tolist()) == [-1, -1, 0, 7]
    assert GROUPS.leaf_changes(GROUPS).shape == (3, 3)


@every_kind
def test_tables_get_as_many_columns_as_the_wider_one(table: Table) -> None:
    assert table.same_columns(table) == (table, table)


def test_sizes_that_only_one_table_has_are_0_in_the_other() -> None:
    wide = GroupSizes.from_leaves(REGIONS, [[0, 0, 0, 0, 1, 0]] * 3)
    one, other = GROUPS.same_columns(wide)
    assert one.sizes == other.sizes == range(5)
    assert not one.values[:, 3:].any()
    assert other.values[:, 4].tolist() == wide.values[:, 4].tolist()


@every_kind
def test_names_and_facts_can_be_replaced(table: Table) -> None:
    named = REGIONS.__class__(
        tree=REGIONS.tree,
        levels=REGIONS.levels,
        ids=REGIONS.ids,
        names=tuple(name.upper() for name in REGIONS.names),
        padded=REGIONS.padded,
    )
    assert all(r is named for r in table.with_regions(named).domain.hierarchies)
    known = table.with_facts([Fact.MAX_SIZE, Fact.REGIONS], empty_groups=False)
    assert known.taken_from_data == (Fact.REGIONS, Fact.MAX_SIZE)
    assert known.domain.empty_groups == (not table.has_groups)
    assert table.with_facts([]).domain.empty_groups


@every_kind
def test_fractions_are_not_exact(table: Table) -> None:
    halves = table.blank().with_values(table.content)
    halves.require_exact()
    arrays = {"values": np.full(halves.values.shape, 0.5)}
    content = arrays["values"]
    if table.between_regions:
        pairs = table.content
        content = type(pairs)(
            origin=pairs.origin, destination=pairs.destination, values=arrays["values"]
        )
    with pytest.raises(TableError, match="may have fractions"):
        table.with_values(content).require_exact()
