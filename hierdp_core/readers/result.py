"""The value that a reading gives."""

from dataclasses import dataclass, field

from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.report import Report
from hierdp_core.tables import Table
from hierdp_core.util.shown import Shown


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Reading(Shown):
    """What came out of some files.

    Attributes:
        report: all findings.
        guesses: one line a choice that was made, for people to confirm.
        title: the official file that the table is, if one.
        layout: what the columns mean, as stated or guessed; None where unclear.
        columns: the names of the table's columns.
        preview: the first rows of the table, cell by cell. They are data.
        table: the table; None where there are faults.
        boundaries: a shape for every region; None without a table.
        drawn: where the shapes come from, in words.
    """

    report: Report
    guesses: tuple[str, ...] = ()
    title: str = ""
    layout: Layout | None = None
    columns: tuple[str, ...] = ()
    preview: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    table: Table | None = field(default=None, repr=False)
    boundaries: Boundaries | None = field(default=None, repr=False)
    drawn: str = ""
