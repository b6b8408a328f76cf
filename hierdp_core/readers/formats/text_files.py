"""Text files: small ones are read whole, large ones by their first rows and in batches."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.csv as arrow_csv

from hierdp_core.readers.columns.official import is_istat_2011, read_istat_2011
from hierdp_core.readers.formats.decoding import MARK, is_other
from hierdp_core.readers.formats.eurostat import with_dimensions
from hierdp_core.readers.formats.genesis import with_variables
from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.sheet import Sheet, bare_name, name_of_place
from hierdp_core.readers.formats.sniff import Source, text_bytes
from hierdp_core.readers.formats.text import (
    SEPARATORS,
    Dialect,
    convert_options,
    count_lines,
    dialect_of,
    parse_options,
    read_text,
    require_rows_of_one_line,
)
from hierdp_core.readers.limits import MEGABYTE, Limits
from hierdp_core.readers.report import Notebook
from hierdp_core.util.text import by_number, counted

_HEAD_BYTES = 16 * MEGABYTE
_NEARLY = 0.9  # proportion of the largest number of rows, because later lines may be shorter
_DIALECT_BYTES = 4 * MEGABYTE


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the table as text; only its first rows if it is to be read as a stream.

    Raises:
        Unreadable: no table is recognised.
    """
    with source.path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    istat = not source.packed and is_istat_2011(head)
    if not source.packed and not istat and _is_long(source, head, limits):
        return _head_sheet(source, head, notes, limits)
    data = text_bytes(source, notes, limits)
    if is_istat_2011(data):
        return read_istat_2011(data, notes, limits)
    if len(data) > limits.text_bytes:
        raise notes.unreadable(
            "too-large", f"unpacks to more than {limits.text_bytes:,} bytes",
            "Unpack it, or save it as Parquet, which is read in pieces.",
        )  # fmt: skip
    sheet = read_text(data, notes, limits, source.encoding)
    _note_separator(sheet, notes)
    return with_variables(with_dimensions(sheet, notes), notes)


def _is_long(source: Source, head: bytes, limits: Limits) -> bool:
    """Return whether a file has too many bytes, or by its first lines too many rows, at once."""
    rows = head.count(b"\n") * source.size / max(len(head), 1)
    return source.size > limits.text_bytes or rows > _NEARLY * limits.rows


def _head_sheet(source: Source, head: bytes, notes: Notebook, limits: Limits) -> Sheet:
    _head_dialect(source, notes)
    quiet = Notebook(notes.file)
    whole = head[: head.rindex(b"\n") + 1] if b"\n" in head else head
    sheet = read_text(whole, quiet, replace(limits, rows=_HEAD_BYTES))
    _note_separator(sheet, notes)
    return replace(sheet, partial=True)


def _note_separator(sheet: Sheet, notes: Notebook) -> None:
    if any(finding.id == "aligned" for finding in notes.findings):
        return
    word = SEPARATORS.get(sheet.separator)
    if len(sheet.names) == 1:
        notes.note("one-column", "no separator was found, so there is only one column")
    elif word and word != "comma":
        notes.note(
            "separator",
            f"cells are separated by {word}s" if word != "tab" else "cells are separated by tabs",
        )


def _batches(
    source: Source, keys: Sequence[str], notes: Notebook, limits: Limits
) -> Iterator[pa.Table]:
    dialect = _head_dialect(source, notes)
    width = len(dialect.header)
    header = [bare_name(n) or name_of_place(i) for i, n in enumerate(dialect.header, start=1)]
    places = [str(header.index(key)) for key in keys]
    options = convert_options(width)
    options.include_columns = places
    wrong: list[int] = []
    n_rows = dialect.above

    def set_aside(row: arrow_csv.InvalidRow) -> str:
        wrong.append(1)
        return "skip" if len(wrong) < 1000 else "error"

    try:
        reader = arrow_csv.open_csv(
            source.path,
            read_options=arrow_csv.ReadOptions(
                column_names=[str(place) for place in range(width)],
                skip_rows=dialect.above,
                block_size=8 * MEGABYTE,
            ),
            parse_options=parse_options(dialect, set_aside),
            convert_options=options,
        )
        for batch in reader:
            n_rows += batch.num_rows
            yield pa.Table.from_batches([batch]).rename_columns(list(keys))
    except (pa.ArrowException, OSError):
        raise notes.unreadable(
            "rows", "cannot be divided into rows, or is not in UTF-8",
            "Save it in UTF-8, or as Parquet.",
        ) from None  # fmt: skip
    if notes.confidential:
        require_rows_of_one_line(n_rows + len(wrong), count_lines(_pieces(source)), notes)
    if wrong:
        notes.fault(
            "long-rows",
            f"{counted(len(wrong), 'row')} {by_number(len(wrong), 'does', 'do')} not have as many "
            "cells as the header",
            "Give all rows as many cells as the header has.",
        )  # fmt: skip


def _pieces(source: Source) -> Iterator[bytes]:
    with source.path.open("rb") as file:
        while piece := file.read(8 * MEGABYTE):
            yield piece


def _head_dialect(source: Source, notes: Notebook) -> Dialect:
    """Return the separator and the header of a text file too large to be read whole.

    It is read as UTF-8. Letters of other records may not decide that a stated encoding is used.

    Raises:
        Unreadable: the file is in another encoding, or it is confidential and one is stated.
    """
    with source.path.open("rb") as file:
        head = file.read(_DIALECT_BYTES)
    marked = head.startswith(MARK)
    other = notes.confidential and is_other(source.encoding) and not marked
    if other or b"\0" in head:
        raise notes.unreadable(
            "encoding", "is not UTF-8 and is too large to be read as a whole", "Save it in UTF-8."
        )
    return dialect_of(head.removeprefix(MARK), notes)


READER = TableReader(read=_read, batches=_batches)
