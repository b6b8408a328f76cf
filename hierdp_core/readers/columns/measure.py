"""What a row of a table is, and which columns hold its numbers: the result for one layout."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Question

MAX_CHOICES = 12


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What a row is, and the columns of numbers.

    Attributes:
        words: settings of the layout, by name.
        taken: columns that this layout uses and that hold no regions, such as the numbers.
        aside: columns that it does not use and that cannot hold regions, such as years and
            coordinates.
        reasons: one line per choice.
        question: a question to the user, if the columns are ambiguous.
        unused: further columns of numbers.
    """

    words: dict[str, Any]
    taken: frozenset[str] = frozenset()
    aside: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()
    question: Question | None = None
    unused: tuple[str, ...] = ()


MeasureRule = Callable[[SheetFacts, Sequence[str], dict[str, Any]], Measure | None]
