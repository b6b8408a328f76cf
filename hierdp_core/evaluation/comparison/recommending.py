"""The case recommended over all levels, and how much larger the errors of others are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.util.arrays import FloatArray

_FLOOR = 1e-6  # of the largest error at a level


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """The case with the lowest error over all levels together.

    Errors of different levels are made comparable by dividing each by the lowest error at its
    level; the geometric mean of these ratios decides.

    Attributes:
        case: the place of the recommended case.
        runner_up: the place of the next one; None where there is no other.
        runner_up_level: the level at which the runner-up is worst beside the recommended case.
        runner_up_ratio: its error there, as a multiple of the recommended case's.
        better: for each level, the places of the cases with a lower error there.
        ratios: for each level, the error of the best case as a part of the recommended one's.
    """

    case: int
    runner_up: int | None
    runner_up_level: str
    runner_up_ratio: float
    better: Mapping[str, tuple[int, ...]]
    ratios: Mapping[str, float]


def recommend(means: FloatArray, levels: Sequence[str]) -> Recommendation:
    """The case to use.

    Args:
        means: shape (cases, levels), mean errors of at least one case; at least 0.
        levels: the names of the levels.

    >>> found = recommend(np.array([[1.0, 2.0], [1.4, 1.9]]), ["state", "county"])
    >>> found.case, found.runner_up_level, round(found.runner_up_ratio, 2), found.better["county"]
    (0, 'state', 1.4, (1,))
    """
    # An error of exactly 0 is best without limit; a floor keeps the ratios finite.
    largest = means.max(axis=0)
    safe = np.maximum(means, np.where(largest > 0, _FLOOR * largest, 1.0))
    scores = np.log(safe / safe.min(axis=0)).mean(axis=1)
    order = np.argsort(scores, kind="stable")
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
