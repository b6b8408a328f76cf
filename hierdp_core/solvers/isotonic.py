"""Isotonic regression in least squares, for all rows of a table."""

import numpy as np
from numba import njit

from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import FloatArray


def isotonic_rows(rows: FloatArray) -> FloatArray:
    """Return the non-decreasing rows closest to `rows` in least squares.

    Each row takes linear time, by pooling adjacent violators.
    Source: Barlow et al. 1972, Chapter 1.

    Args:
        rows: shape (n, m).

    Returns:
        shape (n, m).
    """
    out = np.array(rows, dtype=np.float64, order="C", copy=True)
    in_chunks(lambda start, stop: _pool_rows(out, start, stop), len(out), cells=out.size)
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def _pool_rows(rows, start, stop):
    """Make rows start:stop of `rows` non-decreasing, in place."""
    m = rows.shape[1]
    total, length = np.empty(m), np.empty(m, dtype=np.int64)
    for r in range(start, stop):
        pool_row(rows[r], total, length)


@njit(cache=True, nogil=True, error_model="numpy")
def pool_row(row, total, length):
    """Make a row non-decreasing, in place; `total` and `length` are scratch space of its length."""
    one, pools = np.uint64(1), np.uint64(0)  # never negative: such indices are quicker
    for i in range(np.uint64(len(row))):
        added, size = row[i], np.int64(1)
        # While the previous mean is at least the new one, compared without a division.
        while pools > 0 and total[pools - one] * size >= added * length[pools - one]:
            pools -= one
            added += total[pools]
            size += length[pools]
        total[pools], length[pools] = added, size
        pools += one
    begin = np.uint64(0)
    for k in range(pools):
        mean, end = total[k] / length[k], begin + np.uint64(length[k])
        for i in range(begin, end):
            row[i] = mean
        begin = end
