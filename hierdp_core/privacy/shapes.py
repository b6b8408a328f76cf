"""The shapes of a move: by how much each cell of a level may change when one record does."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, islice

Shape = tuple[int, ...]

MOST_SHAPES = 300  # of one release
MOST_TRIPS = 8  # of which all ways to share cells are listed: 253 for two records
MOST_CELLS = 10_000  # that one record moves

_MOST_MOVED = 100  # beyond it there are more shapes than anybody lists


@lru_cache(maxsize=256)
def largest_shapes(
    l1: int, l2_squared: int | None = None, *, at_most: int
) -> tuple[Shape, ...] | None:
    """Return every shape that no other shape within the two sensitivities exceeds.

    A shape is a row of whole numbers from 1, in descending order: the absolute changes of the
    cells that move. One that is nowhere above another (shorter rows filled with zeros) has the
    smaller δ(ε) everywhere: at the best event for one cell, a tail, δ rises with the shift
    because both noise laws are log-concave, and that carries over to products.

    Args:
        l1: the most that all cells together move, from 1.
        l2_squared: the most that their squares add up to, from 1; None for no such limit.
        at_most: give up beyond so many shapes.

    Returns:
        the shapes; None where there are more than `at_most`.

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
    """Return every shape of `records` records of `trips` trips each, which may share cells.

    The trips of one record lie in cells by a partition of their number. Where one record takes
    the place of another, both move cells; trips that they share cancel, and move less.

    Args:
        trips: from 1; none are listed above `MOST_TRIPS`.
        records: 1, or 2 where one record is replaced.

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
    """Return the one shape of so many cells that move by 1; none where they are too many.

    >>> unit_shape(3)
    ((1, 1, 1),)
    """
    return ((1,) * cells,) if 0 < cells <= MOST_CELLS else ()


def _largest(l1: int, squares: int) -> Iterator[Shape]:
    for shape in _shapes(l1, squares, l1):
        left, room = l1 - sum(shape), squares - sum(move * move for move in shape)
        # One more cell by 1 is the smallest change there is; 2d + 1 is what a larger move takes.
        if left < 1 or room < 1:
            yield shape


def _shapes(l1: int, squares: int, largest: int) -> Iterator[Shape]:
    """Every row within both limits, the ones with large moves first, the empty one last."""
    for move in range(min(largest, l1), 0, -1):
        if move * move <= squares:
            for rest in _shapes(l1 - move, squares - move * move, move):
                yield (move, *rest)
    yield ()
