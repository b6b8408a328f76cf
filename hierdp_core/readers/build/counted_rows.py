"""The rows of a sheet that are counted, and reports on duplicates and totals."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy import sum_up
from hierdp_core.readers.build.counts_from_text import is_missing
from hierdp_core.readers.build.layout_parts import (
    counts_records,
    whole_column,
)
from hierdp_core.readers.build.region_codes import Places
from hierdp_core.readers.build.totals import SeparatedTotals, blank_total_codes
from hierdp_core.readers.build.totals_report import (
    report_agreeing_totals,
    report_near_total,
    report_omitted_share,
    report_omitted_totals,
    report_other_total,
    report_smaller_level,
)
from hierdp_core.readers.columns.count_rules import named_as_a_count
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.layout_words import values_of_columns
from hierdp_core.readers.columns.outline import INDENT, SUMS, names_counted_twice, row_parents
from hierdp_core.readers.columns.question import (
    ADD_UP_CHOICES,
    ONE_LEVEL_CHOICE,
    TOTALS_CHOICES,
    Choice,
    levels_in_words,
)
from hierdp_core.readers.columns.recurring_codes import may_hold_areas
from hierdp_core.readers.columns.sums import exceeds_rounding
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import Notebook, shown_code, shown_codes
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import by_number, counted, join_or

SHOWN = 5
_READ_AS_TOTAL = (
    "a row with a blank cell is read as the total of its area, and is not the sum of its sub-areas"
)
_ONE_OF_EQUAL_ROWS = (
    "The rows of most of these areas have the same number, so adding them up would count people "
    "several times. Keep one row of each."
)
_ONE_ROW_OF_UPPER_AREAS = (
    "Rows of upper areas are not added up. Leave out all but one row of each with leave_out or "
    'keep, or all of them with totals = "left out".'
)
_ONE_ROW_OF_AN_AREA = "Remove the wrong rows. If they are parts of the area, set add_up = true."
_LEAST_REPEATED = 3  # regions below which a code comes that may not be part of them
_MOST_REPEATED = 8
_MOST_TWICE = 3
_MAX_FURTHER = 2  # columns that are offered as a further level
_MIN_COPIED = 2  # regions whose rows are equal by no chance


def kept_rows(sheet: Sheet, layout: Layout, notes: Notebook) -> Sheet:
    """Return the rows that the layout reads; an error is reported where none is left.

    In confidential data, no row may be left: a single record could decide whether one is.
    """
    has_rows, is_empty = sheet.n_rows > 0, notes.confidential
    for column, values in values_of_columns(layout.kept).items():
        chosen = as_mask(pc.is_in(sheet.column(column), value_set=pa.array(values, pa.string())))
        shown = join_or([shown_code(value) for value in values])
        if not chosen.any() and not notes.confidential:
            is_empty = True
            notes.fault(
                "no-rows", f"no row has {shown} in column {shown_code(column)}",
                "Correct the value in keep.",
            )  # fmt: skip
        report_smaller_level(sheet, chosen, column, layout.count, notes)
        _report_lost_areas(sheet, chosen, column, layout, notes)
        sheet = _without(
            sheet, ~chosen, notes,
            f"with a value other than {shown} in column {shown_code(column)}",
        )  # fmt: skip
    whole = sheet
    for column, value in layout.dropped:
        excluded = as_mask(pc.equal(sheet.column(column), value))
        words = f"with {shown_code(value)} in column {shown_code(column)}"
        if has_rows and not notes.confidential:
            _note_without_effect(whole, column, value, notes)
        sheet = _without(sheet, excluded, notes, words)
    if layout.dropped and layout.count and not counts_records(layout):
        report_near_total(whole, sheet, layout.count, notes)
        by_region = all(column in layout.levels for column, _ in layout.dropped)
        report_omitted_share(whole, sheet, layout.count, notes, by_region=by_region)
    if layout.missing == "left out":
        for name in filter(None, (layout.count, *layout.parts, *layout.sizes)):
            missing = is_missing(sheet.column(name), brackets=layout.brackets)
            missing &= ~_headings(sheet, layout)
            sheet = _without(
                sheet, missing, notes, f"without a number in column {shown_code(name)}"
            )
    if has_rows and not sheet.n_rows and not is_empty:
        notes.fault(
            "no-rows",
            "all rows are left out",
            "Change keep, leave_out or missing so that some rows remain.",
        )
    return sheet


def _report_lost_areas(
    sheet: Sheet, chosen: BoolArray, column: str, layout: Layout, notes: Notebook
) -> None:
    """Note which areas have no row that is read, while most of the others have further rows.

    If areas have rows of one kind only, the condition chooses areas on purpose.
    """
    leaf = layout.levels[-1] if layout.levels and not layout.destinations else ""
    if not leaf or leaf == column or not chosen.any() or notes.confidential:
        return
    if ColumnFacts(column, sheet.column(column)).level_of_row or counts_records(layout):
        return
    key = SheetFacts(sheet, sample=False).key([n for n in layout.levels if sheet.has(n)])
    n_read = np.bincount(key[chosen], minlength=int(key.max()) + 1)
    n_rows = np.bincount(key)
    further = (n_read > 0) & (n_rows > n_read)
    lost = np.flatnonzero(n_read == 0)
    if not len(lost) or 2 * further.sum() <= (n_read > 0).sum():
        return
    first = np.unique(key, return_index=True)[1]
    names = sheet.column(leaf).take(pa.array(first[lost])).to_pylist()
    kept = join_or([shown_code(v) for v in values_of_columns(layout.kept)[column]])
    notes.note(
        "areas-without-row",
        f"{len(lost):,} of {counted(len(n_rows), 'area')} of column {shown_code(leaf)} "
        f"{by_number(len(lost), 'has', 'have')} no row with {kept} in column "
        f"{shown_code(column)}, so {by_number(len(lost), 'it is', 'they are')} not in the table: "
        f"{shown_codes(names, shown=SHOWN)}",
    )


def _note_without_effect(sheet: Sheet, column: str, value: str, notes: Notebook) -> None:
    """Note that no row has the value of a condition in `leave_out`."""
    if not as_mask(pc.equal(sheet.column(column), value)).any():
        notes.note(
            "nothing-left-out",
            f"no row has {shown_code(value)} in column {shown_code(column)}, so leave_out has no "
            "effect there",
            "Correct the value in leave_out, or remove it.",
        )


def _headings(sheet: Sheet, layout: Layout) -> BoolArray:
    """Return True for rows with indented rows below, whose count may be blank, shape (n_rows,)."""
    above = np.zeros(sheet.n_rows, dtype=np.bool_)
    if layout.outline == INDENT:
        values = np.zeros((sheet.n_rows, 1), dtype=np.int64)
        parent = row_parents(sheet, INDENT, (layout.levels[0], *layout.names), values)
        if parent is not None:
            above[parent[parent >= 0]] = True
    return above


def _without(sheet: Sheet, excluded: BoolArray, notes: Notebook, words: str) -> Sheet:
    if not excluded.any():
        return sheet
    n_rows = int(excluded.sum())
    were = by_number(n_rows, "was", "were")
    notes.repair("rows-left-out", f"{counted(n_rows, 'row')} {words} {were} left out")
    return sheet.take(~excluded)


def fill_blank_totals(
    sheet: Sheet, layout: Layout, places: Places | None
) -> tuple[Sheet, BoolArray]:
    """Return the sheet with 0 for blank totals of regions with children, and a mask of them.

    The mask has shape (n_rows,).
    """
    text = sheet.column(layout.count)
    if places is None:
        return sheet, np.zeros(sheet.n_rows, dtype=np.bool_)
    blank_total = (places.leaf < 0) & as_mask(pc.equal(text, ""))
    if blank_total.any():
        sheet = sheet.with_column(layout.count, pc.if_else(pa.array(blank_total), "0", text))
    return sheet, blank_total


def report_duplicate_regions(
    sheet: Sheet, places: Places, layout: Layout, notes: Notebook, *, added: bool = False
) -> None:
    """Report regions with several rows. If rows were `added` up, only upper ones can have them."""
    node = places.node
    several = np.bincount(node)[node] > 1
    if layout.totals == "left out":
        several &= places.leaf >= 0
    totals = bool(several.any()) and not (several & (places.leaf >= 0)).any()
    copied = not added and _are_copies(sheet, node, several, layout)
    fault_of_rows(
        sheet,
        places,
        several,
        notes,
        kind="duplicate",
        what="an area has more than one row",
        remedy=_ONE_OF_EQUAL_ROWS
        if copied
        else _ONE_ROW_OF_UPPER_AREAS
        if added or totals
        else _ONE_ROW_OF_AN_AREA,
        choices=TOTALS_CHOICES
        if totals
        else ()
        if added or copied
        else (*_further_levels(sheet, layout), *ADD_UP_CHOICES),
    )


def _further_levels(sheet: Sheet, layout: Layout) -> list[Choice]:
    """Return the answers that a column whose codes tell apart the rows of an area is a level."""
    if not layout.levels or layout.prefix or layout.names or layout.parent or layout.outline:
        return []
    facts = SheetFacts(sheet, sample=False)
    found = [
        name
        for name in sheet.names
        if name not in layout.columns
        and (facts[name].coded or may_hold_areas(facts, name))
        and facts[name].distinct_filled == facts[name].distinct
        and not (facts[name].years or facts[name].counts_rows or facts[name].fractions)
        and named_as_a_count(facts[name]) <= 0
        and facts.one_row_each([*layout.levels, name])
    ]
    paths = [(*layout.levels, name) for name in found[:_MAX_FURTHER]]
    return [
        Choice(words=levels_in_words(path, within=True), stated={"levels": path, "within": True})
        for path in paths
    ]


def _are_copies(sheet: Sheet, node: IntArray, several: BoolArray, layout: Layout) -> bool:
    """Return whether most regions with several rows have the same numbers in all of them."""
    if not several.any() or sheet.weights is not None:
        return False
    names = layout.sizes or layout.parts or ((layout.count,) if layout.count else sheet.names)
    cells = [sheet.column(n).filter(pa.array(several)).dictionary_encode() for n in names]
    index = [np.asarray(c.indices.to_numpy(zero_copy_only=False), dtype=np.int64) for c in cells]
    _, region = np.unique(node[several], return_inverse=True)
    pairs = np.unique(np.stack([region, *index], axis=1), axis=0)
    copied = np.bincount(pairs[:, 0]) == 1
    numbers = np.unique(pairs[copied[pairs[:, 0]], 1:], axis=0)  # equal numbers may be chance
    n_copied = int(copied.sum())
    return n_copied >= _MIN_COPIED and 2 * n_copied >= len(copied) and 2 * len(numbers) > n_copied


def fault_of_rows(
    sheet: Sheet,
    places: Places,
    wrong: BoolArray,
    notes: Notebook,
    *,
    kind: str,
    what: str,
    remedy: str,
    choices: tuple[Choice, ...],
    columns: Mapping[int, str] | None = None,
) -> None:
    """Report an error of the rows that are `wrong`, if any, with the first of them.

    Args:
        sheet, places: the rows, and the region of each.
        wrong: True for rows with the error, shape (n_rows,).
        notes: receives the error.
        kind, what, remedy, choices: the id, text, remedy and choices of the error.
        columns: the column of the cell at fault, for rows of which it is known.
    """
    if not wrong.any():
        return
    rows, cell = np.flatnonzero(wrong)[:SHOWN], columns or {}
    notes.fault(
        kind,
        what,
        remedy,
        places=[
            f"{sheet.place(r, *filter(None, [cell.get(r)]))}, "
            f"{named_region(places, int(places.node[r]))}"
            for r in rows.tolist()
        ],
        count=int(wrong.sum()),
        choices=choices,
    )


def compare_totals(
    sheet: Sheet,
    places: Places,
    totals: BoolArray,
    wrong: BoolArray,
    notes: Notebook,
    *,
    what: str,
    more: BoolArray,
    twice: tuple[Choice, ...] = (),
    outline: str = "",
    blank: Mapping[int, str] | None = None,
    named: Sequence[str] = (),
) -> None:
    """Report that rows of totals agree with their parts, or an error for those that are `wrong`.

    Args:
        sheet, places: the rows, and the region of each.
        totals, wrong: True for totals, and for totals that do not agree, shape (n_rows,).
        notes: receives the finding.
        what: the text of the error.
        more: True where the parts of a region exceed its total by more than rounding explains, so
            that some are counted twice and totals cannot be left out, shape (n_rows,).
        twice: the answer that leaves out rows without which all totals agree.
        outline: how upper levels are recognised among the rows; empty where they are not.
        blank: for rows that are totals only because a cell is blank in the file, its column.
        named: words for totals that may be the names of areas instead.
    """
    choices = twice or (() if (wrong & more).any() else TOTALS_CHOICES)
    if outline == SUMS:
        choices = (*choices, ONE_LEVEL_CHOICE)
    if named:
        words = f"No row is a total, and {shown_codes(named, shown=SHOWN)} is the name of an area"
        choices = (Choice(words=words, stated={"totals": "none"}), *choices)
    if not wrong.any():
        report_agreeing_totals(int(totals.sum()), notes)
    remedy = (
        "Leave out the rows whose counts include those of other rows."
        if twice or (wrong & more).any()
        else 'Add the missing sub-areas, or set totals = "left out".'
    )
    has_blank = np.zeros(len(wrong), dtype=np.bool_)
    has_blank[list(blank or {})] = True
    filled = f"Fill in the blank cell. If the row is a total, {remedy[:1].lower()}{remedy[1:]}"
    for rows, text, how in (
        (wrong & has_blank, _READ_AS_TOTAL, filled),
        (wrong & ~has_blank, what, remedy),
    ):
        fault_of_rows(
            sheet,
            places,
            rows,
            notes,
            kind="total-differs",
            what=text,
            remedy=how,
            choices=choices,
            columns=blank,
        )


def _out(pairs: tuple[str, ...], layout: Layout) -> tuple[Choice, ...]:
    """Return the answer that leaves out some rows, with the levels of the table as they are.

    Without these rows, other levels might be recognised.
    """
    if not pairs:
        return ()
    levels: dict[str, Any] = {"levels": layout.levels}
    levels |= {"names": layout.names} if any(layout.names) else {}
    levels |= {"within": True} if layout.within else {}
    shown = shown_codes([pair.partition("=")[2] for pair in pairs], shown=SHOWN)
    words = f"Leave out the rows {shown}, without which the totals agree"
    return (Choice(words=words, stated={"leave_out": pairs} | levels),)


def codes_counted_twice(
    sheet: Sheet, places: Places, values: IntArray, wrong: BoolArray, layout: Layout
) -> tuple[str, ...]:
    """Return codes that repeat in most regions and without which all totals agree.

    Lists of regions contain such rows, for example "9998: places of one dwelling".

    Returns:
        The rows as "COLUMN=VALUE"; empty where no small set of codes explains the excess.
    """
    if layout.outline == INDENT:
        column = layout.levels[0]
        parent = row_parents(sheet, INDENT, (column, *layout.names), values[:, None])
        numbers = values[:, None].astype(np.float64)
        names = () if parent is None else names_counted_twice(sheet, column, parent, numbers)
        return tuple(f"{column}={name}" for name in names)
    if layout.prefix or layout.parent or layout.outline or len(layout.levels) < 2:
        return ()
    own = places.leaf >= 0
    column = sheet.column(layout.levels[-1])
    often = pc.value_counts(column.filter(pa.array(own))).to_pylist()
    repeated = [c["values"] for c in often if c["counts"] >= _LEAST_REPEATED and c["values"]]
    if not repeated or len(repeated) > _MOST_REPEATED:
        repeated = sorted(repeated)[-_MOST_REPEATED:]
    tree = places.regions.tree
    upper = (places.leaf < 0) & (tree.level_of[places.node] == tree.n_levels - 2)
    if not upper.any():
        return ()
    where = {code: as_mask(pc.equal(column, code)) for code in repeated}
    for size in range(1, min(len(repeated), _MOST_TWICE) + 1):
        for chosen in combinations(repeated, size):
            left = own & ~np.any([where[code] for code in chosen], axis=0)
            leaves = np.zeros(tree.n_leaves, dtype=np.int64)
            np.add.at(leaves, places.leaf[left], values[left])
            sums = sum_up(tree, leaves)
            if (sums[places.node[upper]] == values[upper]).all():
                return tuple(f"{layout.levels[-1]}={code}" for code in chosen)
    return ()


def named_region(places: Places, node: int) -> str:
    regions = places.regions
    level = regions.levels[int(regions.tree.level_of[node])]
    return f"{level} {shown_code(regions.ids[node])}"


def check_region_totals(
    sheet: Sheet,
    places: Places,
    values: IntArray,
    leaves: IntArray,
    blank_total: BoolArray,
    layout: Layout,
    notes: Notebook,
    *,
    source: Sheet,
) -> None:
    """Check that the counts of regions with children are the sums of these.

    `source` is the sheet before words for totals were replaced by blank cells.
    """
    upper = places.leaf < 0
    if counts_records(layout) or not (upper & ~blank_total).any():
        return
    upper &= ~blank_total
    sums = sum_up(places.regions.tree, leaves)
    wrong = upper & (sums[places.node] != values)
    what = "an area's count is not the sum of its sub-areas"
    codes = codes_counted_twice(sheet, places, values, wrong, layout) if wrong.any() else ()
    twice = _out(codes, layout)
    if layout.totals == "left out" and not twice:
        report_omitted_totals(int(upper.sum()), notes)
        _report_other_totals(sums, places, upper, values, notes)
        return
    more = exceeds_rounding(sums[places.node], values)
    compare_totals(sheet, places, upper, wrong, notes, what=what, twice=twice, more=more,
        outline=layout.outline, blank=_blank_cells(sheet, places, wrong, layout, source),
        named=()
        if notes.confidential
        else _named_as_totals(sheet, places, wrong & more, layout, source),
    )  # fmt: skip


def _report_other_totals(
    sums: IntArray, places: Places, upper: BoolArray, values: IntArray, notes: Notebook
) -> None:
    """Report that totals that were left out differ from the rows that are read, on one level."""
    levels = places.regions.tree.level_of[places.node[upper]]
    rows = np.flatnonzero(upper)[levels == levels.max()]
    report_other_total(
        int(sums[places.node[rows]].sum()), int(values[rows].sum()), len(places.leaf), notes
    )


def _blank_cells(
    sheet: Sheet, places: Places, wrong: BoolArray, layout: Layout, source: Sheet
) -> dict[int, str]:
    """Return the column of the first level below a row that is blank in the file, by row."""
    by_column = not (layout.prefix or layout.parent or layout.outline)
    if not by_column or sheet.rows is None or source.rows is None:
        return {}
    tree = places.regions.tree
    shift = tree.n_levels - len(layout.levels)
    position = {row: k for k, row in enumerate(source.rows.tolist())}
    found = {}
    for row in np.flatnonzero(wrong).tolist():
        below = int(tree.level_of[places.node[row]]) - shift + 1
        if 0 < below < len(layout.levels):
            name = layout.levels[below]
            if source.column(name)[position[int(sheet.rows[row])]].as_py() == "":
                found[row] = name
    return found


def _named_as_totals(
    sheet: Sheet, places: Places, wrong: BoolArray, layout: Layout, source: Sheet
) -> list[str]:
    """Return the word of the only row that is a total by its name and has too small a number."""
    blank = _blank_cells(sheet, places, wrong, layout, sheet)
    if wrong.sum() != 1 or [*blank.values()] != [layout.levels[-1]]:
        return []
    if sheet.rows is None or source.rows is None or layout.totals:
        return []
    row = int(np.flatnonzero(source.rows == sheet.rows[next(iter(blank))])[0])
    label = source.column(layout.levels[-1])[row].as_py()
    return [label] if label else []


def _codes_of_totals(whole: Sheet, blanked: Sheet, grand: BoolArray, layout: Layout) -> set[str]:
    """Return the codes of rows that are read as totals, which may be codes of regions.

    Args:
        whole, blanked: the sheet, and the sheet with blank codes for totals.
        grand: True for grand totals, shape (n_rows,).
        layout: what the columns mean.
    """
    if layout.destinations:
        return set()
    codes: set[str] = set()
    for level, name in enumerate(layout.levels):
        before = whole.column(name)
        total = as_mask(pc.equal(blanked.column(name), "")) | (grand if level == 0 else False)
        codes.update(pc.unique(before.filter(pa.array(total))).to_pylist())
    return codes - {""}


def separate_grand_totals(sheet: Sheet, layout: Layout, notes: Notebook) -> SeparatedTotals | None:
    """Return the rows and the grand totals separately; None where the totals have errors."""
    whole_sheet = sheet
    sheet, grand = blank_total_codes(sheet, layout, confidential=notes.confidential)
    notes.totals |= _codes_of_totals(whole_sheet, sheet, grand, layout)
    if not grand.any() or grand.all():
        return SeparatedTotals(sheet=sheet)
    places, _ = sheet.places(grand)
    names = layout.sizes or (layout.count,)
    # The totals are read with the other rows, which show how numbers are written.
    trial = Notebook(sheet.file, confidential=notes.confidential)
    whole = [whole_column(sheet, name, layout, trial) for name in names]
    if not trial.faulty:
        notes.findings += trial.findings
        for name, column in zip(names, whole, strict=True):
            sheet = sheet.with_column(name, pc.cast(pa.array(column), pa.string()))
    rows = sheet.take(grand)
    columns = [whole_column(rows, name, layout, notes) for name in names]
    if layout.totals != "left out" and any(column is None for column in columns):
        return None
    totals = [np.zeros(rows.n_rows, np.int64) if c is None else c for c in columns]
    return SeparatedTotals(
        sheet=sheet.take(~grand), places=tuple(places), totals=np.column_stack(totals)
    )
