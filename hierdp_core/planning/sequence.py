"""The budgets that new simulations test, in an order fixed before any of these simulations."""

from collections.abc import Iterator

from hierdp_core.planning.bisection import SMALLEST, rounded_up

_START = 1.5
_ABOVE = (8, 4, 2, 1, 0)  # numbers of steps above the expected size
_WIDER = 0.2  # farther below it, a step is this proportion of the distance from it
_COARSE = 0.05  # relative step in a sequence after a failed first size


def first_sequence(expected: float, *, step: float, largest: float) -> Iterator[float]:
    """Yield sizes in descending order, from 1.5 times `expected`.

    Sizes near `expected` differ by the relative `step`, and those farther from it by more. The last
    size is the smallest that can be stated.

    >>> list(first_sequence(1.0, step=0.01, largest=10))[:7]
    [1.5, 1.08, 1.04, 1.02, 1.01, 1.0, 0.99]
    """
    factors = (1 + step * k for k in _ABOVE)
    yield from _descending([expected * f for f in (_START, *factors) if f <= _START], largest)
    size, reached = expected, _stated(expected, largest)
    while reached > SMALLEST:
        size *= 1 - max(step, _WIDER * (1 - size / expected))
        if _stated(size, largest) < reached:
            reached = _stated(size, largest)
            yield reached


def next_sequence(failed: float, *, largest: float) -> Iterator[float]:
    """Yield sizes in descending order, from twice `failed` down to just above it.

    >>> next(next_sequence(3.0, largest=5)), min(next_sequence(3.0, largest=5))
    (5, 3.16)
    """
    sizes = []
    size = min(2 * failed, largest)
    while size > failed:
        sizes.append(size)
        size *= 1 - _COARSE
    yield from _descending(sizes, largest)


def _descending(sizes: list[float], largest: float) -> Iterator[float]:
    """Yield `sizes` rounded and limited as budgets can be stated, without repetitions."""
    before = None
    for size in sizes:
        stated = _stated(size, largest)
        if stated != before:
            yield stated
        before = stated


def _stated(size: float, largest: float) -> float:
    return min(largest, rounded_up(max(SMALLEST, size)))
