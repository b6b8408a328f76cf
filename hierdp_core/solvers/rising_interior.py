"""The program of `rising_tree` by an interior point method, for very different variances.

Newton's method on the dual may alternate between its pieces if variances differ much. This method
follows the central path instead, on which every increment times its price is the same number, and
lowers that number to 0. It needs few steps even if variances differ much. But a step takes dense
matrices, one for each region above the last level, with a row and a column for each column of the
program.

    leaf q:     W (x^q − c̃^q + π) − Cᵀ z^q = 0,    s^q = C x^q + e^q ≥ 0,  z^q ≥ 0,  s z → 0
    region r:   Σ x^q below r − c̃^r = slack (π^r − π^parent)

Here, W are the widths of the columns. The increments of a row, and the difference between its bound
and its last value, are s. Their prices are z, and π^r is the sum of the multipliers of r and of all
regions above it. The steps are those of Mehrotra's predictor and corrector. A step is solved from
the last level up, since each region's sum depends only on the π of its parent, and then from the
root down.

Two precise levels that contradict each other have huge multipliers, which nearly cancel in π. The
method therefore keeps π, not the multipliers.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from threadpoolctl import threadpool_limits

from hierdp_core.solvers.rising_kernels import sum_up_rows
from hierdp_core.solvers.rising_program import Program
from hierdp_core.solvers.tridiagonal_kernels import add_inverses, factor_rows, solve_rows
from hierdp_core.util.arrays import BoolArray, FloatArray

_FIRST_PRICE = 1e6  # divided by the first increments; far above 1, because some prices are large
_LEAST_INCREMENT = 1e-3
_LEAST_PRODUCT = 1e-300
_LEAST_PRODUCT_SHARE = 1e-4
_SHORT = 0.1
_MOST_CUTS = 30
_RIDGE = 1e-14  # of the diagonal; keeps matrices definite where slopes are nearly dependent
_THREADS_PAY = 256  # columns; on smaller matrices, threads of BLAS wait longer than they work
_STAY_INSIDE = 0.995  # of the way to the boundary


def interior_paths(
    program: Program, is_near: Callable[[FloatArray], bool], *, most_steps: int
) -> tuple[FloatArray, int]:
    """Return the sums of multipliers from the root to each region, and the number of steps.

    Args:
        program: the program. A row other than the root's has a target in all cells or in none.
        is_near: whether F, the residual of the program, is small enough to stop.
        most_steps: the search also stops after this number of steps, or where floats are too
            small or too large to go on.
    """
    threads = None if program.above.shape[1] >= _THREADS_PAY else 1
    with threadpool_limits(limits=threads, user_api="blas"), np.errstate(all="ignore"):
        return _follow(_Point(program), is_near, most_steps)


def _follow(
    point: "_Point", is_near: Callable[[FloatArray], bool], most_steps: int
) -> tuple[FloatArray, int]:
    best, least = point.paths, np.inf
    for steps in range(most_steps):
        residual = point.program.residual_at(point.paths)
        size = float(np.linalg.norm(residual))
        if size < least:
            best, least = point.paths, size
        if is_near(residual):
            return point.paths, steps
        try:
            point.move()
        except (LinAlgError, ValueError):  # a matrix that is not definite, or not finite
            return best, steps + 1
        if not np.isfinite(point.paths).all():
            return best, steps + 1
    return best, most_steps


class _Point:
    """Rows, their increments and prices, and the sums of multipliers."""

    def __init__(self, program: Program) -> None:
        self.program = program
        n, m = program.below.shape
        self.parent = np.repeat(
            np.arange(program.first_family, len(program.above)),
            np.diff(program.child_start)[program.first_family :],
        )
        self.free = program.highest > 0
        bounded = self.free & np.isfinite(program.highest)
        self.counts: BoolArray = np.repeat(self.free[:, None], m + 1, axis=1)
        self.counts[:, m] = bounded
        self.ends = np.where(bounded, program.highest, 0.0)
        self.paths = np.zeros(program.above.shape)
        self.rows = np.empty((n, m))
        off = np.abs(program.residual_at(self.paths, self.rows))
        far = float(np.sqrt(np.mean((self.rows - program.below) ** 2)))
        start = max(far, _LEAST_INCREMENT)
        self.increments = np.where(self.counts, np.maximum(self.left(self.rows), start), 1.0)
        # A multiplier where bounds keep rows from a target: the difference over the slack.
        slack = np.where(program.slack > 0, program.slack, np.inf)
        dear = max(start * _FIRST_PRICE, float((off / slack).max(initial=0.0)))
        self.prices = np.where(self.counts, start * dear / self.increments, 0.0)

    def differences(self, rows: FloatArray) -> FloatArray:
        """Return C x: differences of neighbouring cells, and minus the last one if bounded."""
        return np.where(self.counts, np.diff(rows, axis=1, prepend=0.0, append=0.0), 0.0)

    def left(self, rows: FloatArray) -> FloatArray:
        """Return C x + e: the increments of rows, and what the bound leaves."""
        left = self.differences(rows)
        left[:, -1] += self.ends
        return left

    def spread(self, values: FloatArray) -> FloatArray:
        """Return Cᵀ v."""
        return values[:, :-1] - np.where(self.counts, values, 0.0)[:, 1:]

    def move(self) -> None:
        """Take one step of Mehrotra's method."""
        step = _Step(self)
        product = self.increments * self.prices
        n = max(int(self.counts.sum()), 1)
        mean = max(float(product.sum() / n), _LEAST_PRODUCT)
        towards = step.direction(-product)
        length = self.longest(*towards[1:3])
        after = (self.increments + length * towards[1]) * (self.prices + length * towards[2])
        centre = (float(after[self.counts].sum() / n) / mean) ** 3 * mean
        # A short step says little about the curvature.
        bend = length**2 * towards[1] * towards[2]
        rows, increments, prices, paths = step.direction(centre - product - bend)
        length = self.central(increments, prices)
        if length < _SHORT:
            other = step.direction(mean / 2 - product)
            further = self.central(*other[1:3])
            if further > length:
                (rows, increments, prices, paths), length = other, further
        self.rows = self.rows + length * rows
        self.increments = self.increments + length * increments
        self.prices = self.prices + length * prices
        self.paths = self.paths + length * paths

    def central(self, increments: FloatArray, prices: FloatArray) -> float:
        """Return the length of a step after which no product is far below the mean of all."""
        length = min(1.0, _STAY_INSIDE * self.longest(increments, prices))
        for _ in range(_MOST_CUTS):
            there = (self.increments + length * increments) * (self.prices + length * prices)
            there = there[self.counts]
            if not len(there) or there.min() >= _LEAST_PRODUCT_SHARE * there.mean():
                break
            length *= 0.8
        return length

    def longest(self, increments: FloatArray, prices: FloatArray) -> float:
        """Return the length of the step at which an increment or a price becomes 0, at most 1."""
        ends = [
            float(np.min(-now[change < 0] / change[change < 0], initial=1.0))
            for now, change in ((self.increments, increments), (self.prices, prices))
        ]
        return min(ends)


class _Step:
    """The equations of one step, whose factors serve the predictor and the corrector."""

    def __init__(self, point: _Point) -> None:
        self.point, program = point, point.program
        self.slack = program.slack / program.widths
        self.stiffness = np.where(point.counts, point.prices / point.increments, 0.0)
        self.pivots = np.zeros_like(program.below)
        factor_rows(program.widths, self.stiffness, point.free, self.pivots)
        n, m = program.above.shape
        slopes = np.zeros((n, m, m))
        add_inverses(self.stiffness, self.pivots, point.free, point.parent, slopes)
        self.factors: list[tuple[FloatArray, bool]] = [(np.empty(0), False)] * n
        for node in range(n - 1, -1, -1):
            cells, above = np.flatnonzero(program.targeted[node]), program.parent[node]
            if len(cells):
                both = slopes[node][np.ix_(cells, cells)]
                both[np.diag_indices(len(cells))] += self.slack[node, cells] + _RIDGE * np.diag(
                    both
                )
                self.factors[node] = cho_factor(both)
            if node and len(cells):
                through = self.slack[node][:, None] * cho_solve(self.factors[node], slopes[node])
                slopes[above] += (through + through.T) / 2
            elif node:
                slopes[above] += slopes[node]

    def direction(
        self, wanted: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the changes of rows, increments, prices and paths.

        `wanted` is the change of increment times price that is aimed at.
        """
        point, program = self.point, self.point.program
        wanted = np.where(point.counts, wanted, 0.0)
        missing = np.where(point.counts, point.left(point.rows) - point.increments, 0.0)
        push = program.widths * (program.below - point.rows - point.paths[point.parent])
        push += point.spread(point.prices + wanted / point.increments - self.stiffness * missing)
        changes = self._solve(push)
        sums, off = self._family_sums(changes), self._family_sums(point.rows)
        sum_up_rows(off, program.parent, 0, off.shape[1])
        off -= program.above
        off -= program.slack * program.own(point.paths)
        off[~program.targeted] = 0.0
        for node in range(len(sums) - 1, 0, -1):
            through = sums[node]
            if program.targeted[node].any():
                solved = cho_solve(self.factors[node], sums[node] + off[node])
                through = self.slack[node] * solved - off[node]
            sums[program.parent[node]] += through
        paths = np.zeros_like(sums)
        for node in range(len(sums)):
            above = paths[program.parent[node]] if node else np.zeros(sums.shape[1])
            paths[node] = above
            cells = program.targeted[node]
            if cells.any():
                right = sums[node] + off[node] + self.slack[node] * above
                paths[node, cells] = cho_solve(self.factors[node], right[cells])
        rows = self._solve(push - paths[point.parent])
        increments = np.where(point.counts, point.differences(rows) + missing, 0.0)
        prices = np.where(
            point.counts, (wanted - point.prices * increments) / point.increments, 0.0
        )
        return rows, increments, prices, paths / program.widths

    def _solve(self, right: FloatArray) -> FloatArray:
        out = np.empty_like(right)
        solve_rows(self.stiffness, self.pivots, self.point.free, right, out)
        return out

    def _family_sums(self, rows: FloatArray) -> FloatArray:
        """Return the sums of each family, in the rows of the level above the last."""
        sums = np.zeros(self.point.program.above.shape)
        np.add.at(sums, self.point.parent, rows)
        return sums
