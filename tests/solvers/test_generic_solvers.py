"""Limits of the generic solvers are checked before they run, and no partial result is returned."""

import builtins
import sys
from time import perf_counter

import numpy as np
import pytest
from support.simulations import simulated
from support.strategies import regions_of

from hierdp_core import mechanisms, samples
from hierdp_core.exceptions import ChoiceError, SolverError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.simulation import plan
from hierdp_core.solvers import integer_program
from hierdp_core.solvers.generic_cost_tables import solve_tree_by_generic_tables
from hierdp_core.solvers.integer_program import (
    solve_cumulative_by_integer_program,
    solve_sizes_by_integer_program,
)
from hierdp_core.tables import GroupSizes

BY_SCIP = ("pgsr-h", "pgsr-c")
GENERIC = (*BY_SCIP, "pgsr-h-dp-generic")
INSTEAD = {"pgsr-h": "pgsr-h-dp", "pgsr-c": "pgsr-c-opt", "pgsr-h-dp-generic": "pgsr-h-dp"}
SOLVERS = (
    solve_sizes_by_integer_program,
    solve_cumulative_by_integer_program,
    solve_tree_by_generic_tables,
)


def flat_table(leaves, sizes):
    """A root and its children, with one group in each."""
    tree = Hierarchy(parent=np.array([-1] + [0] * leaves), level_start=np.array([0, 1, 1 + leaves]))
    values = np.zeros((leaves, sizes), dtype=np.int64)
    values[:, 1] = 1
    return GroupSizes.from_leaves(regions_of(tree), values)


@pytest.mark.parametrize("id", GENERIC)
def test_the_running_example_fits(id):
    released = simulated(samples.load("running-example").table, id, epsilon=1)
    assert released.checks.consistent
    assert released.checks.keeps_invariants


@pytest.mark.parametrize("id", GENERIC)
def test_a_table_too_large_is_refused_before_the_run(id):
    most = MECHANISMS[id].largest_cells
    table = flat_table(leaves=9, sizes=most // 10)
    assert plan(table, id, epsilon=1).id == id
    with pytest.raises(ChoiceError) as refused:
        plan(flat_table(leaves=10, sizes=most // 10), id, epsilon=1)
    shown = str(refused.value)
    assert f"up to {most:,} counts" in shown
    assert f"this one has {11 * (most // 10):,} (11 areas × {most // 10:,} sizes)" in shown
    assert f"Use {INSTEAD[id]}, " in shown
    assert "\n" not in shown
    assert mechanisms.describe(id).as_dict()["largest_cells"] == most
    assert plan(flat_table(leaves=10, sizes=most // 10), INSTEAD[id], epsilon=1)


@pytest.mark.parametrize("id", BY_SCIP)
def test_without_the_solver_the_extra_is_named(id, monkeypatch):
    found = builtins.__import__

    def missing(name, *rest):
        if name == "pyscipopt":
            raise ModuleNotFoundError(name)
        return found(name, *rest)

    monkeypatch.delitem(sys.modules, "pyscipopt", raising=False)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ChoiceError) as shown:
        plan(flat_table(leaves=2, sizes=3), id, epsilon=1)
    assert "(pyscipopt) is not installed" in str(shown.value)
    assert 'pip install ".[exact]"' in str(shown.value)
    assert f"Use {INSTEAD[id]}, " in str(shown.value)
    assert "\n" not in str(shown.value)


@pytest.mark.parametrize("id", GENERIC)
def test_the_time_limit_is_an_option_and_reaches_the_solver(id, monkeypatch):
    limits = []

    def solve(tree, targets, weights, *, total, seconds):
        limits.append(seconds)
        return np.zeros_like(targets)

    for solver in SOLVERS:
        monkeypatch.setattr(f"hierdp_core.mechanisms.generic.{solver.__name__}", solve)
    table = flat_table(leaves=2, sizes=3)
    for options in (None, {"time_limit": "10"}, {"time_limit": 600}):
        simulated(table, mechanisms.parse(id, options), epsilon=1)
    assert limits == [60, 10, 600]
    with pytest.raises(ChoiceError, match="Choose 10, 60 or 600"):
        plan(table, f"{id}: time_limit=0", epsilon=1)


@pytest.mark.parametrize("solve", SOLVERS)
def test_at_the_time_limit_it_is_an_error_and_nothing_is_returned(solve):
    tree = Hierarchy(parent=np.array([-1] + [0] * 40), level_start=np.array([0, 1, 41]))
    targets = np.random.default_rng(0).integers(0, 100, (41, 30))
    started = perf_counter()
    with pytest.raises(SolverError, match=r"time limit of 0\.05 seconds .*Nothing is released"):
        solve(tree, targets, np.array([1, 1]), total=5_000, seconds=0.05)
    assert perf_counter() - started < 30


def test_a_solver_that_ends_otherwise_states_how():
    class Stopped:
        def setParam(self, name, value): ...
        def optimizeNogil(self): ...
        def getStatus(self):
            return "memlimit"

    with pytest.raises(SolverError, match=r"without an optimum \(memlimit\). Nothing is released"):
        integer_program._optimise(Stopped(), 60)


@pytest.mark.parametrize("solve", SOLVERS[:2])
def test_an_answer_above_the_proven_bound_is_not_taken(solve, monkeypatch):
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    targets, weights = np.array([[9, 1], [3, 8], [-4, 2]]), np.array([1, 1])
    optimise = integer_program._optimise
    monkeypatch.setattr(integer_program, "_optimise", lambda m, s: optimise(m, s) - 1)
    with pytest.raises(SolverError, match="too large for its precision"):
        solve(tree, targets, weights, total=12, seconds=60)


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize("total", [0, 1])
def test_very_few_groups_are_solved(solve, total):
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    values = solve(tree, np.array([[5], [7], [-9]]), np.array([1, 1]), total=total, seconds=60)
    assert values.tolist() == [[total], [total], [0]]


def test_windows_far_from_the_optimum_reach_it():
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    # The noisy root pulls the start towards the first size, its children towards the second.
    targets = np.array([[900, 0], [0, 500], [0, 400]])
    values = solve_tree_by_generic_tables(
        tree, targets, np.array([1, 65536]), total=900, seconds=60, reach=2
    )
    assert values.tolist() == [[0, 900], [0, 500], [0, 400]]
