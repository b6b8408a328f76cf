"""Confidence bounds on two probabilities from counts of an event, and the ε that they prove."""

import numpy as np
import numpy.typing as npt

from hierdp_core.util.arrays import FloatArray


def at_least(hits: npt.ArrayLike, runs: int, *, alpha: float) -> FloatArray:
    """Return a lower bound on the probability of an event that occurred in `hits` of `runs`.

    It exceeds the true probability with probability at most `alpha`. The result has the shape of
    `hits`.

    Source: Clopper and Pearson 1934, one-sided.

    >>> round(float(at_least(10, 10, alpha=0.05)), 4)
    0.7411
    """
    from scipy.special import betaincinv

    hits = np.asarray(hits, dtype=np.float64)
    bounds = betaincinv(np.maximum(hits, 1), runs - hits + 1, alpha)
    return np.where(hits > 0, bounds, 0.0)


def at_most(hits: npt.ArrayLike, runs: int, *, alpha: float) -> FloatArray:
    """Return an upper bound on the probability of an event that occurred in `hits` of `runs`.

    It is below the true probability with probability at most `alpha`. The result has the shape of
    `hits`.

    Source: Clopper and Pearson 1934, one-sided.

    >>> round(float(at_most(0, 10, alpha=0.05)), 4)
    0.2589
    """
    return 1.0 - at_least(runs - np.asarray(hits), runs, alpha=alpha)


def epsilon_at_least(low: npt.ArrayLike, high: npt.ArrayLike, *, delta: float = 0.0) -> FloatArray:
    """Return the ε that an event proves: ln((low − δ) / high), or 0 if it proves none.

    Args:
        low: a lower bound on the probability of the event on one table.
        high: an upper bound on its probability on the neighbouring table.
        delta: the δ of the claim.
    """
    ratio = (np.asarray(low) - delta) / np.asarray(high)
    bounds: FloatArray = np.log(np.maximum(ratio, 1.0))
    return bounds


def most_showable(runs: int, *, alpha: float, delta: float = 0.0) -> float:
    """Return the largest ε that this number of runs on each table can prove.

    It needs an event that occurs in all runs on one table and in none on the other.

    >>> [round(most_showable(n, alpha=0.025), 1) for n in (100, 10_000)]
    [3.3, 7.9]
    """
    low, high = at_least(runs, runs, alpha=alpha), at_most(0, runs, alpha=alpha)
    return float(epsilon_at_least(low, high, delta=delta))
