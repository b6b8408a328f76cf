"""The dual of `rising_tree`: its residual F, and Newton's method for it.

The first step assumes that every number is a pool of its own, which is least squares without
bounds. Later steps are damped, because pools break up during a step, so that rows move further than
the slope at its start predicts. The damping falls after a step that was too short, and rises after
one that was too long. If a whole row is fixed and few rows below are free, the slope is nearly 0.
Such rows therefore have a damping of their own.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.rising_kernels import (
    add_slopes_of_pools,
    conjugate_gradients,
    gather_pools,
    pass_slopes_up,
    precondition,
    regress_families,
    sum_of_ancestors,
    sum_up_rows,
)
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import FloatArray, NumberArray

_STEP_PRECISION = 0.1  # relative residual of a Newton step; exact steps did not reduce their number
_ENOUGH = 0.5  # the proportion of the slope at the start of a step that may remain at its end
_MOST_TRIES = 60
_LEAST_SLACK = 1e-9  # keeps a step finite if no row below is free to move
_LEAST_DAMPING, _MOST_DAMPING = 1e-9, 1.0
_LEAST_SHARE = 0.01  # a smaller part of the slope along a step says nothing about damping


class _Damping:
    """The proportion of the free cells below that is added to the slack of each cell.

    It falls after a step that was too short and rises after one that was too long.
    """

    def __init__(self, first: float, change: float, tolerance: float) -> None:
        self.now, self.change, self.tolerance = first, change, tolerance

    def learn(self, left: float) -> None:
        """Adapt to `left`, the part of the slope at the start of a step that remains at its end."""
        if left > self.tolerance:
            self.now = max(self.now / self.change, _LEAST_DAMPING)
        elif left < -self.tolerance:
            self.now = min(self.now * self.change, _MOST_DAMPING)


class Program:
    """One tree, its targets and weights, and the pools of the most recent rows."""

    def __init__(
        self,
        tree: Hierarchy,
        targets: NumberArray,
        slack: FloatArray,
        highest: FloatArray,
        widths: FloatArray,
    ) -> None:
        inner = tree.leaves.start
        self.parent = np.array(tree.parent[:inner])
        self.child_start = np.array(tree.child_start[: inner + 1])
        self.first_family = tree.level(tree.n_levels - 2).start
        self.above = targets[:inner].astype(np.float64)
        self.below = np.ascontiguousarray(targets[inner:])
        self.targeted = np.isfinite(slack)
        self.slack = np.where(self.targeted, slack, 0.0)
        self.highest = np.asarray(highest, dtype=np.float64)
        self.widths = np.asarray(widths, dtype=np.float64)
        self.edges = np.append(0.0, np.cumsum(self.widths))
        self.fixed = self.targeted & (self.slack == 0)
        # Rows that are fixed as a whole. A fixed total alone moves with all rows: no damping.
        self.settled = self.fixed.all(axis=1)
        self.pool_end = np.empty(self.below.shape, dtype=np.int32)
        self.n_pools = np.zeros(len(self.below), dtype=np.int64)
        # Of each row: the first free pool, and the end of the free ones.
        self.free = np.zeros((len(self.below), 2), dtype=np.int64)
        # First values and factors of change, the fastest on samples and national tables.
        self.settled_damping = _Damping(0.01, change=10.0, tolerance=_ENOUGH)
        self.damping = _Damping(0.1, change=4.0, tolerance=0.1)

    def residual(self, multipliers: FloatArray) -> FloatArray:
        """Return F, 0 in cells without a target."""
        return self._residual(multipliers, self.paths(multipliers), None)

    def residual_at(self, paths: FloatArray, leaves: FloatArray | None = None) -> FloatArray:
        """Return F for sums of multipliers, and write the rows to `leaves` if given."""
        return self._residual(self.own(paths), paths, leaves)

    def _residual(
        self, multipliers: FloatArray, paths: FloatArray, leaves: FloatArray | None
    ) -> FloatArray:
        width = paths.shape[1]
        sums = np.zeros_like(paths)
        out = np.empty((0, 0)) if leaves is None else leaves
        in_chunks(
            lambda a, b: regress_families(
                self.below,
                self.edges,
                paths,
                self.child_start,
                self.first_family,
                self.highest,
                sums,
                self.pool_end,
                self.n_pools,
                self.free,
                out,
                a,
                b,
            ),
            len(paths) - self.first_family,
            cells=self.below.size,
        )
        in_chunks(lambda a, b: sum_up_rows(sums, self.parent, a, b), width, cells=sums.size)
        sums -= self.above
        sums -= self.slack * multipliers
        sums[~self.targeted] = 0
        return sums

    def paths(self, multipliers: FloatArray) -> FloatArray:
        """Return the sums of the multipliers of each region and of all regions above it."""
        paths = multipliers.copy()
        width = paths.shape[1]
        in_chunks(lambda a, b: sum_of_ancestors(paths, self.parent, a, b), width, cells=paths.size)
        return paths

    def own(self, paths: FloatArray) -> FloatArray:
        """Return each region's own multipliers, the opposite of `paths`."""
        own = paths.copy()
        own[1:] -= paths[self.parent[1:]]
        return own

    def newton(
        self,
        multipliers: FloatArray,
        is_near: Callable[[FloatArray], bool],
        *,
        most_steps: int,
    ) -> tuple[FloatArray, FloatArray, int]:
        """Take Newton steps until F is near 0.

        Returns:
            the multipliers, the residual F, and the number of steps.
        """
        residual = self.residual(multipliers)
        for steps in range(most_steps):
            if is_near(residual):
                return multipliers, residual, steps
            before = multipliers
            step = self.newton_step(residual)
            multipliers, residual = self.search(multipliers, residual, step)
            if np.array_equal(multipliers, before):
                return multipliers, residual, steps + 1  # as near as floats come
        return multipliers, residual, most_steps

    def first_step(self) -> FloatArray:
        """Solve for the multipliers that would bring F to 0 if all rows moved freely."""
        residual = self.residual(np.zeros(self.above.shape))
        slack = np.maximum(self.slack, _LEAST_SLACK)
        slopes = np.zeros_like(residual)
        slopes[self.first_family :] = np.diff(self.child_start)[self.first_family :, None]
        pass_slopes_up(slopes, slack, self.targeted, self.parent)
        step = np.empty_like(residual)
        precondition(residual, step, slopes, slack, self.targeted, self.parent)
        return step

    def newton_step(self, residual: FloatArray) -> FloatArray:
        """Solve for the step that would bring F to 0 if no pool changed, damped."""
        slopes, free = np.zeros_like(residual), np.zeros_like(residual)
        pools = self.gathered_pools()
        add_slopes_of_pools(slopes, free, self.edges, self.first_family, *pools)
        sum_up_rows(free, self.parent, 0, free.shape[1])
        slack = np.maximum(self.slack, _LEAST_SLACK)
        slack = np.where(self.fixed, slack, slack + self.damping.now * free)
        free = np.maximum(free[self.settled], 1.0)
        slack[self.settled] = self.settled_damping.now * free
        pass_slopes_up(slopes, slack, self.targeted, self.parent)
        step = np.zeros_like(residual)
        conjugate_gradients(
            residual.copy(),
            step,
            _STEP_PRECISION,
            self.edges,
            slack,
            slopes,
            self.targeted,
            self.parent,
            self.first_family,
            *pools,
        )
        return step

    def gathered_pools(self) -> tuple[npt.NDArray[Any], ...]:
        """List the pools of every family: see `gather_pools`."""
        of_leaf = np.append(0, np.cumsum(self.free[:, 1] - self.free[:, 0]))
        most = int(of_leaf[-1])
        first = of_leaf[self.child_start[self.first_family :] - len(self.above)]
        begin, end = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
        last, rows = np.empty_like(first[1:]), np.empty(most)
        in_chunks(
            lambda a, b: gather_pools(
                self.child_start,
                self.first_family,
                self.pool_end,
                self.free,
                first,
                last,
                begin,
                end,
                rows,
                self.above.shape[1],
                a,
                b,
            ),
            len(last),
            cells=most,
        )
        return first, last, begin, end, rows

    def search(
        self, multipliers: FloatArray, residual: FloatArray, step: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Take the full step or, if it passes the maximum of the dual on this line, a shorter one.

        F · step is the slope of the dual. It never increases, so its sign shows on which side the
        maximum lies. A shorter step ends where at most half of the slope remains, or after the last
        try.
        """
        upwards = step * self.widths
        before = residual
        at_start = slope = _dot(residual, upwards)
        low, high, beyond = 0.0, np.inf, 0.0
        length = 1.0
        for attempt in range(_MOST_TRIES):
            there = multipliers + length * step
            residual = self.residual(there)
            now = _dot(residual, upwards)
            if attempt == 0:
                self._learn(before, residual, upwards)
            if abs(now) <= _ENOUGH * at_start or (now > 0 and high == np.inf):
                break
            if now > 0:
                low, slope = length, now
            else:
                high, beyond = length, now
            between = low + (high - low) * slope / (slope - beyond)
            margin = 0.05 * (high - low)
            length = min(max(between, low + margin), high - margin)
        return there, residual

    def _learn(self, before: FloatArray, after: FloatArray, upwards: FloatArray) -> None:
        """Adapt both dampings to the slope along a step, each in the rows that it concerns."""
        least = _LEAST_SHARE * _dot(before, upwards)
        if least <= 0:
            return
        for damping, rows in (
            (self.settled_damping, self.settled),
            (self.damping, ~self.settled),
        ):
            at_start = max(_dot(before[rows], upwards[rows]), least)
            damping.learn(_dot(after[rows], upwards[rows]) / at_start)

    def distance(self, residual: FloatArray) -> float:
        """Return how far the values are from those at the optimum at most: see `RisingTree`."""
        soft = self.targeted & ~self.fixed
        slack = np.where(soft, self.slack, np.inf)
        return float(np.sqrt(np.sum(residual**2 / slack * self.widths)))

    def off(self, residual: FloatArray) -> float:
        """Return the largest deviation from an exact target: see `RisingTree`."""
        return float(np.abs(residual[self.fixed]).max(initial=0.0))


def _dot(one: FloatArray, other: FloatArray) -> float:
    """Return the inner product without BLAS, whose threads need more time to synchronise.

    NumPy adds in the same order on any number of cores.
    """
    return float(np.sum(one * other))
