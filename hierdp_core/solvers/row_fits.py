"""Every region's row of cumulative numbers, made monotone separately.

The rows of a nation fill gigabytes, so each is fitted where the result will stand.
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
    """Return rising rows from 0 to their bounds near `noisy`, each by itself.

    Medians ("l1") are surest where long stretches are flat, since the noise has long tails,
    and means ("l2") where they are short. The mean of the two rises as well.

    Args:
        noisy: shape (n, m).
        highest: shape (n,), not negative.
        how: "noisy" leaves the rows as they are.

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
    """Fit rows start:stop by means, by medians or by the mean of both.

    Medians without a lean lie halfway between the least and the largest of the nearest rows. Over
    the thousands of children of a region a lean would add up.
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
