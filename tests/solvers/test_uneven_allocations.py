"""Correct results for zero and very uneven allocations, and for tables of the largest size."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from support.strategies import regions_of

from hierdp_core import samples
from hierdp_core.exceptions import SolverError
from hierdp_core.explain.tree_steps import Family, Problem
from hierdp_core.hierarchy import Hierarchy, child_sums, sum_up
from hierdp_core.noise import SeededNoise
from hierdp_core.simulation import plan, simulate
from hierdp_core.solvers.cumulative_program import solve_cumulative_program
from hierdp_core.solvers.exchange import exchange_gain
from hierdp_core.solvers.generic_cost_tables import solve_tree_by_generic_tables
from hierdp_core.solvers.integer_program import solve_sizes_by_integer_program
from hierdp_core.solvers.simplex import nearest_in_squares
from hierdp_core.solvers.tree_program import solve_relaxed_tree_program, solve_tree_program
from hierdp_core.tables import Counts, GroupSizes

ZEROS = [(*above, 1) for above in itertools.product([0, 1], repeat=2)]
UNEVEN = [(10_000, 1, 1), (1, 10_000, 1), (1, 1, 10_000), (10_000, 0, 1), (0, 1, 10_000)]


def flat(leaves):
    return Hierarchy(parent=np.array([-1] + [0] * leaves), level_start=np.array([0, 1, 1 + leaves]))


def l1_by_level(released, table):
    off = np.abs(released.table.values - table.values).sum(axis=1)
    return np.add.reduceat(off, table.tree.level_start[:-1])


@pytest.fixture(scope="module")
def households():
    return samples.load("us-households").table


@pytest.mark.parametrize("allocation", ZEROS)
def test_zero_shares_do_not_raise_errors_much(households, allocation):
    at_once = simulate(
        households, plan(households, "pgsr-c-opt", epsilon=1, allocation=allocation), seed=0
    )
    by_region = simulate(
        households, plan(households, "pgsr-c-dp", epsilon=1, allocation=allocation), seed=0
    )
    assert at_once.checks.consistent
    assert at_once.checks.keeps_invariants
    # The nation once had a mean error of 11,919,361 per size if it got no budget.
    assert (l1_by_level(at_once, households) <= 1.1 * l1_by_level(by_region, households)).all()
    relaxed = simulate(
        households, plan(households, "pgsr-c-relaxed", epsilon=1, allocation=allocation), seed=0
    )
    assert l1_by_level(relaxed, households)[0] <= 2 * l1_by_level(by_region, households)[0]


@pytest.mark.slow
@pytest.mark.parametrize("allocation", ZEROS + UNEVEN)
def test_the_cumulative_optimum_is_near_whatever_the_shares(households, allocation):
    made = plan(households, "pgsr-c-opt", epsilon=1, allocation=allocation)
    noisy = made.mechanism.measure(households.values, made, SeededNoise(0))
    total, variances = made.domain.groups, list(made.variances)
    tree = households.tree
    solved = solve_cumulative_program(tree, noisy, variances, total=total)
    tight = solve_cumulative_program(tree, noisy, variances, total=total, tolerance=0.005)
    least = min(v for v in variances if v is not None)
    for level in range(3):
        below = next(k for k in range(level, 3) if variances[k] is not None)
        # Within a twentieth of the noise. For an area without a measurement of its own, that is
        # the added noise of all below it.
        many = tree.level_sizes[below] / tree.level_sizes[level]
        own = np.sqrt(many * variances[below])
        off = (solved.values - tight.values)[tree.level(level)]
        assert np.sqrt(np.mean(off**2)) <= 0.05 * max(np.sqrt(least), own)
    precisions = np.array([0.0 if v is None else 1 / v for v in variances])[tree.level_of]
    cost, best = ((precisions[:, None] * (s.values - noisy) ** 2).sum() for s in (solved, tight))
    assert cost == pytest.approx(best, rel=0.005)


def test_least_squares_weighs_by_the_true_variances():
    # 20,000 leaves and a root with 25 million times their variance: it must not count.
    tree = flat(20_000)
    table = Counts.from_leaves(regions_of(tree), np.full(20_000, 50))
    made = plan(table, "hay", epsilon=1, allocation=[1, 5_000])
    assert made.weights[0] / made.weights[1] == pytest.approx(
        made.variances[1] / made.variances[0], rel=1e-12
    )
    errors = [simulate(table, made, seed=0, index=t).table.values[0] - 10**6 for t in range(150)]
    best = 1 / (1 / made.variances[0] + 1 / (20_000 * made.variances[1]))
    # Of 150 squared normal errors the root of the mean is within 25% except for 1 in 100,000.
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.sqrt(best), rel=0.25)


@pytest.mark.parametrize("id", ["hay", "tree-dp"])
@pytest.mark.parametrize("allocation", [(1, 1), (1, 2), (0, 1), (10_000, 1)])
def test_weights_are_in_proportion_to_the_precisions(id, allocation):
    table = Counts.from_leaves(regions_of(flat(3)), [5, 6, 7])
    made = plan(table, id, epsilon=1, allocation=allocation)
    precisions = np.array([0.0 if v is None else 1 / v for v in made.variances])
    for weights, within in ((made.weights, 1e-14), (made.whole_weights, 2e-3)):
        np.testing.assert_allclose(
            weights / weights.max(), precisions / precisions.max(), rtol=within
        )


@pytest.mark.parametrize(("leaves", "total"), [(300, 9e11), (3143, 1e11), (3143, 9e11)])
@pytest.mark.parametrize("allocation", [(10_000, 1), (1, 10_000), (300, 1)])
@pytest.mark.parametrize("epsilon", [1e-5, 1, 1e4])
def test_the_largest_tables_are_solved_exactly(leaves, total, allocation, epsilon):
    each = int(total / leaves)
    table = Counts.from_leaves(regions_of(flat(leaves)), np.full(leaves, each))
    made = plan(table, "tree-dp", epsilon=epsilon, allocation=allocation)
    noisy = made.mechanism.measure(table.values, made, SeededNoise(0))
    values = made.mechanism.estimate(noisy, made)
    assert values[0] == values[1:].sum()
    assert values.min() >= 0
    assert exchange_gain(table.tree, noisy[:, None], made.weights, values[:, None]) <= 0
    # It never leaves all that was measured: the root lies between its own noisy count and the
    # sum of those of its children, wherever none of them has to be lifted to 0.
    if noisy.min() >= 0:
        ends = sorted((int(noisy[0]), int(noisy[1:].sum())))
        assert ends[0] - leaves <= values[0] <= ends[1] + leaves


def test_the_relaxed_program_takes_large_tables_and_uneven_shares():
    # This ended with an OverflowError.
    leaves = np.zeros((600, 3), dtype=np.int64)
    leaves[:, 1:] = 41_000
    table = GroupSizes.from_leaves(regions_of(flat(600)), leaves)
    assert table.domain.groups == 49_200_000
    made = plan(table, "pgsr-h-relaxed", epsilon=1, allocation=[300, 1])
    noisy = made.mechanism.measure(table.values, made, SeededNoise(0))
    real = solve_relaxed_tree_program(table.tree, noisy, made.weights, total=49_200_000)
    assert real[0].sum() == pytest.approx(49_200_000)
    np.testing.assert_allclose(child_sums(table.tree, real, 0)[0], real[0], rtol=1e-9)
    # The conditions of the optimum: all leaves that are not 0 gain alike, and no 0 gains more.
    slope = made.weights[:, None] * 1.0
    gain = slope[1] * (real[1:] - noisy[1:]) + slope[0] * (real[0] - noisy[0])
    assert (gain >= np.median(gain) - slope[1] / 100 - slope[0] * 600 / 2**16).all()
    released = simulate(table, made, seed=0).table.values
    assert np.abs(released[0] - table.values[0]).max() < 1_000


def test_whole_numbers_of_the_relaxed_program_at_the_limit():
    tree = flat(5)
    true = sum_up(tree, np.full((5, 1), 2 * 10**11))
    real = solve_relaxed_tree_program(tree, true + [[5]] * 6, np.array([10**8, 1]), total=10**12)
    np.testing.assert_allclose(real, true, atol=0.01)


def test_generic_solvers_refuse_what_floats_cannot_hold():
    tree = flat(2)
    targets = np.array([[10**12], [10**12], [0]])
    with pytest.raises(SolverError, match="too large for its precision"):
        solve_sizes_by_integer_program(tree, targets, np.array([2**57, 1]), total=9, seconds=9)
    with pytest.raises(SolverError, match="too large for its precision"):
        solve_tree_by_generic_tables(tree, targets, np.array([2**40, 1]), total=9, seconds=9)


def test_a_cost_table_too_large_to_hold_states_it():
    table = Counts.from_leaves(regions_of(flat(3)), [3 * 10**11] * 3)
    made = plan(table, "tree-dp", epsilon=1, allocation=[10_000, 1])
    problem = Problem.of(table, simulate(table, made, seed=0))
    family = Family.at(replace(problem, weights=np.array([10**8, 1])), 0, 0)
    assert family.unit_costs[0].dtype == object
    with pytest.raises(SolverError, match="too large for a cost table"):
        _ = family.table


def test_cost_tables_take_weights_that_are_not_whole():
    table = Counts.from_leaves(regions_of(flat(3)), [30, 40, 50])
    made = plan(table, "tree-dp", epsilon=1, allocation=[3, 1])
    family = Family.at(Problem.of(table, simulate(table, made, seed=0)), 0, 0)
    shown = family.table
    assert family.problem.weights.dtype == np.float64
    assert shown.values[shown.tau.argmin()] == shown.chosen
    np.testing.assert_allclose(
        shown.own, family.problem.weights[0] * (shown.values - shown.target) ** 2
    )
    assert (np.diff(shown.slopes) > 0).all()
    assert family.price is not None
    # The chosen unit lowers the cost, one more raises it.
    last, more = family.unit_costs
    assert last[0] <= 0 <= more[0]


def test_costs_that_floats_cannot_tell_apart_are_an_error_and_no_endless_search():
    """Weights of 10¹³ : 1 : 6,032 and targets near ±2⁵¹: the search had no end before."""
    tree = Hierarchy(parent=np.array([-1, 0, 0, 0, 1, 1, 2, 3]), level_start=np.array([0, 1, 4, 8]))
    targets = np.array(
        [
            [-1756286715110420, 946310686812511],
            [451490937530296, -300916254183650],
            [-1027701619154196, -1100728107427159],
            [-1619876394045390, -1024376718565840],
            [222423097597104, 596738643293417],
            [-1910568712606745, 2076794338892850],
            [-346080796919401, -291009753390442],
            [915753907794117, -831363938221565],
        ]
    )
    weights = np.array([12063833444294.076, 1.0, 6031.916722147039])
    with pytest.raises(SolverError, match="Nothing is released"):
        solve_tree_program(tree, targets, weights, total=1)


def test_a_total_of_zero_leaves_nothing_whatever_the_noise():
    noisy, starts = np.array([10**12, 5, -3, 2]), np.array([0, 2, 4])
    assert nearest_in_squares(noisy, starts, np.array([0, 1])).tolist() == [0, 0, 0, 1]
