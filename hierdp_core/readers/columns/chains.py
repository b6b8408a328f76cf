"""Columns of numbers that are codes of several levels, because codes begin with those above.

Province 12, municipality 12034 and block 12034005 in one row are not counts, whatever the columns
are called: counts do not begin with the number in another column in every row.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdp_core.readers.columns.vocabulary import COUNT

if TYPE_CHECKING:
    from hierdp_core.readers.columns.facts import ColumnFacts

_CODE = "^[0-9]{1,20}[A-Z]?$"
_MAX_LENGTHS = 2  # lengths of the codes of one level, from which leading zeros may be lost
_FIRST = 20  # cells that are compared before all of them are
_MIN_DIGITS = 8  # digits in which codes and those above agree; fewer may agree by chance
_NUMBER = "^[0-9]{1,6}$"
_WIDEST = 6  # digits of the number of one level
_MIN_CODES = 8  # codes in which a number stands in one place by no chance
_MIN_VALUES = 2  # different codes of the level above


def chained_codes(columns: Mapping[str, "ColumnFacts"]) -> dict[str, tuple[str, ...]]:
    """Return the columns of codes whose codes begin with those of other columns, with the latter.

    The columns whose codes they begin with are ordered from the shortest codes to the longest.

    Args:
        columns: the facts about each column, by name.
    """
    possible = {name: column for name, column in columns.items() if _may_be_codes(column)}
    chains: dict[str, tuple[str, ...]] = {}
    for fine, own in possible.items():
        above = [
            coarse for coarse, other in possible.items()
            if coarse != fine and _MIN_VALUES <= other.distinct < own.distinct
            and _width(other) < _width(own) and _all_begin_with(own, other)
        ]  # fmt: skip
        if above:
            chains[fine] = tuple(sorted(above, key=lambda n: _width(possible[n])))
    return chains


def _may_be_codes(column: "ColumnFacts") -> bool:
    """Return whether all cells are digits, perhaps followed by one letter, and none is a year."""
    if column.distinct_filled < _MIN_VALUES or column.years or column.moments:
        return False
    if column.plain in COUNT:
        return False
    cells = column.filled.to_pylist()
    lengths = {len(cell) for cell in cells}
    return (
        len(cells) == column.distinct
        and len(lengths) <= _MAX_LENGTHS
        and max(lengths) - min(lengths) < _MAX_LENGTHS
        and column.every(_CODE)
    )


def _width(column: "ColumnFacts") -> int:
    return max(map(len, column.filled.to_pylist()))


def _all_begin_with(fine: "ColumnFacts", coarse: "ColumnFacts") -> bool:
    """Return whether each code begins with the shorter one beside it, in too many rows for chance.

    Leading zeros may be lost in both columns.
    """
    _, rows = np.unique(fine.index, return_index=True)
    for some in (rows[:_FIRST], rows):
        pairs = zip(*(_cells(column, some) for column in (fine, coarse)), strict=True)
        if not all(len(one) > len(two) and one.startswith(two) for one, two in pairs):
            return False
    own, digits = _cells(fine, rows), _cells(coarse, rows)
    first = np.unique(coarse.index, return_index=True)[1]
    shortest = min(map(len, digits))
    widths = {len(one) - len(two) for one, two in zip(own, digits, strict=True)}
    agree = sum(map(len, digits))
    return agree >= _MIN_DIGITS and len(widths) == 1 and len(first) >= _MIN_VALUES and shortest > 0


def _cells(column: "ColumnFacts", rows: Any) -> list[str]:
    """Return cells without leading zeros, of which the last digit stays."""
    return [cell.lstrip("0") or "0" for cell in column.text.take(rows).to_pylist()]


def parts_of_codes(
    columns: Mapping[str, "ColumnFacts"], chains: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[int, int]]:
    """Return the columns of numbers that stand in one place of the longest codes.

    District 2 in the code 15101021002 of a zone is an example. The place is given by the digits
    behind the number and the digits of the number, with its leading zeros.

    Args:
        columns: the facts about each column, by name.
        chains: the columns whose codes begin with those of others, with the latter.
    """
    if not chains:
        return {}
    code = max(chains, key=lambda name: _width(columns[name]))
    own = columns[code]
    _, rows = np.unique(own.index, return_index=True)
    codes = [cell.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for cell in _cells(own, rows)]
    shortest = min(map(len, codes))
    places: dict[str, tuple[int, int]] = {}
    for name, column in columns.items():
        if name in chains or any(name in above for above in chains.values()):
            continue
        if column.distinct < _MIN_VALUES or not column.every(_NUMBER) or len(rows) < _MIN_CODES:
            continue
        numbers = column.text.take(rows).to_pylist()
        if len(column.filled) < column.distinct or max(map(len, numbers)) > _WIDEST:
            continue
        place = _place_in(codes, numbers, shortest)
        if place is not None:
            places[name] = place
    return places


def _place_in(
    codes: Sequence[str], numbers: Sequence[str], shortest: int
) -> tuple[int, int] | None:
    """Return the digits behind a number in all codes and its own digits; None if it is in none.

    Of several widths, the largest is that of the number with all its leading zeros.
    """
    values = list(map(int, numbers))
    found = None
    for behind in range(shortest):
        for width in range(max(map(len, numbers)), min(_WIDEST, shortest - behind) + 1):
            if all(
                int(code[len(code) - behind - width : len(code) - behind]) == value
                for code, value in zip(codes, values, strict=True)
            ):
                found = (behind, width)
        if found is not None:
            return found
    return None
