"""One file as one table: reads the sheet, guesses the layout and builds the table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.build.group_size_tables import by_group
from hierdp_core.readers.build.grouping import batches_of, stream
from hierdp_core.readers.build.layout_parts import counts_records, key_columns, name_columns
from hierdp_core.readers.build.left_out_rows import require_no_area_left_out
from hierdp_core.readers.build.members import sizes_of_groups
from hierdp_core.readers.build.public_facts import with_public_facts
from hierdp_core.readers.build.region_list import RegionList
from hierdp_core.readers.build.tables import build
from hierdp_core.readers.columns.blocks import (
    filled_down,
    find_blocks,
    n_filled,
    with_rows_of_no_place,
    without_continuations,
)
from hierdp_core.readers.columns.code_names import coded_names, with_codes
from hierdp_core.readers.columns.directions import direction_of_a_corner
from hierdp_core.readers.columns.guess import guess
from hierdp_core.readers.columns.heading_rows import with_headings_in_column
from hierdp_core.readers.columns.joined_names import split_names
from hierdp_core.readers.columns.layout import RECORDS, Layout
from hierdp_core.readers.columns.matrix import (
    DESTINATIONS,
    ORIGINS,
    find_matrix,
    matrix_as_pairs,
)
from hierdp_core.readers.columns.question import COUNTS_CHOICE, NO_KIND, Guess, Question
from hierdp_core.readers.columns.size_blocks import added_blocks
from hierdp_core.readers.columns.subtotals import contradicted_fill, with_blocks_filled
from hierdp_core.readers.columns.turned import transposed
from hierdp_core.readers.columns.units import heading_with_units
from hierdp_core.readers.formats.column_numbers import without_column_numbers
from hierdp_core.readers.formats.labelled import require_known_labels
from hierdp_core.readers.formats.sheet import PREVIEW, Sheet, tidied
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import (
    CHOOSE,
    NESTED,
    UNCLEAR,
    Notebook,
    Report,
    Unreadable,
    shown_code,
    shown_codes,
)
from hierdp_core.readers.result import Reading
from hierdp_core.tables import Table
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.text import counted, paragraph

_MOST_FAULTY = 40  # rows with faults in a preview
_BYTES_OF_A_ROW = 16  # where a format does not know how many rows a file has


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The options of a reading: see `read_here`."""

    layout: Layout | None
    stated: Mapping[str, Any]
    regions: RegionList | None
    confidential: bool


def read_sheet(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the table as text; only its first rows if it is to be read as a stream.

    Raises:
        Unreadable: no table is recognised.
    """
    sheet = source.format.table_reader.read(source, notes, limits)
    return without_column_numbers(sheet, notes)


def read_table(
    source: Source,
    sheet: Sheet,
    notes: Notebook,
    options: ReadOptions,
    limits: Limits,
) -> Reading:
    if not notes.confidential:
        sheet = replace(sheet, heading=heading_with_units(sheet.heading, notes.left_out))
    rows_of_areas = sheet
    try:
        sheet, arranged = _arranged(sheet, options, notes)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return Reading(report=Report.of((), ()))
    guessed = guess(sheet, {**options.stated, **arranged})
    layout = options.layout or guessed.layout
    if guessed.caution:
        notes.note("caution", guessed.caution)
    for caution in guessed.cautions:
        notes.note("caution", caution)
    reading = Reading(
        report=Report.of((), ()),
        guesses=() if options.layout else guessed.reasons,
        question=None if options.layout else guessed.question,
        unused=() if options.layout else _unused(guessed, sheet),
        title=guessed.title,
        layout=layout,
        columns=sheet.names,
        preview=tuple(tuple(row) for row in sheet.preview()),
        preview_rows=_row_numbers(sheet, np.arange(min(sheet.n_rows, PREVIEW))),
    )
    if reading.question is not None:
        _ask(reading.question, notes)
        return reading
    if reading.unused:
        notes.note("unused", _unused_words(reading))
    if layout is None:
        notes.fault(
            "no-layout", guessed.missing or "it is not clear what its columns mean",
            "State what the columns mean with --column, or with “Change column settings” on the "
            "page Your data." if not guessed.missing else "",
            choices=(COUNTS_CHOICE,) if options.stated.get("kind") == NO_KIND else (),
        )  # fmt: skip
        return reading
    if (
        notes.confidential
        and counts_records(layout)
        and any(f.id == NESTED for f in notes.findings)
    ):
        notes.fault(
            NESTED,
            "records are within other records, so one record may be counted several times",
            "Leave out the lists within records, or save the records of one kind in a file of "
            "their own.",
        )
        return reading
    try:
        table = _table(source, sheet, layout, options.regions, notes, limits)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return _with_faulty_rows(reading, sheet, notes)
    reading = _with_faulty_rows(reading, sheet, notes)
    if table is not None and not table.values.any():
        notes.note(
            "caution",
            "all numbers of the table are 0, so nothing is counted in it. Check which columns and "
            "rows are read",
        )
    if table is not None and notes.confidential:
        require_known_labels(layout, notes)
    if table is not None and options.regions is not None:
        require_no_area_left_out(rows_of_areas, layout, options.regions, notes)
    if table is not None:
        table = with_public_facts(
            table,
            layout,
            notes,
            guessed=_guessed_words(guessed, options),
            listed=options.regions is not None,
            confidential=options.confidential,
        )
    return replace(reading, table=None if notes.faulty else table)


def _guessed_words(guessed: Guess, options: ReadOptions) -> frozenset[str]:
    """Return the settings of the layout that were guessed from the rows of this file."""
    if options.layout is not None or guessed.official or guessed.layout is None:
        return frozenset()
    return frozenset(guessed.layout.words.keys() - options.stated.keys())


def _arranged(sheet: Sheet, options: ReadOptions, notes: Notebook) -> tuple[Sheet, dict[str, Any]]:
    """Return the sheet rearranged as stated or detected, and the settings that describe it.

    Raises:
        Unreadable: the stated matrix, columns of regions or joined names do not exist.
    """
    words = options.stated if options.layout is None else options.layout.words
    arranged: dict[str, Any] = {}
    if areas := words.get("areas", ""):
        sheet = transposed(sheet, notes)
        arranged["areas"] = areas
    headings = words.get("headings", "")
    sheet = with_headings_in_column(sheet, notes, headings)
    if headings:
        arranged["headings"] = headings
    columns = tuple(words.get("fill_down", ()))
    possible: tuple[str, ...] = ()
    if options.layout is None and "fill_down" not in words and not sheet.partial:
        blocks = find_blocks(sheet)
        columns = blocks.sure
        possible = blocks.possible
    if columns:
        sheet = _filled(sheet, columns, notes)
        arranged["fill_down"] = columns
    if not notes.confidential:
        sheet, continued = without_continuations(sheet)
        if continued:
            notes.repair(
                "continued",
                "names of areas that continue on a further page "
                f"({shown_codes(continued, shown=8)}) were read without the words that say so",
            )
    for name in possible:
        if name not in columns and pc.any(pc.equal(sheet.column(name), "")).as_py():
            notes.note(
                "blocks", f"column {shown_code(name)} is blank in some rows. If a blank "
                          f"cell repeats the cell above, set fill_down = {shown_code(name)}",
            )  # fmt: skip
    if blocks := words.get("blocks", ""):
        sheet = added_blocks(sheet, notes)
        arranged["blocks"] = blocks
    for name in words.get("split", ()):
        sheet = split_names(sheet, name, notes)
        arranged["split"] = tuple(words["split"])
    if words.get("prefix") and not sheet.partial:
        sheet = _with_codes(sheet, words.get("levels", ()), notes)
    how = words.get("matrix", "")
    if not how and options.layout is None and "kind" not in words and not notes.confidential:
        how = _stated_by_corner(sheet, notes)
    if how:
        sheet = matrix_as_pairs(sheet, how, notes)
        arranged["matrix"] = how
    return sheet, arranged


def _stated_by_corner(sheet: Sheet, notes: Notebook) -> str:
    """Return what the rows of a matrix are if its corner states this, and report it; else ""."""
    corner = next((n for n in sheet.names if direction_of_a_corner(n) is not None), "")
    direction = direction_of_a_corner(corner)
    square = find_matrix(sheet) if direction is not None and not sheet.partial else None
    if direction is None or square is None or square.places != corner:
        return ""
    ends = ("columns", "rows") if direction.turned else ("rows", "columns")
    notes.repair(
        "matrix",
        f"the table is a matrix. Its corner, {shown_code(corner)}, states that flows go from the "
        f"{ends[0]} to the {ends[1]}",
    )
    return DESTINATIONS if direction.turned else ORIGINS


def _with_codes(sheet: Sheet, levels: Sequence[str], notes: Notebook) -> Sheet:
    """Return the table with codes in place of codes and names, where codes of levels are cut."""
    named = [
        name for name in levels or sheet.names
        if sheet.has(name) and coded_names(sheet.column(name))
    ]  # fmt: skip
    for name in named:
        notes.repair(
            "code-and-name",
            f"cells of column {shown_code(name)} were divided into a code and a name",
        )
    return with_codes(sheet, named)


def _filled(sheet: Sheet, columns: Sequence[str], notes: Notebook) -> Sheet:
    # In confidential data, the last record would decide how those before it are read.
    sheet, nowhere = (sheet, []) if notes.confidential else with_rows_of_no_place(sheet, columns)
    if nowhere:
        notes.repair(
            "no-place",
            f"rows that belong to no area above ({shown_codes(nowhere, shown=8)}) were "
            f"not filled with the cell above in column {shown_code(columns[-1])}. They became "
            "areas of their own there",
        )
    trial = Notebook(notes.file)
    filled = n_filled(sheet, filled_down(sheet, columns))
    whole = with_blocks_filled(sheet, columns, trial)
    if filled:
        named = ", ".join(shown_code(name) for name in columns)
        notes.repair(
            "filled-down", f"blank cells of column {named} were filled with the cell "
            f"above ({counted(filled, 'cell')})",
        )  # fmt: skip
    notes.findings += trial.findings
    for name in columns:
        other, n_rows = contradicted_fill(sheet, name) if sheet.has(name) else ("", 0)
        if other:
            notes.note(
                "fill-contradicted",
                f"{counted(n_rows, 'blank cell')} of column {shown_code(name)} took the value of a "
                f"row that has another value in column {shown_code(other)}",
                "This places an area below one that it does not belong to. Leave out this level, "
                "or enter the missing values.",
            )
    return whole


def _row_numbers(sheet: Sheet, places: IntArray) -> tuple[int, ...]:
    if sheet.rows is None:
        return (0,) * len(places)
    return tuple(int(row) for row in sheet.rows[places])


def _with_faulty_rows(reading: Reading, sheet: Sheet, notes: Notebook) -> Reading:
    """Return the reading with a preview of the first rows and of the rows with errors."""
    if sheet.rows is None or not notes.faulty:
        return reading
    named = {
        int(number.replace(",", ""))
        for finding in notes.findings
        if finding.kind == "error"
        for place in finding.places
        for number in re.findall(r"\brow ([0-9,]+)", place)
    }
    first = np.arange(sheet.n_rows) < PREVIEW
    shown = np.flatnonzero(first | np.isin(sheet.rows, sorted(named)))[: PREVIEW + _MOST_FAULTY]
    rows = sheet.take(np.isin(np.arange(sheet.n_rows), shown)).preview(len(shown))
    return replace(
        reading,
        preview=tuple(tuple(row) for row in rows),
        preview_rows=_row_numbers(sheet, shown),
    )


def _ask(question: Question, notes: Notebook) -> None:
    """Report a question and its choices as an error, since it must be answered first."""
    notes.fault(
        UNCLEAR,
        question.what,
        CHOOSE,
        places=[choice.words for choice in question.choices],
        choices=question.choices,
    )


def _unused(guessed: Guess, sheet: Sheet) -> tuple[str, ...]:
    """Return the unused columns: those of numbers, or all columns where rows are added up."""
    if guessed.layout is None or not _adds_rows(guessed.layout):
        return guessed.unused
    used = guessed.layout.columns
    return tuple(name for name in sheet.names if name and name not in used)


def _adds_rows(layout: Layout) -> bool:
    """Return whether a region may have several rows, so that other columns matter."""
    return layout.row in RECORDS or layout.add_up


def _unused_words(reading: Reading) -> str:
    shown = shown_codes(reading.unused, shown=8)
    if reading.layout is not None and _adds_rows(reading.layout):
        return f"columns that were not used: {shown}"
    return f"columns of numbers that were not used: {shown}"


def _table(
    source: Source,
    sheet: Sheet,
    layout: Layout,
    regions: RegionList | None,
    notes: Notebook,
    limits: Limits,
) -> Table | None:
    if not sheet.partial:
        return build(sheet, layout, notes, regions)
    keys = key_columns(layout)
    missing = [key for key in keys if not sheet.has(key)]
    if missing or not counts_records(layout):
        raise notes.unreadable(
            "too-large",
            "is too large to be read as a whole, and the column settings do not state that each "
            "row is one person, group or trip",
            paragraph(
                f"It has no column {shown_code(missing[0])}." if missing else "",
                'If each row is one person, set row = "person". Otherwise group the rows first.',
            ),
        )
    if layout.group and not (layout.keep or layout.leave_out):
        names = [key for key in name_columns(layout) if key != layout.group]
        places = [key for key in keys if key not in (layout.group, *names)]
        groups = sizes_of_groups(
            lambda: batches_of(source, keys, notes, limits), _rows(source, notes, limits),
            places, layout.group, source.name, notes, names=names,
        )  # fmt: skip
        if notes.faulty:
            return None
        if groups is not None:
            return build(tidied(groups, notes, limits), by_group(layout), notes, regions)
    return build(stream(source, keys, notes, limits), layout, notes, regions)


def _rows(source: Source, notes: Notebook, limits: Limits) -> int:
    """Return the number of rows of a file, or an estimate from its size."""
    n_rows = source.format.table_reader.n_rows
    return source.size // _BYTES_OF_A_ROW if n_rows is None else n_rows(source, notes, limits)
