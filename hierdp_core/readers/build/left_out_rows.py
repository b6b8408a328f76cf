"""Rows and columns of a confidential table that were left out, although they may be records.

Readers leave out notes, second headers and column numbers. A record can look like one of them,
such as the count 3 of county 2 in state 1, which reads "1, 2, 3". If its row were left out, a
change by one record could change a count by more than one, and noise would not hide that. In a
matrix of flows, a region without a row is left out, and so is one with as many trips as all others.
"""

from collections.abc import Iterable
from unicodedata import normalize

import pyarrow.compute as pc

from hierdp_core.readers.build.region_list import RegionList
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.formats.cells import NUMBER
from hierdp_core.readers.formats.sheet import BLANKS, Sheet, Text
from hierdp_core.readers.report import Notebook, shown_codes

_SHOWN = 4  # cells of a row in a message
_OF_A_TABLE = (
    "a row that names an area looks like a note, a header, column numbers or a total",
    (
        "Remove the row if it is not part of the table. Otherwise put it between other rows, and "
        "give the table a header of one row and no notes."
    ),
)
_OF_A_MATRIX = (
    "a row or column of an area has no counterpart, or looks like a total",
    (
        "Give every area a row and a column, with zeros where there are no trips, or one row for "
        "each pair."
    ),
)


def require_no_area_left_out(
    sheet: Sheet, layout: Layout, regions: RegionList, notes: Notebook
) -> None:
    """Report rows and columns that were left out, or read as a header, but name a region.

    Args:
        sheet: the table as it was read, before its rows were arranged.
        layout: what its columns mean.
        regions: the list of all regions.
        notes: the rows that were left out; receives the error.
    """
    if not notes.left_out and not notes.totals:
        return
    listed = _listed_codes(layout, regions)
    codes = listed | _codes_of_rows(sheet, layout) | set(map(_bare, notes.keys - {""}))
    rows = [
        row
        for row in dict.fromkeys(notes.left_out)
        if any(
            _bare(cell) in codes or (layout.areas and NUMBER.fullmatch(cell.strip()))
            for cell in row
        )
    ]
    rows += [(code,) for code in sorted(notes.totals) if _bare(code) in listed]
    if not rows:
        return
    what, remedy = _OF_A_MATRIX if layout.matrix else _OF_A_TABLE
    places = [shown_codes([cell for cell in row if cell], shown=_SHOWN) for row in rows]
    notes.fault("area-left-out", what, remedy, places=places)


def _listed_codes(layout: Layout, regions: RegionList) -> set[str]:
    """Return the codes of regions in the list, without zeros before them."""
    listed = regions.like(layout)
    columns = [] if listed is None else [listed.column(n) for n in filter(None, layout.levels)]
    return _bare_codes(columns)


def _codes_of_rows(sheet: Sheet, layout: Layout) -> set[str]:
    """Return the codes of regions in the rows, without zeros before them."""
    ends = (*layout.levels, *layout.destinations)
    return _bare_codes([sheet.column(name) for name in ends if sheet.has(name)])


def _bare_codes(columns: Iterable[Text]) -> set[str]:
    return {_bare(code) for text in columns for code in pc.unique(text).to_pylist() if code}


def _bare(code: str) -> str:
    """Return a cell as it is read otherwise, without zeros before it."""
    return normalize("NFC", code.strip(BLANKS)).lstrip("'").lstrip("0")
