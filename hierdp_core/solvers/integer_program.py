"""Models 1 and 2 as published, solved by SCIP, a generic solver of integer programs.

Slow beside `tree_program`, and independent of it. Every value is written as a start that
fits plus a whole step u, and its cost as a z ≥ u² and a linear part: the numbers the
solver works with stay small, so that its tolerances are far below one unit of cost. An
answer counts only if its cost, added up again in whole numbers, is less than one above
the bound the solver proved.
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

# Costs of whole steps under whole weights are whole: less than one above a bound is least.
_WHOLE = 1 - 1e-3
_LARGEST_EXACT = 2**53  # beyond, floats leave whole numbers out


def scip() -> ModuleType:
    """Return the module of the solver.

    Raises:
        ChoiceError: the solver is not installed.
    """
    try:
        import pyscipopt
    except ImportError:
        raise ChoiceError(
            "The solver SCIP (pyscipopt) is not installed; "
            "add it with: pip install 'hierdp[exact]'."
        ) from None
    return pyscipopt  # type: ignore[no-any-return]


def solve_sizes_by_integer_program(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int, seconds: float
) -> IntArray:
    """Model 1: the whole, non-negative, consistent values nearest to `targets`.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes), any whole numbers.
        weights: shape (n_levels,), whole, 0 for a level that is not measured.
        total: what the root's values add up to.
        seconds: the solver stops after these.

    Returns:
        shape (n_nodes, n_sizes). Of several that are equally near, any one.

    Raises:
        ChoiceError: SCIP is not installed.
        SolverError: it stopped without the optimum.

    Source: Model 1 of [A], SPEC 3.
    """
    start = split_top_down(tree, targets, total=total)

    def add_rules(model: Any, steps: list[list[Any]]) -> None:
        model.addCons(scip().quicksum(steps[0]) == 0)

    return _nearest(tree, targets, weights, start, total, add_rules, seconds)


def solve_cumulative_by_integer_program(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int, seconds: float
) -> IntArray:
    """Model 2: the whole, rising, consistent rows nearest to `targets`.

    Args:
        tree: the hierarchy.
        targets: cumulative numbers, shape (n_nodes, n_sizes), any whole numbers.
        weights: shape (n_levels,), whole, 0 for a level that is not measured.
        total: where the root's row ends.
        seconds: the solver stops after these.

    Returns:
        cumulative numbers, shape (n_nodes, n_sizes). Of several that are equally near,
        any one.

    Raises:
        ChoiceError: SCIP is not installed.
        SolverError: it stopped without the optimum.

    Source: Model 2 of [A], SPEC 3.
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
    """The consistent values in 0…total nearest to `targets` that keep the rules.

    Args:
        start: values that keep all rules; the model is written in steps from them.
        add_rules: adds the rules besides consistency, in steps from the start.
    """
    weight = weights[tree.level_of][:, None]
    # Python's own whole numbers: what exceeds the precision of floats is an error and not wrapped.
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
            z = model.addVar(vtype="M", lb=0)  # whole wherever u is: nothing to branch on
            model.addCons(u * u <= z)
            costs.append(own * z + linear * u)
    for node in range(tree.leaves.start):
        children = steps[tree.children(node)]
        for size, u in enumerate(steps[node]):
            model.addCons(scip().quicksum(row[size] for row in children) == u)
    add_rules(model, steps)
    model.setObjective(scip().quicksum(costs), "minimize")
    bound = _optimise(model, seconds)

    found: IntArray = np.rint([[model.getVal(step) for step in row] for row in steps]).astype(
        np.int64
    )
    if int((weight * found.astype(object) ** 2 + slope * found).sum()) > bound + _WHOLE:
        raise _too_large_for_scip()
    nearest: IntArray = start + found
    return nearest


def _too_large_for_scip() -> SolverError:
    return SolverError(
        "SCIP stopped before it proved an optimum: the numbers are too large for its "
        "precision. A larger budget or a more even allocation makes them smaller."
    )


def _optimise(model: Any, seconds: float) -> float:
    """Run the solver; the bound that it proved.

    Raises:
        SolverError: it ended without an optimum.
    """
    model.setParam("limits/time", float(seconds))
    # Only the main thread may hear an interrupt; elsewhere the handler is not ours to change.
    main = threading.current_thread() is threading.main_thread()
    model.setParam("misc/catchctrlc", main)
    model.optimizeNogil()
    status = model.getStatus()
    if status == "userinterrupt":
        raise KeyboardInterrupt
    if status == "timelimit":
        raise SolverError(
            f"SCIP reached its time limit of {seconds:g} seconds before it proved an optimum; "
            "nothing is released."
        )
    if status != "optimal":
        raise SolverError(f"SCIP ended without an optimum ({status}); nothing is released.")
    return float(model.getDualbound())
