"""Tables of statistical packages, whose values may have labels."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from hierdp_core.readers.formats.parquet import as_text
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, Unreadable, shown_codes

_SHOWN = 5  # columns in a message


def no_rows(notes: Notebook) -> Unreadable:
    """Return the error of a file without rows."""
    return notes.unreadable("no-rows", "has a header but no rows", "Save the table with its rows.")


def labelled_sheet(
    table: pa.Table,
    labelled: Sequence[str],
    replaced: str,
    notes: Notebook,
    limits: Limits,
    *,
    partial: bool,
) -> Sheet:
    """Return a table as text, and note the columns that have labels in place of values.

    Args:
        table: the rows, with labels.
        labelled: the columns with labels.
        replaced: what the labels replaced, plural.
        notes: receives the note.
        limits: limits on the size of the table.
        partial: whether these are only the first rows of the file.

    Raises:
        Unreadable: the table has too many columns.
    """
    if labelled:
        names = shown_codes(labelled, shown=_SHOWN)
        notes.note(
            "value-labels", f"columns whose {replaced} were replaced by their labels: {names}"
        )
    return clean_sheet(
        notes.file,
        table.column_names,
        as_text(table.columns),
        np.arange(1, table.num_rows + 1),
        notes,
        limits,
        partial=partial,
    )
