"""Missing numbers that are certainly 0, because the known ones add up to a total beside them."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.build.counts_from_text import is_missing
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.text import counted

_LEAST_ROWS = 3  # with a missing number, in which the others add up to the total by no chance


def with_certain_zeros(
    sheet: Sheet, names: Sequence[str], layout: Layout, notes: Notebook
) -> Sheet:
    """Return the sheet with 0 for missing numbers, if the known ones add up to another column.

    Counts are not negative, so what is missing from a sum that is whole is 0. The sums must be
    exact in all rows, and in at least three with a missing number.

    Args:
        sheet: the table.
        names: the columns whose sum is the total.
        layout: what the columns mean. A statement on missing numbers is left as it is.
        notes: receives the correction.
    """
    if layout.missing or layout.blank_is_zero or len(names) < 2:
        return sheet
    missing = np.array([is_missing(sheet.column(n), brackets=layout.brackets) for n in names])
    rows = missing.any(axis=0)
    if int(rows.sum()) < _LEAST_ROWS:
        return sheet
    values = np.array([ColumnFacts(n, sheet.column(n)).values for n in names])
    if (np.isnan(values) & ~missing).any() or (values < 0).any():
        return sheet
    sums = np.nansum(np.where(missing, 0.0, values), axis=0)
    for name in sheet.names:
        if name in layout.columns:
            continue
        total = ColumnFacts(name, sheet.column(name))
        if not total.numeric or not np.array_equal(total.values, sums):
            continue
        if int((sums[rows] > 0).sum()) < _LEAST_ROWS:
            continue
        n_cells = int(missing.sum())
        notes.repair(
            "certain-zeros",
            f"{counted(n_cells, 'missing number')} in the columns from {shown_code(names[0])} to "
            f"{shown_code(names[-1])} were read as 0, because the others add up to column "
            f"{shown_code(name)}",
        )
        for column, mask in zip(names, missing, strict=True):
            text = sheet.column(column)
            sheet = sheet.with_column(column, pc.if_else(pa.array(mask), "0", text))
        return sheet
    return sheet
