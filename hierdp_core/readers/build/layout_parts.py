"""Helpers for building tables of any kind from a layout."""

from typing import Any

import numpy as np

from hierdp_core.readers.build.counts_from_text import whole_numbers
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook
from hierdp_core.tables import LARGEST_TOTAL
from hierdp_core.util.arrays import IntArray


def key_columns(layout: Layout) -> list[str]:
    """Return the columns by which records are grouped."""
    wanted = (*layout.levels, *layout.destinations, *layout.names, layout.size, layout.group)
    picked = (column for column, _ in (*layout.kept, *layout.dropped))
    return list(dict.fromkeys(name for name in (*wanted, *picked) if name))


def of_records(layout: Layout) -> bool:
    """Return whether a row is one person, group or trip, so that rows are counted."""
    return layout.row in ("person", "group", "trip")


def words_of(**named: str) -> dict[str, Any]:
    """Return the names that are stated, for the functions that build tables."""
    return {word: value for word, value in named.items() if value}


def whole_column(sheet: Sheet, name: str, layout: Layout, notes: Notebook) -> IntArray | None:
    """Return a column of counts, as `whole_numbers` reads it under the layout."""
    return whole_numbers(
        sheet,
        name,
        notes,
        thousands=layout.thousands,
        blank_is_zero=layout.blank_is_zero,
        missing_is_zero=layout.missing == "zero",
        times=layout.times,
    )


def total_fits(values: IntArray, notes: Notebook) -> bool:
    """Return whether all counts together are within the limit; report an error where not."""
    if float(values.astype(np.float64).sum()) > LARGEST_TOTAL:
        notes.fault(
            "too-large", f"all counts together are above {LARGEST_TOTAL:,}", "Correct the counts."
        )
        return False
    return True
