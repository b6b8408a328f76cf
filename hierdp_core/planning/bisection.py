"""The least budget that is enough, by steps that learn from how much it was off."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Decimal

SMALLEST, LARGEST = 1e-5, 1e4  # budgets that can be stated at all

_FARTHEST = 30.0  # most that one step changes the size by
_ASIDE = 1.003  # aim a little above, so that the next try is enough
_MOST_TRIES = 40
# When the size grows by 1 %, at least 0.15 % more of the draws hold: that of one Laplace number.
_FEW, DENSITY = 0.15, 0.2


def rounded_up(size: float) -> float:
    """The next size with three digits, so that plans hold numbers people can write.

    >>> rounded_up(0.42371), rounded_up(2.0)
    (0.424, 2.0)
    """
    exact = Decimal(repr(size))
    step = Decimal(1).scaleb(exact.adjusted() - 2)
    return float((exact / step).to_integral_value(rounding=ROUND_CEILING) * step)


def least_size(
    taken: Callable[[float], tuple[float, float]],
    *,
    start: float,
    slope: float,
    largest: float,
    precision: float,
) -> float | None:
    """The least size that is enough, to within `precision` of it.

    Args:
        taken: at a size, how much is taken, which falls as the size grows, about as
            size ** -slope, and is enough up to 1; and the share of draws that may still fail,
            where whole numbers tie and the first number says little.
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
        value, spare = taken(size)
        near = (1 + precision) ** -slope <= value <= 1
        if value <= 1:
            enough = size
            if size <= SMALLEST or (near and spare <= precision * _FEW):
                break
        else:
            little = size
            if size >= largest:
                return None
        if enough <= little * (1 + precision):
            break
        change = math.exp(-max(precision, spare / DENSITY)) if near else _change(value, slope)
        size = _next(size * change, little, enough, halve=count % 3 == 2)
    return enough if enough < math.inf else None


def _change(value: float, slope: float) -> float:
    """By how much the size must change for `value` to become 1."""
    if value == 0 or value == math.inf:
        return 1 / _FARTHEST if value == 0 else _FARTHEST
    return min(_FARTHEST, max(1 / _FARTHEST, value ** (1 / slope))) * _ASIDE


def _next(proposed: float, little: float, enough: float, *, halve: bool) -> float:
    if little and enough < math.inf and (halve or not little < proposed < enough):
        return math.sqrt(little * enough)
    return proposed
