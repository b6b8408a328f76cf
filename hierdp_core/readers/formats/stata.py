"""Stata files (.dta) of all versions: labelled values as their labels, missing values as blanks."""

import struct
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hierdp_core.readers.formats.labelled import labelled_sheet, require_rows
from hierdp_core.readers.formats.parquet import as_text
from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook

if TYPE_CHECKING:
    import pandas as pd

_HEAD_ROWS = 200_000
_BATCH = 500_000  # rows of a batch
_DAMAGED = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, EOFError, OSError,
    AssertionError, struct.error, pa.ArrowException,
)  # fmt: skip


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the file as text; only its first rows if it is to be read as a stream.

    Raises:
        Unreadable: the file is damaged, or has no rows or too many columns.
    """
    partial = source.size > limits.text_bytes
    frame = next(_frames(source, None, _HEAD_ROWS if partial else None, notes), None)
    if frame is None:
        frame = _without_rows(source)
    require_rows(len(frame), notes)
    labelled = [str(n) for n in frame.columns if str(frame[n].dtype) == "category"]
    table = _as_table(frame, notes)
    partial = partial and table.num_rows == _HEAD_ROWS
    described = _described(source)
    return labelled_sheet(table, labelled, described, "numbers", notes, limits, partial=partial)


def _batches(
    source: Source, keys: Sequence[str], notes: Notebook, limits: Limits
) -> Iterator[pa.Table]:
    for frame in _frames(source, keys, _BATCH, notes):
        table = _as_table(frame, notes)
        yield pa.table(dict(zip(table.column_names, as_text(table.columns), strict=True)))


def _frames(
    source: Source, columns: Sequence[str] | None, rows: int | None, notes: Notebook
) -> "Iterator[pd.DataFrame]":
    """Yield the file in pieces of `rows` rows, or whole, with labels in place of values."""
    import pandas as pd

    options: dict[str, Any] = {"columns": list(columns) if columns is not None else None}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # names that pandas changes, and labels by piece
            labelled = _labels_differ(source)
            labels, numbers = (
                pd.read_stata(
                    source.path, convert_categoricals=own, order_categoricals=False,
                    chunksize=rows or source.size, **options,
                )
                for own in (labelled, False)
            )  # fmt: skip
            special: set[str] | None = None
            with labels, numbers:
                for frame in labels:
                    if special is None:  # the same columns in all pieces
                        special = {str(n) for n in frame.columns if _labels_some(frame[n])}
                        notes.partly_labelled |= special
                    if special:
                        raw = next(numbers)
                        frame = frame.assign(**{name: raw[name] for name in special})
                    yield frame
    except _DAMAGED:
        raise notes.unreadable("damaged", "is a damaged Stata file", "Save it again.") from None


def _labels_differ(source: Source) -> bool:
    """Return whether all values of each column have different labels."""
    import pandas as pd

    with pd.read_stata(source.path, iterator=True) as reader:
        return all(len(set(own.values())) == len(own) for own in reader.value_labels().values())


def _described(source: Source) -> dict[str, str]:
    """Return the label of each column."""
    import pandas as pd

    with pd.read_stata(source.path, iterator=True) as reader:
        return dict(reader.variable_labels())


def _without_rows(source: Source) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame({name: pd.Series(dtype="str") for name in _described(source)})


def _labels_some(values: "pd.Series[Any]") -> bool:
    """Return whether only some values of a column have a label, such as a special number."""
    if str(values.dtype) != "category":
        return False
    return not all(isinstance(label, str) for label in values.cat.categories)


def _as_table(frame: "pd.DataFrame", notes: Notebook) -> pa.Table:
    columns: dict[str, pa.Array] = {}
    for name in frame.columns:
        values = frame[name]
        if str(values.dtype) == "category":
            values = values.astype("object")
        if values.dtype == object:
            columns[str(name)] = pa.array(
                [None if v is None or v != v else _text(v) for v in values.tolist()], pa.string()
            )
        else:
            columns[str(name)] = pa.Array.from_pandas(values)
    return pa.table(columns)


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


READER = TableReader(read=_read, batches=_batches)
