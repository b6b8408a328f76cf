"""Helpers of all experiments."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.simulation import Simulation, simulate
from hierdp_core.tables import Table
from hierdp_core.util.parallel import Cancel, Progress

_MARKS = "¹²³⁴⁵⁶⁷⁸⁹"

Load = Callable[[str], Table]
Measured = TypeVar("Measured")


class Repetitions:
    """The simulations of all cases of an experiment, with one progress report for all."""

    def __init__(
        self, *, seed: int, total: int, progress: Progress | None, cancel: Cancel | None
    ) -> None:
        """Begin with no completed simulation.

        Args:
            seed: the seed of all noise.
            total: the number of simulations of all cases together.
            progress: called with the number of completed simulations and the total.
            cancel: called before each simulation.

        Raises:
            ChoiceError: `total` is below 1.
        """
        if total < 1:
            raise ChoiceError("At least one simulation is needed. Give 1 or a larger number.")
        self._seed, self._done, self._total = seed, 0, total
        self._progress, self._cancel = progress, cancel

    def of(
        self, table: Table, plan: Plan, n: int, measure: Callable[[Simulation], Measured]
    ) -> list[Measured] | None:
        """Return the results of `measure` for `n` simulations; None if cancelled."""
        measured = []
        for index in range(n):
            if self._cancel is not None and self._cancel():
                return None
            measured.append(measure(simulate(table, plan, seed=self._seed, index=index)))
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self._total)
        return measured


def or_dash(value: float, form: str) -> str:
    """Return `value` in the format `form`; a dash for NaN."""
    return "–" if np.isnan(value) else form.format(value)


@dataclass(eq=False)
class Footnotes:
    """Footnotes to the rows of a reproduction, numbered in order of first use.

    The data frame has the text in the column `note`. Markdown has a mark and a footnote.

    >>> notes = Footnotes()
    >>> notes.mark("Not private."), notes.mark(""), notes.mark("Not private.")
    ('¹', '', '¹')
    >>> notes.lines()
    ['¹ Not private.', '']
    """

    texts: list[str] = field(default_factory=list)

    def mark(self, note: str) -> str:
        """Return the mark of a note; "" for an empty note."""
        if not note:
            return ""
        if note not in self.texts:
            self.texts.append(note)
        return _MARKS[self.texts.index(note)]

    def lines(self) -> list[str]:
        """Return the footnotes, with an empty line after each."""
        return [line for text in self.texts for line in (f"{self.mark(text)} {text}", "")]
