"""Every solver is compared with a generic one that does not use its idea.

Integer programs by SCIP and HiGHS, convex programs by an active-set solver, on small
random trees with equal, unequal and missing levels. Costs of whole values are compared as
integers.
"""

import itertools

import numpy as np
import pyscipopt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, lsq_linear, milp
from support.examples import examples
from support.strategies import hierarchies

from hierdp_core.hierarchy import Hierarchy, child_sums, sum_up
from hierdp_core.solvers.chain import fit_chain, running_sums
from hierdp_core.solvers.cost_tables import cost_tables
from hierdp_core.solvers.cumulative_program import solve_cumulative_program
from hierdp_core.solvers.generic_cost_tables import solve_tree_by_generic_tables
from hierdp_core.solvers.integer_program import (
    solve_cumulative_by_integer_program,
    solve_sizes_by_integer_program,
)
from hierdp_core.solvers.top_down import split_top_down
from hierdp_core.solvers.tree_program import (
    solve_relaxed_tree_program,
    solve_tree_program,
)
from hierdp_core.solvers.weights import whole_weights

SECONDS = 60.0
# Integer precisions, so that costs in integers are those of the variances.
PRECISIONS = st.sampled_from([None, 1, 1, 2, 3, 8, 50])


@st.composite
def noisy_tables(draw, max_nodes=9, max_sizes=4, largest_total=60):
    """A tree, any integers on it, the variance of each level, and a total."""
    tree = draw(hierarchies(max_levels=4, max_nodes=max_nodes))
    n_sizes = draw(st.integers(1, max_sizes))
    spread = draw(st.sampled_from([2, 8, 30]))
    cells = tree.n_nodes * n_sizes
    flat = draw(st.lists(st.integers(-spread, 2 * spread), min_size=cells, max_size=cells))
    levels = tree.n_levels
    precisions = draw(st.lists(PRECISIONS, min_size=levels, max_size=levels))
    precisions[-1] = precisions[-1] or 1
    variances = [None if p is None else 1 / p for p in precisions]
    return (
        tree,
        np.reshape(flat, (tree.n_nodes, n_sizes)),
        variances,
        draw(st.integers(0, largest_total)),
    )


def cost_of(tree, targets, weights, values):
    return int((weights[tree.level_of][:, None] * (values - targets) ** 2).sum())


def check_whole(tree, values):
    assert values.dtype == np.int64
    assert values.min() >= 0
    for level in range(tree.n_levels - 1):
        assert (child_sums(tree, values, level) == values[tree.level(level)]).all()


def cost_by_tables(tree, targets, weights, total):
    """The lowest cost, by merged slopes for each size and every split over the sizes."""
    best = None
    for column in targets.T:
        tau = cost_tables(tree, column, weights, top=total).tau[0].tolist()
        if best is None:
            best = tau
        else:
            best = [min(best[v - x] + tau[x] for x in range(v + 1)) for v in range(total + 1)]
    return best[total]


# --- Model 1 and the tree program, in whole numbers


@settings(max_examples=examples(150))
@given(table=noisy_tables())
def test_the_integer_program_and_the_tree_program_cost_the_same(table):
    tree, targets, variances, total = table
    weights = whole_weights(variances)
    by_scip = solve_sizes_by_integer_program(tree, targets, weights, total=total, seconds=SECONDS)
    check_whole(tree, by_scip)
    assert by_scip[0].sum() == total
    by_prices = solve_tree_program(tree, targets, weights, total=total)
    least = cost_of(tree, targets, weights, by_scip)
    assert cost_of(tree, targets, weights, by_prices) == least
    assert cost_by_tables(tree, targets, weights, total) == least


@settings(max_examples=examples(40))
@given(table=noisy_tables(max_nodes=7, max_sizes=2), reach=st.integers(2, 6))
def test_generic_cost_tables_and_the_tree_program_cost_the_same(table, reach):
    tree, targets, variances, total = table
    weights = whole_weights(variances)
    by_tables = solve_tree_by_generic_tables(
        tree, targets, weights, total=total, seconds=SECONDS, reach=reach
    )
    check_whole(tree, by_tables)
    assert by_tables[0].sum() == total
    by_prices = solve_tree_program(tree, targets, weights, total=total)
    assert cost_of(tree, targets, weights, by_tables) == cost_of(tree, targets, weights, by_prices)


@settings(max_examples=examples(40))
@given(table=noisy_tables(), seed=st.integers(0, 1000))
def test_weights_as_far_apart_as_they_go_do_not_blur_the_integer_program(table, seed):
    tree, targets, _, total = table
    weights = np.random.default_rng(seed).choice([0, 1, 7282, 65536], tree.n_levels)
    weights[-1] = max(1, weights[-1])
    by_scip = solve_sizes_by_integer_program(
        tree, 10 * targets, weights, total=total, seconds=SECONDS
    )
    by_prices = solve_tree_program(tree, 10 * targets, weights, total=total)
    assert cost_of(tree, 10 * targets, weights, by_scip) == cost_of(
        tree, 10 * targets, weights, by_prices
    )


# --- the convex programs, by an active-set solver


def nearest_shares(matrix, targets, weights, total):
    """The x ≥ 0 with sum `total` whose `matrix @ x` is closest to `targets`, by `lsq_linear`.

    With t = t·Σx/total the distance is that of a cone; of its rays the best one solves the
    same program with a soft sum. Both models are of this kind: what rises in every leaf
    rises in every sum of leaves.
    """
    if total == 0:
        return np.zeros(matrix.shape[1])
    off = np.sqrt(weights)[:, None] * (matrix - targets[:, None] / total)
    off /= np.abs(off).max() or 1
    rays = np.vstack([off, np.ones(matrix.shape[1])])
    wanted = np.append(np.zeros(len(off)), 1)
    x = lsq_linear(rays, wanted, bounds=(0, np.inf), method="bvls", tol=1e-15).x
    return x * (total / x.sum())


def convex_optimum(tree, targets, variances, total, *, cumulative):
    """The optimum of Model 1 or 2 in fractions, and its cost."""
    n_sizes = targets.shape[1]
    sizes = np.tri(n_sizes) if cumulative else np.eye(n_sizes)
    matrix = np.kron(sum_up(tree, np.eye(tree.n_leaves)), sizes)
    precisions = np.array([0.0 if v is None else 1 / v for v in variances])[tree.level_of]
    leaves = nearest_shares(matrix, targets.ravel(), np.repeat(precisions, n_sizes), total)
    values = (matrix @ leaves).reshape(targets.shape)
    return values, (precisions[:, None] * (values - targets) ** 2).sum()


@settings(max_examples=examples(200))
@given(table=noisy_tables())
def test_the_relaxed_tree_program_is_the_convex_optimum(table):
    tree, targets, variances, total = table
    weights = whole_weights(variances)
    real = solve_relaxed_tree_program(tree, targets, weights, total=total)
    used = [None if w == 0 else 1 / w for w in weights.tolist()]
    best, _ = convex_optimum(tree, targets, used, total, cumulative=False)
    np.testing.assert_allclose(real, best, atol=1e-5)


@settings(max_examples=examples(400))
@given(table=noisy_tables(max_nodes=14, max_sizes=6))
def test_the_cumulative_program_is_the_convex_optimum(table):
    tree, noisy, variances, total = table
    solved = solve_cumulative_program(tree, noisy, variances, total=total, tolerance=1e-7)
    best, least = convex_optimum(tree, noisy, variances, total, cumulative=True)
    precisions = np.array([0.0 if v is None else 1 / v for v in variances])[tree.level_of]
    cost = (precisions[:, None] * (solved.values - noisy) ** 2).sum()
    assert cost == pytest.approx(least, rel=1e-6, abs=1e-6)
    # The last level is measured, so the optimum is unique, unmeasured levels included.
    np.testing.assert_allclose(solved.values, best, atol=1e-5)


TREES = {
    2: Hierarchy(parent=np.array([-1, 0, 0, 0]), level_start=np.array([0, 1, 4])),
    3: Hierarchy(parent=np.array([-1, 0, 0, 1, 1, 2]), level_start=np.array([0, 1, 3, 6])),
    4: Hierarchy(
        parent=np.array([-1, 0, 0, 1, 2, 2, 3, 3, 4, 5]), level_start=np.array([0, 1, 3, 6, 10])
    ),
}
MEASURED = [
    (*above, True) for n in TREES for above in itertools.product([False, True], repeat=n - 1)
]


@pytest.mark.parametrize("measured", MEASURED, ids=lambda m: "".join(str(int(k)) for k in m))
@pytest.mark.parametrize("ratio", [1, 100, 10**6])
@settings(max_examples=examples(20))
@given(data=st.data())
def test_any_levels_may_be_unmeasured_and_variances_differ(measured, ratio, data):
    tree = TREES[len(measured)]
    scale = st.sampled_from([1.0, ratio**0.5, float(ratio)])
    variances = [data.draw(scale) if known else None for known in measured]
    n_sizes = data.draw(st.integers(1, 5))
    cells = tree.n_nodes * n_sizes
    flat = data.draw(st.lists(st.integers(-30, 60), min_size=cells, max_size=cells))
    noisy, total = np.reshape(flat, (tree.n_nodes, n_sizes)), data.draw(st.integers(0, 99))
    solved = solve_cumulative_program(tree, noisy, variances, total=total, tolerance=1e-7)
    assert solved.values.min() >= 0
    assert (np.diff(solved.values, axis=1) >= 0).all()
    assert solved.values[0, -1] == pytest.approx(total, abs=1e-4)
    for level in range(tree.n_levels - 1):
        sums = child_sums(tree, solved.values, level)
        np.testing.assert_allclose(sums, solved.values[tree.level(level)], atol=1e-4)
    best, least = convex_optimum(tree, noisy, variances, total, cumulative=True)
    precisions = np.array([0.0 if v is None else 1 / v for v in variances])[tree.level_of]
    cost = (precisions[:, None] * (solved.values - noisy) ** 2).sum()
    assert cost == pytest.approx(least, rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(solved.values, best, atol=1e-3)


@pytest.mark.parametrize("n_levels", TREES)
@pytest.mark.parametrize("reach", [10**3, 10**4, 10**6])
def test_targets_far_from_any_table_are_solved_as_well(n_levels, reach):
    tree, rng = TREES[n_levels], np.random.default_rng(reach + n_levels)
    for _ in range(20):
        shape = tree.n_nodes, 4
        far = rng.choice([-1, 1], shape) * 10 ** rng.uniform(0, np.log10(reach), shape)
        noisy = np.where(rng.random(shape) < 0.35, far, rng.integers(-1, 6, shape)).astype(int)
        solved = solve_cumulative_program(tree, noisy, [8.0] * n_levels, total=6, tolerance=1e-7)
        best, _ = convex_optimum(tree, noisy, [8.0] * n_levels, 6, cumulative=True)
        np.testing.assert_allclose(solved.values, best, atol=1e-3)
        usual = solve_cumulative_program(tree, noisy, [8.0] * n_levels, total=6)
        # The solver states 5% of the noise's deviation between copies: allow a few times that.
        np.testing.assert_allclose(usual.values, best, atol=0.75)


# --- Models 2 and 3 in whole numbers


def cumulative_cost_by_milp(tree, noisy, weights, total):
    """The lowest cost of Model 2, by HiGHS with a binary variable for each cell and value."""
    n_sizes, values = noisy.shape[1], np.arange(total + 1)
    cost = weights[tree.level_of][:, None, None] * (values - noisy[:, :, None]) ** 2

    def value_of(node, size, sign=1):
        row = np.zeros(cost.shape)
        row[node, size] = sign * values
        return row

    equal, above = [], []
    for node in range(tree.n_nodes):
        for size in range(n_sizes):
            one = np.zeros(cost.shape)
            one[node, size] = 1
            equal.append((one, 1))
            if size:
                above.append(value_of(node, size) - value_of(node, size - 1))
            if node < tree.leaves.start:
                family = range(tree.n_nodes)[tree.children(node)]
                parts = sum(value_of(child, size) for child in family)
                equal.append((value_of(node, size) - parts, 0))
    equal.append((value_of(0, n_sizes - 1), total))
    rules = np.array([row.ravel() for row, _ in equal] + [row.ravel() for row in above])
    low = np.array([side for _, side in equal] + [0] * len(above))
    high = np.array([side for _, side in equal] + [np.inf] * len(above))
    found = milp(
        cost.ravel(),
        integrality=np.ones(cost.size),
        bounds=(0, 1),
        constraints=LinearConstraint(rules, low, high),
        options={"mip_rel_gap": 0},
    )
    assert found.status == 0
    return int(cost.ravel()[found.x > 0.5].sum())


@settings(max_examples=examples(80))
@given(table=noisy_tables(max_nodes=6, max_sizes=3, largest_total=7))
def test_two_generic_solvers_agree_on_the_cumulative_integer_program(table):
    tree, noisy, variances, total = table
    weights = whole_weights(variances)
    whole = solve_cumulative_by_integer_program(tree, noisy, weights, total=total, seconds=SECONDS)
    check_whole(tree, whole)
    assert (np.diff(whole, axis=1) >= 0).all()
    assert whole[0, -1] == total
    assert cost_of(tree, noisy, weights, whole) == cumulative_cost_by_milp(
        tree, noisy, weights, total
    )


def post_order(tree, node=0):
    if node < tree.leaves.start:
        for child in range(tree.n_nodes)[tree.children(node)]:
            yield from post_order(tree, child)
    yield node


def chain_by_scip(tree, noisy, weights, total):
    """Model 3 as published: one variable for each node and size, in post-order."""
    model = pyscipopt.Model()
    model.hideOutput()
    costs, before, last = [], None, None
    for size in range(noisy.shape[1]):
        for node in post_order(tree):
            sum_so_far = model.addVar(vtype="I", lb=0, ub=total)
            if before is not None and tree.parent[before] == node:
                model.addCons(last == sum_so_far)
            elif before is not None:
                model.addCons(last <= sum_so_far)
            weight, target = int(weights[tree.level_of[node]]), int(noisy[node, size])
            if weight:
                cost = model.addVar(vtype="M", lb=0)
                model.addCons((sum_so_far - target) * (sum_so_far - target) <= cost)
                costs.append(weight * cost)
            before, last = node, sum_so_far
    model.addCons(last == total)
    model.setObjective(pyscipopt.quicksum(costs), "minimize")
    model.optimize()
    assert model.getStatus() == "optimal"
    return round(model.getObjVal())


@settings(max_examples=examples(150))
@given(table=noisy_tables())
def test_the_chain_costs_what_model_3_costs(table):
    tree, noisy, variances, total = table
    weights = np.array([0 if v is None else round(1 / v) for v in variances])
    fitted = fit_chain(tree, noisy, variances, total=total)
    check_whole(tree, fitted)
    assert fitted[0].sum() == total
    assert cost_of(tree, noisy, weights, running_sums(tree, fitted)) == chain_by_scip(
        tree, noisy, weights, total
    )


# --- top-down, family by family


@settings(max_examples=examples(100))
@given(table=noisy_tables())
def test_top_down_rounds_the_convex_optimum_of_every_family(table):
    tree, targets, _, total = table
    values = split_top_down(tree, targets, total=total)
    check_whole(tree, values)
    families = [(targets[0], values[0], total)]
    for node in range(tree.leaves.start):
        below = tree.children(node)
        families += list(zip(targets[below].T, values[below].T, values[node], strict=True))
    for wanted, given_out, whole in families:
        assert given_out.sum() == whole
        real = nearest_shares(np.eye(len(wanted)), wanted, np.ones(len(wanted)), whole)
        # No value moves by 1 or more, and none is rounded up before a larger fraction.
        moved = given_out - real
        assert np.abs(moved).max() < 1 - 1e-9 or np.abs(moved).max() < 1e-5
        fraction = real - np.floor(real + 1e-6)
        up, down = fraction[moved > 1e-5], fraction[moved < -1e-5]
        assert not len(up) or not len(down) or up.min() >= down.max() - 1e-5
