"""Common steps for workbooks of all formats: the choice of a sheet, its header and notes."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

import numpy as np
import pyarrow as pa

from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.formats.cells import NUMBER
from hierdp_core.readers.formats.header import header_of, heading_of
from hierdp_core.readers.formats.second_header import with_second_header
from hierdp_core.readers.formats.sheet import Sheet, Text, clean_sheet
from hierdp_core.readers.formats.table_notes import without_notes
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import CHOOSE, Notebook, Unreadable, shown_code
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.text import counted

ALL_SHEETS = "*"  # the setting to read all sheets below each other
NAME_OF_SHEET = "sheet"  # the column that then holds the sheet of a row
_HEAD = 200  # rows that show where the table begins
_MOST_SHEETS = 40
_MOST_CHOICES = 20
_HEAD_LINES = 20  # of titles, headers and notes around a table
_LEAST_SHARED = 3  # columns of sheets that may have one column of another name
_SOME = 0.1
_LEAST_ROWS = 3  # with numbers, in a sheet that holds a table
_ERRORS = {"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"}
Cells = dict[int, dict[int, str]]  # rows and columns counted from 1


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Cells of one column that were merged into one: its number, first and last row."""

    column: int
    first: int
    last: int


@dataclass(frozen=True, kw_only=True)
class Page:
    """One sheet of a workbook: its filled cells, and its vertically merged cells."""

    cells: Cells
    merged: tuple[Merged, ...] = ()


def to_read(titles: Sequence[str], requested: str) -> list[str]:
    """Return the sheets to read: the requested one, all of them, or the first forty."""
    if requested == ALL_SHEETS:
        return list(titles)
    return [requested] if requested in titles else list(titles[:_MOST_SHEETS])


def sheet_of(
    titles: Sequence[str],
    pages: Mapping[str, Page],
    requested: str,
    notes: Notebook,
    limits: Limits,
) -> Sheet:
    """Return the sheet `requested`, or the first that holds a table; ask if there are several.

    Args:
        titles: the titles of all sheets.
        pages: the sheets that `to_read` returned.
        requested: a title, "*" for all sheets that hold a table, or empty.
        notes: receives the findings.
        limits: the limits on size.

    Raises:
        Unreadable: there is no such sheet, or it holds no table.
    """
    tables = {title: page for title, page in pages.items() if _is_table(page.cells)}
    filled = {title: page for title, page in pages.items() if page.cells}
    if requested == ALL_SHEETS:
        # No record may decide whether a sheet is read: a small one has few numbers.
        return _stacked(_with_rows(filled) if notes.confidential else tables, notes, limits)
    if requested:
        title = _require_sheet(titles, pages, requested, notes)
    else:
        if not tables and len(filled) > 1 and notes.confidential:
            tables = filled  # else a record could decide which one is the longest
        if len(tables) > 1:
            _ask_for_sheet(tables, notes, limits)
        longest = max(pages, key=lambda title: len(pages[title].cells), default="")
        title = next(iter(tables), longest)
        if not title or not pages[title].cells:
            raise notes.unreadable("empty", "holds no table", "Enter a table in one of its sheets.")
    if len(titles) > 1:
        notes.note("sheet", f"of {len(titles)} sheets, {shown_code(title)} was read")
    return _sheet(pages[title], notes, limits)


def _require_sheet(
    titles: Sequence[str], pages: Mapping[str, Page], requested: str, notes: Notebook
) -> str:
    if requested not in titles:
        listed = ", ".join(shown_code(title) for title in titles[:_MOST_SHEETS])
        raise notes.unreadable(
            "no-sheet", f"has no sheet {shown_code(requested)}. Its sheets are {listed}",
            "Correct the name of the sheet.",
        )  # fmt: skip
    if not pages[requested].cells:
        raise notes.unreadable(
            "empty", f"sheet {shown_code(requested)} is blank", "Choose another sheet."
        )
    return requested


def _ask_for_sheet(tables: dict[str, Page], notes: Notebook, limits: Limits) -> None:
    choices = [
        Choice(words=f"Read the sheet {shown_code(title)}", stated={"sheet": title})
        for title in list(tables)[:_MOST_CHOICES]
    ]
    if _same_columns(tables, notes, limits):
        words = "Read all sheets, each for a different area"
        choices.append(Choice(words=words, stated={"sheet": ALL_SHEETS}))
    notes.fault(
        "sheets",
        f"{len(tables)} sheets hold a table",
        CHOOSE,
        places=[f"sheet {shown_code(title)}" for title in tables],
        choices=choices,
    )


def _with_rows(pages: Mapping[str, Page]) -> dict[str, Page]:
    """Return the pages without those that hold only the header of another one."""
    first = {title: page.cells[min(page.cells)] for title, page in pages.items()}
    long = {title for title, page in pages.items() if len(page.cells) > 1}
    heads = [first[title] for title in long]
    return {t: page for t, page in pages.items() if t in long or first[t] not in heads}


def _same_columns(tables: dict[str, Page], notes: Notebook, limits: Limits) -> bool:
    """Return whether all sheets have the same columns."""
    quiet = Notebook(notes.file)
    try:
        sheets = [_sheet(page, quiet, limits) for page in tables.values()]
    except Unreadable:
        return False
    return bool(_shared_names(sheets, confidential=notes.confidential))


def _shared_names(sheets: Sequence[Sheet], *, confidential: bool) -> tuple[str, ...]:
    """Return the names of the columns of all sheets; empty if they have different columns.

    One column of words may have several names, such as districts that are called communes in one
    province. They are joined, but not in confidential files, where a record could decide what is a
    column of words.
    """
    if len({len(sheet.names) for sheet in sheets}) != 1:
        return ()
    by_place = zip(*(sheet.names for sheet in sheets), strict=True)
    names = [tuple(dict.fromkeys(of_place)) for of_place in by_place]
    several = [place for place, own in enumerate(names) if len(own) > 1]
    if len(several) > 1 or (several and (confidential or len(names) < _LEAST_SHARED)):
        return ()
    if any(_holds_numbers(sheet.columns[place]) for place in several for sheet in sheets):
        return ()
    joined = tuple(" / ".join(own) for own in names)
    return joined if len(set(joined)) == len(joined) else ()


def _holds_numbers(column: Text) -> bool:
    """Return whether more than a tenth of the cells are numbers."""
    cells = column.to_pylist()
    numbers = sum(bool(NUMBER.fullmatch(normalize("NFKC", cell).strip())) for cell in cells)
    return numbers > _SOME * len(cells)


def _stacked(tables: dict[str, Page], notes: Notebook, limits: Limits) -> Sheet:
    """Return the rows of all sheets that hold a table, with the names of the sheets in a column.

    Raises:
        Unreadable: the sheets have different columns.
    """
    sheets = [_sheet(page, notes, limits) for page in tables.values()]
    if not sheets:
        raise notes.unreadable("empty", "holds no table", "Enter a table in one of its sheets.")
    names = _shared_names(sheets, confidential=notes.confidential)
    if not names:
        raise notes.unreadable(
            "other-columns", "its sheets do not have the same columns", "Choose one sheet."
        )
    own = pa.array(
        [title for title, s in zip(tables, sheets, strict=True) for _ in range(s.n_rows)],
        pa.string(),
    )
    columns = [pa.concat_arrays([s.columns[k] for s in sheets]) for k in range(len(names))]
    sheets = [_renamed(sheet, names) for sheet in sheets]
    first = sheets[0]
    indented = dict.fromkeys(name for sheet in sheets for name in sheet.indents)
    whole = replace(
        first,
        columns=tuple(columns),
        rows=np.concatenate([sheet.rows for sheet in sheets if sheet.rows is not None]),
        indents={name: np.concatenate([_indents(s, name) for s in sheets]) for name in indented},
    )
    notes.repair("stacked", f"{len(sheets)} sheets were read one below the other")
    name = NAME_OF_SHEET if NAME_OF_SHEET not in first.names else f"{NAME_OF_SHEET} (name)"
    return replace(whole, names=(name, *whole.names), columns=(own, *whole.columns))


def _renamed(sheet: Sheet, names: tuple[str, ...]) -> Sheet:
    new = dict(zip(sheet.names, names, strict=True))
    return replace(
        sheet,
        names=names,
        indents={new[name]: indent for name, indent in sheet.indents.items()},
        labels={new[name]: label for name, label in sheet.labels.items()},
    )


def _indents(sheet: Sheet, name: str) -> IntArray:
    return sheet.indents.get(name, np.zeros(sheet.n_rows, dtype=np.int64))


def _is_table(cells: Cells) -> bool:
    """Return whether rows of a sheet hold numbers beside other cells."""
    with_both = 0
    for row in cells.values():
        numbers = sum(
            bool(NUMBER.fullmatch(normalize("NFKC", cell).strip())) for cell in row.values()
        )
        with_both += numbers > 0 and len(row) > 1
    return with_both >= _LEAST_ROWS and 2 * with_both > len(cells) - _HEAD_LINES


def _spread(cells: Cells, merged: Sequence[Merged], below: list[int], notes: Notebook) -> None:
    """Copy the value of merged cells to each of their rows, and report it."""
    inside, changed = set(below), 0
    most = sum(map(len, cells.values())) + len(below) * len({area.column for area in merged})
    for area in merged:
        value = cells.get(area.first, {}).get(area.column, "")
        if not value or area.first not in inside:
            continue
        for row in below[bisect_right(below, area.first) : bisect_right(below, area.last)]:
            cells[row][area.column] = value
            changed += 1
        if changed > most:
            raise notes.unreadable(
                "damaged", "has merged cells that overlap", "Save it again, or as CSV."
            )
    if changed:
        notes.repair(
            "merged",
            f"the value of merged cells was copied to each of their rows "
            f"({counted(changed, 'cell')})",
        )


def _sheet(page: Page, notes: Notebook, limits: Limits) -> Sheet:
    cells, merged = page.cells, page.merged
    numbers = sorted(cells)
    width = max(max(row) for row in cells.values())
    if width > limits.columns:
        raise notes.unreadable(
            "columns", f"has {width:,} columns, but a table may have at most "
            f"{limits.columns:,}",
            "Leave out the columns that are not needed.",
        )  # fmt: skip
    places = range(1, width + 1)
    first = [[cells[n].get(place, "") for place in places] for n in numbers[:_HEAD]]
    header = header_of(first, notes, numbers[:_HEAD])
    below = numbers[header.preamble + header.rows :]
    _spread(cells, merged, below, notes)
    columns = [pa.array(_column_of(cells, below, p), pa.string()) for p in places]
    n_rows, columns = without_notes(columns, notes, below)
    _report_formula_errors(cells, below[:n_rows], list(header.names), notes)
    rows = np.array(below[:n_rows], dtype=np.int64)
    heading = heading_of(first[: header.preamble])
    sheet = clean_sheet(notes.file, header.names, columns, rows, notes, limits, heading=heading)
    return with_second_header(sheet, notes)


def _column_of(cells: Cells, rows: list[int], place: int) -> Iterator[str]:
    return (cells[row].get(place, "") for row in rows)


def _report_formula_errors(
    cells: Cells, rows: list[int], names: list[str], notes: Notebook
) -> None:
    wrong = [
        f"row {row}, column {shown_code(names[place - 1])}"
        for row in rows
        for place, value in cells[row].items()
        if value in _ERRORS
    ]
    if wrong:
        notes.fault(
            "excel-error",
            "a cell contains a formula error",
            "Correct the formula or enter the value.",
            places=wrong,
        )
