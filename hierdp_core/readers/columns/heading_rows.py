"""Blocks of rows below a heading in the column of their names, which names the area above them."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import called_total
from hierdp_core.readers.columns.question import MISSING_CHOICES, Choice
from hierdp_core.readers.columns.vocabulary import heads_parts
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code, shown_codes
from hierdp_core.util.arrays import BoolArray
from hierdp_core.util.text import counted

HEADING = "heading"
ARE_AREAS = "areas"  # the setting that headings are areas that contain the rows below them
_MIN_HEADINGS = 2
_MIN_COLUMNS = 3  # with two, a heading looks like an area whose number is missing
_MIN_BELOW = 2  # rows below a heading, on average
_SHOWN = 5  # headings in a message


@dataclass(frozen=True, kw_only=True)
class Headings:
    """The headings of a table.

    Attributes:
        column: the column that holds them, and the names of the rows below.
        rows: where they stand, shape (n_rows,).
        names: the headings, all different.
    """

    column: str
    rows: BoolArray
    names: tuple[str, ...]


def find_headings(sheet: Sheet) -> Headings | None:
    """Return the rows of a table that may be headings; None if there are none.

    A heading is the only filled cell of its row, in the column that names the rows below it. The
    first row is a heading, and at least one row with other cells stands below each.
    """
    if sheet.partial or not sheet.n_rows or len(sheet.names) < 2:
        return None
    filled = [as_mask(pc.not_equal(column, "")) for column in sheet.columns]
    alone = np.sum(filled, axis=0) == 1
    names = next((k for k, cells in enumerate(filled) if cells[0]), -1)
    if not alone[0] or names < 0 or sheet.names[names] in sheet.indents:
        return None
    rows = alone & filled[names]
    if rows.sum() < _MIN_HEADINGS or rows[-1] or (rows[1:] & rows[:-1]).any():
        return None
    headings = sheet.columns[names].filter(pa.array(rows)).to_pylist()
    if len({*headings}) < len(headings) or any(map(heads_parts, headings)):
        return None
    return Headings(column=sheet.names[names], rows=rows, names=tuple(headings))


def with_headings_in_column(sheet: Sheet, notes: Notebook, stated: str = "") -> Sheet:
    """Return the table with the headings of its blocks in a new first column; report it.

    If nothing is stated, each block must end in a row that is called a total. Other tables are
    returned as they are, since a row with only a name may be an area whose numbers are missing.

    Raises:
        Unreadable: headings are stated, but the table has none, or it is confidential, so that a
            record could decide which rows have no number.
    """
    headings = None if notes.confidential else find_headings(sheet)
    if headings is None:
        if stated:
            _report_no_headings(notes)
        return sheet
    text = sheet.column(headings.column)
    certain = len(sheet.names) >= _MIN_COLUMNS and _ends_in_totals(text, headings.rows)
    if not stated and not certain:
        return sheet
    heads = pa.array(headings.rows)
    above = pc.fill_null_forward(pc.if_else(heads, text, pa.scalar(None, pa.string())))
    cells = pc.if_else(pa.array(_grand_total(text)), text, above)
    column = HEADING if HEADING not in sheet.names else f"{HEADING} of block"
    notes.repair(
        "headings-in-column",
        f"{counted(len(headings.names), 'heading')} in column {shown_code(headings.column)} "
        f"({shown_codes(headings.names, shown=_SHOWN)}) were put beside the rows below them, in a "
        f"new column {shown_code(column)}",
    )
    return replace(
        sheet, names=(column, *sheet.names), columns=(cells, *sheet.columns)
    ).take(~headings.rows)  # fmt: skip


def blank_choices(sheet: Sheet) -> tuple[Choice, ...]:
    """Return the answers where counts are blank, such as that these rows are headings.

    An area whose number is missing may also be a row with only a name, but then few rows stand
    between most of them. If names repeat below several headings, leaving them out would merge
    different areas, or a total with its parts.
    """
    headings = find_headings(sheet)
    if headings is None or (_MIN_BELOW + 1) * len(headings.names) > sheet.n_rows:
        return MISSING_CHOICES
    named = shown_codes(headings.names, shown=_SHOWN)
    below = sheet.column(headings.column).filter(pa.array(~headings.rows))
    if len(pc.unique(below)) < len(below):
        words = f"Rows with only a name ({named}) are headings of the rows below them"
        return (Choice(words=words, stated={"headings": ARE_AREAS}),)
    words = f"Rows with only a name ({named}) are areas that contain the rows below them"
    return (Choice(words=words, stated={"headings": ARE_AREAS}), *MISSING_CHOICES)


def _report_no_headings(notes: Notebook) -> None:
    if notes.confidential:
        raise notes.unreadable(
            "headings",
            "is confidential, so a record could decide which rows are headings, because headings "
            "have no number",
            "Put the areas above into a column of their own, and remove the setting headings.",
        )
    raise notes.unreadable(
        "headings",
        "has no headings: the first row must have only a name, and rows with a number must stand "
        "below each heading",
        "Remove the setting headings.",
    )


def _ends_in_totals(names: Text, heads: BoolArray) -> bool:
    """Return whether each heading has rows below it, the last of which is called a total."""
    starts = np.flatnonzero(heads)
    ends = np.append(starts[1:], len(heads)) - 1
    return bool(called_total(names)[ends].all() and (ends - starts > 1).all())


def _grand_total(names: Text) -> BoolArray:
    """Return where a last total, below that of the last block, stands; shape (n_rows,)."""
    total = called_total(names)
    last = np.arange(len(total)) == len(total) - 1
    return np.asarray(last & total & total[max(len(total) - 2, 0)])
