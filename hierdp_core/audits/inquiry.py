"""One pair of tables: events are chosen on its first runs and counted on its further runs."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierdp_core.audits.gaussian import GaussianClaim
from hierdp_core.audits.outcomes import Failure, Key, Outcomes
from hierdp_core.audits.output_sets import OutputEvent, choose
from hierdp_core.audits.result import (
    Claim,
)
from hierdp_core.audits.sampling import WATCHED, Runs, Watched
from hierdp_core.audits.scores import Score, fitted_scores
from hierdp_core.audits.sentences import event_in_words
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.parallel import Progress, Workers, in_parallel

_CHOOSING = 25_000  # largest number of runs on each table that choose events
_BUNDLE = 250  # runs per task
_MODESTY = 0.01  # factor of alpha: the best of thousands of events looks better than it is


@dataclass(frozen=True, eq=False, kw_only=True)
class Inquiry:
    """The settings for one pair of tables, fixed before the first run.

    Attributes:
        runs: the runs of the plan on the two tables.
        n: the number of runs on each table.
        place: the number of the pair, counted from 0.
        pairs: the number of pairs.
        claim: the claim of the plan.
        gaussian: the claim as noise and sensitivities, if there is Gaussian noise; otherwise None.
        confidence: the confidence level of all pairs together.
        workers, progress: as in `audit`.
    """

    runs: Runs
    n: int
    place: int
    pairs: int
    claim: Claim
    gaussian: GaussianClaim | None
    confidence: float
    workers: Workers
    progress: Progress | None

    @property
    def alpha(self) -> float:
        """The error probability of one bound.

        Each pair has two views (released tables and noisy measurements), and each view two bounds.
        """
        return (1 - self.confidence) / (4 * self.pairs)

    @property
    def choosing(self) -> int:
        return min(self.n // 2, _CHOOSING)


@dataclass(frozen=True, eq=False, kw_only=True)
class Watch:
    """An event of one view, and its scores in the runs counted so far."""

    watched: Watched
    event: OutputEvent
    keys: tuple[Key, ...]
    words: str
    before: list[FloatArray] = field(default_factory=list)
    after: list[FloatArray] = field(default_factory=list)


def chosen_events(inquiry: Inquiry) -> tuple[list[Watch] | None, Any]:
    """Return the event of each view, and the numbers of failed runs on the two tables.

    Of the first runs, one half fits the scores and the other half chooses the event. The events are
    None if the audit was cancelled.
    """
    n, failures = inquiry.choosing, np.zeros(2, dtype=np.int64)

    def work(task: tuple[int, int, int]) -> dict[Watched, list[Any]]:
        return inquiry.runs.drawn(*task)

    pieces = [
        (side, first, min(_BUNDLE, n - first)) for first in range(0, n, _BUNDLE) for side in (0, 1)
    ]
    drawn = in_parallel(
        work,
        pieces,
        workers=inquiry.workers.threads,
        progress=_halved(inquiry, 0, n),
        cancel=inquiry.workers.cancel,
    )
    if len(drawn) < len(pieces):
        return None, failures
    watches = []
    for watched in WATCHED:
        sides = [[one for piece in drawn[side::2] for one in piece[watched]] for side in (0, 1)]
        if watched == "released":
            failures += [_failed(outcomes) for outcomes in sides]
        watches.append(_watch(inquiry, watched, *sides))
    return watches, failures


def _watch(inquiry: Inquiry, watched: Watched, before: list[Any], after: list[Any]) -> Watch:
    both = Outcomes.of([*before, *after])
    n = len(before)
    one, other = both[:n], both[n:]
    half = n // 2
    scores: list[Score] = list(fitted_scores(one[:half], other[:half]))
    if watched == "measured" and inquiry.runs.changed is not None:
        score = inquiry.runs.changed.score(both.keys)
        if score is not None:
            scores.append(score)
    event = choose(
        scores,
        one[half:],
        other[half:],
        alpha=_MODESTY * inquiry.alpha,
        delta=inquiry.claim.delta,
        gaussian=inquiry.gaussian is not None,
    )
    words = event_in_words(event, both.keys, watched, inquiry.runs.pair)
    return Watch(watched=watched, event=event, keys=both.keys, words=words)


def count_runs(inquiry: Inquiry, watches: list[Watch], start: int, stop: int) -> Any:
    """Count the events on runs `start` to `stop`; return the failed runs on the two tables."""

    def work(task: tuple[int, int]) -> tuple[list[list[FloatArray]], list[int]]:
        sides = [inquiry.runs.drawn(side, *task) for side in (0, 1)]
        scores = [
            [watch.event.score.of(Outcomes.of(drawn[watch.watched], watch.keys)) for drawn in sides]
            for watch in watches
        ]
        return scores, [_failed(drawn["released"]) for drawn in sides]

    pieces = [(first, min(_BUNDLE, stop - first)) for first in range(start, stop, _BUNDLE)]
    counts = in_parallel(
        work,
        pieces,
        workers=inquiry.workers.threads,
        progress=_halved(inquiry, start, stop, pieces=True),
        cancel=inquiry.workers.cancel,
    )
    for scores, _ in counts:
        for watch, (before, after) in zip(watches, scores, strict=True):
            watch.before.append(before)
            watch.after.append(after)
    return np.sum([failed for _, failed in counts], axis=0, dtype=np.int64) if counts else 0


def _halved(inquiry: Inquiry, start: int, stop: int, *, pieces: bool = False) -> Progress | None:
    """Return a function that reports progress in runs on each table, averaged over the pairs.

    Pairs are processed in turn: those before this one have reached `stop`, those after it `start`.
    """
    show = inquiry.progress
    if show is None:
        return None
    each = _BUNDLE if pieces else _BUNDLE / 2
    others = inquiry.place * stop + (inquiry.pairs - inquiry.place - 1) * start

    def report(done: int, _: int) -> None:
        own = min(stop, start + int(done * each))
        show((own + others) // inquiry.pairs, inquiry.n)

    return report


def _failed(outcomes: list[Any]) -> int:
    return sum(isinstance(outcome, Failure) for outcome in outcomes)
