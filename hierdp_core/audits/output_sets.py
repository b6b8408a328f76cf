"""Events of outputs: an audit chooses one on some runs and counts it on others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hierdp_core.audits.intervals import at_least, at_most
from hierdp_core.audits.outcomes import Outcomes
from hierdp_core.audits.scores import Score
from hierdp_core.util.arrays import FloatArray, IntArray

Relation = Literal["at least", "below", "exactly"]
_CUTS = 64  # thresholds tried per score
_VALUES = 24  # single values tried per score
_SHORTLIST = 300  # events whose exact bounds are computed


@dataclass(frozen=True, eq=False, kw_only=True)
class OutputEvent:
    """An event that an outcome shows or not: its score is at least, below or exactly a mark.

    Attributes:
        score: the number computed from an outcome.
        relation: how the score is compared with the mark.
        mark: the number that the score is compared with.
        towards_after: whether the event is at least as frequent on the second table as on the
            first.
    """

    score: Score
    relation: Relation
    mark: float
    towards_after: bool

    def holds(self, scores: FloatArray) -> npt.NDArray[np.bool_]:
        """Return for which of these scores the event holds, shape (runs,)."""
        if self.relation == "exactly":
            return np.equal(scores, self.mark)
        reached = np.greater_equal(scores, self.mark)
        return reached if self.relation == "at least" else ~reached

    def hits(self, before: FloatArray, after: FloatArray) -> tuple[int, int]:
        """Return how often the event occurred: on the likelier table, then on the other."""
        counts = int(self.holds(before).sum()), int(self.holds(after).sum())
        return (counts[1], counts[0]) if self.towards_after else counts


def choose(
    scores: Iterable[Score],
    before: Outcomes,
    after: Outcomes,
    *,
    alpha: float,
    delta: float = 0.0,
    gaussian: bool = False,
) -> OutputEvent:
    """Return the event that best distinguishes the two tables.

    Args:
        scores: the scores to form events from; none may have been fitted on these outcomes.
        before, after: outcomes of the two tables, equally many.
        alpha: the error probability of each of the two bounds.
        delta: the δ of the claim.
        gaussian: whether to rank by the separation of two Gaussians instead of by ε.
    """
    candidates = [events for score in scores for events in _events_of(score, before, after)]
    likely = np.concatenate([np.maximum(events.before, events.after) for events in candidates])
    other = np.concatenate([np.minimum(events.before, events.after) for events in candidates])
    first = _promising(likely, other, gaussian=gaussian)
    low = at_least(likely[first], len(before), alpha=alpha)
    high = at_most(other[first], len(before), alpha=alpha)
    ratio = np.log(np.maximum(low - delta, 1e-9) / high)
    worth = _separation(low, high) if gaussian else ratio
    best = int(first[int(np.argmax(worth))])
    for events in candidates:
        if best < len(events.marks):
            return events.one(best)
        best -= len(events.marks)
    raise AssertionError("the best of the events is one of them")


def _promising(likely: IntArray, other: IntArray, *, gaussian: bool) -> npt.NDArray[np.intp]:
    """Return the events that are worth exact bounds, in order of a rough bound."""
    if gaussian:
        rough = (likely - other) / np.sqrt(likely + other + 1.0)
    else:
        rough = np.log((likely + 0.5) / (other + 0.5))
        rough -= 2 * np.sqrt(1 / (likely + 0.5) + 1 / (other + 0.5))
    return np.argsort(-rough, kind="stable")[:_SHORTLIST]


def _separation(low: FloatArray, high: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    apart: FloatArray = ndtri(np.clip(low, 1e-300, 1)) - ndtri(np.clip(high, 1e-300, 1 - 1e-16))
    return apart


@dataclass(frozen=True, eq=False, kw_only=True)
class _Events:
    """Events of one score that differ in their mark, and how often each occurred on each table."""

    score: Score
    relation: Relation
    marks: FloatArray
    before: IntArray
    after: IntArray

    def one(self, place: int) -> OutputEvent:
        return OutputEvent(
            score=self.score,
            relation=self.relation,
            mark=float(self.marks[place]),
            towards_after=bool(self.after[place] >= self.before[place]),
        )


def _events_of(score: Score, before: Outcomes, after: Outcomes) -> Iterator[_Events]:
    sides = score.of(before), score.of(after)
    both = np.concatenate(sides)
    both = both[~np.isnan(both)]
    if not len(both):
        return
    values, times = np.unique(both, return_counts=True)
    one, two = (np.sort(side[~np.isnan(side)]) for side in sides)
    cuts, n = _cuts(values, both), len(before)
    reached = [len(side) - np.searchsorted(side, cuts) for side in (one, two)]
    yield _Events(score=score, relation="at least", marks=cuts, before=reached[0], after=reached[1])
    yield _Events(
        score=score, relation="below", marks=cuts, before=n - reached[0], after=n - reached[1]
    )
    often = values[np.argsort(-times, kind="stable")[:_VALUES]]
    equal = [
        np.searchsorted(side, often, side="right") - np.searchsorted(side, often)
        for side in (one, two)
    ]
    yield _Events(score=score, relation="exactly", marks=often, before=equal[0], after=equal[1])


def _cuts(values: FloatArray, both: FloatArray) -> FloatArray:
    """Return thresholds to try: evenly spaced by rank, and more closely at both ends."""
    if len(values) <= _CUTS:
        return values
    ends = np.geomspace(1 / len(both), 0.5, _CUTS // 4)
    ranks = np.concatenate([np.linspace(0, 1, _CUTS // 2), ends, 1 - ends])
    return np.unique(np.quantile(both, ranks, method="higher"))
