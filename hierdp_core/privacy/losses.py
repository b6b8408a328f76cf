"""Privacy-loss distributions: how much one or several releases reveal about one record.

A release adds independent noise to integers. One record changes some of them by a *shape*, such as
one cell by 2 or two cells by 1. The privacy loss L of an outcome is the logarithm of its
probability with the record divided by its probability without. δ(ε) = E[(1 − exp(ε − L))₊].

The noise is discrete, and so is the computation: for small σ, the curve of continuous noise lies
partly above and partly below the curve of discrete noise. All noise here is symmetric, so adding
and removing a record have the same loss distribution, and its part below 0 follows from the part
above.

If a record may change a release by several shapes, the curve of the release is the largest δ(ε)
over its shapes, at every ε. Curves are put on a grid by connecting the dots, which errs upwards.
Google's library `dp-accounting` composes the distributions on the grid. The result also holds for
adaptive releases, whose later measurements and shapes depend on earlier results.

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

# P(|x| ≥ t σ) ≤ 2 exp(−t² / 2): the tails cut off have probabilities below 1e-33 and 1e-21.
_NOISE_TAIL, _LOSS_TAIL = 12.5, 10.0
_STEPS_A_DEVIATION = 128  # steps per standard deviation of the total loss
_STEPS_OF_GEOMETRIC = 4096  # steps up to the largest loss, if all noise is geometric
_MOST_STEPS = 1 << 17
_MOST_ATOMS = 1 << 16  # per release; above it, neighbouring losses are replaced by the largest
_MOST_FACTORS = 100  # of a transform; the rounding error of a product grows with their number
_SMOOTH = 9.0  # σ² in units of a shape's square, from which sums of noise are discrete Gaussian

# For rounding errors of floats and transforms, and for the tails. Tests compare it with fractions.
ABSOLUTE_ALLOWANCE, RELATIVE_ALLOWANCE = 1e-14, 1e-8


@dataclass(frozen=True, kw_only=True)
class Part:
    """One release: the noise of each number, and the shapes by which one record changes them.

    Attributes:
        gaussian: whether the noise is discrete Gaussian; otherwise it is two-sided geometric.
        noise: σ² of Gaussian noise, or the scale of geometric noise.
        shapes: at least one; none exceeds another.
    """

    gaussian: bool
    noise: float
    shapes: tuple[Shape, ...]

    @property
    def deviation(self) -> float:
        """The approximate standard deviation of the loss; its largest value for geometric noise."""
        if not self.gaussian:
            return max(map(sum, self.shapes)) / self.noise
        return math.sqrt(max(_squares(shape) for shape in self.shapes) / self.noise)

    @property
    def reach(self) -> float:
        """A loss that is exceeded with negligible probability."""
        if not self.gaussian:
            return self.deviation
        return self.deviation * (self.deviation / 2 + _LOSS_TAIL)

    @property
    def main_shape(self) -> "Part":
        """The same noise with the longest shape alone, the worst one unless σ is small."""
        longest = max(self.shapes, key=_squares)
        return Part(gaussian=self.gaussian, noise=self.noise, shapes=(longest,))

    def losses(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield, for each shape, the privacy losses above 0 and their probabilities."""
        for shape in self.shapes:
            yield (_gaussian if self.gaussian else _geometric)(shape, self.noise)


@dataclass(frozen=True, eq=False, kw_only=True)
class Losses:
    """The privacy-loss distribution of several releases, on a grid, erring upwards.

    Attributes:
        law: the distribution, as `dp-accounting` represents it.
        largest: the largest loss on the grid.
    """

    law: Any
    largest: float

    def delta(self, epsilon: float) -> float:
        """Return an upper bound on δ(ε)."""
        return _allowed(max(0.0, float(self.law.get_delta_for_epsilon(epsilon))))

    def deltas(self, epsilons: FloatArray) -> FloatArray:
        """Return `delta` of each ε, shape (n,); the ε are in ascending order."""
        found = np.asarray(self.law.get_delta_for_epsilon(epsilons), dtype=np.float64)
        deltas: FloatArray = np.minimum(
            np.maximum(found, 0.0) * (1 + RELATIVE_ALLOWANCE) + ABSOLUTE_ALLOWANCE, 1.0
        )
        return deltas

    def epsilon(self, delta: float) -> float:
        """Return an ε for which the releases are (ε, δ)-DP; ∞ if the grid shows none.

        It is at most about 1 + 1e-12 times the smallest ε whose `delta` is at most δ.
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
    """Return the loss distribution of all parts together.

    None if the grid would be too long, or a part too inexact: see `_is_exact`.
    """
    from dp_accounting.pld.pld_pmf import DensePLDPmf  # seldom needed

    step = _step(parts)
    if sum(part.reach for part in parts) > step * _MOST_STEPS:
        return None
    noisy = [part for part in parts if part.gaussian]
    if not all(_is_exact(shape, part.noise) for part in noisy for shape in part.shapes):
        return None
    law = None
    for part in parts:
        chances, certain = _on_grid(part, step)
        one = DensePLDPmf(step, -(len(chances) // 2), chances, certain, True)
        law = one if law is None else law.compose(one)
    assert law is not None
    return Losses(law=law, largest=step * (law.size // 2))


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Return δ(ε) of continuous Gaussian noise: a starting value, never a guarantee.

    Args:
        mu: the L2 distance between the exact values, in standard deviations of the noise; above 0.
        epsilon: at least 0.

    Source: Balle and Wang 2018, Theorem 8.

    >>> f"{gaussian_delta(1 / 5.1003, 1.0):.3g}"
    '1e-08'
    """
    from scipy.special import log_ndtr

    above = float(log_ndtr(mu / 2 - epsilon / mu))
    below = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    return math.exp(above) * -math.expm1(min(0.0, below - above))


def gaussian_epsilon(rho: float, delta: float) -> float:
    """Return the ε at δ of continuous Gaussian noise that spends ρ: an estimate, not a guarantee.

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
    """Return an upper bound on δ(ε) of any ρ-zCDP mechanism for each ε, shape (n,).

    It is the smallest of the bounds of 400 Rényi orders, and at most 1.

    Source: Canonne, Kamath and Steinke 2020, Corollary 13.

    Args:
        rho: the zCDP parameter.
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
    """Return a distribution on the grid whose δ(ε) is at least the δ(ε) of every shape of the part.

    Returns:
        the probabilities of the losses from −n to n steps, shape (2n + 1,), and the probability
        of an infinite loss.
    """
    n = math.ceil(part.reach / step) + 2
    found = [_falls(losses, chances, step, n) for losses, chances in part.losses()]
    fall, certain = found[0]
    if len(found) > 1:
        # The largest curve, joined by straight lines in exp(ε): each curve is convex in exp(ε).
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
    """Return the decrease of δ(ε) over each of n steps from ε = 0, and its value after them.

    Only positive numbers are added, so even the smallest results have few rounding errors.
    """
    from scipy.signal import lfilter

    place = np.floor(losses / step).astype(np.int64)
    beyond = place >= n
    inside = ~beyond
    cells, offset = place[inside], losses[inside] - step * place[inside]
    # In the cell of a loss, 1 − exp(ε − L) at its lower end; in cells below, a constant factor.
    own = np.bincount(cells, chances[inside] * -np.expm1(-offset), minlength=n)
    lower = np.bincount(cells, chances[inside] * np.exp(-offset), minlength=n)
    far = float(np.sum(chances[beyond] * np.exp(n * step - losses[beyond])))
    last = float(np.sum(chances[beyond] * -np.expm1(n * step - losses[beyond])))
    shrink = math.exp(-step)
    # lower[i] + shrink · lower[i + 1] + … : probabilities under the other table, from cell i up.
    seen: FloatArray = lfilter([1.0], [1.0, -shrink], np.append(lower, far)[::-1])[::-1]
    fall: FloatArray = own + seen[1:] * -math.expm1(-step)
    return fall, last


def _gaussian(shape: Shape, sigma2: float) -> tuple[FloatArray, FloatArray]:
    """Return losses and probabilities; a cell that changes by d adds (d² + 2 d x) / 2σ²."""
    common, small = _without_common_factor(shape)
    squares = _squares(small)
    # The loss depends on Σ d x alone, which is discrete Gaussian up to a factor 1 ± exp(−2π² σ² λ).
    # λ is the squared length of the shortest vector in the dual of the lattice {x : Σ d x = 0}.
    # It is at least 1/|d|² by Lagrange's identity, and at least 1/2 if all changes are by 1.
    if _is_smooth(small, sigma2):
        sums, chances = _one_gaussian(sigma2 * squares, least=-(common * squares // 2))
    else:
        sums, chances = _several(small, sigma2)
    losses = (_squares(shape) + 2 * common * sums) / (2 * sigma2)
    above = losses > 0
    return losses[above], chances[above]


def _without_common_factor(shape: Shape) -> tuple[int, Shape]:
    common = math.gcd(*shape)
    return common, tuple(move // common for move in shape)


def _is_exact(shape: Shape, noise: float) -> bool:
    """Return whether the allowance covers the rounding errors of Gaussian noise."""
    return len(shape) <= _MOST_FACTORS or _is_smooth(_without_common_factor(shape)[1], noise)


def _is_smooth(small: Shape, sigma2: float) -> bool:
    """Return whether the sum over a shape without a common factor is nearly discrete Gaussian."""
    squares = _squares(small)
    return len(small) == 1 or sigma2 >= _SMOOTH * (1 if squares == len(small) else squares)


def _one_gaussian(variance: float, *, least: int) -> tuple[FloatArray, FloatArray]:
    """Return discrete Gaussian numbers from `least` up, and their probabilities."""
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
    # ends and the largest loss in it. The exact probability of a sum exceeds the continuous one by
    # a factor of at most 1 + 1 / (24 σ²), by the second derivative. In the tails it is smaller.
    width = -(-(farthest - lowest) // _MOST_ATOMS)
    ends = np.arange(lowest, farthest + width, width, dtype=np.float64) - 0.5
    chances: FloatArray = -np.diff(ndtr(-ends / deviation)) * (1 + 1 / (24 * variance))
    return ends[1:] - 0.5, chances


def _several(shape: Shape, sigma2: float) -> tuple[FloatArray, FloatArray]:
    """Return values of Σ d x for independent x, and their probabilities, by Fourier transform."""
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
        # The law is symmetric, so its transform is real.
        transform *= np.fft.rfft(spread).real ** shape.count(move)
    total = np.fft.fftshift(np.maximum(np.fft.irfft(transform, size), 0.0))
    return np.arange(-reach, reach + 1.0), total


def _geometric(shape: Shape, scale: float) -> tuple[FloatArray, FloatArray]:
    """Return losses and probabilities; the loss of a cell has d + 1 values, in steps of 2 / b.

    For a change of d it is (|x − d| − |x|) / b, with b the scale.
    """
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
