"""What a row of a table is, and which columns hold its numbers: the value that a manner gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Question

MOST_CHOICES = 12


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What a row is, and the columns of numbers.

    Attributes:
        words: of a layout.
        taken: columns of the numbers, and of what is known not to be regions.
        aside: columns that cannot be regions, such as years and coordinates.
        reasons: one line per choice.
        question: what is not clear.
        unused: columns of numbers that are left.
    """

    words: dict[str, Any]
    taken: frozenset[str] = frozenset()
    aside: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()
    question: Question | None = None
    unused: tuple[str, ...] = ()


Manner = Callable[[SheetFacts, Sequence[str], dict[str, Any]], Measure | None]
