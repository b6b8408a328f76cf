"""What counts of an event prove about two probabilities, and so about ε."""

import numpy as np
import numpy.typing as npt

from hierdp_core.util.arrays import FloatArray


def at_least(hits: npt.ArrayLike, runs: int, *, alpha: float) -> FloatArray:
    """A probability that `hits` of `runs` leave below the true one except with probability `alpha`.

    Source: Clopper and Pearson 1934, one side.

    >>> round(float(at_least(10, 10, alpha=0.05)), 4)
    0.7411
    """
    from scipy.special import betaincinv

    hits = np.asarray(hits, dtype=np.float64)
    found = betaincinv(np.maximum(hits, 1), runs - hits + 1, alpha)
    return np.where(hits > 0, found, 0.0)


def at_most(hits: npt.ArrayLike, runs: int, *, alpha: float) -> FloatArray:
    """A probability that `hits` of `runs` leave above the true one except with probability `alpha`.

    >>> round(float(at_most(0, 10, alpha=0.05)), 4)
    0.2589
    """
    return 1.0 - at_least(runs - np.asarray(hits), runs, alpha=alpha)


def epsilon_at_least(low: npt.ArrayLike, high: npt.ArrayLike, *, delta: float = 0.0) -> FloatArray:
    """The ε that an event proves: ln((low − δ) / high), 0 where it proves none.

    Args:
        low: at most the event's probability on one table.
        high: at least its probability on the neighbour.
        delta: the δ that the claim leaves.
    """
    ratio = (np.asarray(low) - delta) / np.asarray(high)
    found: FloatArray = np.log(np.maximum(ratio, 1.0))
    return found


def most_showable(runs: int, *, alpha: float, delta: float = 0.0) -> float:
    """The largest ε that so many runs on each table can prove: always on one, never on the other.

    >>> [round(most_showable(n, alpha=0.025), 1) for n in (100, 10_000)]
    [3.3, 7.9]
    """
    low, high = at_least(runs, runs, alpha=alpha), at_most(0, runs, alpha=alpha)
    return float(epsilon_at_least(low, high, delta=delta))
