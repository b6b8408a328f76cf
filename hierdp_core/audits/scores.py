"""Scores: functions of an outcome whose value tends to differ between the two audited tables.

Scores are fitted on other runs than those that give the bound on ε. The bound therefore holds even
if a score was fitted badly: it is then only lower.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from hierdp_core.audits.outcomes import Outcomes
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

_FEW_VALUES = 48  # a column with more different values is cut into bins
_BINS = 24
_SMOOTHING = 1.0
_CLEAR = 2.5  # standard deviations from which a column counts as different
_PAIRS = 24  # columns whose pairwise differences are all tried
_COLUMNS = 400  # columns whose single numbers are tried


class Score(Protocol):
    """One number per run."""

    def of(self, outcomes: Outcomes) -> FloatArray:
        """Return the score of every run, shape (runs,)."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Cell:
    """One number, its presence, or the position of its lowest nonzero binary digit."""

    column: int
    what: Literal["number", "present", "place"] = "number"

    def of(self, outcomes: Outcomes) -> FloatArray:
        if self.what == "present":
            return outcomes.present[:, self.column]
        numbers = outcomes.numbers if self.what == "number" else outcomes.places
        column: FloatArray = numbers[:, self.column]
        return column


@dataclass(frozen=True, eq=False, kw_only=True)
class Linear:
    """A weighted sum of numbers, or the difference of two."""

    weights: FloatArray = field(repr=False)
    kind: Literal["sum", "difference"] = "sum"

    def of(self, outcomes: Outcomes) -> FloatArray:
        total: FloatArray = np.round(outcomes.filled @ self.weights, 9)
        return total


@dataclass(frozen=True, eq=False, kw_only=True)
class SumOfRatios:
    """The sum of the log-likelihood ratios of single numbers, as if these were independent.

    Attributes:
        columns: the columns that are used.
        edges: the edges of the bins of each column.
        ratios: for each column, the log-likelihood ratio of every bin, and then of absence.
    """

    columns: tuple[int, ...]
    edges: tuple[FloatArray, ...] = field(repr=False)
    ratios: tuple[FloatArray, ...] = field(repr=False)

    def of(self, outcomes: Outcomes) -> FloatArray:
        total = np.zeros(len(outcomes))
        for column, edges, ratios in zip(self.columns, self.edges, self.ratios, strict=True):
            total += ratios[_bins(outcomes.numbers[:, column], edges)]
        return np.round(total, 9)


@dataclass(frozen=True, eq=False, kw_only=True)
class WholeOutcome:
    """The log-likelihood ratio of the whole outcome, from its frequencies on the two tables."""

    ratios: Mapping[bytes, float] = field(repr=False)

    def of(self, outcomes: Outcomes) -> FloatArray:
        return np.array([self.ratios.get(row.tobytes(), 0.0) for row in outcomes.numbers])


@dataclass(frozen=True, eq=False, kw_only=True)
class Extreme:
    """The largest deviation of any number from its usual value, upwards or downwards.

    It reveals whether numbers are limited to a range that depends on the data. Of many numbers,
    some number leaves such a range far more often than any given number does.

    Attributes:
        usual: the usual value of every number, shape (keys,).
        sign: 1 for deviations upwards, −1 for those downwards.
    """

    usual: FloatArray = field(repr=False)
    sign: int

    def of(self, outcomes: Outcomes) -> FloatArray:
        away = self.sign * (outcomes.numbers - self.usual)
        furthest: FloatArray = np.nan_to_num(away, nan=-np.inf).max(axis=1, initial=-np.inf)
        return np.where(np.isfinite(furthest), furthest, np.nan)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClaimedRatio:
    """The log-likelihood ratio of the numbers that one person changes, under the claimed noise.

    Attributes:
        columns: the columns of these n numbers, shape (n,).
        at: their exact values without the person, shape (n,).
        moves: their changes, shape (n,).
        rates: 1 / scale of geometric noise, or 1 / σ² of Gaussian noise; shape (n,).
        gaussian: whether their noise is Gaussian, shape (n,).
    """

    columns: IntArray
    at: FloatArray = field(repr=False)
    moves: FloatArray = field(repr=False)
    rates: FloatArray = field(repr=False)
    gaussian: BoolArray = field(repr=False)

    def of(self, outcomes: Outcomes) -> FloatArray:
        off = outcomes.numbers[:, self.columns] - self.at
        gaussian = (2 * self.moves * off - self.moves**2) / 2
        geometric = np.abs(off) - np.abs(off - self.moves)
        ratio = self.rates * np.where(self.gaussian, gaussian, geometric)
        total: FloatArray = np.round(np.nansum(ratio, axis=1), 9)
        return total


def fitted_scores(before: Outcomes, after: Outcomes) -> Iterator[Score]:
    """Yield all scores fitted to the outcomes of two tables, whose keys must be the same."""
    yield from _cells(before, after)
    yield from _sums(before, after)
    usual = np.round(np.median(np.concatenate([before.filled, after.filled]), axis=0))
    yield from (Extreme(usual=usual, sign=sign) for sign in (1, -1))
    yield from _sums_of_ratios(before, after)
    yield _whole_outcome(before, after)


def _cells(before: Outcomes, after: Outcomes) -> Iterator[Score]:
    difference = np.abs(_clearness(before.filled, after.filled))
    best = np.argsort(-difference, kind="stable")
    for column in best[:_COLUMNS].tolist():
        yield Cell(column=column)
    absent = (before.present.min(axis=0) == 0) | (after.present.min(axis=0) == 0)
    for column in np.flatnonzero(absent).tolist():
        yield Cell(column=column, what="present")
    fractional = (before.filled != np.floor(before.filled)).any(axis=0)
    fractional |= (after.filled != np.floor(after.filled)).any(axis=0)
    for column in np.flatnonzero(fractional)[:_COLUMNS].tolist():
        yield Cell(column=column, what="place")


def _sums(before: Outcomes, after: Outcomes) -> Iterator[Score]:
    n = before.numbers.shape[1]
    if n < 2:
        return
    for direction in (_discriminant(before.filled, after.filled), _clear_means(before, after)):
        if direction.any():
            yield Linear(weights=direction)
    difference = np.abs(_clearness(before.filled, after.filled))
    best = np.sort(np.argsort(-difference, kind="stable")[:_PAIRS])
    for i, one in enumerate(best):
        for other in best[:i]:
            weights = np.zeros(n)
            weights[one], weights[other] = 1.0, -1.0
            yield Linear(weights=weights, kind="difference")


def _discriminant(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return Fisher's linear discriminant: where means differ most, relative to the spread."""
    centred = np.concatenate([before - before.mean(axis=0), after - after.mean(axis=0)])
    spread = centred.T @ centred / len(centred)
    spread += 1e-6 * (np.trace(spread) / len(spread) + 1e-12) * np.eye(len(spread))
    direction = np.linalg.solve(spread, after.mean(axis=0) - before.mean(axis=0))
    largest = np.abs(direction).max()
    return direction / largest if largest > 0 else direction


def _clear_means(before: Outcomes, after: Outcomes) -> FloatArray:
    """Return 1 or −1 for each number whose mean clearly rose or fell, otherwise 0."""
    clear = _clearness(before.filled, after.filled)
    return np.where(np.abs(clear) > _CLEAR, np.sign(clear), 0.0)


def _clearness(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the difference of each column's means, in standard deviations of the difference."""
    spread = np.sqrt(before.var(axis=0) / len(before) + after.var(axis=0) / len(after))
    difference = after.mean(axis=0) - before.mean(axis=0)
    clear: FloatArray = np.divide(
        difference,
        spread,
        out=np.sign(difference) * 1e6,
        where=spread > 1e-12 * (1 + np.abs(difference)),
    )
    return clear


def _sums_of_ratios(before: Outcomes, after: Outcomes) -> Iterator[Score]:
    fine, coarse = [], []
    for column in range(min(before.numbers.shape[1], _COLUMNS)):
        one, other = before.numbers[:, column], after.numbers[:, column]
        both = np.concatenate([one, other])
        values = np.unique(both[~np.isnan(both)])
        if not len(values):
            continue
        if len(values) > _FEW_VALUES:
            values = np.unique(np.quantile(both[~np.isnan(both)], np.linspace(0, 1, _BINS)))
        fine.append((column, *_table(one, other, values)))
        coarse.append((column, *_table(one, other, values[_best_cut(one, other, values)])))
    for chosen in (fine, coarse):
        for least in (0.0, _CLEAR):
            kept = [(c, e, r) for c, e, r, clear in chosen if clear >= least]
            if kept:
                columns, edges, ratios = zip(*kept, strict=True)
                yield SumOfRatios(columns=columns, edges=edges, ratios=ratios)


def _table(
    one: FloatArray, other: FloatArray, edges: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return the edges, the log-likelihood ratios of the bins, and how clearly they differ."""
    edges = np.atleast_1d(edges)
    size = len(edges) + 2
    counts = [np.bincount(_bins(side, edges), minlength=size) for side in (one, other)]
    low, high = counts[0] + _SMOOTHING, counts[1] + _SMOOTHING
    ratios = np.log(high / high.sum()) - np.log(low / low.sum())
    # χ² of the two rows, converted to standard deviations.
    both, degrees = counts[0] + counts[1], max(1, int((counts[0] + counts[1] > 0).sum()) - 1)
    distance = float((((counts[1] - counts[0]) ** 2) / np.maximum(both, 1)).sum())
    return edges, ratios, float(np.sqrt(2 * distance) - np.sqrt(2 * degrees - 1))


def _best_cut(first: FloatArray, other: FloatArray, cuts: FloatArray) -> int:
    shares = [np.searchsorted(np.sort(side), cuts) / len(side) for side in (first, other)]
    middle = (shares[0] + shares[1]) / 2
    spread = np.sqrt(middle * (1 - middle)) + 1e-3
    return int(np.argmax(np.abs(shares[0] - shares[1]) / spread))


def _bins(numbers: FloatArray, edges: FloatArray) -> npt.NDArray[np.intp]:
    """Return the bin of each number; absent numbers are in the last one."""
    bins = np.searchsorted(edges, numbers, side="right")
    return np.where(np.isnan(numbers), len(edges) + 1, bins)


def _whole_outcome(before: Outcomes, after: Outcomes) -> Score:
    seen: dict[bytes, list[float]] = {}
    sides: Sequence[Outcomes] = (before, after)
    for side, outcomes in enumerate(sides):
        for row in outcomes.numbers:
            seen.setdefault(row.tobytes(), [_SMOOTHING, _SMOOTHING])[side] += 1
    return WholeOutcome(
        ratios={row: round(float(np.log(b / a)), 9) for row, (a, b) in seen.items()}
    )
