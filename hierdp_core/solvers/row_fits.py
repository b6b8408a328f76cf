"""Every region's row of cumulative numbers made to rise by itself."""

from typing import Literal

import numpy as np

from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.median import median_isotonic_rows
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
    fits: list[FloatArray] = []
    if how != "l2":
        fits.append(_middle_medians(noisy, highest))
    if how != "l1":
        fits.append(np.clip(isotonic_rows(noisy.astype(np.float64)), 0, highest[:, None]))
    return sum(fits[1:], start=fits[0]) / len(fits)


def _middle_medians(noisy: IntArray, highest: IntArray) -> FloatArray:
    """Median fits without a lean: halfway between one and that of the rows turned round.

    Where several medians are as near, `median_isotonic_rows` always takes those from one end.
    Over the thousands of children of a region that adds up.
    """
    ends = highest[:, None]
    one = median_isotonic_rows(noisy, highest)
    turned = median_isotonic_rows(np.ascontiguousarray((ends - noisy)[:, ::-1]), highest)
    return (one + ends - turned[:, ::-1]) / 2
