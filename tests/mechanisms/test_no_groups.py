"""Regions without groups, and tables without any, in everything that takes group sizes."""

import numpy as np
import pytest
from support.simulations import simulated
from support.strategies import regions_of

from hierdp_core import figures, mechanisms
from hierdp_core.evaluation.errors import by_region_errors, errors
from hierdp_core.evaluation.repeated import simulate_many
from hierdp_core.explain import group_sizes
from hierdp_core.figures.program import group_matching, size_distribution
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.simulation import plan, simulate
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.matching import match_top_down
from hierdp_core.solvers.median import median_isotonic_rows
from hierdp_core.solvers.pooling import pool_stream
from hierdp_core.solvers.runs import runs_of
from hierdp_core.tables import GroupSizes

TREE = Hierarchy(parent=np.array([-1, 0, 0, 1, 1, 2]), level_start=np.array([0, 1, 3, 6]))
TABLES = {
    "no groups": np.zeros((3, 4), dtype=int),
    "one region without": np.array([[1, 2, 0, 1], [0, 0, 0, 0], [0, 3, 0, 0]]),
    "one parent without": np.array([[0, 0, 0, 0], [0, 0, 0, 0], [2, 3, 0, 1]]),
    "only empty groups": np.array([[2, 0, 0, 0], [0, 0, 0, 0], [3, 0, 0, 0]]),
}
OPTIONS = {
    "coc": [
        {"methods": methods, "isotonic": isotonic, "totals": totals, "cap": cap, "cap-epsilon": "1"}
        for methods in ("hc", "hg", "naive")
        for isotonic in ("l1", "l2")
        for totals in ("public", "private")
        for cap in ("public", "2", "noisy")
    ],
    "coc-opt": [
        {"root": root, "fit": fit, "totals": totals, "cap": cap, "cap-epsilon": "1"}
        for root in ("first", "joint")
        for fit in ("both", "noisy")
        for totals in ("public", "private")
        for cap in ("public", "2", "noisy")
    ],
    "pgsr-c-opt": [
        {"root": root, "fit": fit, "whole": whole}
        for root in ("first", "joint")
        for fit in ("both", "l1", "noisy")
        for whole in ("columns", "sizes")
    ],
}
CASES = [(id, o) for id in mechanisms.names("group-sizes") for o in OPTIONS.get(id, [{}])]


def table_of(name):
    return GroupSizes.from_leaves(regions_of(TREE), TABLES[name])


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    ("id", "options"), CASES, ids=[f"{id} {' '.join(o.values())}" for id, o in CASES]
)
def test_mechanisms_and_errors_take_them(name, id, options):
    table = table_of(name)
    made = plan(table, id, epsilon=2, options=options)
    for seed in (0, 1):
        done = simulate(table, made, seed=seed)
        mechanism = MECHANISMS[id]
        assert done.checks.consistent or not mechanism.consistent
        assert done.checks.valid or not mechanism.valid
        if options.get("totals") != "private" and id.startswith("coc"):
            none = table.values.sum(axis=1) == 0
            assert not done.table.values[none].any()
        frame = errors(table, done)
        assert np.isfinite(frame[["l1", "mean_abs", "max_abs", "emd"]].to_numpy()).all()
        assert len(by_region_errors(table, done, "occupied")) == TREE.n_nodes
    assert len(simulate_many(table, [made], n_simulations=2, workers=1)) == 2 * TREE.n_levels


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("totals", ["public", "private"])
def test_steps_and_figures_take_them(name, totals):
    table = table_of(name)
    done = simulated(table, "coc", epsilon=1, options={"totals": totals})
    assert len(group_sizes.consistency(table, done)) == TREE.n_levels
    for parent in (0, 1, 2):
        found = group_sizes.matching(done, parent)
        children = group_sizes.largest_children(done, parent)
        pairs = group_sizes.size_pairs(found, children, most_sizes=group_matching.MOST_SIZES)
        axes = group_matching.axes(pairs, children[:2])
        for node, sizes in zip(children[:2], axes, strict=True):
            rows = pairs[pairs["child"] == node]
            most = group_matching.most_groups(pairs)
            group_matching.picture(
                rows, sizes, above="a", below="b", group="groups", most=most
            ).to_json()
            assert group_matching.alt(rows, above="a", below="b", group="groups")
    for node in range(TREE.n_nodes):
        noisy = group_sizes.noisy_cumulative(done, node)
        row, out = table.values[node], done.table.values[node]
        curves = figures.program.running_sums.curves(row, out, noisy)
        figures.program.running_sums.picture(curves, group="groups").to_json()
        assert figures.program.running_sums.alt(curves, region="here", group="groups")
        sizes = size_distribution.size_table(row, out)
        size_distribution.size_histogram(sizes, group="groups").to_json()
        assert "nan" not in size_distribution.alt(sizes, region="here", group="groups")


def test_solvers_accept_empty_rows():
    nothing = np.zeros((2, 3), dtype=np.int64)
    assert not median_isotonic_rows(nothing + 5, np.zeros(2, dtype=np.int64)).any()
    assert not isotonic_rows(nothing.astype(float)).any()
    assert len(pool_stream([]).mean) == 0
    empty = runs_of(nothing, np.ones((2, 3)))
    assert empty.start.tolist() == [0, 0, 0]
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    root = runs_of(nothing[:1], np.ones((1, 3)))
    assert not match_top_down(tree, [root, empty], n_sizes=3).any()


@pytest.mark.parametrize("root", ["auto", "joint", "first"])
def test_large_noise_does_not_change_the_public_number_of_groups(root):
    """The solver meets it up to a hundredth of the noise, which is many groups here."""
    parents = {"all": None, "a": "all", "b": "all", "c": "all"}
    regions = Regions.from_parents(parents, levels=("nation", "state"))
    leaves = [[0, 500, 20_000, 7], [0, 1_000, 1, 0], [0, 5, 5, 90_000]]
    table = GroupSizes.from_leaves(regions, leaves)
    planned = plan(table, f"pgsr-c-opt: root={root}", epsilon=1e-4)
    for seed in range(20):
        simulation = simulate(table, planned, seed=seed)
        assert simulation.table.values[0].sum() == table.values[0].sum()
        assert simulation.checks.keeps_invariants
