"""Tables from a sheet and its layout: counts are built here, group sizes and flows elsewhere."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.exceptions import HierdpError
from hierdp_core.readers.build.counted_rows import (
    SHOWN,
    check_region_totals,
    fill_blank_totals,
    kept_rows,
    report_duplicate_regions,
    separate_grand_totals,
)
from hierdp_core.readers.build.equal_kinds import check_equal_kinds
from hierdp_core.readers.build.group_size_tables import group_sizes
from hierdp_core.readers.build.grouping import grouped_rows
from hierdp_core.readers.build.layout_parts import (
    add_up_rows,
    counts_records,
    key_columns,
    total_fits,
    units_of,
    whole_column,
)
from hierdp_core.readers.build.mixed_rows import (
    check_codes_of_missing,
    check_crossing_levels,
    check_mixed_rows,
    check_names_of_rows,
    check_parts_below,
    check_same_numbers,
    check_years_apart,
)
from hierdp_core.readers.build.region_list import RegionList
from hierdp_core.readers.build.regions_from_columns import places_of
from hierdp_core.readers.build.regions_from_outlines import with_numbers_of_headings
from hierdp_core.readers.build.rows_beside_sums import check_rows_beside_sums
from hierdp_core.readers.build.totals import SeparatedTotals
from hierdp_core.readers.build.totals_report import (
    check_grand_totals,
    check_hidden_totals,
    check_nested_sums,
    check_read_twice,
)
from hierdp_core.readers.build.trips import flows_of
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, lacks_column, shown_code
from hierdp_core.tables import Counts, Table


def build(
    sheet: Sheet, layout: Layout, notes: Notebook, regions: RegionList | None = None
) -> Table | None:
    """Return the table that the sheet holds; None where there are faults, reported in `notes`.

    If the rows were grouped before, the weights of the sheet hold their numbers.

    Args:
        sheet: the table as text.
        layout: what its columns mean.
        notes: receives the findings.
        regions: the list of all regions; without one, they are those that the rows name.
    """
    missing = [name for name in layout.columns if not sheet.has(name)]
    if missing:
        notes.fault(
            "no-column",
            lacks_column(missing, sheet.names),
            "Correct the column settings.",
        )
        return None
    if regions is not None and not regions.require_own_rows(sheet, layout):
        return None
    whole, stated = _with_near_parents(sheet, layout), layout
    sheet = kept_rows(whole, layout, notes)
    if sheet.n_rows == 0 and (not notes.confidential or regions is None):
        return None
    rest = sheet
    # The rows are chosen now. One group may have rows with several of the kept values.
    layout = replace(layout, keep=(), leave_out=())
    summed = _with_parts(sheet, layout, notes)
    if summed is None:
        return None
    sheet, layout = summed
    makers = {"counts": _counts, "group-sizes": group_sizes, "flows": flows_of}
    try:
        table = makers[layout.kind](sheet, layout, notes, regions)
        if table is not None and stated.dropped and not counts_records(stated):
            kept = kept_rows(whole, replace(stated, leave_out=()), Notebook(sheet.file))
            check_read_twice(kept, rest, stated, notes)
        return None if table is None else _with_root(table, layout)
    except HierdpError as error:
        notes.fault("table", str(error).rstrip("."), "Correct the rows.")
        return None


def _with_near_parents(sheet: Sheet, layout: Layout) -> Sheet:
    """Return the sheet with each parent replaced by its nearest ancestor among the kept rows.

    Lists have rows that are only headings, such as "Geographic regions", which are left out.
    """
    if not layout.parent or not layout.keep:
        return sheet
    codes, parents = (sheet.column(n).to_pylist() for n in (layout.levels[0], layout.parent))
    above = dict(zip(codes, parents, strict=True))
    read = set(kept_rows(sheet, layout, Notebook(sheet.file)).column(layout.levels[0]).to_pylist())
    near = [_nearest(parent, above, read) for parent in parents]
    return sheet.with_column(layout.parent, pa.array(near, pa.string()))


def _nearest(code: str, above: Mapping[str, str], read: Collection[str]) -> str:
    """Return the first kept region from `code` upwards, or the topmost one if none is kept."""
    passed: set[str] = set()
    while code not in read and code in above and code not in passed:
        passed.add(code)
        code = above[code]
    return code


def _with_parts(sheet: Sheet, layout: Layout, notes: Notebook) -> tuple[Sheet, Layout] | None:
    """Return the sheet with a column that sums the columns `parts`; None where there are errors."""
    if not layout.parts:
        return sheet, layout
    columns = [whole_column(sheet, name, layout, notes) for name in layout.parts]
    known_columns = [column for column in columns if column is not None]
    if len(known_columns) < len(columns):
        return None
    name = " + ".join(layout.parts)
    counts = np.sum(known_columns, axis=0)
    notes.note("parts", f"the counts are the sums of the columns {_listed(layout.parts)}")
    sheet = sheet.with_column(name, pc.cast(pa.array(counts), pa.string()))
    # The columns were read as the layout states, so that their sums are plain numbers.
    return sheet, replace(
        layout, count=name, parts=(), times=0, thousands="", brackets="", units=""
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(shown_code(name) for name in names[:SHOWN]) + " …" * (len(names) > SHOWN)


def _with_root(table: Table, layout: Layout) -> Table:
    """Return the table with the stated names of the root and its level."""
    if not (layout.root or layout.root_level):
        return table
    regions = table.regions
    names, levels = list(regions.names), list(regions.levels)
    names[0] = layout.root or names[0]
    levels[0] = layout.root_level or levels[0]
    return table.with_regions(replace(regions, names=tuple(names), levels=tuple(levels)))


def _counts(
    sheet: Sheet, layout: Layout, notes: Notebook, regions: RegionList | None
) -> Table | None:
    blank_total = np.zeros(0, dtype=np.bool_)
    sheet = with_numbers_of_headings(sheet, layout, notes)
    by_area = not counts_records(layout) and not layout.add_up
    if by_area and (
        check_same_numbers(sheet, layout, notes)
        or check_crossing_levels(sheet, layout, notes)
        or check_years_apart(sheet, layout, notes)
    ):
        return None
    if not counts_records(layout) and (
        check_names_of_rows(sheet, layout, notes) or check_codes_of_missing(sheet, layout, notes)
    ):
        return None
    added = layout.add_up
    if layout.add_up and not counts_records(layout):
        check_mixed_rows(sheet, layout, notes)
        if notes.faulty:
            return None
        summed = add_up_rows(sheet, layout, notes)
        if summed is None:
            return None
        sheet, layout = summed
    if counts_records(layout):
        sheet = grouped_rows(sheet, key_columns(layout))
    source = sheet
    separated = (
        SeparatedTotals(sheet=sheet)
        if counts_records(layout)
        else separate_grand_totals(sheet, layout, notes)
    )
    if separated is None:
        return None
    sheet = separated.sheet
    places = places_of(sheet, layout, notes, records=counts_records(layout), regions=regions)
    if counts_records(layout):
        values = sheet.weights
    else:
        sheet, blank_total = fill_blank_totals(sheet, layout, places)
        values = whole_column(sheet, layout.count, layout, notes)
    if places is None or values is None or not total_fits(values, notes):
        return None
    if not counts_records(layout) and not check_parts_below(sheet, layout, notes):
        report_duplicate_regions(sheet, places, layout, notes, added=added)
    own = places.leaf >= 0
    leaves = np.zeros(places.regions.tree.n_leaves, dtype=np.int64)
    np.add.at(leaves, places.leaf[own], values[own])
    check_region_totals(sheet, places, values, leaves, blank_total, layout, notes, source=source)
    check_grand_totals(separated, leaves.sum(keepdims=True), layout, notes)
    if not counts_records(layout):
        check_hidden_totals(places.regions, leaves, layout, notes)
        check_nested_sums(sheet, values, own, layout, notes)
        check_rows_beside_sums(sheet, values, layout, notes)
        if not notes.faulty:
            check_equal_kinds(sheet, values, own, layout, notes)
    if notes.faulty:
        return None
    words = units_of(layout)
    return Counts.from_leaves(places.regions, leaves, **words)
