"""Helpers for building tables of any kind from a layout."""

from typing import Any

import numpy as np
import pyarrow as pa

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


def names_alone(layout: Layout) -> list[str]:
    """Return the columns that name regions and do not tell them apart."""
    codes = (*layout.levels, *layout.destinations)
    return [name for name in dict.fromkeys(layout.names) if name and name not in codes]


def with_one_name(sheet: Sheet, layout: Layout) -> Sheet:
    """Return the sheet with the name of a region's first row in all of its rows.

    Records of a group may spell the name of their region differently, and are of one group still.
    """
    names = names_alone(layout)
    if not names:
        return sheet
    key = np.zeros(sheet.n_rows, dtype=np.int64)
    for level in layout.levels:
        codes = sheet.column(level).dictionary_encode()
        index = codes.indices.to_numpy(zero_copy_only=False)
        _, key = np.unique(key * len(codes.dictionary) + index, return_inverse=True)
    _, first = np.unique(key, return_index=True)
    for name in names:
        sheet = sheet.with_column(name, sheet.column(name).take(pa.array(first[key])))
    return sheet


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
