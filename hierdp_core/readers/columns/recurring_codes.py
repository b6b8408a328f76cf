"""Codes of a level that start again in each region of another column, whatever a row stands for.

District 1 of one province and district 1 of another are different regions. If the column of the
province is not a level, both become one region, and nothing else in the file contradicts it. Lower
regions, such as clusters, lie in one district of each number. No answer does so silently, and an
answer with the upper column comes first.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from hierdp_core.readers.columns.count_rules import named_as_a_count
from hierdp_core.readers.columns.ends import end_of
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.layout_words import as_names
from hierdp_core.readers.columns.level_rules import named_after_places, tier_of
from hierdp_core.readers.columns.question import (
    Choice,
    Question,
    levels_in_words,
    merged_in_words,
)
from hierdp_core.readers.columns.record_levels import CLUSTER
from hierdp_core.readers.columns.region_columns import about_something_else, may_be_region
from hierdp_core.readers.columns.repeated_names import distinguishes_kinds
from hierdp_core.readers.columns.vocabulary import POSTAL
from hierdp_core.readers.report import shown_code, shown_codes

_DIGITS = "^[0-9]{1,5}[A-Z]?$"  # also "7A", the second part of 7
_NUMBERED = re.compile(
    r"(\D{3,}?)[ .-]*([0-9]{1,3})"
)  # "Zone 1", but not "Z1", which may be a code
_ROWS_OF_EACH = 4  # records for each combination of codes, on average
_GAPS = 1.5  # most numbers, as a multiple of how many there are
_MOST = 0.75  # proportion of the numbers
_SHOWN = 3
_MIN_SHARED = 2  # regions with the same code
_HALF = 0.5  # proportion of the upper regions
_PROVINCES = 2  # position of provinces and districts among the levels that names state
_SETTLED = frozenset({"within", "prefix", "parent", "split", "outline"})


def recurring_codes_question(
    facts: SheetFacts, levels: Sequence[str], taken: frozenset[str]
) -> Question | None:
    """Ask if codes of a guessed level start again in each region of a column that is not a level.

    Args:
        facts: facts about the rows that are read.
        levels: the guessed levels, from the top down.
        taken: columns that hold no regions.
    """
    lower, above = _recurring(facts, levels, within=False, taken=taken)
    lower, above = (lower, above) if above else _between(facts, levels, taken)
    ways = _ways(facts, levels, taken)
    if not above or not ways:
        return None
    merged = Choice(words=levels_in_words(levels), stated={"levels": tuple(levels)})
    return Question(
        what=f"codes of column {shown_code(lower)} occur in several areas of "
        f"{shown_codes(above, shown=_SHOWN)}, so one code may mean several areas",
        choices=(*map(_within, ways), merged),
    )


def with_whole_paths(facts: SheetFacts, question: Question, taken: frozenset[str]) -> Question:
    """Return a question in which no answer merges regions with recurring codes silently.

    The first such answer comes after one in which a code is a different region in each upper one.
    """
    if any("destinations" in choice.stated for choice in question.choices):
        return question
    choices: list[Choice] = []
    for choice in question.choices:
        levels = choice.stated.get("levels", ())
        names = (levels,) if isinstance(levels, str) else tuple(levels)
        known = all(name in facts.columns for name in names)
        if not names or not known or choice.stated.keys() & _SETTLED or choice.stated.get("kind"):
            choices.append(choice)
            continue
        lower, above = _recurring(facts, names, within=False, taken=taken)
        if not above:
            choices.append(choice)
            continue
        for way in _ways(facts, names, taken)[:1]:
            whole = _within(way)
            whole = replace(whole, stated={**choice.stated, **whole.stated})
            if whole.stated not in [c.stated for c in (*choices, *question.choices)]:
                choices.append(whole)
        numbers = facts.merged(lower, above)
        merges = "merged" not in choice.words and numbers[0] and not facts.sampled
        words = f"{choice.words}, and {merged_in_words(*numbers)}" if merges else choice.words
        choices.append(replace(choice, words=words))
    return replace(question, choices=tuple(choices))


def recurring_codes(facts: SheetFacts, taken: frozenset[str], layout: Mapping[str, Any]) -> str:
    """Return a caution if codes of a level recur in regions of a column that is not a level.

    Args:
        facts: facts about the rows that are read.
        taken: columns that hold no regions, or whose rows were chosen.
        layout: all settings, stated or guessed.
    """
    if any(layout.get(word) for word in ("prefix", "parent", "split", "outline")):
        return ""
    named = {name for value in layout.values() for name in as_names(value)}
    for word in ("levels", "destinations"):
        levels = [name for name in as_names(layout.get(word, ())) if name in facts.columns]
        lower, above = _recurring(
            facts, levels, within=bool(layout.get("within")), taken=taken | named
        )
        if above:
            return (
                f"codes of column {shown_code(lower)} occur in several areas of "
                f"{shown_codes(above, shown=_SHOWN)}, which is not a level, and equal codes count "
                "as one area. If they are different areas, add this column to the levels, and set "
                "within = true"
            )
    return ""


def _recurring(
    facts: SheetFacts, levels: Sequence[str], *, within: bool, taken: frozenset[str]
) -> tuple[str, list[str]]:
    """Return the first level whose codes recur, and the columns in whose regions they do."""
    free = [n for n in facts.sheet.names if n not in taken and n not in levels]
    for place, lower in enumerate(levels):
        if not _may_start_again(facts[lower]):
            continue
        path = levels[: place + 1] if within else [lower]
        above = [
            name for name in free
            if _may_lie_above(facts, name, lower) and _starts_in_most(facts, name, lower)
            and not facts.within(path, name) and not facts.within([name], lower)
        ]  # fmt: skip
        if above:
            once = [n for k, n in enumerate(above)
                    if not any(facts.twins(n, other) for other in above[:k])]  # fmt: skip
            return lower, once
    return "", []


def _between(
    facts: SheetFacts, levels: Sequence[str], taken: frozenset[str]
) -> tuple[str, list[str]]:
    """Return a column that is not a level, with codes that start again in each region."""
    for name in facts.sheet.names:
        if name in taken or name in levels or not _may_start_again(facts[name]):
            continue
        above = [
            level for level in levels
            if _named_above(facts[level], facts[name]) and _may_lie_above(facts, level, name)
            and _starts_in_most(facts, level, name)
            and not facts.within([name], level) and not facts.within([level], name)
        ]  # fmt: skip
        again = facts.different([*levels, name]) * _ROWS_OF_EACH <= facts.n_rows
        if above and again and not about_something_else(facts, name):
            return name, above
    return "", []


def _starts_in_most(facts: SheetFacts, upper: str, lower: str) -> bool:
    """Return whether a code occurs in most regions of another column, as the first one does.

    Regions that only cross others, such as wards and police districts, have no such code.
    """
    pairs = np.unique(np.stack([facts[lower].index, facts[upper].index]), axis=1)
    most = int(np.bincount(pairs[0].astype(np.int64)).max())
    return most >= _MIN_SHARED and most >= _HALF * facts[upper].distinct


def _named_above(upper: ColumnFacts, lower: ColumnFacts) -> bool:
    """Return whether names say that regions of one column lie in those of another one.

    Provinces and districts lie in one another in either order.
    """
    tiers = tier_of(upper), tier_of(lower)
    return min(tiers) >= 0 and (tiers[0] < tiers[1] or tiers[0] == tiers[1] == _PROVINCES)


def _may_start_again(column: ColumnFacts) -> bool:
    """Return whether a column named after regions holds short numbers, or words with a number."""
    if not named_after_places(column, bare=False) or column.distinct_filled < column.distinct:
        return False
    if column.distinct < 2 or POSTAL.fullmatch(column.plain):
        return False
    return column.share(_DIGITS) >= _MOST or _numbered(column)


def _numbered(column: ColumnFacts) -> bool:
    """Return whether all cells are one word with a number behind it, such as "Zone 1"."""
    matches = [_NUMBERED.fullmatch(cell) for cell in column.filled.to_pylist()]
    return all(matches) and len({match[1] for match in matches if match is not None}) == 1


def _counts_up(column: ColumnFacts) -> bool:
    """Return whether most numbers go from 1 up nearly without gaps, as those that start again.

    A few may be large, such as 600 for votes by letter.
    """
    if _numbered(column):
        return True
    known = np.unique(column.values[~np.isnan(column.values)])
    if not known.size or known[0] not in (0, 1):
        return False
    return bool((known <= _GAPS * column.distinct_filled).mean() >= _MOST)


def may_hold_areas(facts: SheetFacts, name: str) -> bool:
    """Return whether a column may hold regions, by its name and its values."""
    column = facts[name]
    if not named_after_places(column, bare=False) or not may_be_region(column):
        return False
    if column.distinct < 2 or column.distinct_filled < column.distinct or column.years:
        return False
    if about_something_else(facts, name) or distinguishes_kinds(column):
        return False
    if column.numeric and named_as_a_count(column):
        return False
    return not POSTAL.fullmatch(column.plain)


def _may_lie_above(facts: SheetFacts, name: str, lower: str) -> bool:
    """Return whether a column may hold the regions above those of another one at the same end.

    The names of the columns state the order, or the numbers go from 1 up and stand behind.
    """
    if not may_hold_areas(facts, name) or end_at(facts, name) != end_at(facts, lower):
        return False
    tiers = tier_of(facts[name]), tier_of(facts[lower])
    if min(tiers) >= 0 and tiers[0] != tiers[1]:
        return tiers[0] < tiers[1]
    before = facts.sheet.names.index(name) < facts.sheet.names.index(lower)
    return _counts_up(facts[lower]) and (before or not _may_start_again(facts[name]))


def end_at(facts: SheetFacts, name: str) -> tuple[str, str]:
    """Return the place of a person or a flow that a column is about, by its name.

    A column that a lookup table added is named after the column through which it was joined.
    """
    _, mark, joined = name.partition(": ")
    keys = {n.partition(": ")[2] for n in facts.sheet.names if ": " in n}
    through = joined if mark and joined in facts.columns else name if name in keys else ""
    end = end_of(through or name)
    return (end.end if end is not None else ""), through


def _ways(facts: SheetFacts, levels: Sequence[str], taken: frozenset[str]) -> list[tuple[str, ...]]:
    """Return the paths in which no code recurs, the longest first, each ending one level higher."""
    names = [
        n for n in facts.sheet.names
        if n in levels or ((n not in taken and (may_hold_areas(facts, n) or (
            _may_start_again(facts[n]) and not about_something_else(facts, n))))
        and end_at(facts, n) == end_at(facts, levels[-1]))
    ]  # fmt: skip
    tiers = [tier_of(facts[n]) for n in names]
    known = [tier for tier in tiers if tier >= 0]
    if len(known) > 1 and all(one >= two for one, two in pairwise(known)) and known[0] > known[-1]:
        names.reverse()  # the columns go upward
    lowest = [
        n for n in facts.sheet.names
        if n not in taken and (n == levels[-1] or CLUSTER.fullmatch(facts[n].plain))
        and names and all(_lies_in(facts, n, upper) for upper in names if upper != n)
    ]  # fmt: skip
    names = [*(n for n in names if n not in lowest), *lowest]
    path: list[str] = []
    for name in names:
        areas = facts.different([*path, name])
        if areas * _ROWS_OF_EACH > facts.n_rows and name not in levels:
            continue
        if areas > facts.different(path) or not path:
            path.append(name)
    paths = [tuple(path[:end]) for end in range(len(path), 1, -1)]
    return [way for way in paths if not _recurring(facts, way, within=True, taken=taken)[1]]


def _lies_in(facts: SheetFacts, name: str, upper: str) -> bool:
    return facts[name].distinct > facts[upper].distinct and facts.within([name], upper)


def _within(levels: tuple[str, ...]) -> Choice:
    words = levels_in_words(levels, within=True)
    return Choice(words=words, stated={"levels": levels, "within": True})
