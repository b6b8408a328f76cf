"""Confidence bounds from a number of simulations.

Proportions: Clopper and Pearson 1934, one-sided. Ratios of two means: Fieller 1954.
"""

import math
from functools import cache

from hierdp_core.exceptions import ChoiceError
from hierdp_core.privacy.rounding import percent_exact
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.text import counted


@cache
def at_least(hits: int, n: int, confidence: float) -> float:
    """Return a lower confidence bound on the probability, after `hits` of `n` simulations.

    >>> round(at_least(59, 59, 0.95), 3)
    0.95
    """
    from scipy.stats import beta

    return float(beta.ppf(1 - confidence, hits, n - hits + 1)) if hits else 0.0


@cache
def at_most(hits: int, n: int, confidence: float) -> float:
    """Return an upper confidence bound on the probability, after `hits` of `n` simulations."""
    from scipy.stats import beta

    return float(beta.ppf(confidence, hits + 1, n - hits)) if hits < n else 1.0


@cache
def hits_needed(n: int, reliability: float, confidence: float) -> int:
    """Return the number of simulations, of `n`, that must meet the targets to show `reliability`.

    Raises:
        ChoiceError: not even all of them would suffice.
    """
    low, high = 0, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        if at_least(middle, n, confidence) >= reliability:
            high = middle
        else:
            low = middle
    if high > n:
        least = n
        while at_least(least, least, confidence) < reliability:
            least += 1
        raise ChoiceError(
            f"{counted(n, 'simulation')} cannot show that {percent_exact(reliability)} of all "
            f"simulations meet a target. Use at least {least:,}."
        )
    return high


@cache
def hits_too_few(n: int, reliability: float, confidence: float) -> int:
    """Return the largest number of hits that rules out `reliability`; −1 if none."""
    hits = -1
    while hits < n and at_most(hits + 1, n, confidence) < reliability:
        hits += 1
    return hits


def ratio_interval(
    numerator: FloatArray, denominator: FloatArray, confidence: float
) -> tuple[float, float] | None:
    """Return an interval for the ratio of two means, measured in pairs.

    It contains every ratio r that a paired t test of `numerator` − r × `denominator` does not
    reject. It is narrow if the two numbers of a pair are correlated. Source: Fieller 1954.

    >>> import numpy as np
    >>> even = np.array([10.0, 12.0, 14.0, 11.0])
    >>> low, high = ratio_interval(0.8 * even + [0.1, -0.1, 0.1, -0.1], even, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.783, 0.815)

    Args:
        numerator, denominator: shape (simulations,), at least 0; simulation i of both is a pair.
        confidence: the probability that the interval contains the true ratio.

    Returns:
        the two ends; None if there are fewer than two pairs, or if the denominator cannot be
        distinguished from 0.
    """
    from scipy.stats import t

    n = len(numerator)
    if n < 2:
        return None
    factor = float(t.ppf((1 + confidence) / 2, n - 1)) ** 2 / n
    above, below = float(numerator.mean()), float(denominator.mean())
    own = numerator - above
    other = denominator - below
    square = below**2 - factor * float(other @ other) / (n - 1)
    if square <= 0:
        return None
    linear = above * below - factor * float(own @ other) / (n - 1)
    constant = above**2 - factor * float(own @ own) / (n - 1)
    half = math.sqrt(max(0.0, linear**2 - square * constant))
    return (linear - half) / square, (linear + half) / square
