"""Regions of several levels in one column, nested by indents or by sums."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.build.counts_from_text import is_missing
from hierdp_core.readers.build.layout_parts import whole_column
from hierdp_core.readers.build.region_codes import Places, completed_codes, report_blank_regions
from hierdp_core.readers.build.regions_from_parents import regions_of_parents
from hierdp_core.readers.columns.codes import bare_codes, fit_of
from hierdp_core.readers.columns.facts import ColumnFacts, called_total
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.outline import INDENT, row_parents, without_marks
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.vocabulary import MISSING, without_total
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.text import by_number, counted


def places_by_outline(sheet: Sheet, layout: Layout, notes: Notebook) -> Places | None:
    """Return the regions of nested rows; None where they are not nested, which is reported.

    The code of a region whose name repeats is its name after the code of its parent.
    """
    column = layout.levels[0]
    values = _values(sheet, layout)
    parent = row_parents(
        sheet, layout.outline, (column, *layout.names), values, hidden=layout.totals == "left out"
    )
    if parent is None and _nested_without_blanks(sheet, layout):
        return None  # the blank counts are reported, and leaving their rows out is enough
    if parent is None:
        notes.fault(
            "no-outline",
            f"the rows of column {shown_code(column)} are not nested in each other",
            'Set outline = "none" if all rows belong to one level.',
            choices=(Choice(words="All rows belong to one level", stated={"outline": "none"}),),
        )
        return None
    bare, _ = without_marks(completed_codes(sheet, column, layout, notes))
    names = _without_totals(bare.to_pylist(), parent)
    blank = np.array([not name for name in names])
    if blank.any():
        report_blank_regions(sheet, blank, column, notes)
        return None
    codes = _distinguished(_with_paths(names, parent.tolist()), sheet, layout, notes)
    twice = [code for code, n in Counter(codes).items() if n > 1]
    if twice:
        notes.fault(
            "duplicate", "an area has more than one row",
            "Remove the wrong rows, or give each area a name of its own.",
            places=[f"area {shown_code(code)}" for code in twice[:5]], count=len(twice),
        )  # fmt: skip
        return None
    tops = int((parent < 0).sum())
    above = {code: codes[p] if p >= 0 else None for code, p in zip(codes, parent, strict=True)}
    if tops > 1:
        above = {"all": None} | {code: p or "all" for code, p in above.items()}
    if layout.names:
        names = _last_names(sheet, layout.names, names, parent)
    levels = _levels_of_scheme(bare, column, parent)
    shown = dict(zip(codes, names, strict=True))
    return regions_of_parents(codes, above, shown, layout, notes, usual=levels)


def _without_totals(cells: list[str], parent: IntArray) -> list[str]:
    """Return the names of regions, where upper rows may be called totals of their region."""
    tops = set(parent[parent >= 0].tolist())
    names = [without_total(cell) if row in tops else cell for row, cell in enumerate(cells)]
    return names if len(set(names)) == len(set(cells)) else cells


def _nested_without_blanks(sheet: Sheet, layout: Layout) -> bool:
    """Return whether the rows with a number are nested, and the others have no statement.

    Such rows are headings, such as "Districts:" below each region.
    """
    if layout.missing or not layout.count:
        return False
    blank = is_missing(sheet.column(layout.count), brackets=layout.brackets)
    rest = sheet.take(~blank)
    if not blank.any() or not rest.n_rows:
        return False
    columns = (layout.levels[0], *layout.names)
    return row_parents(rest, layout.outline, columns, _values(rest, layout)) is not None


def _last_names(
    sheet: Sheet, columns: Sequence[str], codes: Sequence[str], parent: IntArray
) -> list[str]:
    """Return the last name of each row, or its code where it has none of its own.

    A row of an upper level has no lower name. In rows of lower levels, the column of upper names
    may repeat the name of the row above.
    """
    names = list(codes)
    depth = _depths(parent)
    for column in filter(None, columns):
        bare = without_marks(sheet.column(column))[0]
        cells = np.array(bare.to_pylist(), dtype=object)
        missing = pc.match_substring_regex(bare, f"^({MISSING})?$")
        named = ~as_mask(missing) & (~called_total(bare) if len(columns) > 1 else True)
        for level in np.unique(depth):
            rows = np.flatnonzero(depth == level)
            if level and len(rows) > 1 and (cells[rows] == cells[parent[rows]]).all():
                continue
            for row in rows[named[rows]].tolist():
                names[row] = cells[row]
    return names


def _levels_of_scheme(codes: Text, column: str, parent: IntArray) -> tuple[str, ...]:
    """Return the names of the levels of a known system of codes; empty where they do not fit.

    Each row must lie below the row whose code it begins with. The codes of upper rows are short or
    end with zeros, such as 01000 for the prefecture 01.
    """
    fit = fit_of(codes, column)
    above, depth = parent.tolist(), _depths(parent)
    tops = int((parent < 0).sum())
    if fit is None or len(fit.levels) != depth.max() + (tops > 1):
        return ()
    shift = int(tops == 1)  # the top row is the whole
    whole = bare_codes(codes)
    if fit.width:
        whole = pc.utf8_lpad(whole, fit.width, padding="0")
    ends = [fit.prefix[max(level - shift, 0)] for level in depth.tolist()]
    begins = [code[:end] for code, end in zip(whole.to_pylist(), ends, strict=True)]
    rests = [code[end:] for code, end in zip(whole.to_pylist(), ends, strict=True)]
    lower = [row for row in range(len(above)) if depth[row] >= shift]
    nested = all(begins[row].startswith(begins[above[row]]) for row in lower if depth[row] > shift)
    once = len({(int(depth[row]), begins[row]) for row in lower}) == len(lower)
    zeros = not any(rests[row].strip("0") for row in lower)
    return fit.levels if nested and once and zeros else ()


def _values(sheet: Sheet, layout: Layout) -> IntArray:
    """Return the counts, shape (n_rows, n_columns); 0 in columns that cannot be read."""
    quiet = Notebook(sheet.file)
    columns = [
        whole_column(sheet, name, layout, quiet) for name in layout.sizes or (layout.count,) if name
    ]
    zero = np.zeros(sheet.n_rows, dtype=np.int64)
    return np.column_stack([zero if column is None else column for column in columns] or [zero])


def _with_paths(names: list[str], parent: list[int]) -> list[str]:
    """Return names as codes; the code of the parent precedes a name that repeats."""
    often = Counter(names)
    codes = list(names)
    order = sorted(range(len(names)), key=lambda row: _depth(row, parent))
    for row in order:
        if often[names[row]] > 1 and parent[row] >= 0:
            codes[row] = f"{codes[parent[row]]}/{names[row]}"
    return codes


def _distinguished(codes: list[str], sheet: Sheet, layout: Layout, notes: Notebook) -> list[str]:
    """Return the codes with a word from another column, such as "town", where they repeat."""
    often = Counter(codes)
    if max(often.values()) == 1:
        return codes
    for name in sheet.names:
        if name in layout.columns or ColumnFacts(name, sheet.column(name)).numeric:
            continue
        cells = sheet.column(name).to_pylist()
        distinguished = [
            f"{code} ({cell})" if often[code] > 1 and cell else code
            for code, cell in zip(codes, cells, strict=True)
        ]
        if len(set(distinguished)) == len(distinguished):
            notes.repair(
                "same-name",
                f"areas of the same name are distinguished by column {shown_code(name)}",
                places=[f"area {shown_code(code)}" for code, n in often.items() if n > 1][:5],
                count=sum(n > 1 for n in often.values()),
            )
            return distinguished
    return codes


def with_numbers_of_headings(sheet: Sheet, layout: Layout, notes: Notebook) -> Sheet:
    """Return the sheet with totals below the parts of a heading moved to the heading.

    Some lists print the name of a county, its indented towns, and then the total of the county.
    """
    if layout.outline != INDENT:
        return sheet
    columns = [name for name in (layout.count, *layout.sizes) if name]
    values = np.column_stack([ColumnFacts(n, sheet.column(n)).values for n in columns])
    whole = np.nan_to_num(values).astype(np.int64)
    parent = row_parents(sheet, INDENT, (layout.levels[0], *layout.names), whole)
    if parent is None:
        return sheet
    totals = _totals_of_headings(parent, values)
    if not totals:
        return sheet
    source = np.arange(sheet.n_rows)
    source[list(totals)] = list(totals.values())
    for name in columns:
        sheet = sheet.with_column(name, sheet.column(name).take(pa.array(source)))
    n_rows = counted(len(totals), "row")
    were = by_number(len(totals), "was", "were")
    their = by_number(len(totals), "its number was", "their numbers were")
    heading = by_number(len(totals), "heading", "headings")
    notes.repair(
        "heading-totals",
        f"{n_rows} of totals {were} removed, and {their} given to the {heading} above",
    )
    return sheet.take(~np.isin(np.arange(sheet.n_rows), list(totals.values())))


def _totals_of_headings(parent: IntArray, values: FloatArray) -> dict[int, int]:
    """Return, for headings without numbers, the next row of the same depth that is their sum."""
    sums = np.zeros_like(values)
    below = np.flatnonzero(parent >= 0)
    np.add.at(sums, parent[below], np.nan_to_num(values[below]))
    headings = np.unique(parent[below])
    totals: dict[int, int] = {}
    for heading in headings[np.isnan(values[headings]).all(axis=1)].tolist():
        beside = np.flatnonzero(parent == parent[heading])
        after = beside[beside > heading][:1]
        right = len(after) and not np.isin(after, headings)[0]
        if right and (values[after[0]] == sums[heading]).all():
            totals[heading] = int(after[0])
    return totals


def _depths(parent: IntArray) -> IntArray:
    """Return how many rows lie above each row, shape (n_rows,)."""
    above = parent.tolist()
    return np.array([_depth(row, above) for row in range(len(above))], dtype=np.int64)


def _depth(row: int, parent: list[int]) -> int:
    depth = 0
    while parent[row] >= 0:
        row, depth = parent[row], depth + 1
    return depth
