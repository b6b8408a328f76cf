"""The tree program, solved to the integer optimum in a few sweeps over the tree.

    minimise   Σ_r w_r (v_r − ñ_r)²      over integers v ≥ 0
    such that  the value of a region is the sum of those of its children, for every size, and,
               if a total is given, the values of the root add up to it.

The program is first solved in fractions (`tree_sweeps`), then in integers from the units whose
costs are close to the prices in fractions (`tree_lists`). A separate check (`exchange`) verifies
the result, and only an optimum is returned. The mathematics is in docs/tree-solver.md.

Source: [A] §5 for the program.
"""

from collections.abc import Callable
from time import thread_time
from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.solvers.first_calls import count_interpreted
from hierdp_core.solvers.tree_arrays import MOST_SWEEPS, Program, not_settled
from hierdp_core.util.arrays import FloatArray, IntArray

LARGEST_TARGET = 2**52
LARGEST_VALUE = 2**59
LARGEST_RATIO = 2.0**100
_AT_ONCE = 2**18  # numbers that fit into the cache of a core


def solve_tree_program(
    tree: Hierarchy,
    targets: IntArray,
    weights: FloatArray | IntArray,
    *,
    total: int | None = None,
) -> IntArray:
    """Return the consistent, non-negative integers closest to `targets`.

    Ties are always broken in the same way: with a total, in favour of small sizes and early
    children; without one, in favour of the smallest root value. If weights differ so much that
    costs need more than 104 bits, a saving below `exchange.gain_tolerance` may be missed.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes), integers of absolute value up to 2**52.
        weights: shape (n_levels,), used as exactly these floats; 0 for a level that is not
            measured, above 0 for the last.
        total: the sum of the root's values over all sizes, from 0 to 2**52; None leaves it free.

    Returns:
        shape (n_nodes, n_sizes).

    Raises:
        SolverError: targets or total are out of range, weights differ too much, or the optimum
            was not proved.
        ValueError: an array has the wrong shape or type, or a weight is out of range.

    Source: Model 1 of [A] and its dynamic program.
    """
    weights = np.asarray(weights, dtype=np.float64)
    _check(tree, targets, weights, total)
    if total == 0 or not targets.size:
        return np.zeros_like(targets)
    if tree.n_levels == 1:
        return _solve_root(targets, total)
    if not weights[1:].all():
        return _with_all_levels(tree, targets, weights, solve_tree_program, total)
    problem = Program.of(tree, targets, weights)
    values = np.empty(problem.columns.shape, dtype=np.int64)
    _solve(problem, total, values)
    return np.ascontiguousarray(values.T)


def solve_rows(
    tree: Hierarchy,
    rows: IntArray,
    weights: FloatArray | IntArray,
    *,
    total: int | None,
    values: IntArray,
    let_go: Callable[[], None],
) -> None:
    """Solve the same program for arrays on disk, of which one size at a time is in memory.

    Other arrays in memory hold a few numbers per size and region that is not a leaf.

    Args:
        tree: the hierarchy, of two levels or more.
        rows: the targets, shape (n_sizes, n_nodes).
        weights: shape (n_levels,), all above 0 except that of the root, which may be 0.
        total: as in `solve_tree_program`.
        values: the array to which the solution is written, shape (n_sizes, n_nodes).
        let_go: called whenever a size is no longer used, so that its parts of both arrays can be
            removed from memory.

    Raises:
        SolverError, ValueError: as in `solve_tree_program`.
    """
    weights = np.asarray(weights, dtype=np.float64)
    for row in rows:
        _check(tree, row[:, np.newaxis], weights, total)
        let_go()
    if total == 0:
        values[:] = 0
        return
    _solve(Program.of(tree, rows.T, weights, let_go=let_go), total, values)


def _solve(problem: Program, total: int | None, values: IntArray) -> None:
    """Write the proved optimum into `values`, shape (n_sizes, n_nodes).

    Raises:
        SolverError: the optimum was not proved.
    """
    started = thread_time()
    problem.put_whole_values(values, problem.prices(total), total)
    gain = problem.gain(values, total)
    if 0 < gain < np.inf:
        problem.repair(values, total)
        gain = problem.gain(values, total)
    if not problem.compiled:
        count_interpreted(thread_time() - started)
    if gain > 0:
        raise SolverError(
            "The solver stopped before it proved an optimum: moving one unit would still save "
            f"{gain:.3g}. Nothing is released. This is a defect of HierDP: report the settings of "
            "the simulation."
        )


def solve_relaxed_tree_program(
    tree: Hierarchy,
    targets: IntArray,
    weights: FloatArray | IntArray,
    *,
    total: int | None,
) -> FloatArray:
    """Return the optimum of the same program in real numbers, to the precision of floats.

    Args:
        tree, targets, weights, total: as in `solve_tree_program`.

    Returns:
        shape (n_nodes, n_sizes).

    Raises:
        SolverError: targets or total are out of range, weights differ too much, or the sweeps
            did not converge.
        ValueError: as in `solve_tree_program`.
    """
    weights = np.asarray(weights, dtype=np.float64)
    _check(tree, targets, weights, total)
    if total == 0 or not targets.size:
        return np.zeros(targets.shape)
    if tree.n_levels == 1:
        if total is None:
            return np.maximum(targets, 0).astype(np.float64)
        return solve_relaxed_tree_program(*_as_family(targets), total=total)[1:].T
    if not weights[1:].all():
        return _with_all_levels(tree, targets, weights, solve_relaxed_tree_program, total)
    problem = Program.of(tree, targets, weights)
    prices = problem.prices(total)
    if prices.sweeps == MOST_SWEEPS:
        raise not_settled()
    values = np.empty(targets.shape)
    families = tree.parent[tree.leaves]
    shift = prices.price[:, families].T / problem.weights[-1]
    values[tree.leaves] = np.maximum(targets[tree.leaves] + shift, 0)
    for level in reversed(range(tree.n_levels - 1)):
        values[tree.level(level)] = child_sums(tree, values, level)
    return values


def _check(tree: Hierarchy, targets: IntArray, weights: FloatArray, total: int | None) -> None:
    if targets.ndim != 2 or len(targets) != tree.n_nodes or targets.dtype != np.int64:
        raise ValueError(f"targets need shape ({tree.n_nodes}, sizes) and dtype int64.")
    if weights.shape != (tree.n_levels,) or not weights[-1] > 0 or not (weights >= 0).all():
        raise ValueError("weights need one number per level, none negative, the last above 0.")
    if weights.max() > LARGEST_RATIO * weights[weights > 0].min():
        raise SolverError(
            "The noise of two levels differs too much to be weighed against each other: their "
            f"weights are {weights.max():.3g} and {weights[weights > 0].min():.3g}. Choose a more "
            "even budget allocation."
        )
    if total is not None and not 0 <= total <= LARGEST_TARGET:
        raise SolverError(
            f"The total must lie between 0 and {LARGEST_TARGET:,}; got {total:,}. Count in larger "
            "units if it is too large."
        )
    largest = _largest(targets)
    if largest > LARGEST_TARGET:
        raise _too_large("Noisy counts and targets", LARGEST_TARGET, largest)
    if largest * len(targets) <= LARGEST_VALUE:
        return
    together = np.abs(targets).sum(axis=0, dtype=np.float64).max(initial=0)
    if together > LARGEST_VALUE:
        raise _too_large("The noisy counts of one size together", LARGEST_VALUE, int(together))


def _largest(targets: IntArray) -> int:
    """Return the largest absolute value, without a copy."""
    rows = max(1, _AT_ONCE // max(1, targets.shape[1]))
    parts = [targets[start : start + rows] for start in range(0, len(targets), rows)]
    return max((max(int(part.max()), -int(part.min())) for part in parts if part.size), default=0)


def _too_large(what: str, most: int, needed: int) -> SolverError:
    return SolverError(
        f"{what} may be at most {most:,}, but are {needed:,}. Nothing is released. Choose a "
        "larger budget or a more even allocation, or count in larger units."
    )


def _solve_root(targets: IntArray, total: int | None) -> IntArray:
    """Solve the program of a root alone, whose sizes are like children if there is a total."""
    if total is None:
        return np.maximum(targets, 0)
    return np.ascontiguousarray(solve_tree_program(*_as_family(targets), total=total)[1:].T)


def _with_all_levels(
    tree: Hierarchy,
    targets: IntArray,
    weights: FloatArray,
    solve: Callable[..., npt.NDArray[Any]],
    total: int | None,
) -> npt.NDArray[Any]:
    """Solve without the levels that are not measured, then sum them up; ties are the same."""
    measured_levels = [0, *(k for k in range(1, tree.n_levels) if weights[k] > 0)]
    nodes = np.concatenate([np.arange(tree.n_nodes)[tree.level(k)] for k in measured_levels])
    starts = np.cumsum([0, *(tree.level_sizes[k] for k in measured_levels)])
    parents = [np.array([-1])]
    for above, level, start in zip(
        measured_levels[:-1], measured_levels[1:], starts[:-2], strict=True
    ):
        parent = tree.parent[tree.level(level)]
        for _ in range(level - above - 1):
            parent = tree.parent[parent]
        parents.append(parent - tree.level(above).start + start)
    fewer = Hierarchy(parent=np.concatenate(parents), level_start=starts)
    measured = solve(
        fewer, np.ascontiguousarray(targets[nodes]), weights[measured_levels], total=total
    )
    values = np.empty(targets.shape, dtype=measured.dtype)
    values[nodes] = measured
    for level in reversed(range(1, tree.n_levels - 1)):
        if level not in measured_levels:
            values[tree.level(level)] = child_sums(tree, values, level)
    return values


def _as_family(targets: IntArray) -> tuple[Hierarchy, IntArray, FloatArray]:
    n_sizes = targets.shape[1]
    tree = Hierarchy(
        parent=np.concatenate([[-1], np.zeros(n_sizes, dtype=np.int64)]),
        level_start=np.array([0, 1, 1 + n_sizes]),
    )
    return tree, np.concatenate([[[0]], targets.T]), np.array([0.0, 1.0])
