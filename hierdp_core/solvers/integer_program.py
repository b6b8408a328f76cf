"""Models 1 and 2 as published, solved by SCIP, a generic solver of integer programs.

This is slower than `tree_program` and independent of it. Every value is written as a feasible start
plus an integer step u, and its cost as some z ≥ u² and a linear part. The numbers in the solver
then stay small, so that its tolerances are far below one unit of cost. A solution is accepted only
if its cost, computed again in integers, is less than one above the bound that the solver proved.
"""

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from hierdp_core.exceptions import ChoiceError, SolverError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.top_down import split_top_down
from hierdp_core.util.arrays import IntArray

# Costs of integer steps with integer weights are integers. A cost less than 1 above a lower bound
# is therefore the minimum.
_WHOLE = 1 - 1e-3
_LARGEST_EXACT = 2**53  # beyond it, floats cannot represent every integer


def scip() -> ModuleType:
    """Return the module of SCIP.

    Raises:
        ChoiceError: SCIP is not installed.
    """
    try:
        import pyscipopt
    except ImportError:
        raise ChoiceError(
            "The solver SCIP (pyscipopt) is not installed. "
            'Install it in the folder of the repository: pip install ".[exact]".'
        ) from None
    return pyscipopt  # type: ignore[no-any-return]


def solve_sizes_by_integer_program(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int, seconds: float
) -> IntArray:
    """Solve Model 1: return the consistent, non-negative integers closest to `targets`.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes), any integers.
        weights: shape (n_levels,), integers, 0 for a level that is not measured.
        total: the sum of the root's values over all sizes.
        seconds: the time limit of the solver.

    Returns:
        shape (n_nodes, n_sizes). If there are several optima, any of them.

    Raises:
        ChoiceError: SCIP is not installed.
        SolverError: SCIP stopped without a proved optimum.

    Source: Model 1 of [A].
    """
    start = split_top_down(tree, targets, total=total)

    def add_rules(model: Any, steps: list[list[Any]]) -> None:
        model.addCons(scip().quicksum(steps[0]) == 0)

    return _nearest(tree, targets, weights, start, total, add_rules, seconds)


def solve_cumulative_by_integer_program(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int, seconds: float
) -> IntArray:
    """Solve Model 2: return the consistent, non-decreasing rows of integers closest to `targets`.

    Args:
        tree: the hierarchy.
        targets: noisy cumulative counts, shape (n_nodes, n_sizes), any integers.
        weights: shape (n_levels,), integers, 0 for a level that is not measured.
        total: the last value of the root's row.
        seconds: the time limit of the solver.

    Returns:
        cumulative counts, shape (n_nodes, n_sizes). If there are several optima, any of them.

    Raises:
        ChoiceError: SCIP is not installed.
        SolverError: SCIP stopped without a proved optimum.

    Source: Model 2 of [A].
    """
    near = np.clip(isotonic_rows(targets.astype(np.float64)), 0, total)
    sizes = np.rint(near).astype(np.int64)
    sizes[:, 1:] -= sizes[:, :-1].copy()
    start = np.cumsum(split_top_down(tree, sizes, total=total), axis=1)

    def add_rules(model: Any, steps: list[list[Any]]) -> None:
        for row, base in zip(steps, start.tolist(), strict=True):
            for i in range(len(row) - 1):
                model.addCons(row[i + 1] - row[i] >= base[i] - base[i + 1])
        model.addCons(steps[0][-1] == 0)

    return _nearest(tree, targets, weights, start, total, add_rules, seconds)


def _nearest(
    tree: Hierarchy,
    targets: IntArray,
    weights: IntArray,
    start: IntArray,
    total: int,
    add_rules: Callable[[Any, list[list[Any]]], None],
    seconds: float,
) -> IntArray:
    """Return the consistent integers in 0…total closest to `targets` that satisfy the constraints.

    Args:
        start: feasible values; the variables of the model are steps from them.
        add_rules: adds the constraints other than consistency, in terms of these steps.
    """
    weight = weights[tree.level_of][:, None]
    # Python's own integers: costs beyond the precision of floats are found and do not overflow.
    slope = 2 * weight.astype(object) * (start - targets)
    if max(slope.max(), -slope.min(), weights.max()) > _LARGEST_EXACT:
        raise _too_large_for_scip()
    model = scip().Model()
    model.hideOutput()
    steps, costs = [], []
    for node in range(tree.n_nodes):
        own, bases, slopes = int(weight[node, 0]), start[node].tolist(), slope[node].tolist()
        row = [model.addVar(vtype="I", lb=-base, ub=total - base) for base in bases]
        steps.append(row)
        if own == 0:
            continue
        for u, linear in zip(row, slopes, strict=True):
            z = model.addVar(vtype="M", lb=0)  # an integer whenever u is: nothing to branch on
            model.addCons(u * u <= z)
            costs.append(own * z + linear * u)
    for node in range(tree.leaves.start):
        children = steps[tree.children(node)]
        for size, u in enumerate(steps[node]):
            model.addCons(scip().quicksum(row[size] for row in children) == u)
    add_rules(model, steps)
    model.setObjective(scip().quicksum(costs), "minimize")
    bound = _optimise(model, seconds)

    solution: IntArray = np.rint([[model.getVal(step) for step in row] for row in steps]).astype(
        np.int64
    )
    if int((weight * solution.astype(object) ** 2 + slope * solution).sum()) > bound + _WHOLE:
        raise _too_large_for_scip()
    nearest: IntArray = start + solution
    return nearest


def _too_large_for_scip() -> SolverError:
    return SolverError(
        "SCIP stopped before it proved an optimum: the numbers are too large for its "
        "precision. Nothing is released. Choose a larger budget or a more even allocation."
    )


def _optimise(model: Any, seconds: float) -> float:
    """Run the solver and return the bound that it proved.

    Raises:
        SolverError: the solver ended without an optimum.
    """
    model.setParam("limits/time", float(seconds))
    # SCIP installs a handler for interrupts, which is only possible in the main thread.
    main = threading.current_thread() is threading.main_thread()
    model.setParam("misc/catchctrlc", main)
    model.optimizeNogil()
    status = model.getStatus()
    if status == "userinterrupt":
        raise KeyboardInterrupt
    if status == "timelimit":
        raise SolverError(
            f"SCIP reached its time limit of {seconds:g} seconds before it proved an optimum. "
            "Nothing is released. Use a smaller table, or a longer time limit (time_limit, up to "
            "600)."
        )
    if status != "optimal":
        raise SolverError(
            f"SCIP ended without an optimum ({status}). Nothing is released. Use a smaller table."
        )
    return float(model.getDualbound())
