"""Errors, bias and different outcomes by size of area.

Areas are grouped by true count. Those with a true count of 0 form their own class, because their
relative error is undefined. The others form up to ten classes, with about the same number of areas
unless many true counts are equal.
"""

import numpy as np
import pandas as pd

from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray

CLASSES = 10
ZERO = -1  # the class of areas with a true count of 0
_SURE = 0.95  # confidence of the interval of a mean


def size_classes(true: NumberArray, classes: int = CLASSES) -> IntArray:
    """Return the class of every area, from 0 for the smallest; `ZERO` if the count is 0.

    Equal counts share a class, so there may be fewer classes than asked for.

    >>> size_classes(np.array([0, 5, 5, 80, 9]), 2).tolist()
    [-1, 0, 0, 1, 1]
    """
    result = np.full(len(true), ZERO, dtype=np.int64)
    positive = true > 0
    some = true[positive]
    if len(some):
        before = np.searchsorted(np.sort(some), some, side="left")
        classes_of = before * min(classes, len(some)) // len(some)
        result[positive] = np.unique(classes_of, return_inverse=True)[1]
    return result


def half_width(n: int) -> float:
    """Return half the width of a 95% confidence interval for a mean, in standard errors.

    The standard error is estimated from the same values, so this is Student's quantile.

    Args:
        n: the number of values, at least 2.

    >>> [round(half_width(n), 2) for n in (3, 10, 300)]
    [4.3, 2.26, 1.97]
    """
    from scipy.special import stdtrit  # slow to load, and seldom needed

    return float(stdtrit(n - 1, (1 + _SURE) / 2))


def margin_of_mean(values: FloatArray) -> float:
    """Return half the width of a 95% confidence interval for the mean of independent values.

    NaN for a single value.

    >>> round(margin_of_mean(np.array([1.0, 2.0, 3.0])), 2)
    2.48
    """
    n = len(values)
    return half_width(n) * float(values.std(ddof=1)) / n**0.5 if n > 1 else np.nan


def by_size(
    places: LevelSimulations, wrong: FloatArray | None = None, *, classes: int = CLASSES
) -> pd.DataFrame:
    """Return the errors of small and large areas: a row per class, true counts of 0 first.

    The columns are, over all areas of the class and all simulations:

    - `size_class`: `ZERO`, or a number from 0.
    - `places`: the number of areas.
    - `smallest`, `largest`: the smallest and the largest true count.
    - `mean_abs`: the mean absolute error.
    - `median_rel`, `mean_rel`: the median and the mean of |released − true| / true; NaN for true
      counts of 0.
    - `bias`: the mean of released minus true.
    - `bias_low`, `bias_high`: its limits with 95% confidence, from the spread over simulations; NaN
      with one simulation.
    - `bias_rel`: the bias as a proportion of the mean true count; NaN where that is 0.
    - `false_positives`: for true counts of 0, the proportion released above 0; otherwise NaN.
    - `wrong`: the mean of the argument `wrong`; NaN where no area has a value.

    Args:
        places: true and released counts, at least one simulation.
        wrong: shape (areas,), how often the outcome of each area differs; NaN for an area that
            the decision does not concern.
        classes: the largest number of classes for counts above 0.
    """
    group = size_classes(places.true, classes)
    shares = np.full(len(group), np.nan) if wrong is None else wrong
    rows = [
        _row(int(k), places.true[group == k], places.released[:, group == k], shares[group == k])
        for k in np.unique(group)
    ]
    return pd.DataFrame(rows)


def _row(
    size_class: int, true: NumberArray, released: NumberArray, wrong: FloatArray
) -> dict[str, float]:
    error = (released - true).astype(np.float64)
    zero = size_class == ZERO
    relative = np.array([np.nan]) if zero else np.abs(error) / true
    by_simulation = error.mean(axis=1)
    bias, around = float(by_simulation.mean()), margin_of_mean(by_simulation)
    part = wrong[~np.isnan(wrong)]
    return {
        "size_class": size_class,
        "places": len(true),
        "smallest": float(true.min()),
        "largest": float(true.max()),
        "mean_abs": float(np.abs(error).mean()),
        "median_rel": float(np.median(relative)),
        "mean_rel": float(relative.mean()),
        "bias": bias,
        "bias_low": bias - around,
        "bias_high": bias + around,
        "bias_rel": np.nan if zero else bias / float(true.mean()),
        "false_positives": float((released > 0).mean()) if zero else np.nan,
        "wrong": float(part.mean()) if len(part) else np.nan,
    }
