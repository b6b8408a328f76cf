"""The reading of several files: a table, its boundaries, and a report of all findings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from filecmp import cmp
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from hierdp_core.readers.build.companions import (
    codebook_of,
    is_document,
    is_prose,
    lists_variables,
    note_document,
    text_of,
    with_names_of,
)
from hierdp_core.readers.build.lookups import (
    JOINED,
    Join,
    describes_columns,
    describes_official,
    find_join,
    is_lookup,
    join_lookup,
    public_join,
    shared_pair,
    with_joined_codes,
)
from hierdp_core.readers.build.region_list import RegionList
from hierdp_core.readers.columns.doubts import doubt_about
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.guess import guess
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.matrix import find_matrix
from hierdp_core.readers.columns.question import Guess, choices_that_change
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.formats.sniff import Source, open_source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.one_table import ReadOptions, read_sheet, read_table
from hierdp_core.readers.report import Finding, Notebook, Report, Unreadable, shown_code
from hierdp_core.readers.result import Reading
from hierdp_core.util.text import join_or

if TYPE_CHECKING:
    from hierdp_core.readers.formats.features import Features

_SourceNotes = tuple[Source, Notebook]  # a file with its findings
_Read = Sheet | Finding | None  # what was read from a file; None for a text about the table
_WORKBOOKS = ("excel", "opendocument")  # formats with several sheets
_MOST_INSIDE = 6  # an archive with more tables is not searched for lookups
_NUMBERS = frozenset({"count", "parts", "sizes", "size"})


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
        paths: one table, optionally with one file of boundaries, one of centres, and lookup tables
            with the parents and names of areas.
        layout: what the columns mean; if None, it is guessed.
        stated: settings of a layout that are fixed while the others are guessed.
        regions: a list of all areas that does not come from the records: a lookup table or
            boundaries. Without one the regions are those that the rows name.
        confidential: refuse to treat as public what would be taken from the records.
        limits: the limits on size, time and memory.
    """
    limits = limits or Limits()
    listed: RegionList | None = None
    list_notes = [] if regions is None else [Notebook(Path(str(regions)).name)]
    if regions is not None:
        listed = _region_list(regions, list_notes[0], limits)
    files = _names(paths)
    strict = confidential or regions is not None  # the table may then be released
    notebooks = [Notebook(name, confidential=strict) for name in files]
    sources: list[_SourceNotes] = []
    findings = [f for notes in list_notes for f in notes.findings if f.kind == "error"]
    documents: list[tuple[Notebook, Finding]] = []
    opened = stated or {} if layout is None else layout.words
    sheet, encoding = opened.get("sheet", ""), opened.get("encoding", "")
    for path, notes in zip(paths, notebooks, strict=True):
        try:
            sources.append((open_source(path, notes, limits, sheet=sheet), notes))
        except Unreadable as fault:
            inside = _with_lookups_inside(path, fault.finding, notes, limits)
            sources += inside
            if not inside and len(paths) > 1 and is_document(path):
                documents.append((notes, fault.finding))
            elif not inside:
                findings.append(fault.finding)
    for notes, finding in documents:
        if sources:
            note_document(notes)
        else:
            findings.append(finding)
    sources = [(replace(one, sheet=sheet, encoding=encoding), notes) for one, notes in sources]
    tables = [one for one in sources if one[0].format.holds == "table"]
    shapes = [one for one in sources if one[0].format.holds == "boundaries"]
    opened_words = Layout.parsed(opened)
    options = ReadOptions(
        layout=layout,
        stated=Layout.parsed(stated or {}),
        regions=listed,
        confidential=confidential,
    )
    reading = Reading(report=Report.of(files, findings))
    parsed: Features | None = None
    if tables and not findings:
        reading = _with_tables(tables, options, limits)
        counted = (
            _with_counts_of_shapes(shapes[0], tables, options, limits)
            if shapes and reading.table is None
            else None
        )
        reading, parsed = counted or (reading, None)
    elif shapes and not findings:
        reading, parsed = _with_attributes(*shapes[0], options, limits)
        at_points = None if parsed else _of_points(*shapes[0], options, limits)
        if at_points is not None:
            reading, shapes = at_points, shapes[1:]
    if len(shapes) > 1:
        shapes[1][1].fault(
            "two-boundaries", "is a second file of boundaries", "Give only one of them."
        )
    elif shapes and (tables or reading.table is not None) and not (parsed and confidential):
        # If the shapes hold the counts, their names are those of areas with records.
        named = parsed is None or listed is None
        reading = _with_shapes(reading, *shapes[0], limits, parsed, named=named)
    elif reading.table is not None and reading.boundaries is None:
        from hierdp_core.readers.build.boundaries_from_files import with_tiles

        reading = with_tiles(reading)
    for notes, finding in documents:
        # The commands explain why a file of fixed widths is not a table.
        if finding.id == "commands" and reading.table is None and reading.question is None:
            notes.findings[:] = [finding]
    inside_notes = [notes for _, notes in sources if notes not in notebooks]
    written = [f for notes in (*list_notes, *notebooks, *inside_notes) for f in notes.findings]
    if reading.table is None and not any(f.kind == "error" for f in (*findings, *written)):
        notebooks[0].fault("no-table", "holds no table of counts", "State what its columns mean.")
        written.append(notebooks[0].findings[-1])
    if any(finding.kind == "error" for finding in written):
        reading = replace(reading, table=None, boundaries=None)
    reported = [
        replace(finding, choices=choices_that_change(finding.choices, opened_words))
        for finding in (*findings, *written)
    ]
    return replace(reading, report=Report.of(files, reported))


def _with_lookups_inside(
    path: str | Path, fault: Finding, notes: Notebook, limits: Limits
) -> list[_SourceNotes]:
    """Return the files of an archive if one is a table of counts and the others are its lookups.

    The list is empty where that is not clear, as with the same table for two years.
    """
    names = [str(choice.stated["sheet"]) for choice in fault.choices]
    if fault.id != "archive-content" or not 1 < len(names) <= _MOST_INSIDE or notes.confidential:
        return []  # the records must not decide which file is the table
    opened: list[tuple[Source, Sheet]] = []
    for name in names:
        try:
            source = open_source(path, Notebook(notes.file), limits, sheet=name)
            opened.append((source, read_sheet(source, Notebook(name), limits)))
        except Unreadable:
            return []
    counts = [k for k, (_, sheet) in enumerate(opened) if not is_lookup(sheet)]
    if len(counts) != 1:
        return []
    main, table = opened[counts[0]]
    others = [one for k, one in enumerate(opened) if k != counts[0]]
    if any(table.partial or find_join(table, sheet) is None for _, sheet in others):
        return []
    notes.note("member", f"of {len(names)} texts, {shown_code(main.member)} was read")
    return [
        (main, notes),
        *(
            (source, Notebook(source.member, confidential=notes.confidential))
            for source, _ in others
        ),
    ]


def _names(paths: Sequence[str | Path]) -> list[str]:
    """Return the name of each file in findings, numbered where several have the same name.

    >>> _names(["a/counts.csv", "b/counts.csv", "b/shapes.gpkg"])
    ['counts.csv (file 1)', 'counts.csv (file 2)', 'shapes.gpkg']
    >>> _names(["."])
    ['.']
    """
    names = [Path(str(path)).name or str(path) for path in paths]  # "." has no name
    return [
        f"{name} (file {place})" if names.count(name) > 1 else name
        for place, name in enumerate(names, start=1)
    ]


def _region_list(path: str | Path, notes: Notebook, limits: Limits) -> RegionList | None:
    try:
        source = open_source(path, notes, limits)
        if source.format.holds == "table":
            sheet = read_sheet(source, notes, limits)
            return RegionList(sheet=sheet, notes=notes, path=source.path)
        from hierdp_core.readers.formats.shapes import read_shapes

        columns = read_shapes(source, notes, limits).columns
        return RegionList.of_attributes(columns, notes, path=source.path)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return None


def _is_the_list(source: Source, listed: RegionList) -> bool:
    """Report a list of areas that is the file of the table, whatever its columns mean."""
    same = listed.path is not None and cmp(source.path, listed.path, shallow=False)
    if same:
        listed.report_records()
    return same


def _with_tables(tables: Sequence[_SourceNotes], options: ReadOptions, limits: Limits) -> Reading:
    """Return the reading of the table of counts.

    Other tables hold centres, or the parents of its regions.
    """
    from hierdp_core.readers.build.centres import (
        centres_of,
        centres_of_rows,
        has_centres,
        with_centres,
    )

    tables, read = _read_sheets(tables, limits)
    texts = [text_of(source) if len(tables) > 1 else "" for source, _ in tables]
    strict = any(notes.confidential for _, notes in tables)
    possible = [
        (k, one) for k, one in enumerate(read)
        if isinstance(one, Sheet)
        and (strict or not _describes_any(texts[k], read[:k] + read[k + 1 :]))
    ]  # fmt: skip
    empty = Reading(report=Report.of((), ()))
    sheets = [one for _, one in possible]
    main = possible[_main_table(sheets, options, confidential=strict)][0] if possible else 0
    first = read[main]
    if isinstance(first, Sheet):
        _leave_out_documents(tables, read, texts, main, first)
    faults = [(k, one) for k, one in enumerate(read) if isinstance(one, Finding)]
    for k, fault in faults:
        tables[k][1].findings.append(fault)
    if faults or not isinstance(first, Sheet):
        return empty
    (source, own_notes), sheet = tables[main], first
    if options.regions is not None and _is_the_list(source, options.regions):
        return empty
    centres: list[tuple[Sheet, Notebook]] = []
    others = [k for k in range(len(read)) if k != main]
    words = options.stated if options.layout is None else options.layout.words
    for k in others:
        lookup, notes = read[k], tables[k][1]
        if not isinstance(lookup, Sheet):
            sheet = _with_document(sheet, texts[k], notes, options)
        elif has_centres(lookup):
            centres.append((lookup, notes))
        elif describes_official(first, lookup) or (
            describes_columns(lookup, first) and not _of_a_matrix(lookup, first, words, notes)
        ):
            notes.note("dictionary", "explains the columns of the table and was not joined to it")
        else:
            sheet = _with_lookup(sheet, lookup, words, notes, own_notes)
    if any(tables[k][1].faulty for k in others):
        return empty
    reading = read_table(source, sheet, own_notes, options, limits)
    # Codes or centres in confidential records would show on a map which areas have any.
    open_rows = None if options.confidential else sheet
    for lookup, notes in centres:
        coordinates = centres_of(lookup, reading, open_rows)
        if coordinates is not None:
            reading = with_centres(reading, coordinates, notes)
    if reading.table is not None and reading.boundaries is None and open_rows is not None:
        own = centres_of_rows(open_rows, reading)
        if own is not None:
            reading = with_centres(reading, own, own_notes)
    return reading


def _read_sheets(
    tables: Sequence[_SourceNotes], limits: Limits
) -> tuple[list[_SourceNotes], list[_Read]]:
    """Return the files and what was read from them.

    A sheet that a person chose is that of one workbook. Others without it are read as if no sheet
    was chosen.
    """
    read = [_sheet_or_fault(source, notes, limits) for source, notes in tables]
    without = [isinstance(one, Finding) and one.id == "no-sheet" for one in read]
    books = [source.format.id in _WORKBOOKS for source, _ in tables]
    if sum(without) == sum(books):
        return list(tables), read
    opened = [
        (replace(source, sheet=""), notes) if lacks else (source, notes)
        for (source, notes), lacks in zip(tables, without, strict=True)
    ]
    again = [
        _sheet_or_fault(source, notes, limits) if lacks else one
        for (source, notes), one, lacks in zip(opened, read, without, strict=True)
    ]
    return opened, again


def _sheet_or_fault(source: Source, notes: Notebook, limits: Limits) -> _Read:
    """Return the table in a file, or the fault that ended its reading."""
    try:
        return read_sheet(source, notes, limits)
    except Unreadable as fault:
        return fault.finding


def _describes_any(text: str, sheets: Sequence[_Read]) -> bool:
    """Return whether a text lists codes of the columns of one of several tables."""
    return any(codebook_of(text, one).sections for one in sheets if text and isinstance(one, Sheet))


def _leave_out_documents(
    tables: Sequence[_SourceNotes],
    read: list[_Read],
    texts: Sequence[str],
    main: int,
    sheet: Sheet,
) -> None:
    """Replace what was read from codebooks and other texts about the table by None."""
    for k, (one, (source, notes)) in enumerate(zip(read, tables, strict=True)):
        text = texts[k]
        if k == main or not text or (isinstance(one, Sheet) and describes_columns(one, sheet)):
            continue
        codebook = codebook_of(text, sheet, confidential=notes.confidential)
        joined = isinstance(one, Sheet) and not notes.faulty and _may_be_joined(sheet, one, notes)
        if codebook.sections or (
            not joined
            and (is_document(source.path) or is_prose(text) or lists_variables(codebook, text))
        ):
            notes.findings.clear()
            read[k] = None


def _may_be_joined(sheet: Sheet, lookup: Sheet, notes: Notebook) -> bool:
    """Return whether two tables are joined, which no record of a confidential one decides."""
    if not notes.confidential:
        return find_join(sheet, lookup) is not None
    named = isinstance(public_join(sheet, lookup), Join)
    return named or shared_pair(sheet, lookup) is not None


def _with_document(sheet: Sheet, text: str, notes: Notebook, options: ReadOptions) -> Sheet:
    """Return the table with the names of levels that a codebook lists."""
    codebook = codebook_of(text, sheet, confidential=notes.confidential)
    if not codebook.sections or sheet.partial:
        note_document(notes)
        return sheet
    guessed = guess(sheet, options.stated)
    layout = options.layout or guessed.layout
    stated: list[Mapping[str, Any]] = [] if layout is None else [layout.words]
    if guessed.question is not None:
        stated += [choice.stated for choice in guessed.question.choices]
    ends = [(*words.get("levels", ()), *words.get("destinations", ())) for words in stated]
    levels = [name for columns in ends for name in columns]
    return with_names_of(sheet, codebook, tuple(dict.fromkeys(levels)), notes)


def _with_counts_of_shapes(
    shapes: _SourceNotes, tables: Sequence[_SourceNotes], options: ReadOptions, limits: Limits
) -> "tuple[Reading, Features | None] | None":
    """Return the reading of boundaries with counts, beside tables that only list areas.

    The result is None if a table holds counts, or if the boundaries hold none.
    """
    source, own = shapes
    lists: list[tuple[Sheet, Notebook]] = []
    for one, notes in tables:
        quiet = Notebook(notes.file, confidential=notes.confidential)
        sheet = _sheet_or_fault(one, quiet, limits)
        if not isinstance(sheet, Sheet) or not is_lookup(sheet):
            return None
        numbers = _stated_numbers(options)
        if notes.confidential and not numbers - {*sheet.names}:
            return None  # records that cannot be used, which no longer say what the table is
        lists.append((sheet, quiet))
    trial = Notebook(own.file, confidential=own.confidential)
    reading, features = _with_attributes(source, trial, options, limits, lists=lists)
    if reading.table is None and reading.question is None:
        return None
    own.findings += trial.findings
    for (_, notes), (_, quiet) in zip(tables, lists, strict=True):
        notes.findings[:] = quiet.findings
    return reading, features


def _with_attributes(
    source: Source,
    notes: Notebook,
    options: ReadOptions,
    limits: Limits,
    *,
    lists: Sequence[tuple[Sheet, Notebook]] = (),
) -> tuple[Reading, "Features | None"]:
    """Return the reading of boundaries whose attributes hold the counts, with the shapes.

    The columns of `lists` of areas are joined to the attributes. In a confidential table, the
    attributes of all features are read, since the shape of one record must not hide others.
    """
    from hierdp_core.readers.formats.shapes import attributes_of, polygons_of, read_features

    empty = Reading(report=Report.of((), ()))
    about_shapes = Notebook(notes.file)
    try:
        every = features = read_features(source, about_shapes, limits)
        if not options.confidential:
            features = polygons_of(every, about_shapes, limits)
        sheet = attributes_of(every if notes.confidential else features, notes, limits)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return empty, None
    words = options.stated if options.layout is None else options.layout.words
    for listed, own in lists:
        sheet = _with_lookup(sheet, listed, words, own, notes)
    guessed = guess(sheet, options.stated)
    if options.layout is None and not (guessed.layout and _NUMBERS & guessed.layout.words.keys()):
        notes.fault("no-table", "holds boundaries and no counts", "Give a table of counts with it.")
        return empty, None
    if options.regions is not None and _is_the_list(source, options.regions):
        return empty, None
    reading = read_table(source, sheet, notes, options, limits)
    if reading.table is not None:
        # In a confidential table, features without a polygon are only missing from the map.
        notes.findings += [
            finding
            for finding in about_shapes.findings
            if finding.id != "not-polygons" or not notes.confidential
        ]
    return reading, features


def _of_points(
    source: Source, notes: Notebook, options: ReadOptions, limits: Limits
) -> Reading | None:
    """Return the reading of points whose attributes hold the counts, with a cell around each.

    The result is None if the file holds other shapes, or no counts.
    """
    from hierdp_core.readers.build.centres import centres_of_rows, with_centres
    from hierdp_core.readers.formats.shapes import attributes_of, read_points

    if {finding.id for finding in notes.findings} != {"points"}:
        return None
    own = Notebook(notes.file, confidential=notes.confidential)
    try:
        features = read_points(source, own, limits)
        if features is None:
            return None
        sheet = attributes_of(features, own, limits)
    except Unreadable as fault:
        notes.findings[:] = [fault.finding]
        return None
    guessed = guess(sheet, options.stated)
    counted = guessed.layout is not None and _NUMBERS & guessed.layout.words.keys()
    if options.layout is None and guessed.question is None and not counted:
        return None
    reading = read_table(source, sheet, own, options, limits)
    if reading.table is not None and not options.confidential:
        centres = centres_of_rows(sheet, reading)
        if centres is not None:
            reading = with_centres(reading, centres, own)
    notes.findings[:] = own.findings
    return reading


def _with_shapes(
    reading: Reading,
    source: Source,
    notes: Notebook,
    limits: Limits,
    parsed: "Features | None",
    *,
    named: bool,
) -> Reading:
    """Return the reading with boundaries, from `parsed` features if there are any.

    If `named`, areas of which only the codes are known get the names of their shapes.
    """
    from hierdp_core.readers.build.boundaries_from_files import with_boundaries
    from hierdp_core.readers.formats.shapes import read_shapes

    try:
        features = parsed or read_shapes(source, notes, limits)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return reading
    return with_boundaries(reading, features, notes, named=named)


def _main_table(
    sheets: Sequence[Sheet], options: ReadOptions, *, confidential: bool = False
) -> int:
    """Return the position of the table of counts: the one with the stated numbers, else a guess.

    Without such numbers, it is the first one if the data are confidential.
    """
    if len(sheets) == 1:
        return 0
    numbers = _stated_numbers(options)
    for place, sheet in enumerate(sheets):
        if numbers and numbers <= {*sheet.names}:
            return place
    if confidential:  # no row may decide this
        return 0
    guesses = [guess(sheet) for sheet in sheets]
    return next((i for i, one in enumerate(guesses) if _holds_numbers(sheets[i], one)), 0)


def _stated_numbers(options: ReadOptions) -> set[str]:
    """Return the columns of counts, sizes and groups that are stated."""
    words = options.stated if options.layout is None else options.layout.words
    numbers = {str(words.get(word, "")) for word in ("count", "size", "group")}
    return {*numbers, *words.get("sizes", ()), *words.get("parts", ())} - {""}


def _holds_numbers(sheet: Sheet, guessed: Guess) -> bool:
    """Return whether a table has counts or records, apart from columns that are doubted."""
    layout = guessed.layout
    choices = () if guessed.question is None else guessed.question.choices
    offered = [str(choice.stated["count"]) for choice in choices if choice.stated.get("count")]
    if offered:
        facts = SheetFacts(sheet)
        if all(doubt_about(facts, name) for name in offered):
            return False
    if layout is None:
        return bool(offered)
    flows = bool(layout.destinations)
    return bool(layout.count or layout.sizes) or flows or guessed.question is None


def _of_a_matrix(lookup: Sheet, sheet: Sheet, words: Mapping[str, Any], notes: Notebook) -> bool:
    """Return whether a lookup holds the rows of a matrix, which are its columns as well.

    For a confidential table, the settings `words` state whether it is a matrix.
    """
    if notes.confidential:
        return bool(words.get("matrix"))
    square = None if sheet.partial else find_matrix(sheet)
    join = None if square is None else find_join(sheet, lookup)
    return square is not None and join is not None and join.own == square.places


def _with_lookup(
    sheet: Sheet, lookup: Sheet, words: Mapping[str, Any], own: Notebook, notes: Notebook
) -> Sheet:
    """Return the table with the columns of a lookup; report an error if they share no codes.

    Args:
        sheet, lookup: the two tables.
        words: the settings, which state the rows that are left out and may have other codes.
        own: the findings of the lookup.
        notes: those of the table; receives the codes by which the two were joined.
    """
    columns = shared_pair(sheet, lookup)
    join: Join | list[str] | None = None
    if not sheet.partial and own.confidential:
        join = None if columns else public_join(sheet, lookup)
    elif not sheet.partial:
        join = find_join(sheet, lookup)
    if isinstance(join, list):
        shown = join_or([shown_code(name) for name in join])
        own.fault(
            "join-from-data",
            f"may be joined to the table by column {shown}"
            if join
            else "is a second table, but none of its columns that list each code once has the "
            "name of a column of the table",
            "The rows must not decide this, since a single record could then change all counts. "
            "Give one column of codes the same name in both tables, and no other column.",
        )
        return sheet
    if join is None and not sheet.partial and columns:
        sheet, lookup = (with_joined_codes(one, columns) for one in (sheet, lookup))
        join = Join(own=JOINED, other=JOINED, bare=False, shared=1.0)
    if join is None:
        own.fault(
            "second-table",
            "is a second table, but none of its columns lists the codes of the first, each once"
            if not sheet.partial
            else "is a second table, but the first is too large to be joined to it",
            "Give one table at a time, or correct the codes.",
        )
        return sheet
    codes = pc.unique(lookup.column(join.other)).to_pylist()
    notes.keys.update(code[: len(code) - join.cut] for code in codes)
    notes.keys.update(pc.unique(sheet.column(join.own)).to_pylist())
    left_out = words.get("leave_out", ())
    named = _columns_named(words)
    return join_lookup(sheet, lookup, join, own, left_out=left_out, named=named).without((JOINED,))


def _columns_named(words: Mapping[str, Any]) -> set[str]:
    """Return the columns that settings name, among other values."""
    values = [[value] if isinstance(value, str) else value for value in words.values()]
    texts = {str(one) for value in values if isinstance(value, (list, tuple)) for one in value}
    conditions = {text.partition("=")[0] for text in texts}
    return texts | conditions
