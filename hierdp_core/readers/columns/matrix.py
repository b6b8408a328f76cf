"""A matrix of flows between the regions of its rows and columns, read as one row for each pair."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, called_total
from hierdp_core.readers.columns.joined_names import column_of
from hierdp_core.readers.columns.region_columns import about_something_else
from hierdp_core.readers.columns.vocabulary import MISSING, NOT_A_COUNT, TOTAL_WORDS, plain_name
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_codes
from hierdp_core.util.text import by_number, counted

ORIGINS, DESTINATIONS = "origins", "destinations"  # what the rows of a matrix are
FROM, TO, FLOW = "origin", "destination", "flow"  # columns of the pairs
_LEADERS = r"\s*(\.{2,}|…+)\s*$"  # dots that lead from a name to its numbers
_NOTE_MARK = r"(?<=\w)\s*([*†‡#]+|[⁰¹²³⁴-⁹]+)$"  # of a footnote, behind a name
_SHOWN = 30  # names in a message
NAME, LABEL, CODE_PART = "name", "label", "code"  # what rows and columns have in common
_CODED = re.compile(r"(?:([0-9]{1,8})[\s_.:)–-]+)?(\D*?\D)(?:[\s_]*[(\[]?([0-9]{2,8})[)\]]?)?")
_HALF, _MOST = 0.5, 0.8  # proportion of the rows with a column of their name
_MIN_LABELLED = 5  # columns that agree with rows only in a part of their names
_MIN_DIGITS = 2  # digits of a code; shorter numbers may be anything
_MIN_REGIONS = 3  # columns that are named like rows; fewer may be so by chance
_MAX_REGIONS = 2_000  # rows of a matrix; longer lists are none


@dataclass(frozen=True, kw_only=True)
class FlowMatrix:
    """The part of a table that is a matrix of flows.

    Attributes:
        places: the column whose cells have the names of the other columns.
        columns: those columns.
        part: what cells and columns have in common: their whole "name", the "label" without a
            code, or the "code" alone.
        short: the plain name of the row for each column, where columns have short names of rows;
            else empty.
    """

    places: str
    columns: tuple[str, ...]
    part: str = NAME
    short: Mapping[str, str] = field(default_factory=dict)


def find_matrix(sheet: Sheet) -> FlowMatrix | None:
    """Return the matrix of flows that a table contains, by its names; None for other tables.

    At least three columns, and at least half as many as there are rows, must be named like cells of
    one column. Where only one side has codes, as in "13_Tokyo" and "Tokyo", at least five columns
    and four fifths of the rows must agree.
    """
    for part in (NAME, LABEL, CODE_PART):
        square = _matrix_by(sheet, part)
        if square is not None:
            return square
    return _matrix_of_short_names(sheet)


def _matrix_of_short_names(sheet: Sheet) -> FlowMatrix | None:
    """Return a matrix whose columns have short names of its rows, in the same order; else None.

    At least five neighbouring columns of numbers must abbreviate all rows but totals. Words that
    all of these columns share, such as "place of work", are not part of their names.
    """
    columns = {
        name: ColumnFacts(name, text) for name, text in zip(sheet.names, sheet.columns, strict=True)
    }
    numbers = [name for name in sheet.names if columns[name].numeric]
    for name in sheet.names:
        column = columns[name]
        if column.numeric or not _MIN_LABELLED <= column.distinct <= len(numbers) + 1:
            continue
        cells = [re.sub(_LEADERS, "", cell) for cell in column.text.to_pylist()]
        rows = [c for c in cells if c and not TOTAL_WORDS & {*plain_name(c).split("_")}]
        n_rows = len(rows)
        if len(set(rows)) < n_rows or n_rows < _MIN_LABELLED:
            continue
        for start in range(len(numbers) - n_rows + 1):
            run = numbers[start : start + n_rows]
            if all(map(abbreviates, _own_words(run), rows)):
                short = {name: _plain(row) for name, row in zip(run, rows, strict=True)}
                return FlowMatrix(places=name, columns=tuple(run), short=short)
    return None


def _own_words(names: Sequence[str]) -> list[str]:
    """Return the names without the first and last words that all of them share.

    >>> _own_words(["to NSW no.", "to Vic. no."])
    ['NSW', 'Vic.']
    """
    split = [name.split() for name in names]
    shortest = min(map(len, split)) - 1
    first = 0
    while first < shortest and len({words[first] for words in split}) == 1:
        first += 1
    last = 0
    while last < shortest - first and len({words[-1 - last] for words in split}) == 1:
        last += 1
    return [" ".join(words[first : len(words) - last]) for words in split]


def abbreviates(short: str, name: str) -> bool:
    """Return whether a text is a short form of a name: its initials, its beginning or its letters.

    >>> [abbreviates(short, "New South Wales") for short in ("NSW", "N.S.W.", "New S.", "NW", "SW")]
    [True, True, True, True, False]
    >>> abbreviates("Qld", "Queensland"), abbreviates("2021", "2021"), abbreviates("Tas.", "Texas")
    (True, False, True)
    """
    letters = "".join(filter(str.isalpha, short)).casefold()
    whole = "".join(filter(str.isalpha, name)).casefold()
    if not 2 <= len(letters) <= len(whole) or letters[0] != whole[0]:
        return False
    rest = iter(whole)
    return all(letter in rest for letter in letters)


def _matrix_by(sheet: Sheet, part: str) -> FlowMatrix | None:
    """Return the matrix whose rows and columns agree in a part of their names."""
    least, share = (_MIN_REGIONS, _HALF) if part == NAME else (_MIN_LABELLED, _MOST)
    matrices: list[FlowMatrix] = []
    for name, text in zip(sheet.names, sheet.columns, strict=True):
        column = ColumnFacts(name, text)
        if column.distinct > _MAX_REGIONS or (column.numeric and not _equally_often(column)):
            continue
        named = column.different.filter(pc.invert(pa.array(called_total(column.different))))
        cells = {_part(cell, part) for cell in named.to_pylist() if cell} - {""}
        if part == CODE_PART and not any(cell.startswith("0") for cell in cells):
            continue  # numbers without leading zeros may be anything
        called = tuple(_columns_of(sheet.names, name, cells, part))
        stems = {_stem(other) for other in called}
        if column.numeric and any(_of_series(_stem(name), stem) for stem in stems):
            continue  # one of a series of columns of numbers, such as "Age 56", or 6 beside 1 to 5
        if len(called) >= least and len(called) >= share * len(cells):
            matrices.append(FlowMatrix(places=name, columns=called, part=part))
    return max(matrices, key=lambda square: len(square.columns), default=None)


def _equally_often(column: ColumnFacts) -> bool:
    """Return whether all numbers occur equally often, as codes of regions do and counts do not."""
    return len(np.unique(np.bincount(column.index)[column.index])) == 1


def _of_series(own: str, stem: str) -> bool:
    """Return whether the name of a column continues a series of names, all without digits."""
    return own.startswith(stem) if stem else own in ("", "+")


def _stem(name: str) -> str:
    """Return the name of a column without its digits."""
    return re.sub("[0-9]+", "", _plain(name)).strip()


def matrix_as_pairs(sheet: Sheet, rows: str, notes: Notebook) -> Sheet:
    """Return one row for each pair of regions, with the number in the cell where they meet.

    Rows and columns without a counterpart of the same name, such as totals, are left out. So are
    marks of missing numbers on the diagonal.

    Args:
        sheet: the matrix.
        rows: what its rows are, "origins" or "destinations".
        notes: receives the corrections.

    Raises:
        Unreadable: rows and columns have different names.
    """
    square = find_matrix(sheet)
    if square is None:
        raise notes.unreadable(
            "no-matrix", "is not a matrix, because its columns do not have the names of its rows",
            "Remove the setting matrix.",
        )  # fmt: skip
    part = square.part
    region = {
        _part(cell, part): re.sub(_LEADERS, "", cell)
        for cell in sheet.column(square.places).to_pylist()
    }
    named = dict(square.short) or {
        name: _called_after(name, region, part)[0] for name in square.columns
    }
    called = set(named.values()) - _sums(sheet, square, named)
    cells = sheet.column(square.places).to_pylist()
    inside = np.array([_part(cell, part) in called for cell in cells], dtype=np.bool_)
    bare = pc.replace_substring_regex(sheet.column(square.places), _LEADERS, "")
    whole = sheet.with_column(square.places, bare).take(inside)
    square = replace(square, columns=tuple(n for n in square.columns if named[n] in called))
    ends = whole.column(square.places)
    above = _about_regions(whole, square)
    rows_out = [cell for cell, own in zip(cells, inside, strict=True) if not own]
    _report_left_out(sheet, square, above, rows_out, notes)
    columns = [
        pa.array([region[named[name]]] * whole.n_rows, pa.string()) for name in square.columns
    ]
    here = pa.concat_arrays([ends] * len(columns))
    there = pa.concat_arrays(columns)
    flow = pa.concat_arrays([whole.column(name) for name in square.columns])
    names = (FROM, TO) if rows == ORIGINS else (TO, FROM)
    known = dict.fromkeys(ends.to_pylist())
    at = pc.index_in(there, value_set=pa.array(list(known), pa.string()))
    first = pa.array([ends.index(place).as_py() for place in known], pa.int64())
    beside: dict[str, Text] = {}
    for name in above:
        cells = whole.column(name)
        beside[name] = pa.concat_arrays([cells] * len(columns))
        beside[column_of(name, names[1])] = cells.take(first).take(at)
    pairs = Sheet(
        file=sheet.file,
        names=(*names, *beside, FLOW),
        columns=(here, there, *beside.values(), flow),
        rows=None if whole.rows is None else np.tile(whole.rows, len(columns)),
        separator=sheet.separator,
    )
    return pairs.take(~_diagonal_without_number(pairs))


def _about_regions(sheet: Sheet, square: FlowMatrix) -> list[str]:
    """Return columns beside a matrix with the names or the upper levels of the regions."""
    facts = SheetFacts(sheet)
    if facts[square.places].distinct < facts.n_rows:
        return []
    return [
        name for name in sheet.names
        if name not in (*square.columns, square.places) and not facts[name].numeric
        and facts[name].distinct_filled > 1 and not about_something_else(facts, name)
        and not facts[name].fractions
    ]  # fmt: skip


def _sums(sheet: Sheet, square: FlowMatrix, named: Mapping[str, str]) -> set[str]:
    """Return regions whose column is the sum of all other columns in every row: totals."""
    numbers = {name: ColumnFacts(name, sheet.column(name)).values for name in square.columns}
    together = np.nansum(list(numbers.values()), axis=0)
    return {
        named[name]
        for name, values in numbers.items()
        if len(numbers) > _MIN_REGIONS
        and np.nansum(values) > 0
        and (2 * np.nan_to_num(values) == together).all()
    }


def _columns_of(
    names: Sequence[str], places: str, regions: Collection[str], part: str
) -> list[str]:
    """Return the columns named after regions that all end in the same words, such as "estimate".

    Columns of the margins of error beside them end in other words.
    """
    by_end: dict[str, dict[str, str]] = {}  # for each ending, one column for each region
    for name in names:
        region, end = _called_after(name, regions, part) if name != places else ("", "")
        if region:
            by_end.setdefault(end, {}).setdefault(region, name)
    counts = [end for end in by_end if not NOT_A_COUNT.fullmatch(plain_name(end))]
    return [*by_end[max(counts, key=lambda end: len(by_end[end]))].values()] if counts else []


def _called_after(name: str, regions: Collection[str], part: str = NAME) -> tuple[str, str]:
    """Return the region in the name of a column and the words after it; empty if there is none.

    A header of several rows may put words such as "place of work" before the region.

    >>> _called_after("State a year ago New York Estimate", ["york", "new york"])
    ('new york', 'estimate')
    """
    if part != NAME:
        own = _part(name, part)
        return (own, "") if own and own in regions else ("", "")
    words = _plain(name).split()
    for end in range(len(words), 0, -1):
        for start in range(end):
            if (region := " ".join(words[start:end])) in regions:
                return region, " ".join(words[end:])
    return "", ""


def _plain(name: str) -> str:
    bare = re.sub(_NOTE_MARK, "", re.sub(_LEADERS, "", name).strip())
    return " ".join(bare.split()).casefold()


def _part(name: str, part: str) -> str:
    """Return the part of a name by which rows and columns are compared; empty if it has none.

    >>> _part("13_Tokyo", LABEL), _part("Tokyo (13)", LABEL), _part("Tokyo", LABEL)
    ('tokyo', 'tokyo', 'tokyo')
    >>> _part("13_Tokyo", CODE_PART), _part("013", CODE_PART), _part("13", CODE_PART)
    ('13', '013', '13')
    """
    plain = _plain(name)
    if part == NAME:
        return plain
    match = _CODED.fullmatch(plain)
    code, label, last = match.groups() if match is not None else ("", "", "")
    if part == LABEL:
        return label or ("" if plain.isdigit() else plain)
    number = code or last or ""
    if number or not plain.isdigit():
        return number
    return plain if len(plain) >= _MIN_DIGITS else ""


def _diagonal_without_number(pairs: Sheet) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which pairs of a region with itself have no number, shape (n_rows,)."""
    same = as_mask(pc.equal(pairs.column(FROM), pairs.column(TO)))
    blank = as_mask(pc.match_substring_regex(pairs.column(FLOW), f"^({MISSING})?$"))
    return np.asarray(same & blank, dtype=np.bool_)


def _report_left_out(
    sheet: Sheet, square: FlowMatrix, kept: Sequence[str], rows: Sequence[str], notes: Notebook
) -> None:
    others = [n for n in sheet.names if n not in (*square.columns, square.places, *kept)]
    notes.left_out += [(name,) for name in (*others, *rows)]
    for what, names in (("row", rows), ("column", others)):
        if names:
            counterpart = "column" if what == "row" else "row"
            n_names = counted(len(names), what)
            were = by_number(len(names), "was", "were")
            notes.repair(
                f"beside-matrix-{what}s",
                f"{n_names} without a {counterpart} of the same name {were} left out: "
                f"{shown_codes(names, shown=_SHOWN)}",
            )
