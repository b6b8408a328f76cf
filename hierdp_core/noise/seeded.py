"""Where noise comes from.

`SeededNoise` repeats itself for a seed, so it protects nobody: it is for
exploring public or synthetic data, for trials and for tests.
"""

import math
from fractions import Fraction
from typing import Protocol

import numpy as np

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy import Event, GaussianEvent
from hierdp_core.util.arrays import IntArray

# The largest scale, or standard deviation, that is drawn. Geometric draws stop at 2^63, which is
# 128 scales away: a draw gets there with probability e^-128. From about 2^60 on many would.
LARGEST_SCALE = 2**56
_WHOLE_SIGMA2 = 25.0  # above it the discrete Gaussian's variance is σ² to 1e-200


class NoiseSource(Protocol):
    """Anything that can draw the noise that an event describes."""

    def draw(self, event: Event, shape: tuple[int, ...]) -> IntArray: ...


class SeededNoise:
    """Repeatable noise with the exact laws of the events.

    Args:
        seed: a whole number, at least 0.
        index: which of many independent simulations of that seed.
    """

    def __init__(self, seed: int, *, index: int = 0) -> None:
        sequence = np.random.SeedSequence(entropy=seed, spawn_key=(index,))
        self._rng = np.random.default_rng(sequence)

    def draw(self, event: Event, shape: tuple[int, ...]) -> IntArray:
        """Return independent noise for every cell of a vector of `shape`.

        Raises:
            BudgetError: the noise is too wide to be drawn; see `LARGEST_SCALE`.
        """
        _require_drawable(event)
        if isinstance(event, GaussianEvent):
            return discrete_gaussian(self._rng, event.sigma2, shape)
        return double_geometric(self._rng, event.scale, shape)


def _require_drawable(event: Event) -> None:
    if isinstance(event, GaussianEvent):
        drawable = event.sigma2 <= LARGEST_SCALE**2
    else:
        drawable = event.scale <= LARGEST_SCALE
    if not drawable:
        raise BudgetError(
            f"The noise on “{event.query}” has a scale above {float(LARGEST_SCALE):.1e}, the "
            "largest that can be drawn. State a larger budget, or give this part of it more."
        )


def double_geometric(
    rng: np.random.Generator, scale: Fraction | float, shape: tuple[int, ...]
) -> IntArray:
    """Draws with P(k) = (1−q)/(1+q) q^|k|, q = exp(−1/scale): two geometrics' difference.

    Returns:
        shape `shape`, int64.
    """
    stop = -math.expm1(-1 / float(scale))
    noise = rng.geometric(stop, size=shape)
    noise -= rng.geometric(stop, size=shape)
    return noise


def discrete_gaussian(
    rng: np.random.Generator, sigma2: Fraction | float, shape: tuple[int, ...]
) -> IntArray:
    """Draws with P(k) ∝ exp(−k² / 2σ²).

    Rejection from double geometric draws. Source: Canonne, Kamath and Steinke 2020,
    Algorithm 3.

    Returns:
        shape `shape`, int64.
    """
    variance = float(sigma2)
    proposal_scale = math.floor(math.sqrt(variance)) + 1
    wanted = math.prod(shape)
    noise = np.empty(wanted, dtype=np.int64)
    filled = 0
    while filled < wanted:
        batch = wanted - filled + (wanted - filled) // 2 + 16
        proposed = double_geometric(rng, float(proposal_scale), (batch,))
        distance = np.abs(proposed) - variance / proposal_scale
        kept = proposed[rng.random(batch) < np.exp(-(distance**2) / (2 * variance))]
        take = min(len(kept), wanted - filled)
        noise[filled : filled + take] = kept[:take]
        filled += take
    return noise.reshape(shape)


def variance(event: Event) -> float:
    """The variance of one cell's noise.

    >>> from fractions import Fraction
    >>> from hierdp_core.privacy import GeometricEvent
    >>> event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(10))
    >>> round(variance(event), 3)
    199.833
    """
    if not isinstance(event, GaussianEvent):
        rate = 1 / float(event.scale)
        # 2q/(1−q)² without cancellation, and without overflow for tiny noise.
        return 0.5 / math.sinh(rate / 2) ** 2 if rate < 700 else 0.0
    sigma2 = float(event.sigma2)
    if sigma2 > _WHOLE_SIGMA2:
        return sigma2
    k = np.arange(1, 200)
    weight = np.exp(-(k**2) / (2 * sigma2))
    return float(2 * (k**2 * weight).sum() / (1 + 2 * weight.sum()))
