"""Columns of names beside codes of a known system: each names the level that determines it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.codes import Fit, bare_codes
from hierdp_core.readers.columns.facts import (
    ColumnFacts,
    SheetFacts,
    called_total,
    follows,
    index_of,
)
from hierdp_core.readers.columns.level_rules import named_after_places, tier_of
from hierdp_core.readers.columns.region_columns import (
    LABEL_SHARE,
    about_something_else,
    is_name,
)
from hierdp_core.readers.columns.vocabulary import CODE, subject_of
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.util.arrays import BoolArray, IntArray

_CALLED_SHARE = 0.5  # proportion of regions with different names, if a word states the level
_MIN_LETTERS = 2 / 3  # proportion of letters in names; codes have fewer
_LONGEST_ABBREVIATION = 3  # letters; names are longer, except in some scripts
_MIN_CODES = 3  # codes of an upper level that differ in a column without a word for it
_PERSONS = re.compile(
    r"(^|_)(mayor|maire|alcalde|sindaco|prefeito|burgermeister|landrat|governor)(_|$)|[市町村区]長|知事"
)
_TOWNS = r"commun|muni|(^|_)(city|cidade|town|stadt|ville)(_|$)"
# Words in the names of columns, for each level of the known systems.
_CALLED = {
    level: re.compile(pattern)
    for level, pattern in {
        "country": r"country|nation|(^|_)(land|pays|pais|staat|paese)(_|$)",
        "state": r"state|(^|_)st_?name|estado|bundesland|(^|_)(land|uf)(_|$)",
        "province": r"prov",
        "prefecture": r"都道府県|府県|(^|_)県|prefect",
        "département": r"departe?ment|(^|_|lib|nom)dep(t|art)?(_|$)",
        "county": r"count(y|ies)|(^|_)cty_?name",
        "district": r"kreis|distri[ck]t|count(y|ies)",
        "municipality": rf"{_TOWNS}|comun|gemeinde|市区町村|市町村",
        "commune": rf"{_TOWNS}|(^|_|lib|nom)com(_|$)",
        "tract": r"tract",
        "block group": r"block_?group",
        "block": r"block(?!_?group)",
        "NUTS 1 region": r"nuts_?1",
        "NUTS 2 region": r"nuts_?2",
        "NUTS 3 region": r"nuts_?3",
    }.items()
}


@dataclass(frozen=True, kw_only=True)
class _Levels:
    """The codes of each level of a column of codes.

    Attributes:
        titles: the names of the levels.
        parts: for each level the codes as integers, shape (n_rows,).
        sizes: the number of different codes of each level.
    """

    titles: tuple[str, ...]
    parts: tuple[IntArray, ...] = field(repr=False)
    sizes: tuple[int, ...]

    def called(self, column: ColumnFacts) -> set[int]:
        """Return the levels that the name of a column has a word for."""
        return {
            k for k, title in enumerate(self.titles)
            if title in _CALLED and _CALLED[title].search(column.plain)
        }  # fmt: skip


def names_of_levels(facts: SheetFacts, code: str, fit: Fit, free: Sequence[str]) -> tuple[str, ...]:
    """Return a column of names for each level of codes; empty for levels without one.

    A column names the highest level whose codes each have one name in it. Where several levels have
    equally many codes, the name of the column decides, and otherwise the lowest of them has it. Two
    regions may have the same name, but most regions of the same region above have different ones.

    Args:
        facts: facts about the columns of the table.
        code: the column of codes.
        fit: the system of the codes, with the lengths of the codes of each level.
        free: columns that may hold names.
    """
    levels = _levels_of(facts, code, fit)
    names = [""] * len(levels.titles)
    found: dict[int, list[str]] = {}
    for name in free:
        level = None if name == code else _level_named(facts, code, name, levels)
        if level is not None:
            found.setdefault(level, []).append(name)
    for level, candidates in found.items():
        names[level] = max(candidates, key=lambda name: _likeness(facts[name], level, levels))
    return tuple(names)


def _levels_of(facts: SheetFacts, code: str, fit: Fit) -> _Levels:
    whole = bare_codes(facts[code].text)
    if fit.width:
        whole = pc.utf8_lpad(whole, fit.width, padding="0")
    parts = tuple(index_of(pc.utf8_slice_codeunits(whole, 0, length)) for length in fit.prefix)
    sizes = tuple(len(np.unique(part)) for part in parts)
    return _Levels(titles=fit.levels, parts=parts, sizes=sizes)


def _level_named(facts: SheetFacts, code: str, name: str, levels: _Levels) -> int | None:
    """Return the level whose regions a column names; None if it names none."""
    column = facts[name]
    called = levels.called(column)
    # The codes determine a name also where it is blank, so that all rows of a region agree.
    alike = bool(own := subject_of(facts[code].plain)) and own == subject_of(column.plain)
    if not _may_hold_names(facts, name, levels, alike=alike):
        return None
    if not follows(levels.parts[-1], column.index):
        return None
    filled = as_mask(pc.not_equal(column.text, ""))
    settled = [k for k, part in enumerate(levels.parts) if _one_each(part, column.index, filled)]
    if not settled:
        return None
    # Levels with equally many codes have the same regions, so that the column settles all of them.
    same = [k for k in settled if levels.sizes[k] == levels.sizes[settled[0]]]
    share = _different(column.index, levels.parts, filled)
    if called:
        level = max(called.intersection(same), default=None)
        return level if level is not None and share[level] >= _CALLED_SHARE else None
    level = same[-1]
    if column.distinct_filled == 1 or not _may_name_unstated(column, level, levels):
        return None
    last = level == len(levels.parts) - 1
    return level if share[level] >= (LABEL_SHARE if last else 1) else None


def _may_name_unstated(column: ColumnFacts, level: int, levels: _Levels) -> bool:
    """Return whether a column without a word for a level of the codes may name this one.

    A column called after another level may not, such as the regions of a country beside codes of
    its states. Only a column of names of the lowest level may have a word for another one.
    """
    if level == len(levels.parts) - 1 and is_name(column):
        return True
    enough = level == len(levels.parts) - 1 or levels.sizes[level] >= _MIN_CODES
    return enough and tier_of(column) == -1


def _may_hold_names(facts: SheetFacts, name: str, levels: _Levels, *, alike: bool) -> bool:
    """Return whether the cells of a column and its name are those of names of regions.

    Args:
        facts: facts about the columns of the table.
        name: the column.
        levels: the codes of each level.
        alike: whether it is called after the same thing as the codes.
    """
    column, called = facts[name], bool(levels.called(facts[name]))
    if column.numeric or not column.distinct_filled or about_something_else(facts, name):
        return False
    if _PERSONS.search(column.plain) or (CODE.fullmatch(column.plain) and not is_name(column)):
        return False
    if not (called or alike or is_name(column) or named_after_places(column)):
        return False
    if column.coded and not ((called or is_name(column)) and _mostly_letters(column)):
        return False
    # The word "total" in a column of names says that a row is not a region.
    return is_name(column) or not bool(called_total(column.different).any())


def _mostly_letters(column: ColumnFacts) -> bool:
    """Return whether a typical cell has mostly letters, such as "Paris19" and unlike "A19"."""
    cells = column.filled.to_pylist()
    return bool(cells) and float(np.median([_letters(cell) for cell in cells])) > _MIN_LETTERS


def _letters(cell: str) -> float:
    return sum(map(str.isalpha, cell)) / max(len(cell), 1)


def _one_each(codes: IntArray, names: IntArray, filled: BoolArray) -> bool:
    """Return whether each code has one name in the rows that have one."""
    pairs = np.unique(np.stack([codes[filled], names[filled]]), axis=1)
    return len(np.unique(pairs[0])) == int(pairs.shape[1])


def _different(names: IntArray, parts: Sequence[IntArray], filled: BoolArray) -> list[float]:
    """Return, for each level, the proportion of named codes with a name of their own.

    It is their own if no other code of the same region above has it.
    """
    shares: list[float] = []
    above = np.zeros(int(filled.sum()), dtype=np.int64)
    for part in parts:
        own = part[filled]
        pairs = np.unique(np.stack([above, names[filled]]), axis=1)
        shares.append(pairs.shape[1] / max(len(np.unique(own)), 1))
        above = own
    return shares


def _likeness(column: ColumnFacts, level: int, levels: _Levels) -> tuple[bool, bool, float]:
    """Return the evidence for a column of names; of equal ones, the first is taken."""
    cells = column.filled.to_pylist()
    lengths = [len(cell) if cell.isascii() else _LONGEST_ABBREVIATION + 1 for cell in cells]
    long = float(np.median(lengths)) > _LONGEST_ABBREVIATION
    filled = float(as_mask(pc.not_equal(column.text, "")).mean())
    return level in levels.called(column), long, filled
