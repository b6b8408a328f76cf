"""Cumulative counts of all regions, made monotone and consistent at the same time.

    minimise   Σ_r w_r ‖c^r − c̃^r‖²
    such that  no row is negative or decreases, and a region is the sum of its children in
               every column.

If the number of groups is public for the root alone, the row of the root ends at this total
(Model 2 of [A] without the integer constraint). If it is public for every region, no row exceeds
the number of its region (`docs/joint-fits.md`). `rising_tree` solves both. A solution that is not
proved to be close enough to the optimum is an error.

If the root's row is fixed in advance and constant over a stretch of columns, so is every other
row, because increments are not negative and add up to 0. Each such stretch is replaced by one
column, whose width is the length of the stretch and whose target is the mean of its targets. This
changes the cost by a constant.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.rising_tree import RisingTree, nearest_rising_tree
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray
from hierdp_core.util.text import counted

_LEAST_VARIANCE = 1e-9
_LEAST_DEVIATION = 0.1
USUAL_TOLERANCE = 0.01
MOST_STEPS = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class CumulativeTable:
    """A monotone, consistent table, with a proved bound on its distance from the optimum.

    Attributes:
        values: shape (n_nodes, m), in groups. Rows are non-negative and non-decreasing. Children
            add up to their parent except for rounding errors of the floats.
        distance: an upper bound on the distance of each row from the optimum: the root mean square
            over its cells, in standard deviations of its level's noise. It follows from duality:
            see `rising_tree`. The optimum belongs to the total that was reached, which differs
            from the given one by `total_residual`.
        total_residual: the largest difference, in groups, between the root's row and its fixed
            values (the total, or the given row); 0 if the total of every region bounds its row.
        steps: the number of steps.
    """

    values: FloatArray
    distance: float
    total_residual: float
    steps: int


def solve_cumulative_program(
    tree: Hierarchy,
    noisy: NumberArray,
    variances: Sequence[float | None],
    *,
    total: int,
    root: FloatArray | None = None,
    tolerance: float = USUAL_TOLERANCE,
    most_steps: int = MOST_STEPS,
) -> CumulativeTable:
    """Return the monotone, consistent table nearest to noisy cumulative counts, with a total.

    Args:
        tree: the hierarchy.
        noisy: shape (n_nodes, n_sizes), any numbers.
        variances: the variance of each level's noise, in squared groups; None for a level that was
            not measured. The last level must be measured. A value below 1e-9 counts as 1e-9.
        total: the last value of the root's row, in groups.
        root: shape (n_sizes,), the root's row if it is fixed in advance: non-negative,
            non-decreasing and ending at `total`. By default it is fitted with all others.
        tolerance: the tolerance of `distance`, and of `total_residual` in standard deviations of
            the smallest noise. If that deviation is below a tenth of a group, both tolerances are
            larger in proportion.
        most_steps: the largest number of steps.

    Raises:
        SolverError: after `most_steps`, the solution is not proved to be within the tolerance.

    Source: Model 2 of [A] Section 9.
    """
    if tree.n_levels == 1:
        ends = isotonic_rows(np.asarray(noisy[:, :-1], dtype=np.float64))
        row = np.append(np.clip(ends, 0, total), [[float(total)]], axis=1)
        row = row if root is None else root[None, :].astype(np.float64)
        return CumulativeTable(values=row, distance=0.0, total_residual=0.0, steps=0)
    slack = _slack(tree, noisy.shape[1], variances)
    slack[0, -1] = 0.0
    top = np.append(noisy[0, :-1].astype(np.float64), float(total))
    if root is not None:
        slack[0], top = 0.0, root
    highest = np.full(tree.n_leaves, np.inf)
    return _solve(tree, top, noisy, variances, slack, highest, tolerance, most_steps)


def solve_bounded_cumulative_program(
    tree: Hierarchy,
    noisy: NumberArray,
    variances: Sequence[float | None],
    *,
    groups: IntArray,
    root: FloatArray | None = None,
    tolerance: float = USUAL_TOLERANCE,
    most_steps: int = MOST_STEPS,
) -> CumulativeTable:
    """Return the monotone, consistent table nearest to noisy cumulative counts, with all totals.

    Args:
        tree: the hierarchy.
        noisy: shape (n_nodes, n_sizes − 1), any numbers: groups of at most each size except the
            largest, for which the number is that of all groups of the region.
        variances: as in `solve_cumulative_program`.
        groups: shape (n_nodes,), the consistent numbers of groups of all regions, which are the
            upper bounds of their rows.
        root: shape (n_sizes − 1,), the root's row if it is fixed in advance: non-decreasing and
            within its bounds. By default it is fitted with all others.
        tolerance, most_steps: as in `solve_cumulative_program`.

    Raises:
        SolverError: after `most_steps`, the solution is not proved to be within the tolerance.

    See `docs/joint-fits.md`.
    """
    highest = groups[tree.leaves].astype(np.float64)
    if tree.n_levels == 1 or not noisy.shape[1]:
        alone = isotonic_rows(np.asarray(noisy[tree.leaves], dtype=np.float64))
        values = sum_up(tree, np.clip(alone, 0, highest[:, None]))
        if tree.n_levels == 1 and root is not None:
            values = root[None, :].astype(np.float64)
        return CumulativeTable(values=values, distance=0.0, total_residual=0.0, steps=0)
    slack, top = _slack(tree, noisy.shape[1], variances), noisy[0].astype(np.float64)
    if root is not None:
        slack[0], top = 0.0, root
    return _solve(tree, top, noisy, variances, slack, highest, tolerance, most_steps)


def _slack(tree: Hierarchy, width: int, variances: Sequence[float | None]) -> FloatArray:
    """Return each inner cell's variance over that of the last level; infinite if not measured."""
    last = variances[-1]
    assert last is not None
    least = max(last, _LEAST_VARIANCE)
    of_level = [np.inf if v is None else max(v, _LEAST_VARIANCE) / least for v in variances]
    inner = tree.level_of[: tree.leaves.start]
    return np.repeat(np.array(of_level)[inner][:, None], width, axis=1)


def _solve(
    tree: Hierarchy,
    top: FloatArray,
    noisy: NumberArray,
    variances: Sequence[float | None],
    slack: FloatArray,
    highest: FloatArray,
    tolerance: float,
    most_steps: int,
) -> CumulativeTable:
    """Solve for the targets `noisy`, except that those of the root's row are `top`."""
    known = [max(v, _LEAST_VARIANCE) for v in variances if v is not None]
    least, last = np.sqrt(min(known)), np.sqrt(known[-1])
    allowed = tolerance * max(1.0, _LEAST_DEVIATION / least)
    # In the program the last level weighs 1: distances are in its deviations.
    scale = last * np.sqrt(noisy.shape[1])
    starts = _stretches(top, slack[0])
    widths = np.diff(np.append(starts, noisy.shape[1]))
    targets = np.add.reduceat(noisy, starts, axis=1) / widths
    targets[0] = np.add.reduceat(top, starts) / widths
    solved = nearest_rising_tree(
        tree,
        targets,
        slack[:, starts],
        highest,
        widths=widths.astype(np.float64),
        distance=allowed * scale,
        off=allowed * least,
        most_steps=most_steps,
    )
    distance = solved.distance / scale
    if not (distance <= allowed and solved.off <= allowed * least):
        raise _unsolved(solved, distance, allowed)
    return CumulativeTable(
        values=np.repeat(sum_up(tree, solved.leaves), widths, axis=1),
        distance=distance,
        total_residual=solved.off,
        steps=solved.steps,
    )


def _stretches(root: FloatArray, slack: FloatArray) -> IntArray:
    """Return the first column of each stretch on which a fixed row of the root is constant."""
    settled = slack == 0
    flat = settled[1:] & settled[:-1] & (root[1:] == root[:-1])
    starts: IntArray = np.flatnonzero(np.append(True, ~flat))
    return starts


def _unsolved(solved: RisingTree, distance: float, allowed: float) -> SolverError:
    steps = counted(solved.steps, "step")
    return SolverError(
        f"The cumulative program stopped after {steps}, before its optimum. "
        f"A row may still be {distance:.3g} standard deviations of its noise away from the "
        f"optimum, and at most {allowed:.3g} are accepted. The total may still differ by "
        f"{solved.off:.3g} groups. Nothing is released. Choose a more even budget allocation, or a "
        "mechanism that fits each area separately, such as pgsr-c-dp or coc."
    )
