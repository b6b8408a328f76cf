"""Rows beside the sums that define the levels: regions without parts, or totals beside their parts.

If sums are the upper levels, a row that is not a sum and lies below none is a region of its own,
such as a city beside districts. It may also be an upper region. Then one number below it is missing
or was revised, so it is not an exact sum, and it counts the rows that follow it a second time.
"""

import re
from bisect import bisect_right

import numpy as np

from hierdp_core.readers.build.totals_report import out_or_none, pairs_of
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.outline import SUMS
from hierdp_core.readers.columns.sums import nested_sums
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_codes
from hierdp_core.util.arrays import BoolArray, IntArray

_LEAST = 50  # smaller numbers are equal to others, or larger than two of them, by chance
_NEARLY = 0.95  # of the next two rows, as their total has if its number is another edition's
_SHOWN = 4
_ZEROS = re.compile(r"0[0-9]+")
_PARTED = re.compile(r"[0-9A-Za-z]+([./-][0-9A-Za-z]+)*[./-]?")


def check_rows_beside_sums(sheet: Sheet, values: IntArray, layout: Layout, notes: Notebook) -> None:
    """Report an error where rows beside the sums may contain rows after them.

    Such a row is equal to the next one or nearly as large as the next two together, or the codes
    of rows that do not lie below it begin with its code.

    Args:
        sheet: the table, in the order of the file.
        values: the counts, shape (n_rows,) or (n_rows, n_columns).
        layout: what the columns mean.
        notes: receives the finding.
    """
    if layout.outline != SUMS or layout.totals or notes.faulty:
        return
    table = values.reshape(len(values), -1)
    nesting = nested_sums(table // max(int(np.gcd.reduce(table, axis=None)), 1))
    alone = (nesting.parent < 0) & ~nesting.is_sum
    if not alone.any() or not nesting.is_sum.any():
        return
    upward = bool((nesting.parent[nesting.parent >= 0] > np.flatnonzero(nesting.parent >= 0)).all())
    doubted = alone & (
        _may_contain_next(table, nesting.parent, upward=upward)
        | _codes_begin(sheet, layout, nesting.parent)
    )
    if not doubted.any():
        return
    name = layout.levels[0]
    cells = np.array(sheet.column(name).to_pylist(), dtype=object)[doubted].tolist()
    places, count = sheet.places(doubted)
    notes.fault(
        "beside-sums",
        f"{shown_codes(cells, shown=_SHOWN)} belong to none of the sums and are not sums "
        "themselves, but may contain rows beside them, so that these would be counted twice",
        'If they are totals, leave them out with leave_out. If they are areas without parts, set '
        'totals = "none".',
        places=places,
        count=count,
        choices=out_or_none(pairs_of(sheet, layout, doubted)),
    )  # fmt: skip


def _may_contain_next(table: IntArray, parent: IntArray, *, upward: bool) -> BoolArray:
    """Return which rows equal the next one of the top level, or have nearly as much as two.

    Rows with 0 are passed over. With `upward`, the rows before are looked at.

    Args:
        table: the counts, shape (n_rows, n_columns).
        parent: shape (n_rows,), the row above each row; -1 for none.
        upward: sums stand below their parts.
    """
    rows = table.sum(axis=1)
    tops = np.flatnonzero((parent < 0) & (rows > 0))
    tops = tops[::-1] if upward else tops
    doubted = np.zeros(len(rows), dtype=np.bool_)
    for k, row in enumerate(tops[:-1].tolist()):
        after = rows[tops[k + 1 : k + 3]]
        same = bool((table[tops[k + 1]] == table[row]).all())
        large = len(after) > 1 and rows[row] >= _NEARLY * after.sum()
        doubted[row] = rows[row] >= _LEAST and (same or large)
    return doubted


def _codes_begin(sheet: Sheet, layout: Layout, parent: IntArray) -> BoolArray:
    """Return which rows have a code with which another of the top level begins; shape (n_rows,).

    Only codes with leading zeros or with marks between their parts are looked at, since numbers
    begin with others by chance.
    """
    doubted = np.zeros(sheet.n_rows, dtype=np.bool_)
    for name in sheet.names:
        if name in (layout.count, *layout.sizes, *layout.parts):
            continue
        codes = sheet.column(name).to_pylist()
        form = _ZEROS if all(_ZEROS.fullmatch(code) for code in codes) else _PARTED
        marked = any(code and not code.isalnum() for code in codes) or form is _ZEROS
        if not marked or not all(form.fullmatch(code) for code in codes):
            continue
        tops = sorted({code for code, above in zip(codes, parent, strict=True) if above < 0})
        after = [bisect_right(tops, code) for code in codes]  # where such a code would stand
        doubted |= [
            k < len(tops) and tops[k].startswith(code) for k, code in zip(after, codes, strict=True)
        ]
    return doubted
