"""Files in, one reading out: a table, its boundaries, and a report of all that was found."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdp_core.readers.build.grouping import batches_of, stream
from hierdp_core.readers.build.layout_parts import key_columns, names_alone, of_records
from hierdp_core.readers.build.lookups import join_of, joined
from hierdp_core.readers.build.members import sizes_of_groups
from hierdp_core.readers.build.public_facts import with_public_facts
from hierdp_core.readers.build.region_list import RegionList
from hierdp_core.readers.build.tables import build, by_group
from hierdp_core.readers.columns.blocks import blocks_of, filled_down, n_filled
from hierdp_core.readers.columns.guess import guess
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.matrix import as_pairs
from hierdp_core.readers.columns.question import Guess, Question, after
from hierdp_core.readers.columns.turned import turned
from hierdp_core.readers.formats.sheet import PREVIEW, Sheet, tidied
from hierdp_core.readers.formats.sniff import Source, open_source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, Report, Unreadable, shown_code, shown_codes
from hierdp_core.readers.result import Reading
from hierdp_core.tables import Table
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.text import paragraph

if TYPE_CHECKING:
    from hierdp_core.readers.formats.shapes import Features

_RECORDS = ("person", "group", "trip")  # what a row may be, if it is no region
_MOST_FAULTY = 40  # rows with faults in a preview
_Noted = tuple[Source, Notebook]  # a file with what is found in it
_NUMBERS = frozenset({"count", "parts", "sizes", "size"})
_BYTES_OF_A_ROW = 16  # where a format does not know how many rows a file has


def read_here(
    paths: Sequence[str | Path],
    *,
    layout: Layout | None = None,
    stated: Mapping[str, Any] | None = None,
    regions: str | Path | None = None,
    confidential: bool = False,
    limits: Limits | None = None,
) -> Reading:
    """Read a table, with boundaries, centres or lookup tables beside it, in this process.

    Args:
        paths: one table, and at most one file of boundaries and one of centres.
        layout: what the columns mean; None lets it be guessed.
        stated: words of a layout that hold where the others are guessed.
        regions: a list of all regions that does not come from the records: a lookup file or
            boundaries. Without one the regions are those that the rows name.
        confidential: refuse to treat as public what would be taken from the records.
        limits: how much the files may ask of the machine.
    """
    limits = limits or Limits()
    listed: RegionList | None = None
    list_notes = [] if regions is None else [Notebook(Path(str(regions)).name)]
    if regions is not None:
        listed = _region_list(regions, list_notes[0], limits)
    files = _names(paths)
    notebooks = [Notebook(name) for name in files]
    sources: list[_Noted] = []
    findings = [f for notes in list_notes for f in notes.findings if f.sort == "fault"]
    for path, notes in zip(paths, notebooks, strict=True):
        try:
            sources.append((open_source(path, notes, limits), notes))
        except Unreadable as fault:
            findings.append(fault.finding)
    opened = stated or {} if layout is None else layout.words
    sheet, encoding = opened.get("sheet", ""), opened.get("encoding", "")
    sources = [(replace(one, sheet=sheet, encoding=encoding), notes) for one, notes in sources]
    tables = [one for one in sources if one[0].format.holds == "table"]
    shapes = [one for one in sources if one[0].format.holds == "boundaries"]
    said = Layout.parsed(opened)
    asked = _Asked(
        layout=layout,
        stated=Layout.parsed(stated or {}),
        regions=listed,
        confidential=confidential,
    )
    reading = Reading(report=Report.of(files, findings))
    parsed: Features | None = None
    if tables and not findings:
        reading = _with_tables(tables, asked, limits)
    elif shapes and not findings:
        reading, parsed = _with_attributes(*shapes[0], asked, limits)
    if len(shapes) > 1:
        shapes[1][1].fault("two-boundaries", "is a second file of boundaries", "Name one of them.")
    elif shapes and (tables or reading.table is not None):
        reading = _with_shapes(reading, *shapes[0], limits, parsed)
    elif reading.table is not None and reading.boundaries is None:
        from hierdp_core.readers.build.boundaries_from_files import with_tiles

        reading = with_tiles(reading)
    written = [f for notes in (*list_notes, *notebooks) for f in notes.findings]
    if any(finding.sort == "fault" for finding in written):
        reading = replace(reading, table=None, boundaries=None)
    told = [
        replace(finding, choices=tuple(after(choice, said) for choice in finding.choices))
        for finding in (*findings, *written)
    ]
    return replace(reading, report=Report.of(files, told))


def _names(paths: Sequence[str | Path]) -> list[str]:
    """What the findings call each file: its name, with its place where several have the same.

    >>> _names(["a/counts.csv", "b/counts.csv", "b/shapes.gpkg"])
    ['counts.csv (file 1)', 'counts.csv (file 2)', 'shapes.gpkg']
    """
    names = [Path(str(path)).name for path in paths]
    return [
        f"{name} (file {place})" if names.count(name) > 1 else name
        for place, name in enumerate(names, start=1)
    ]


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What the reader was told beside the files: see `read_here`."""

    layout: Layout | None
    stated: Mapping[str, Any]
    regions: RegionList | None
    confidential: bool


def _region_list(path: str | Path, notes: Notebook, limits: Limits) -> RegionList | None:
    try:
        source = open_source(path, notes, limits)
        if source.format.holds == "table":
            return RegionList(sheet=read_sheet(source, notes, limits), notes=notes)
        from hierdp_core.readers.formats.shapes import read_shapes

        return RegionList.of_attributes(read_shapes(source, notes, limits).columns, notes)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return None


def _with_tables(tables: Sequence[_Noted], asked: _Asked, limits: Limits) -> Reading:
    """The reading of the table of counts; others hold centres, or the parents of its regions."""
    from hierdp_core.readers.build.centres import (
        centres_of,
        centres_of_rows,
        has_centres,
        with_centres,
    )

    sheets: list[Sheet] = []
    for source, notes in tables:
        try:
            sheets.append(read_sheet(source, notes, limits))
        except Unreadable as fault:
            notes.findings.append(fault.finding)
    empty = Reading(report=Report.of((), ()))
    if len(sheets) < len(tables):
        return empty
    main = _main_table(sheets, asked)
    (source, own_notes), sheet = tables[main], sheets[main]
    centres: list[tuple[Sheet, Notebook]] = []
    others = [k for k in range(len(sheets)) if k != main]
    for k in others:
        lookup, notes = sheets[k], tables[k][1]
        if has_centres(lookup):
            centres.append((lookup, notes))
        else:
            sheet = _with_lookup(sheet, lookup, own_notes, notes)
    if any(tables[k][1].faulty for k in others):
        return empty
    reading = _read_table(source, sheet, own_notes, asked, limits)
    for lookup, notes in centres:
        found = centres_of(lookup, reading)
        if found is not None:
            reading = with_centres(reading, found, notes)
    # Centres in confidential records would show on a map which regions have any.
    if reading.table is not None and reading.boundaries is None and not asked.confidential:
        own = centres_of_rows(sheet, reading)
        if own is not None:
            reading = with_centres(reading, own, own_notes)
    return reading


def _with_attributes(
    source: Source, notes: Notebook, asked: _Asked, limits: Limits
) -> tuple[Reading, "Features | None"]:
    """The reading of the attributes of boundaries, where they hold the counts, and the shapes."""
    from hierdp_core.readers.formats.shapes import attributes_of, read_shapes

    empty = Reading(report=Report.of((), ()))
    about_shapes = Notebook(notes.file)
    try:
        features = read_shapes(source, about_shapes, limits)
        sheet = attributes_of(features, notes, limits)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return empty, None
    guessed = guess(sheet, asked.stated)
    if asked.layout is None and not (guessed.layout and _NUMBERS & guessed.layout.words.keys()):
        notes.fault("no-table", "holds boundaries and no counts", "Name a table beside it.")
        return empty, None
    reading = _read_table(source, sheet, notes, asked, limits)
    if reading.table is not None:
        notes.findings += about_shapes.findings
    return reading, features


def _with_shapes(
    reading: Reading, source: Source, notes: Notebook, limits: Limits, parsed: "Features | None"
) -> Reading:
    """The reading with boundaries, from the features that were `parsed` already, if they were."""
    from hierdp_core.readers.build.boundaries_from_files import with_boundaries
    from hierdp_core.readers.formats.shapes import read_shapes

    try:
        features = parsed or read_shapes(source, notes, limits)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return reading
    return with_boundaries(reading, features, notes)


def _main_table(sheets: Sequence[Sheet], asked: _Asked) -> int:
    """The position of the table of counts: the one with the stated numbers, else by a guess."""
    if len(sheets) == 1:
        return 0
    words = asked.stated if asked.layout is None else asked.layout.words
    numbers = {str(words.get(word, "")) for word in ("count", "size", "group")}
    numbers |= {*words.get("sizes", ()), *words.get("parts", ())}
    numbers -= {""}
    for place, sheet in enumerate(sheets):
        if numbers and numbers <= {*sheet.names}:
            return place
    guesses = [guess(sheet) for sheet in sheets]
    return next((i for i, one in enumerate(guesses) if _holds_numbers(one)), 0)


def _holds_numbers(guessed: Guess) -> bool:
    layout = guessed.layout
    if layout is None:
        return False
    return bool(layout.count or layout.sizes) or guessed.question is None


def _with_lookup(sheet: Sheet, lookup: Sheet, notes: Notebook, own: Notebook) -> Sheet:
    """The table with the columns of a lookup; a fault where they share no codes."""
    join = None if sheet.partial else join_of(sheet, lookup)
    if join is None:
        own.fault(
            "second-table",
            "is a second table, and no column of it holds each code of the first once"
            if not sheet.partial
            else "is a second table, and the first is too large to be joined to it",
            "Name one table at a time, or correct the codes.",
        )
        return sheet
    return joined(sheet, lookup, join, own)


def read_sheet(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """The whole table as text, or its head where it is to be read as a stream.

    Raises:
        Unreadable: no table can be made out.
    """
    return source.format.table_reader.read(source, notes, limits)


def _read_table(
    source: Source,
    sheet: Sheet,
    notes: Notebook,
    asked: _Asked,
    limits: Limits,
) -> Reading:
    try:
        sheet, arranged = _arranged(sheet, asked, notes)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return Reading(report=Report.of((), ()))
    guessed = guess(sheet, {**asked.stated, **arranged})
    layout = asked.layout or guessed.layout
    if guessed.caution:
        notes.note("caution", guessed.caution)
    reading = Reading(
        report=Report.of((), ()),
        guesses=() if asked.layout else guessed.reasons,
        question=None if asked.layout else guessed.question,
        unused=() if asked.layout else _unused(guessed, sheet),
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
            "no-layout", guessed.missing or "what its columns mean is not plain",
            "Say it in [columns]." if not guessed.missing else "",
        )  # fmt: skip
        return reading
    try:
        table = _table(source, sheet, layout, asked.regions, notes, limits)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return _with_faulty_rows(reading, sheet, notes)
    reading = _with_faulty_rows(reading, sheet, notes)
    if table is not None:
        table = with_public_facts(
            table,
            layout,
            notes,
            guessed=asked.layout is None and "levels" not in asked.stated and not guessed.official,
            listed=asked.regions is not None,
            confidential=asked.confidential,
        )
    return replace(reading, table=None if notes.faulty else table)


def _arranged(sheet: Sheet, asked: _Asked, notes: Notebook) -> tuple[Sheet, dict[str, Any]]:
    """The sheet as its columns are to be understood, and the words that say how.

    Raises:
        Unreadable: it is no matrix, or has no columns of regions, though it is said so.
    """
    words = asked.stated if asked.layout is None else asked.layout.words
    arranged: dict[str, Any] = {}
    if areas := words.get("areas", ""):
        sheet = turned(sheet, notes)
        arranged["areas"] = areas
    columns = tuple(words.get("fill_down", ()))
    if asked.layout is None and "fill_down" not in words and not sheet.partial:
        blocks = blocks_of(sheet)
        columns = blocks.sure
        for name in blocks.possible:
            if name not in columns:
                notes.note(
                    "blocks", f"column {shown_code(name)} is blank in some rows; if a blank means "
                    f"the same as the cell above, say fill_down = {shown_code(name)}",
                )  # fmt: skip
    if columns:
        sheet = _filled(sheet, columns, notes)
        arranged["fill_down"] = columns
    if how := words.get("matrix", ""):
        sheet = as_pairs(sheet, how, notes)
        arranged["matrix"] = how
    return sheet, arranged


def _filled(sheet: Sheet, columns: Sequence[str], notes: Notebook) -> Sheet:
    whole = filled_down(sheet, columns)
    filled = n_filled(sheet, whole)
    if filled:
        named = ", ".join(shown_code(name) for name in columns)
        notes.repair(
            "filled-down", f"blank cells of column {named} mean the same as the cell above "
            f"({filled:,} cells)",
        )  # fmt: skip
    return whole


def _row_numbers(sheet: Sheet, places: IntArray) -> tuple[int, ...]:
    if sheet.rows is None:
        return (0,) * len(places)
    return tuple(int(row) for row in sheet.rows[places])


def _with_faulty_rows(reading: Reading, sheet: Sheet, notes: Notebook) -> Reading:
    """The first rows, and the rows that faults name."""
    if sheet.rows is None or not notes.faulty:
        return reading
    named = {
        int(number.replace(",", ""))
        for finding in notes.findings
        if finding.sort == "fault"
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
    """Nothing is read while something is not clear: the report names the answers."""
    notes.fault(
        "unclear",
        question.what,
        "Choose one: `hierdp check` names a flag and the page Your data has a button for each.",
        places=[choice.words for choice in question.choices],
        choices=question.choices,
    )


def _unused(guessed: Guess, sheet: Sheet) -> tuple[str, ...]:
    """The columns that might have meant something: of a list of records any may."""
    if guessed.layout is None or guessed.layout.row not in _RECORDS:
        return guessed.unused
    used = guessed.layout.columns
    return tuple(name for name in sheet.names if name and name not in used)


def _unused_words(reading: Reading) -> str:
    shown = shown_codes(reading.unused, shown=8)
    if reading.layout is not None and reading.layout.row in _RECORDS:
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
    if missing or not of_records(layout):
        raise notes.unreadable(
            "too-large",
            "is too large to be read as a whole, and its rows are not single persons, groups or "
            "trips that could be counted",
            paragraph(
                f"It has no column {shown_code(missing[0])}." if missing else "",
                'Say row = "person" if they are, or group it first.',
            ),
        )
    if layout.group and not (layout.keep or layout.leave_out):
        names = [key for key in names_alone(layout) if key != layout.group]
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
    """How many rows a file has; a guess where that is not known before it is read."""
    n_rows = source.format.table_reader.n_rows
    return source.size // _BYTES_OF_A_ROW if n_rows is None else n_rows(source, notes, limits)
