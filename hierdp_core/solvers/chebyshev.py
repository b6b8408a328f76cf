"""Families of whole numbers nearest to noisy ones in the largest error, with a given sum.

A family is a slice of one long array. For each: min ‖x − x̃‖_∞ subject to x ≥ 0 whole and
Σ x = c. There are many optima; which one is taken decides how many small numbers turn 0.
"""

import numpy as np
from numba import njit

from hierdp_core.arrays import IntArray
from hierdp_core.exceptions import SolverError
from hierdp_core.solvers.threads import in_chunks

_SHORT = 24  # up to here insertion beats the general sort
_WHOLE = 1 - 1e-3


def nearest_in_largest_error(
    noisy: IntArray, starts: IntArray, totals: IntArray, *, smallest_first: bool = True
) -> IntArray:
    """IntOpt: what is too much is taken from the smallest noisy numbers first.

    Args:
        noisy: shape (cells,), the families one after the other.
        starts: shape (families + 1,), where each begins; none is empty.
        totals: shape (families,), not negative.
        smallest_first: False takes from the largest first, which keeps more small numbers.

    Returns:
        shape (cells,).

    Source: [C] Algorithm 2, in closed form. The offsets start at o = max(⌈S/d⌉, −x̃), with
    S = c − Σ x̃ over d cells, whose sum is never below S. What is too much is taken in order,
    no offset going below −‖o‖_∞. Where that is not enough, the least t is found at which
    offsets of −t are; all are put at −(t − 1), and the first few in order give one more.
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
    missing = total - x.sum()
    mean = -((-missing) // d)
    largest, excess = abs(mean), -missing
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
                taken = min(excess, offset[i] - max(-x[i], -largest))
                offset[i] -= taken
                excess -= taken
                if excess == 0:
                    break
        else:
            level = _water_level(x, -missing, smallest_first, order)
            excess = -missing
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
    """The least whole t with Σ min(x, t) ≥ wanted; order sorts x."""
    d, below = len(x), 0
    for k in range(d):
        i = order[k] if smallest_first else order[d - 1 - k]
        # Between the last value and this one, the d − k largest rise together.
        if below + (d - k) * x[i] >= wanted:
            return -((below - wanted) // (d - k))
        below += x[i]
    return x.max()


@njit(cache=True, nogil=True)
def _sort(x, ascending, order):
    """The places of x in ascending or descending order, equal ones as they stand."""
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
    """The same problem by HiGHS, a generic solver, family by family: some optimum, slowly.

    Args and result: as `nearest_in_largest_error`.

    Raises:
        SolverError: it found or proved no optimum.
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
    found = milp(
        np.append(np.zeros(d), 1),
        constraints=LinearConstraint(rows, low, high),
        integrality=np.ones(d + 1),
        bounds=Bounds(0, np.append(np.full(d, total), np.inf)),
        options={"mip_rel_gap": 0},
    )
    values: IntArray = np.rint(np.zeros(d) if found.x is None else found.x[:d]).astype(np.int64)
    if found.x is None or values.sum() != total or values.min() < 0:
        raise SolverError(f"HiGHS found no whole split of {total:,} over {d:,} parts.")
    # Errors are whole: one that is less than one above the bound is the least.
    if found.status != 0 or int(np.abs(values - x).max()) >= found.mip_dual_bound + _WHOLE:
        raise SolverError(
            f"HiGHS stopped before it proved the best split of {total:,} over {d:,} parts. "
            "Nothing is released."
        )
    return values
