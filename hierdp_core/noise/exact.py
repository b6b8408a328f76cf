"""Exact noise from operating-system entropy: what a release is made with.

The discrete Laplace and Gaussian samplers are those of OpenDP, which are proved and reviewed there.
They take their random bits from the operating system, and there is no seed to set, to read or to
store. Source: Canonne, Kamath and Steinke 2020, Algorithms 1 to 3.
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

_AT_ONCE = 4096  # numbers a call to the library: a call costs as much as some ten numbers
INSTALL = "Install the library that samples exact noise: pip install 'hierdp[release]'."


class ExactNoise:
    """Noise without a seed for the events of one release, each cell of them once.

    A source belongs to the process that made it. It cannot be copied or sent to another one, and
    it samples for no event but those that were paid for.

    Args:
        events: what may be sampled, as `representable` gives them.
        progress: called with how many numbers were sampled, and of how many in the present call.
        workers: threads; as many as cores where not given.

    Raises:
        ReleaseError: OpenDP is missing, or an event is none that it can draw exactly.
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
                    f"The scale of the noise on “{event.query}” is no number that the sampler "
                    "takes exactly."
                )
        self._events, self._claims = tuple(events), Claims()
        self._progress, self._workers = progress, workers
        self._process = os.getpid()

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        """Return independent noise for every number of an array of `shape`.

        Raises:
            ReleaseError: the event is none of those of the release, or this is another process.
            RuntimeError: noise of one of the cells was given before.
        """
        if os.getpid() != self._process:
            raise ReleaseError("A source of noise cannot be used by a copy of its process.")
        if event not in self._events:
            raise ReleaseError(f"No noise was paid for on “{event.query}”.")
        self._claims.claim(event, shape, cells)
        return _drawn(event, math.prod(shape), self._progress, self._workers).reshape(shape)

    def __reduce__(self) -> NoReturn:
        raise TypeError("A source of exact noise cannot be copied or stored.")


def representable(event: Event) -> Event:
    """Return the event with the lowest noise that is no lower and whose scale is a binary float.

    The sampler takes the scale of discrete Laplace noise, or σ of discrete Gaussian noise, as a
    float and works with exactly that number. The event then says exactly what is sampled.

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
        ReleaseError: it is not installed.
    """
    try:
        import opendp.prelude  # noqa: F401
    except ImportError:
        raise ReleaseError(INSTALL) from None


def noise_source() -> str:
    """Return what samples the noise, with its version: for the certificate.

    Raises:
        ReleaseError: OpenDP is missing.
    """
    require_opendp()
    return f"OpenDP {version('opendp')}, entropy of the operating system, no seed"


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
    """The library's noise on a vector of whole numbers."""
    import opendp.prelude as dp

    if not scale > 0:  # the library takes 0, and adds nothing
        raise ReleaseError("Noise without a scale protects nobody.")
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
    """The least binary float that is not below `value`."""
    number = float(value)
    return number if Fraction(number) >= value else math.nextafter(number, math.inf)


def _sigma(sigma2: Fraction) -> float:
    """The least binary float whose square is not below `sigma2`."""
    number = math.sqrt(sigma2)
    while Fraction(number) ** 2 < sigma2:
        number = math.nextafter(number, math.inf)
    while Fraction(below := math.nextafter(number, 0)) ** 2 >= sigma2:
        number = below
    return number
