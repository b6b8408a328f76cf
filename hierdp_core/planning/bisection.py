"""The least budget that is enough, by steps that learn from how much it was off."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Decimal

SMALLEST, LARGEST = 1e-5, 1e4  # budgets that can be stated at all

_FARTHEST = 30.0  # most that one step changes the size by
_ASIDE = 1.003  # aim a little above, so that the next try is enough
_MOST_TRIES = 40


def rounded_up(size: float) -> float:
    """The next size with three digits, so that plans hold numbers people can write.

    >>> rounded_up(0.42371), rounded_up(2.0)
    (0.424, 2.0)
    """
    exact = Decimal(repr(size))
    step = Decimal(1).scaleb(exact.adjusted() - 2)
    return float((exact / step).to_integral_value(rounding=ROUND_CEILING) * step)


def least_size(
    taken: Callable[[float], float],
    *,
    start: float,
    slope: float,
    largest: float,
    precision: float,
) -> float | None:
    """The least size at which `taken` is at most 1, to within `precision` of it.

    Args:
        taken: what is taken at a size; falls as the size grows, about as size ** -slope.
        start: a guess.
        slope: 1 where the noise falls as 1/size, ½ where as 1/√size.
        largest: sizes beyond are not tried.
        precision: relative.

    Returns:
        None where not even `largest` is enough.
    """
    little, enough = 0.0, math.inf
    size = start
    for count in range(_MOST_TRIES):
        size = min(largest, rounded_up(max(SMALLEST, min(size, largest))))
        if size >= enough:
            break
        value = taken(size)
        if value <= 1:
            enough = size
            if size <= SMALLEST or value >= (1 + precision) ** -slope:
                break
        else:
            little = size
            if size >= largest:
                return None
        if enough <= little * (1 + precision):
            break
        size = _next(size, value, slope, little, enough, halve=count % 3 == 2)
    return enough if enough < math.inf else None


def _next(
    size: float, value: float, slope: float, little: float, enough: float, *, halve: bool
) -> float:
    learnt = value ** (1 / slope) if 0 < value < math.inf else (0.0 if value == 0 else math.inf)
    proposed = size * min(_FARTHEST, max(1 / _FARTHEST, learnt)) * _ASIDE
    if not little or enough == math.inf:
        return proposed
    if halve or not little < proposed < enough:
        return math.sqrt(little * enough)
    return proposed
