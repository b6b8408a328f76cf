"""The result of a rule about what a row of a table is and which columns hold its numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Question

MAX_CHOICES = 12  # answers of one kind in a question


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What a row of a table is, and the columns that hold its numbers.

    Attributes:
        words: settings of the layout, by name.
        taken: columns that this layout uses and that hold no regions, such as the numbers.
        aside: columns that it does not use and that cannot hold regions, such as years and
            coordinates.
        reasons: one line for each decision, for people.
        question: a question, if the columns can be read in several ways.
        unused: further columns of numbers.
    """

    words: dict[str, Any]
    taken: frozenset[str] = frozenset()
    aside: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()
    question: Question | None = None
    unused: tuple[str, ...] = ()


MeasureRule = Callable[[SheetFacts, Sequence[str], dict[str, Any]], Measure | None]
