"""Many programs of all shapes are compared with two other solvers, including ties."""

import numpy as np
import pytest
from support.merged_costs import solve_by_merged_costs
from support.price_solver import solve_by_prices
from support.tree_programs import FLOATS, WHOLE, random_program

from hierdp_core.hierarchy import child_sums, sum_up
from hierdp_core.solvers.exchange import exchange_gain
from hierdp_core.solvers.tree_arrays import Program
from hierdp_core.solvers.tree_program import solve_relaxed_tree_program, solve_tree_program


def largest_value(tree, targets):
    """An upper bound on all values of the optimum without a total, from the targets."""
    most = np.maximum(targets, 0)
    for level in reversed(range(tree.n_levels - 1)):
        nodes = tree.level(level)
        most[nodes] = np.maximum(most[nodes], child_sums(tree, most, level))
    return int(most[0].max()) + 1


def check_against_merged_costs(seed):
    tree, targets, weights, total = random_program(seed, WHOLE + FLOATS, most_nodes=30, largest=6)
    total = None if total is None else min(total, 60)
    values = solve_tree_program(tree, targets, weights, total=total)
    top = total or largest_value(tree, targets)
    wanted = solve_by_merged_costs(tree, targets, weights, total=total, top=top)
    if set(weights.tolist()) <= {0, 1, 2, 7, 100, 5_000, 65_536}:
        assert (values == wanted).all(), seed
    free = total is None
    assert exchange_gain(tree, targets, weights, values, free_total=free) <= 0, seed
    assert exchange_gain(tree, targets, weights, wanted, free_total=free) <= 0, seed


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 300, 100))
def test_it_is_what_merged_costs_give(start):
    for seed in range(start, start + 100):
        check_against_merged_costs(seed)


def check_against_prices(seed):
    """Check for the same solution if floats hold all costs near the prices; else the same cost."""
    # That solver takes minutes for deeper trees.
    tree, targets, weights, total = random_program(
        seed, WHOLE, most_nodes=400, largest=10**6, deepest=8
    )
    values = solve_tree_program(tree, targets, weights, total=total)
    wanted = solve_by_prices(tree, targets, weights.astype(np.int64), total=total)
    free = total is None
    assert exchange_gain(tree, targets, weights, values, free_total=free) <= 0, seed
    assert exchange_gain(tree, targets, weights, wanted, free_total=free) <= 0, seed
    if weights.max() <= 65_536:
        assert (values == wanted).all(), seed


@pytest.mark.nightly
def test_ten_thousand_programs_are_solved_as_by_prices():
    for seed in range(10_000):
        check_against_prices(seed)


@pytest.mark.nightly
def test_ten_thousand_programs_are_solved_as_by_merged_costs():
    for seed in range(1_000, 11_000):
        check_against_merged_costs(seed)


@pytest.mark.parametrize("start", range(0, 200, 100))
@pytest.mark.slow
def test_units_moved_at_random_are_detected_and_corrected(start):
    noticed = 0
    for seed in range(start, start + 100):
        tree, targets, weights, total = random_program(
            seed, WHOLE + FLOATS, most_nodes=100, largest=1_000
        )
        if tree.n_levels < 2 or not weights.all():
            continue
        rng = np.random.default_rng(seed)
        leaves = solve_tree_program(tree, targets, weights, total=total)[tree.leaves]
        for _ in range(9):
            (giver, taker), (one, other) = (rng.integers(n, size=2) for n in leaves.shape)
            if leaves[giver, one] > 0:
                leaves[giver, one] -= 1
                leaves[taker, other] += 1
        moved = np.ascontiguousarray(sum_up(tree, leaves).T)
        program = Program.of(tree, targets, weights)
        noticed += program.gain(moved, total) > 0
        program.repair(moved, total)
        assert program.gain(moved, total) <= 0, seed
    assert noticed > 30


def test_values_that_do_not_add_up_never_pass():
    tree, targets, weights, _ = random_program(5, [[1]], most_nodes=50, largest=9)
    values = solve_tree_program(tree, targets, weights)
    for node in (0, tree.n_nodes - 1):
        wrong = values.copy()
        wrong[node] += 1
        assert exchange_gain(tree, targets, weights, wrong) == np.inf
    below_zero = values.copy()
    below_zero[tree.leaves.start] -= 100
    assert exchange_gain(tree, targets, weights, sum_up(tree, below_zero[tree.leaves])) == np.inf


@pytest.mark.parametrize("with_total", [True, False])
def test_fractions_meet_the_conditions_of_the_optimum(with_total):
    for seed in range(200):
        tree, targets, weights, total = random_program(
            seed, [*WHOLE[:4], FLOATS[0]], most_nodes=60, largest=50
        )
        total = (total or 3) if with_total else None
        real = solve_relaxed_tree_program(tree, targets, weights, total=total)
        # A leaf's price is what one more unit costs it and all regions above it.
        price = weights[tree.level_of][:, None] * (real - targets)
        for level in range(1, tree.n_levels):
            nodes = tree.level(level)
            price[nodes] += price[tree.parent[nodes]]
        near = 1e-9 * weights.max() * max(1, np.abs(targets).max())
        leaves, prices = real[tree.leaves], price[tree.leaves]
        shared = prices[leaves > near].max(initial=-np.inf) if total else 0
        assert real.min() >= 0
        assert (prices >= shared - near).all(), seed
        assert (prices[leaves > near] <= shared + near).all(), seed
        assert total is None or real[0].sum() == pytest.approx(total)
