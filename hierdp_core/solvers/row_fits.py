"""The rows of noisy cumulative counts, each made monotone separately.

The rows of a nation take gigabytes, so each row is fitted in the array of the results.
"""

from typing import Literal

import numpy as np
from numba import njit

from hierdp_core.solvers.isotonic import pool_row
from hierdp_core.solvers.median import fit_median_row
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import FloatArray, IntArray

RowFit = Literal["both", "l1", "l2", "noisy"]


def fit_rows(noisy: IntArray, highest: IntArray, how: RowFit) -> FloatArray:
    """Return non-decreasing rows between 0 and their bounds, each closest to its row of `noisy`.

    Medians ("l1") have lower errors where the true row is constant over long stretches, since the
    noise has long tails, and means ("l2") where such stretches are short. The average of the two
    ("both") is non-decreasing as well.

    Args:
        noisy: shape (n, m).
        highest: shape (n,), the upper bound of each row, at least 0.
        how: the kind of fit. "noisy" returns the rows unchanged, as floats.

    Returns:
        shape (n, m).
    """
    if how == "noisy":
        return noisy.astype(np.float64)
    out = np.empty(noisy.shape)
    rows, bounds = np.ascontiguousarray(noisy), np.asarray(highest)
    by_means, by_medians = how != "l1", how != "l2"
    in_chunks(
        lambda start, stop: _fit(rows, bounds, by_means, by_medians, out, start, stop),
        len(rows),
        cells=rows.size,
    )
    return out


@njit(cache=True, nogil=True)
def _fit(rows, highest, by_means, by_medians, out, start, stop):
    """Fit rows start:stop by means, by medians or by the average of both.

    Many rows are closest in absolute values. The fit by medians is halfway between the smallest and
    the largest of them. Any other choice would be biased to one side, and the bias would add up
    over the thousands of children of a region.
    """
    m = rows.shape[1]
    total, length = np.empty(m), np.empty(m, dtype=np.int64)
    heap = np.empty(m + 1, dtype=np.int64)
    least, largest = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    for r in range(start, stop):
        if by_means:
            out[r] = rows[r]
            pool_row(out[r], total, length)
            for i in range(m):
                out[r, i] = min(max(out[r, i], 0.0), float(highest[r]))
        if by_medians:
            fit_median_row(rows[r], highest[r], heap, least, largest)
            for i in range(m):
                middle = (least[i] + largest[i]) / 2
                out[r, i] = (out[r, i] + middle) / 2 if by_means else middle
