"""Tests of cells and rows of text: numbers, years, marks of missing values and filled cells."""

import re
from collections import Counter
from collections.abc import Sequence

from hierdp_core.readers.columns.vocabulary import MISSING

Row = Sequence[str]
NUMBER = re.compile(r"[+\-−]?[0-9][0-9.,' \u00a0\u202f]*([eE][+-]?[0-9]+)?%?")
_DATE = r"[0-3]?[0-9][./-][0-3]?[0-9][./-](19|20)[0-9]{2}|(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]"
YEAR = re.compile(rf"(19|20)[0-9]{{2}}|{_DATE}")  # what names a column as a time
LONG = 40  # letters of a line that is a sentence and no name
LOOKED_AT = 50  # rows below a header
_LEAST_RUN = 3  # numbers that stand for sizes
VALUE = re.compile(rf"{NUMBER.pattern}( ?[a-z]{{1,3}}\)?)?")
MARK = re.compile(
    rf"{MISSING}|\(?[A-Za-z]\)?|confidential|suppressed|withheld|secret|missing|unknown|"
    r"not available|not applicable|no data|geheim|vertraulich|confidentiel|secreto|nicht verfügbar",
    re.IGNORECASE,
)

BOUND = re.compile(r"[<≤][ =]?[0-9]{1,4}")  # of a small count, which an office does not publish


def mostly_numbers(cells: Sequence[str]) -> bool:
    numbers = sum(bool(VALUE.fullmatch(cell)) for cell in cells)
    marks = sum(bool(MARK.fullmatch(cell) or BOUND.fullmatch(cell)) for cell in cells)
    return numbers > 0 and 10 * (numbers + marks) >= 8 * len(cells)


def usual_width(rows: Sequence[Row]) -> int:
    """Return the number of cells that most rows have.

    If rows differ much, it is that of the first row, if a tenth of the rows have as many. Titles
    above the table, of which one cell is filled and others are blank, are ignored then.
    """
    widths = [len(row) for row in rows if any(cell.strip() for cell in row)]
    if not widths:
        return max((len(row) for row in rows), default=0)
    common = Counter(widths).most_common(1)[0]
    if common[1] * 10 >= 9 * (len(widths) - 1):
        return common[0]
    first = next((len(row) for row in rows if filled(row) > 1 or len(row) == 1), widths[0])
    if first > 1 and widths.count(first) * 10 >= len(widths):
        return first
    return common[0]


def filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row)


def years_below(rows: Sequence[Row], places: Sequence[int]) -> bool:
    return all(YEAR.fullmatch(row[place].strip()) for row in rows for place in places)


def count_up(cells: Sequence[str]) -> bool:
    whole = [int(cell) for cell in cells if re.fullmatch("[0-9]{1,6}", cell)]
    return len(whole) == len(cells) and whole == list(range(whole[0], whole[0] + len(whole)))


def count_up_again(cells: Sequence[str]) -> bool:
    """Return whether cells are the same numbers in turn several times, as below several years.

    >>> count_up_again("1 2 3 1 2 3".split()), count_up_again("1 2 3 2 3 4".split())
    (True, False)
    """
    starts = [place for place, cell in enumerate(cells) if cell == cells[0]]
    length = starts[1] if len(starts) > 1 else 0
    again = length >= _LEAST_RUN and [*cells] == [*cells[:length]] * len(starts)
    return again and count_up(cells[:length])


def in_brackets(cell: str) -> bool:
    """Return whether a cell is a number in brackets, as offices mark an uncertain count."""
    text = cell.strip()
    return text[:1] in ("(", "[") and bool(NUMBER.fullmatch(text[1:-1].strip()))


def is_year(cell: str) -> bool:
    return bool(YEAR.fullmatch(cell.strip()))
