"""Helpers for building tables of any kind from a layout."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.build.counts_from_text import whole_numbers
from hierdp_core.readers.columns.layout import RECORDS, Layout
from hierdp_core.readers.columns.vocabulary import WEIGHT, plain_name
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.tables import LARGEST_TOTAL
from hierdp_core.util.arrays import IntArray

_PARTS = 10_000  # numbers with decimals are added up in units of one over this


def key_columns(layout: Layout) -> list[str]:
    """Return the columns by which records are grouped."""
    areas = (*layout.levels, *layout.destinations, layout.parent, *layout.names)
    names = (*areas, layout.size, layout.group)
    filters = (column for column, _ in (*layout.kept, *layout.dropped))
    return list(dict.fromkeys(name for name in (*names, *filters) if name))


def name_columns(layout: Layout) -> list[str]:
    """Return the columns of names that do not identify regions."""
    codes = (*layout.levels, *layout.destinations)
    return [name for name in dict.fromkeys(layout.names) if name and name not in codes]


def with_one_name(sheet: Sheet, layout: Layout) -> Sheet:
    """Return the sheet with the name of a region's first row in all of its rows.

    The records of one group may spell the name of their region differently.
    """
    names = name_columns(layout)
    if not names:
        return sheet
    key = row_key(sheet, layout.levels)
    _, first = np.unique(key, return_index=True)
    for name in names:
        sheet = sheet.with_column(name, sheet.column(name).take(pa.array(first[key])))
    return sheet


def row_key(sheet: Sheet, columns: Sequence[str]) -> IntArray:
    """Return a number for each row, equal for rows with equal cells, shape (n_rows,)."""
    key = np.zeros(sheet.n_rows, dtype=np.int64)
    for name in columns:
        codes = sheet.column(name).dictionary_encode()
        index = codes.indices.to_numpy(zero_copy_only=False)
        _, key = np.unique(key * len(codes.dictionary) + index, return_inverse=True)
    return np.asarray(key, dtype=np.int64)


def add_up_rows(sheet: Sheet, layout: Layout, notes: Notebook) -> tuple[Sheet, Layout] | None:
    """Return one row for each region or pair, with the sum of its rows.

    Regions keep the order of their first rows. Totals and other properties are checked afterwards.

    Returns:
        The sheet and the layout that reads it; None where there are faults.
    """
    values = _before_rounding(sheet, layout, notes)
    if values is None:
        return None
    names = [n for n in (*layout.levels, *layout.destinations, layout.parent) if n]
    _, first, region = np.unique(row_key(sheet, names), return_index=True, return_inverse=True)
    sums = np.zeros(len(first), dtype=np.int64)
    np.add.at(sums, region, values)
    if layout.times:
        sums = np.rint(sums / _PARTS).astype(np.int64)
    chosen = np.zeros(sheet.n_rows, dtype=np.bool_)
    chosen[first] = True
    one_each = sheet.take(chosen)
    counts = pc.cast(pa.array(sums[np.argsort(first)]), pa.string())
    layout = replace(layout, add_up=False, times=0, thousands="", missing="", brackets="", units="")
    return one_each.with_column(layout.count, counts), layout


def _before_rounding(sheet: Sheet, layout: Layout, notes: Notebook) -> IntArray | None:
    """Return the counts of all rows, shape (n_rows,), times 10,000 where their sums are rounded."""
    if not layout.times:
        return whole_column(sheet, layout.count, layout, notes)
    trial = Notebook(sheet.file, confidential=notes.confidential)
    values = whole_column(sheet, layout.count, replace(layout, times=layout.times * _PARTS), trial)
    notes.findings += [finding for finding in trial.findings if finding.id != "multiplied"]
    if values is not None and not total_fits(values // _PARTS, notes):
        return None
    if values is not None:
        shown = f"numbers in column {shown_code(layout.count)} were"
        scaled = f"{shown} multiplied by {layout.times:,}, added up and rounded"
        notes.repair(
            "multiplied", scaled if layout.times > 1 else f"{shown} added up, and the sums rounded"
        )
    return values


def counts_records(layout: Layout) -> bool:
    """Return whether a row is one person, group or trip, so that rows are counted."""
    return layout.row in RECORDS


def stated_words(**named: str) -> dict[str, Any]:
    """Return the names that are stated, for the functions that build tables."""
    return {word: value for word, value in named.items() if value}


def units_of(layout: Layout) -> dict[str, Any]:
    """Return the stated unit and privacy unit of counts; survey weights count units of weight.

    Weighted counts are not counts of persons: a person with the weight w changes one by w.
    """
    weighted = layout.count and WEIGHT.fullmatch(plain_name(layout.count))
    usual = {"unit": "units of weight", "person": "unit of weight"} if weighted else {}
    return usual | stated_words(unit=layout.unit, person=layout.person)


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
        brackets=layout.brackets,
        units=layout.units,
        add_up=layout.add_up,
    )


def total_fits(values: IntArray, notes: Notebook) -> bool:
    """Return whether all counts together are within the limit; report an error where not."""
    if float(values.astype(np.float64).sum()) > LARGEST_TOTAL:
        notes.fault(
            "too-large", f"all counts together are above {LARGEST_TOTAL:,}", "Correct the counts."
        )
        return False
    return True
