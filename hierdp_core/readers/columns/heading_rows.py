"""Blocks of rows below a heading in the column of their names, each of which ends in its total."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import called_total
from hierdp_core.readers.columns.vocabulary import heads_parts
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code, shown_codes
from hierdp_core.util.arrays import BoolArray
from hierdp_core.util.text import counted

HEADING = "heading"
_MIN_HEADINGS = 2
_MIN_COLUMNS = 3  # with two, a heading looks like an area whose number is missing
_SHOWN = 5  # headings in a message


def with_headings_in_column(sheet: Sheet, notes: Notebook) -> Sheet:
    """Return the table with the headings of its blocks in a new first column; report it.

    A heading is the only filled cell of its row, in the column that names the rows below it. The
    first row is a heading, and each block ends in a row that is called a total. Other tables are
    returned as they are, since a row with a name alone may be an area whose numbers are missing.
    """
    if sheet.partial or notes.confidential or len(sheet.names) < _MIN_COLUMNS:
        return sheet
    filled = [as_mask(pc.not_equal(column, "")) for column in sheet.columns]
    alone = np.sum(filled, axis=0) == 1
    if not sheet.n_rows or not alone[0] or int(alone.sum()) < _MIN_HEADINGS:
        return sheet
    names = next(k for k, cells in enumerate(filled) if cells[0])
    text = sheet.columns[names]
    heads = alone & filled[names]
    if sheet.names[names] in sheet.indents or not _ends_in_totals(text, heads):
        return sheet
    headings = text.filter(pa.array(heads)).to_pylist()
    if len({*headings}) < len(headings) or any(map(heads_parts, headings)):
        return sheet
    above = pc.fill_null_forward(pc.if_else(pa.array(heads), text, pa.scalar(None, pa.string())))
    cells = pc.if_else(pa.array(_grand_total(text)), text, above)
    column = HEADING if HEADING not in sheet.names else f"{HEADING} of block"
    notes.repair(
        "headings-in-column",
        f"{counted(len(headings), 'heading')} in column {shown_code(sheet.names[names])} "
        f"({shown_codes(headings, shown=_SHOWN)}) were put beside the rows below them, in a new "
        f"column {shown_code(column)}",
    )
    return replace(
        sheet, names=(column, *sheet.names), columns=(cells, *sheet.columns)
    ).take(~heads)  # fmt: skip


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
