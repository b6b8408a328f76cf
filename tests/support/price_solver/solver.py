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

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, child_sums
from support.price_solver.prices import LARGEST_NARROW, LARGEST_WIDE, kernel_price
from hierdp_core.solvers.threads import in_chunks
from support.price_solver.kernels import hand_down, sort_families, supply
from hierdp_core.util.arrays import FloatArray, IntArray

LARGEST_WEIGHT = 2**57
LARGEST_TARGET = 2**52
LARGEST_VALUE = 2**59
LEAST_VARIANCE = 1e-9
_USUAL_WEIGHT = 2**16
_LEAST_USUAL_WEIGHT = 2**8
_FINEST_UNIT = 2**20
_COARSEST_UNIT = 2**10
_USUAL_LARGEST_FINE = 2**42


def whole_weights(variances: Sequence[float | None]) -> IntArray:
    """Return whole weights in proportion to 1/variance, each within 1 part in 500.

    A level that was not measured (None) weighs nothing. The level with the least noise
    gets the largest weight; equal variances give equal weights of 1. A variance below
    1e-9 counts as 1e-9: of a billion numbers with such noise, about one is changed by it.

    Up to a ratio of 256 the largest weight is 65,536, divided by what all have in common;
    beyond, weights are the smallest that are as near.

    Raises:
        SolverError: the largest weight would exceed 2**57.

    >>> whole_weights([2.0, None, 8.0]).tolist()
    [4, 0, 1]
    >>> whole_weights([1.0, 1e8]).tolist()
    [100000000, 1]
    """
    known = [None if v is None else Fraction(max(v, LEAST_VARIANCE)) for v in variances]
    measured = [v for v in known if v is not None]
    least, most = min(measured), max(measured)
    if least == most:
        return np.array([0 if v is None else 1 for v in known], dtype=np.int64)
    if most / least <= Fraction(_USUAL_WEIGHT, _LEAST_USUAL_WEIGHT):
        weights = [round(_USUAL_WEIGHT * float(least) / float(v)) for v in measured]
    else:
        weights = _small_weights([most / v for v in measured])
    if max(weights) > LARGEST_WEIGHT:
        raise SolverError(
            "The noise of two levels differs too much to be weighed against each other: their "
            f"variances are {float(least):.3g} and {float(most):.3g}. Choose a more even budget "
            "allocation."
        )
    common = int(np.gcd.reduce(weights))
    each = iter(weights)
    return np.array([0 if v is None else next(each) // common for v in known], dtype=np.int64)


def _small_weights(ratios: Sequence[Fraction]) -> list[int]:
    """Return the smallest whole weights within 1 part in 512 of `ratios`, all 1 or more."""
    for scale in range(1, _LEAST_USUAL_WEIGHT):
        weights = [round(scale * ratio) for ratio in ratios]
        if all(
            abs(weight - scale * ratio) * 2 * _LEAST_USUAL_WEIGHT <= scale * ratio
            for weight, ratio in zip(weights, ratios, strict=True)
        ):
            return weights
    return [round(_LEAST_USUAL_WEIGHT * ratio) for ratio in ratios]


def solve_tree_program(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int | None = None
) -> IntArray:
    """Return the whole, non-negative, consistent values nearest to `targets`.

    Ties are broken the same way every time: small sizes and early children first where a
    total binds, the smallest root value where none does.

    Exact at every size it takes. How large prices may become is known beforehand; where one
    machine word is too short for them they take two, which is about four times slower.

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

    Source: Model 1 of [A] and its dynamic program, SPEC 3.1.
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


def solve_relaxed_tree_program(
    tree: Hierarchy, targets: IntArray, weights: IntArray, *, total: int | None
) -> FloatArray:
    """Return the optimum of the same program without whole numbers, to a small part of one.

    Whole multiples of a fine unit are solved exactly; as the unit shrinks they are the
    fractions. The unit is 2⁻²⁰ up to targets and a total of 4 million, 2⁻¹⁰ from 4 billion on,
    and in between as fine as keeps them below 2⁴² units. In such units, values lie as near to
    the optimum in fractions as the whole numbers of `solve_tree_program` do.

    Args:
        tree, targets, weights, total: as in `solve_tree_program`, up to 2**42 in size.

    Returns:
        shape (n_nodes, n_sizes).

    Raises:
        SolverError: targets, total or values are too large.
    """
    largest = max(_largest(targets), total or 0, 1)
    unit = max(_COARSEST_UNIT, min(_FINEST_UNIT, _USUAL_LARGEST_FINE // largest))
    if largest * unit > LARGEST_TARGET:
        raise _too_large("Targets and total of the relaxed program", 2**42, largest)
    fine_total = None if total is None else total * unit
    fine = solve_tree_program(tree, targets * unit, weights, total=fine_total)
    return fine / unit


def exchange_gain(tree: Hierarchy, targets: IntArray, weights: IntArray, values: IntArray) -> int:
    """Return how much moving one unit between two leaves could still save, at most.

    Values that keep sums and are not negative are optimal (for their root values) exactly
    when this is 0 or less; the check shares no code with the solver. Exact at every size.

    Args:
        tree, targets, weights: as in `solve_tree_program`.
        values: shape (n_nodes, n_sizes), consistent and not negative.
    """
    kind, never = costs_fit(targets, weights, values)
    weight = weights.astype(kind)[tree.level_of][:, None]
    off = 2 * (values - targets)
    up = weight * (off + 1)
    down = np.where(values > 0, weight * (off - 1), -never)
    worst = -never
    for level in reversed(range(tree.n_levels - 1)):
        below, nodes = tree.level(level + 1), tree.level(level)
        starts = tree.child_start[nodes] - below.start
        cheapest = np.minimum.reduceat(up[below], starts, axis=0)
        dearest = np.maximum.reduceat(down[below], starts, axis=0)
        taken = dearest > -never // 2
        worst = max(worst, int((dearest - cheapest)[taken].max(initial=worst)))
        up[nodes] += cheapest
        down[nodes] = np.where(taken, down[nodes] + dearest, -never)
    if len(up[0]) > 1 and down[0].max() > -never // 2:
        worst = max(worst, int(down[0].max() - up[0].min()))
    return worst


def costs_fit(targets: IntArray, weights: IntArray, values: IntArray) -> tuple[npt.DTypeLike, int]:
    """Return what holds the cost of any one unit exactly, and a cost far above all of them.

    Args:
        targets, values: any two arrays of whole numbers up to 2**60 in size.
        weights: shape (n_levels,); a unit costs at most their sum times twice the distance.

    Returns:
        int64 and 2**62 where that is far above, else Python's own whole numbers.
    """
    dearest = sum(weights.tolist()) * (2 * (_largest(values) + _largest(targets)) + 1)
    return (np.int64, 2**62) if dearest < 2**60 else (object, 4 * dearest)


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
