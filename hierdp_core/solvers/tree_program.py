"""The tree program, solved to the integer optimum by prices.

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

from hierdp_core.arrays import FloatArray, IntArray
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.solvers.tree_kernels import hand_down, sort_families, supply

LARGEST_WEIGHT = 2**16
_LARGEST_TARGET = 2**42
_LEAST_VARIANCE = 1e-9
_FINEST_UNIT = 2**20


def whole_weights(variances: list[float | None]) -> IntArray:
    """Weights in proportion to 1/variance as whole numbers up to 65,536.

    A level that was not measured (None) weighs nothing. The level with the least noise
    gets the largest weight; equal variances give equal weights of 1.

    >>> whole_weights([2.0, None, 8.0]).tolist()
    [4, 0, 1]
    """
    # Noise that is nearly none must not divide by nothing.
    known = [None if v is None else max(v, _LEAST_VARIANCE) for v in variances]
    least = min(v for v in known if v is not None)
    if all(v in (None, least) for v in known):
        return np.array([0 if v is None else 1 for v in known], dtype=np.int64)
    weights = [0 if v is None else max(1, round(LARGEST_WEIGHT * least / v)) for v in known]
    common = np.gcd.reduce([w for w in weights if w])
    return np.array([w // common for w in weights], dtype=np.int64)


def solve_tree_program(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int | None = None
) -> IntArray:
    """The whole, non-negative, consistent values nearest to `targets`.

    Ties are broken the same way every time: small sizes and early children first where a
    total binds, the smallest root value where none does.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes), any whole numbers up to 2**42 in size.
        weights: shape (n_levels,), whole, 0 for a level that is not measured; the last
            level's is at least 1.
        total: what the root's values must add up to, over all sizes; None leaves it free.

    Returns:
        shape (n_nodes, n_sizes).

    Source: Model 1 of [A] and its dynamic program, SPEC 3.1.
    """
    _check(tree, targets, weights, total)
    if total == 0:
        return np.zeros_like(targets)
    problem = _Problem(tree, targets, weights)
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


def solve_relaxed_tree_program(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int | None
) -> FloatArray:
    """The same program without whole numbers: its optimum to a small part of one.

    Whole multiples of a fine unit are solved exactly; as the unit shrinks they are the
    fractions. The unit is 2⁻²⁰, or coarser where the numbers are so large that it must be.

    Args:
        tree, targets, weights, total: as in `solve_tree_program`.

    Returns:
        shape (n_nodes, n_sizes).
    """
    largest = max(int(np.abs(targets).max(initial=1)), total or 0, 1)
    unit = max(1, min(_FINEST_UNIT, _LARGEST_TARGET // largest))
    fine_total = None if total is None else total * unit
    fine = solve_tree_program(tree, targets * unit, weights, total=fine_total)
    return fine / unit


def exchange_gain(tree: Hierarchy, targets: IntArray, weights: IntArray, values: IntArray) -> int:
    """How much moving one unit between two leaves could still save, at most.

    Values that keep sums and are not negative are optimal (for their root values) exactly
    when this is 0 or less; the check shares no code with the solver.

    Args:
        tree, targets, weights: as in `solve_tree_program`.
        values: shape (n_nodes, n_sizes), consistent and not negative.
    """
    never = np.int64(2**62)
    weight = weights[tree.level_of][:, None]
    up = weight * (2 * (values - targets) + 1)
    down = np.where(values > 0, weight * (2 * (values - targets) - 1), -never)
    worst = -int(never)
    for level in reversed(range(tree.n_levels - 1)):
        below, nodes = tree.level(level + 1), tree.level(level)
        starts = tree.child_start[nodes] - below.start
        cheapest = np.minimum.reduceat(up[below], starts, axis=0)
        dearest = np.maximum.reduceat(down[below], starts, axis=0)
        worst = max(worst, int((dearest - cheapest)[dearest > -never // 2].max(initial=worst)))
        up[nodes] += cheapest
        down[nodes] = np.where(dearest > -never // 2, down[nodes] + dearest, -never)
    return max(worst, int(down[0].max() - up[0].min())) if len(up[0]) > 1 else worst


def _check(tree: Hierarchy, targets: IntArray, weights: IntArray, total: int | None) -> None:
    if targets.ndim != 2 or len(targets) != tree.n_nodes or targets.dtype != np.int64:
        raise ValueError(f"targets need shape ({tree.n_nodes}, sizes) and dtype int64.")
    if weights.shape != (tree.n_levels,) or weights.min() < 0 or weights[-1] < 1:
        raise ValueError("weights need one whole number a level, the last at least 1.")
    if weights.max() > LARGEST_WEIGHT:
        raise ValueError(f"weights go up to {LARGEST_WEIGHT}.")
    if total is not None and not 0 <= total <= _LARGEST_TARGET:
        raise ValueError(f"total must lie between 0 and {_LARGEST_TARGET}, got {total}.")
    if targets.size and max(abs(int(targets.min())), abs(int(targets.max()))) > _LARGEST_TARGET:
        raise ValueError(f"targets go up to {_LARGEST_TARGET} in size.")


class _Problem:
    """Arrays one column a size, and the three sweeps over them."""

    def __init__(self, tree: Hierarchy, targets: IntArray, weights: IntArray) -> None:
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
        self._each(sort_families, self.ascending, self.suffix)

    def supply(self, price: int) -> IntArray:
        """Units that each size takes at `price`, shape (n_sizes,)."""
        out = np.empty(self.n_sizes, dtype=np.int64)
        self._each(supply, self.ascending, self.suffix, self.guess, np.int64(price), out)
        return out

    def price_for(self, total: int) -> int:
        """The least price at which all sizes together take `total` or more."""
        step = max(2, 2 * int(self.weights[0]))
        low: int | None = None
        high: int | None = None
        last: tuple[int, int] | None = None
        price = 0
        while low is None or high is None or high - low > 1:
            excess = int(self.supply(price).sum()) - total
            if excess >= 0:
                high = price
            else:
                low = price
            price, last, step = _next_price(low, high, price, excess, last, step)
        return high

    def hand_down(self, root: IntArray) -> IntArray:
        """The values of all nodes, given each size's root value."""
        values = np.empty_like(self.columns)
        values[:, 0] = root
        self._each(hand_down, self.ascending, self.suffix, self.guess, values)
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
