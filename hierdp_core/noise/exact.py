"""Exact noise that cannot be repeated, for releases.

Discrete Laplace and discrete Gaussian noise is sampled by OpenDP, a library whose proofs are
reviewed with its code. The random bits come from the cryptographic generator of OpenSSL, which the
operating system seeds in every process. There is no seed to set, read or store.

Source: Canonne, Kamath and Steinke 2020, Algorithms 1 to 3.
"""

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from importlib.metadata import version
from typing import Any, NoReturn

import numpy as np

from hierdp_core.exceptions import ReleaseError
from hierdp_core.noise.claims import Claims
from hierdp_core.noise.laws import Cells
from hierdp_core.noise.seeded import require_drawable
from hierdp_core.privacy import Event, GaussianEvent
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.parallel import Progress, in_parallel

_AT_ONCE = 4096  # numbers per call of the library: a call costs as much as about ten numbers
INSTALL = (
    "OpenDP, the library that samples the exact noise of a release, is not installed. Install it "
    'in the folder of the repository: pip install ".[release]".'
)


class ExactNoise:
    """Noise without a seed for the events of one release; each cell receives it once.

    A source belongs to the process that created it. It cannot be copied or sent to another process.
    It samples noise only for the events of the release, whose privacy loss was paid for.

    Args:
        events: the events of the release, as `representable` returns them.
        progress: a function called with the number of samples taken and their total in this call.
        workers: the number of threads, by default one per core.

    Raises:
        ReleaseError: OpenDP is missing, or it cannot represent the scale of an event exactly.
        BudgetError: the noise of an event is too wide to be sampled; see `LARGEST_SCALE`.
    """

    def __init__(
        self,
        events: Sequence[Event],
        *,
        progress: Progress | None = None,
        workers: int | None = None,
    ) -> None:
        require_opendp()
        for event in events:
            require_drawable(event)
            if representable(event) != event:
                raise ReleaseError(
                    f"The sampler cannot represent the scale of the noise on “{event.query}” "
                    "exactly. Pass the event through `representable` first."
                )
        self._events, self._claims = tuple(events), Claims()
        self._progress, self._workers = progress, workers
        self._process = os.getpid()

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        """Return independent noise for every number of an array of `shape`.

        Args:
            event: one of the events of the release.
            shape: the shape of the numbers that receive noise.
            cells: as in `NoiseSource.draw`.

        Raises:
            ReleaseError: the event does not belong to the release, or this is another process.
            ValueError: there are more or fewer cells than numbers.
            RuntimeError: some cells have received noise before, or regions do not ascend.
        """
        if os.getpid() != self._process:
            raise ReleaseError(
                "A source of exact noise works only in the process that created it. Make another "
                "one in this process."
            )
        if event not in self._events:
            raise ReleaseError(
                f"“{event.query}” is not among the events of this release. Use the events of its "
                "plan."
            )
        self._claims.claim(event, shape, cells)
        return _drawn(event, math.prod(shape), self._progress, self._workers).reshape(shape)

    def __reduce__(self) -> NoReturn:
        raise TypeError("A source of exact noise cannot be copied or stored.")


def representable(event: Event) -> Event:
    """Return the event with its noise increased to the next scale that is a binary float.

    The sampler takes the scale of discrete Laplace noise, or σ of discrete Gaussian noise, as a
    float and uses exactly that number. The returned event therefore states exactly what is sampled.
    An event whose scale is such a float is returned unchanged.

    >>> from hierdp_core.privacy import GeometricEvent
    >>> event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(10, 3))
    >>> 0 < representable(event).scale - event.scale < Fraction(1, 10**15)
    True
    """
    if isinstance(event, GaussianEvent):
        return replace(event, sigma2=Fraction(_sigma(event.sigma2)) ** 2)
    return replace(event, scale=Fraction(_at_least(event.scale)))


def require_opendp() -> None:
    """Require the library that samples exact noise.

    Raises:
        ReleaseError: the library is not installed.
    """
    try:
        import opendp.prelude  # noqa: F401
    except ImportError:
        raise ReleaseError(INSTALL) from None


def noise_source() -> str:
    """Return the name and version of the sampler, for the certificate.

    Raises:
        ReleaseError: OpenDP is missing.
    """
    require_opendp()
    return (
        f"OpenDP {version('opendp')}, with a cryptographic generator that the operating system "
        "seeds"
    )


def _drawn(event: Event, n: int, progress: Progress | None, workers: int | None) -> IntArray:
    sampler = _sampler(isinstance(event, GaussianEvent), _scale(event))
    pieces = [min(_AT_ONCE, n - start) for start in range(0, n, _AT_ONCE)]

    def done(pieces_done: int, _: int) -> None:
        if progress is not None:
            progress(min(n, pieces_done * _AT_ONCE), n)

    numbers = in_parallel(
        lambda size: np.array(sampler([0] * size), dtype=np.int64),
        pieces,
        workers=workers,
        progress=done,
    )
    return np.concatenate([np.zeros(0, dtype=np.int64), *numbers])


def _scale(event: Event) -> float:
    return _sigma(event.sigma2) if isinstance(event, GaussianEvent) else _at_least(event.scale)


@lru_cache(maxsize=256)
def _sampler(gaussian: bool, scale: float) -> Callable[[list[int]], list[int]]:
    """Return the library's function that adds noise to a vector of integers."""
    import opendp.prelude as dp

    if not scale > 0:  # the library accepts 0, and then adds nothing
        raise ReleaseError("Noise with a scale of 0 protects nobody. Use a scale above 0.")
    dp.enable_features("contrib")
    space: Any = dp.vector_domain(dp.atom_domain(T="i64"))
    measurement: Any
    if gaussian:
        measurement = dp.m.make_gaussian(space, dp.l2_distance(T="f64"), scale)
    else:
        measurement = dp.m.make_laplace(space, dp.l1_distance(T="i64"), scale)
    sampler: Callable[[list[int]], list[int]] = measurement
    return sampler


def _at_least(value: Fraction) -> float:
    """Return the smallest binary float that is not below `value`."""
    number = float(value)
    return number if Fraction(number) >= value else math.nextafter(number, math.inf)


def _sigma(sigma2: Fraction) -> float:
    """Return the smallest binary float whose square is not below `sigma2`."""
    number = math.sqrt(sigma2)
    while Fraction(number) ** 2 < sigma2:
        number = math.nextafter(number, math.inf)
    while Fraction(below := math.nextafter(number, 0)) ** 2 >= sigma2:
        number = below
    return number
