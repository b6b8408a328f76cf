"""Descent over budget allocations that give each level a whole percentage."""

from collections.abc import Callable, Sequence
from math import gcd

PERCENT = 100

Split = tuple[int, ...]


def even(template: Sequence[int]) -> Split:
    """Return equal percentages for the levels whose weight in `template` is not 0."""
    open_ = [k for k, weight in enumerate(template) if weight]
    base, rest = divmod(PERCENT, len(open_))
    return tuple(base + (open_.index(k) < rest) if k in open_ else 0 for k in range(len(template)))


def reduced(split: Split) -> Split:
    """Return the same proportions in the smallest whole numbers.

    >>> reduced((20, 40, 40))
    (1, 2, 2)
    """
    common = gcd(*split)
    return tuple(part // common for part in split)


def descend(
    cost: Callable[[Split], float],
    start: Split,
    *,
    steps: Sequence[int] = (16, 8, 4, 2, 1),
    gain: float = 1e-9,
    most: int = 10_000,
    least: int = 1,
) -> Split:
    """Return an allocation found by shifting percentage points between two levels at a time.

    A shift is accepted if it lowers the cost. With the last of `steps`, no shift lowers it further.

    Args:
        cost: the function to minimise.
        start: percentages that add up to 100.
        steps: the sizes of the shifts that are tried, in this order.
        gain: the proportion by which a shift must lower the cost to be accepted.
        most: the largest number of allocations to try; the best one so far is then returned.
        least: the percentage that every level above 0 keeps, at least 1.
    """
    costs = {start: cost(start)}
    best, open_ = start, [k for k, part in enumerate(start) if part]
    for step in steps:
        better = True
        while better:
            better = False
            for giver in open_:
                for taker in open_:
                    shifted = list(best)
                    shifted[giver] -= step
                    shifted[taker] += step
                    split = tuple(shifted)
                    if giver == taker or shifted[giver] < least:
                        continue
                    if split not in costs:
                        if len(costs) >= most:
                            return best
                        costs[split] = cost(split)
                    if costs[split] < costs[best] * (1 - gain):
                        best, better = split, True
    return best
