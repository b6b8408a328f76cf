"""Runs of a mechanism on the two tables of a pair, and their outcomes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hierdp_core.audits.outcomes import Failure, Key, Outcomes
from hierdp_core.audits.scores import ClaimedRatio
from hierdp_core.mechanisms.base import Mechanism, Plan, Questions
from hierdp_core.mechanisms.neighbours import Pair
from hierdp_core.noise import Cells, NoiseSource, SeededNoise
from hierdp_core.privacy import Event, GaussianEvent
from hierdp_core.tables import Table
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

Watched = Literal["released", "measured"]
WATCHED: tuple[Watched, ...] = ("released", "measured")
Drawn = dict[Watched, list[Any]]
TABLE = "table"  # the first part of the keys of a released table's numbers


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangedMeasurements:
    """The measurements that change with the person, found by runs without noise.

    Attributes:
        keys: the keys of these n numbers.
        at: their exact values without the person, shape (n,).
        moves: their changes, shape (n,).
        rates: 1 / scale of geometric noise, or 1 / σ² of Gaussian noise; shape (n,).
        gaussian: whether their noise is Gaussian, shape (n,).
    """

    keys: tuple[Key, ...]
    at: FloatArray
    moves: FloatArray
    rates: FloatArray
    gaussian: BoolArray

    def score(self, keys: tuple[Key, ...]) -> ClaimedRatio | None:
        """Return the score of those numbers that are among columns with these keys, or None."""
        column = {key: k for k, key in enumerate(keys)}
        there = np.array([key in column for key in self.keys], dtype=bool)
        if not there.any():
            return None
        return ClaimedRatio(
            columns=np.array([column[key] for key in self.keys if key in column]),
            at=self.at[there],
            moves=self.moves[there],
            rates=self.rates[there],
            gaussian=self.gaussian[there],
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Runs:
    """Independent runs of one plan on both tables. Each follows from the seed and its number.

    Attributes:
        plan: the plan. It does not depend on counts, so it is the same for both tables.
        pair: the tables.
        seed: the seed of all noise.
    """

    plan: Plan
    pair: Pair
    seed: int

    def drawn(self, side: int, first: int, n: int) -> Drawn:
        """Return the outcomes of `n` runs from `first` on, on the first (0) or second (1) table."""
        outputs: Drawn = {"released": [], "measured": []}
        for run in range(first, first + n):
            noise = SeededNoise(self.seed, index=2 * run + side)
            for watched, outcome in self._one(side, noise).items():
                outputs[watched].append(outcome)
        return outputs

    @cached_property
    def changed(self) -> ChangedMeasurements | None:
        """The measurements that change with the person; None if runs without noise show none."""
        still = [self._measured_without_noise(side, tag=0) for side in (0, 1)]
        tagged = [self._measured_without_noise(side, tag=1) for side in (0, 1)]
        same = Outcomes.of([*still, *tagged])
        exact, after, marked, _ = same.numbers
        columns = np.flatnonzero(~np.isnan(exact) & ~np.isnan(after) & (after != exact))
        which = np.rint(marked - exact)[columns]
        events = self.plan.events
        known = (which >= 1) & (which <= len(events))
        columns, which = columns[known], which[known].astype(np.int64) - 1
        if not len(columns):
            return None
        return ChangedMeasurements(
            keys=tuple(same.keys[k] for k in columns),
            at=exact[columns],
            moves=(after - exact)[columns],
            rates=np.array([_rate(events[k]) for k in which]),
            gaussian=np.array([isinstance(events[k], GaussianEvent) for k in which]),
        )

    def _measured_without_noise(self, side: int, *, tag: int) -> Any:
        return self._one(side, _NoNoise(self.plan.events, tag=tag))["measured"]

    def _one(self, side: int, noise: NoiseSource) -> dict[Watched, Any]:
        """Return the outcomes of one run. A failure of any kind counts as an outcome."""
        mechanism = self.plan.mechanism
        table = self.pair.after if side else self.pair.before
        noisy: Any = None
        released: Any
        try:
            noisy = mechanism.measure(table.content, self.plan, noise)
            values = mechanism.estimate(noisy, self.plan)
            released = _published(mechanism, table, values, self.plan)
            if isinstance(noisy, Questions):
                noisy = noisy.measured()
        except Exception as error:  # noqa: BLE001  (its kind may distinguish the tables)
            released = Failure.of(error)
            noisy = released if noisy is None or isinstance(noisy, Questions) else noisy
        return {"released": released, "measured": noisy}


def _published(mechanism: Mechanism, table: Table, values: Any, plan: Plan) -> Any:
    """Return all numbers that a release of the table publishes."""
    released = mechanism.released(table.blank(), values, plan)
    return {TABLE: released.content, **released.published_facts}


class _NoNoise:
    """Zeros in place of noise; with `tag` 1, the number of the event, counted from 1."""

    def __init__(self, events: tuple[Event, ...], *, tag: int) -> None:
        self._events = events
        self._tag = tag

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        known = event in self._events
        return np.full(shape, self._tag * (self._events.index(event) + 1 if known else 0))


def _rate(event: Event) -> float:
    return 1 / float(event.sigma2 if isinstance(event, GaussianEvent) else event.scale)
