# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""A check that integer values are the optimum of the tree program, independent of its solver.

Consistent, non-negative values are optimal for their root values if and only if moving one unit
from a leaf to another never lowers the cost (the cost is M♮-convex: Murota 2003, Theorem 6.26).
One sweep from the leaves up finds the best such move through every region.

Costs are computed as sums of two floats. They are exact as long as all of them are less than 2¹⁰⁴
multiples of the last bit of the weights. Beyond that, a tolerance covers the error of rounding.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numba import njit

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.first_calls import interpreted
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import FloatArray, IntArray

_EXACT_BITS = 104
_SPLIT = 134217729.0  # 2²⁷ + 1


def exchange_gain(
    tree: Hierarchy,
    targets: IntArray,
    weights: FloatArray | IntArray,
    values: IntArray,
    *,
    free_total: bool = False,
) -> float:
    """Return the largest saving from moving one unit between two leaves.

    Consistent, non-negative values are optimal if and only if this is 0 or less, up to
    `gain_tolerance`. With `free_total` False, they are optimal among all values with the same sum
    over the root's sizes.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes).
        weights: shape (n_levels,), used as exactly these floats.
        values: shape (n_nodes, n_sizes).
        free_total: whether a unit may also be added or removed.

    Returns:
        the saving in squared counts times weight, rounded once; infinity if values do not add up
        or are negative.
    """
    return columns_gain(
        tree,
        np.ascontiguousarray(targets.T),
        np.asarray(weights, dtype=np.float64),
        np.ascontiguousarray(values.T),
        free_total=free_total,
    )


def columns_gain(
    tree: Hierarchy,
    targets: IntArray,
    weights: FloatArray,
    values: IntArray,
    *,
    free_total: bool,
    compiled: bool = True,
    in_order: Callable[[Callable[[int, int], None]], None] | None = None,
) -> float:
    """Return `exchange_gain` for arrays of shape (n_sizes, n_nodes), one row per size.

    Args:
        tree, targets, weights, values, free_total: as in `exchange_gain`.
        compiled: whether the check runs compiled.
        in_order: a function that calls its argument for slices that together cover all sizes. If
            None, threads are used.
    """
    check = check_columns if compiled else interpreted(check_columns)
    n_sizes, n_nodes = values.shape
    n_inner = n_nodes - tree.n_leaves
    gains = np.zeros(n_sizes)
    roots = np.empty((n_sizes, 4))
    distances = np.zeros(n_sizes, dtype=np.int64)

    def work(start: int, stop: int) -> None:
        costs = np.empty((4, max(n_inner, 1)))
        check(
            start, stop, targets, values, tree.child_start, tree.level_start, weights, costs,
            gains, roots, distances,
        )  # fmt: skip

    if in_order is not None:
        in_order(work)
    elif compiled:
        in_chunks(work, n_sizes, cells=values.size)
    else:
        work(0, n_sizes)
    gain = float(gains.max(initial=-np.inf))
    if gain == np.inf:
        return gain
    last = [(high, low) for high, low in roots[:, :2].tolist() if high > -np.inf]
    more = [(high, low) for high, low in roots[:, 2:].tolist()]
    if free_total:
        gain = max(gain, *(-float(_exact(pair)) for pair in more))
        gain = max([gain, *(float(_exact(pair)) for pair in last)])
    elif n_sizes > 1 and last:
        gain = max(gain, float(_exact(max(last)) - _exact(min(more))))
    return gain if gain > gain_tolerance(weights, int(distances.max(initial=0))) else min(gain, 0.0)


def _exact(pair: tuple[float, float]) -> Fraction:
    return Fraction(pair[0]) + Fraction(pair[1])


def gain_tolerance(weights: FloatArray, distance: int) -> float:
    """Return the largest saving that the check may overlook, in squared counts times weight.

    Args:
        weights: shape (n_levels,).
        distance: the largest absolute difference between a value and its target.

    Returns:
        a bound on the rounding error of sums of two floats: 0 if all costs fit into 104 bits.
    """
    exact = [Fraction(weight) for weight in weights.tolist() if weight]
    largest = sum(exact) * (2 * distance + 1) * 2
    # A float is an integer divided by a power of two.
    last_bit = Fraction(1, max(weight.denominator for weight in exact))
    if largest < last_bit * 2**_EXACT_BITS:
        return 0.0
    return float(largest * len(weights)) * 2.0 ** (4 - _EXACT_BITS)


@njit(cache=True, nogil=True, error_model="numpy")
def _sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(cache=True, nogil=True, error_model="numpy")
def _plus(a, a0, b, b0):
    """Add two numbers, each given as the sum of two floats; return such a sum."""
    s, e = _sum(a, b)
    t, f = _sum(a0, b0)
    s, e = _sum(s, e + t)
    return _sum(s, e + f)


@njit(cache=True, nogil=True, error_model="numpy")
def _times(weight, units):
    """Multiply a float by an integer of up to 62 bits; return the sum of two floats."""
    x = np.float64(units)
    rest = weight * np.float64(units - np.int64(x))
    c = _SPLIT * weight
    w1 = c - (c - weight)
    w0 = weight - w1
    c = _SPLIT * x
    x1 = c - (c - x)
    x0 = x - x1
    p = weight * x
    e = ((w1 * x1 - p) + w1 * x0 + w0 * x1) + w0 * x0
    return (p, e) if rest == 0.0 else _plus(p, e, rest, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def check_columns(
    start, stop, targets, values, child_start, level_start, weights, costs, gains, roots,
    distances,
):  # fmt: skip
    last, last0, more, more0 = costs[0], costs[1], costs[2], costs[3]
    n_levels = len(weights)
    leaf_weight = weights[n_levels - 1]
    for s in range(start, stop):
        worst, farthest = -np.inf, np.int64(0)
        for level in range(n_levels - 2, -1, -1):
            own = weights[level]
            for node in range(level_start[level], level_start[level + 1]):
                value, a, b = values[s, node], child_start[node], child_start[node + 1]
                total = np.int64(0)
                lowest, highest, nearest = np.int64(2**62), -np.int64(2**62), np.int64(2**62)
                if level == n_levels - 2:
                    for i in range(np.uint64(a), np.uint64(b)):  # so that it is vectorised
                        v = values[s, i]
                        off = v - targets[s, i]
                        total += v
                        nearest = min(nearest, v)
                        lowest = min(lowest, off)
                        highest = max(highest, off if v > 0 else -np.int64(2**62))
                    if nearest < 0:
                        total = value - 1
                    farthest = max(farthest, abs(lowest))
                    up, up0 = _times(leaf_weight, 2 * lowest + 1)
                    down, down0 = -np.inf, 0.0
                    if value > 0 and highest > -np.int64(2**62):
                        farthest = max(farthest, abs(highest))
                        down, down0 = _times(leaf_weight, 2 * highest - 1)
                else:
                    up, up0, down, down0 = np.inf, 0.0, -np.inf, 0.0
                    for i in range(a, b):
                        total += values[s, i]
                        if more[i] < up or (more[i] == up and more0[i] < up0):
                            up, up0 = more[i], more0[i]
                        if last[i] > down or (last[i] == down and last0[i] > down0):
                            down, down0 = last[i], last0[i]
                if total != value or value < 0:
                    gains[s] = np.inf
                    return
                off = value - targets[s, node]
                if down > -np.inf:
                    if level < n_levels - 2 or highest > lowest + 1:
                        gain, gain0 = _plus(down, down0, -up, -up0)
                        worst = max(worst, gain + gain0)
                    w, w0 = _times(own, 2 * off - 1)
                    down, down0 = _plus(down, down0, w, w0)
                w, w0 = _times(own, 2 * off + 1)
                more[node], more0[node] = _plus(up, up0, w, w0)
                last[node], last0[node] = down, down0
                if own > 0.0:
                    farthest = max(farthest, abs(off))
        if n_levels == 1:
            value = values[s, 0]
            if value < 0:
                worst = np.inf
            off = value - targets[s, 0]
            farthest = abs(off)
            more[0], more0[0] = _times(leaf_weight, 2 * off + 1)
            last[0], last0[0] = -np.inf, 0.0
            if value > 0:
                last[0], last0[0] = _times(leaf_weight, 2 * off - 1)
        gains[s], distances[s] = worst, farthest
        roots[s, 0], roots[s, 1], roots[s, 2], roots[s, 3] = last[0], last0[0], more[0], more0[0]
