"""Excel workbooks (.xlsx) as text, read without running, linking or fetching anything.

Numbers are read as Excel stores them: integers as digits, and with leading zeros where the format
(such as 00000) shows them. Formulas are read as their saved values.
"""

import re
from datetime import date, timedelta
from pathlib import PurePosixPath
from xml.parsers import expat

from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.safe_xml import End, Start, nothing, parse
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.formats.sniff import Archive, Source, opened_zip, unpacked
from hierdp_core.readers.formats.workbook import Cells, Merged, Page, sheet_of, to_read
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook
from hierdp_core.util.text import by_number, counted

_DAY_0 = date(1899, 12, 30)  # from which Excel counts days
_DAY_0_OF_1904 = date(1904, 1, 1)  # in workbooks that count from 1904, as Excel for Mac once did
_DATES = {14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47}
_CELLS = 40_000_000
_MOST_ROWS = 2**31
_LONGEST_FORMAT = 100  # zeros that a number is shown with
_DEEPEST = 250  # Excel's own limit to indents
_STEP = "  "  # blanks that one step of Excel's own indent is read as
_RAISED = re.compile(r"[\s0-9a-z,;()*†‡]{1,6}")  # a mark of a footnote


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the sheet that holds a table.

    Raises:
        Unreadable: no sheet holds a table, or a part of the workbook is damaged or unsafe.
    """
    with opened_zip(source.path, notes, limits) as archive:
        try:
            book = _Workbook(archive, notes, limits)
            members = dict(book.titles)
            pages = {
                title: Page(cells=book.cells(members[title], title), merged=book.merged_in(title))
                for title in to_read(list(members), source.sheet)
            }
        except (expat.ExpatError, KeyError, ValueError, IndexError):
            raise notes.unreadable(
                "damaged", "is a damaged workbook", "Save it again, or as CSV."
            ) from None
    if book.date_rows:
        rows = sorted(set(book.date_rows))
        notes.note(
            "dates",
            f"{counted(len(rows), 'row')} {by_number(len(rows), 'holds', 'hold')} dates, which "
            "were read as days such as 2024-01-31. Excel may have turned codes such as 1-2 "
            "into dates",
        )
    return sheet_of(list(members), pages, source.sheet, notes, limits)


class _Workbook:
    def __init__(self, archive: Archive, notes: Notebook, limits: Limits) -> None:
        self.archive, self.notes, self.limits = archive, notes, limits
        self.members = set(archive.namelist())
        self.day_0 = _DAY_0
        self.titles = self._sheets()
        self.strings = self._shared_strings()
        self.widths, self.dates, self.steps = self._formats()
        self.date_rows: list[int] = []
        self.merged: dict[str, list[Merged]] = {}

    def merged_in(self, title: str) -> tuple[Merged, ...]:
        """Return the vertically merged cells of a sheet that was read."""
        return tuple(self.merged.get(title, ()))

    def _parse(self, member: str, start: Start, end: End, text: End) -> None:
        pieces = unpacked(self.archive, member, self.notes, self.limits)
        parse(pieces, start, end, text, self.notes)

    def _sheets(self) -> list[tuple[str, str]]:
        listed: list[tuple[str, str]] = []
        targets: dict[str, str] = {}

        def sheet(name: str, a: dict[str, str]) -> None:
            if name == "sheet" and a.get("state", "visible") == "visible":
                id = next((v for k, v in a.items() if k.endswith(" id")), "")
                listed.append((a.get("name", ""), id))
            if name == "workbookPr" and a.get("date1904", "0") in ("1", "true"):
                self.day_0 = _DAY_0_OF_1904

        def link(name: str, a: dict[str, str]) -> None:
            if name == "Relationship" and a.get("TargetMode") != "External":
                targets[a["Id"]] = a["Target"]

        self._parse("xl/workbook.xml", sheet, nothing, nothing)
        self._parse("xl/_rels/workbook.xml.rels", link, nothing, nothing)
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
        """Return, by cell style, the number of digits, the styles of dates, and the indents."""
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
                steps[len(styles) - 1] = min(max(int(a["indent"]), 0), _DEEPEST)

        def end(name: str) -> None:
            if name == "cellXfs":
                state["cells"] = False

        if "xl/styles.xml" in self.members:
            self._parse("xl/styles.xml", start, end, nothing)
        zeros = {
            s: min(len(codes[f]), _LONGEST_FORMAT)
            for s, f in enumerate(styles)
            if re.fullmatch("0{2,}", codes.get(f, ""))
        }
        dates = {s for s, f in enumerate(styles) if f in _DATES or _shows_date(codes.get(f, ""))}
        return zeros, dates, steps

    def cells(self, member: str, title: str) -> Cells:
        rows: Cells = {}
        merged = self.merged.setdefault(title, [])
        cell = {"row": 0, "column": 0, "style": 0, "n": 0}
        kind, inside = [""], [False]
        value: list[str] = []

        def start(name: str, a: dict[str, str]) -> None:
            if name == "row":
                cell["row"] = int(a.get("r", cell["row"] + 1))
                if not 0 < cell["row"] < _MOST_ROWS:
                    raise ValueError("a row that no workbook has")
                cell["column"] = 0
            elif name == "c":
                cell["n"] += 1
                if cell["n"] > _CELLS:
                    raise self.notes.unreadable("too-large", "has too many cells", "Save as CSV.")
                place = re.match("([A-Z]{1,3})[0-9]+$", a.get("r", ""))
                cell["column"] = _column(place[1]) if place else cell["column"] + 1
                cell["style"] = int(a.get("s", "0"))
                kind[0] = a.get("t", "n")
                value.clear()
            elif name in ("v", "t"):
                inside[0] = True
            elif name == "mergeCell" and (area := _merged(a.get("ref", ""))):
                merged.append(area)

        def end(name: str) -> None:
            if name in ("v", "t"):
                inside[0] = False
            elif name == "c" and (written := "".join(value)):
                rows.setdefault(cell["row"], {})[cell["column"]] = self._shown(
                    written, kind[0], cell["style"], cell["row"]
                )

        def text(data: str) -> None:
            if inside[0]:
                value.append(data)

        self._parse(member, start, end, text)
        return rows

    def _shown(self, value: str, kind: str, style: int, row: int) -> str:
        if kind == "s":
            if (place := int(value)) < 0:
                raise IndexError(place)
            return _STEP * self.steps.get(style, 0) + self.strings[place]
        if kind == "b":
            return {"0": "FALSE", "1": "TRUE"}.get(value, value)
        if kind != "n":
            return _STEP * self.steps.get(style, 0) + value
        number = float(value)
        if number.is_integer() and abs(number) < 1e15:
            shown = str(int(number))
            first = 0 if self.day_0 == _DAY_0_OF_1904 else 1
            last = (date.max - self.day_0).days
            if style in self.dates and first <= number <= last:
                self.date_rows.append(row)
                return (self.day_0 + timedelta(days=int(number))).isoformat()
            return shown.zfill(self.widths.get(style, 0))
        return value


def _merged(area: str) -> Merged | None:
    """Return a merged area of one column; None for other areas."""
    match = re.fullmatch("([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})", area)
    if match is None or match[1] != match[3] or match[2] == match[4]:
        return None
    return Merged(column=_column(match[1]), first=int(match[2]), last=int(match[4]))


def _shows_date(code: str) -> bool:
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", code).lower()
    return bool(re.search("[ymd]", bare)) and "0" not in bare and "#" not in bare


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


READER = TableReader(read=_read)
