"""The tree program against a slow table recursion, and by its optimality conditions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.strategies import hierarchies

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, child_sums, sum_up
from hierdp_core.solvers.exchange import exchange_gain, gain_tolerance
from hierdp_core.solvers.tree_program import solve_relaxed_tree_program, solve_tree_program
from hierdp_core.solvers.weights import LARGEST_WEIGHT, level_weights, whole_weights

NEVER = float("inf")


# Small integers, far apart, with many bits, and the closest floats of the same ratio.
ANY_WEIGHTS = [0, 1, 3, 3 - 2**-51, 0.1, 65_537, 1e8 / 3, 450e12, 2.0**57 - 2**5, 2.0**57]


def slow_optimum(tree, targets, weights, total, top):
    """The lowest cost, by tables over 0…top that try every split."""
    tables = []
    for size in range(targets.shape[1]):
        tau = {}
        for node in reversed(range(tree.n_nodes)):
            weight, target = Fraction(float(weights[tree.level_of[node]])), int(targets[node, size])
            cost = [weight * (v - target) ** 2 for v in range(top + 1)]
            children = range(tree.n_nodes)[tree.children(node)]
            if children:
                phi = [0] + [NEVER] * top
                for child in children:
                    phi = [
                        min(phi[v - x] + tau[child][x] for x in range(v + 1))
                        for v in range(top + 1)
                    ]
                cost = [own + below for own, below in zip(cost, phi, strict=True)]
            tau[node] = cost
        tables.append(tau[0])
    if total is None:
        return sum(min(table) for table in tables)
    best = [0] + [NEVER] * total
    for table in tables:
        best = [
            min(best[v - x] + table[x] for x in range(min(v, top) + 1)) for v in range(total + 1)
        ]
    return best[total]


def cost_of(tree, targets, weights, values):
    exact = np.array([Fraction(float(weight)) for weight in weights], dtype=object)
    return (exact[tree.level_of][:, None] * (values - targets).astype(object) ** 2).sum()


@st.composite
def programs(draw, with_total):
    tree = draw(hierarchies(max_levels=5, max_nodes=14))
    n_sizes, spread = draw(st.integers(1, 3)), draw(st.sampled_from([1, 3, 8]))
    cells = tree.n_nodes * n_sizes
    flat = draw(st.lists(st.integers(-spread, spread), min_size=cells, max_size=cells))
    levels = tree.n_levels
    weight = st.sampled_from([0, 1, 1, 2, 3, 7, 100, 997])
    weights = draw(st.lists(weight, min_size=levels, max_size=levels))
    weights[-1] = max(1, weights[-1])
    total = draw(st.integers(0, 25)) if with_total else None
    return tree, np.reshape(flat, (tree.n_nodes, n_sizes)), np.array(weights), total


def check_feasible(tree, values, total):
    assert values.min() >= 0
    for level in range(tree.n_levels - 1):
        assert (child_sums(tree, values, level) == values[tree.level(level)]).all()
    assert total is None or values[0].sum() == total


@settings(max_examples=examples(1500))
@given(program=programs(with_total=True))
def test_with_a_total_it_is_the_optimum(program):
    tree, targets, weights, total = program
    values = solve_tree_program(tree, targets, weights, total=total)
    check_feasible(tree, values, total)
    best = slow_optimum(tree, targets, weights, total, top=total)
    assert cost_of(tree, targets, weights, values) == best
    assert exchange_gain(tree, targets, weights, values) <= 0


@pytest.mark.slow
@settings(max_examples=examples(1500))
@given(program=programs(with_total=False))
def test_with_a_free_total_it_is_the_optimum(program):
    tree, targets, weights, _ = program
    values = solve_tree_program(tree, targets, weights)
    check_feasible(tree, values, None)
    # Beyond the sum of all positive leaf targets every further unit only costs.
    top = max(int(np.maximum(targets, 0).sum(axis=0).max()), int(values.max())) + 1
    assert cost_of(tree, targets, weights, values) == slow_optimum(
        tree, targets, weights, None, top
    )


@given(program=programs(with_total=True))
def test_the_answer_does_not_depend_on_where_the_search_began(program):
    tree, targets, weights, total = program
    values = solve_tree_program(tree, targets, weights, total=total)
    # More sizes change the price and every guess, but not a size whose total is fixed.
    again = solve_tree_program(tree, targets.copy(), weights.copy(), total=total)
    assert (values == again).all()


@given(program=programs(with_total=True), scale=st.integers(2, 50))
def test_weights_matter_only_by_their_ratios(program, scale):
    tree, targets, weights, total = program
    values = solve_tree_program(tree, targets, weights, total=total)
    scaled = solve_tree_program(tree, targets, weights * scale, total=total)
    assert (values == scaled).all()


@pytest.mark.slow
@pytest.mark.parametrize("weights", [[1, 1, 1], [1, 3, 2], [0, 1, 1], [65536, 17, 911]])
@pytest.mark.parametrize("noise", [2, 200, 20_000])
def test_large_programs_meet_the_optimality_conditions(weights, noise):
    rng = np.random.default_rng(3)
    below = np.sort(np.concatenate([np.arange(30), rng.integers(0, 30, 470)])) + 1
    tree = Hierarchy(
        parent=np.concatenate([[-1], np.zeros(30, dtype=int), below]),
        level_start=np.array([0, 1, 31, 531]),
    )
    leaves = rng.integers(0, 3, (500, 120)) * (rng.pareto(1, (500, 120)) * 100).astype(int)
    true = sum_up(tree, leaves)
    targets = true + rng.integers(-noise, noise + 1, true.shape)
    total = int(true[0].sum())
    values = solve_tree_program(tree, targets, np.array(weights), total=total)
    check_feasible(tree, values, total)
    assert exchange_gain(tree, targets, np.array(weights), values) <= 0
    # A single unit moved between two sizes, or two leaves, must not pass for optimal.
    worse = values.copy()
    leaf = int(values[tree.leaves, 0].argmax()) + tree.leaves.start
    path = [leaf, tree.parent[leaf], 0]
    worse[path, 0] -= 1
    worse[path, 1] += 1
    spoilt = cost_of(tree, targets, np.array(weights), worse)
    if spoilt > cost_of(tree, targets, np.array(weights), values):
        assert exchange_gain(tree, targets, np.array(weights), worse) > 0


def test_targets_far_below_zero_do_not_hide_the_optimum():
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    targets = np.array([[10**9, 5], [-(10**9), 0], [-(10**9), 0]])
    values = solve_tree_program(tree, targets, np.array([1, 1]), total=7)
    check_feasible(tree, values, 7)
    assert exchange_gain(tree, targets, np.array([1, 1]), values) <= 0


def test_impossible_calls_are_refused():
    tree = Hierarchy(parent=np.array([-1, 0]), level_start=np.array([0, 1, 2]))
    targets, weights = np.zeros((2, 1), dtype=np.int64), np.array([1, 1])
    for arguments, message in [
        ((targets[:1], weights), "targets need shape"),
        ((targets.astype(float), weights), "dtype int64"),
        ((targets, np.array([1])), "one number per level"),
        ((targets, np.array([1, 0])), "the last above 0"),
        ((targets, np.array([-1, 1])), "one number per level"),
        ((targets, np.array([2.0**101, 1])), "differs too much to be weighed"),
        ((targets, np.array([np.nan, 1])), "none negative"),
        ((targets + 2**53, weights), "targets may be at most"),
    ]:
        with pytest.raises(ValueError, match=message):
            solve_tree_program(tree, *arguments)
    with pytest.raises(ValueError, match="total must lie between"):
        solve_tree_program(tree, targets, weights, total=-1)
    many = Hierarchy(parent=np.array([-1] + [0] * 200), level_start=np.array([0, 1, 201]))
    with pytest.raises(SolverError, match="one size together may be at most"):
        solve_tree_program(many, np.full((201, 1), 2**52), weights)
    with pytest.raises(SolverError, match="targets may be at most"):
        solve_relaxed_tree_program(tree, targets + 2**53, weights, total=None)


def test_whole_weights_follow_the_variances():
    assert whole_weights([5.0, 5.0]).tolist() == [1, 1]
    assert whole_weights([None, 4.0, 1.0]).tolist() == [0, 1, 4]
    assert whole_weights([0.0, 0.0]).tolist() == [1, 1]
    assert whole_weights([0.0, 3.0]).tolist() == [3 * 10**9, 1]
    rough = whole_weights([71.83, 17.9])
    assert rough[1] / rough[0] == pytest.approx(71.83 / 17.9, rel=1e-3)


@given(data=st.data())
def test_whole_weights_are_within_1_part_in_500_of_the_precisions(data):
    exponent = st.floats(-9, 5.5)
    variances = [10**e for e in data.draw(st.lists(exponent, min_size=1, max_size=5))]
    weights = whole_weights([*variances, None])
    assert weights[-1] == 0
    assert weights[:-1].min() >= 1
    assert weights.max() <= LARGEST_WEIGHT
    precisions = weights[:-1] * np.array(variances)
    assert precisions.max() <= precisions.min() * (1 + 1 / 250)


def test_level_weights_are_whole_where_variances_are_in_proportion():
    assert level_weights([0.1, None, 0.3]).tolist() == [3, 0, 1]
    assert level_weights([5.0, 5.0]).tolist() == [1, 1]
    assert level_weights([1e6, 1.0, 1e12]).tolist() == [1e6, 1e12, 1]
    rough = level_weights([71.83, 17.9])
    assert rough.tolist() == [1, pytest.approx(71.83 / 17.9, rel=1e-15)]
    assert level_weights([0.0, 3.0]).tolist() == [3e9, 1]


def test_variances_that_differ_too_much_are_refused():
    with pytest.raises(SolverError, match="differs too much to be weighed"):
        whole_weights([1e-9, 1e12])


@st.composite
def large_programs(draw, largest):
    """Weights up to the limit; targets around any base up to `largest`."""
    tree, targets, _, _ = draw(programs(with_total=False))
    levels = tree.n_levels
    weights = draw(st.lists(st.sampled_from(ANY_WEIGHTS), min_size=levels, max_size=levels))
    weights[-1] = weights[-1] or 1
    size = targets.shape[1]
    far = st.integers(-largest, largest)
    bases = draw(st.lists(far, min_size=tree.n_leaves * size, max_size=tree.n_leaves * size))
    targets = targets + sum_up(tree, np.reshape(bases, (tree.n_leaves, size)))
    return tree, targets, np.array(weights), draw(st.none() | st.integers(0, 3 * largest + 9))


@pytest.mark.slow
@settings(max_examples=examples(600))
@given(program=large_programs(largest=3))
def test_with_any_weights_it_is_the_optimum(program):
    tree, targets, weights, total = program
    values = solve_tree_program(tree, targets, weights, total=total)
    check_feasible(tree, values, total)
    positive = int(np.maximum(targets, 0).sum(axis=0).max())
    top = max(positive, int(values.max())) + 1 if total is None else total
    best = slow_optimum(tree, targets, weights, total, top)
    gap = cost_of(tree, targets, weights, values) - best
    assert 0 <= gap <= most_overlooked(tree, targets, weights, values)
    assert exchange_gain(tree, targets, weights, values) <= 0


def most_overlooked(tree, targets, weights, values):
    """A bound on the gap to the optimum; 0 if all costs fit into 104 bits."""
    distance = int(np.abs(values - targets).max())
    moves = int(values[tree.leaves].sum() + np.maximum(targets, 0).sum())
    return Fraction(gain_tolerance(weights, distance)) * moves


def test_costs_of_more_than_104_bits_are_optimal_up_to_their_rounding():
    parent = [-1, 0, 1, 1, 1, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10]
    tree = Hierarchy(parent=np.array(parent), level_start=np.array([0, 1, 2, 6, 11, 16]))
    targets = np.array([[1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 1, 0, 0]]).T
    weights = np.array([0, 2.0**57, 0, 3, 3 - 2**-51])
    values = solve_tree_program(tree, targets, weights)
    best = slow_optimum(tree, targets, weights, None, 4)
    gap = cost_of(tree, targets, weights, values) - best
    assert 0 <= gap <= 2**-50
    assert gap <= most_overlooked(tree, targets, weights, values) < 1e-9


@settings(max_examples=examples(600))
@given(data=st.data())
def test_no_accepted_value_overflows(data):
    largest = 10 ** data.draw(st.integers(0, 14))
    tree, targets, weights, total = data.draw(large_programs(largest=largest))
    values = solve_tree_program(tree, targets, weights, total=total)
    check_feasible(tree, values, total)
    assert exchange_gain(tree, targets, weights, values) <= 0
    if total is None:
        assert exchange_gain(tree, targets, weights, values, free_total=True) <= 0


def test_the_check_of_optimality_does_not_overflow():
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    targets, weights = np.array([[0], [10**12], [0]]), np.array([1, 2**57])
    worse = np.array([[10**12], [0], [10**12]])
    gain = exchange_gain(tree, targets, weights, worse)
    assert gain == 2**57 * (2 * 10**12 - 1 + 2 * 10**12 - 1)


# The running example of [A]: noisy GA 3, NY 0, US 2 for size 1.
US_GA_NY = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))


def test_the_total_decides_the_tie_of_the_running_example():
    targets = np.array([[2, 1, 2, 0, 0], [3, 0, 1, 0, 0], [0, 1, 1, 0, 0]])
    free = solve_tree_program(US_GA_NY, targets, np.array([1, 1]))
    assert free[:, 0].tolist() == [2, 2, 0]
    bound = solve_tree_program(US_GA_NY, targets, np.array([1, 1]), total=6)
    assert bound[:, 0].tolist() == [3, 3, 0]
    assert bound[0].sum() == 6
    assert cost_of(US_GA_NY, targets, np.array([1, 1]), bound) == slow_optimum(
        US_GA_NY, targets, np.array([1, 1]), 6, top=6
    )
