"""OpenDocument spreadsheets (.ods) as text, read without running, linking or fetching anything.

Numbers are read as stored, without the thousands separators that a cell shows. Repeated cells and
rows are expanded if they are filled. Blank ones only change the position.
"""

from xml.parsers import expat

from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.safe_xml import parse
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.formats.sniff import Source, opened_zip, unpacked
from hierdp_core.readers.formats.workbook import Cells, Merged, Page, sheet_of
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook

_CONTENT = "content.xml"
_MOST_CELLS = 40_000_000
_MOST_REPEATED = 1_000_000  # cells that are written out for one that the file holds
_MOST_TIMES = 2**31  # more than any program writes
_NUMBERS = ("float", "currency", "percentage")


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the sheet that holds a table.

    Raises:
        Unreadable: no sheet holds a table, or the file is damaged or unsafe.
    """
    content = _Content(notes)
    with opened_zip(source.path, notes, limits) as archive:
        try:
            pieces = unpacked(archive, _CONTENT, notes, limits)
            parse(pieces, content.start, content.end, content.text, notes)
        except (expat.ExpatError, KeyError, ValueError):
            raise notes.unreadable(
                "damaged", "is a damaged workbook", "Save it again, or as CSV."
            ) from None
    pages = content.pages
    return sheet_of(list(pages), pages, source.sheet, notes, limits)


class _Content:
    """Parser of the sheets of a workbook, called for each XML element."""

    def __init__(self, notes: Notebook) -> None:
        self.notes = notes
        self.pages: dict[str, Page] = {}
        self.title = ""
        self.row, self.column = 0, 0
        self.n_cells, self.n_repeated = 0, 0
        self.rows_alike, self.columns_alike = 1, 1
        self.value: str | None = None  # a stored number, instead of the text that is shown
        self.words: list[str] = []
        self.inside = 0  # how many paragraphs are open
        self.noted = 0  # how many comments are open
        self.cells_of_row: dict[int, str] = {}
        self.cells: Cells = {}
        self.merged: list[Merged] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        a = {key.rsplit(" ", 1)[-1]: value for key, value in attributes.items()}
        if name == "table":
            self.title, self.row = a.get("name", ""), 0
            self.cells, self.merged = {}, []
        elif name == "table-row":
            self.rows_alike, self.column = _times(a, "number-rows-repeated"), 0
            self.cells_of_row = {}
        elif name in ("table-cell", "covered-table-cell"):
            self._start_cell(a)
        elif name == "annotation":
            self.noted += 1
        elif name == "p" and not self.noted:
            self.words += ["\n"] * bool(self.words)
            self.inside += 1
        elif name == "s" and self.inside:
            self.words.append(" " * min(int(a.get("c", "1")), 100))

    def _start_cell(self, a: dict[str, str]) -> None:
        self.columns_alike, self.words, self.value = (
            _times(a, "number-columns-repeated"),
            [],
            None,
        )
        if a.get("value-type") in _NUMBERS:
            self.value = _plain_number(a.get("value", ""))
        down = _times(a, "number-rows-spanned")
        if down > 1 and a.get("number-columns-spanned", "1") == "1":
            first = self.row + 1
            self.merged.append(Merged(column=self.column + 1, first=first, last=first + down - 1))

    def end(self, name: str) -> None:
        if name in ("table-cell", "covered-table-cell"):
            self._end_cell()
        elif name == "table-row":
            self._end_row()
        elif name == "table":
            self.pages[self.title] = Page(cells=self.cells, merged=tuple(self.merged))
        elif name == "annotation":
            self.noted -= 1
        elif name == "p" and not self.noted:
            self.inside -= 1

    def _end_cell(self) -> None:
        shown = self.value if self.value is not None else "".join(self.words)
        if shown:
            self._require_few(self.columns_alike, repeated=self.columns_alike - 1)
            for k in range(1, self.columns_alike + 1):
                self.cells_of_row[self.column + k] = shown
        self.column += self.columns_alike

    def _end_row(self) -> None:
        if self.cells_of_row:
            more = len(self.cells_of_row) * (self.rows_alike - 1)
            self._require_few(more, repeated=more)
            for k in range(1, self.rows_alike + 1):
                self.cells[self.row + k] = dict(self.cells_of_row)
        self.row += self.rows_alike

    def _require_few(self, more: int, *, repeated: int) -> None:
        self.n_cells += more
        self.n_repeated += repeated
        if self.n_cells > _MOST_CELLS or self.n_repeated > _MOST_REPEATED:
            raise self.notes.unreadable("too-large", "has too many cells", "Save it as CSV.")

    def text(self, data: str) -> None:
        if self.inside and not self.noted:
            self.words.append(data)


def _times(attributes: dict[str, str], name: str) -> int:
    """Return the number of repetitions of a cell or row.

    Raises:
        ValueError: the number is negative, or larger than any program writes.
    """
    times = int(attributes.get(name, "1"))
    if not 0 <= times < _MOST_TIMES:
        raise ValueError(name)
    return times


def _plain_number(value: str) -> str:
    """Return a stored number as digits.

    >>> _plain_number("1203.0"), _plain_number("2.5"), _plain_number("1e3")
    ('1203', '2.5', '1000')
    """
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else value


READER = TableReader(read=_read)
