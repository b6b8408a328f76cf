"""Integers with a given sum whose largest distance from noisy values is as small as possible.

A family is a slice of one long array. Each one is solved separately:

    minimise   ‖x − x̃‖_∞
    such that  x is a non-negative integer in every cell, and Σ x = c.

There may be many optima, and the choice among them decides how many small counts become 0.
"""

import numpy as np
from numba import njit

from hierdp_core.exceptions import SolverError
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import IntArray

_SHORT = 24  # up to this length, insertion sort is faster than the general one


def nearest_in_largest_error(
    noisy: IntArray, starts: IntArray, totals: IntArray, *, smallest_first: bool = True
) -> IntArray:
    """Return the solution of IntOpt, which lowers the smallest noisy values first.

    Args:
        noisy: shape (cells,), the families one after the other.
        starts: shape (families + 1,), where each family begins; none is empty.
        totals: shape (families,), at least 0.
        smallest_first: False lowers the largest first, so fewer small values become 0.

    Returns:
        shape (cells,).

    Source: [C] Algorithm 2, in closed form. Let S = c − Σ x̃ over the d cells of a family. The
    offsets start at o = max(⌈S/d⌉, −x̃), so their sum is at least S. The excess is taken from the
    cells in order, and no offset goes below −‖o‖_∞. If that is not enough, let t be the smallest
    integer for which offsets of −t are enough. All offsets become −(t − 1), and the first cells in
    order are lowered by one more.
    """
    out = np.empty(len(noisy), dtype=np.int64)
    longest = int(np.diff(starts).max(initial=0))
    in_chunks(
        lambda start, stop: _int_opt(
            start, stop, noisy, starts, totals, smallest_first, longest, out
        ),
        len(totals),
        cells=len(noisy),
    )
    return out


@njit(cache=True, nogil=True)
def _int_opt(start, stop, noisy, starts, totals, smallest_first, longest, out):
    order, offset = np.empty(longest, dtype=np.int64), np.empty(longest, dtype=np.int64)
    for f in range(start, stop):
        a, b = starts[f], starts[f + 1]
        _one_family(noisy[a:b], totals[f], smallest_first, order, offset, out[a:b])


@njit(cache=True, nogil=True)
def _one_family(x, total, smallest_first, order, offset, out):
    d = len(x)
    remainder = total - x.sum()
    mean = -((-remainder) // d)
    largest, excess = abs(mean), -remainder
    for i in range(d):
        offset[i] = max(mean, -x[i])
        largest = max(largest, abs(offset[i]))
        excess += offset[i]
    if excess > 0:
        room = 0
        for i in range(d):
            room += offset[i] - max(-x[i], -largest)
        _sort(x, smallest_first, order)
        if room >= excess:
            for k in range(d):
                i = order[k]
                change = min(excess, offset[i] - max(-x[i], -largest))
                offset[i] -= change
                excess -= change
                if excess == 0:
                    break
        else:
            level = _water_level(x, -remainder, smallest_first, order)
            excess = -remainder
            for i in range(d):
                offset[i] = max(-x[i], -(level - 1))
                excess += offset[i]
            for k in range(d):
                if excess == 0:
                    break
                i = order[k]
                if x[i] >= level:
                    offset[i] -= 1
                    excess -= 1
    for i in range(d):
        out[i] = x[i] + offset[i]


@njit(cache=True, nogil=True)
def _water_level(x, wanted, smallest_first, order):
    """Return the smallest integer t with Σ min(x, t) ≥ wanted; `order` sorts x."""
    d, below = len(x), 0
    for k in range(d):
        i = order[k] if smallest_first else order[d - 1 - k]
        # Between the previous value and this one, only the d − k largest depend on t.
        if below + (d - k) * x[i] >= wanted:
            return -((below - wanted) // (d - k))
        below += x[i]
    return x.max()


@njit(cache=True, nogil=True)
def _sort(x, ascending, order):
    """Fill `order` with the indices that sort x; equal values keep their order."""
    d = len(x)
    if d > _SHORT:
        order[:d] = np.argsort(x if ascending else -x, kind="mergesort")
        return
    for i in range(d):
        k = i
        while k > 0 and (x[order[k - 1]] > x[i] if ascending else x[order[k - 1]] < x[i]):
            order[k] = order[k - 1]
            k -= 1
        order[k] = i


def nearest_by_integer_program(noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
    """Solve the same problem with HiGHS, a generic and slow solver, family by family.

    Any optimum may be returned. HiGHS is run with a gap of 0. Its solution is rounded to integers,
    whose sum and sign are checked in integer arithmetic. Their largest error is compared with
    `least_largest_error`.

    Arguments and result are those of `nearest_in_largest_error`.

    Raises:
        SolverError: HiGHS stopped early, or its solution is not feasible or not optimal.
    """
    out = np.empty(len(noisy), dtype=np.int64)
    for f, total in enumerate(totals):
        family = slice(int(starts[f]), int(starts[f + 1]))
        out[family] = _by_integer_program(noisy[family], int(total))
    return out


def _by_integer_program(x: IntArray, total: int) -> IntArray:
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to load
    from scipy.sparse import bmat, csr_array, identity

    if len(x) == 1:
        return np.array([total])
    d = len(x)
    unit, bound = identity(d), csr_array(np.ones((d, 1)))
    rows = bmat([[unit, -bound], [unit, bound], [np.ones((1, d)), None]], format="csr")
    low = np.concatenate([np.full(d, -np.inf), x, [total]])
    high = np.concatenate([x, np.full(d, np.inf), [total]])
    solution = milp(
        np.append(np.zeros(d), 1),
        constraints=LinearConstraint(rows, low, high),
        integrality=np.ones(d + 1),
        bounds=Bounds(0, np.append(np.full(d, total), np.inf)),
        options={"mip_rel_gap": 0},  # by default 10⁻⁴, that is 10,000 at an error of 10⁸
    )
    if solution.status != 0 or solution.x is None:
        raise SolverError(
            f"HiGHS did not solve the split of {total:,} into {d:,} integers. Nothing is released. "
            "Use inftda, which needs no generic solver."
        )
    values: IntArray = np.rint(solution.x[:d]).astype(np.int64)
    _check_optimum(values, x, total)
    return values


def _check_optimum(values: IntArray, x: IntArray, total: int) -> None:
    """Raise SolverError unless `values` are an optimum, by integer arithmetic."""
    split = f"the split of {total:,} into {len(x):,} integers"
    if sum(values.tolist()) != total or min(values.tolist()) < 0:
        raise SolverError(
            f"HiGHS gave an infeasible solution to {split}. Nothing is released. Use inftda, which "
            "needs no generic solver."
        )
    reached = max(abs(v - n) for v, n in zip(values.tolist(), x.tolist(), strict=True))
    best = least_largest_error(x, total)
    if reached != best:
        raise SolverError(
            f"HiGHS gave {split} with a largest error of {reached:,}; {best:,} is the lowest "
            "possible. Nothing is released. Use inftda, which needs no generic solver."
        )


def least_largest_error(x: IntArray, total: int) -> int:
    """Return the smallest possible largest error of non-negative integers with sum `total`.

    The error is the largest distance from `x`. The result is the smallest integer z ≥ max(0, −x)
    with Σ max(0, x − z) ≤ total ≤ Σ (x + z). The ranges [max(0, x − z), x + z] then contain
    integers with that sum. Source: [C].

    >>> least_largest_error(np.array([5, -2, 1]), 9), least_largest_error(np.array([9, 9]), 0)
    (2, 9)

    Args:
        x: shape (cells,), at least one.
        total: at least 0.
    """
    noisy = x.tolist()
    low = max(0, -min(noisy), -((sum(noisy) - total) // len(noisy)))
    high = max(low, *noisy)
    while low < high:  # Σ max(0, x − z) falls as z rises
        middle = (low + high) // 2
        if sum(max(0, n - middle) for n in noisy) <= total:
            high = middle
        else:
            low = middle + 1
    return int(low)
