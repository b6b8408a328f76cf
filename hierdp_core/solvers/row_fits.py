"""Every region's row of cumulative numbers made to rise by itself."""

from typing import Literal

import numpy as np

from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.median import middle_median_rows
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
    if how == "l1":
        return middle_median_rows(noisy, highest)
    means = isotonic_rows(noisy.astype(np.float64))
    np.clip(means, 0, highest[:, None], out=means)
    if how == "both":
        means += middle_median_rows(noisy, highest)
        means /= 2
    return means
