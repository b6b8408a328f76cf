"""Noise sources, and seeded noise for simulations.

`SeededNoise` gives the same noise for the same seed, so it protects nobody. It is for exploring
public or synthetic data, for simulations and for tests.
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
from hierdp_core.privacy.rounding import lower
from hierdp_core.util.arrays import IntArray

# The largest scale or standard deviation that is sampled: 128 times as much is 2^63.
LARGEST_SCALE = 2**56
_WHOLE_SIGMA2 = 25.0  # above it the discrete Gaussian's variance is σ² to 1e-200


class NoiseSource(Protocol):
    """A source of the noise that events describe."""

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        """Return independent noise for every number of an array of `shape`.

        Args:
            event: describes the noise.
            shape: the shape of the numbers that receive it.
            cells: the places of these numbers, in ascending order. They come after all cells for
                which the event's noise was sampled before. The default is the next cells in the
                region of the last of these. The first time, it is the first cells of region 0.
        """
        ...


class SeededNoise:
    """Repeatable noise: a function of seed, index, level, query, region and cell.

    The noise of a cell depends on these and on the kind and scale of the noise, and on nothing
    else. The order of the work and the number of workers or partitions do not change it. No cell
    receives noise twice.

    Args:
        seed: an integer, at least 0.
        index: the index of the simulation, at least 0. Simulations with one seed and different
            indices are independent.

    Raises:
        ChoiceError: the seed or the index is negative or no integer, or the index is 2**64 or more.
    """

    def __init__(self, seed: int, *, index: int = 0) -> None:
        self._key = _key(checked_seed(seed))
        self._index = np.uint64(_checked_index(index))
        self._claims = Claims()

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        """Return independent noise for every number of an array of `shape`.

        Args:
            event: describes the noise.
            shape: the shape of the numbers that receive it.
            cells: as in `NoiseSource.draw`.

        Raises:
            BudgetError: the noise is too wide to be sampled; see `LARGEST_SCALE`.
            ValueError: there are more or fewer cells than numbers.
            RuntimeError: some cells have received noise before, or regions do not ascend.
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
    """Return a seed as an int.

    Raises:
        ChoiceError: `seed` is not an integer, or is below 0.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ChoiceError(
            f"The seed must be a whole number, at least 0; got {seed}. Give a seed such as 0."
        )
    return int(seed)


def _checked_index(index: int) -> int:
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise ChoiceError(f"Give the simulation a whole number as its index; got {index}.")
    if not 0 <= index < 2**64:
        raise ChoiceError(f"Give the simulation an index from 0 to {2**64 - 1:,}; got {index}.")
    return int(index)


@lru_cache(maxsize=1024)
def _key(seed: int) -> tuple[np.uint64, np.uint64]:
    low, high = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    return low, high


@lru_cache(maxsize=1024)
def _name(level: int | None, query: str) -> np.uint64:
    """Return a number for a level and a query, so that each has random words of its own."""
    text = f"{level}\0{query}".encode()
    return np.uint64(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()))


def require_drawable(event: Event) -> None:
    """Require noise that can be sampled.

    Raises:
        BudgetError: the noise is too wide; see `LARGEST_SCALE`.
    """
    if isinstance(event, GaussianEvent):
        drawable = event.sigma2 <= LARGEST_SCALE**2
    else:
        drawable = event.scale <= LARGEST_SCALE
    if not drawable:
        raise BudgetError(
            f"The noise on “{event.query}” has a scale above {lower(LARGEST_SCALE, 2)}, the "
            "largest that can be sampled. Use a larger budget, or allocate more of it to this "
            "measurement."
        )


def variance(event: Event) -> float:
    """Return the variance of one cell's noise.

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
