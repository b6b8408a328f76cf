"""Isotonic regression in absolute values: blocks get their medians instead of means."""

import numpy as np
from numba import njit

from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import IntArray


def median_isotonic_rows(rows: IntArray, highest: IntArray) -> IntArray:
    """Return the non-decreasing rows from 0 to `highest` closest to `rows` in absolute values.

    The results are integers. If several rows are closest, each value is the smallest possible.
    Clipping the solution without bounds gives that with bounds, as for any convex cost.

    Args:
        rows: shape (n, m).
        highest: shape (n,), the upper bound of every row, at least 0.

    Returns:
        shape (n, m), the exact optimum, in O(m log m) per row.

    Source: the slope trick: Rote 2019, Isotonic regression by dynamic programming, Section 2.
    """
    least = np.empty(rows.shape, dtype=np.int64)
    values, bounds = np.ascontiguousarray(rows), np.asarray(highest)
    in_chunks(
        lambda start, stop: _fit_rows(values, bounds, least, start, stop),
        len(rows),
        cells=rows.size,
    )
    return least


@njit(cache=True, nogil=True)
def _fit_rows(rows, highest, least, start, stop):
    m = rows.shape[1]
    heap = np.empty(m + 1, dtype=np.int64)
    largest = np.empty(m, dtype=np.int64)
    for r in range(start, stop):
        fit_median_row(rows[r], highest[r], heap, least[r], largest)


@njit(cache=True, nogil=True)
def fit_median_row(row, highest, heap, least, largest):
    """Write the smallest and the largest non-decreasing rows closest to `row` in absolute values.

    They are written to `least` and `largest`. `heap` is scratch space for one number more than the
    row has.
    """
    size = np.uint64(0)  # never negative: such indices are quicker
    for i in range(np.uint64(len(row))):
        value = row[i]
        # A heap holds the breakpoints of the cost, the largest on top. This value adds one. If
        # it is below the top, a second one replaces the top. The cost is lowest between the new
        # top and the larger of the value and the old top.
        largest[i] = max(heap[0], value) if size > 0 else value
        if size > 0 and heap[0] > value:
            _replace_top(heap, size, value)
        _push(heap, size, value)
        size += np.uint64(1)
        least[i] = heap[0]
    _fall_back(least, highest)
    _fall_back(largest, highest)


@njit(cache=True, nogil=True)
def _fall_back(row, highest):
    """Lower every value to the smallest after it, and clip to 0 and the bound."""
    after = highest
    for i in range(len(row) - 1, -1, -1):
        after = min(after, row[i])
        row[i] = max(after, 0)


@njit(cache=True, nogil=True)
def _push(heap, size, value):
    one, i = np.uint64(1), size
    while i > 0:
        above = (i - one) >> one
        if heap[above] >= value:
            break
        heap[i] = heap[above]
        i = above
    heap[i] = value


@njit(cache=True, nogil=True)
def _replace_top(heap, size, value):
    one, i = np.uint64(1), np.uint64(0)
    child = one
    while child + one < size:
        child += np.uint64(heap[child + one] > heap[child])
        if heap[child] <= value:
            break
        heap[i] = heap[child]
        i, child = child, child + child + one
    if child + one == size and heap[child] > value:
        heap[i] = heap[child]
        i = child
    heap[i] = value
