"""The case that is recommended over all levels, and how much larger the errors of others are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.util.arrays import FloatArray

_FLOOR = 1e-6  # of the largest error at a level


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """The case with the lowest error over all levels together.

    Errors of different levels are made comparable by dividing each by the lowest error at its
    level. Of the cases that may be recommended, the one with the lowest geometric mean of these
    ratios is.

    Attributes:
        case: the index of the recommended case.
        runner_up: the index of the next best case of those that may be recommended; None if there
            is no other.
        runner_up_level: the level at which the runner-up is worst relative to the recommended
            case; the first level if there is no runner-up.
        runner_up_ratio: the error of the runner-up there, as a multiple of that of the recommended
            case; 1 if there is no runner-up.
        better: for each level, the indices of the cases with a lower error there.
        ratios: for each level, the lowest error divided by that of the recommended case.
    """

    case: int
    runner_up: int | None
    runner_up_level: str
    runner_up_ratio: float
    better: Mapping[str, tuple[int, ...]]
    ratios: Mapping[str, float]


def recommend(
    means: FloatArray, levels: Sequence[str], *, among: Sequence[int] = ()
) -> Recommendation:
    """Return the recommended case.

    Args:
        means: shape (cases, levels), mean errors of at least one case; at least 0.
        levels: the names of the levels.
        among: the cases that may be recommended; empty for all.

    >>> found = recommend(np.array([[1.0, 2.0], [1.4, 1.9]]), ["state", "county"])
    >>> found.case, found.runner_up_level, round(found.runner_up_ratio, 2), found.better["county"]
    (0, 'state', 1.4, (1,))
    """
    # Ratios to an error of exactly 0 would be infinite, so errors have a lower limit.
    largest = means.max(axis=0)
    safe = np.maximum(means, np.where(largest > 0, _FLOOR * largest, 1.0))
    scores = np.log(safe / safe.min(axis=0)).mean(axis=1)
    allowed = np.array(sorted(among) or range(len(means)))
    order = allowed[np.argsort(scores[allowed], kind="stable")]
    chosen = int(order[0])
    runner_up = int(order[1]) if len(order) > 1 else None
    against = safe[chosen if runner_up is None else runner_up] / safe[chosen]
    worst = int(against.argmax())
    better = {
        level: tuple(int(k) for k in np.flatnonzero(means[:, j] < means[chosen, j]))
        for j, level in enumerate(levels)
    }
    return Recommendation(
        case=chosen,
        runner_up=runner_up,
        runner_up_level=levels[worst],
        runner_up_ratio=float(against[worst]),
        better=better,
        ratios={n: float(safe[:, j].min() / safe[chosen, j]) for j, n in enumerate(levels)},
    )
