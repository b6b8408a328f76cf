"""Parquet files: small ones as a sheet, large ones as a stream of batches."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.sheet import Sheet, Text, clean_sheet
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, shown_code, shown_codes

_WHOLE_ROWS = 3_000_000  # a larger file is grouped as a stream
_HEAD_ROWS = 200_000
_SHOWN = 5  # columns that a note names
_BATCH = 2**20  # rows of a batch


def _opened(source: Source, notes: Notebook, limits: Limits) -> pq.ParquetFile:
    """Return the opened file after a check of its schema.

    Raises:
        Unreadable: the file is damaged, or has too many columns or rows.
    """
    try:
        file = pq.ParquetFile(source.path, thrift_string_size_limit=2**26)
    except (pa.ArrowException, OSError, ValueError):
        raise notes.unreadable("damaged", "is a damaged Parquet file", "Save it again.") from None
    schema = file.schema_arrow
    if len(schema) > limits.columns:
        raise notes.unreadable(
            "columns", f"has {len(schema):,} columns, but a table may have at most "
            f"{limits.columns:,}",
            "Leave out the columns that are not needed.",
        )  # fmt: skip
    if file.metadata.num_rows > limits.records:
        raise notes.unreadable(
            "rows",
            f"states that it has more than {limits.records:,} rows",
            "Group the rows first, or leave some out.",
        )
    return file


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the file as text; only its first rows if it is to be read as a stream.

    Raises:
        Unreadable: the file is damaged or too large.
    """
    file = _opened(source, notes, limits)
    head = _HEAD_ROWS if file.metadata.num_rows > _WHOLE_ROWS else None
    flat = [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
    nested = [field.name for field in file.schema_arrow if pa.types.is_nested(field.type)]
    if nested:
        notes.note(
            "nested",
            "columns that hold lists or records were left out: "
            f"{shown_codes(nested, shown=_SHOWN)}",
        )
    if not flat:
        raise notes.unreadable(
            "empty",
            "has only columns of lists, records or unknown types",
            "Save it with columns of numbers and text.",
        )
    try:
        if head is None:
            table = file.read(columns=flat)
        else:
            batches = file.iter_batches(batch_size=head, columns=flat)
            first = next(batches, None)
            table = pa.Table.from_batches([first] if first is not None else [], None)
    except (pa.ArrowException, OSError, ValueError, StopIteration):
        raise notes.unreadable("damaged", "is a damaged Parquet file", "Save it again.") from None
    _report_float_columns(table, notes)
    names, columns = _readable(table, notes)
    return clean_sheet(
        notes.file,
        names,
        columns,
        np.arange(1, table.num_rows + 1),
        notes,
        limits,
        partial=head is not None and table.num_rows < file.metadata.num_rows,
    )


def _batches(
    source: Source, keys: Sequence[str], notes: Notebook, limits: Limits
) -> Iterator[pa.Table]:
    file = _opened(source, notes, limits)
    missing = [key for key in keys if key not in file.schema_arrow.names]
    if missing:
        raise notes.unreadable(
            "no-column",
            f"has no column {shown_code(missing[0])}",
            "Correct the column settings.",
        )
    try:
        for batch in file.iter_batches(batch_size=_BATCH, columns=list(keys)):
            yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError):
        raise notes.unreadable("damaged", "is a damaged Parquet file", "Save it again.") from None


def _n_rows(source: Source, notes: Notebook, limits: Limits) -> int:
    return int(_opened(source, notes, limits).metadata.num_rows)


def _readable(table: pa.Table, notes: Notebook) -> tuple[list[str], list[Text]]:
    """Return the columns as text, without those that cannot be converted, which are reported."""
    names: list[str] = []
    columns: list[Text] = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            columns.append(_text(column))
        except pa.ArrowException:
            notes.note(
                "type",
                f"column {shown_code(name)} has a type that cannot be written as text and "
                "was left out",
            )
            continue
        names.append(name)
    if not names:
        raise notes.unreadable(
            "empty",
            "has only columns of lists, records or unknown types",
            "Save it with columns of numbers and text.",
        )
    return names, columns


def as_text(columns: Sequence[pa.ChunkedArray | pa.Array]) -> list[Text]:
    """Return columns of any flat type as text; nulls become blank."""
    return [_text(column) for column in columns]


def _text(column: pa.ChunkedArray | pa.Array) -> Text:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_float16(column.type):
        column = pc.cast(column, pa.float32())
    if pa.types.is_floating(column.type):
        whole = pc.fill_null(pc.equal(pc.floor(column), column), False)
        small = pc.fill_null(pc.less(pc.abs(column), 1e15), False)
        digits = pc.cast(pc.if_else(pc.and_(whole, small), column, None), pa.int64())
        return pc.fill_null(
            pc.coalesce(pc.cast(digits, pa.string()), pc.cast(column, pa.string())), ""
        )
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        return pa.array([""] * len(column), pa.string())
    return pc.fill_null(pc.cast(column, pa.string()), "")


def _report_float_columns(table: pa.Table, notes: Notebook) -> None:
    floats = [f.name for f in table.schema if pa.types.is_floating(f.type)]
    if floats:
        notes.note(
            "float-column",
            f"columns stored as floating-point numbers: {shown_codes(floats, shown=_SHOWN)}",
        )


READER = TableReader(read=_read, batches=_batches, n_rows=_n_rows)
