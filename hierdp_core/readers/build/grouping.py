"""Counts of equal rows, in memory or from a stream of batches.

Each batch is grouped, and the results are grouped again, so the memory depends on the number of
distinct rows and not on the number of rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.formats.parquet import as_text
from hierdp_core.readers.formats.sheet import Sheet, tidied
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook

_WAITING = 4_000_000  # grouped rows that wait before they are grouped again
COUNT = "rows"  # the column with the number of rows


def grouped_rows(sheet: Sheet, keys: Sequence[str]) -> Sheet:
    """Return the distinct rows of `sheet` in the columns `keys`, weighted by frequency."""
    table = pa.table({name: sheet.column(name) for name in keys})
    if sheet.weights is not None:
        table = table.append_column(COUNT, pa.array(sheet.weights))
    return _sheet(sheet.file, _grouped(table, keys), keys)


def batches_of(
    source: Source, columns: Sequence[str], notes: Notebook, limits: Limits
) -> Iterator[pa.Table]:
    """Return the rows of a file in the given columns, as one table for each batch.

    Raises:
        Unreadable: the file is damaged or lacks a column.
    """
    batches = source.format.table_reader.batches
    if batches is None:
        raise TypeError(f"Files of the format {source.format.id} are not read in batches.")
    return batches(source, columns, notes, limits)


def stream(source: Source, keys: Sequence[str], notes: Notebook, limits: Limits) -> Sheet:
    """Return the distinct rows of a file in the columns `keys`, weighted by frequency.

    Raises:
        Unreadable: the file is damaged, or has too many distinct rows.
    """
    table = group_batches(batches_of(source, keys, notes, limits), keys, notes, limits)
    sheet = _sheet(source.name, table, keys)
    return tidied(sheet, notes, limits)


def group_batches(
    batches: Iterable[pa.Table], keys: Sequence[str], notes: Notebook, limits: Limits
) -> pa.Table:
    """Return the distinct rows of all batches, with the columns `keys` and "rows".

    Raises:
        Unreadable: there are no rows, or too many distinct ones.
    """
    waiting: list[pa.Table] = []
    rows = 0
    for batch in batches:
        waiting.append(_grouped(batch, keys))
        rows += waiting[-1].num_rows
        if rows > _WAITING:
            waiting = [_grouped(_joined(waiting), keys)]
            rows = waiting[0].num_rows
            if rows > limits.rows:
                raise notes.unreadable(
                    "rows", f"has more than {limits.rows:,} distinct rows",
                    "Group the rows by fewer columns first.",
                )  # fmt: skip
    if not waiting:
        raise notes.unreadable(
            "no-rows", "has a header but no rows", "Save the table with its rows."
        )
    return _grouped(_joined(waiting), keys)


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables, promote_options="permissive")


def _grouped(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    weighted = COUNT in table.column_names
    what: list[Any] = [(COUNT, "sum")] if weighted else [([], "count_all")]
    grouped = table.group_by(list(keys), use_threads=True).aggregate(what)
    count = grouped.column_names[-1] if not weighted else f"{COUNT}_sum"
    return grouped.select([*keys, count]).rename_columns([*keys, COUNT])


def _sheet(file: str, table: pa.Table, keys: Sequence[str]) -> Sheet:
    return Sheet(
        file=file,
        names=tuple(keys),
        columns=tuple(as_text([table.column(key) for key in keys])),
        weights=np.asarray(
            pc.cast(table.column(COUNT), pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64
        ),
    )
