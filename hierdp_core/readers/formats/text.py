"""CSV and similar files: encoding, separator and header, recognised by fixed rules.

Encoding: a byte-order mark decides; else UTF-8 where all bytes are valid; else the code page whose
letters fit, which is reported. Where several fit, the reader asks. Separator: of comma, semicolon,
tab and bar, the one that gives the most rows the width of the first, two cells or more; more cells
win a tie.
Where the table begins and ends: see `header` and `table_notes`.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from hierdp_core.readers.columns.vocabulary import OF_WHICH
from hierdp_core.readers.formats.aligned import seems_aligned, with_tabs
from hierdp_core.readers.formats.cells import filled, usual_width
from hierdp_core.readers.formats.decoding import decoded
from hierdp_core.readers.formats.eurostat import is_eurostat
from hierdp_core.readers.formats.header import header_of, heading_of
from hierdp_core.readers.formats.second_header import with_second_header
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.formats.table_notes import opens_as_note, without_notes
from hierdp_core.readers.limits import MEGABYTE, Limits
from hierdp_core.readers.report import Notebook
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.text import by_number, counted, paragraph

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", "^": "caret"}
_SNIFFED = 200  # rows that the rules look at
_TOP = 10  # rows in which a header begins
_SHOWN = 5  # lines in a note
_RULER = re.compile(r"[-=_+|*:\s─━┼│]{3,}")
_LOOKED_AT = 10_000  # characters of a line below the table
_BLOCK = 16 * MEGABYTE


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The separator and header of a text table.

    Attributes:
        separator: the separator of the cells.
        header: the names of the columns.
        above: rows above the first row of data, the header's included.
        preamble: rows above the header.
        heading: what stands in those rows.
    """

    separator: str
    header: tuple[str, ...]
    above: int
    preamble: int = 0
    heading: str = ""


@dataclass(frozen=True, kw_only=True)
class _OtherRow:
    """A row with more or fewer cells than the header: its number from 1, its cells, its text."""

    line: int
    width: int
    text: str


def dialect_of(data: bytes, notes: Notebook) -> Dialect:
    """Return the separator and the header of a text in UTF-8.

    Raises:
        Unreadable: there are no rows, or the header has another number of cells.
    """
    head = data[: 4 * MEGABYTE].decode("utf-8", errors="ignore")
    separator = _separator(head)
    rows = _first_rows(head, separator)
    if not any(rows):
        raise notes.unreadable("empty", "holds no rows", "Save the table again.")
    header = header_of(_with_last_cells(rows), notes)
    return Dialect(
        separator=separator, header=header.names, above=header.preamble + header.rows,
        preamble=header.preamble, heading=heading_of(rows[: header.preamble]),
    )  # fmt: skip


def _with_last_cells(rows: Sequence[list[str]]) -> list[list[str]]:
    """Return the rows, of which one of the first may end a blank cell before the others.

    Programs write a header of two rows so, if they end each row with a separator.
    """
    width = usual_width(rows)
    return [
        [*row, ""]
        if len(row) == width - 1 and filled(row) > 1 and k < _TOP and not row[-1]
        else row
        for k, row in enumerate(rows)
    ]


def _separator(head: str) -> str:
    return _likeliest(head) or _blank_between(head)


def _likeliest(head: str) -> str:
    """Return the separator that gives most rows as many cells as the first; empty for none."""
    if is_eurostat(head):
        return "\t"
    best, chosen = (0.0, 0), ""
    for separator in SEPARATORS:
        rows = [row for row in _first_rows(head, separator) if row]
        widths = [len(row) for row in rows]
        width = usual_width(rows)
        if width < 2:
            continue
        score = (round(widths.count(width) / len(widths), 2), width)
        if score > best:
            best, chosen = score, separator
    return chosen


def _with_separator(data: bytes, notes: Notebook) -> bytes:
    """Return the text with tabs between columns aligned by blanks, if these are clear.

    Raises:
        Unreadable: its columns seem to be aligned by blanks and are not clear.
    """
    head = data[: 4 * MEGABYTE].decode("utf-8", errors="ignore")
    if _likeliest(head) or _blank_between(head) == " ":
        return data
    text, n_columns = with_tabs(data.decode("utf-8", errors="replace"))
    if n_columns:
        notes.repair(
            "aligned", f"its columns are aligned by blanks and were read as {n_columns} columns",
            "If they are not right, save the file as CSV.",
        )  # fmt: skip
        return text.encode()
    if seems_aligned(head.splitlines()[:_SNIFFED]):
        raise notes.unreadable(
            "no-separator", "has no separator between its columns, which blanks seem to align",
            "Save the table as CSV, with a comma or a semicolon between columns.",
        )  # fmt: skip
    return data


def _blank_between(head: str) -> str:
    """Return a blank if it separates all rows into as many quoted texts and numbers, as in R."""
    rows = [row for row in _first_rows(head, " ") if row]
    widths = {len(row) for row in rows[1:]}
    quoted = '"' in head[: head.find("\n") + 1]
    even = len(widths) == 1 and len(rows[0]) in (max(widths), max(widths) - 1)
    return " " if quoted and even and max(widths) > 1 else ","


def _first_rows(head: str, separator: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
    rows: list[list[str]] = []
    try:
        for row in reader:
            rows.append(row)
            if len(rows) >= _SNIFFED:
                break
    except csv.Error:  # a cell longer than csv takes; the parser says so with its place
        pass
    return rows


def read_text(data: bytes, notes: Notebook, limits: Limits, encoding: str = "") -> Sheet:
    """Return a text table as a sheet; rows with more or fewer cells than the header are errors.

    Args:
        data: the file, at most `limits.text_bytes`.
        notes: receives the findings.
        limits: how much it may ask of the machine.
        encoding: the encoding of a text that is not UTF-8, as stated by the user.

    Raises:
        Unreadable: no table is recognised.
    """
    data = _with_separator(decoded(data, notes, encoding), notes)
    dialect = dialect_of(data, notes)
    _require_closed_quotes(data, notes)
    width = len(dialect.header)
    if width > limits.columns:
        raise notes.unreadable(
            "columns", f"has {width:,} columns, but a table may have at most "
            f"{limits.columns:,}",
            "Leave out the columns that are not needed.",
        )  # fmt: skip
    others: list[_OtherRow] = []
    begins = _line_start(data, dialect.preamble)

    def set_aside(row: arrow_csv.InvalidRow) -> str:
        line = int(row.number or 0) + dialect.preamble
        others.append(_OtherRow(line=line, width=int(row.actual_columns), text=row.text))
        return "skip"

    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(memoryview(data)[begins:]),
            read_options=arrow_csv.ReadOptions(
                use_threads=False,
                column_names=[str(place) for place in range(width)],
                block_size=_BLOCK,
            ),
            parse_options=parse_options(dialect, set_aside),
            convert_options=convert_options(width),
        )
    except pa.ArrowInvalid:
        raise notes.unreadable(
            "rows", "cannot be divided into rows",
            "Look for a quotation mark that is not closed, or for a very long line.",
        ) from None  # fmt: skip
    if notes.confidential:
        n_lines = count_lines([data[begins:]])
        require_rows_of_one_line(table.num_rows + len(others), n_lines, notes)
    in_header = sum(row.line <= dialect.above for row in others)  # a row that ends a cell before
    head_rows = dialect.above - dialect.preamble - in_header
    whole = np.ones(table.num_rows + len(others), dtype=np.bool_)
    whole[np.array([row.line for row in others], dtype=np.int64) - dialect.preamble - 1] = False
    rows = (np.flatnonzero(whole) + dialect.preamble + 1)[head_rows:]
    n_filled = _last_filled(table)
    last = int(rows[n_filled - head_rows]) if n_filled >= head_rows and len(rows) else 0
    table = table.slice(head_rows)
    others = _within_the_table(others[in_header:], last, dialect, notes)
    headings = [] if notes.confidential else [row for row in others if _is_heading(row)]
    _report_row_widths([row for row in others if row not in headings], width, len(rows), notes)
    if headings:
        table, rows = _with_headings(table, rows, headings, dialect)
    if len(rows) > limits.rows:
        raise notes.unreadable("rows", f"has more than {limits.rows:,} rows", "Group them first.")
    columns = [column.combine_chunks() for column in table.columns]
    n_rows, columns = without_notes(columns, notes)
    sheet = clean_sheet(
        notes.file,
        dialect.header,
        columns,
        rows[:n_rows],
        notes,
        limits,
        separator=dialect.separator,
        heading=dialect.heading,
    )
    return with_second_header(sheet, notes)


def count_lines(pieces: Iterable[bytes]) -> int:
    r"""Return the number of lines of a text in pieces.

    >>> count_lines([b"a\r", b"\nb\n"]), count_lines([b"a\rb\n\nc"]), count_lines([])
    (2, 4, 0)
    """
    n_lines, last = 0, b""
    for piece in pieces:
        n_lines += piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n")
        n_lines -= last == b"\r" and piece.startswith(b"\n")
        last = piece[-1:] or last
    return n_lines + (last not in (b"", b"\r", b"\n"))


def require_rows_of_one_line(n_rows: int, n_lines: int, notes: Notebook) -> None:
    """Check that no cell of a confidential text contains a line break.

    A quotation mark in a cell of one record may otherwise open a cell that ends in a later record,
    so that all records between them are lost.

    Raises:
        Unreadable: there are more lines than rows.
    """
    if n_rows < n_lines:
        raise notes.unreadable(
            "line-break",
            "a cell contains a line break, or a quotation mark opens a cell and does not close it",
            "Leave out line breaks within cells, and write a quotation mark inside a cell twice "
            '(""). Otherwise one record could hide others.',
        )


def parse_options(dialect: Dialect, set_aside: object) -> arrow_csv.ParseOptions:
    return arrow_csv.ParseOptions(
        delimiter=dialect.separator,
        newlines_in_values=True,
        ignore_empty_lines=False,
        invalid_row_handler=set_aside,
    )


def convert_options(width: int) -> arrow_csv.ConvertOptions:
    """Return options that keep each cell as text, without numbers, nulls or Booleans."""
    return arrow_csv.ConvertOptions(
        column_types={str(place): pa.string() for place in range(width)},
        strings_can_be_null=False,
        check_utf8=True,
    )


def _line_start(data: bytes, line: int) -> int:
    at = 0
    for _ in range(line):
        line_end = re.compile(rb"\r\n|\n|\r").search(data, at)
        at = line_end.end() if line_end else at
    return at


def _require_closed_quotes(data: bytes, notes: Notebook) -> None:
    if data.count(b'"') % 2 == 0:
        return
    lines = data.split(b"\n", 100_000)
    odd = next((i for i, line in enumerate(lines, start=1) if line.count(b'"') % 2), 0)
    raise notes.unreadable(
        "quote",
        'a quotation mark " is not closed',
        paragraph(
            f"Look from line {odd:,} on." if odd else "",
            'Close it, or write a quotation mark inside a cell twice ("").',
        ),
    )


def _goes_on_with_a_number(line: str, separator: str) -> bool:
    """Return whether a cell after the first begins with a digit; commas in quotes divide none."""
    return any(re.match(r"\s*[0-9]", cell) for cell in _cells(line, separator)[1:])


def _cells(line: str, separator: str) -> tuple[str, ...]:
    return tuple(next(csv.reader([line[:_LOOKED_AT]], delimiter=separator), []))


def _notes_below(others: Sequence[_OtherRow], last: int, separator: str) -> int:
    """Return how many lines of another width are notes after the row `last`.

    A line of one cell is a note. Several lines without a number are a legend; a single one may be
    a row that was cut off.
    """
    tail = [row for row in others if row.line > last]
    legend = len(tail) > 1 and not any(_goes_on_with_a_number(row.text, separator) for row in tail)
    below = 0
    for row in reversed(others):
        bare = row.text.strip().strip('"').strip()
        after = row.line > last and (legend or (row.width == 1 and len(bare) > 1))
        if bare.strip("_-=–—* ") and not (opens_as_note(bare) or after):
            break
        below += 1
    return below


def _last_filled(table: pa.Table) -> int:
    """Return the position of the last row that is not blank; -1 for none."""
    for place in range(table.num_rows - 1, max(table.num_rows - _SNIFFED, -1), -1):
        if any(column[place].as_py().strip() for column in table.columns):
            return place
    return -1


def _is_ruler(text: str, width: int) -> bool:
    """Return whether a line is only a rule between rows, such as ----+----."""
    return width > 1 and bool(_RULER.fullmatch(text.strip()))


def _names_alone(text: str, first: str, separator: str) -> bool:
    """Return whether the line below a header has only one cell, which names the rows.

    A cell with a digit could be a region whose numbers are missing. It names the rows if it shares
    a word with the `first` cell of the header, such as "SA3 (UR)" and "SA3 (POW)".
    """
    filled = [cell.strip().strip('"') for cell in text.split(separator) if cell.strip(' "')]
    if len(filled) != 1:
        return False
    words = re.findall(r"\w+", filled[0].casefold())
    return not re.search("[0-9]", filled[0]) or bool(
        {word for word in words if not word.isdigit()} & {*re.findall(r"\w+", first.casefold())}
    )


def _within_the_table(
    others: Sequence[_OtherRow], last: int, dialect: Dialect, notes: Notebook
) -> list[_OtherRow]:
    """Return rows of another width, without notes below the row `last` and lines between rows."""
    below = _notes_below(others, last, dialect.separator)
    kept = others[: len(others) - below]
    if below:
        were = by_number(below, "was", "were")
        lines = counted(below, "line")
        notes.repair("notes-below", f"{lines} of notes below the table {were} left out")
        notes.left_out += [_cells(row.text, dialect.separator) for row in others[len(kept) :]]
    head = dialect.above + 1  # the row below the header
    no_rows = [
        row for row in kept
        if _is_ruler(row.text, row.width)
        or (row.line == head and _names_alone(row.text, dialect.header[0], dialect.separator))
    ]  # fmt: skip
    if no_rows:
        notes.left_out += [_cells(row.text, dialect.separator) for row in no_rows]
        notes.repair(
            "no-rows-between",
            "lines inside the table that have no number were left out",
            places=[f"row {row.line:,}" for row in no_rows[:_SHOWN]],
            count=len(no_rows),
        )
    return [row for row in kept if row not in no_rows]


def _is_heading(row: _OtherRow) -> bool:
    """Return whether a line has a single cell, which announces parts of rows above it.

    Another cell could be a region whose numbers are missing.
    """
    return row.width == 1 and bool(OF_WHICH.match(row.text))


def _with_headings(
    table: pa.Table, rows: IntArray, headings: Sequence[_OtherRow], dialect: Dialect
) -> tuple[pa.Table, IntArray]:
    """Return the table and the numbers of its rows, with headings as rows with one filled cell."""
    names = [_cells(row.text, dialect.separator)[0] for row in headings]
    blanks = [""] * len(headings)
    added = [pa.array(names if k == 0 else blanks, pa.string()) for k in range(table.num_columns)]
    numbers = np.concatenate([rows, np.array([row.line for row in headings], dtype=np.int64)])
    order = np.argsort(numbers, kind="stable")
    joined = pa.concat_tables([table, pa.table(added, names=table.column_names)])
    return joined.take(pa.array(order)), numbers[order]


def _report_row_widths(
    others: Sequence[_OtherRow], width: int, whole: int, notes: Notebook
) -> None:
    for id, chosen, words in (
        ("long-rows", [row.line for row in others if row.width > width], "more"),
        ("short-rows", [row.line for row in others if row.width < width], "fewer"),
    ):
        if not chosen:
            continue
        every = "every row has" if whole == 0 else "a row has"
        notes.fault(
            id,
            f"{every} {words} cells than the header, which has {width}",
            "Give all rows as many cells as the header has, and put cells that contain "
            "the separator in quotes.",
            places=[f"row {row:,}" for row in chosen[:5]],
            count=len(chosen),
        )
    if others and whole == 0:
        raise notes.unreadable(
            "no-rows", "no row has as many cells as the header", "Correct the header or the rows."
        )
