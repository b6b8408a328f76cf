"""The smaller solvers: cumulative sums, chain, top-down, relaxed and cumulative programs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import hierarchies

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, child_sums, sum_up
from hierdp_core.solvers.chain import fit_chain, last_leaves, running_sums
from hierdp_core.solvers.cumulative_program import solve_cumulative_program
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.top_down import split_top_down
from hierdp_core.solvers.tree_program import solve_relaxed_tree_program, solve_tree_program


@st.composite
def noisy_tables(draw):
    tree = draw(hierarchies(max_levels=4, max_nodes=14))
    n_sizes = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    leaves = rng.integers(0, 6, (tree.n_leaves, n_sizes))
    true = sum_up(tree, leaves)
    spread = draw(st.sampled_from([0, 2, 9]))
    return tree, true, rng.integers(-spread, spread + 1, true.shape)


def check_consistent(tree, values):
    for level in range(tree.n_levels - 1):
        np.testing.assert_allclose(
            child_sums(tree, values, level), values[tree.level(level)], atol=1e-6
        )


@given(table=noisy_tables())
def test_running_sums_go_size_by_size_and_region_by_region(table):
    tree, true, _ = table
    sums = running_sums(tree, true)
    for level in range(tree.n_levels):
        nodes = range(tree.n_nodes)[tree.level(level)]
        total = 0
        for size in range(true.shape[1]):
            for node in nodes:
                total += true[node, size]
                assert sums[node, size] == total


@given(tree=hierarchies())
def test_the_last_leaf_under_a_node_is_its_last_childs(tree):
    last = last_leaves(tree)
    for node in range(tree.leaves.start):
        below = range(tree.n_nodes)[tree.children(node)]
        assert last[node] == last[below[-1]] == max(last[child] for child in below)


@given(table=noisy_tables())
def test_the_chain_without_noise_gives_the_true_counts_back(table):
    tree, true, _ = table
    levels = tree.n_levels
    fitted = fit_chain(tree, running_sums(tree, true), [1.0] * levels, total=int(true[0].sum()))
    assert (fitted == true).all()


@given(table=noisy_tables())
def test_the_chain_is_consistent_whole_and_ends_at_the_total(table):
    tree, true, noise = table
    total = int(true[0].sum())
    variances = [2.0 + level for level in range(tree.n_levels)]
    fitted = fit_chain(tree, running_sums(tree, true) + noise, variances, total=total)
    assert fitted.min() >= 0
    assert fitted[0].sum() == total
    check_consistent(tree, fitted)


@given(table=noisy_tables())
def test_top_down_keeps_every_sum_and_touches_no_noise_free_table(table):
    tree, true, noise = table
    total = int(true[0].sum())
    assert (split_top_down(tree, true, total=total) == true).all()
    values = split_top_down(tree, true + noise, total=total)
    assert values.min() >= 0
    assert values[0].sum() == total
    check_consistent(tree, values)
    free = split_top_down(tree, true + noise)
    assert (free[0] == np.maximum(true[0] + noise[0], 0)).all()


def test_top_down_gives_the_largest_fractions_the_units_left():
    tree = Hierarchy(parent=np.array([-1, 0, 0, 0]), level_start=np.array([0, 1, 4]))
    # 10 over targets 1, 4, 4 leaves a third of a unit for each: 1.33, 4.33, 4.33.
    values = split_top_down(tree, np.array([[10], [1], [4], [4]]))
    assert values[:, 0].tolist() == [10, 2, 4, 4]
    # A child far below zero gets nothing, and its share goes to the others.
    values = split_top_down(tree, np.array([[10], [-50], [3], [4]]))
    assert values[:, 0].tolist() == [10, 0, 5, 5]


@given(table=noisy_tables())
def test_the_relaxed_program_never_costs_more_than_the_integer_one(table):
    tree, true, noise = table
    weights, total = np.ones(tree.n_levels, dtype=np.int64), int(true[0].sum())
    targets = true + noise
    whole = solve_tree_program(tree, targets, weights, total=total)
    real = solve_relaxed_tree_program(tree, targets, weights, total=total)
    check_consistent(tree, real)
    assert real.min() >= 0
    assert real[0].sum() == pytest.approx(total)
    assert ((real - targets) ** 2).sum() <= ((whole - targets) ** 2).sum() + 1e-3


@given(table=noisy_tables(), unmeasured=st.booleans())
def test_the_cumulative_program_is_rising_consistent_and_ends_at_the_total(table, unmeasured):
    tree, true, noise = table
    variances = [1.0 + level for level in range(tree.n_levels)]
    if unmeasured and tree.n_levels > 1:
        variances[0] = None
    total = int(true[0].sum())
    solved = solve_cumulative_program(
        tree,
        np.cumsum(true, axis=1) + noise,
        variances,
        total=total,
        tolerance=1e-7,
    )
    assert max(solved.distance, solved.total_residual) <= 1e-6
    assert solved.values.min() >= 0
    assert (np.diff(solved.values, axis=1) >= 0).all()
    np.testing.assert_allclose(solved.values[0, -1], total, atol=1e-5)
    for level in range(tree.n_levels - 1):
        np.testing.assert_allclose(
            child_sums(tree, solved.values, level), solved.values[tree.level(level)], atol=1e-5
        )


def test_a_program_that_stopped_early_is_an_error_with_its_residuals():
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    noisy = np.array([[40, 10, 60], [90, 5, 0], [-30, 20, 10]])
    with pytest.raises(SolverError, match=r"after 1 step, .* may still be [0-9].*ing is released"):
        solve_cumulative_program(tree, noisy, [1.0, 1.0], total=60, tolerance=0, most_steps=1)
    late = solve_cumulative_program(tree, noisy, [1.0, 1.0], total=60, tolerance=1e-6)
    assert max(late.distance, late.total_residual) <= 1e-6
    with pytest.raises(SolverError, match=f"after {late.steps - 1} steps?,"):
        solve_cumulative_program(
            tree, noisy, [1.0, 1.0], total=60, tolerance=1e-6, most_steps=late.steps - 1
        )


@given(seed=st.integers(0, 1000), width=st.integers(1, 30))
def test_isotonic_rows_are_the_nearest_rising_rows(seed, width):
    from scipy.optimize import isotonic_regression

    rows = np.random.default_rng(seed).integers(-9, 10, (4, width)).astype(float)
    fitted = isotonic_rows(rows)
    for row, fit in zip(rows, fitted, strict=True):
        np.testing.assert_allclose(fit, isotonic_regression(row).x, atol=1e-9)
