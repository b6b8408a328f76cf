"""Isotonic regression in absolute values: blocks get medians instead of means."""

import numpy as np
from numba import njit

from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import FloatArray, IntArray


def median_isotonic_rows(rows: IntArray, highest: IntArray) -> IntArray:
    """Non-decreasing rows from 0 to `highest` nearest to `rows` in absolute values.

    Whole numbers in, whole numbers out; where several rows are nearest, always the same
    one. Clipping the unbounded answer gives the bounded one, as for any convex cost.

    Args:
        rows: shape (n, m).
        highest: shape (n,), the upper bound of every row, at least 0.

    Returns:
        shape (n, m), exact, in O(m log m) a row.

    Source: the slope trick: Rote 2019, Isotonic regression by dynamic programming, Section 2.
    """
    least = np.empty(rows.shape, dtype=np.int64)
    _fit_all(rows, highest, least, np.empty((0, 0), dtype=np.int64))
    return least


def middle_median_rows(rows: IntArray, highest: IntArray) -> FloatArray:
    """The same without a lean: halfway between the least and the largest of the nearest rows.

    Where several rows are nearest, `median_isotonic_rows` takes the least. Over the thousands of
    children of a region that adds up.
    """
    least = np.empty(rows.shape, dtype=np.int64)
    largest = np.empty(rows.shape, dtype=np.int64)
    _fit_all(rows, highest, least, largest)
    largest += least
    return largest / 2


def _fit_all(rows: IntArray, highest: IntArray, least: IntArray, largest: IntArray) -> None:
    values = np.ascontiguousarray(rows)
    in_chunks(
        lambda start, stop: _fit(values, np.asarray(highest), least, largest, start, stop),
        len(rows),
        cells=rows.size,
    )


@njit(cache=True, nogil=True)
def _fit(rows, highest, least, largest, start, stop):
    """Write the least and, where there is room for it, the largest of the nearest rows."""
    m = rows.shape[1]
    heap = np.empty(m + 1, dtype=np.int64)
    for r in range(start, stop):
        size = 0
        for i in range(m):
            value = rows[r, i]
            # The cost's breakpoints lie in a heap, the largest on top: one for this value,
            # and where the value is below the top, one more in the place of the top. The cost
            # is least between the new top and the old one.
            if len(largest) > 0:
                largest[r, i] = max(heap[0], value) if size > 0 else value
            if size > 0 and heap[0] > value:
                _replace_top(heap, size, value)
            size = _push(heap, size, value)
            least[r, i] = heap[0]
        _fall_back(least[r], highest[r])
        if len(largest) > 0:
            _fall_back(largest[r], highest[r])


@njit(cache=True, nogil=True)
def _fall_back(row, highest):
    """Lower every value to those after it, within 0 and the bound."""
    after = highest
    for i in range(len(row) - 1, -1, -1):
        after = min(after, row[i])
        row[i] = max(after, 0)


@njit(cache=True, nogil=True)
def _push(heap, size, value):
    i = size
    while i > 0 and heap[(i - 1) >> 1] < value:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = value
    return size + 1


@njit(cache=True, nogil=True)
def _replace_top(heap, size, value):
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = value
