"""Records of groups, such as one row for each household, with a column of their sizes."""

import re

import numpy as np

from hierdp_core.readers.columns.count_rules import numbers_in_turn
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.partitions import ranges_in
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.vocabulary import (
    CATEGORY,
    CODE,
    COUNT,
    LATITUDE,
    LONGITUDE,
    NOT_A_COUNT,
    PERSON,
    PLACE,
    SIZE,
    YEAR,
    words,
)
from hierdp_core.readers.report import shown_code

_THINGS = words("rooms beds vehicles cars n num number anzahl nombre antal units")
_TIME = re.compile(
    r"(.*_)?(hour|month|week|week_?day|day|quarter|minute|stunde|monat|tag|wochentag|heure|mois|jour|hora|"
    r"mes|dia|ora|mese|giorno|uur|maand|dag|time|tid|manad|godzina|miesiac|dzien)s?"
)
_LARGEST = 40  # members of a group; larger numbers are ages or amounts
_MIN_SIZES = 3  # different sizes
_ROWS_OF_EACH = 2  # rows for each size, on average
_MOST_OFFERED = 3  # columns
_OTHER = (CATEGORY, CODE, NOT_A_COUNT, PERSON, YEAR, _TIME)


def sizes_of_rows(facts: SheetFacts) -> list[Choice]:
    """Return the answers that each row is a group and that a column holds its size."""
    ranges = ranges_in(facts.sheet.names)  # "10-19" counts groups of these sizes
    codes = {*facts.chained, *facts.parts_of_codes}
    likely = [
        n for n in facts.sheet.names
        if n not in ranges and n not in codes and _may_hold_sizes(facts[n])
    ]  # fmt: skip
    likely.sort(key=lambda n: not _about_members(facts[n].plain))
    return [
        Choice(
            words=f"each row is one group, and column {shown_code(name)} holds its size",
            stated={"kind": "group-sizes", "row": "group", "size": name},
        )
        for name in likely[:_MOST_OFFERED]
    ]


def _about_members(plain: str) -> bool:
    """Return whether a name has a word for sizes, or for persons who are counted."""
    return plain in SIZE or bool(set(plain.split("_")) & (COUNT - _THINGS))


def _may_hold_sizes(column: ColumnFacts) -> bool:
    """Return whether a column holds small whole numbers that repeat, as sizes of groups do."""
    if not column.numeric or column.leading_zeros or column.plain in LATITUDE | LONGITUDE:
        return False
    if any(other.fullmatch(column.plain) for other in _OTHER) or PLACE.search(column.plain):
        return False
    values = column.values[~np.isnan(column.values)]
    if not values.size or (values % 1 != 0).any() or numbers_in_turn(column):
        return False
    sizes = len(np.unique(values))
    return bool(
        0 <= values.min() <= 1
        and values.max() <= _LARGEST
        and sizes >= _MIN_SIZES
        and len(values) >= _ROWS_OF_EACH * sizes
    )
