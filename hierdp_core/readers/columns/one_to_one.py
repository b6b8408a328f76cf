"""Columns that correspond one to one: a code and a name, or two names, of the same regions."""

import re

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.level_rules import of_other_tiers
from hierdp_core.readers.columns.region_columns import is_name
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    LABELS,
    LANGUAGES,
    plain_name,
    says_name,
    subject_of,
)

_FEW_NAMES = 0.1  # different names of codes, as a proportion of the codes, if a word says "name"
_HALF = 0.5  # the same, if no word says it; also the proportion of names that are spelt alike
_NEARLY_ALL = 0.9  # proportion of the names that have a code of their own
_SHORT = re.compile(r"[A-Z0-9][A-Z0-9.\-/]{0,3}")  # "SP" or "NW1"
_MIN_ALIKE = 3  # names in two languages, of which half are spelt alike by no chance
_BEGINNING = 3  # letters that names of one region in two languages have in common


def code_and_name(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether two columns are a code and a name of the same regions."""
    if called_alike(facts, one, other):
        return facts.different([one, other]) == max(facts[one].distinct, facts[other].distinct)
    if not facts.twins(one, other):
        return False
    if named_twice(facts, one, other) or abbreviate(facts, one, other):
        return True
    words = {*facts[one].plain.split("_"), *facts[other].plain.split("_")}
    named = bool(words & LABELS) or is_name(facts[one]) or is_name(facts[other])
    return named or facts[one].coded != facts[other].coded


def named_twice(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether two columns that correspond one to one hold names in two languages.

    The names of the columns say so, or half of the names of regions begin alike.
    """
    columns = facts[one], facts[other]
    if any(column.coded or column.numeric for column in columns) or of_other_tiers(*columns):
        return False
    if _in_two_languages(columns[0].plain, columns[1].plain):
        return True
    if any(is_name(c) or CODE.fullmatch(c.plain) or is_short(c) for c in columns):
        return False
    cells = _cells_side_by_side(facts, one, other)
    alike = sum(a[:_BEGINNING] == b[:_BEGINNING] for a, b in cells)
    return len(cells) >= _MIN_ALIKE and alike >= _HALF * len(cells)


def abbreviate(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether one of two columns holds abbreviations of the regions of the other.

    Abbreviations have at most four letters, all of them capitals, and the names are longer. If the
    names of the columns state two levels, such as "UF" and "Capital city", both levels are read.
    """
    columns = facts[one], facts[other]
    short = [is_short(column) for column in columns]
    if short[0] == short[1] or of_other_tiers(*columns):
        return False
    words = columns[short.index(False)]
    return not words.numeric and not words.coded and words.distinct_filled > 1


def is_short(column: ColumnFacts) -> bool:
    """Return whether all cells are abbreviations: at most four characters and no lower case."""
    cells = column.filled.to_pylist()
    return bool(cells) and all(_SHORT.fullmatch(cell) for cell in cells)


def _cells_side_by_side(facts: SheetFacts, one: str, other: str) -> list[tuple[str, str]]:
    """Return the distinct pairs of cells of two columns, in lower case without accents."""
    _, first = np.unique(facts.key([one, other]), return_index=True)
    columns = facts[one].text.take(first).to_pylist(), facts[other].text.take(first).to_pylist()
    return [(plain_name(a), plain_name(b)) for a, b in zip(*columns, strict=True) if a and b]


def _in_two_languages(one: str, other: str) -> bool:
    """Return whether two names differ only in words for languages.

    >>> _in_two_languages("province_nl", "province_fr"), _in_two_languages("code_a", "code_b")
    (True, False)
    """
    first, second = one.split("_"), other.split("_")
    differ = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    return len(first) == len(second) and len(differ) == 1 and {*differ[0]} <= LANGUAGES


def called_alike(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether names differ only in words such as "code", and one is nearly as fine.

    A column of codes belongs to one that by its name holds their names, even where names repeat.
    """
    if _names_codes(facts, one, other) or _names_codes(facts, other, one):
        return True
    first, second = sorted((facts[one].plain, facts[other].plain), key=len)
    fewer, more = sorted((facts[one].distinct, facts[other].distinct))
    label = second.removeprefix(f"{first}_")
    stems = [plain.rpartition("_") for plain in (first, second)]
    same_stem = stems[0][0] == stems[1][0] != "" and {stems[0][2], stems[1][2]} <= LABELS
    coded = facts[one].coded != facts[other].coded
    return (label in LABELS or (same_stem and coded)) and fewer >= _NEARLY_ALL * more


def _names_codes(facts: SheetFacts, code: str, name: str) -> bool:
    """Return whether a column by its name holds the names of the codes in another one."""
    own, names = facts[code], facts[name]
    about = subject_of(own.plain)
    if names.coded or not about or about != subject_of(names.plain):
        return False
    if not own.coded and not (CODE.fullmatch(own.plain) and says_name(names.plain)):
        return False
    fewest = _FEW_NAMES if says_name(names.plain) else _HALF
    if not 1 < names.distinct >= fewest * own.distinct or names.distinct > own.distinct:
        return False
    return facts.different([code, name]) == own.distinct


def in_order(facts: SheetFacts, one: str, other: str) -> tuple[str, str]:
    """Return the column of codes and the column of names, in this order."""
    if facts[one].distinct != facts[other].distinct:
        return (one, other) if facts[one].distinct > facts[other].distinct else (other, one)
    return (one, other) if codeness(facts[one]) >= codeness(facts[other]) else (other, one)


def codeness(column: ColumnFacts) -> tuple[int, int]:
    """Return how much a column looks like one of codes, as points of its name and its cells."""
    coded = int(bool(CODE.fullmatch(column.plain))) + int(column.coded or is_short(column))
    return coded, -int(is_name(column))
