"""Columns of names beside the codes of levels. Two regions may have the same name."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, follows
from hierdp_core.readers.columns.level_rules import named_after_places
from hierdp_core.readers.columns.region_columns import (
    LABEL_SHARE,
    RegionColumns,
    about_something_else,
    is_name,
)
from hierdp_core.readers.columns.vocabulary import CODE, LANGUAGES, PLACE, says_name, subject_of
from hierdp_core.readers.report import shown_code

_NEARLY_ALL = 0.9  # proportion of regions with different names, if no word says "name"
_HALF = 0.5  # the same, if the names of both columns say what they hold
_OFTEN = 0.2  # the same, beside a column that by its name holds their codes
_MAX_SPOILT = 0.1  # proportion of codes with several names, up to which this is reported
_OF_CODES = frozenset({"pcode", "pcod"})  # words for codes of regions
_MIN_LETTERS = 3  # of an abbreviated word
_MIN_CODES = 2  # codes that a column of names must explain


def with_names(facts: SheetFacts, regions: RegionColumns, aside: Iterable[str]) -> RegionColumns:
    """Return the levels with a column of names for each that has one among the other columns.

    Args:
        facts: facts about the columns of the table.
        regions: the levels, one column for each.
        aside: columns that hold something else.
    """
    levels = tuple(regions.words.get("levels", ()))
    if not levels or regions.words.keys() & {"prefix", "parent"} or regions.words.get("within"):
        return regions
    listed = tuple(regions.words.get("names", ()))
    if len(listed) != len(levels):
        listed = (*levels[: len(levels) - len(listed)], *listed)
    names = list(listed)
    away = {*aside, *levels, *listed}
    for k, level in enumerate(levels):
        if names[k] == level or _holds_codes(facts[names[k]]):
            above = levels[k - 1] if k else ""
            names[k] = name_of(facts, level, away | {*names}, above=above) or names[k]
    added = [name for name, before in zip(names, listed, strict=True) if name != before]
    warnings = _spoilt(facts, levels, names, away | {*names})
    shown = [shown_code(name) for name in names if name not in levels]
    if not shown and not warnings:
        return regions
    reasons = regions.reasons
    if shown:
        reasons += (f"names are in {', '.join(shown)}",)
    words = regions.words | ({"names": tuple(names)} if added else {})
    return replace(
        regions, words=words, used=regions.used | {*added}, reasons=(*reasons, *warnings)
    )


def names_of_ends(
    facts: SheetFacts, pairs: Sequence[tuple[str, str]], aside: Iterable[str]
) -> tuple[str, ...]:
    """Return columns of names for origins and then for destinations; empty where there is none.

    A level without a column of names has that of its codes.
    """
    codes = (*(one for one, _ in pairs), *(other for _, other in pairs))
    names: list[str] = []
    away = {*aside, *codes}
    for code in codes:
        names.append(name_of(facts, code, away | {*names}, above="", nearest=True) or code)
    return tuple(names) if tuple(names) != codes else ()


def name_of(
    facts: SheetFacts, code: str, away: Iterable[str], *, above: str, nearest: bool = False
) -> str:
    """Return the column of names of a level of codes; empty where there is none.

    Args:
        facts: facts about the columns of the table.
        code: the column of codes.
        away: columns that are not names of this level.
        above: the column of the level above, whose names are not taken; empty for none.
        nearest: whether a column that shares no word with that of the codes must stand beside it.
    """
    own = facts[code]
    if not _holds_codes(own):
        return ""
    kept = {*away}
    order = facts.sheet.names.index
    likely = [
        name for name in facts.sheet.names
        if name not in kept and _may_name(facts, name, code)
        and (not nearest or _called_alike(own, facts[name])
             or abs(order(name) - order(code)) == 1)
        and follows(own.index, facts[name].index)
        and not (above and follows(facts[above].index, facts[name].index))
    ]  # fmt: skip

    def likeness(name: str) -> tuple[bool, bool, float, int]:
        column = facts[name]
        letters = float(np.median([len(cell) for cell in column.filled.to_pylist()]))
        return _called_alike(own, column), letters > 3, column.distinct, -order(name)

    return max(likely, key=likeness, default="")


def _holds_codes(column: ColumnFacts) -> bool:
    """Return whether a column holds codes, and its name is not that of a column of names."""
    coded = column.coded or column.numeric or bool(CODE.fullmatch(column.plain))
    return coded and not is_name(column)


def _may_name(facts: SheetFacts, name: str, code: str) -> bool:
    """Return whether a column may hold names of the regions of a column of codes."""
    column, own = facts[name], facts[code]
    if column.numeric or column.coded or not 1 < column.distinct <= own.distinct:
        return False
    if about_something_else(facts, name):
        return False
    named = _called_alike(own, column) or (is_name(column) and named_after(column))
    share = LABEL_SHARE if named else _NEARLY_ALL
    if CODE.fullmatch(own.plain) and (named or PLACE.search(column.plain)):
        share = _HALF  # municipalities of the same name beside the codes of all
    if _called_alike(own, column):  # also where names repeat
        share = 0.0 if says_name(column.plain) else _OFTEN if CODE.fullmatch(own.plain) else share
    if not named and not PLACE.search(column.plain):
        return False
    return column.distinct >= share * own.distinct and own.distinct >= _MIN_CODES


def named_after(column: ColumnFacts) -> bool:
    """Return whether a name is only a word for names, such as "Nazwa", or has one for regions."""
    return "_" not in column.plain or named_after_places(column)


def _called_alike(code: ColumnFacts, name: ColumnFacts) -> bool:
    """Return whether two columns have equal names apart from words such as "code" and "name".

    "STATEA" holds the numbers of "STATE", "ADM2_PCODE" the codes of "ADM2_FR", and "COD_MUN" those
    of "MUNICIPIO".
    """
    first, second = (subject_of(code.plain), subject_of(name.plain))
    first, second = first - _OF_CODES, second - LANGUAGES or second
    if not first or not second:
        return False
    return first == second or code.plain == f"{name.plain}a" or _abbreviates(first, second)


def _abbreviates(short: frozenset[str], whole: frozenset[str]) -> bool:
    """Return whether one word is the beginning of another one.

    >>> _abbreviates(frozenset({"mun"}), frozenset({"municipio"}))
    True
    """
    if len(short) != 1 or len(whole) != 1:
        return False
    (one,), (other,) = short, whole
    return len(one) >= _MIN_LETTERS and other.startswith(one)


def _spoilt(
    facts: SheetFacts, levels: Sequence[str], names: Sequence[str], away: Iterable[str]
) -> tuple[str, ...]:
    """Return a line for each column of names in which a few codes of a level have several."""
    warnings: list[str] = []
    kept = {*away}
    for level, name in zip(levels, names, strict=True):
        own = facts[level]
        if name != level or not _holds_codes(own):
            continue
        for other in facts.sheet.names:
            column = facts[other]
            if other in kept or column.numeric or column.coded or not _called_alike(own, column):
                continue
            several = _with_several(own, column)
            if 0 < several <= _MAX_SPOILT * own.distinct or several == 1:
                warnings.append(
                    f"column {shown_code(other)} looks like names of {shown_code(level)}. It is "
                    f"not used, because some codes have several names in it ({several:,})"
                )
    return tuple(warnings)


def _with_several(code: ColumnFacts, name: ColumnFacts) -> int:
    """Return how many codes have several names."""
    pairs = np.unique(np.stack([code.index, name.index]), axis=1)
    return int((np.bincount(pairs[0]) > 1).sum())
