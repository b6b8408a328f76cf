"""Tables that do not count empty groups: no released group has size 0, and totals gain from it."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import hierdp_core as hdp
from hierdp_core import mechanisms
from hierdp_core.exceptions import TableError
from hierdp_core.mechanisms.level_answers import groups_of
from hierdp_core.mechanisms.private_totals import consistent_totals, totals_event_of
from hierdp_core.noise import SeededNoise, variance
from hierdp_core.planning import synthetic_table
from hierdp_core.releases.margins import margins
from hierdp_core.scale import PartitionedTable, simulate_parts
from hierdp_core.scale.simulating import digest_in_memory
from hierdp_core.tables import Fact, GroupSizes

REGIONS = hdp.Regions.from_parents(
    {"all": None, "N": "all", "S": "all", "N1": "N", "N2": "N", "S1": "S", "S2": "S"},
    levels=("total", "state", "county"),
)
CELLS = np.array([[0, 40, 30, 5, 1], [0, 0, 0, 0, 0], [0, 8, 2, 0, 9], [0, 1, 0, 0, 0]])
OPTIONS = {
    "coc": [
        f"methods={methods}; isotonic={isotonic}; totals={totals}; cap={cap}; cap-epsilon=0.1"
        for methods, isotonic, totals, cap in product(
            ("hc", "hg", "naive", "hc,hg,naive"),
            ("l1", "l2"),
            ("public", "private"),
            ("public", "1", "noisy"),
        )
    ],
    "coc-opt": [
        f"root={root}; totals={totals}; cap={cap}; cap-epsilon=0.1"
        for root, totals, cap in product(
            ("first", "joint"), ("public", "private"), ("public", "1", "noisy")
        )
    ],
    "coc-naive": ["totals=public", "totals=private"],
    "coc-bottom-up": ["totals=public", "totals=private", "methods=hg; totals=private"],
    "pgsr-c-opt": ["whole=columns", "whole=sizes", "root=joint"],
}
CASES = [(id, o) for id in mechanisms.names("group-sizes") for o in OPTIONS.get(id, [""])]
PARTS = ("topdown-2018", "pgsr-h-dp", "pgsr-c-dp", "pgsr-c-opt", "blue-topdown-sizes", "coc")
PRIVATE = ("coc: totals=private", "coc-opt: totals=private")


def table_of(cells: np.ndarray = CELLS, *, empty_groups: bool = False) -> GroupSizes:
    return GroupSizes.from_leaves(REGIONS, cells, group="households", empty_groups=empty_groups)


def written(id: str, options: str) -> str:
    return f"{id}: {options}" if options else id


@pytest.mark.parametrize(("id", "options"), CASES)
@pytest.mark.parametrize("cells", [CELLS, CELLS[:, :2], 0 * CELLS], ids=["usual", "1", "none"])
def test_no_group_has_size_0(cells, id, options):
    table = table_of(cells)
    plan = hdp.plan(table, written(id, options), epsilon=0.5)
    for seed in range(3):
        done = hdp.simulate(table, plan, seed=seed)
        assert not done.table.values[:, 0].any()
        if plan.mechanism.consistent:
            assert done.checks.keeps_invariants in (True, None)
            assert done.checks.valid
            assert done.checks.consistent


@pytest.mark.parametrize("id", [id for id in mechanisms.names("group-sizes") if "coc" not in id])
def test_the_measurement_of_size_0_is_not_used(id):
    plan = hdp.plan(table_of(), id, epsilon=0.5)
    noisy = plan.mechanism.measure(table_of().content, plan, SeededNoise(0))
    other = noisy.copy()
    other[:, 0] += 1000
    values = [plan.mechanism.estimate(each.copy(), plan) for each in (noisy, other)]
    assert np.array_equal(*values)


@pytest.mark.parametrize("mechanism", ["pgsr-c-opt", "coc-opt", *PRIVATE])
def test_the_plan_states_whether_empty_groups_are_counted(mechanism):
    fact = "that empty groups are not counted"
    assert fact in hdp.plan(table_of(), mechanism, epsilon=1).privacy.invariants
    taken = hdp.plan(table_of().with_facts([Fact.EMPTY_GROUPS]), mechanism, epsilon=1)
    assert f"{fact} (taken from the data)" in taken.privacy.invariants
    counted = hdp.plan(table_of(empty_groups=True), mechanism, epsilon=1)
    assert "that empty groups are counted" in counted.privacy.invariants


@pytest.mark.parametrize("mechanism", PRIVATE)
def test_what_is_measured_does_not_depend_on_whether_empty_groups_are_counted(mechanism):
    """So the sensitivities that are proved for tables with empty groups hold without them."""
    plans = [hdp.plan(table_of(empty_groups=e), mechanism, epsilon=1) for e in (True, False)]
    assert plans[0].events == plans[1].events
    counted, not_counted = (
        p.mechanism.measure(table_of().content, p, SeededNoise(0)) for p in plans
    )
    assert np.array_equal(counted.totals, not_counted.totals)
    for one, other in zip(counted.levels, not_counted.levels, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("mechanism", PRIVATE)
def test_no_statement_covers_an_empty_group_that_cannot_exist(mechanism):
    one, other = (
        hdp.plan(table_of(empty_groups=e), mechanism, epsilon=1).privacy.sentence
        for e in (True, False)
    )
    assert "or one empty group" in one
    assert "with or without a group of their own." in other


def test_totals_are_the_best_mean_of_both_measurements():
    plan = hdp.plan(table_of(), "coc-opt: totals=private", epsilon=1)
    noisy = plan.mechanism.measure(table_of().content, plan, SeededNoise(1))
    event, own = totals_event_of(plan)[0], plan.variances[0]
    part = variance(event) / (variance(event) + own)
    one_level = replace(noisy, totals=noisy.totals.copy())
    mean = (1 - part) * noisy.totals[0] + part * noisy.levels[0][0, 0]
    assert abs(groups_of(noisy, plan)[0] - mean) < 20
    assert not np.array_equal(groups_of(one_level, plan), consistent_totals(one_level.totals, plan))


def test_totals_gain_from_the_measurement_of_the_sizes():
    table = table_of(CELLS * 100)
    apart = table_of(CELLS * 100, empty_groups=True)
    errors = []
    for each in (table, apart):
        plan = hdp.plan(each, "coc-opt: totals=private", epsilon=1)
        found = [
            np.abs(hdp.simulate(each, plan, seed=s).table.values.sum(axis=1) - each.values.sum(1))
            for s in range(40)
        ]
        errors.append(np.mean(found))
    assert errors[0] < errors[1] / 3


def test_size_0_has_margin_0():
    table = table_of()
    plan = hdp.plan(table, "coc-opt: totals=private", epsilon=1)
    found = margins(hdp.simulate(table, plan, seed=0).table, plan, seed=1, n_simulations=10)
    assert not found.values[:, 0].any()
    assert (found.values[:, 1] > 0).all()


@pytest.mark.parametrize("id", PARTS)
def test_tables_in_parts_give_the_same_numbers(id, tmp_path):
    table = table_of()
    parts = PartitionedTable.of(table, tmp_path / "table", cut="state")
    plan = hdp.plan(table, id, epsilon=1)
    whole = hdp.simulate(table, plan, seed=7, index=2)
    found = simulate_parts(parts, id, tmp_path / "out", budget=hdp.Budget.pure(1), seed=7, index=2)
    assert not whole.table.values[:, 0].any()
    assert found.digest() == digest_in_memory(whole.table.values, table.tree.level_sizes)


@pytest.mark.parametrize("empty_groups", [True, False])
def test_synthetic_tables_have_empty_groups_only_where_they_are_counted(empty_groups):
    made = synthetic_table(table_of(empty_groups=empty_groups).domain, total=1000)
    assert bool(made.values[0, 0]) == empty_groups
    assert made.values[0].sum() == 1000


def test_a_list_of_sizes_has_those_that_can_occur():
    ids = [q.id for q in table_of().quantities]
    assert "size-0" not in ids
    assert "size-1" in ids
    assert "size-0" in [q.id for q in table_of(empty_groups=True).quantities]


def test_a_table_with_empty_groups_counts_them():
    with pytest.raises(TableError, match="3 groups of size 0, but empty groups are not counted"):
        table_of(CELLS + np.array([[3, 0, 0, 0, 0]] + [[0] * 5] * 3))
