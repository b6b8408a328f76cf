"""Search for the smallest budget that is enough; each step depends on the result of the last one.

The size of a budget is its ε or ρ.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from hierdp_core.util.constraints import LARGEST_BUDGET, SMALLEST_BUDGET

SMALLEST, LARGEST = float(SMALLEST_BUDGET), float(LARGEST_BUDGET)

_FARTHEST = 30.0  # largest factor by which one step changes the size
_ASIDE = 1.003  # factor by which an estimate is raised, so that the next size is enough
_MOST_TRIES = 40
# How much the proportion of simulations that meet the targets rises per unit of log size: 1% more
# budget adds about 0.15 percentage points, as for one Laplace number near 95%. DENSITY is a larger
# value of it, so that steps are cautious.
FEW, DENSITY = 0.15, 0.2


def rounded_up(size: float) -> float:
    """Round a size up to three digits, so that plans contain short numbers.

    >>> rounded_up(0.42371), rounded_up(2.0)
    (0.424, 2.0)
    """
    exact = Decimal(repr(size))
    step = Decimal(1).scaleb(exact.adjusted() - 2)
    return float((exact / step).to_integral_value(rounding=ROUND_CEILING) * step)


@dataclass(frozen=True, kw_only=True)
class SizeResult:
    """Result of the simulations at one size.

    Attributes:
        value: the tolerance needed divided by the tolerance allowed. The size is enough if this is
            at most 1. It falls approximately as size ** -slope.
        tied: whether released integers tie, so that `value` tells little about smaller sizes.
        spare: the proportion of simulations that may still fail.
        tail: the factor by which the size should change so that the allowed number of simulations
            fail, if the probability of failing falls exponentially with the size; 0 if not known.
    """

    value: float
    tied: bool = False
    spare: float = 0.0
    tail: float = 0.0

    def settled(self, precision: float) -> bool:
        """Return whether ties give no reason to test smaller sizes."""
        return not self.tied or self.spare <= precision * FEW


def least_size(
    look: Callable[[float], SizeResult],
    *,
    start: float,
    slope: float,
    largest: float,
    precision: float,
) -> float | None:
    """Find approximately the smallest size that is enough.

    Args:
        look: simulates at a size and returns the result.
        start: a first guess.
        slope: 1 if the noise falls as 1/size, ½ if it falls as 1/√size.
        largest: the largest size to test.
        precision: the relative precision to aim at.

    Returns:
        the size; None if not even `largest` is enough.
    """
    little, enough = 0.0, math.inf
    size = start
    for count in range(_MOST_TRIES):
        size = min(largest, rounded_up(max(SMALLEST, min(size, largest))))
        if size >= enough:
            break
        result = look(size)
        near = result.tied or result.value >= (1 + precision) ** -slope
        if result.value <= 1:
            enough = size
            if size <= SMALLEST or (near and result.settled(precision)):
                break
        else:
            little = size
            if size >= largest:
                return None
        if enough <= little * (1 + precision):
            break
        if near and result.value <= 1:
            less = math.exp(-max(precision, result.spare / DENSITY))
            size *= min(less, result.tail or less)
        else:
            size *= _change(result, slope)
        size = _next(size, little, enough, halve=count % 3 == 2)
    if enough == math.inf and look(largest).value <= 1:  # the tries ended below it
        return largest
    return enough if enough < math.inf else None


def _change(result: SizeResult, slope: float) -> float:
    """Return the factor by which to change the size: the estimate that is nearer to 1."""
    estimate = result.value ** (1 / slope) if 0 < result.value < math.inf else result.value
    if result.value > 1:
        return min(_FARTHEST, estimate, result.tail or math.inf) * _ASIDE
    return max(1 / _FARTHEST, estimate, min(1.0, result.tail)) * _ASIDE


def _next(proposed: float, little: float, enough: float, *, halve: bool) -> float:
    if little and enough < math.inf and (halve or not little < proposed < enough):
        return math.sqrt(little * enough)
    return proposed
