"""Families of whole numbers nearest to noisy ones in squares, with a given sum."""

import numpy as np
from numba import njit

from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import IntArray


def nearest_in_squares(noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
    """Every family projected on its simplex in fractions, rounded, and its sum corrected.

    Each number is rounded by itself. What is then too much is taken from the smallest
    positive numbers, one each; what is missing goes to the largest.

    Args:
        noisy: shape (cells,), the families one after the other.
        starts: shape (families + 1,), where each begins; none is empty.
        totals: shape (families,), not negative.

    Returns:
        shape (cells,).

    Source: TDA with Euclidean distance as in [C] Section 5, its rounding as their code does it.
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
    shift = _simplex_shift(x, total)
    left = total
    for i in range(len(x)):
        out[i] = np.int64(np.rint(max(x[i] + shift, 0.0)))
        left -= out[i]
    if left == 0:
        return
    order = np.argsort(out, kind="mergesort")
    step = 1 if left > 0 else -1
    k = len(x) - 1 if left > 0 else 0
    # Rounding moves each number by at most a half, so one pass is nearly always enough.
    while left != 0:
        i = order[k]
        if step > 0 or out[i] > 0:
            out[i] += step
            left -= step
        k = (k - step) % len(x)


@njit(cache=True, nogil=True)
def _simplex_shift(x, total):
    """What to add to every number so that those left above 0 add up to the total."""
    descending = np.sort(x)[::-1]
    running, shift = 0.0, 0.0
    for k in range(len(x)):
        running += descending[k]
        candidate = (total - running) / (k + 1)
        if descending[k] + candidate <= 0:
            break
        shift = candidate
    return shift
