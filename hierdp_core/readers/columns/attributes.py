"""Columns that describe regions and are not levels above them: yes or no, urban or rural, types.

Where each region has one row, each has one value of every column, so that any column with few
values seems to be a level above. A few regions of the same type are not a region, though.
"""

from collections.abc import Sequence

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.partitions import RURAL, URBAN
from hierdp_core.readers.columns.vocabulary import CODE, PLACE, plain_name, words

_MOST_VALUES = 3  # of an attribute, apart from blank cells
_MOST_SPELLINGS = 60  # different cells of an attribute
_MOST_KINDS = 8  # kinds of regions, such as of towns
_SHORT = 2  # letters or digits of the code of a kind
_FLAGS = (  # words for yes and for no; other letters may be north and south or the like
    words(
        "yes y true t ja j oui si sim tak kylla evet ano igen da jah jo taip ya co ndiyo да так "
        "ναι כן نعم 是 はい 有 ○ 예 1"
    ),
    words(
        "no n false f nein nej nei non nao nie ei hayir ne nem nu tidak khong hapana нет ні не οχι "
        "לא لا 否 いいえ 無 无 × 아니요 아니오 0"
    ),
)
_NO_ANSWER = words("unknown na n_a not_known not_applicable unbekannt inconnu desconocido")


def holds_flags(column: ColumnFacts) -> bool:
    """Return whether all cells are words for yes or no, or the name offers these as the answers.

    A column of numbers is one of flags if it holds 0 and 1 and nothing else.
    """
    if column.distinct_filled > _MOST_SPELLINGS:
        return False
    cells = {plain_name(cell) or cell for cell in column.filled.to_pylist()} - _NO_ANSWER
    yes, no = _FLAGS
    if not cells or len(cells) > _MOST_VALUES:
        return False
    if cells <= {"0", "1"}:
        return len(cells) > 1
    named = _answers_in(column.plain)
    return cells <= yes | no and (named or (bool(cells & yes) and bool(cells & no)))


def _answers_in(plain: str) -> bool:
    """Return whether a name ends with the words for yes and no.

    >>> _answers_in("coastal_area_yes_no"), _answers_in("change_y_n"), _answers_in("coast")
    (True, True, False)
    """
    *_, one, other = ["", "", *plain.split("_")]
    yes, no = _FLAGS
    return (one in yes and other in no) or (one in no and other in yes)


def holds_kinds_of_settlement(column: ColumnFacts) -> bool:
    """Return whether all cells are words for urban and rural regions, at least one for each."""
    if column.distinct_filled > _MOST_SPELLINGS:
        return False
    cells = {plain_name(cell) for cell in column.filled.to_pylist()}
    begins = {cell.partition("_")[0] for cell in cells}
    return (
        1 < len(cells) <= _MOST_VALUES + 1
        and bool(begins & URBAN)
        and bool(begins & RURAL)
        and begins <= URBAN | RURAL | {"semi", "sub", "suburban", "peri", "mixed", "total"}
    )


def without_attributes(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return columns that may be levels without those that only divide the regions into few kinds.

    The name of such a column has no word for regions or codes. It has two or three values, whose
    rows alternate. No other column lies within it but those with one value in each row. A column of
    short codes is one of kinds whatever its name, if its rows alternate within the regions of
    another column, whose rows stand together.
    """
    kept = [
        n for n in names
        if not (_divides_into_kinds(facts, n, names) or _alternates_within(facts, n, names))
    ]  # fmt: skip
    return kept if kept and facts.different(kept) == facts.different(names) else list(names)


def _divides_into_kinds(facts: SheetFacts, name: str, names: Sequence[str]) -> bool:
    column = facts[name]
    if not 1 < column.distinct_filled == column.distinct <= _MOST_VALUES:
        return False
    if PLACE.search(column.plain) or CODE.fullmatch(column.plain) or name in facts.chained:
        return False
    if _stands_together(column):
        return False  # as the rows of a region do
    return not _has_levels_below(facts, name, names)


def _alternates_within(facts: SheetFacts, name: str, names: Sequence[str]) -> bool:
    """Return whether short codes repeat within regions of words that another column names."""
    column = facts[name]
    short = all(len(cell) <= _SHORT for cell in column.filled.to_pylist())
    if not 1 < column.distinct <= _MOST_KINDS or not short or column.leading_zeros:
        return False
    if name in facts.chained or _stands_together(column) or _has_levels_below(facts, name, names):
        return False
    return any(
        1 < facts[other].distinct < facts.n_rows
        and not facts[other].numeric
        and PLACE.search(facts[other].plain)
        and _stands_together(facts[other])
        and not facts.within([other], name)
        and not facts.within([name], other)
        for other in names
        if other != name
    )


def _stands_together(column: ColumnFacts) -> bool:
    """Return whether all rows with the same value follow each other."""
    return 1 + int((np.diff(column.index) != 0).sum()) <= column.distinct


def _has_levels_below(facts: SheetFacts, name: str, names: Sequence[str]) -> bool:
    """Return whether another column lies within a column, and has values of several rows."""
    return any(
        facts[name].distinct <= facts[other].distinct < facts.n_rows
        and other != name
        and facts.within([other], name)
        for other in names
    )
