"""The shapes of a move: by how much each cell of a level may change when one record does."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

Shape = tuple[int, ...]

_MOST_CELLS = 100  # beyond it there are more shapes than anybody lists


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
    if min(l1, limit) > _MOST_CELLS:
        return None
    found = tuple(islice(_largest(l1, limit), at_most + 1))
    return found if len(found) <= at_most else None


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
