"""Excel workbooks (.xlsx) as text, read from their parts with nothing run, linked or fetched.

Numbers come as Excel stores them: whole ones as digits, those shown with leading zeros
(format 00000) with their zeros. Formulas give the value that was saved with them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from unicodedata import normalize
from xml.parsers import expat

import numpy as np
import pyarrow as pa

from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.formats.header import NUMBER, header_of, heading_of, without_notes
from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.formats.sniff import Archive, Source, opened_zip, unpacked
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, shown_code

_DATES = {14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47}
_CELLS = 40_000_000
_HEAD = 200  # rows that show where the table begins
_MOST_SHEETS = 40
_MOST_CHOICES = 20
_HEAD_LINES = 20  # of titles, headers and notes around a table
_LEAST_ROWS = 3  # with numbers, in a sheet that holds a table
_STEP = "  "  # blanks that one step of Excel's own indent is read as
_RAISED = re.compile(r"[\s0-9a-z,;()*†‡]{1,6}")  # a mark of a footnote
Cells = dict[int, dict[int, str]]
_ERRORS = {"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"}


class _Forbidden(Exception):
    """The XML defines entities or a document type, as no spreadsheet does."""


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """The first sheet that holds a table.

    Raises:
        Unreadable: there is none, or a part of the workbook is damaged or hostile.
    """
    with opened_zip(source.path, notes, limits) as archive:
        try:
            book = _Workbook(archive, notes, limits)
            title, cells = book.table(source.sheet)
        except _Forbidden:
            raise notes.unreadable(
                "xml-entities", "defines entities in its XML, as no spreadsheet does",
                "Save the table as CSV.",
            ) from None  # fmt: skip
        except (expat.ExpatError, KeyError, ValueError, IndexError):
            raise notes.unreadable(
                "damaged", "is a damaged workbook", "Save it again, or as CSV."
            ) from None
    if len(book.titles) > 1:
        notes.note("sheet", f"of {len(book.titles)} sheets, {shown_code(title)} was read")
    if book.date_rows:
        rows = sorted(set(book.date_rows))
        notes.note(
            "dates",
            f"{len(rows):,} rows hold dates, which are read as Excel's day numbers; "
            "a code such as 1-2 may have become one",
        )
    return _sheet(cells, book.merged.get(title, []), notes, limits)


class _Workbook:
    def __init__(self, archive: Archive, notes: Notebook, limits: Limits) -> None:
        self.archive, self.notes, self.limits = archive, notes, limits
        self.members = set(archive.namelist())
        self.titles = self._sheets()
        self.strings = self._shared_strings()
        self.widths, self.dates, self.steps = self._formats()
        self.date_rows: list[int] = []
        self.merged: dict[str, list[Merged]] = {}

    def table(self, wanted: str) -> tuple[str, Cells]:
        """The sheet `wanted`, or the only one that holds a table; with several a person chooses."""
        if wanted:
            return self._named(wanted)
        read = [(title, self._cells(member, title)) for title, member in self.titles[:_MOST_SHEETS]]
        tables = [(title, cells) for title, cells in read if _is_table(cells)]
        if len(tables) > 1:
            self._ask([title for title, _ in tables])
        longest = max(read, key=lambda one: len(one[1]), default=None)
        found = tables[0] if tables else longest
        if found is None or not found[1]:
            raise self.notes.unreadable("empty", "holds no table", "Fill its first sheet.")
        return found

    def _named(self, wanted: str) -> tuple[str, Cells]:
        member = dict(self.titles).get(wanted)
        if member is None:
            listed = ", ".join(shown_code(title) for title, _ in self.titles[:_MOST_SHEETS])
            raise self.notes.unreadable(
                "no-sheet", f"has no sheet {shown_code(wanted)}; its sheets are {listed}",
                "Correct the sheet.",
            )  # fmt: skip
        cells = self._cells(member, wanted)
        if not cells:
            raise self.notes.unreadable(
                "empty", f"its sheet {shown_code(wanted)} is blank", "Choose another sheet."
            )
        return wanted, cells

    def _ask(self, titles: list[str]) -> None:
        self.notes.fault(
            "sheets",
            f"{len(titles)} sheets hold a table",
            "Choose one of them: `hierdp check` names a flag and the page Your data has a button "
            "for each.",
            places=[f"sheet {shown_code(title)}" for title in titles],
            choices=[
                Choice(words=f"Read the sheet {shown_code(title)}", stated={"sheet": title})
                for title in titles[:_MOST_CHOICES]
            ],
        )

    def _parse(
        self,
        member: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None],
        text: Callable[[str], None],
    ) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True

        def forbid(*_: object) -> None:
            raise _Forbidden

        parser.StartDoctypeDeclHandler = forbid
        parser.EntityDeclHandler = forbid
        parser.StartElementHandler = lambda name, a: start(_plain(name), a)
        parser.EndElementHandler = lambda name: end(_plain(name))
        parser.CharacterDataHandler = text
        for piece in unpacked(self.archive, member, self.notes, self.limits):
            parser.Parse(piece, False)
        parser.Parse(b"", True)

    def _sheets(self) -> list[tuple[str, str]]:
        listed: list[tuple[str, str]] = []
        targets: dict[str, str] = {}

        def sheet(name: str, a: dict[str, str]) -> None:
            if name == "sheet" and a.get("state", "visible") == "visible":
                listed.append(
                    (a.get("name", ""), next(v for k, v in a.items() if k.endswith(" id")))
                )

        def link(name: str, a: dict[str, str]) -> None:
            if name == "Relationship" and a.get("TargetMode") != "External":
                targets[a["Id"]] = a["Target"]

        self._parse("xl/workbook.xml", sheet, _nothing, _nothing)
        self._parse("xl/_rels/workbook.xml.rels", link, _nothing, _nothing)
        paths = [(title, targets.get(id, "")) for title, id in listed]
        members = [(t, p.lstrip("/") if p.startswith("/") else f"xl/{p}") for t, p in paths]
        return [(t, str(PurePosixPath(m))) for t, m in members if m in self.members]

    def _shared_strings(self) -> list[str]:
        strings: list[str] = []
        parts: list[str] = []
        inside = {"t": False, "rPh": False, "raised": False}

        def start(name: str, a: dict[str, str]) -> None:
            if name == "si":
                parts.clear()
            if name in inside:
                inside[name] = True
            if name in ("r", "si"):
                inside["raised"] = False
            if name == "vertAlign":
                inside["raised"] = a.get("val") == "superscript"

        def end(name: str) -> None:
            if name == "si":
                strings.append("".join(parts))
            if name in inside:
                inside[name] = False

        def text(data: str) -> None:
            mark = inside["raised"] and parts and _RAISED.fullmatch(data)
            if inside["t"] and not inside["rPh"] and not mark:
                parts.append(data)

        if "xl/sharedStrings.xml" in self.members:
            self._parse("xl/sharedStrings.xml", start, end, text)
        return strings

    def _formats(self) -> tuple[dict[int, int], set[int], dict[int, int]]:
        """By cell style: least digits, which styles show dates, and how far text is set in."""
        codes: dict[int, str] = {}
        steps: dict[int, int] = {}
        styles: list[int] = []
        state = {"cells": False}

        def start(name: str, a: dict[str, str]) -> None:
            if name == "numFmt":
                codes[int(a["numFmtId"])] = a.get("formatCode", "")
            elif name == "cellXfs":
                state["cells"] = True
            elif name == "xf" and state["cells"]:
                styles.append(int(a.get("numFmtId", "0")))
            elif name == "alignment" and state["cells"] and a.get("indent", "0") != "0":
                steps[len(styles) - 1] = int(a["indent"])

        def end(name: str) -> None:
            if name == "cellXfs":
                state["cells"] = False

        if "xl/styles.xml" in self.members:
            self._parse("xl/styles.xml", start, end, _nothing)
        zeros = {
            s: len(codes[f])
            for s, f in enumerate(styles)
            if re.fullmatch("0{2,}", codes.get(f, ""))
        }
        dates = {s for s, f in enumerate(styles) if f in _DATES or _shows_date(codes.get(f, ""))}
        return zeros, dates, steps

    def _cells(self, member: str, title: str) -> Cells:
        rows: Cells = {}
        merged = self.merged.setdefault(title, [])
        cell = {"row": 0, "column": 0, "style": 0, "n": 0}
        kind, value, inside = [""], [""], [False]

        def start(name: str, a: dict[str, str]) -> None:
            if name == "row":
                cell["row"] = int(a.get("r", cell["row"] + 1))
                cell["column"] = 0
            elif name == "c":
                cell["n"] += 1
                if cell["n"] > _CELLS:
                    raise self.notes.unreadable("too-large", "has too many cells", "Save as CSV.")
                place = re.match("([A-Z]{1,3})[0-9]+$", a.get("r", ""))
                cell["column"] = _column(place[1]) if place else cell["column"] + 1
                cell["style"] = int(a.get("s", "0"))
                kind[0], value[0] = a.get("t", "n"), ""
            elif name in ("v", "t"):
                inside[0] = True
            elif name == "mergeCell" and (area := _merged(a.get("ref", ""))):
                merged.append(area)

        def end(name: str) -> None:
            if name in ("v", "t"):
                inside[0] = False
            elif name == "c" and value[0] != "":
                rows.setdefault(cell["row"], {})[cell["column"]] = self._shown(
                    value[0], kind[0], cell["style"], cell["row"]
                )

        def text(data: str) -> None:
            if inside[0]:
                value[0] += data

        self._parse(member, start, end, text)
        return rows

    def _shown(self, value: str, kind: str, style: int, row: int) -> str:
        if kind == "s":
            return _STEP * self.steps.get(style, 0) + self.strings[int(value)]
        if kind == "b":
            return {"0": "FALSE", "1": "TRUE"}.get(value, value)
        if kind != "n":
            return _STEP * self.steps.get(style, 0) + value
        number = float(value)
        if number.is_integer() and abs(number) < 1e15:
            shown = str(int(number))
            if style in self.dates:
                self.date_rows.append(row)
            return shown.zfill(self.widths.get(style, 0))
        return value


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Cells of one column that were merged into one: its number, first and last row."""

    column: int
    first: int
    last: int


def _merged(area: str) -> Merged | None:
    """The rows of a merged area of one column; None for others."""
    match = re.fullmatch("([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})", area)
    if match is None or match[1] != match[3] or match[2] == match[4]:
        return None
    return Merged(column=_column(match[1]), first=int(match[2]), last=int(match[4]))


def _is_table(cells: Cells) -> bool:
    """Whether rows of a sheet hold numbers beside words."""
    with_both = 0
    for row in cells.values():
        numbers = sum(
            bool(NUMBER.fullmatch(normalize("NFKC", cell).strip())) for cell in row.values()
        )
        with_both += numbers > 0 and len(row) > 1
    return with_both >= _LEAST_ROWS and 2 * with_both > len(cells) - _HEAD_LINES


def _spread(cells: Cells, merged: list[Merged], below: list[int], notes: Notebook) -> None:
    """Write the value of cells merged downwards into each of their rows, which is told."""
    inside, changed = set(below), 0
    for area in merged:
        value = cells.get(area.first, {}).get(area.column, "")
        for row in range(area.first + 1, area.last + 1) if value and area.first in inside else ():
            if row in inside:
                cells[row][area.column] = value
                changed += 1
    if changed:
        notes.repair("merged", f"merged cells stand for each of their rows ({changed:,} cells)")


def _sheet(cells: Cells, merged: list[Merged], notes: Notebook, limits: Limits) -> Sheet:
    numbers = sorted(cells)
    width = max(max(row) for row in cells.values())
    if width > limits.columns:
        raise notes.unreadable(
            "columns", f"has {width:,} columns; tables go up to {limits.columns:,}",
            "Leave out the columns that are not needed.",
        )  # fmt: skip
    places = range(1, width + 1)
    first = [[cells[n].get(place, "") for place in places] for n in numbers[:_HEAD]]
    header = header_of(first, notes)
    below = numbers[header.preamble + header.rows :]
    _spread(cells, merged, below, notes)
    columns = [pa.array(_column_of(cells, below, p), pa.string()) for p in places]
    n_rows, columns = without_notes(columns, notes, below)
    _tell_errors(cells, below[:n_rows], list(header.names), notes)
    rows = np.array(below[:n_rows], dtype=np.int64)
    heading = heading_of(first[: header.preamble])
    return clean_sheet(notes.file, header.names, columns, rows, notes, limits, heading=heading)


def _column_of(cells: Cells, rows: list[int], place: int) -> Iterator[str]:
    return (cells[row].get(place, "") for row in rows)


def _tell_errors(cells: Cells, rows: list[int], names: list[str], notes: Notebook) -> None:
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


def _shows_date(code: str) -> bool:
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", code).lower()
    return bool(re.search("[ymd]", bare)) and "0" not in bare and "#" not in bare


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _plain(name: str) -> str:
    return name.rsplit(" ", 1)[-1]


def _nothing(*_: object) -> None:
    pass


READER = TableReader(read=_read)
