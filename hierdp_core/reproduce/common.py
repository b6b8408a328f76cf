"""What the experiments share."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hierdp_core.tables import Table

_MARKS = "¹²³⁴⁵⁶⁷⁸⁹"

Load = Callable[[str], Table]


def or_dash(value: float, form: str) -> str:
    """`value` in `form`; a dash where there is none."""
    return "–" if np.isnan(value) else form.format(value)


@dataclass(eq=False)
class Footnotes:
    """What must be said of single rows of a reproduction, numbered as it comes up.

    A row carries its text in the column `note`, for scripts; people read a mark and a footnote.

    >>> notes = Footnotes()
    >>> notes.mark("Not private."), notes.mark(""), notes.mark("Not private.")
    ('¹', '', '¹')
    >>> notes.lines()
    ['¹ Not private.', '']
    """

    texts: list[str] = field(default_factory=list)

    def mark(self, note: str) -> str:
        """The mark of a note; empty for an empty one."""
        if not note:
            return ""
        if note not in self.texts:
            self.texts.append(note)
        return _MARKS[self.texts.index(note)]

    def lines(self) -> list[str]:
        """The footnotes, with an empty line after each."""
        return [line for text in self.texts for line in (f"{self.mark(text)} {text}", "")]
