"""Flows from a sheet and its layout, with origins and destinations in one hierarchy."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.build.grouping import grouped_rows
from hierdp_core.readers.build.layout_parts import (
    add_up_rows,
    counts_records,
    key_columns,
    total_fits,
    units_of,
    whole_column,
)
from hierdp_core.readers.build.mixed_rows import check_same_numbers
from hierdp_core.readers.build.region_codes import Places, report_blank_regions
from hierdp_core.readers.build.region_list import RegionList
from hierdp_core.readers.build.regions_from_columns import places_of
from hierdp_core.readers.build.regions_from_levels import report_blank_levels
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.flow_totals import (
    flow_totals_of,
    leave_out_choices,
    sums_in_words,
)
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.named_ends import end_in, without_shared_ending
from hierdp_core.readers.columns.question import ADD_UP_CHOICES, Choice
from hierdp_core.readers.columns.vocabulary import DESTINATION, ORIGIN
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.tables import Flows, Table
from hierdp_core.util.arrays import IntArray

_PAIRS_BY_CHANCE = 6  # pairs; fewer may have equal flows in both directions by chance
_MOSTLY_WITHIN = 0.9  # proportion of flows that are probably of people who did not move
_NUMBERS_BY_CHANCE = 4  # different numbers; flows of 1 are equal by chance


def flows_of(
    sheet: Sheet, layout: Layout, notes: Notebook, regions: RegionList | None = None
) -> Table | None:
    """Return the flows between leaves; None where there are faults, which are reported."""
    trips: IntArray | None
    if not counts_records(layout) and check_same_numbers(sheet, layout, notes):
        return None
    if sheet.weights is None:
        for columns in (layout.levels, layout.destinations):
            _report_missing_ends(sheet, columns, notes, records=counts_records(layout))
        if notes.faulty:
            return None
    if counts_records(layout):
        sheet = grouped_rows(sheet, key_columns(layout))
        trips = sheet.weights
    elif layout.add_up and layout.times:
        # As for counts, the sums are rounded, and not the rows.
        summed = add_up_rows(sheet, layout, notes)
        if summed is None:
            return None
        sheet, layout = summed
        trips = whole_column(sheet, layout.count, layout, notes)
    else:
        trips = whole_column(sheet, layout.count, layout, notes)
    sheet = _with_equal_widths(sheet, layout, notes)
    sheet = _without_words_for_ends(sheet, layout, notes)
    if not (layout.prefix or layout.parent or layout.outline) and regions is None:
        for columns in (layout.levels, layout.destinations):
            filled = [as_mask(pc.not_equal(sheet.column(name), "")) for name in columns]
            report_blank_levels(sheet, columns, filled, notes, records=True)
        if notes.faulty:
            _add_other_ends(layout, notes)
            return None
    ends, ends_layout = _ends(sheet, layout), _ends_layout(layout)
    if regions is None:
        ends, ends_layout = _with_names(ends, ends_layout, sheet, layout)
    places = places_of(ends, ends_layout, notes, records=True, regions=regions)
    _add_other_ends(layout, notes)
    if places is None or trips is None or notes.faulty or not total_fits(trips, notes):
        return None
    half = sheet.n_rows
    origin, destination = places.leaf[:half], places.leaf[half:]
    if not counts_records(layout) and not layout.add_up:
        _report_duplicate_pairs(sheet, places, origin, destination, notes)
    if not counts_records(layout) and not notes.faulty:
        _report_totals(sheet, layout, trips, notes)
    if notes.faulty:
        return None
    if not counts_records(layout) and _same_in_both_directions(origin, destination, trips):
        notes.note(
            "both-directions",
            "every flow is as large as the flow in the opposite direction",
            "If these numbers count both directions together, they are counted twice. Remove one "
            "of the two rows of each pair.",
        )
    within = int(trips[origin == destination].sum())
    if not counts_records(layout) and within >= _MOSTLY_WITHIN * int(trips.sum()) > 0:
        notes.note(
            "within-areas",
            f"{within / int(trips.sum()):.0%} of all flows start and end in the same area",
            "If these are people who did not move, leave out their rows.",
        )
    words = units_of(layout)
    return Flows.from_pairs(places.regions, places.regions, origin, destination, trips, **words)


def _same_in_both_directions(origin: IntArray, destination: IntArray, trips: IntArray) -> bool:
    """Return whether all pairs have equal flows in both directions, which is not by chance.

    Args:
        origin, destination: the leaves of each row, shape (n_rows,).
        trips: the number of each row, shape (n_rows,).
    """
    forward, back = origin < destination, origin > destination
    n_pairs = int(forward.sum())
    if n_pairs < _PAIRS_BY_CHANCE or n_pairs != int(back.sum()):
        return False
    there = np.lexsort((destination[forward], origin[forward]))
    home = np.lexsort((origin[back], destination[back]))
    same = (
        (origin[forward][there] == destination[back][home])
        & (destination[forward][there] == origin[back][home])
        & (trips[forward][there] == trips[back][home])
    )
    return bool(same.all()) and len(np.unique(trips[forward])) >= _NUMBERS_BY_CHANCE


def _add_other_ends(layout: Layout, notes: Notebook) -> None:
    """Give answers with fewer levels at one end the same levels at the other.

    Rows of one pair of regions are then added up.
    """
    rows = {} if counts_records(layout) else {"add_up": True}
    notes.findings[:] = [
        replace(
            finding,
            choices=tuple(_with_both_ends(choice, layout, rows) for choice in finding.choices),
        )
        for finding in notes.findings
    ]


def _with_both_ends(choice: Choice, layout: Layout, rows: Mapping[str, bool]) -> Choice:
    levels = choice.stated.get("levels", ())
    if not levels or "destinations" in choice.stated:
        return choice
    for own in (layout.levels, layout.destinations):
        if {*levels} <= {*own}:
            kept = [own.index(name) for name in levels]
            ends = {
                "kind": "flows",
                "levels": tuple(layout.levels[k] for k in kept),
                "destinations": tuple(layout.destinations[k] for k in kept),
            }
            return replace(choice, stated={**choice.stated, **ends, **rows})
    return choice


def _report_totals(sheet: Sheet, layout: Layout, trips: IntArray, notes: Notebook) -> None:
    """Report origins or destinations whose flows are the sums of others as an error."""
    origin, destination = layout.levels[-1], layout.destinations[-1]
    if layout.totals == "none":
        return
    if len(layout.levels) > 1 and not SheetFacts(sheet, sample=False).one_row_each(
        [origin, destination]
    ):
        return  # a code of the last level stands for several regions
    sums = flow_totals_of(sheet, origin, destination, trips)
    if sums:
        notes.fault(
            "flow-totals",
            sums_in_words(sums),
            "Leave the rows of these totals out with leave_out.",
            choices=leave_out_choices(origin, destination, sums),
        )


def _report_missing_ends(
    sheet: Sheet, columns: Sequence[str], notes: Notebook, *, records: bool
) -> None:
    """Report the rows without an origin or a destination as errors."""
    blank = np.ones(sheet.n_rows, dtype=np.bool_)
    for name in columns:
        blank &= as_mask(pc.equal(sheet.column(name), ""))
    if blank.any():
        report_blank_regions(sheet, blank, columns[0], notes, records=records)


def _with_equal_widths(sheet: Sheet, layout: Layout, notes: Notebook) -> Sheet:
    """Return the sheet with leading zeros in codes of the end that has fewer digits.

    Origins and destinations are regions of one list, so 33 becomes 033 where the others have 3.
    """
    for names in zip(layout.levels, layout.destinations, strict=True):
        short, long = sorted(names, key=lambda name: _width(sheet.column(name)))
        width = _width(sheet.column(long))
        if not 0 < _width(sheet.column(short)) < width:
            continue
        text = sheet.column(short)
        filled = pc.if_else(pc.equal(text, ""), "", pc.utf8_lpad(text, width, padding="0"))
        shared = pc.is_in(pc.unique(filled), value_set=sheet.column(long))
        if as_mask(shared).any():
            notes.repair(
                "zeros",
                f"leading zeros were added to codes of column {shown_code(short)}, which have "
                f"{width} digits in column {shown_code(long)}",
            )
            sheet = sheet.with_column(short, filled)
    return sheet


def _without_words_for_ends(sheet: Sheet, layout: Layout, notes: Notebook) -> Sheet:
    """Return the sheet with names of regions without the words for an end of the flows.

    "Quebec, province of origin" and "Quebec, province of destination" are one region.
    """
    for pair in zip(layout.levels, layout.destinations, strict=True):
        listed = [[name for name in pc.unique(sheet.column(n)).to_pylist() if name] for n in pair]
        bare = [without_shared_ending(names) for names in listed]
        if set(listed[0]) & set(listed[1]) or not set(bare[0]) & set(bare[1]):
            continue
        for column, names, short in zip(pair, listed, bare, strict=True):
            places = pc.index_in(sheet.column(column), value_set=pa.array(names, pa.string()))
            renamed = pc.fill_null(pa.array(short, pa.string()).take(places), "")
            sheet = sheet.with_column(column, renamed)
        notes.repair(
            "ends-of-names",
            f"words at the end of all names of columns {shown_code(pair[0])} and "
            f"{shown_code(pair[1])} were left out, because the names are equal without them",
        )
    return sheet


def _width(codes: Text) -> int:
    """Return the number of digits of all codes; 0 where it differs, or codes are not digits."""
    filled = pc.unique(codes.filter(pc.not_equal(codes, "")))
    lengths = pc.unique(pc.utf8_length(filled)).to_pylist()
    digits = pc.all(pc.match_substring_regex(filled, "^[0-9]+$")).as_py()
    return int(lengths[0]) if digits and len(lengths) == 1 else 0


def _ends(sheet: Sheet, layout: Layout) -> Sheet:
    """Return a sheet with the origins of all rows, then their destinations, of 2 × n_rows rows."""
    pairs = zip(layout.levels, layout.destinations, strict=True)
    return Sheet(
        file=sheet.file,
        names=layout.levels,
        columns=tuple(
            pa.concat_arrays([sheet.column(origin), sheet.column(destination)])
            for origin, destination in pairs
        ),
        rows=None if sheet.rows is None else np.concatenate([sheet.rows, sheet.rows]),
    )


def _with_names(
    ends: Sheet, ends_layout: Layout, sheet: Sheet, layout: Layout
) -> tuple[Sheet, Layout]:
    """Return the ends with a column of names for each level that has one at both ends.

    A region that is named at only one end gets the same name at the other. Where codes begin with
    the code above, whole codes have names, and their beginnings have none.
    """
    n_levels = len(layout.levels)
    if len(layout.names) != 2 * n_levels or (layout.prefix and n_levels > 1):
        return ends, ends_layout
    names: list[str] = []
    for k, (one, other) in enumerate(
        zip(layout.names[:n_levels], layout.names[n_levels:], strict=True)
    ):
        codes = ends.column(layout.levels[k])
        names_of_ends = pa.concat_arrays(
            [
                _names_at(sheet, one, layout.levels[k]),
                _names_at(sheet, other, layout.destinations[k]),
            ]
        )
        names.append(f"name of level {k + 1}")
        ends = ends.with_column(names[-1], _filled_by_code(codes, names_of_ends))
    return ends, replace(ends_layout, names=tuple(names))


def _names_at(sheet: Sheet, name: str, code: str) -> Text:
    """Return a column of names, blank where only codes are there, shape (n_rows,)."""
    column = sheet.column(code)
    return pa.array([""] * len(column), pa.string()) if name in ("", code) else sheet.column(name)


def _filled_by_code(codes: Text, names: Text) -> Text:
    """Return the first name of each code in all of its rows, shape (n_rows,)."""
    encoded = codes.dictionary_encode()
    index = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    rows = np.flatnonzero(as_mask(pc.not_equal(names, "")))
    filled_codes, first = np.unique(index[rows], return_index=True)
    source = np.zeros(len(encoded.dictionary), dtype=np.int64)
    known = np.zeros(len(encoded.dictionary), dtype=np.bool_)
    source[filled_codes], known[filled_codes] = rows[first], True
    taken = names.take(pa.array(source[index]))
    return pc.if_else(pa.array(known[index]), taken, "")


def _ends_layout(layout: Layout) -> Layout:
    words: dict[str, Any] = {"names": (), "keep": (), "kind": "counts", "row": "person"}
    if not (layout.level_names or layout.prefix or layout.parent or layout.outline):
        words |= {"level_names": _names_of_levels(layout)}
    return layout.changed(words)


def _names_of_levels(layout: Layout) -> tuple[str, ...]:
    """Return the names of levels without "home" or "work", as for a layout that is inferred.

    Empty if a column has no such word, or the columns of a level differ in other words as well.
    """
    names = []
    for origin, destination in zip(layout.levels, layout.destinations, strict=True):
        start, end = end_in(origin, ORIGIN), end_in(destination, DESTINATION)
        if start is None or start != end:
            return ()
        names.append(start.replace("_", " ").strip())
    if len(names) == 1:
        return ("area",)
    return tuple(names) if all(names) and len(set(names)) == len(names) else ()


def _report_duplicate_pairs(
    sheet: Sheet, places: Places, origin: IntArray, destination: IntArray, notes: Notebook
) -> None:
    key = origin * places.regions.tree.n_leaves + destination
    _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    twice = counts[inverse] > 1
    if twice.any():
        positions, count = sheet.places(twice)
        notes.fault(
            "duplicate",
            "more than one row has the same origin and destination",
            "Remove the wrong rows. If such rows are to be added up, set add_up = true.",
            places=positions,
            count=count,
            choices=ADD_UP_CHOICES,
        )
