"""Families of integers with given sums, close to noisy counts in least squares."""

import numpy as np
from numba import njit

from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import IntArray


def nearest_in_squares(noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
    """Return every family projected onto its simplex and rounded, so that its sum is the total.

    Each value is rounded separately. If the sum is then too large, the smallest positive values
    are reduced by one each. If it is too small, the largest are increased by one each.

    Args:
        noisy: shape (cells,), the families one after the other.
        starts: shape (families + 1,), where each family begins; none is empty.
        totals: shape (families,), at least 0.

    Returns:
        shape (cells,).

    Source: TDA with Euclidean distance as in [C] Section 5, with the rounding of the authors' code.
    """
    out = np.empty(len(noisy), dtype=np.int64)
    in_chunks(
        lambda start, stop: _families(start, stop, noisy, starts, totals, out),
        len(totals),
        cells=len(noisy),
    )
    return out


@njit(cache=True, nogil=True)
def _families(start, stop, noisy, starts, totals, out):
    for f in range(start, stop):
        a, b = starts[f], starts[f + 1]
        _one_family(noisy[a:b], totals[f], out[a:b])


@njit(cache=True, nogil=True)
def _one_family(x, total, out):
    if total == 0:
        out[:] = 0
        return
    shift = _simplex_shift(x, total)
    remainder = total
    for i in range(len(x)):
        out[i] = np.int64(np.rint(max(x[i] + shift, 0.0)))
        remainder -= out[i]
    if remainder == 0:
        return
    order = np.argsort(out, kind="mergesort")
    step = 1 if remainder > 0 else -1
    k = len(x) - 1 if remainder > 0 else 0
    # Rounding changes each value by at most a half, so one pass is nearly always enough.
    while remainder != 0:
        i = order[k]
        if step > 0 or out[i] > 0:
            out[i] += step
            remainder -= step
        k = (k - step) % len(x)


@njit(cache=True, nogil=True)
def _simplex_shift(x, total):
    """Return the shift of all numbers after which those above 0 add up to the total."""
    descending = np.sort(x)[::-1]
    running, shift = 0.0, 0.0
    for k in range(len(x)):
        running += descending[k]
        candidate = (total - running) / (k + 1)
        if descending[k] + candidate <= 0:
            break
        shift = candidate
    return shift
