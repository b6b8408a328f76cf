"""Joint fits: bounded cumulative programs, integers near them, best estimates top-down."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from support.examples import examples
from support.strategies import hierarchies

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, child_sums, sum_up
from hierdp_core.solvers import rising_tree
from hierdp_core.solvers.blue_top_down import blue_top_down, split_by_variance, subtree_variances
from hierdp_core.solvers.cumulative_program import (
    solve_bounded_cumulative_program,
    solve_cumulative_program,
)
from hierdp_core.solvers.least_squares import least_squares_on_tree
from hierdp_core.solvers.median import median_isotonic_rows
from hierdp_core.solvers.rising_tree import nearest_rising_tree
from hierdp_core.solvers.row_fits import fit_rows
from hierdp_core.solvers.whole_rising import whole_rising_tree

VARIANCES = st.sampled_from([None, 1.0, 1.0, 2.0, 50.0, 1e6])


@st.composite
def bounded_tables(draw):
    """A tree, integers on it, the variance of each level, and the groups of every region."""
    tree = draw(hierarchies(max_levels=4, max_nodes=14))
    m = draw(st.integers(1, 6))
    spread = draw(st.sampled_from([3, 30, 1000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    noisy = rng.integers(-spread, 2 * spread, (tree.n_nodes, m))
    variances = [draw(VARIANCES) for _ in range(tree.n_levels)]
    variances[-1] = variances[-1] or 1.0
    groups = sum_up(tree, rng.integers(0, draw(st.sampled_from([2, 60])), tree.n_leaves))
    return tree, noisy, variances, groups


def check_rows(tree, values, groups, *, atol=0.0):
    assert values.min(initial=0) >= 0
    assert (np.diff(values, axis=1) >= -atol).all()
    assert (values <= groups[:, None] + atol).all()
    for level in range(tree.n_levels - 1):
        sums = child_sums(tree, values, level)
        np.testing.assert_allclose(sums, values[tree.level(level)], rtol=1e-12, atol=atol)


def gap_to_optimum(tree, noisy, variances, groups, values):
    """An upper bound on how much the cost of `values` exceeds the optimum, and that cost.

    By convexity, the excess is at most the steepest descent by the gradient. Non-decreasing rows
    between 0 and G are mixtures of steps from 0 to G.
    """
    weights = np.array([0.0 if v is None else 1 / v for v in variances])[tree.level_of][:, None]
    gradient = 2 * weights * (values - noisy)
    for level in range(1, tree.n_levels):
        nodes = tree.level(level)
        gradient[nodes] += gradient[tree.parent[nodes]]
    slopes, leaves = gradient[tree.leaves], values[tree.leaves]
    step = np.cumsum(slopes[:, ::-1], axis=1)[:, ::-1].min(axis=1)
    lowest = groups[tree.leaves] * np.minimum(step, 0)
    gap = (slopes * leaves).sum() - lowest.sum()
    return gap, (weights * (values - noisy) ** 2).sum()


@settings(max_examples=examples(400), deadline=None)
@given(table=bounded_tables())
def test_the_bounded_program_is_solved_to_its_optimum(table):
    tree, noisy, variances, groups = table
    solved = solve_bounded_cumulative_program(tree, noisy, variances, groups=groups, tolerance=1e-7)
    check_rows(tree, solved.values, groups, atol=1e-9)
    gap, cost = gap_to_optimum(tree, noisy, variances, groups, solved.values)
    assert gap <= 1e-4 * max(1.0, cost)


@settings(max_examples=examples(100), deadline=None)
@given(table=bounded_tables())
def test_no_row_is_farther_from_the_optimum_than_stated(table):
    tree, noisy, variances, groups = table
    rough = solve_bounded_cumulative_program(tree, noisy, variances, groups=groups, tolerance=3.0)
    best = solve_bounded_cumulative_program(tree, noisy, variances, groups=groups, tolerance=1e-7)
    weights = np.array([0.0 if v is None else 1 / v for v in variances])[tree.level_of]
    apart = np.sqrt((weights[:, None] * (rough.values - best.values) ** 2).mean(axis=1))
    assert (apart <= rough.distance + 1e-5).all()


def random_program(seed, ratio):
    """A small tree with real noise, whose budgets differ by up to `ratio` times."""
    rng = np.random.default_rng(seed)
    parent, level_start = [-1], [0, 1]
    for _ in range(rng.integers(1, 4)):
        above = range(level_start[-2], level_start[-1])
        parent += [node for node in above for _ in range(rng.integers(1, 6))]
        level_start.append(len(parent))
    tree = Hierarchy(parent=np.array(parent), level_start=np.array(level_start))
    groups = sum_up(tree, rng.integers(0, rng.choice([3, 60, 5000]), tree.n_leaves))
    shape = (tree.n_leaves, int(rng.integers(1, 25)))
    counts = sum_up(tree, np.sort(rng.integers(0, groups[tree.leaves, None] + 1, shape)))
    budgets = 10 ** rng.uniform(-5, 1) * ratio ** rng.choice([0, 0.25, 0.5, 1.0], tree.n_levels)
    stops = -np.expm1(-budgets)
    chances = stops[tree.level_of, None]
    noisy = counts + rng.geometric(chances, counts.shape) - rng.geometric(chances, counts.shape)
    variances: list[float | None] = list(2 * np.exp(-budgets) / stops**2)
    if tree.n_levels > 2 and rng.random() < 0.3:
        variances[1] = None
    return tree, noisy, variances, groups


@pytest.mark.parametrize("ratio", [1.0, 100.0, 1e4])
def test_programs_are_solved_however_uneven_the_variances(ratio):
    for seed in range(150):
        tree, noisy, variances, groups = random_program(seed, ratio)
        solved = solve_bounded_cumulative_program(tree, noisy, variances, groups=groups)
        check_rows(tree, solved.values, groups, atol=1e-9)
        with_total = np.append(noisy, groups[:, None], axis=1)
        total = int(groups[0])
        free = solve_cumulative_program(tree, with_total, variances, total=total)
        root = np.append(np.sort(noisy[0]).clip(0, total), float(total))
        settled = solve_cumulative_program(tree, with_total, variances, total=total, root=root)
        unbounded = np.full(tree.n_nodes, np.inf)
        for table in (free, settled):
            check_rows(tree, table.values, unbounded, atol=1e-6 * max(1, total))


def test_both_methods_reach_the_same_optimum(monkeypatch):
    for seed in range(60):
        tree, noisy, variances, groups = random_program(seed, 10.0)
        by_newton, by_interior = (
            solve_with(monkeypatch, most_plain_steps, tree, noisy, variances, groups)
            for most_plain_steps in (10_000, 0)
        )
        weights = np.array([0.0 if v is None else 1 / v for v in variances])[tree.level_of]
        apart = weights[:, None] * (by_newton.values - by_interior.values) ** 2
        proved = by_newton.distance + by_interior.distance
        assert np.sqrt(apart.mean(axis=1)).max() <= proved + 1e-6


def solve_with(monkeypatch, most_plain_steps, tree, noisy, variances, groups):
    monkeypatch.setattr(rising_tree, "_MOST_PLAIN_STEPS", most_plain_steps)
    return solve_bounded_cumulative_program(tree, noisy, variances, groups=groups, tolerance=1e-5)


def test_precise_levels_that_contradict_each_other_are_fitted():
    """Multipliers of 10¹⁴, which nearly cancel: only their sums fit into floats."""
    tree = Hierarchy(parent=np.array([-1, 0, 0, 1, 1, 2]), level_start=np.array([0, 1, 3, 6]))
    noisy = np.array([[40, 90], [0, 10], [10, 70], [5, 5], [5, 5], [5, 5]])
    groups = np.array([100, 40, 60, 20, 20, 60])
    solved = solve_bounded_cumulative_program(tree, noisy, [1e-6, 1e-2, 1e8], groups=groups)
    np.testing.assert_allclose(solved.values[0], noisy[0], atol=1e-2)
    np.testing.assert_allclose(solved.values[1:3].T, [[15, 25], [30, 60]], atol=1e-2)


def test_programs_that_do_not_fit_are_left_to_newton(monkeypatch):
    monkeypatch.setattr(rising_tree, "_MOST_NUMBERS", 0)
    monkeypatch.setattr(rising_tree, "_MOST_PLAIN_STEPS", 0)
    tree, noisy, variances, groups = random_program(1, 1.0)
    assert solve_bounded_cumulative_program(tree, noisy, variances, groups=groups).distance <= 0.01


def test_an_optimum_that_is_not_reached_is_an_error():
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    noisy = np.array([[90, 1, 60, 5], [90, 5, 0, 3], [-30, 20, 10, 7]])
    groups = np.array([90, 60, 30])
    with pytest.raises(
        SolverError, match=r"after 1 step, .* row may still be .*Nothing is released"
    ):
        solve_bounded_cumulative_program(
            tree, noisy, [1.0, 1.0], groups=groups, tolerance=0, most_steps=1
        )


def test_a_settled_root_stays_as_it_is():
    tree = Hierarchy(parent=np.array([-1, 0, 0, 0]), level_start=np.array([0, 1, 4]))
    noisy = np.random.default_rng(4).integers(-20, 40, (4, 5))
    root = np.array([3.0, 3.0, 7.5, 20.0, 31.0])
    solved = solve_cumulative_program(tree, noisy, [1.0, 4.0], total=31, root=root, tolerance=1e-7)
    np.testing.assert_allclose(solved.values[0], root, atol=1e-6)
    # Children are those of the program without the root's own noisy row.
    best = solve_cumulative_program(tree, noisy, [1e-9, 4.0], total=31, root=root, tolerance=1e-7)
    np.testing.assert_allclose(solved.values, best.values, atol=1e-5)


@settings(max_examples=examples(200), deadline=None)
@given(table=bounded_tables(), seed=st.integers(0, 2**32))
def test_columns_where_a_settled_root_is_flat_are_solved_as_one(table, seed):
    tree, noisy, _, groups = table
    assume(tree.n_levels > 1 and groups[0] > 0)
    root = np.sort(np.random.default_rng(seed).integers(0, min(groups[0], 4) + 1, noisy.shape[1]))
    solved = solve_bounded_cumulative_program(
        tree, noisy, [1.0] * tree.n_levels, groups=groups, root=root.astype(float), tolerance=1e-6
    )
    check_rows(tree, solved.values, groups, atol=1e-5)
    assert not np.diff(solved.values, axis=1)[:, np.diff(root) == 0].any()
    slack = np.ones((tree.leaves.start, noisy.shape[1]))
    slack[0] = 0
    targets = noisy.astype(float)
    targets[0] = root
    whole = nearest_rising_tree(
        tree,
        targets,
        slack,
        groups[tree.leaves].astype(float),
        widths=np.ones(noisy.shape[1]),
        distance=1e-6,
        off=1e-6,
        most_steps=1000,
    )
    np.testing.assert_allclose(solved.values[tree.leaves], whole.leaves, atol=1e-4)


@settings(max_examples=examples(200), deadline=None)
@given(table=bounded_tables(), halves=st.booleans())
def test_whole_rows_rise_add_up_and_keep_to_their_bounds(table, halves):
    tree, noisy, variances, groups = table
    values = solve_bounded_cumulative_program(tree, noisy, variances, groups=groups).values
    if halves:  # ties
        values = sum_up(tree, np.rint(2 * values[tree.leaves]) / 2)
    whole = whole_rising_tree(tree, values, groups)
    assert whole.dtype == np.int64
    check_rows(tree, whole, groups)
    assert (np.abs(whole[0] - values[0]) <= 0.5 + 1e-9).all()
    # Tables of integers stay as they are.
    assert (whole_rising_tree(tree, whole.astype(float), groups) == whole).all()


@given(seed=st.integers(0, 1000), how=st.sampled_from(["l1", "l2", "both"]))
def test_row_fits_are_not_biased_to_either_end(seed, how):
    rng = np.random.default_rng(seed)
    rows, ends = rng.integers(-9, 30, (4, 9)), np.array([20, 20, 7, 0])
    fitted = fit_rows(rows, ends, how)
    assert fitted.min() >= 0
    assert (fitted <= ends[:, None]).all()
    assert (np.diff(fitted, axis=1) >= -1e-12).all()
    turned = fit_rows((ends[:, None] - rows)[:, ::-1].copy(), ends, how)
    np.testing.assert_allclose(turned[:, ::-1], ends[:, None] - fitted, atol=1e-9)


@given(seed=st.integers(0, 1000))
def test_a_median_fit_is_halfway_between_the_least_and_the_largest(seed):
    rng = np.random.default_rng(seed)
    rows, ends = rng.integers(-3, 9, (5, 6)), rng.integers(0, 8, 5)
    turned = np.ascontiguousarray((ends[:, None] - rows)[:, ::-1])
    largest = ends[:, None] - median_isotonic_rows(turned, ends)[:, ::-1]
    assert (fit_rows(rows, ends, "l1") == (median_isotonic_rows(rows, ends) + largest) / 2).all()


@settings(max_examples=examples(200))
@given(
    best=st.lists(st.integers(-40, 60), min_size=1, max_size=7),
    total=st.integers(0, 80),
    seed=st.integers(0, 1000),
)
def test_a_family_is_the_rounded_nearest_point_in_squares_over_variances(best, total, seed):
    best = np.array(best, dtype=float)
    variances = np.random.default_rng(seed).choice([0.3, 1.0, 4.0], len(best))
    out = np.empty(len(best), dtype=np.int64)
    split_by_variance(best, variances, total, out)
    assert out.sum() == total
    assert out.min() >= 0
    # The same program by an active-set solver: a heavy row holds the sum.
    heavy = 1e4
    matrix = np.vstack([np.diag(variances**-0.5), np.full(len(best), heavy)])
    nearest, _ = nnls(matrix, np.append(best * variances**-0.5, heavy * total))
    assert (np.abs(out - nearest) < 1 + 1e-3).all()


@settings(max_examples=examples(100))
@given(tree=hierarchies(max_levels=4, max_nodes=20), seed=st.integers(0, 1000))
def test_far_from_0_best_estimates_are_only_rounded(tree, seed):
    rng = np.random.default_rng(seed)
    noisy = sum_up(tree, rng.integers(10**4, 2 * 10**4, (tree.n_leaves, 2)))
    noisy = noisy + rng.integers(-9, 10, noisy.shape)
    precisions = rng.choice([0.0, 0.5, 1.0, 3.0], tree.n_levels)
    precisions[-1] = 1.0
    values = blue_top_down(tree, noisy, precisions)
    best = least_squares_on_tree(tree, noisy, precisions)
    # Each level rounds by less than 1, and a parent's rounding is split among its children.
    assert (np.abs(values - best).max(axis=1) < 1 + tree.level_of).all()
    for level in range(tree.n_levels - 1):
        assert (child_sums(tree, values, level) == values[tree.level(level)]).all()


def test_the_variance_of_a_subtree_is_that_of_its_estimate():
    tree = Hierarchy(parent=np.array([-1, 0, 0, 1, 1, 2]), level_start=np.array([0, 1, 3, 6]))
    precisions = np.array([2.0, 0.5, 1.0])
    # Estimates from below are linear: their variance by the weights of every measurement.
    for node, own in ((1, [1, 3, 4]), (2, [2, 5])):
        single = Hierarchy(
            parent=np.array([-1] + [0] * (len(own) - 1)), level_start=np.array([0, 1, len(own)])
        )
        gains = least_squares_on_tree(single, np.eye(len(own)), precisions[1:])[0]
        noise = 1 / precisions[tree.level_of[own]]
        expected = (gains**2 * noise).sum()
        assert subtree_variances(tree, precisions)[node] == pytest.approx(expected)


@pytest.mark.parametrize("levels", [1, 2])
def test_a_root_that_is_fixed_in_advance_keeps_its_row(levels):
    tree = Hierarchy(
        parent=np.array([-1, 0, 0][: 2 * levels - 1]), level_start=np.array([0, 1, 3][: levels + 1])
    )
    noisy, groups = np.array([[4, 2, 9], [1, 1, 3], [2, 2, 2]]), np.array([8, 5, 3])
    root = np.array([1.0, 2.5, 6.0])
    solved = solve_bounded_cumulative_program(
        tree,
        noisy[: tree.n_nodes],
        (1.0, 1.0)[:levels],
        groups=groups[: tree.n_nodes],
        root=root,
        tolerance=1e-7,
    )
    assert solved.values[0] == pytest.approx(root, abs=1e-6)
