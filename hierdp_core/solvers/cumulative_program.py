"""Cumulative numbers of all regions, made monotone and consistent at the same time.

    minimise   Σ_r w_r ‖c^r − c̃^r‖²
    such that  every row rises from 0 or more, and a region is the sum of its children in
               every column.

Where the number of groups is public for the nation alone, its row ends at that total (Model 2
of [A] without whole numbers). Where it is public for every region, no row exceeds its own
(SPEC 12). Both are solved by `rising_tree`, for any ratio of the variances.

Where the root's row is settled and flat over a stretch of columns, every row is: increments are
not negative and add up to none. Each such stretch becomes one column, as wide as it is long,
with the mean of its targets, which changes the cost by a constant. The root of a national table
has a tenth as many stretches as columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.rising_tree import RisingTree, nearest_rising_tree
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray

_LEAST_VARIANCE = 1e-9
_LEAST_DEVIATION = 0.1
USUAL_TOLERANCE = 0.01
MOST_STEPS = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class CumulativeTable:
    """A rising, consistent table, and how near the optimum it is proved to be.

    Attributes:
        values: shape (n_nodes, m), in groups, every row rising from 0 or more. Children add up to
            their parent except for rounding errors of the floats.
        distance: no row lies farther from the optimum than this, as the root mean square over
            its cells, in standard deviations of its level's noise. By duality: see `rising_tree`.
        total_residual: how far the root's row is from what it has to be, at its end or where it
            is given, in groups; 0 where every region's total bounds its row.
        steps: Newton steps taken.
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
    """Return the rising, consistent table nearest to noisy cumulative numbers, with a total.

    Args:
        tree: the hierarchy.
        noisy: shape (n_nodes, n_sizes), any numbers.
        variances: the variance of each level's noise, in squared groups; None for a level that was
            not measured. The last level must be measured. A value below 1e-9 counts as 1e-9.
        total: where the root's row ends, in groups.
        root: shape (n_sizes,), the root's row where that is settled already: rising from 0 or
            more to `total`. Else it is fitted with all others.
        tolerance: the tolerance of `distance`, and of `total_residual` in standard deviations of
            the smallest noise. If that deviation is below a tenth of a group, both tolerances are
            larger in proportion.
        most_steps: how many Newton steps it may take.

    Raises:
        SolverError: the solution is not proved to be as near after `most_steps`.

    Source: Model 2 of [A] Section 9, SPEC 3.3.
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
    """Return the rising, consistent table nearest to noisy cumulative numbers, with all totals.

    Args:
        tree: the hierarchy.
        noisy: shape (n_nodes, n_sizes − 1), any numbers: groups of at most each size but the
            largest, at which every region has all its groups.
        variances: as in `solve_cumulative_program`.
        groups: shape (n_nodes,), how many groups each region has: no number exceeds that.
            Consistent.
        root: shape (n_sizes − 1,), the root's row where that is settled already: rising, and
            within its bounds. Else it is fitted with all others.
        tolerance, most_steps: as in `solve_cumulative_program`.

    Raises:
        SolverError: the solution is not proved to be as near after `most_steps`.

    Source: SPEC 12.
    """
    highest = groups[tree.leaves].astype(np.float64)
    if tree.n_levels == 1 or not noisy.shape[1]:
        alone = isotonic_rows(np.asarray(noisy[tree.leaves], dtype=np.float64))
        values = sum_up(tree, np.clip(alone, 0, highest[:, None]))
        return CumulativeTable(values=values, distance=0.0, total_residual=0.0, steps=0)
    slack, top = _slack(tree, noisy.shape[1], variances), noisy[0].astype(np.float64)
    if root is not None:
        slack[0], top = 0.0, root
    return _solve(tree, top, noisy, variances, slack, highest, tolerance, most_steps)


def _slack(tree: Hierarchy, width: int, variances: Sequence[float | None]) -> FloatArray:
    """Every inner cell's variance over that of the last level; infinite where not measured."""
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
    """Solve for the targets `noisy`, but `top` in the root's row."""
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
    """The columns where a stretch begins on which a settled root is flat."""
    settled = slack == 0
    flat = settled[1:] & settled[:-1] & (root[1:] == root[:-1])
    starts: IntArray = np.flatnonzero(np.append(True, ~flat))
    return starts


def _unsolved(solved: RisingTree, distance: float, allowed: float) -> SolverError:
    return SolverError(
        f"The cumulative program stopped before its optimum: after {solved.steps:,} steps a row "
        f"may be {distance:.3g} standard deviations of its noise away from it, not {allowed:.3g} "
        f"or less, and the total {solved.off:.3g} groups. Nothing is released. Choose a more even "
        "budget allocation, or a mechanism that fits each region separately, such as pgsr-c-dp or "
        "coc."
    )
