"""The tree program by nested searches for prices: the solver before the present one, an oracle.

    minimise   Σ_r w_r (v_r − ñ_r)²      over whole v ≥ 0
    such that  a region is the sum of its children, for every size, and,
               where a total is given, the root's values add up to it.

A subtree at price λ takes every unit that costs at most λ. How many units that
is, V(λ), needs no cost table: leaves have a closed form, children add up, and
a region's own cost is a rising function against a falling one. Weights are whole
numbers, so every slope is one, and whole prices find the exact optimum; no
window bounds the search. Source: [A] §5 for the recursion, here in its dual.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import IntArray
from support.price_solver.kernels import hand_down, sort_families, supply
from support.price_solver.prices import LARGEST_NARROW, LARGEST_WIDE, kernel_price

LARGEST_WEIGHT = 2**57
LARGEST_TARGET = 2**52
LARGEST_VALUE = 2**59


def solve_by_prices(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int | None = None
) -> IntArray:
    """Return the whole, non-negative, consistent values nearest to `targets`.

    Ties are broken the same way every time: small sizes and early children first where a
    total binds, the smallest root value where none does.

    Exact at every size it takes, and slow on deep trees. How large prices may become is known
    beforehand; where one machine word is too short for them they take two.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes), any whole numbers up to 2**52 in size.
        weights: shape (n_levels,), whole, 0 for a level that is not measured; the last
            level's is at least 1.
        total: what the root's values must add up to, over all sizes; None leaves it free.

    Returns:
        shape (n_nodes, n_sizes).

    Raises:
        SolverError: targets, total or values are too large.

    Source: Model 1 of [A] and its dynamic program.
    """
    _check(tree, targets, weights, total)
    if total == 0 or not targets.size:
        return np.zeros_like(targets)
    problem = _Problem(tree, targets, weights, total)
    if total is None:
        root = problem.supply(-1)
    else:
        price = problem.price_for(total)
        high = problem.supply(price)
        low = problem.supply(price - 1)
        # All units between low and high cost exactly the price: any of them will do.
        spare = total - int(low.sum())
        before = np.concatenate(([0], np.cumsum(high - low)[:-1]))
        root = low + np.clip(spare - before, 0, high - low)
    return problem.hand_down(root)


def _largest(numbers: IntArray) -> int:
    return max(int(numbers.max(initial=0)), -int(numbers.min(initial=0)))


def _too_large(what: str, most: int, found: int) -> SolverError:
    return SolverError(
        f"{what} go up to {most:,}; here {found:,} is needed. Nothing is released. Choose a "
        "larger budget or a more even allocation, or count in larger units."
    )


def _check(tree: Hierarchy, targets: IntArray, weights: IntArray, total: int | None) -> None:
    if targets.ndim != 2 or len(targets) != tree.n_nodes or targets.dtype != np.int64:
        raise ValueError(f"targets need shape ({tree.n_nodes}, sizes) and dtype int64.")
    if weights.shape != (tree.n_levels,) or weights.min() < 0 or weights[-1] < 1:
        raise ValueError("weights need one whole number a level, the last at least 1.")
    if weights.max() > LARGEST_WEIGHT:
        raise ValueError(f"weights go up to {LARGEST_WEIGHT}.")
    if total is not None and not 0 <= total <= LARGEST_TARGET:
        raise SolverError(f"total must lie between 0 and {LARGEST_TARGET:,}, got {total:,}.")
    if _largest(targets) > LARGEST_TARGET:
        raise _too_large("Noisy counts and targets", LARGEST_TARGET, _largest(targets))
    together = np.abs(targets).sum(axis=0, dtype=np.float64).max(initial=0)
    if together > LARGEST_VALUE:
        raise _too_large("The noisy counts of one size together", LARGEST_VALUE, int(together))
    if total is not None and total * targets.shape[1] > LARGEST_VALUE:
        raise _too_large("Total times sizes", LARGEST_VALUE, total * targets.shape[1])


def _highest_value(tree: Hierarchy, targets: IntArray, weights: IntArray) -> int:
    """Return a bound on all values of the program without a total.

    A region goes above its own target only as far as its children do by themselves, and they
    go no further than this by themselves.
    """
    highest = np.maximum(targets, 0)
    highest[weights[tree.level_of] == 0] = 0
    for level in reversed(range(tree.n_levels - 1)):
        nodes = tree.level(level)
        highest[nodes] = np.maximum(highest[nodes], child_sums(tree, highest, level))
    return int(highest[0].max())


class _Problem:
    """Arrays one column a size, and the three sweeps over them."""

    def __init__(
        self, tree: Hierarchy, targets: IntArray, weights: IntArray, total: int | None
    ) -> None:
        # Copies: kernels are compiled once, for arrays that may be written to.
        self.columns = np.array(targets.T, order="C", copy=True)
        self.child_start = np.array(tree.child_start)
        self.first_leaf = tree.leaves.start
        self.level_of = np.array(tree.level_of)
        self.weights = np.array(weights, dtype=np.int64)
        n_sizes, n_nodes = self.columns.shape
        self.n_sizes = n_sizes
        self.ascending = np.empty((n_sizes, n_nodes - self.first_leaf), dtype=np.int64)
        self.suffix = np.empty((n_sizes, n_nodes - self.first_leaf + 1), dtype=np.int64)
        # The last value met at each inner node: where the next search begins.
        self.guess = np.zeros((n_sizes, max(self.first_leaf, 1)), dtype=np.int64)
        largest = _largest(targets)
        self.cap = _highest_value(tree, targets, weights) if total is None else total
        self.most = self.cap + largest + 1
        # No unit up to the cap costs more, with all below it; in Python's own whole numbers.
        self.reach = sum(weights.tolist()) * (2 * self.most + 1)
        self.wide = self.reach > LARGEST_NARROW
        if self.reach > LARGEST_WIDE:
            raise _too_large("Noisy counts times weights", LARGEST_WIDE, self.reach)
        self._each(sort_families, self.ascending, self.suffix)

    def _price(self, price: int) -> Any:
        return kernel_price(price, wide=self.wide)

    def supply(self, price: int) -> IntArray:
        """Units that each size takes at `price`, shape (n_sizes,)."""
        out = np.empty(self.n_sizes, dtype=np.int64)
        limits = np.int64(self.cap), np.int64(self.most)
        here = self._price(price)
        self._each(supply, self.ascending, self.suffix, self.guess, *limits, here, out)
        return out

    def price_for(self, total: int) -> int:
        """The least price at which all sizes together take `total` or more."""
        step = max(2, 2 * int(self.weights[0]))
        low: int | None = None
        high: int | None = None
        last: tuple[int, int] | None = None
        price = 0
        while low is None or high is None or high - low > 1:
            excess = sum(self.supply(price).tolist()) - total
            if excess >= 0:
                high = price
            else:
                low = price
            price, last, step = _next_price(low, high, price, excess, last, step)
            price = min(max(price, -self.reach), self.reach)
        return high

    def hand_down(self, root: IntArray) -> IntArray:
        """The values of all nodes, given each size's root value."""
        values = np.empty_like(self.columns)
        values[:, 0] = root
        limits = np.int64(self.cap), np.int64(self.most)
        ends = self._price(-self.reach), self._price(self.reach)
        self._each(hand_down, self.ascending, self.suffix, self.guess, *limits, *ends, values)
        return np.ascontiguousarray(values.T)

    def _each(self, kernel: Callable[..., None], *arrays: Any) -> None:
        """Run `kernel` over all sizes."""

        def work(start: int, stop: int) -> None:
            kernel(
                start,
                stop,
                self.columns,
                self.child_start,
                self.first_leaf,
                self.level_of,
                self.weights,
                *arrays,
            )

        in_chunks(work, self.n_sizes, cells=self.columns.size)


def _next_price(
    low: int | None,
    high: int | None,
    price: int,
    excess: int,
    last: tuple[int, int] | None,
    step: int,
) -> tuple[int, tuple[int, int], int]:
    """Where to look next: along the secant where it is inside, else halfway or further."""
    here = (price, excess)
    if low is not None and high is not None:
        guess = (low + high) // 2
        if last is not None and last[1] != excess:
            secant = price - excess * (price - last[0]) / (excess - last[1])
            # Beyond the root by a little, so that both ends close in.
            guess = round(secant) - 1 if excess >= 0 else round(secant) + 1
            if not low < guess < high or step < 0:
                guess = (low + high) // 2
        return min(max(guess, low + 1), high - 1), here, -step
    towards = -1 if excess >= 0 else 1
    if last is not None and last[1] != excess:
        reach = abs(excess * (price - last[0]) / (excess - last[1]))
        step = min(max(step, round(1.25 * reach) + 1), 64 * step)
    return price + towards * step, here, 2 * step
