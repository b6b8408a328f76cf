"""Names that several regions share, which the column of the level above distinguishes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.level_rules import place_points
from hierdp_core.readers.columns.measure import Measure
from hierdp_core.readers.columns.question import (
    Choice,
    Question,
    levels_in_words,
    merged_in_words,
)
from hierdp_core.readers.columns.region_columns import (
    NAMES,
    RegionColumns,
    about_something_else,
    is_name,
    may_be_region,
)
from hierdp_core.readers.columns.vocabulary import CODE, LABELS, ROW_NUMBER
from hierdp_core.readers.formats.workbook import NAME_OF_SHEET
from hierdp_core.readers.report import shown_code
from hierdp_core.util.text import join_and

_MOSTLY = 0.5  # proportion of names with one region above
_NEARLY_ALL = 0.9  # proportion of all pairs above which a column holds sexes or ages
_MIN_NAMES = 4  # names of a level
_MAX_ABOVE = 4  # levels above
_FEW_MORE = 1.25  # areas of a path with one more level, as a multiple of those without it
_CALLED = 2  # points for a name that is a word for regions
_MIN_ROWS = 6  # rows of a table in which names repeat by no chance
_KINDS_OF_PLACES = re.compile(
    r"(.*_)?(urban|rural|zona|zone|situa.*|area_type|type|typ|tipo)(_.*)?"
)


def repeated_names_question(
    facts: SheetFacts, measure: Measure, places: RegionColumns
) -> Question | None:
    """Ask a question if names of the last level occur with several values of a column above it.

    Such a name does not identify a region, but its path does. Rows with equal names are never added
    up without a question.
    """
    levels = tuple(places.words.get("levels", ()))
    if not levels or facts.n_rows < _MIN_ROWS or places.words.keys() & {"prefix", "parent"}:
        return None
    if places.words.get("within") or facts.one_row_each(levels):
        return None
    leaf = levels[-1]
    above = _above(facts, levels, measure.taken | measure.aside)
    if not above:
        return None
    path = tuple(
        sorted(
            {n for n in (*levels[:-1], *above) if not _same_stem(facts[n], facts[leaf])},
            key=lambda n: (facts[n].distinct, facts.sheet.names.index(n)),
        )
    )
    choices = [_by_path(facts, (*path, leaf))]
    key = _own_codes(facts, path, leaf, measure)
    if key:
        coded = _by_path(facts, (*path, key))
        choices.insert(0, replace(coded, stated={**coded.stated, "names": (*path, leaf)}))
    if below := _stands_below(facts, levels, above):
        choices.insert(0, _by_path(facts, (*levels, *below)))
    shown = shown_code(leaf)
    merged = Choice(
        words=f"{levels_in_words((leaf,))}, and {merged_in_words(*facts.merged(leaf, path))}",
        stated={"levels": (leaf,), "within": False},
    )
    if not facts[leaf].coded:  # equal names may be one region, equal codes below others never are
        choices.append(merged)
    return Question(
        what=f"values of column {shown} occur with several values of "
        f"{join_and([shown_code(name) for name in above])}, so one value may name several areas",
        choices=tuple(choices),
    )


def _stands_below(
    facts: SheetFacts, levels: Sequence[str], columns: Sequence[str]
) -> tuple[str, ...]:
    """Return columns of codes that may divide the areas of the last level, as electoral zones do.

    They stand after it in the table, whose codes each lie in one area of the levels above.
    """
    place = facts.sheet.names.index
    own = levels[-1]
    if not facts[own].coded or not all(facts.within([own], upper) for upper in levels[:-1]):
        return ()
    after = [n for n in columns if place(n) > place(own) and facts[n].coded]
    return tuple(after) if len(after) == len(columns) else ()


def _by_path(facts: SheetFacts, levels: tuple[str, ...]) -> Choice:
    """Return the answer that these columns are the levels."""
    nests = all(facts.within([low], up) for up, low in pairwise(levels))
    if nests:
        return Choice(words=levels_in_words(levels), stated={"levels": levels})
    return Choice(
        words=levels_in_words(levels, within=True), stated={"levels": levels, "within": True}
    )


def _above(facts: SheetFacts, levels: Sequence[str], taken: frozenset[str]) -> list[str]:
    """Return the columns above the last level in which its names repeat, one for each level."""
    leaf = levels[-1]
    if facts[leaf].distinct < _MIN_NAMES:
        return []
    free = [
        n for n in facts.sheet.names
        if n not in taken and n not in levels and _splits(facts, n, leaf)
        and not _same_stem(facts[n], facts[leaf])
    ]  # fmt: skip
    called = [n for n in free if _may_lie_above(facts, n, leaf)]
    called += [n for n in free if n not in called and _lies_in_one(facts, n, called, leaf)]
    columns: list[str] = []
    for name in sorted(called, key=lambda n: not is_name(facts[n])):  # names before their codes
        if not any(facts.twins(name, other) for other in (*levels, *columns)):
            columns.append(name)
    columns = [n for n in columns if not _describes_the_leaf(facts, n, columns, leaf)]
    chain: list[str] = []
    for name in sorted(columns, key=lambda n: -facts[n].distinct):
        if not chain or _lies_above(facts, name, chain, leaf):
            chain.append(name)
    return chain[:_MAX_ABOVE][::-1]


def _lies_above(facts: SheetFacts, name: str, chain: Sequence[str], leaf: str) -> bool:
    """Return whether regions of other columns lie in those of a column, apart from shared names.

    A district called Centre may occur in several provinces. Most of its communes tell them apart.
    """
    if all(facts.within([other], name) for other in chain):
        return True
    return (
        place_points(facts[name]) >= _CALLED
        and all(mostly_in_one(facts, other, name) for other in chain)
        and facts.different([*chain, leaf, name]) <= _FEW_MORE * facts.different([*chain, leaf])
    )


def mostly_in_one(facts: SheetFacts, lower: str, name: str) -> bool:
    """Return whether most values of a column occur with one value of another."""
    pairs = np.unique(np.stack([facts[lower].index, facts[name].index]), axis=1)
    in_each = np.bincount(pairs[0])
    return float((in_each[in_each > 0] == 1).mean()) >= _MOSTLY


def _describes_the_leaf(facts: SheetFacts, name: str, columns: Sequence[str], leaf: str) -> bool:
    """Return whether a column describes each region, like the address of a polling station.

    Another column then identifies the region together with its name, and with it this column, whose
    values lie in several regions of the other one.
    """
    return any(
        facts[other].distinct < facts[name].distinct
        and not facts.within([name], other)
        and facts.within([other, leaf], name)
        for other in columns
        if other != name
    )


def _lies_in_one(facts: SheetFacts, name: str, called: Sequence[str], leaf: str) -> bool:
    """Return whether a column of codes or names divides the regions of a column above.

    A column of other words does if it stands between that column and the last level.
    """
    column = facts[name]
    place = facts.sheet.names.index
    between = not column.numeric and any(place(n) < place(name) < place(leaf) for n in called)
    coded = is_name(column) or bool(CODE.fullmatch(column.plain))
    return (
        (coded or between)
        and column.distinct >= _MIN_NAMES
        and any(
            facts[upper].distinct < column.distinct and facts.within([name], upper)
            for upper in called
        )
    )


def _splits(facts: SheetFacts, name: str, leaf: str) -> bool:
    """Return whether names of the last level occur with several values of a column.

    Unless the column is named after regions, they must not occur with nearly all of them.
    """
    column = facts[name]
    if not may_be_region(column) or about_something_else(facts, name):
        return False
    if not 1 < column.distinct < facts.n_rows // 2 or column.years or distinguishes_kinds(column):
        return False
    pairs = np.unique(np.stack([facts[leaf].index, column.index]), axis=1)
    n_names, n_pairs = facts[leaf].distinct, pairs.shape[1]
    crossed = n_pairs >= _NEARLY_ALL * column.distinct * n_names
    return n_names < n_pairs and (not crossed or place_points(column) >= _CALLED)


def _may_lie_above(facts: SheetFacts, name: str, leaf: str) -> bool:
    """Return whether a column is named after regions, or holds names in which most others lie."""
    column = facts[name]
    if column.distinct >= facts[leaf].distinct:
        return False
    named = is_name(column) or column.name == NAME_OF_SHEET
    mostly = mostly_in_one(facts, leaf, name) and not column.numeric and named
    return place_points(column) >= _CALLED or mostly


def distinguishes_kinds(column: ColumnFacts) -> bool:
    return bool(_KINDS_OF_PLACES.fullmatch(column.plain)) and column.distinct <= _MIN_NAMES


def _own_codes(facts: SheetFacts, path: Sequence[str], leaf: str, measure: Measure) -> str:
    """Return a column of distinct whole numbers that is named like the last level; empty for none.

    Numbers that only number the rows are ignored.
    """
    for name in facts.sheet.names:
        column = facts[name]
        if name in (*path, leaf, measure.words.get("count")) or not column.numeric:
            continue
        key = column.distinct == facts.n_rows and not column.fractions and column.plain
        called = column.plain in facts[leaf].plain.split("_") or _same_stem(column, facts[leaf])
        if key and called and not column.counts_rows and not ROW_NUMBER.fullmatch(column.plain):
            return name
    return ""


def _same_stem(code: ColumnFacts, name: ColumnFacts) -> bool:
    """Return whether names differ only in words such as "code" and "name"."""
    labels = LABELS | NAMES
    stems = [{word for word in one.plain.split("_") if word not in labels} for one in (code, name)]
    return bool(stems[0]) and stems[0] == stems[1]
