"""Tables of group sizes, from groups by size or from one row per group or person."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy import sum_up
from hierdp_core.readers.build.certain_zeros import with_certain_zeros
from hierdp_core.readers.build.counted_rows import (
    compare_totals,
    fault_of_rows,
    report_duplicate_regions,
    separate_grand_totals,
)
from hierdp_core.readers.build.counts_from_text import whole_numbers
from hierdp_core.readers.build.equal_kinds import check_equal_kinds
from hierdp_core.readers.build.grouping import grouped_rows
from hierdp_core.readers.build.layout_parts import (
    counts_records,
    key_columns,
    row_key,
    stated_words,
    total_fits,
    whole_column,
    with_one_name,
)
from hierdp_core.readers.build.members import SIZE, sizes_of_groups
from hierdp_core.readers.build.mixed_rows import check_codes_of_missing, check_names_of_rows
from hierdp_core.readers.build.region_codes import Places
from hierdp_core.readers.build.region_list import RegionList
from hierdp_core.readers.build.regions_from_columns import places_of
from hierdp_core.readers.build.rows_beside_sums import check_rows_beside_sums
from hierdp_core.readers.build.totals import SeparatedTotals
from hierdp_core.readers.build.totals_report import (
    check_grand_totals,
    check_hidden_totals,
    check_nested_sums,
)
from hierdp_core.readers.columns.facts import called_total
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import (
    ADD_UP_CHOICES,
    TOTALS_CHOICES,
    Choice,
    missing_group_choices,
)
from hierdp_core.readers.columns.size_pivot import MAX_SIZES, rows_of_areas
from hierdp_core.readers.columns.size_series import bands_among
from hierdp_core.readers.columns.size_shapes import sizes_by_shape
from hierdp_core.readers.columns.sums import exceeds_rounding
from hierdp_core.readers.columns.vocabulary import (
    MISSING,
    plain_name,
    region_of_total,
    size_in,
    sizes_in,
)
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code, shown_codes
from hierdp_core.tables import GroupSizes, Table
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import by_number, counted

_MOST_CELLS = 200_000_000
_MIN_WORDED = 1  # sizes in words, so that the column is not a list of numbers
_MAX_OTHERS = 5  # cells that are not sizes
_SHOWN = 4  # of them in a sentence


def group_sizes(
    sheet: Sheet, layout: Layout, notes: Notebook, regions: RegionList | None
) -> Table | None:
    if not counts_records(layout) and check_names_of_rows(sheet, layout, notes):
        return None
    if layout.size and check_codes_of_missing(sheet, layout, notes):
        return None
    if layout.sizes:
        return _columns_of_sizes(sheet, layout, notes, regions)
    if layout.row == "person":
        sheet = with_one_name(sheet, layout)
        by_size = _members(sheet, layout, notes)
        if notes.faulty:
            return None
        if by_size is not None:
            return group_sizes(by_size, by_group(layout), notes, regions)
        keys = [name for name in key_columns(layout) if name != layout.size]
        sheet = grouped_rows(sheet, keys)
        if layout.group:
            _blank_groups(sheet, layout, notes)
        places = places_of(sheet, layout, notes, records=True, regions=regions)
        assert sheet.weights is not None
        sizes, groups = sheet.weights, np.ones(sheet.n_rows, dtype=np.int64)
        return _of_sizes(places, sizes, groups, layout, notes)
    apart = SeparatedTotals(sheet=sheet)
    if layout.row == "group":
        sheet = grouped_rows(sheet, key_columns(layout))
        groups_of = sheet.weights
    else:
        separated = separate_grand_totals(_without_total_sizes(sheet, layout, notes), layout, notes)
        if separated is None:
            return None
        apart, sheet = separated, separated.sheet
        if not _lists_upper_regions(layout):
            whole = whole_column(sheet, layout.count, layout, Notebook(notes.file))
            _check_total(apart, whole, layout, notes)
        with_size = ~_without_size(sheet.column(layout.size))
        groups_of = whole_column(sheet.take(with_size), layout.count, layout, notes)
    sizes_of = _sizes(sheet, layout, notes)
    if groups_of is not None and sizes_of is not None and layout.row == "region":
        by_area = _by_area(sheet, layout, sizes_of, groups_of, notes)
        if by_area is not None:
            table = _columns_of_sizes(*by_area, notes, regions)
            if table is not None and _lists_upper_regions(layout):
                _check_total(apart, table.values[0], layout, notes)
            return None if notes.faulty else table
    places = places_of(sheet, layout, notes, records=True, regions=regions)
    if groups_of is None or sizes_of is None:
        return None
    if places is not None and layout.row == "region" and not layout.add_up:
        span = int(sizes_of.max(initial=0)) + 1
        if span < 10**9:
            _report_duplicate_sizes(sheet, places, places.leaf * span + sizes_of, notes)
    return _of_sizes(places, sizes_of, groups_of, layout, notes)


def _lists_upper_regions(layout: Layout) -> bool:
    """Return whether rows of upper regions are among the others, so that these have no sum."""
    return bool(layout.prefix or layout.parent or layout.outline)


def _check_total(
    apart: SeparatedTotals, numbers: IntArray | None, layout: Layout, notes: Notebook
) -> None:
    """Check that the rows of totals have as many groups as there are of all sizes together."""
    if numbers is not None and apart.places:
        once = replace(apart, totals=apart.totals.sum(keepdims=True), places=apart.places[:1])
        check_grand_totals(once, numbers.sum(keepdims=True), layout, notes)


def _by_area(
    sheet: Sheet, layout: Layout, sizes: IntArray, groups: IntArray, notes: Notebook
) -> tuple[Sheet, Layout] | None:
    """Return one row for each region, with a column for each size, and the layout that reads it.

    The result is None if a region has several rows of one size that are not added up, or if there
    are too many sizes.
    """
    first = 0 if not sizes.min(initial=1) else 1
    largest = layout.largest or int(sizes.max(initial=1))
    if largest > MAX_SIZES or not total_fits(groups, Notebook(notes.file)):
        return None
    keys = [*layout.levels, *([layout.parent] if layout.parent else [])]
    rows = rows_of_areas(sheet, row_key(sheet, keys))
    span = int(sizes.max(initial=0)) + 1
    if not layout.add_up and len(np.unique(rows.area * span + sizes)) < len(sizes):
        return None
    capped, top_coded = _capped(sizes, groups, layout, notes)
    numbers = np.zeros((rows.sheet.n_rows, largest + 1), dtype=np.int64)
    np.add.at(numbers, (rows.area, capped), groups)
    names = tuple(f"{layout.count}, {layout.size} {size}" for size in range(first, largest + 1))
    wide = rows.sheet
    for size, name in enumerate(names, start=first):
        wide = wide.with_column(name, pc.cast(pa.array(numbers[:, size]), pa.string()))
    return wide, replace(
        layout, size="", count="", sizes=names, first_size=first, top_coded=top_coded,
        thousands="", times=0, brackets="", units="", add_up=False,
    )  # fmt: skip


def by_group(layout: Layout) -> Layout:
    """Return the layout of groups by size to which rows of persons are reduced."""
    return replace(layout, row="group", group="", size=SIZE, empty_groups="not counted")


def _members(sheet: Sheet, layout: Layout, notes: Notebook) -> Sheet | None:
    keys = [name for name in key_columns(layout) if name not in (layout.size, layout.group)]
    if sheet.weights is not None:
        return None
    table = pa.table({name: sheet.column(name) for name in [*keys, layout.group]})
    return sizes_of_groups(
        lambda: iter([table]), sheet.n_rows, keys, layout.group, sheet.file, notes
    )


def _report_duplicate_sizes(sheet: Sheet, places: Places, key: IntArray, notes: Notebook) -> None:
    _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    fault_of_rows(
        sheet,
        places,
        counts[inverse] > 1,
        notes,
        kind="duplicate",
        what="more than one row has the same area and size",
        remedy="Remove the wrong rows. If such rows are to be added up, set add_up = true.",
        choices=ADD_UP_CHOICES,
    )


def _without_total_sizes(sheet: Sheet, layout: Layout, notes: Notebook) -> Sheet:
    """Return the rows of single sizes, after a check of the rows for all sizes together."""
    total = _total_sizes(sheet.column(layout.size)) | _blank_totals(sheet, layout, notes)
    if not total.any() or total.all():
        return sheet
    values = whole_column(sheet, layout.count, layout, Notebook(notes.file))
    rest = sheet.take(~total)
    if values is None:
        return rest  # the faults are reported when the column is read
    single = ~total & ~_without_size(sheet.column(layout.size))
    if layout.totals != "left out" and values[total].sum() != values[single].sum():
        places, count = sheet.places(total)
        notes.fault(
            "total-row",
            "the rows for all sizes are not the sums of the rows for single sizes",
            'Add the missing sizes, or set totals = "left out".',
            places=places,
            count=count,
            choices=TOTALS_CHOICES,
        )
    else:
        n_rows = int(total.sum())
        were = by_number(n_rows, "was", "were")
        notes.repair("totals", f"{counted(n_rows, 'row')} for all sizes together {were} left out")
    return rest


def _blank_totals(sheet: Sheet, layout: Layout, notes: Notebook) -> BoolArray:
    """Return True for rows without a size that hold the sums of those with sizes in words."""
    text = sheet.column(layout.size)
    blank = as_mask(pc.equal(text, ""))
    none = np.zeros(len(text), dtype=np.bool_)
    if not blank.any() or blank.all():
        return none
    sizes = sizes_in(pc.unique(text.filter(pa.array(~blank))).to_pylist())
    values = whole_column(sheet, layout.count, layout, Notebook(notes.file))
    if None in sizes or values is None or values[blank].sum() != values[~blank].sum():
        return none
    return blank


def _report_blank_sizes(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report rows without a size, or with a mark for it, as an error; return whether any are."""
    text = sheet.column(layout.size)
    blank = as_mask(pc.match_substring_regex(text, f"^({MISSING})?$"))
    if not blank.any():
        return False
    places, count = sheet.places(blank, layout.size)
    cells = pc.unique(text.filter(pa.array(blank))).to_pylist()
    notes.fault(
        "blank-size",
        "a row has no size of a group",
        "Enter the size, or leave out these rows, which may be totals.",
        places=places,
        count=count,
        choices=(
            Choice(
                words=f"Rows without a size in column {shown_code(layout.size)} are left out",
                stated={"leave_out": tuple(f"{layout.size}={cell}" for cell in cells)},
            ),
        ),
    )
    return True


def _total_sizes(text: Text) -> BoolArray:
    """Return True where a cell names a total and not a size, shape (n_rows,)."""
    encoded = text.dictionary_encode()
    named = [
        size_in(cell) is None and bool(region_of_total(plain_name(cell)))
        for cell in encoded.dictionary.to_pylist()
    ]
    indices = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return called_total(text) | np.array(named, dtype=np.bool_)[indices]


def _without_size(text: Text) -> BoolArray:
    """Return True where a cell is not a size although others are sizes in words, shape (n_rows,).

    An example is "Number of persons in households" below "1 person" and "2 or more persons".
    """
    encoded = text.dictionary_encode()
    cells = encoded.dictionary.to_pylist()
    sizes = sizes_in(cells)
    worded = sum(size is not None and (size[1] or size[2]) for size in sizes)
    none = np.array(
        [size is None and cell != "" for size, cell in zip(sizes, cells, strict=True)], np.bool_
    )
    if worded < _MIN_WORDED or none.sum() > _MAX_OTHERS:
        return np.zeros(len(text), dtype=np.bool_)
    indices = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return np.asarray(none[indices], dtype=np.bool_)


def _report_other_cells(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report cells that are not sizes among sizes in words as an error; return whether any are."""
    text = sheet.column(layout.size)
    other = _without_size(text)
    if not other.any():
        return False
    cells = pc.unique(text.filter(pa.array(other))).to_pylist()
    places, count = sheet.places(other, layout.size)
    shown = shown_codes(cells, shown=_SHOWN)
    notes.fault(
        "not-a-size",
        f"a cell in column {shown_code(layout.size)} is not a size of a group ({shown})",
        "Leave these rows out with leave_out, or write their size.",
        places=places,
        count=count,
        choices=(
            Choice(
                words=f"Rows with {shown} in column {shown_code(layout.size)} are left out",
                stated={"leave_out": tuple(f"{layout.size}={cell}" for cell in cells)},
            ),
        ),
    )
    return True


def _sizes(sheet: Sheet, layout: Layout, notes: Notebook) -> IntArray | None:
    """Return the sizes of the rows, shape (n_rows,); texts such as "2 persons" are understood."""
    text = sheet.column(layout.size)
    cells = pc.unique(text).to_pylist()
    if _report_blank_sizes(sheet, layout, notes):
        return None
    by_shape = sizes_by_shape(cells) is not None
    if not by_shape and _report_other_cells(sheet, layout, notes):
        return None
    encoded = text.dictionary_encode()
    cells = encoded.dictionary.to_pylist()
    worded = sizes_in(cells)
    if None in worded and (shape := sizes_by_shape(cells)) is not None:
        last = max(shape.sizes.values())
        worded = [
            (size, shape.top_coded and size == last, True)
            for size in (shape.sizes[cell] for cell in cells)
        ]
    if not all(cell.isdigit() for cell in cells) and all(size is not None for size in worded):
        known = [size for size in worded if size is not None]
        more = [cell for cell, size in zip(cells, known, strict=True) if size[1]]
        if more:
            notes.note("top-coded", f"size {shown_code(more[0])} means this size and larger ones")
        codes = pa.array([str(size[0]) for size in known], pa.string())
        sheet = sheet.with_column(layout.size, codes.take(encoded.indices))
    return whole_numbers(sheet, layout.size, notes)


def _blank_groups(sheet: Sheet, layout: Layout, notes: Notebook) -> None:
    blank = as_mask(pc.equal(sheet.column(layout.group), ""))
    if blank.any() and sheet.weights is not None:
        n_persons = int(sheet.weights[blank].sum())
        notes.fault(
            "blank-group",
            f"{counted(n_persons, 'person')} {by_number(n_persons, 'has', 'have')} no group in "
            f"column {shown_code(layout.group)}",
            "Enter their group, or leave these persons out.",
            choices=missing_group_choices(layout.group),
        )


def _of_sizes(
    places: Places | None, sizes: IntArray, groups: IntArray, layout: Layout, notes: Notebook
) -> Table | None:
    if places is None or notes.faulty or not total_fits(groups, notes):
        return None
    sizes, top_coded = _capped(sizes, groups, layout, notes)
    # A stated maximum fixes the shape of the table, whatever the largest group is.
    largest = layout.largest or max(int(sizes.max()), 1)
    if not _cells_fit(places, largest, notes):
        return None
    n_leaves = places.regions.tree.n_leaves
    table = np.zeros((n_leaves, largest + 1), dtype=np.int64)
    np.add.at(table, (places.leaf, sizes), groups)
    if layout.row == "region":
        check_hidden_totals(places.regions, table.sum(axis=1), layout, notes)
    if notes.faulty:
        return None
    return GroupSizes.from_leaves(
        places.regions, table, top_coded=top_coded, **_group_words(layout)
    )


def _capped(
    sizes: IntArray, groups: IntArray, layout: Layout, notes: Notebook
) -> tuple[IntArray, bool]:
    """Return sizes of at most the stated maximum, and whether the last includes larger groups."""
    if not layout.largest:
        return sizes, layout.top_coded
    above = int(groups[sizes > layout.largest].sum())
    if above:
        were = by_number(above, "was counted as a group", "were counted as groups")
        notes.repair(
            "largest",
            f"{counted(above, 'group')} larger than {layout.largest:,} {were} of "
            f"{layout.largest:,}",
        )
    return np.minimum(sizes, layout.largest), True


def _cells_fit(places: Places, largest: int, notes: Notebook) -> bool:
    if places.regions.tree.n_nodes * (largest + 1) <= _MOST_CELLS:
        return True
    most = max(_MOST_CELLS // places.regions.tree.n_nodes - 1, 1)
    notes.fault(
        "large-size",
        f"group sizes go up to {largest:,}, which is too many for "
        f"{places.regions.tree.n_nodes:,} areas",
        f"Set a maximum: largest = {min(most, 1000)} counts larger groups as groups of that size.",
        choices=[
            Choice(words=f"Count larger groups as groups of {n:,}", stated={"largest": n})
            for n in dict.fromkeys((min(most, 1000), min(most, 20)))
        ],
    )
    return False


def _group_words(layout: Layout) -> dict[str, Any]:
    return stated_words(
        group=layout.groups,
        occupied=layout.occupied,
        person=layout.person,
        people=layout.people,
    )


def _columns_of_sizes(
    sheet: Sheet, layout: Layout, notes: Notebook, regions: RegionList | None
) -> Table | None:
    sheet = with_certain_zeros(sheet, layout.sizes, layout, notes)
    apart = separate_grand_totals(sheet, layout, notes)
    if apart is None:
        return None
    sheet = apart.sheet
    places = places_of(sheet, layout, notes, regions=regions)
    columns = [whole_column(sheet, name, layout, notes) for name in layout.sizes]
    known_columns = [column for column in columns if column is not None]
    if places is None or len(known_columns) < len(columns) or notes.faulty:
        return None
    values = np.column_stack(known_columns)
    if n_bands := bands_among(layout.sizes):
        values, layout = _one_open_class(values, n_bands, layout, notes)
        apart = replace(apart, totals=_added_last(apart.totals, n_bands))
    n_sizes = values.shape[1]
    if not layout.add_up:
        report_duplicate_regions(sheet, places, layout, notes)
    if not total_fits(values.ravel(), notes) or not _cells_fit(
        places, layout.first_size + n_sizes, notes
    ):
        return None
    tree, own = places.regions.tree, places.leaf >= 0
    leaves = np.zeros((tree.n_leaves, layout.first_size + n_sizes), dtype=np.int64)
    np.add.at(leaves[:, layout.first_size :], places.leaf[own], values[own])
    if layout.totals != "left out":
        _check_size_totals(sheet, places, values, leaves[:, layout.first_size :], notes)
    check_grand_totals(apart, leaves[:, layout.first_size :].sum(axis=0), layout, notes)
    check_hidden_totals(places.regions, leaves.sum(axis=1), layout, notes)
    check_nested_sums(sheet, values, own, layout, notes)
    check_rows_beside_sums(sheet, values, layout, notes)
    if not notes.faulty:
        check_equal_kinds(sheet, values, own, layout, notes)
    if notes.faulty:
        return None
    return GroupSizes.from_leaves(
        places.regions, leaves, top_coded=layout.top_coded, **_group_words(layout)
    )


def _added_last(values: IntArray, n_last: int) -> IntArray:
    """Return the columns with the sum of the last ones in place of these."""
    if values.shape[1] <= n_last:
        return values
    return np.column_stack([values[:, :-n_last], values[:, -n_last:].sum(axis=1)])


def _one_open_class(
    values: IntArray, n_bands: int, layout: Layout, notes: Notebook
) -> tuple[IntArray, Layout]:
    """Return the numbers with one open class in place of the columns of bands such as 7-10."""
    merged = _added_last(values, n_bands)
    first = layout.first_size + merged.shape[1] - 1
    shown = shown_codes(layout.sizes[-n_bands:], shown=_MAX_OTHERS)
    was = by_number(n_bands, "was", "were added up and")
    notes.repair("bands", f"{shown} {was} read as groups of {first} or more")
    return merged, replace(layout, top_coded=True)


def _check_size_totals(
    sheet: Sheet, places: Places, values: IntArray, leaves: IntArray, notes: Notebook
) -> None:
    upper = places.leaf < 0
    if not upper.any():
        return
    sums = sum_up(places.regions.tree, leaves)
    wrong: BoolArray = upper & (sums[places.node] != values).any(axis=1)
    what = "the numbers of an area are not the sums of its sub-areas"
    more = exceeds_rounding(sums[places.node].sum(axis=1), values.sum(axis=1))
    compare_totals(sheet, places, upper, wrong, notes, what=what, more=more)
