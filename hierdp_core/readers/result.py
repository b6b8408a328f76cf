"""The result of reading files."""

from dataclasses import dataclass, field

from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import Question
from hierdp_core.readers.report import Report
from hierdp_core.tables import Table
from hierdp_core.util.shown import Shown


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Reading(Shown):
    """The result of reading some files: a table, or what prevented one.

    Attributes:
        report: all findings.
        guesses: one line for each detail that the reader inferred, for people to confirm.
        question: what is not clear, with the possible answers. If there is one, there is no table.
        unused: the columns of numbers that the layout does not use; if a row is not a region, all
            columns that it does not use.
        title: the title of the official file, if the table is one; otherwise empty.
        layout: what the columns mean, as stated or guessed; None where unclear.
        columns: the names of the table's columns.
        preview: the first rows of the table, and rows with faults, cell by cell, which may be
            confidential.
        preview_rows: for each of them the row of the file, counted from 1; 0 where it is unknown.
        table: the table; None where there are faults.
        boundaries: a shape for every region; None without a table.
        drawn: the source of the shapes, in words.
    """

    report: Report
    guesses: tuple[str, ...] = ()
    question: Question | None = None
    unused: tuple[str, ...] = ()
    title: str = ""
    layout: Layout | None = None
    columns: tuple[str, ...] = ()
    preview: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    preview_rows: tuple[int, ...] = field(default=(), repr=False)
    table: Table | None = field(default=None, repr=False)
    boundaries: Boundaries | None = field(default=None, repr=False)
    drawn: str = ""
