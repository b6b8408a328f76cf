"""Where noise comes from.

`SeededNoise` repeats itself for a seed, so it protects nobody: it is for exploring public or
synthetic data, for simulations and for tests.
"""

import hashlib
import math
from functools import lru_cache
from typing import Protocol

import numpy as np

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.noise.claims import Claims
from hierdp_core.noise.laws import Cells, Stream, discrete_gaussian, double_geometric
from hierdp_core.privacy import Event, GaussianEvent
from hierdp_core.util.arrays import IntArray

# The largest scale, or standard deviation, that is sampled: 2^63 is 128 scales away.
LARGEST_SCALE = 2**56
_WHOLE_SIGMA2 = 25.0  # above it the discrete Gaussian's variance is σ² to 1e-200


class NoiseSource(Protocol):
    """Anything that gives the noise that an event describes."""

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        """Independent noise for every number of an array of `shape`.

        Args:
            event: says the noise.
            shape: of the numbers that get it.
            cells: where they stand, in ascending order and above all that the event was asked
                for before; the next ones of region 0 if not given.
        """
        ...


class SeededNoise:
    """Repeatable noise: a function of seed, index, level and query, region and cell.

    What a cell gets depends on nothing else, so neither the order of the work nor the number of
    workers or partitions changes it. No cell's noise is given twice.

    Args:
        seed: a whole number, at least 0.
        index: which of many independent simulations of that seed.

    Raises:
        ChoiceError: the seed is not such a number.
    """

    def __init__(self, seed: int, *, index: int = 0) -> None:
        self._key = _key(checked_seed(seed))
        self._index = np.uint64(index)
        self._claims = Claims()

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        """Return independent noise for every number of an array of `shape`.

        Raises:
            BudgetError: the noise is too wide to be sampled; see `LARGEST_SCALE`.
            RuntimeError: some of it was given before.
        """
        require_drawable(event)
        cells = self._claims.claim(event, shape, cells)
        stream = Stream(*self._key, _name(event.level, event.query), self._index)
        if isinstance(event, GaussianEvent):
            noise = discrete_gaussian(stream, event.sigma2, cells)
        else:
            noise = double_geometric(stream, event.scale, cells)
        return noise.reshape(shape)


def checked_seed(seed: int) -> int:
    """`seed`, refused unless a whole number from 0.

    Raises:
        ChoiceError: it is not.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ChoiceError(f"A seed is a whole number, at least 0; got {seed}.")
    return int(seed)


@lru_cache(maxsize=1024)
def _key(seed: int) -> tuple[np.uint64, np.uint64]:
    low, high = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    return low, high


@lru_cache(maxsize=1024)
def _name(level: int | None, query: str) -> np.uint64:
    """A number for what was measured: levels and queries share no random words."""
    told = f"{level}\0{query}".encode()
    return np.uint64(int.from_bytes(hashlib.blake2b(told, digest_size=8).digest()))


def require_drawable(event: Event) -> None:
    """Require noise that can be sampled.

    Raises:
        BudgetError: it is too wide; see `LARGEST_SCALE`.
    """
    if isinstance(event, GaussianEvent):
        drawable = event.sigma2 <= LARGEST_SCALE**2
    else:
        drawable = event.scale <= LARGEST_SCALE
    if not drawable:
        raise BudgetError(
            f"The noise on “{event.query}” has a scale above {float(LARGEST_SCALE):.1e}, the "
            "largest that can be sampled. State a larger budget, or give this part of it more."
        )


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
