"""Tables of statistical packages, whose values may have labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.formats.parquet import as_text
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, shown_codes

_SHOWN = 5  # columns in a message


def require_rows(n_rows: int, notes: Notebook) -> None:
    """Require rows, except in confidential data, where a single record could be the only one.

    Raises:
        Unreadable: there are none.
    """
    if not n_rows and not notes.confidential:
        raise notes.unreadable(
            "no-rows", "has a header but no rows", "Save the table with its rows."
        )


def require_known_labels(layout: Layout, notes: Notebook) -> None:
    """Report columns of a layout whose numbers stand for labels that only some of them have.

    With one number fewer, the column would hold labels, so that one record could decide which rows
    are left out.
    """
    names = [name for name in layout.columns if name in notes.partly_labelled]
    if names:
        notes.fault(
            "partly-labelled",
            f"only some values of column {shown_codes(names, shown=_SHOWN)} have a label, so a "
            "single record can decide whether labels or numbers are read",
            "Give every value a label, or none.",
        )


def labelled_sheet(
    table: pa.Table,
    labelled: Sequence[str],
    described: Mapping[str, str | None],
    replaced: str,
    notes: Notebook,
    limits: Limits,
    *,
    partial: bool,
) -> Sheet:
    """Return a table as text, and note the columns that have labels in place of values.

    Args:
        table: the rows, with labels.
        labelled: the columns whose values have labels.
        described: the label of each column itself, None or blank where it has none.
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
    sheet = clean_sheet(
        notes.file,
        table.column_names,
        as_text(table.columns),
        np.arange(1, table.num_rows + 1),
        notes,
        limits,
        partial=partial,
    )
    labels = {name: str(described.get(name) or "").strip() for name in sheet.names}
    return replace(sheet, labels={name: label for name, label in labels.items() if label})
