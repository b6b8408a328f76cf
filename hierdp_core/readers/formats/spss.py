"""SPSS files (.sav and .zsav): labelled values as their labels, missing values as blanks.

Values that the file declares missing are blank too. The library pyreadstat is an extra.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa

from hierdp_core.readers.formats.labelled import labelled_sheet, require_rows
from hierdp_core.readers.formats.parquet import as_text
from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook

_HEAD_ROWS = 200_000
_BATCH_BYTES = 64 * 2**20  # memory of the cells of a batch
_BYTES_OF_A_NUMBER = 8
_KNOWN_TYPES = (str, int, float)  # dates are written as text


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the file as text; only its first rows if it is to be read as a stream.

    Raises:
        Unreadable: pyreadstat is not installed, or the file is damaged, or has no rows or too many
            columns.
    """
    about = _described(source, notes, limits)
    head = _head_rows(about, limits)
    part = _part(source, notes, limit=head)
    labels = _labels_of(about, part, notes)
    table = _as_table(part, labels)
    require_rows(table.num_rows, notes)
    labelled = [name for name in table.column_names if name in labels]
    partial = bool(head) and table.num_rows == head
    described = about.column_names_to_labels
    return labelled_sheet(table, labelled, described, "values", notes, limits, partial=partial)


def _batches(
    source: Source, keys: Sequence[str], notes: Notebook, limits: Limits
) -> Iterator[pa.Table]:
    about = _described(source, notes, limits)
    head = _part(source, notes, limit=_head_rows(about, limits), columns=keys)
    labels = _labels_of(about, head, notes)
    rows = max(_BATCH_BYTES // _cell_bytes(about), 1)
    start = 0
    while True:
        part = _part(source, notes, limit=rows, offset=start, columns=keys)
        table = _as_table({key: part[key] for key in keys}, labels)
        if not table.num_rows:
            return
        yield pa.table(dict(zip(table.column_names, as_text(table.columns), strict=True)))
        start += table.num_rows


def _n_rows(source: Source, notes: Notebook, limits: Limits) -> int:
    return _stated_rows(_described(source, notes, limits))


def _library(notes: Notebook) -> ModuleType:
    """Return the library that reads SPSS files.

    Raises:
        Unreadable: it is not installed.
    """
    try:
        import pyreadstat
    except ImportError:
        raise notes.unreadable(
            "extra",
            "is an SPSS file, and the library that reads these is not installed",
            'Install it with pip install ".[spss]" in the folder of the repository, or save the '
            "table as a Stata file or as CSV.",
        ) from None
    return pyreadstat


def _described(source: Source, notes: Notebook, limits: Limits) -> Any:
    """Return the description of the columns after a check of its size.

    Raises:
        Unreadable: the file is damaged, or has too many columns or rows.
    """
    _, about = _from_file(source, notes, metadataonly=True)
    if not about.column_names:
        raise _damaged(notes)
    if len(about.column_names) > limits.columns:
        raise notes.unreadable(
            "columns", f"has {len(about.column_names):,} columns, but a table may have at most "
            f"{limits.columns:,}",
            "Leave out the columns that are not needed.",
        )  # fmt: skip
    if _stated_rows(about) > limits.records:
        raise notes.unreadable(
            "rows",
            f"states that it has more than {limits.records:,} rows",
            "Group the rows first, or leave some out.",
        )
    return about


def _part(
    source: Source,
    notes: Notebook,
    *,
    limit: int = 0,
    offset: int = 0,
    columns: Sequence[str] | None = None,
) -> Mapping[str, Any]:
    """Return the cells of some rows by column; a limit of 0 reads all rows."""
    cells, _ = _from_file(
        source, notes, row_limit=limit, row_offset=offset,
        usecols=None if columns is None else list(columns),
    )  # fmt: skip
    return dict(cells)


def _from_file(source: Source, notes: Notebook, **options: Any) -> tuple[Any, Any]:
    library = _library(notes)
    failures = (
        library.ReadstatError, library.PyreadstatError, ValueError, OverflowError, OSError, KeyError
    )  # fmt: skip
    try:
        cells, about = library.read_sav(source.path, output_format="dict", **options)
    except failures:
        raise _damaged(notes) from None
    return cells, about


def _damaged(notes: Notebook) -> Exception:
    return notes.unreadable("damaged", "is a damaged SPSS file", "Save it again.")


def _stated_rows(about: Any) -> int:
    """Return the number of rows that the file states; 0 where it states none."""
    return max(int(about.number_rows or 0), 0)


def _cell_bytes(about: Any) -> int:
    """Return the memory of the cells of one row."""
    widths = (int(width or 0) for width in about.variable_storage_width.values())
    return sum(max(width, _BYTES_OF_A_NUMBER) for width in widths)


def _head_rows(about: Any, limits: Limits) -> int:
    """Return how many rows of a large file are read at first; 0 where all of them are."""
    if _cell_bytes(about) * _stated_rows(about) <= limits.text_bytes:
        return 0
    return max(min(_HEAD_ROWS, limits.text_bytes // _cell_bytes(about)), 1)


def _labels_of(about: Any, part: Mapping[str, Any], notes: Notebook) -> dict[str, dict[Any, str]]:
    """Return the labels of the values of each column in which all values have different ones.

    A column of numbers may have labels for a few special numbers only, which `notes` remembers.
    """
    labels = {
        str(name): dict(own)
        for name, own in about.variable_value_labels.items()
        if name in part and own and len(set(own.values())) == len(own)
    }
    some = {
        name for name, own in labels.items()
        if not all(value in own for value in _different(part[name]))
    }  # fmt: skip
    notes.partly_labelled |= some
    return {name: own for name, own in labels.items() if name not in some}


def _different(cells: Any) -> set[Any]:
    """Return the different values of a column that are not missing."""
    values = np.asarray(cells)
    listed = values.tolist() if values.dtype == object else np.unique(values).tolist()
    return {value for value in listed if value is not None and value == value and value != ""}


def _as_table(part: Mapping[str, Any], labels: Mapping[str, Mapping[Any, str]]) -> pa.Table:
    return pa.table({name: _column(cells, labels.get(name, {})) for name, cells in part.items()})


def _column(cells: Any, labels: Mapping[Any, str]) -> pa.Array:
    """Return the cells of a column with labels in place of values, and nulls where none is known.

    Args:
        cells: shape (n_rows,), numbers, texts or dates; NaN or None where a value is missing.
        labels: the label of each value that has one.
    """
    values = np.asarray(cells)
    if values.dtype != object and not labels:
        return pa.array(values, from_pandas=True)
    return pa.array([_text(value, labels) for value in values.tolist()], pa.string())


def _text(value: Any, labels: Mapping[Any, str]) -> str | None:
    if value is None or value != value:
        return None
    label = labels.get(value) if isinstance(value, _KNOWN_TYPES) else None
    if label:
        return label
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


READER = TableReader(read=_read, batches=_batches, n_rows=_n_rows)
