"""Privacy-loss distributions: what one release, and several together, reveal of one record.

A release adds independent noise to whole numbers, of which one record moves some by a *shape*,
such as one cell by 2 or two cells by 1. Its privacy loss L is the logarithm of how many times as
likely the outcome is with the record as without, and δ(ε) = E[(1 − exp(ε − L))₊].

The noise is that of the whole numbers, not its continuous relative: the two differ in both
directions where σ is small. All laws here are symmetric, so that the loss of adding a record and
that of removing it have one distribution, and its part below 0 follows from the part above.

Where a record may move a release in several shapes, the curve of the release is the largest δ(ε)
over its shapes, at every ε. Curves are put on a grid by connecting the dots, which errs upwards,
and the grid's distributions are composed by Google's library `dp-accounting`. That holds for
adaptive releases, of which later questions and shapes hang on earlier answers.

Sources: Koskela, Jälkö and Honkela 2020 (composition by the fast Fourier transform); Doroshenko,
Ghazi, Kamath, Kumar and Manurangsi 2022 (connecting the dots); Zhu, Dong and Wang 2022, Theorem 10
(dominating pairs).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hierdp_core.privacy.shapes import Shape
from hierdp_core.util.arrays import FloatArray

# P(|x| ≥ t σ) ≤ 2 exp(−t² / 2): the tails that are cut off weigh below 1e-33 and 1e-21.
_NOISE_TAIL, _LOSS_TAIL = 12.5, 10.0
_STEPS_A_DEVIATION = 128  # of the loss: a grid adds 1 / (4 · 128²) to a part's variance at most
_STEPS_OF_GEOMETRIC = 4096  # of the largest loss of geometric noise alone
_MOST_STEPS = 1 << 17
_MOST_ATOMS = 1 << 16  # of one release; beyond it, neighbouring losses are taken as the larger one
_SMOOTH = 9.0  # σ² over the reach of a shape, from which sums of noise are discrete Gaussian

# For the errors of floats and transforms, and for the tails: tests hold it against fractions.
ABSOLUTE_ALLOWANCE, RELATIVE_ALLOWANCE = 1e-14, 1e-8


@dataclass(frozen=True, kw_only=True)
class Part:
    """One release: the noise of each number, and the shapes in which one record moves them.

    Attributes:
        gaussian: discrete Gaussian noise; else two-sided geometric.
        noise: σ², or the scale.
        shapes: none of which exceeds another.
    """

    gaussian: bool
    noise: float
    shapes: tuple[Shape, ...]

    @property
    def deviation(self) -> float:
        """About how far the loss varies."""
        if not self.gaussian:
            return max(map(sum, self.shapes)) / self.noise
        return math.sqrt(max(_squares(shape) for shape in self.shapes) / self.noise)

    @property
    def reach(self) -> float:
        """A loss that hardly any outcome exceeds."""
        if not self.gaussian:
            return self.deviation
        return self.deviation * (self.deviation / 2 + _LOSS_TAIL)

    @property
    def main_shape(self) -> "Part":
        """The same with the longest shape alone: the worst one where σ is not small."""
        longest = max(self.shapes, key=_squares)
        return Part(gaussian=self.gaussian, noise=self.noise, shapes=(longest,))

    def losses(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """For each shape the privacy losses above 0 with their probabilities."""
        for shape in self.shapes:
            yield (_gaussian if self.gaussian else _geometric)(shape, self.noise)


@dataclass(frozen=True, eq=False, kw_only=True)
class Losses:
    """The privacy-loss distribution of several releases, on a grid, erring upwards.

    Attributes:
        law: of the library.
        largest: the largest loss on the grid.
    """

    law: Any
    largest: float

    def delta(self, epsilon: float) -> float:
        """Return a δ(ε) that the releases never exceed."""
        return _allowed(max(0.0, float(self.law.get_delta_for_epsilon(epsilon))))

    def deltas(self, epsilons: FloatArray) -> FloatArray:
        """Return `delta` of each of ascending ε, shape (n,)."""
        found = np.asarray(self.law.get_delta_for_epsilon(epsilons), dtype=np.float64)
        deltas: FloatArray = np.minimum(
            np.maximum(found, 0.0) * (1 + RELATIVE_ALLOWANCE) + ABSOLUTE_ALLOWANCE, 1.0
        )
        return deltas

    def epsilon(self, delta: float) -> float:
        """Return an ε at which the releases give (ε, δ); ∞ where δ is too small to tell.

        Within 1e-12 of the smallest ε that `delta` shows, and never below it.
        """
        if self.delta(0.0) <= delta:
            return 0.0
        low, high = 0.0, self.largest
        if self.delta(high) > delta:
            return math.inf
        while high - low > 1e-12 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle) <= delta else (middle, high)
        return high


def _allowed(delta: float) -> float:
    return min(1.0, delta * (1 + RELATIVE_ALLOWANCE) + ABSOLUTE_ALLOWANCE)


@lru_cache(maxsize=128)
def composed(parts: tuple[Part, ...]) -> Losses | None:
    """Return the distribution of all parts together; None where the grid would be too long."""
    from dp_accounting.pld.pld_pmf import DensePLDPmf  # seldom needed

    step = _step(parts)
    if sum(part.reach for part in parts) > step * _MOST_STEPS:
        return None
    law = None
    for part in parts:
        chances, certain = _on_grid(part, step)
        one = DensePLDPmf(step, -(len(chances) // 2), chances, certain, True)
        law = one if law is None else law.compose(one)
    assert law is not None
    return Losses(law=law, largest=step * (law.size // 2))


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Return δ(ε) of continuous Gaussian noise: a first guess, never a guarantee.

    Args:
        mu: the length of the move in standard deviations of the noise.
        epsilon: from 0.

    Source: Balle and Wang 2018, Theorem 8.

    >>> f"{gaussian_delta(1 / 5.1003, 1.0):.3g}"
    '1e-08'
    """
    from scipy.special import log_ndtr

    above = float(log_ndtr(mu / 2 - epsilon / mu))
    below = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    return math.exp(above) * -math.expm1(min(0.0, below - above))


def gaussian_epsilon(rho: float, delta: float) -> float:
    """Return the ε of continuous Gaussian noise of that ρ at δ: an estimate, never a guarantee.

    >>> round(gaussian_epsilon(2.5562, 1e-10), 2)
    16.47
    """
    mu = math.sqrt(2 * rho)
    low, high = 0.0, rho + 40 * mu
    if gaussian_delta(mu, low) <= delta:
        return low
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if gaussian_delta(mu, middle) <= delta else (middle, high)
    return high


def deltas_of_rho(rho: float, epsilons: FloatArray) -> FloatArray:
    """Return a δ(ε) of any ρ-zCDP noise for each ε: the least over some orders, each a bound.

    Source: Canonne, Kamath and Steinke 2020, Corollary 13.

    Args:
        epsilons: shape (n,).
    """
    excess = np.exp(np.linspace(-12, 8, 400))[:, None]  # the order is 1 + excess
    order = 1 + excess
    exponents = excess * (order * rho - epsilons) - np.log(excess) + order * np.log1p(-1 / order)
    deltas: FloatArray = np.exp(np.minimum(exponents.min(axis=0), 0.0))
    return deltas


def _step(parts: tuple[Part, ...]) -> float:
    if not any(part.gaussian for part in parts):
        return sum(part.deviation for part in parts) / _STEPS_OF_GEOMETRIC
    return math.sqrt(sum(part.deviation**2 for part in parts)) / _STEPS_A_DEVIATION


@lru_cache(maxsize=64)
def _on_grid(part: Part, step: float) -> tuple[FloatArray, float]:
    """A distribution on the grid whose δ(ε) is nowhere below that of any of the part's shapes.

    Returns:
        the probabilities of the losses from −n to n steps, shape (2n + 1,), and that of an
        outcome that tells the tables apart for certain.
    """
    n = math.ceil(part.reach / step) + 2
    found = [_falls(losses, chances, step, n) for losses, chances in part.losses()]
    fall, certain = found[0]
    if len(found) > 1:
        # The points of the largest curve joined by straight lines in exp(ε): it is convex there.
        curves = [np.append(np.cumsum(f[::-1])[::-1], 0.0) + last for f, last in found]
        worst = np.max(curves, axis=0)
        fall, certain = -np.diff(worst), float(worst[-1])
    into = fall[:-1] - fall[1:]
    above = np.append(fall[:-1] + into / math.expm1(step), fall[-1] / -math.expm1(-step))
    above = np.maximum(above, 0.0)
    below = above * np.exp(-step * np.arange(1, n + 1))
    none = max(0.0, 1.0 - certain - float(above.sum() + below.sum()))
    return np.concatenate([below[::-1], [none], above]), certain


def _falls(
    losses: FloatArray, chances: FloatArray, step: float, n: int
) -> tuple[FloatArray, float]:
    """By how much δ(ε) falls over each of n steps from 0 up, and what is left of it after them.

    Sums of numbers above 0 alone, so that the digits of the smallest are right.
    """
    from scipy.signal import lfilter

    place = np.floor(losses / step).astype(np.int64)
    beyond = place >= n
    inside = ~beyond
    cells, offset = place[inside], losses[inside] - step * place[inside]
    # In the cell of the loss: 1 − exp(ε − L) at its lower end; below, by a constant factor.
    own = np.bincount(cells, chances[inside] * -np.expm1(-offset), minlength=n)
    lower = np.bincount(cells, chances[inside] * np.exp(-offset), minlength=n)
    far = float(np.sum(chances[beyond] * np.exp(n * step - losses[beyond])))
    last = float(np.sum(chances[beyond] * -np.expm1(n * step - losses[beyond])))
    shrink = math.exp(-step)
    # lower[i] + shrink · lower[i + 1] + … : the chances of the other table, seen from cell i.
    seen: FloatArray = lfilter([1.0], [1.0, -shrink], np.append(lower, far)[::-1])[::-1]
    fall: FloatArray = own + seen[1:] * -math.expm1(-step)
    return fall, last


def _gaussian(shape: Shape, sigma2: float) -> tuple[FloatArray, FloatArray]:
    """A cell that moves by d loses (d² − 2 d x) / 2σ²: the sum hangs on Σ d x alone."""
    common = math.gcd(*shape)
    small = tuple(move // common for move in shape)
    squares = _squares(small)
    # The sum of Σ d x is discrete Gaussian up to a factor 1 ± exp(−2π² σ² λ), λ the shortest
    # squared length of the dual of the whole vectors with one sum: at least 1/|d|² by Lagrange's
    # identity, and 1/2 where all moves are by 1.
    if len(small) == 1 or sigma2 >= _SMOOTH * (1 if squares == len(small) else squares):
        sums, chances = _one_gaussian(sigma2 * squares, least=-(common * squares // 2))
    else:
        sums, chances = _several(small, sigma2)
    losses = (_squares(shape) + 2 * common * sums) / (2 * sigma2)
    above = losses > 0
    return losses[above], chances[above]


def _one_gaussian(variance: float, *, least: int) -> tuple[FloatArray, FloatArray]:
    """Discrete Gaussian numbers from `least` up, with their probabilities."""
    deviation = math.sqrt(variance)
    farthest = math.ceil(_NOISE_TAIL * deviation) + 1
    lowest = max(least, -farthest)
    if farthest - lowest < _MOST_ATOMS:
        sums = np.arange(lowest, farthest + 1.0)
        whole = np.arange(1, farthest + 1.0)
        total = 1 + 2 * float(np.exp(-(whole**2) / (2 * variance))[::-1].sum())
        return sums, np.exp(-(sums**2) / (2 * variance)) / total
    from scipy.special import ndtr

    # Blocks of neighbouring sums, each with the probability of the continuous law between its
    # ends, and its largest loss. A sum's own probability is larger than the continuous one by a
    # factor of 1 + 1 / (24 σ²) at most, by the second derivative, and smaller in the tails.
    width = -(-(farthest - lowest) // _MOST_ATOMS)
    ends = np.arange(lowest, farthest + width, width, dtype=np.float64) - 0.5
    chances: FloatArray = -np.diff(ndtr(-ends / deviation)) * (1 + 1 / (24 * variance))
    return ends[1:] - 0.5, chances


def _several(shape: Shape, sigma2: float) -> tuple[FloatArray, FloatArray]:
    """The law of Σ d x over independent x, by the Fourier transform of whole numbers."""
    one = math.ceil(_NOISE_TAIL * math.sqrt(sigma2)) + 1
    reach = min(
        one * sum(shape), math.ceil(_NOISE_TAIL * math.sqrt(sigma2 * _squares(shape))) + sum(shape)
    )
    size = 2 * reach + 1
    x = np.arange(-one, one + 1)
    law = np.exp(-(x**2) / (2 * sigma2))
    law /= law.sum()
    transform = np.ones(size // 2 + 1)
    for move in set(shape):
        spread = np.bincount((x * move) % size, law, minlength=size)
        # Of a symmetric law: without imaginary part.
        transform *= np.fft.rfft(spread).real ** shape.count(move)
    total = np.fft.fftshift(np.maximum(np.fft.irfft(transform, size), 0.0))
    return np.arange(-reach, reach + 1.0), total


def _geometric(shape: Shape, scale: float) -> tuple[FloatArray, FloatArray]:
    """A cell that moves by d loses (|x − d| − |x|) / b: it takes d + 1 values, by 2 / b."""
    rate = 1 / scale
    chances = np.ones(1)
    for move in shape:
        k = np.arange(1, move, dtype=np.float64)
        inside = np.exp(-k * rate) * math.tanh(rate / 2)  # (1 − q) / (1 + q) = tanh(rate / 2)
        below = 1 / (1 + math.exp(-rate))  # P(x ≤ 0)
        above = math.exp(-move * rate) * below  # P(x ≥ d)
        chances = np.convolve(chances, np.concatenate([[below], inside, [above]]))
    total = sum(shape)
    losses = rate * (total - 2 * np.arange(total + 1, dtype=np.float64))
    above_none = losses > 0
    return losses[above_none], chances[above_none]


def _squares(shape: Shape) -> int:
    return sum(move * move for move in shape)
