"""Cost tables: the exact values of the papers, and slow recursions that try every split."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.strategies import hierarchies

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.chain import fit_chain, running_sums
from hierdp_core.solvers.cost_tables import (
    LARGEST_WINDOW,
    chain_order,
    chain_tables,
    cost_table,
    cost_tables,
    root_price,
    subtree,
    unit_costs,
)
from hierdp_core.solvers.tree_program import solve_tree_program

# The running example of [A]: noisy GA 3, NY 0, US 2 for size 1; other sizes without noise.
US_GA_NY = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
TARGETS = np.array([[2, 1, 2, 0, 0], [3, 0, 1, 0, 0], [0, 1, 1, 0, 0]])
EVEN = np.array([1, 1])
US, GA, NY = 0, 1, 2


def example(node, **options):
    values = solve_tree_program(US_GA_NY, TARGETS, EVEN, total=6)
    return cost_table(US_GA_NY, TARGETS[:, 0], EVEN, values[:, 0], node, window=(0, 5), **options)


def slow_tables(tree, targets, weights, top):
    """τ and φ of every node, by trying every split of a value between two children at a time."""
    tau, phi = {}, {}
    for node in reversed(range(tree.n_nodes)):
        below = [0] * (top + 1)
        for k, child in enumerate(range(tree.n_nodes)[tree.children(node)]):
            below = [
                min(
                    below[v - x] + tau[child][x]
                    for x in range(v + 1)
                    if k > 0 or x == v  # the first child gets all of it
                )
                for v in range(top + 1)
            ]
        phi[node] = below
        weight, target = int(weights[tree.level_of[node]]), int(targets[node])
        tau[node] = [weight * (v - target) ** 2 + below[v] for v in range(top + 1)]
    return tau, phi


@st.composite
def programs(draw):
    tree = draw(hierarchies(max_levels=4, max_nodes=14))
    n_sizes, spread = draw(st.integers(1, 3)), draw(st.sampled_from([1, 3, 8]))
    cells = tree.n_nodes * n_sizes
    flat = draw(st.lists(st.integers(-spread, spread), min_size=cells, max_size=cells))
    weight = st.sampled_from([0, 1, 1, 2, 3, 997])
    weights = draw(st.lists(weight, min_size=tree.n_levels, max_size=tree.n_levels))
    weights[-1] = max(1, weights[-1])
    total = draw(st.none() | st.integers(0, 25))
    return tree, np.reshape(flat, (tree.n_nodes, n_sizes)), np.array(weights), total


class TestGolden:
    def test_table_5(self):
        assert example(GA).tau.tolist() == [9, 4, 1, 0, 1, 4]
        assert example(NY).tau.tolist() == [0, 1, 4, 9, 16, 25]
        us = example(US)
        assert us.tau.tolist() == [13, 5, 1, 1, 5, 11]
        assert us.phi.tolist() == [9, 4, 1, 0, 1, 2]
        assert us.own.tolist() == [4, 1, 0, 1, 4, 9]
        assert us.split.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [4, 1]]

    def test_the_merge_and_the_choice_of_table_5(self):
        values = solve_tree_program(US_GA_NY, TARGETS, EVEN, total=6)
        price = root_price(US_GA_NY, TARGETS, EVEN, values, total=6)
        us = example(US, price=price)
        assert us.merged.tolist() == [-5, -3, -1, 1, 1]
        assert us.taken_from.tolist() == [0, 0, 0, 0, 1]
        assert us.slopes.tolist() == [-8, -4, 0, 4, 6]
        assert (us.chosen, us.best, us.price) == (3, 2, 0)
        assert [example(node).chosen for node in (GA, NY)] == [3, 0]
        assert example(GA).price == example(NY).price == -1

    def test_all_tables_at_once(self):
        tables = cost_tables(US_GA_NY, np.array([2, 3, 0]), EVEN, top=5)
        assert tables.tau.tolist() == [
            [13, 5, 1, 1, 5, 11],
            [9, 4, 1, 0, 1, 4],
            [0, 1, 4, 9, 16, 25],
        ]
        assert tables.phi[0].tolist() == [9, 4, 1, 0, 1, 2]

    def test_table_6(self):
        order, tied = chain_order(US_GA_NY)
        assert order.tolist() == [GA, NY, US]
        assert tied.tolist() == [False, False, True]
        chain = chain_tables([3, 3, 2], tied, [1, 1, 1], top=4)
        assert chain.tau.tolist() == [[9, 4, 1, 0, 1], [18, 8, 2, 0, 1], [22, 9, 2, 1, 5]]
        assert chain.phi[1].tolist() == [9, 4, 1, 0, 0]
        assert chain.chosen.tolist() == [3, 3, 3]


@settings(max_examples=examples(400))
@given(program=programs(), data=st.data())
def test_a_window_is_cut_from_the_slow_tables(program, data):
    tree, targets, weights, total = program
    values = solve_tree_program(tree, targets, weights, total=total)
    size = data.draw(st.integers(0, targets.shape[1] - 1))
    node = data.draw(st.integers(0, tree.n_nodes - 1))
    low = data.draw(st.integers(0, 12))
    asked = data.draw(st.sampled_from([None, (low, low + 6)]))
    table = cost_table(tree, targets[:, size], weights, values[:, size], node, window=asked)
    assert table.step == 1
    top = int(table.values[-1])
    tau, phi = slow_tables(tree, targets[:, size], weights, top)
    assert table.tau.tolist() == [tau[node][v] for v in table.values]
    children = range(tree.n_nodes)[tree.children(node)]
    assert table.phi.tolist() == [phi[node][v] if children else 0 for v in table.values]
    # Every split is one of the best, and adds up.
    if children:
        assert (table.split.sum(axis=1) == table.values).all()
        for row, least in zip(table.split, table.phi, strict=True):
            assert sum(tau[c][x] for c, x in zip(children, row, strict=True)) == least
    # No value that matters is cut off.
    assert table.chosen == values[node, size]
    must = {table.chosen, table.best} | ({max(0, table.target)} if table.weight else set())
    assert must <= set(table.values.tolist())
    longer, _ = slow_tables(tree, targets[:, size], weights, top + 12)
    assert table.best == int(np.argmin(longer[node]))


@given(program=programs(), data=st.data())
def test_the_split_at_the_chosen_value_is_the_choice_of_the_program(program, data):
    tree, targets, weights, total = program
    values = solve_tree_program(tree, targets, weights, total=total)
    for size, node in itertools.product(range(targets.shape[1]), range(tree.leaves.start)):
        table = cost_table(tree, targets[:, size], weights, values[:, size], node)
        chosen = values[tree.children(node), size]
        assert table.split[table.chosen_at].tolist() == chosen.tolist()


@given(program=programs())
def test_units_up_to_the_price_are_taken_and_no_others(program):
    tree, targets, weights, total = program
    values = solve_tree_program(tree, targets, weights, total=total)
    price = root_price(tree, targets, weights, values, total=total)
    assert (price is None) == (total == 0)
    for size, node in itertools.product(range(targets.shape[1]), range(tree.n_nodes)):
        table = cost_table(tree, targets[:, size], weights, values[:, size], node, price=price)
        if table.price is None:
            assert table.chosen == 0
            continue
        taken, left = table.slopes[: table.chosen_at], table.slopes[table.chosen_at :]
        assert (taken <= table.price).all()
        assert (left >= table.price).all()


@given(program=programs())
def test_the_costs_of_units_are_the_steps_of_the_tables(program):
    tree, targets, weights, total = program
    values = solve_tree_program(tree, targets, weights, total=total)
    last, more = unit_costs(tree, targets, weights, values)
    top = int(values.max()) + 1
    for size in range(targets.shape[1]):
        tau, _ = slow_tables(tree, targets[:, size], weights, top)
        for node in range(tree.n_nodes):
            v = int(values[node, size])
            assert more[node, size] == tau[node][v + 1] - tau[node][v]
            if v > 0:
                assert last[node, size] == tau[node][v] - tau[node][v - 1]


@given(program=programs())
def test_tables_from_zero_agree_with_trying_every_split(program):
    tree, targets, weights, _ = program
    tables = cost_tables(tree, targets[:, 0], weights, top=9)
    tau, phi = slow_tables(tree, targets[:, 0], weights, 9)
    assert tables.tau.tolist() == [tau[node] for node in range(tree.n_nodes)]
    assert tables.phi[0].tolist() == phi[0]


@given(tree=hierarchies(), data=st.data())
def test_a_subtree_is_everything_below_a_node(tree, data):
    node = data.draw(st.integers(0, tree.n_nodes - 1))
    below, nodes = subtree(tree, node)
    inside = {node}
    for other in range(node + 1, tree.n_nodes):
        if int(tree.parent[other]) in inside:
            inside.add(other)
    assert nodes.tolist() == sorted(inside)
    assert (nodes[below.parent[1:]] == tree.parent[nodes[1:]]).all()


def test_windows_far_from_zero_begin_where_they_are_needed():
    targets = np.array([[10**9 + 5], [10**9], [3]])
    values = solve_tree_program(US_GA_NY, targets, EVEN)
    table = cost_table(US_GA_NY, targets[:, 0], EVEN, values[:, 0], 0)
    assert table.values[0] > 10**9 - 10
    assert len(table.values) < 20
    assert table.values.tolist().count(table.chosen) == 1


def test_a_wide_window_has_steps_that_include_the_chosen_value():
    targets = np.array([[9001], [4000], [-7]])
    values = solve_tree_program(US_GA_NY, targets, EVEN)
    table = cost_table(US_GA_NY, targets[:, 0], EVEN, values[:, 0], 0)
    full = cost_tables(US_GA_NY, targets[:, 0], EVEN, top=int(table.values[-1]))
    assert table.step > 1
    assert table.tau.tolist() == full.tau[0][table.values].tolist()
    assert table.values[table.chosen_at] == table.chosen
    assert (np.diff(table.split, axis=0).sum(axis=1) == table.step).all()


def test_what_was_not_measured_does_not_widen_the_window():
    targets = np.array([[0], [10**8], [10**8 + 5]])
    values = solve_tree_program(US_GA_NY, targets, np.array([0, 1]))
    table = cost_table(US_GA_NY, targets[:, 0], np.array([0, 1]), values[:, 0], 0)
    assert table.chosen == 2 * 10**8 + 5
    assert len(table.values) < 20
    assert (table.own == 0).all()


def test_costs_beyond_whole_numbers_become_fractions():
    targets, weights = np.array([[2**40], [2**40 + 3], [0]]), np.array([1, 65536])
    values = solve_tree_program(US_GA_NY, targets, weights)
    lone = cost_table(US_GA_NY, targets[:, 0], weights, values[:, 0], 2, window=(0, 9))
    assert lone.tau[1] == 65536
    far = np.array([[2**19], [-(2**40)], [0]])
    table = cost_table(US_GA_NY, far[:, 0], weights, np.zeros(3, dtype=np.int64), 0)
    assert table.phi.dtype == np.float64
    assert table.phi[0] == pytest.approx(65536 * 2.0**80)


def test_a_window_too_wide_is_refused():
    targets = np.array([[LARGEST_WINDOW * 2], [0], [0]])
    with pytest.raises(ValueError, match="A window holds up to"):
        cost_table(US_GA_NY, targets[:, 0], EVEN, np.zeros(3, dtype=np.int64), 0)


def slow_chain(targets, tied, weights, top, end):
    """The lowest cost of a chain, by trying every monotone sequence."""
    best = None
    for values in itertools.product(range(top + 1), repeat=len(targets)):
        pairs = zip(values, values[1:], tied[1:], strict=False)
        if any(b < a or (t and a != b) for a, b, t in pairs):
            continue
        if end is not None and values[-1] != end:
            continue
        cost = sum(w * (v - t) ** 2 for v, t, w in zip(values, targets, weights, strict=True))
        best = cost if best is None else min(best, cost)
    return best


@st.composite
def chains(draw):
    n = draw(st.integers(1, 5))
    targets = draw(st.lists(st.integers(-3, 5), min_size=n, max_size=n))
    tied = [False, *draw(st.lists(st.booleans(), min_size=n - 1, max_size=n - 1))]
    weights = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return targets, tied, weights, draw(st.none() | st.integers(0, 5))


@given(chain=chains())
def test_a_chain_costs_what_the_best_of_all_sequences_does(chain):
    targets, tied, weights, end = chain
    tables = chain_tables(targets, tied, weights, top=5, end=end)
    chosen = tables.chosen
    cost = sum(w * (int(v) - t) ** 2 for v, t, w in zip(chosen, targets, weights, strict=True))
    assert cost == slow_chain(targets, tied, weights, 5, end) == tables.tau[-1, chosen[-1]]
    assert (np.diff(chosen) >= 0).all()
    assert not (np.diff(chosen)[np.array(tied[1:], dtype=bool)] != 0).any()


@settings(max_examples=examples(60))
@given(tree=hierarchies(max_levels=3, max_nodes=8), data=st.data())
def test_the_chain_of_a_tree_costs_what_its_solver_finds(tree, data):
    n_sizes, total = 3, data.draw(st.integers(0, 9))
    cells = tree.n_nodes * n_sizes
    flat = data.draw(st.lists(st.integers(-4, 12), min_size=cells, max_size=cells))
    noisy = np.reshape(flat, (tree.n_nodes, n_sizes))
    fitted = running_sums(tree, fit_chain(tree, noisy, [1.0] * tree.n_levels, total=total))
    order, tied = chain_order(tree)
    column = noisy[order].T.ravel()
    tables = chain_tables(
        column, np.tile(tied, n_sizes), np.ones(len(column), dtype=int), top=total, end=total
    )
    assert tables.tau[-1, total] == ((fitted - noisy) ** 2).sum()


def test_a_chain_is_not_cut_off_above():
    with pytest.raises(ValueError, match="Choose a larger `top`"):
        chain_tables([3, 7], [False, False], [1, 1], top=5)
    with pytest.raises(ValueError, match="Choose a larger `top`"):
        chain_tables([3, 3], [False, False], [1, 1], top=5, end=6)
