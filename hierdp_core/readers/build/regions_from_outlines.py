"""Regions of several levels in one column: each row lies below a row above or beside it."""

from collections import Counter

import numpy as np

from hierdp_core.readers.build.layout_parts import whole_column
from hierdp_core.readers.build.region_codes import Places, coded, tell_blank
from hierdp_core.readers.build.regions_from_parents import regions_of_parents
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.outline import row_parents, without_marks
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import IntArray


def by_outline(sheet: Sheet, layout: Layout, notes: Notebook) -> Places | None:
    """Return the regions; None where the rows do not nest, which is reported.

    A name that occurs more than once is written with the names above it.
    """
    column = layout.levels[0]
    values = _values(sheet, layout)
    parent = row_parents(sheet, layout.outline, (column, *layout.names), values,
                         hidden=layout.totals == "left out")
    if parent is None:
        notes.fault(
            "no-outline",
            f"the rows of column {shown_code(column)} do not lie in each other",
            'Say outline = "none" if all rows are of one level.',
            choices=(Choice(words="All rows are of one level", stated={"outline": "none"}),),
        )
        return None
    bare, _ = without_marks(coded(sheet, column, layout, notes))
    names = bare.to_pylist()
    blank = np.array([not name for name in names])
    if blank.any():
        tell_blank(sheet, blank, column, notes)
        return None
    codes = _unlike(names, parent.tolist())
    twice = [code for code, n in Counter(codes).items() if n > 1]
    if twice:
        notes.fault(
            "duplicate", "a region has more than one row", "Remove the rows that are wrong.",
            places=[f"region {shown_code(code)}" for code in twice[:5]], count=len(twice),
        )  # fmt: skip
        return None
    tops = int((parent < 0).sum())
    above = {code: codes[p] if p >= 0 else None for code, p in zip(codes, parent, strict=True)}
    if tops > 1:
        above = {"all": None} | {code: p or "all" for code, p in above.items()}
    if layout.names:
        named, _ = without_marks(sheet.column(layout.names[-1]))
        names = named.to_pylist()
    return regions_of_parents(codes, above, dict(zip(codes, names, strict=True)), layout, notes)


def _values(sheet: Sheet, layout: Layout) -> IntArray:
    """The numbers of the rows, those that cannot be read as 0, shape (n_rows, n_columns)."""
    quiet = Notebook(sheet.file)
    columns = [
        whole_column(sheet, name, layout, quiet) for name in layout.sizes or (layout.count,) if name
    ]
    zero = np.zeros(sheet.n_rows, dtype=np.int64)
    return np.column_stack([zero if column is None else column for column in columns] or [zero])


def _unlike(names: list[str], parent: list[int]) -> list[str]:
    """Names as codes, those that occur more than once after the code above them."""
    often = Counter(names)
    codes = list(names)
    order = sorted(range(len(names)), key=lambda row: _depth(row, parent))
    for row in order:
        if often[names[row]] > 1 and parent[row] >= 0:
            codes[row] = f"{codes[parent[row]]}/{names[row]}"
    return codes


def _depth(row: int, parent: list[int]) -> int:
    depth = 0
    while parent[row] >= 0:
        row, depth = parent[row], depth + 1
    return depth
