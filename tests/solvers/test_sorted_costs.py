"""Sorting the units of very many children, as in a nation of municipalities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers import tree_lists
from hierdp_core.solvers.first_calls import interpreted
from hierdp_core.solvers.tree_program import solve_tree_program

sort = interpreted(tree_lists._sort)


@given(
    st.integers(0, 200),
    st.sampled_from([1, 3, 31, 32, 33, 10**6]),
    st.integers(0, 2**32 - 1),
)
def test_it_is_a_stable_sort_of_some_entries(n_runs, n_costs, seed):
    rng = np.random.default_rng(seed)
    costs = [
        np.sort(rng.integers(0, n_costs, length) - n_costs / 2)
        for length in rng.integers(1, 7, n_runs)
    ]
    cost = np.concatenate([[9.0], *costs, [-9e9]])
    n = len(cost)
    who, many = np.arange(n, dtype=np.int32), rng.integers(1, 9, n).astype(np.int32)
    order = np.concatenate([[0], 1 + np.argsort(cost[1:-1], kind="stable"), [n - 1]])
    expected = cost[order], who[order], many[order]
    sort(cost, who, many, 1, n - 1, np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32))
    for found, right in zip((cost, who, many), expected, strict=True):
        np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("leaf", [1.0, 1.0000001])
def test_early_children_come_first_among_five_hundred(leaf):
    parent = np.concatenate([[-1], np.zeros(500), np.repeat(np.arange(1, 501), 2)]).astype(np.int64)
    tree = Hierarchy(parent=parent, level_start=np.array([0, 1, 501, 1501]))
    targets = np.full((tree.n_nodes, 1), 3)
    values = solve_tree_program(tree, targets, np.array([1.0, 1.0, leaf]), total=750)
    assert values[1:501, 0].tolist() == [2] * 250 + [1] * 250
