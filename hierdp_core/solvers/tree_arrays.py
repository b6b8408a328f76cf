"""A tree program as arrays: its solution in fractions and in integers, and its check.

The compiled code is in `tree_sweeps`, `tree_lists`, `tree_repair` and `exchange`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.exchange import columns_gain
from hierdp_core.solvers.first_calls import interpreted, use_compiled
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.solvers.tree_lists import LOST, NO_ROOM, settle, spreads
from hierdp_core.solvers.tree_repair import move, repair
from hierdp_core.solvers.tree_sweeps import sweep
from hierdp_core.util.arrays import FloatArray, IntArray

MOST_SWEEPS = 1000
_FEW_STEPS = 2**10
_LEAF_SECONDS, _REGION_SECONDS = 5e-6, 80e-6  # interpreted, measured
_MOST_WIDENINGS = 60
_MOST_MOVES = 100_000
_ENTRIES_PER_REGION, _MOST_ENTRIES_PER_REGION = 16, 1 << 24


@dataclass(frozen=True, eq=False, kw_only=True)
class Prices:
    """The optimum in fractions, described by the price of every region's children.

    Attributes:
        root: the price of the units of the root, the same for all sizes.
        price: shape (n_sizes, n_inner), half the cost of one more unit for the children.
        rate: shape (n_sizes, n_inner), how many more units they take if the price rises by 1.
        sweeps: the number of sweeps; MOST_SWEEPS if they did not converge.
    """

    root: float
    price: FloatArray
    rate: FloatArray
    sweeps: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Program:
    """The arrays of a tree program in the form that kernels accept.

    Attributes:
        tree: a tree of two levels or more.
        columns: the targets, shape (n_sizes, n_nodes).
        weights: the given weights, times the power of two that brings that of the leaves into
            [1, 2).
        parent, child_start, level_start: the arrays of the tree.
        compiled: whether kernels run compiled; see `first_calls`.
        let_go: called after each size if columns and values are on disk. Sizes are then processed
            one at a time. None if the arrays are in memory.
    """

    tree: Hierarchy
    columns: IntArray
    weights: FloatArray
    parent: IntArray
    child_start: IntArray
    level_start: IntArray
    compiled: bool
    let_go: Callable[[], None] | None = None

    @classmethod
    def of(
        cls,
        tree: Hierarchy,
        targets: IntArray,
        weights: FloatArray,
        *,
        let_go: Callable[[], None] | None = None,
    ) -> "Program":
        # Kernels are compiled for one signature: read-only arrays of the tree, writeable others.
        return cls(
            tree=tree,
            columns=np.require(targets.T, dtype=np.int64, requirements=["C", "W"]),
            weights=np.ldexp(weights, 1 - int(np.frexp(weights[-1])[1])),
            parent=tree.parent,
            child_start=tree.child_start,
            level_start=tree.level_start,
            compiled=use_compiled(settle, _interpreted_seconds(tree, targets)),
            let_go=let_go,
        )

    @property
    def n_sizes(self) -> int:
        return len(self.columns)

    @property
    def n_inner(self) -> int:
        return int(self.level_start[-2])

    @property
    def n_upper(self) -> int:
        """The number of regions whose children are not leaves."""
        return int(self.level_start[-3])

    def prices(self, total: int | None) -> Prices:
        """Solve the program in fractions.

        All leaves are free at first. Those that become negative are fixed at zero from then on.
        This only lowers prices, so none of them would have to be freed again: the matrix of the
        program is ultrametric, and its inverse an M-matrix. See docs/tree-solver.md.
        """
        shape = self.n_sizes, self.n_inner
        n_families = self.n_inner - int(self.level_start[-3])
        price, offset, rate = (np.empty(shape) for _ in range(3))
        least = np.empty((self.n_sizes, n_families), dtype=np.int64)
        changed = np.zeros(self.n_sizes, dtype=np.int64)
        root = 0.0
        for sweeps in range(MOST_SWEEPS):
            self._each(
                sweep, self.columns, self.parent, self.child_start, self.level_start,
                self.weights, root, sweeps == 0, price, offset, rate, least, changed,
            )  # fmt: skip
            if sweeps > 0 and not changed.any():
                break
            if total is not None:
                root = self._root_price(offset[:, 0], rate[:, 0], total, root)
        else:
            sweeps = MOST_SWEEPS
        return Prices(root=root, price=price, rate=rate, sweeps=sweeps)

    def _root_price(self, offset: FloatArray, rate: FloatArray, total: int, before: float) -> float:
        """Return the price at which all sizes together take `total`, in fractions."""
        pull = self.weights[0] * rate
        units = (offset + pull * self.columns[:, 0]) / (1 + pull)
        pace = float((rate / (1 + pull)).sum())
        return (total - float(units.sum())) / pace if pace > 0 else before

    def put_whole_values(self, values: IntArray, prices: Prices, total: int | None) -> None:
        """Write the integer optimum, not yet verified, into `values`, shape (n_sizes, n_nodes)."""
        prices = self._rounded(prices)
        spread = np.zeros((self.n_sizes, max(self.n_upper, 1)))
        self._each(
            spreads, self.child_start, self.level_start, self.weights, self._step(), prices.rate,
            spread,
        )  # fmt: skip
        if total is not None and self.n_sizes == 1:
            values[0, 0] = total
        elif total is not None:
            values[:, 0] = self._root_values(prices, spread, total)
        self._settle(prices, spread, values, is_free=total is None)

    def _step(self) -> float:
        """Return the greatest common divisor of the weights; the smallest weight if far larger."""
        exact = [Fraction(weight) for weight in self.weights.tolist() if weight]
        scale = max(weight.denominator for weight in exact)
        step = Fraction(gcd(*(int(weight * scale) for weight in exact)), scale)
        return float(step if min(exact) < _FEW_STEPS * step else min(exact))

    def _rounded(self, prices: Prices) -> Prices:
        """Round the prices to a grid, in place.

        Costs relative to them are then exact in floats if weights are small integers.
        """
        grid = np.ldexp(1.0, int(np.frexp(self.weights[self.weights > 0].min())[1]) - 16)
        for price in prices.price:  # row by row, without a copy of all
            price[:] = np.rint(price / grid) * grid
        return replace(prices, root=float(np.rint(prices.root / grid) * grid))

    def _root_values(self, prices: Prices, spread: FloatArray, total: int) -> IntArray:
        """Return the root value of each size from the cheapest units of all, small sizes first."""
        pull = self.weights[0] * prices.rate[:, 0]
        pace = prices.rate[:, 0] / (1 + pull)
        square = np.square(spread[:, 0] * pace).sum() + 4 / 3 * np.count_nonzero(pace)
        window = (0.5 + float(np.sqrt(square))) / max(float(pace.sum()), 2.0**-100)
        for _ in range(_MOST_WIDENINGS):
            listed = self._root_lists(prices, spread, window)
            root_values = listed.cheapest(total)
            if root_values is not None:
                return root_values
            window = 4 * window + 2 * listed.short
        raise not_settled()

    def _root_lists(self, prices: Prices, spread: FloatArray, window: float) -> "_RootLists":
        ends = np.empty((self.n_sizes, 2))
        below = np.empty((self.n_sizes, 2), dtype=np.int64)
        values = np.empty((self.n_sizes, 1), dtype=np.int64)
        pieces = self._settle(
            prices, spread, values, is_free=False, window=window, ends=ends, below=below
        )
        entries = np.concatenate([pieces[start][0] for start in sorted(pieces)])
        lengths = np.concatenate(
            [np.diff(below[a:b, 1], prepend=0) for a, (_, b) in sorted(pieces.items())]
        )
        return _RootLists(
            window=window,
            floor=max(-window, float(ends[:, 0].max())),
            ceiling=min(window, float(ends[:, 1].min())),
            below=below[:, 0],
            cost=entries[:, 0],
            many=entries[:, 1].astype(np.int64),
            size=np.repeat(np.arange(self.n_sizes), lengths),
        )

    def _settle(
        self,
        prices: Prices,
        spread: FloatArray,
        values: IntArray,
        *,
        is_free: bool,
        window: float | None = None,
        ends: FloatArray | None = None,
        below: IntArray | None = None,
    ) -> dict[int, tuple[FloatArray, int]]:
        """Run `settle` for all sizes. If a window is given, only list the units of the root."""
        is_listing = window is not None
        ends = np.empty((0, 2)) if ends is None else ends
        below = np.empty((0, 2), dtype=np.int64) if below is None else below
        pieces: dict[int, tuple[FloatArray, int]] = {}
        run = settle if self.compiled else interpreted(settle)

        def work(start: int, stop: int) -> None:
            n_upper = max(self.n_upper, 1)
            edges = np.zeros((len(self.weights), 3), dtype=np.int64)
            room, marks = np.empty((3, n_upper)), np.empty((4, n_upper), dtype=np.int64)
            spans = np.empty((2, self.n_inner), dtype=np.int64)
            size = max(_ENTRIES_PER_REGION, 2 * len(self.weights)) * self.n_inner + 64
            while True:
                out = np.empty((size + 4 * (stop - start) if is_listing else 0, 2))
                done = run(
                    start, stop, self.columns, self.parent, self.child_start, self.level_start,
                    self.weights, prices.price, prices.rate, spread, is_free, is_listing,
                    prices.root, window or 0.0, values, edges, room, marks, spans,
                    np.empty((2, size)), np.empty((4, size), dtype=np.int32), ends, below, out,
                )  # fmt: skip
                if done != NO_ROOM:
                    break
                if size > _MOST_ENTRIES_PER_REGION * self.n_inner:
                    raise not_settled()
                size *= 4
            if done == LOST:
                raise not_settled()
            if is_listing:
                pieces[start] = out[: below[stop - 1, 1]], stop

        self._in_chunks(work)
        return pieces

    def gain(self, values: IntArray, total: int | None) -> float:
        """Return the saving left in moving one unit, by the independent check `exchange`."""
        if total is not None and int(values[:, 0].sum()) != total:
            return np.inf
        return columns_gain(
            self.tree,
            self.columns,
            self.weights,
            values,
            free_total=total is None,
            compiled=self.compiled,
            in_order=self._one_by_one if self.let_go is not None else None,
        )

    def repair(self, values: IntArray, total: int | None) -> None:
        """Move single units in `values` as long as that lowers the cost."""
        costs = np.empty((self.n_sizes, 4, self.n_inner))
        path = np.empty(len(self.weights), dtype=np.int64)
        fixed = self.child_start, self.level_start, self.weights
        repair(0, self.n_sizes, self.columns, values, *fixed, costs, path)

        def moved(size: int, unit: int) -> None:
            move(
                0, 0, unit, self.columns[size], values[size], self.child_start, self.weights,
                costs[size], path,
            )  # fmt: skip

        for _ in range(_MOST_MOVES):
            more, last = (costs[:, i : i + 2, 0].tolist() for i in (0, 2))
            cheap = min(range(self.n_sizes), key=lambda size: more[size])
            dear = max(range(self.n_sizes), key=lambda size: last[size])
            if total is None and more[cheap] < [0.0, 0.0]:
                moved(cheap, 1)
            elif total is None and last[dear] > [0.0, 0.0]:
                moved(dear, -1)
            elif total is not None and last[dear] > more[cheap]:
                moved(dear, -1)
                moved(cheap, 1)
            else:
                return

    def _each(self, kernel: Callable[..., None], *arrays: Any) -> None:
        run = kernel if self.compiled else interpreted(kernel)
        self._in_chunks(lambda start, stop: run(start, stop, *arrays))

    def _in_chunks(self, work: Callable[[int, int], None]) -> None:
        if self.let_go is not None:
            self._one_by_one(work)
        elif self.compiled:
            in_chunks(work, self.n_sizes, cells=self.columns.size)
        else:
            work(0, self.n_sizes)

    def _one_by_one(self, work: Callable[[int, int], None]) -> None:
        assert self.let_go is not None
        for size in range(self.n_sizes):
            work(size, size + 1)
            self.let_go()


@dataclass(frozen=True, eq=False, kw_only=True)
class _RootLists:
    """The units of all sizes at the root whose costs are close to the price.

    Attributes:
        window: the list should contain costs up to this absolute value.
        floor, ceiling: the bounds between which all costs are listed.
        below: shape (n_sizes,), how many units cost less than those listed.
        cost, many, size: shape (n_entries,), ordered by size. Each entry is for units of one size
            with the same cost, and `many` is their number.
    """

    window: float
    floor: float
    ceiling: float
    below: IntArray
    cost: FloatArray
    many: IntArray
    size: IntArray

    @property
    def short(self) -> float:
        """The length by which the lists fall short of the window."""
        ends = self.window + self.floor, self.window - self.ceiling
        return max(0.0, *(end for end in ends if np.isfinite(end)))

    def cheapest(self, total: int) -> IntArray | None:
        """Return the number of the `total` cheapest units in each size; None if lists are short."""
        order = np.argsort(self.cost, kind="stable")
        cost, many = self.cost[order], self.many[order]
        least = int(self.below.sum() + many[cost < self.floor].sum())
        most = int(self.below.sum() + many[cost <= self.ceiling].sum())
        if self.floor > self.ceiling or not least <= total <= most:
            return None
        before = np.cumsum(many) - many
        taken = np.clip(total - int(self.below.sum()) - before, 0, many)
        root_values = self.below.copy()
        np.add.at(root_values, self.size[order], taken)
        return root_values


def _interpreted_seconds(tree: Hierarchy, targets: IntArray) -> float:
    """Return the estimated time that this program takes without compiled code, in seconds."""
    n_sizes: int = targets.shape[1]
    inner = (tree.n_nodes - tree.n_leaves) * n_sizes
    return targets.size * _LEAF_SECONDS + inner * _REGION_SECONDS


def not_settled() -> SolverError:
    """Return the error for a search that ended without an optimum."""
    return SolverError(
        "The solver stopped before it found an optimum. Nothing is released. Choose a larger "
        "budget or a more even allocation."
    )
