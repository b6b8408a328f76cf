"""Rows that number the columns of a printed table, such as "1 2 3" or "a b c" below its header."""

import re
from collections.abc import Sequence
from itertools import pairwise
from unicodedata import normalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.vocabulary import LEVEL_WORDS, PLACE, plain_name
from hierdp_core.readers.formats.cells import NUMBER, Row, filled, is_year
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code, shown_codes
from hierdp_core.util.arrays import BoolArray
from hierdp_core.util.text import by_number, counted

_FEWEST = 3  # column numbers; fewer must be in brackets
_MANY = 6  # numbers that count up from 1 in one row; so many are never counts
_HEADER_ROWS = 6  # above the numbers
_BELOW = 50  # rows whose numbers are compared
_SHARE = 0.5  # of the columns that hold no larger numbers than the row
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмнопрстуфхцчшщэюя", "αβγδεζηθικλμνξοπρστυφχψω",
    "甲乙丙丁戊己庚辛壬癸",
)  # fmt: skip
_ROMAN = (
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv",
    "xvi", "xvii", "xviii", "xix", "xx",
)  # fmt: skip
_YEAR = re.compile("(?<![0-9])(19|20)[0-9]{2}(?![0-9])")
_STATED = re.compile(r"([^\W\d_][^:：]{1,24})[:：](.*\S.*)")  # "Region: North"
_SHOWN = 4
_COLUMN = (
    r"(spalten?|sp|columns?|col|cols|colonnes?|columnas?|colunas?|colonn[ae]|kolom(men)?|kolumn(a|er)?|"
    r"kolonn[ea]r?|kol|sarake|sloupec|stlpec|stĺpec|oszlop|veerg|stulpelis|aile|coloana|sutun|sütun|"
    r"stupac|stolpec|граф[аы]|гр|столбец|колона|колонка|στήλη|列|欄|栏|열)"
)
_NUMBERED = r"(nos?|nrs?|nummer|number|numero|núm(ero)?|num|n°|nº|№|lfd|lp|sl|sr|sn|s|serial|#)"
_TITLE = re.compile(rf"({_COLUMN}|{_NUMBERED})([ ._-]*({_COLUMN}|{_NUMBERED}))?[ .:]*")
_PREFIX = re.compile(rf"{_COLUMN}[ .:_-]*(?=\d)")
_FORMULA = re.compile(r"(?P<own>[^=:]{1,5}?)\s*[=:]\s*[\da-zа-я()\[\]+\-−–*×x/÷:.,% ]+")
_AS_SUM = re.compile(r"(?P<own>\d{1,2})\s*[(\[][\d+\-−–*×/÷:., =]+[)\]]")
_ORDINAL = re.compile(r"(\d{1,3})([a-z]?)")
_ZEROS = re.compile(r"\.0+$")  # of numbers that a program stored with decimals

Ordinal = tuple[str, int, int]  # the kind, the place, and that of a letter behind it


def numbering_place(rows: Sequence[Row]) -> int | None:
    """Return the position of the row that numbers the columns; None if there is none.

    Args:
        rows: the first rows of a file, with the header.
    """
    seen = 0
    for place, row in enumerate(rows):
        if seen > 1 + _HEADER_ROWS and _all_numbered(row) is None:
            continue
        above = _header_above(rows, place)
        below = [other for other in rows[place + 1 :] if filled(other)][:_BELOW]
        if above and below and numbers_columns(row, above, below):
            return place
        seen += filled(row) > 1
    return None


def numbers_columns(row: Row, header: Sequence[Row], below: Sequence[Row]) -> bool:
    """Return whether a row numbers the columns that a header names.

    The numbers count up from the first column, or from the first after blank cells or a word such
    as "column". A row of sizes also counts up, but the names above it are the same for all of them.
    A row of counts or codes is continued by the rows below.

    >>> names, rows = [["area", "men", "women"]], [["a", "70", "80"], ["b", "90", "60"]]
    >>> numbers_columns(["(1)", "(2)", "(3)"], names, rows)
    True
    >>> numbers_columns(["", "1", "2"], [["area", "size", ""]], rows)
    False
    """
    places = _all_numbered(row)
    if places is None:
        return False
    first = next(k for k, cell in enumerate(row) if cell.strip())
    if first and not _distinct_names(header, places):
        return False
    if any(_holds_numbers(names, places) for names in header):
        return False
    cells = [_plain(row[k]) for k in places]
    bracketed = all(cell[:1] in "([" for cell in cells)
    whole = len(row) == len(places) and all(_ordinal(cell) == ("1", k, 0)
                                            for k, cell in enumerate(cells, start=1))  # fmt: skip
    if bracketed and not any(_all_numbered(other) for other in below[:1]):
        return True
    if whole and len(places) >= _MANY:
        return True
    if len(places) < _FEWEST and not (whole and _are_words(below, 0)):
        return False
    if places[0] == 0 and _goes_on(row, below):
        return False
    return not _like_counts(cells, places, below)


def _all_numbered(row: Row) -> list[int] | None:
    """Return the positions of the numbers if all cells after a title number columns, else None."""
    cells = [_plain(cell) for cell in row]
    places = [k for k, cell in enumerate(cells) if cell]
    if places and _TITLE.fullmatch(cells[places[0]]) and not _is_first(cells[places[0]]):
        places = places[1:]
    if len(places) < 2:
        return None
    ordinals = [_ordinal(cells[k]) for k in places]
    if any(one is None for one in ordinals):
        ordinals = [_roman(cells[k]) for k in places]
    known = [one for one in ordinals if one is not None]
    if len(known) < len(ordinals):
        return None
    # The numbers may count columns that are left blank, as below merged cells.
    by_place = len({one[1] - k for one, k in zip(known, places, strict=True)}) == 1
    starts = known[0][1] in (0, 1) or (by_place and known[0][1] in (places[0], places[0] + 1))
    counts_up = all(_follows(one, two) for one, two in pairwise(known))
    same_kind = len({one[0] for one in known}) == 1
    letters = known[0][0] != "1"
    if letters and len(places) < _FEWEST:
        return None
    return places if starts and (counts_up or (by_place and same_kind)) else None


def _is_first(cell: str) -> bool:
    one = _ordinal(cell) or _roman(cell)
    return one is not None and one[1] == 1


def _plain(cell: str) -> str:
    return _ZEROS.sub("", normalize("NFKC", cell).strip().lower())


def _ordinal(cell: str) -> Ordinal | None:
    """Return the number or letter of a column, such as 3 of "(3)", "Sp. 3" or "3 = 1 + 2"."""
    bare = cell.strip("[] ")
    bare = _PREFIX.sub("", bare)
    for pattern in (_FORMULA, _AS_SUM):
        match = pattern.fullmatch(bare)
        bare = match["own"] if match else bare
    bare = bare.strip("()[] .")
    match = _ORDINAL.fullmatch(bare)
    if match is not None:
        return "1", int(match[1]), _ALPHABETS[0].find(match[2]) + 1 if match[2] else 0
    for alphabet in _ALPHABETS:
        if len(bare) == 1 and bare in alphabet:
            return alphabet[0], alphabet.index(bare) + 1, 0
    return None


def _roman(cell: str) -> Ordinal | None:
    bare = cell.strip("()[] .")
    return ("i", _ROMAN.index(bare) + 1, 0) if bare in _ROMAN else None


def _follows(one: Ordinal, two: Ordinal) -> bool:
    """Return whether a column comes after another, as 3 after 2, 2b after 2a and 1 after A."""
    if one[0] != two[0]:
        return one[0] != "1" and two[0] == "1" and two[1] == 1
    if two[1] == one[1]:
        return two[2] == one[2] + 1
    return two[1] == one[1] + 1 and two[2] <= 1


def _header_above(rows: Sequence[Row], place: int) -> list[Row]:
    """Return the rows of the same width directly above a row, blank ones between left out."""
    width = len(rows[place])
    above: list[Row] = []
    for row in reversed(rows[:place]):
        if not filled(row) and not above:
            continue
        if not filled(row) or len(row) != width or len(above) == _HEADER_ROWS:
            break
        above.insert(0, row)
    return above if any(filled(row) > 1 for row in above) else []


def _distinct_names(header: Sequence[Row], places: Sequence[int]) -> bool:
    """Return whether a header has a name of its own for each of some columns."""
    spread: list[list[str]] = []
    for row in header:
        over, cells = "", []
        for cell in row:
            over = cell.strip() or over
            cells.append(over)
        spread.append(cells)
    names = [tuple(row[k] for row in spread) for k in places]
    return len(set(names)) == len(names) and all(any(name) for name in names)


def _holds_numbers(row: Row, places: Sequence[int]) -> bool:
    """Return whether a row above holds data: numbers that are not years or sizes."""
    cells = [row[k].strip() for k in places if row[k].strip()]
    numbers = [c for c in cells if NUMBER.fullmatch(c) and not is_year(c)]
    sizes = [int(c) for c in numbers if c.isdecimal()]
    rising = len(sizes) == len(numbers) and all(two == one + 1 for one, two in pairwise(sizes))
    return 2 * len(numbers) > len(cells) and not rising


def _are_words(rows: Sequence[Row], place: int) -> bool:
    cells = [row[place].strip() for row in rows if place < len(row) and row[place].strip()]
    return bool(cells) and not any(NUMBER.fullmatch(cell) for cell in cells)


def _goes_on(row: Row, below: Sequence[Row]) -> bool:
    """Return whether the first cell is a code or a number of a row that the next row continues."""
    own = _ordinal(_plain(row[0])) or _roman(_plain(row[0]))
    cell = _plain(below[0][0])
    after = _ordinal(cell) or _roman(cell)
    if own is None or after is None or cell.startswith("0"):
        return False
    return _follows(own, after)


def _like_counts(cells: Sequence[str], places: Sequence[int], below: Sequence[Row]) -> bool:
    """Return whether most columns also hold numbers as small as those of the row."""
    small = 0
    for cell, place in zip(cells, places, strict=True):
        own = _ordinal(cell)
        if own is None or own[0] != "1":
            continue
        others = [row[place].strip() for row in below if place < len(row)]
        small += any(other.isdecimal() and int(other) <= own[1] for other in others)
    return small > _SHARE * len(places)


def without_column_numbers(sheet: Sheet, notes: Notebook) -> Sheet:
    """Return a table without rows that number its columns or repeat its header.

    A reader of texts and workbooks leaves out the numbers directly below a header. Pages that were
    joined repeat them, and other formats keep them as the first row.
    """
    if sheet.partial or sheet.n_rows < 2 or len(sheet.names) < 2:
        return sheet
    heads = _repeats_header(sheet)
    rest = sheet.take(~heads) if heads.any() else sheet
    numbers = np.zeros(sheet.n_rows, dtype=np.bool_)
    numbers[~heads] = _repeats_numbers(rest)
    known = any(finding.id == "column-numbers" for finding in notes.findings)
    if not known and numbers.sum() < 2 and not heads.any():
        numbers[:] = False
    shown = rest.preview(1 + _BELOW) if rest.n_rows > 1 else []
    if shown and numbers_columns(shown[0], [sheet.names], shown[1:]):
        numbers[np.flatnonzero(~heads)[0]] = True
    if n_heads := int(heads.sum()):
        were = by_number(n_heads, "repeats the header and was", "repeat the header and were")
        notes.repair("repeated-header", f"{counted(n_heads, 'row')} {were} left out")
    if n_numbers := int(numbers.sum()):
        were = by_number(n_numbers, "was", "were")
        rows = counted(n_numbers, "row")
        notes.repair("column-numbers", f"{rows} with the numbers of the columns {were} left out")
    left = ~(heads | numbers)
    if left.all() or not left.any():
        return sheet
    notes.left_out += sheet.rows_where(~left)
    blocks = None if notes.confidential else _titles_of_blocks(sheet, heads, numbers)
    if blocks is None:
        return sheet.take(left)
    column, titles, of_areas = blocks
    if of_areas:
        notes.repair(
            "titles-of-blocks",
            f"titles of blocks that stand below each other state areas "
            f"({shown_codes(list(dict.fromkeys(titles)), shown=_SHOWN)}), which were put into a "
            f"new column {shown_code(column)}",
        )
        return sheet.with_first_column(column, pa.array(titles, pa.string())).take(left)
    notes.repair(
        "blocks-below",
        f"blocks with the same areas stand below each other, so their titles "
        f"({shown_codes(list(dict.fromkeys(titles)), shown=_SHOWN)}) were put into a new column "
        f"{shown_code(column)}",
    )
    return sheet.with_column(column, pa.array(titles, pa.string())).take(left)


def _titles_of_blocks(
    sheet: Sheet, heads: BoolArray, numbers: BoolArray
) -> tuple[str, list[str], bool] | None:
    """Return a column for the blocks below each repeated header, and its cell for each row.

    The third value is whether the cells are areas above those of the blocks, which each title
    states as in "Province: Ash". Other pages of one table have no such column. Blocks with the same
    areas are about several years or measures, so they must not be added up. Years stand in a column
    of years.
    """
    starts = np.flatnonzero(heads & ~np.roll(heads, 1))
    ends = np.flatnonzero(heads & ~np.roll(heads, -1))
    if not len(starts) or heads[0]:
        return None
    lone = [_lone_cell(sheet, start) if end > start else "" for start, end in
            zip(starts.tolist(), ends.tolist(), strict=True)]  # fmt: skip
    titles = [sheet.heading.rpartition(" / ")[2], *lone]
    block = np.cumsum(heads & ~np.roll(heads, 1)).tolist()
    if (stated := _stated_areas(titles)) and stated[0] not in sheet.names:
        return stated[0], [stated[1][k] for k in block], True
    words = next((column for column in sheet.columns if _are_mostly_words(column)), None)
    if words is None:
        return None
    cells = ["" if out else cell for out, cell in zip(numbers, words.to_pylist(), strict=True)]
    if not _share_areas(cells, [0, *(ends + 1)], [*starts, len(heads)]):
        return None
    column, titles = _years_or_titles(titles, sheet.names)
    return column, [titles[k] for k in block], False


def _years_or_titles(titles: list[str], names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the name of a new column and its cell for each block: its year, or its title."""
    if not all(titles) or len({*titles}) < len(titles):
        titles = [f"block {k}" for k in range(1, len(titles) + 1)]
    years = [match[0] for title in titles if (match := _YEAR.search(title))]
    column = "indicator"
    if len({*years}) == len(titles) == len(years):
        titles, column = years, "year"
    while column in names:
        column = f"{column} of block"
    return column, titles


def _stated_areas(titles: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return the kind of areas that all titles state, such as "Region", and their names.

    >>> _stated_areas(["Region: North", "Region: South"])
    ('Region', ['North', 'South'])
    >>> _stated_areas(["Table: 1", "Table: 2"])
    """
    matches = [_STATED.fullmatch(title.strip()) for title in titles]
    found = [(match[1].strip(), match[2].strip()) for match in matches if match is not None]
    labels, names = {label for label, _ in found}, [name for _, name in found]
    if len(found) < len(titles) or len(labels) > 1 or len({*names}) < len(names):
        return None
    (label,) = labels
    plain = plain_name(label)
    return (label, names) if plain in LEVEL_WORDS or PLACE.search(plain) else None


def _share_areas(cells: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> bool:
    """Return whether at least half of the names of each block are those of the first one."""
    blocks = [{*cells[start:end]} - {""} for start, end in zip(starts, ends, strict=True)]
    return all(2 * len(block & blocks[0]) >= max(len(block), 2) for block in blocks)


def _lone_cell(sheet: Sheet, row: int) -> str:
    """Return the only filled cell of a row; empty for other rows."""
    cells = [cell for column in sheet.columns if (cell := column[row].as_py())]
    return cells[0] if len(cells) == 1 else ""


def _are_mostly_words(column: Text) -> bool:
    cells = [cell for cell in column.slice(0, _BELOW).to_pylist() if cell]
    return bool(cells) and 2 * sum(bool(NUMBER.fullmatch(cell)) for cell in cells) < len(cells)


def _repeats_header(sheet: Sheet) -> BoolArray:
    """Return the rows whose cells are the names of their columns, shape (n_rows,).

    A header of several rows, whose names were joined, is repeated in several rows, each with parts
    of the names. One of them has a whole name. A lone cell above them is the title of the page.
    """
    repeats = np.ones(sheet.n_rows, dtype=np.bool_)
    n_same = np.zeros(sheet.n_rows, dtype=np.int32)
    n_filled = np.zeros(sheet.n_rows, dtype=np.int32)
    whole = np.zeros(sheet.n_rows, dtype=np.bool_)
    for name, column in zip(sheet.names, sheet.columns, strict=True):
        same = as_mask(pc.is_in(column, value_set=_parts_of_name(name)))
        blank = as_mask(pc.equal(column, ""))
        repeats &= same | blank
        n_same += same
        n_filled += ~blank
        whole |= as_mask(pc.equal(column, name)) & (not name.isdecimal())
        if not repeats.any():
            return repeats
    repeats &= n_same > 1
    run = np.cumsum(np.diff(repeats, prepend=False))  # rows of one run have the same odd number
    repeats &= np.isin(run, np.unique(run[repeats & whole]))
    first = np.flatnonzero(repeats & ~np.roll(repeats, 1))
    titles = first[first > 0] - 1
    repeats[titles[n_filled[titles] == 1]] = True
    return repeats


def _parts_of_name(name: str) -> Text:
    """Return a name of a column with its beginnings and endings of whole words."""
    words = name.split(" ")
    parts = {" ".join(words[:k]) for k in range(1, len(words) + 1)}
    return pa.array(sorted(parts | {" ".join(words[k:]) for k in range(1, len(words))}))


def _repeats_numbers(sheet: Sheet) -> BoolArray:
    """Return the rows whose cells are 1, 2, 3 … by the places of their columns, shape (n_rows,)."""
    n_columns = len(sheet.names)
    if n_columns < _FEWEST:
        return np.zeros(sheet.n_rows, dtype=np.bool_)
    first = as_mask(pc.is_in(sheet.columns[0], value_set=_spellings(1)))
    for place, column in enumerate(sheet.columns[1:], start=2):
        if not first.any():
            break
        first &= as_mask(pc.is_in(column, value_set=_spellings(place)))
    if not first.any() or _are_records(sheet, first):
        return np.zeros(sheet.n_rows, dtype=np.bool_)
    return first


def _are_records(sheet: Sheet, numbers: BoolArray) -> bool:
    """Return whether most columns also hold numbers as small in other rows, as codes do."""
    rest = sheet.take(~numbers).preview(_BELOW)
    places = range(len(sheet.names))
    return _like_counts([str(place + 1) for place in places], places, rest)


def _spellings(number: int) -> Text:
    return pa.array([str(number), f"({number})", f"[{number}]", f"{number}."])
