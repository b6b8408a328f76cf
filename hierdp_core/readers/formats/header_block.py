"""The block of numbers in a table, and the rows above it that name its columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hierdp_core.readers.columns.vocabulary import CATEGORY, LEVEL_WORDS, PLACE, plain_name
from hierdp_core.readers.formats.cells import (
    BOUND,
    LONG,
    MARK,
    VALUE,
    YEAR,
    Row,
    count_up,
    count_up_again,
    filled,
    in_brackets,
    mostly_numbers,
)

_MOST_HEADER = 6  # rows of a header
_LEAST_TITLED = 3  # columns of numbers below a title
_LONG_TITLE = 40  # characters of a title, of which the name of a column rarely has as many
_HEADINGS = 3  # rows without numbers between a header and the first row of numbers
_AXIS_WORDS = 3  # in the longest name of a category
_STATED = re.compile(r"([^\W\d_][^:：]{1,24})[:：]\s*\S.*")  # "Province: Ash"
_TABLE_NUMBER = re.compile(r"[0-9]{1,3}([.][0-9]{1,2}){2,}")  # "3.1.1", before a title
_VALUES = frozenset({"urban", "rural"})  # of a category that is called after both


@dataclass(frozen=True, kw_only=True)
class Header:
    """The names of the columns, and their position in the file.

    Attributes:
        names: the names of the columns.
        preamble: the number of rows above the table that are left out.
        rows: the number of rows of the header; 0 for none.
    """

    names: tuple[str, ...]
    preamble: int
    rows: int = 1


def block_of(rows: Sequence[Row], width: int) -> Header | None:
    """Return the header above the first row of numbers; None where it is not clear.

    Its rows have words above the columns of numbers. A name also applies to the blanks to its
    right, as in merged cells.
    """
    numeric = _numeric_places(rows, width)
    first = next((k for k, row in enumerate(rows) if _holds_numbers(rows, k, numeric, width)), 0)
    end = first
    while end and not _is_header_row(rows[end - 1], numeric, width):
        end -= 1
    if not numeric or not end or first - end > _HEADINGS:
        return None
    start = end
    if end < first and _completes(rows[end - 1], rows[end], numeric, width):
        end += 1  # the names of the other columns stand below those of the numbers
    while start and end - start < _MOST_HEADER and _is_header_row(rows[start - 1], numeric, width):
        start -= 1
    while end - start > 1 and _is_a_title(rows[start], rows[start + 1 : end], numeric, width):
        start += 1
    names = _joined_rows(rows[start:end], width)
    if not any(names[place] for place in numeric):
        return None
    # Below a title, a single name over the last column leaves the columns of regions without one.
    single = start > 0 and bool(names[-1]) and not any(names[:-1])
    if sum(bool(name) for name in names) < 2 and not single:
        return None
    return Header(names=names, preamble=start, rows=end - start)


def _completes(above: Row, row: Row, numeric: Sequence[int], width: int) -> bool:
    """Return whether a row names two columns or more, of which the row above names none.

    The row above only names columns of numbers.
    """
    if len(row) != width or states_places(row):
        return False
    over = {place for place in range(width) if above[place].strip()}
    own = {place for place in range(width) if row[place].strip()}
    words = not any(VALUE.fullmatch(row[place].strip()) for place in own)
    return over <= {*numeric} and len(own) > 1 and not own & {*numeric} and words


def _is_a_title(row: Row, below: Sequence[Row], numeric: Sequence[int], width: int) -> bool:
    """Return whether the first row of a header has one long text over all columns of numbers.

    The rows below it then name each of these columns.
    """
    over = [row[place].strip() for place in numeric]
    texts = {text for text in over if text and not _TABLE_NUMBER.fullmatch(text)}
    if len(numeric) < _LEAST_TITLED or len(texts) != 1 or len(max(texts)) < _LONG_TITLE:
        return False
    names = _joined_rows(below, width)
    named = [names[place] for place in numeric]
    return all(named) and len({*named}) == len(named)


def _numeric_places(rows: Sequence[Row], width: int) -> list[int]:
    """Return the positions of columns of numbers, judged by the lower half of the rows."""
    whole = [row for row in rows if len(row) == width and filled(row) > 1]
    below = whole[len(whole) // 2 :]
    return [
        place for place in range(width)
        if mostly_numbers([row[place].strip() for row in below if row[place].strip()])
    ]  # fmt: skip


def _holds_numbers(rows: Sequence[Row], place: int, numeric: Sequence[int], width: int) -> bool:
    """Return whether a row holds data: numbers that are not years or sizes of a header."""
    row = rows[place]
    if len(row) != width:
        return False
    cells = [row[k].strip() for k in numeric if row[k].strip()]
    cells = [cell for cell in cells if not _is_hidden(cell, cells, rows[place + 1 :])]
    numbers = [
        cell for cell in cells if VALUE.fullmatch(cell) and not _TABLE_NUMBER.fullmatch(cell)
    ]
    if not numbers or 2 * len(numbers) < len(cells):
        return False
    named = any(row[k].strip() for k in range(width) if k not in numeric)
    if all(YEAR.fullmatch(cell) for cell in numbers):
        if _names_a_level(row, numeric):
            return False
        above = rows[place - 1] if place and len(rows[place - 1]) == width else ()
        spanned = above and all(is_spanned(above, k) for k in numeric if row[k].strip())
        return place > 0 and named and not (spanned and len(numbers) > 1)
    sizes = count_up(numbers) or count_up_again(numbers)
    return named or not sizes or _below_names(rows, place)


def _is_hidden(cell: str, cells: Sequence[str], below: Sequence[Row]) -> bool:
    """Return whether a cell such as "<5" stands for a small count and does not name a size.

    A row has it several times, or rows below have it in columns of numbers.
    """
    if not BOUND.fullmatch(cell):
        return False
    return cells.count(cell) > 1 or any(cell in (own.strip() for own in row) for row in below)


def _below_names(rows: Sequence[Row], place: int) -> bool:
    """Return whether a whole row of numbers lies below a row that names every column in words."""
    above = [cell.strip() for cell in rows[place - 1]] if place else []
    cells = [cell.strip() for cell in rows[place]]
    if len(above) != len(cells) or not all(above) or not all(map(VALUE.fullmatch, cells)):
        return False
    return len({*above}) == len(above) and not any(map(VALUE.fullmatch, above))


def _names_a_level(row: Row, numeric: Sequence[int]) -> bool:
    """Return whether a row with years also names a level, as a header does."""
    words = [plain_name(cell) for k, cell in enumerate(row) if k not in numeric and cell.strip()]
    return bool(words) and all(word in LEVEL_WORDS for word in words)


def _is_header_row(row: Row, numeric: Sequence[int], width: int) -> bool:
    """Return whether a row has words above columns of numbers, and no marks of missing values."""
    if len(row) != width:
        return False
    if states_places(row):
        return False
    over = [row[place].strip() for place in numeric if row[place].strip()]
    words = [cell for cell in over if not MARK.fullmatch(cell)]
    if len(words) < len(over) or not words:
        return False
    others = [row[place].strip() for place in range(width) if place not in numeric]
    if any(others) and all(in_brackets(cell) for cell in over):
        return any(in_brackets(cell) for cell in others)  # else a record with a marked count
    return filled(row) > 1 or (not row[0].strip() and len(words[0]) <= LONG)


def _joined_rows(rows: Sequence[Row], width: int) -> tuple[str, ...]:
    """Return the joined names of several rows; a name also applies to the blanks after it.

    It ends where the name above it ends. Names of categories, such as "Sex", are left out.
    """
    parts: list[list[str]] = [[] for _ in range(width)]
    over = [""] * width
    rows = [*(from_the_left(row, below) for row, below in pairwise(rows)), *rows[-1:]]
    for k, row in enumerate(rows):
        below = rows[k + 1 :]
        spread: list[str] = []
        for place, cell in enumerate(row):
            own = cell.strip()
            named_below = any(lower[place].strip() for lower in below)
            inside = place > 0 and over[place] == over[place - 1]
            if not own and named_below and inside and spread:
                own = spread[-1]
            spread.append(own)
        over = [f"{above}\0{own}" for above, own in zip(over, spread, strict=True)]
        for place, own in enumerate(spread):
            axis = _axis(own) and any(lower[place].strip() for lower in below)
            if own and not axis and own not in parts[place]:
                parts[place].append(own)
    return tuple(" ".join(words) for words in parts)


def from_the_left(row: Row, below: Row) -> Row:
    """Return a row of a header whose names stand over the middle of their columns, moved left.

    The row below then repeats the same names, such as "Buildings, Units, Value", and each
    repetition has one name above it, always over the same of them.
    """
    names = [cell.strip() for cell in below]
    width = len(names)
    for period in range(2, width // 2 + 1):
        start = width - period
        while start and names[start - 1] and names[start - 1] == names[start - 1 + period]:
            start -= 1
        blocks = range(width - (width - start) // period * period, width, period)
        if len(blocks) < 2 or len({*names[-period:]}) < period:
            continue
        over = [[k for k in range(period) if row[first + k].strip()] for first in blocks]
        if over[0] and over[0][0] and all(places == over[0][:1] for places in over):
            moved = [cell if place < blocks[0] else "" for place, cell in enumerate(row)]
            for first in blocks:
                moved[first] = row[first + over[0][0]]
            return tuple(moved)
    return row


def _axis(name: str) -> bool:
    plain = plain_name(name)
    if plain in _VALUES:
        return False
    return bool(CATEGORY.fullmatch(plain)) and len(plain.split("_")) <= _AXIS_WORDS


def states_places(row: Row) -> bool:
    """Return whether a row only states places of a form, such as "Province: Ash" and "Town: Elm".

    Names of columns such as "Region: North" and "Region: South" repeat the word before the colon.
    """
    matches = [_STATED.fullmatch(cell.strip()) for cell in row if cell.strip()]
    labels = [plain_name(match[1]) for match in matches if match is not None]
    return (
        0 < len(labels) == len(matches) == len({*labels}) < len(row)
        and all(label in LEVEL_WORDS or PLACE.search(label) for label in labels)
    )  # fmt: skip


def is_spanned(header: Row, place: int) -> bool:
    """Return whether a column shares its name in the header with others."""
    name = header[place].strip()
    after = header[place + 1].strip() if place + 1 < len(header) else name
    return not name or not after or [cell.strip() for cell in header].count(name) > 1
