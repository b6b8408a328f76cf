"""What noise priced in ρ allows: its exact (ε, δ(ε)) curve, and how far counts exceed it.

The formulas of the continuous Gaussian accuse correct discrete noise of small σ. Here the loss
is summed over the whole numbers that the noise lives on.

A record may move the cells of a level in several ways (one cell by 2, or two cells by 1). Each
level's curve is therefore the largest δ(ε) over its shapes, at every ε, and the levels' curves
are composed as dominating pairs, so that levels may differ in shape and a shape may even hang on
earlier answers. Where a level has too many shapes to list, the bound that ρ-zCDP implies takes
the place of the curve: weaker, and right for any noise that keeps that ρ.

Sources: Zhu, Dong and Wang 2022, Theorem 10 (adaptive composition of dominating pairs);
Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022 (connecting the dots); Bun and Steinke 2016,
Definition 1.1; Canonne, Kamath and Steinke 2020, Corollary 13.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hierdp_core.audits.shapes import Shape, largest_shapes
from hierdp_core.util.arrays import FloatArray

_TAIL = 13.0  # standard deviations kept on each side; what is beyond weighs below 1e-36
_GRID = 1 << 16  # steps of the loss when levels are put together; each is rounded up
_ROUND_OFF = 1e-9  # added to every δ: transforms and tails err by far less
_MOST_SHAPES = 50  # of one level
_MOST_RHO = 100.0  # beyond it e^loss leaves the range of floats, and no count could tell
_POINTS = 400  # values of ε
_STEP = 1.02  # between the amounts of noise that are tried
_LEAST, _MOST = -300, 300  # powers of it: from 1/380 to 380 times the claimed ρ


@dataclass(frozen=True, kw_only=True)
class GaussianClaim:
    """Noise as a plan claims it, and how far one record moves what it is added to.

    Attributes:
        levels: for each Gaussian event σ² and its squared L2 sensitivity.
        l1: for each of them its L1 sensitivity; where left out, the square is the limit, which
            whole numbers never exceed.
        geometric: for each other event the scale of its noise and its L1 sensitivity.
    """

    levels: tuple[tuple[float, int], ...]
    l1: tuple[int, ...] = ()
    geometric: tuple[tuple[float, int], ...] = ()

    @property
    def rho(self) -> float:
        """The sum of both kinds; ε²/2 for geometric noise (Bun and Steinke 2016)."""
        return sum(distance / (2 * sigma2) for sigma2, distance in self.levels) + sum(
            (moved / scale) ** 2 / 2 for scale, moved in self.geometric
        )

    def with_rho_times(self, factor: float) -> "GaussianClaim":
        """The same with so much less noise that ρ is `factor` times as large."""
        return GaussianClaim(
            levels=tuple((sigma2 / factor, distance) for sigma2, distance in self.levels),
            l1=self.l1,
            geometric=tuple((scale / math.sqrt(factor), moved) for scale, moved in self.geometric),
        )

    @property
    def parts(self) -> "tuple[_Part, ...] | None":
        """Every event's noise with its shapes; None where there are too many to list."""
        limits = self.l1 or tuple(distance for _, distance in self.levels)
        found = [
            _Part(sigma2, True, largest_shapes(min(l1, d), d, at_most=_MOST_SHAPES))
            for (sigma2, d), l1 in zip(self.levels, limits, strict=True)
        ] + [_Part(s, False, largest_shapes(m, at_most=_MOST_SHAPES)) for s, m in self.geometric]
        if self.rho > _MOST_RHO or any(part.shapes is None for part in found):
            return None
        return tuple(found)


@dataclass(frozen=True)
class _Part:
    """One event: σ² of Gaussian noise or the scale of geometric noise, and its shapes."""

    noise: float
    gaussian: bool
    shapes: tuple[Shape, ...] | None

    def reach(self) -> float:
        """A privacy loss that hardly any outcome exceeds, either way."""
        assert self.shapes is not None
        if not self.gaussian:
            return max(sum(shape) for shape in self.shapes) / self.noise
        squares = max(sum(move**2 for move in shape) for shape in self.shapes)
        one = max(shape[0] for shape in self.shapes) ** 2 / self.noise
        return squares / (2 * self.noise) + one

    def losses(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """For each shape the privacy losses and their probabilities."""
        assert self.shapes is not None
        for shape in self.shapes:
            yield self._gaussian(shape) if self.gaussian else self._geometric(shape)

    def _gaussian(self, shape: Shape) -> tuple[FloatArray, FloatArray]:
        """A cell that moves by d loses (d² − 2 d x) / 2σ²: the sum hangs on Σ d x alone."""
        reach = math.ceil(_TAIL * math.sqrt(self.noise)) + 1
        x = np.arange(-reach, reach + 1.0)
        one = np.exp(-(x**2) / (2 * self.noise))
        law = _sum_of_multiples(one / one.sum(), reach, shape)
        sums = np.arange(len(law), dtype=np.float64) - reach * sum(shape)
        squares = sum(move**2 for move in shape)
        losses: FloatArray = (squares - 2 * sums) / (2 * self.noise)
        return losses, law

    def _geometric(self, shape: Shape) -> tuple[FloatArray, FloatArray]:
        """A cell that moves by d loses (|x − d| − |x|) / b: it takes d + 1 values, by 2 / b."""
        rate = 1 / self.noise
        found = np.ones(1)
        for move in shape:
            k = np.arange(1, move, dtype=np.float64)
            inside = np.exp(-k * rate) * math.tanh(rate / 2)  # (1 − q) / (1 + q) = tanh(rate / 2)
            below = 1 / (1 + math.exp(-rate))  # P(x ≤ 0)
            above = math.exp(-move * rate) * below  # P(x ≥ d)
            found = np.convolve(found, np.concatenate([[below], inside, [above]]))
        total = sum(shape)
        losses: FloatArray = rate * (total - 2 * np.arange(total + 1, dtype=np.float64))
        return losses, found


@lru_cache(maxsize=512)
def curve(claim: GaussianClaim) -> tuple[FloatArray, FloatArray]:
    """(ε, δ(ε)): for a row of ε, from 0 up, a δ that noise as claimed never exceeds.

    Proved for every record that moves each event by at most its L1 and L2 sensitivity, whatever
    the shape on each level. With one shape a level δ is the least one, up to the grid's step.
    """
    parts, rho = claim.parts, claim.rho
    epsilons = np.linspace(0.0, min(rho + 6 * math.sqrt(2 * rho), 600.0), _POINTS)
    if parts is None:
        return epsilons, _deltas_of_rho(rho, epsilons)
    half = _TAIL * math.sqrt(2 * rho) + sum(part.reach() for part in parts)
    step = 2 * half / _GRID
    transform, finite = np.ones(_GRID // 2 + 1, dtype=np.complex128), 1.0
    for part in parts:
        chance, certain = _dominating(part, step)
        transform *= np.fft.rfft(np.fft.ifftshift(chance))
        finite *= 1 - certain
    law = np.fft.fftshift(np.maximum(np.fft.irfft(transform, _GRID), 0.0))
    losses = _grid(step)
    return epsilons, np.minimum(_deltas(losses, law, epsilons) + (1 - finite) + _ROUND_OFF, 1.0)


def rho_at_least(claim: GaussianClaim, low: float, high: float) -> float:
    """The ρ of the least noise of the claim's kind that the two probabilities contradict.

    It is above the claim's ρ only where `contradicts` says so of the claim itself.

    Args:
        claim: says the kind: how levels and cells share the noise.
        low: at most an event's probability on one table.
        high: at least its probability on the neighbour.
    """
    leaks = contradicts(claim, low, high)
    below, above = (0, _MOST) if leaks else (_LEAST, 0)
    if not leaks and not contradicts(claim.with_rho_times(_STEP**_LEAST), low, high):
        return 0.0
    while above - below > 1:
        middle = (below + above) // 2
        if contradicts(claim.with_rho_times(_STEP**middle), low, high):
            below = middle
        else:
            above = middle
    return float(claim.rho * _STEP**below)


def contradicts(claim: GaussianClaim, low: float, high: float) -> bool:
    """Is low − e^ε high above the claimed δ(ε) for some ε, or low above what ρ allows?"""
    epsilons, deltas = curve(claim)
    above_curve = bool((low - np.exp(epsilons) * high > deltas).any())
    return above_curve or low > most_likely(claim.rho, high)


def most_likely(rho: float, chance: float) -> float:
    """The highest probability that ρ-zCDP allows an event that has `chance` on the neighbour.

    The Rényi divergence of every order α, of the event and of its complement, is at most α ρ:
    exp(−(√ln(1/x) − √ρ)²) and 1 − exp(−(√ln(1/(1 − x)) + √ρ)²), minimised over the order.

    Source: Bun and Steinke 2016, Definition 1.1 and Lemma 2.2 (post-processing).

    >>> round(most_likely(0.5, 0.1), 3), most_likely(0.5, 0.0), most_likely(0.5, 1.0)
    (0.519, 0.0, 1.0)
    """
    if chance <= 0 or chance >= 1:
        return float(chance > 0)
    root, far = math.sqrt(rho), math.sqrt(-math.log(chance))
    grown = math.exp(-((far - root) ** 2)) if far > root else 1.0
    shrunk = -math.expm1(-((math.sqrt(-math.log1p(-chance)) + root) ** 2))
    return min(1.0, min(grown, shrunk) + _ROUND_OFF)


def _deltas_of_rho(rho: float, epsilons: FloatArray) -> FloatArray:
    """δ(ε) of any ρ-zCDP noise: the least over some orders, each of which is a bound.

    Source: Canonne, Kamath and Steinke 2020, Corollary 13.
    """
    excess = np.exp(np.linspace(-12, 8, 400))[:, None]  # the order is 1 + excess
    order = 1 + excess
    exponents = excess * (order * rho - epsilons) - np.log(excess) + order * np.log1p(-1 / order)
    deltas: FloatArray = np.exp(np.minimum(exponents.min(axis=0), 0.0))
    return np.minimum(deltas + _ROUND_OFF, 1.0)


def _sum_of_multiples(law: FloatArray, reach: int, shape: Shape) -> FloatArray:
    """The law of Σ d x over independent x from −reach to reach, from −reach Σ d on."""
    size = 2 * reach * sum(shape) + 1
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    for move in set(shape):
        spread = np.zeros(2 * reach * move + 1)
        spread[::move] = law
        transform *= np.fft.rfft(spread, size) ** shape.count(move)
    total: FloatArray = np.maximum(np.fft.irfft(transform, size), 0.0)
    return total


def _dominating(part: _Part, step: float) -> tuple[FloatArray, float]:
    """A law of losses on the grid whose δ(ε) is nowhere below that of any of the part's shapes.

    Returns:
        the probabilities of the losses from −_GRID/2 steps up, shape (_GRID,), and that of an
        outcome which tells the tables apart for certain.
    """
    laws = [_on_grid(losses, chance, step) for losses, chance in part.losses()]
    if len(laws) == 1:
        return laws[0]
    growth = np.exp(_grid(step))
    worst = np.max([_deltas_on_grid(law, growth) + certain for law, certain in laws], axis=0)
    # The points of the curve joined by straight lines in e^ε: convex like every curve, so not
    # below it, and the kinks are the losses. Its slope against e^ε is −1 at first, 0 at last.
    fall = np.diff(worst, prepend=1.0, append=worst[-1])
    into = fall[:-1] / -math.expm1(-step)
    into[0] = fall[0]
    chance = np.maximum(fall[1:] / math.expm1(step) - into, 0.0)
    return chance, float(worst[-1])


def _grid(step: float) -> FloatArray:
    return (np.arange(_GRID, dtype=np.float64) - _GRID // 2) * step


def _on_grid(losses: FloatArray, chance: FloatArray, step: float) -> tuple[FloatArray, float]:
    """Losses rounded up to whole steps; what lies beyond the grid's end tells for certain."""
    place = np.ceil(losses / step - 1e-9).astype(np.int64) + _GRID // 2
    beyond = place >= _GRID
    law = np.bincount(np.maximum(place[~beyond], 0), weights=chance[~beyond], minlength=_GRID)
    return law.astype(np.float64), float(chance[beyond].sum())


def _deltas_on_grid(law: FloatArray, growth: FloatArray) -> FloatArray:
    """The same for every loss of the grid as ε; `growth` is e^loss."""
    above, below = (np.cumsum(side[::-1])[::-1] for side in (law, law / growth))
    deltas = np.zeros(len(law))
    deltas[:-1] = above[1:] - growth[:-1] * below[1:]
    return np.maximum(deltas, 0.0)


def _deltas(losses: FloatArray, law: FloatArray, epsilons: FloatArray) -> FloatArray:
    """E[(1 − e^(ε − L))₊] for every ε, of losses in ascending order."""
    above = np.concatenate([np.cumsum(law[::-1])[::-1], [0.0]])
    below = np.concatenate([np.cumsum((law * np.exp(-losses))[::-1])[::-1], [0.0]])
    first = np.searchsorted(losses, epsilons, side="right")
    deltas: FloatArray = np.maximum(above[first] - np.exp(epsilons) * below[first], 0.0)
    return deltas
