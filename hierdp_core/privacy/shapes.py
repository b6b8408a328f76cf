"""Shapes: by how much the cells of a level may change when one record changes."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, islice

Shape = tuple[int, ...]

MOST_SHAPES = 300  # per release
MOST_TRIPS = 8  # for which all ways to share cells are listed: 253 for two records
MOST_CELLS = 10_000  # that one record changes

_MOST_MOVED = 100  # above it there are too many shapes to list


@lru_cache(maxsize=256)
def largest_shapes(
    l1: int, l2_squared: int | None = None, *, at_most: int
) -> tuple[Shape, ...] | None:
    """Return every shape that no other shape within the two sensitivities exceeds.

    A shape is a tuple of integers from 1, in descending order: the absolute changes of the cells
    that change. A shape that is nowhere above another one, once zeros fill up the shorter one, has
    no larger δ(ε) at any ε. For one cell, the best event is a tail, and δ increases with the shift
    because both kinds of noise are log-concave. This carries over to products.

    Args:
        l1: the largest sum of all changes, at least 1.
        l2_squared: the largest sum of their squares, at least 1; None for no such limit.
        at_most: the largest number of shapes to list.

    Returns:
        the shapes; None if there are more than `at_most`.

    >>> largest_shapes(4, 8, at_most=50)
    ((2, 2), (2, 1, 1), (1, 1, 1, 1))
    >>> largest_shapes(2, 4, at_most=50), largest_shapes(2, 2, at_most=50)
    (((2,), (1, 1)), ((1, 1),))
    """
    limit = l1 * l1 if l2_squared is None else l2_squared
    if min(l1, limit) > _MOST_MOVED:
        return None
    found = tuple(islice(_largest(l1, limit), at_most + 1))
    return found if len(found) <= at_most else None


@lru_cache(maxsize=64)
def trip_shapes(trips: int, *, records: int) -> tuple[Shape, ...]:
    """Return every shape of `records` records with `trips` trips each, which may share cells.

    The trips of one record are divided among cells by a partition of their number. If one record
    replaces another, both change cells. Trips that they have in common cancel, which only makes
    the change smaller.

    Args:
        trips: the number of trips of a record, at least 1.
        records: 1, or 2 if neighbouring datasets differ by replacing one record.

    Returns:
        the shapes; none for more than `MOST_TRIPS` trips.

    >>> trip_shapes(2, records=1), trip_shapes(2, records=2)
    (((2,), (1, 1)), ((2, 2), (2, 1, 1), (1, 1, 1, 1)))
    >>> trip_shapes(9, records=1)
    ()
    """
    if trips > MOST_TRIPS:
        return ()
    parts = tuple(shape for shape in _shapes(trips, trips * trips, trips) if sum(shape) == trips)
    rows = combinations_with_replacement(parts, records)
    return tuple(tuple(sorted(sum(row, ()), reverse=True)) for row in rows)


def unit_shape(cells: int) -> tuple[Shape, ...]:
    """Return the only shape in which `cells` cells change by 1; none above `MOST_CELLS` cells.

    >>> unit_shape(3)
    ((1, 1, 1),)
    """
    return ((1,) * cells,) if 0 < cells <= MOST_CELLS else ()


def _largest(l1: int, squares: int) -> Iterator[Shape]:
    for shape in _shapes(l1, squares, l1):
        left, room = l1 - sum(shape), squares - sum(move * move for move in shape)
        # A further change by 1 needs the least room, 1. To increase a change d by 1 needs 2d + 1.
        if left < 1 or room < 1:
            yield shape


def _shapes(l1: int, squares: int, largest: int) -> Iterator[Shape]:
    """Yield every shape within both limits, those with large changes first, the empty one last."""
    for move in range(min(largest, l1), 0, -1):
        if move * move <= squares:
            for rest in _shapes(l1 - move, squares - move * move, move):
                yield (move, *rest)
    yield ()
