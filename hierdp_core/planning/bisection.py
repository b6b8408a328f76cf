"""The least budget that is enough, by steps that learn from how much it was off."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from hierdp_core.util.constraints import LARGEST_BUDGET, SMALLEST_BUDGET

SMALLEST, LARGEST = float(SMALLEST_BUDGET), float(LARGEST_BUDGET)

_FARTHEST = 30.0  # most that one step changes the size by
_ASIDE = 1.003  # aim a little above, so that the next try is enough
_MOST_TRIES = 40
# When the size grows by 1%, at least 0.15% more of the draws hold: that of one Laplace number.
FEW, DENSITY = 0.15, 0.2


def rounded_up(size: float) -> float:
    """The next size with three digits, so that plans hold numbers people can write.

    >>> rounded_up(0.42371), rounded_up(2.0)
    (0.424, 2.0)
    """
    exact = Decimal(repr(size))
    step = Decimal(1).scaleb(exact.adjusted() - 2)
    return float((exact / step).to_integral_value(rounding=ROUND_CEILING) * step)


@dataclass(frozen=True, kw_only=True)
class Look:
    """What draws at one size say.

    Attributes:
        value: how much is taken, enough up to 1; falls about as size ** -slope.
        tied: whole numbers tie, so `value` says little of what a smaller size would take.
        spare: the share of draws that may still fail.
        tail: the factor that the size should change by for as many to fail as may, where the
            chance of failing falls exponentially with the size; 0 where nothing is known.
    """

    value: float
    tied: bool = False
    spare: float = 0.0
    tail: float = 0.0

    def settled(self, precision: float) -> bool:
        """Whether no smaller size that is worth a try is likely to be enough."""
        return not self.tied or self.spare <= precision * FEW


def least_size(
    look: Callable[[float], Look],
    *,
    start: float,
    slope: float,
    largest: float,
    precision: float,
) -> float | None:
    """The least size that is enough, to within `precision` of it.

    Args:
        look: draws at a size.
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
        seen = look(size)
        near = seen.tied or seen.value >= (1 + precision) ** -slope
        if seen.value <= 1:
            enough = size
            if size <= SMALLEST or (near and seen.settled(precision)):
                break
        else:
            little = size
            if size >= largest:
                return None
        if enough <= little * (1 + precision):
            break
        if near and seen.value <= 1:
            less = math.exp(-max(precision, seen.spare / DENSITY))
            size *= min(less, seen.tail or less)
        else:
            size *= _change(seen, slope)
        size = _next(size, little, enough, halve=count % 3 == 2)
    return enough if enough < math.inf else None


def _change(seen: Look, slope: float) -> float:
    """By how much the size must change: the nearer to 1 of what the two measures say."""
    learnt = seen.value ** (1 / slope) if 0 < seen.value < math.inf else seen.value
    if seen.value > 1:
        return min(_FARTHEST, learnt, seen.tail or math.inf) * _ASIDE
    return max(1 / _FARTHEST, learnt, min(1.0, seen.tail)) * _ASIDE


def _next(proposed: float, little: float, enough: float, *, halve: bool) -> float:
    if little and enough < math.inf and (halve or not little < proposed < enough):
        return math.sqrt(little * enough)
    return proposed
