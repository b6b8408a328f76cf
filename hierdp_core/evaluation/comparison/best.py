"""The case with the lowest error, how certain that is, and the Pareto front of two errors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.text import by_number, join_and, paragraph

RESAMPLES = 2_000
FEWEST_SIMULATIONS = 10  # with fewer, resampling is overconfident
SURE = 0.95


@dataclass(frozen=True, kw_only=True)
class Best:
    """The case with the lowest error, and how certain the simulations make it.

    Attributes:
        case: the index of the case with the lowest mean error.
        means: the mean error of each case.
        chances: for each case, the proportion of resamples in which it is best. Cases with equal
            errors in a resample share it.
        same: the indices of the best case and of all cases with the same error in every
            simulation.
        n_simulations: the number of simulations of each case.
    """

    case: int
    means: tuple[float, ...]
    chances: tuple[float, ...]
    same: tuple[int, ...]
    n_simulations: int

    @property
    def chance(self) -> float:
        """The proportion of resamples in which the best case, or one equal to it, is best."""
        return sum(self.chances[place] for place in self.same)

    @property
    def settled(self) -> bool:
        """Whether the result is conclusive.

        The best case is then best in at least 95% of resamples of at least 10 simulations.
        """
        return self.n_simulations >= FEWEST_SIMULATIONS and self.chance >= SURE

    @property
    def rivals(self) -> tuple[int, ...]:
        """The indices of other cases that are best in some resamples, the most frequent first."""
        others = [k for k, chance in enumerate(self.chances) if chance and k not in self.same]
        return tuple(sorted(others, key=lambda k: -self.chances[k]))

    def sentence(self, names: Sequence[str]) -> str:
        """Return the result as a sentence, with `names` of the cases.

        >>> found = Best(case=0, means=(1, 2), chances=(0.97, 0.03), same=(0,), n_simulations=30)
        >>> found.sentence("AB")
        'A has the lowest error in 97% of resamples of the 30 simulations.'
        """
        best = join_and([names[place] for place in self.same])
        if len(self.means) == 1:
            return f"There is no other case to compare {best} with."
        equal = f"{best} have the same error in every simulation."
        if len(self.same) == len(self.means):
            return equal
        verb = by_number(len(self.same), "has", "have")
        lowest = f"{best} {verb} the lowest error"
        resamples = f"resamples of the {self.n_simulations:,} simulations"
        others = [f"{names[k]} in {_percent(self.chances[k])}" for k in self.rivals[:3]]
        if self.n_simulations < FEWEST_SIMULATIONS:
            first, reason = f"{lowest} so far.", "There are too few simulations to conclude."
        elif self.settled:
            first, reason = f"{lowest} in {_percent(self.chance)} of {resamples}.", ""
        else:
            first = "The simulations do not show which has the lowest error."
            own = f"{lowest} in {_percent(self.chance)} of {resamples}"
            reason = f"{join_and([own, *others])}."
        return paragraph(first, reason, equal if len(self.same) > 1 else "")


def best(errors: FloatArray, *, resamples: int = RESAMPLES) -> Best:
    """Return the case with the lowest mean error, and how often each is best in resamples.

    A resample takes the errors of all cases from the same simulations, since cases that share noise
    have correlated errors.

    Args:
        errors: shape (simulations, cases), in any unit; at least one of each.
        resamples: the number of resamples.
    """
    n_simulations, cases = errors.shape
    means = errors.mean(axis=0)
    case = int(np.argmin(means))
    times = np.random.default_rng(0).multinomial(
        n_simulations, np.full(n_simulations, 1 / n_simulations), size=resamples
    )
    resampled = times @ errors / n_simulations
    lowest = resampled.min(axis=1, keepdims=True)
    winning = np.isclose(resampled, lowest, rtol=1e-12, atol=0)
    chances = (winning / winning.sum(axis=1, keepdims=True)).mean(axis=0)
    same = [k for k in range(cases) if np.array_equal(errors[:, k], errors[:, case])]
    return Best(
        case=case,
        means=tuple(means.tolist()),
        chances=tuple(chances.tolist()),
        same=tuple(same),
        n_simulations=n_simulations,
    )


def front(points: FloatArray) -> tuple[int, ...]:
    """Return the indices of the points on the Pareto front, ordered by the first column.

    Lower is better. A point is dominated by one that is no worse in both columns and better in
    one; equal points are kept together.

    Args:
        points: shape (points, 2).

    >>> front(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 2.5], [2.0, 2.0]]))
    (0, 1, 3)
    """
    indices: list[int] = []
    lowest, first = np.inf, np.nan
    for place in np.lexsort((points[:, 1], points[:, 0])):
        x, y = points[place]
        if y < lowest or (y == lowest and x == first):
            indices.append(int(place))
            lowest, first = y, x
    return tuple(indices)


def _percent(share: float) -> str:
    """Return a proportion as a whole percentage, rounded down, such as "94%" or "under 1%".

    A result is conclusive from 95%, so a smaller proportion must not be rounded up to 95%.

    >>> _percent(0.97), _percent(0.9463), _percent(0.999), _percent(1.0), _percent(0.001)
    ('97%', '94%', 'over 99%', '100%', 'under 1%')
    """
    if 0.99 < share < 1 - 1e-9:
        return "over 99%"
    return "under 1%" if share < 0.01 else f"{math.floor(100 * share + 1e-9)}%"
