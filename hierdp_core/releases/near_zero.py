"""Margins of small numbers: a number may be small because of its own noise.

At a released 0, simulations of the release can only err upwards. If few true counts are small,
most released numbers near zero were larger before the noise. Two rules raise such margins, and no
margin is lowered:

1. A number below the usual margin of its level and column gets at least that margin. The usual
   margin is the median margin of the numbers that lie further from zero than their own margin.
2. A released number is modelled as y = max(0, t + e). The error e has the distribution of the
   plan's noise at the scale of the usual margin. The distribution of the true counts t is
   estimated by maximum likelihood from all released numbers of the level and column. The margin is
   at least the quantile of |t − y| given y.

Everything is computed from released numbers, so it costs no budget.
Source of rule 2: Kiefer and Wolfowitz 1956, with the algorithm of Laird 1978 from a uniform start.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import GaussianEvent
from hierdp_core.util.arrays import FloatArray

_ENOUGH = 5  # the fewest margins from which a usual one is computed
_ENOUGH_NUMBERS = 20  # the fewest released numbers from which a distribution is estimated
_CELLS, _USUAL_MARGINS = 160, 12  # the cells of the grid, and its length in usual margins
_BEYOND = 5 / 4  # the grid of true counts is longer by this factor
_STEPS = 60  # of the estimate; more steps change the margins by less than a cell of the grid
_NEAR = 3  # numbers up to this many usual margins from zero count as small


@dataclass(frozen=True, kw_only=True)
class NoiseLaw:
    """The distribution that is assumed for errors far from zero.

    Attributes:
        gaussian: whether it is normal; otherwise it is Laplace, which has heavier tails.
        level: the confidence of the margins.
        factor: the ratio of a margin to a standard deviation.
    """

    gaussian: bool
    level: float
    factor: float

    @classmethod
    def of(cls, plan: Plan, *, level: float, factor: float) -> "NoiseLaw":
        """Return the distribution for a plan: normal if all of its noise is Gaussian."""
        gaussian = all(isinstance(event, GaussianEvent) for event in plan.events)
        return cls(gaussian=gaussian, level=level, factor=factor)

    def up_to(self, errors: FloatArray, usual: float) -> FloatArray:
        """Return the probability that an error is at most each of `errors`."""
        spread = usual / self.factor
        if self.gaussian:
            from scipy.special import ndtr

            below: FloatArray = ndtr(errors / spread)
            return below
        tail = np.exp(-np.abs(errors) * math.sqrt(2) / spread) / 2
        return np.where(errors < 0, tail, 1 - tail)


def raised(
    cells: FloatArray,
    values: FloatArray,
    levels: Sequence[slice],
    *,
    columns: int,
    law: NoiseLaw,
) -> FloatArray:
    """Return the margins, raised for small numbers.

    Args:
        cells: the margins; NaN if they are not known.
        values: the released numbers, in the same order.
        levels: the positions of the numbers of each level.
        columns: how many numbers an area has.
        law: the distribution of the errors.
    """
    result = cells.copy()
    for place in levels:
        half, value = (numbers[place].reshape(-1, columns) for numbers in (cells, values))
        usual = _usual_by_column(half, value)
        small = (value < usual) & ~(half >= usual)
        higher = np.where(small, usual, half)
        for column in np.flatnonzero(~np.isnan(usual)):
            least = plausible(value[:, column], float(usual[column]), law)
            higher[:, column] = np.fmax(higher[:, column], least)
        result[place] = higher.reshape(-1)
    return result


def plausible(values: FloatArray, usual: float, law: NoiseLaw) -> FloatArray:
    """Return a margin for each released number near zero, from the distribution of true counts.

    NaN for numbers further from zero, and for all numbers if there are too few of them.

    Args:
        values: released numbers of one level and column.
        usual: their usual margin.
        law: the distribution of the errors.
    """
    margins = np.full(len(values), np.nan)
    edges = np.linspace(0, _USUAL_MARGINS * usual, _CELLS + 1)
    inside = values[values <= edges[-1]]
    if len(inside) < _ENOUGH_NUMBERS:
        return margins
    step = float(edges[1])
    true = np.arange(0.5, math.ceil(_CELLS * _BEYOND), dtype=np.float64) * step
    likelihood = _likelihood(edges, true, usual, law)
    counts = np.bincount(_cell(inside, edges), minlength=_CELLS + 1).astype(np.float64)
    distribution = _estimate(likelihood, counts)
    near = np.flatnonzero(values < _NEAR * usual)
    for value in np.unique(values[near]):
        cell = int(_cell(np.array([value]), edges)[0])
        weights = likelihood[cell] * distribution
        distance = np.abs(true - value)
        order = np.argsort(distance, kind="stable")
        reached = np.cumsum(weights[order]) >= law.level * weights.sum()
        half = math.ceil(distance[order][int(np.argmax(reached))] + step / 2)
        margins[near[values[near] == value]] = half
    return margins


def _usual_by_column(half: FloatArray, value: FloatArray) -> FloatArray:
    far = value > half  # False if the margin is not known
    usual = np.array([_usual(half[far[:, column], column]) for column in range(half.shape[1])])
    usual[np.isnan(usual)] = _usual(half[far])
    return usual


def _usual(margins_far_from_zero: FloatArray) -> float:
    if len(margins_far_from_zero) < _ENOUGH:
        return math.nan
    return float(np.ceil(np.median(margins_far_from_zero)))


def _cell(values: FloatArray, edges: FloatArray) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return the cell of each number: 0 for zeros, then that between two edges (upper included)."""
    return np.minimum(np.searchsorted(edges, values, side="left"), len(edges) - 1)


def _likelihood(edges: FloatArray, true: FloatArray, usual: float, law: NoiseLaw) -> FloatArray:
    """Return the probability of each cell of released numbers (row) at each true count (column)."""
    below = law.up_to(edges[:, None] - true[None, :], usual)
    return np.vstack([below[:1], np.diff(below, axis=0)])


def _estimate(likelihood: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the distribution of true counts, given that their released numbers lie on the grid."""
    positive = counts > 0
    some, weights, on_grid = likelihood[positive], counts[positive], likelihood.sum(axis=0)
    distribution = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(_STEPS):
        expected = some * distribution
        expected /= np.maximum(expected.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        distribution = weights @ expected / np.maximum(on_grid, np.finfo(float).tiny)
        distribution /= distribution.sum()
    return distribution
