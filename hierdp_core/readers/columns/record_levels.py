"""Questions about records whose regions may have finer levels or do not nest."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from hierdp_core.readers.columns.ends import end_of
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.level_rules import named_after_places
from hierdp_core.readers.columns.question import (
    Choice,
    Question,
    levels_in_words,
    overlapping_levels,
)
from hierdp_core.readers.columns.region_columns import about_something_else, may_be_region
from hierdp_core.readers.columns.vocabulary import GROUP_ID, PERSON, subject_of
from hierdp_core.readers.report import shown_code

_MIN_ROWS = 4  # rows for each value of a level, on average
_MAX_LINES = 60  # members of one group
_LINE = re.compile(r"line|pernum|pnum|person|member|idx|pid|indid|resp|mitglied|membre")
_NUMBERED = re.compile(r"(\D*?)[ .-]*([0-9]{1,3}|[A-Z])")  # "Zone 1" or "B"
CLUSTER = re.compile(  # regions in which the households of a survey are chosen
    r"(.*_)?(clusters?|psu|upm|grappe|conglom[a-z]*|ea|enumeration_area)(_(id|no|nr|num|number|code))?"
)
_IN_SERIES = re.compile(r"(.*\D)([0-9]{1,3})")  # columns of a survey, such as q01 and q02
_MIN_UPPER = 2  # levels above the last one, of which each name may repeat
_MAX_CROSSING = 3  # columns that a question names


def overlapping_level_question(
    facts: SheetFacts, levels: Sequence[str], used: frozenset[str]
) -> Question | None:
    """Ask a question if an unused column is named after regions and does not nest with levels."""
    unused = [n for n in facts.sheet.names if n not in used]
    ends = {end.end for n in unused if (end := end_of(n)) is not None}
    others = [
        n for n in unused
        if (named_after_places(facts[n], bare=False) or _coded_and_named(facts, n)
            or _is_in_series(facts, n, levels))
        and _may_be_level(facts, n)
        and not any(facts.twins(n, level) for level in levels)
        and not any(facts.within([level], n) for level in _settling(facts, n, levels))
        and (end_of(n) is None or (len(ends) == 1 and _coded_and_named(facts, n)))
    ]  # fmt: skip
    if not others:
        return None
    leaf = levels[-1]
    choices: list[Choice] = []
    for name in others[:_MAX_CROSSING]:
        above = tuple(
            n for n in sorted({*levels, *others}, key=lambda n: facts[n].distinct)
            if n not in (leaf, name) and facts[n].distinct < facts[name].distinct
            and facts.within([name], n)
        )  # fmt: skip
        joined = tuple(sorted({*above, name, leaf}, key=lambda n: facts[n].distinct))
        if leaf != joined[-1]:
            joined = (*(n for n in joined if n != leaf), leaf)
        choices.append(
            Choice(words=levels_in_words(joined, within=True),
                   stated={"levels": joined, "within": True})
        )  # fmt: skip
        choices += [_chain(way) for way in ((*above, name), tuple(levels), (leaf,))]
    if (deepest := _deepest(facts, levels, others)) is not None:
        *above, _ = deepest.stated["levels"]
        series = any(_is_in_series(facts, name, levels) for name in others)
        starts = series or all(_numbered_again(facts, name) for name in above[1:])
        if starts or len(above) == _MIN_UPPER:
            choices.insert(0 if starts else len(choices), deepest)
    names = (leaf, *others[:_MAX_CROSSING])
    return Question(what=overlapping_levels(names), choices=tuple(_different(choices)))


def _deepest(facts: SheetFacts, levels: Sequence[str], others: Sequence[str]) -> Choice | None:
    """Return the answer that all columns are levels; one name below two regions means two.

    The result is None unless there are three or four levels.
    """
    kept = list(levels)
    for name in others:
        if not any(facts.twins(name, other) for other in kept):
            kept.append(name)
    leaf = levels[-1]
    upper = sorted((n for n in kept if n != leaf), key=lambda n: (facts[n].distinct, kept.index(n)))
    if not _MIN_UPPER <= len(upper) <= _MAX_CROSSING:
        return None
    path = (*upper, leaf)
    return Choice(words=levels_in_words(path, within=True), stated={"levels": path, "within": True})


def _numbered_again(facts: SheetFacts, name: str) -> bool:
    """Return whether all values are numbers or capital letters, with or without the same words.

    Examples are "Zone 1" and "Zone 2", or "A" and "B".
    """
    cells = facts[name].filled.to_pylist()
    matches = [match for cell in cells if (match := _NUMBERED.fullmatch(cell)) is not None]
    return len(matches) == len(cells) and len({match[1] for match in matches}) == 1


def finer_level_question(
    facts: SheetFacts, levels: Sequence[str], used: frozenset[str]
) -> Question | None:
    """Ask a question if an unused column divides regions of the last level."""
    leaf = levels[-1]
    finer = [
        n for n in facts.sheet.names
        if n not in used and _may_be_level(facts, n, named=False)
        and facts[n].distinct > facts[leaf].distinct and facts.within([n], leaf)
    ]  # fmt: skip
    if not finer:
        return None
    chain = [leaf]
    for name in sorted(finer, key=lambda n: (facts[n].distinct, facts.sheet.names.index(n))):
        if facts.within([name], chain[-1]) and not facts.twins(name, chain[-1]):
            chain.append(name)
    ways = [(*levels, *chain[1 : k + 1]) for k in reversed(range(len(chain)))]
    return Question(
        what=f"column {shown_code(chain[1])} divides areas of column "
        f"{shown_code(leaf)}. It is not clear whether it is a level",
        choices=tuple(_chain(way) for way in ways),
    )


def _settling(facts: SheetFacts, name: str, levels: Sequence[str]) -> Sequence[str]:
    """Return the levels whose areas, if each lies in one value of a column, make it no question."""
    return levels[-1:] if _is_in_series(facts, name, levels) else levels


def _is_in_series(facts: SheetFacts, name: str, levels: Sequence[str]) -> bool:
    """Return whether a column of words is numbered just before levels, such as q01 before q02."""
    matches = [_IN_SERIES.fullmatch(one) for one in (name, *levels)]
    numbers = [int(match[2]) for match in matches if match is not None]
    stems = {match[1] for match in matches if match is not None}
    if len(numbers) < len(matches) or len(stems) > 1 or facts[name].numeric:
        return False
    return numbers == [*range(numbers[0], numbers[0] + len(numbers))]


def _coded_and_named(facts: SheetFacts, name: str) -> bool:
    """Return whether a column and another one hold the codes and the names of the same things.

    Such things, for example hospitals, are regions too.
    """
    subject = subject_of(facts[name].plain)
    return bool(subject) and any(
        other != name and subject_of(facts[other].plain) == subject and facts.twins(name, other)
        for other in facts.sheet.names
    )


def _may_be_level(facts: SheetFacts, name: str, *, named: bool = True) -> bool:
    """Return whether a column may be a level of regions.

    Each of its values has at least four rows on average.

    Args:
        facts: facts about the table.
        name: the column.
        named: reject columns whose names say that they hold something else.
    """
    column = facts[name]
    if GROUP_ID.fullmatch(column.plain) or PERSON.fullmatch(column.plain):
        return False
    several = column.distinct_filled > 1 and column.distinct * _MIN_ROWS <= facts.n_rows
    other = named and about_something_else(facts, name)
    area = may_be_region(column) or (not named and bool(CLUSTER.fullmatch(column.plain)))
    return several and area and not column.years and not other


def repeated_members_question(
    facts: SheetFacts, levels: Sequence[str], group: str
) -> Question | None:
    """Ask a question if members of a group are numbered again, so a number means several groups.

    Members are numbered from 1 up within a group. If these numbers repeat, but do not once one more
    column identifies the group, this column probably names regions in which the numbers of groups
    start again.
    """
    key = [*levels, group]
    lines = [n for n in facts.sheet.names if n not in key and _may_be_lines(facts, n)]
    lines.sort(key=lambda n: (not _LINE.search(facts[n].plain), -facts[n].distinct))
    for line in lines:
        if facts.one_row_each([*key, line]) or facts.sampled:
            continue
        for name in facts.sheet.names:
            apart = name not in (*key, line) and 1 < facts[name].distinct < facts.n_rows // 4
            if apart and _counts_up(facts, [*key, name], line):
                return _apart_question(facts, levels, group, name)
    return None


def _may_be_lines(facts: SheetFacts, name: str) -> bool:
    """Return whether a column may number the members of groups, from 1 up to at most 60."""
    values = facts[name].values
    if not facts[name].numeric or np.isnan(values).any():
        return False
    return bool(values.min() == 1 and 2 <= values.max() <= _MAX_LINES)


def _counts_up(facts: SheetFacts, key: Sequence[str], line: str) -> bool:
    """Return whether the members of every group are numbered 1, 2, 3, … up to its size."""
    if not facts.one_row_each([*key, line]):
        return False
    group, values = facts.key(key), facts[line].values
    sizes = np.bincount(group)
    largest = np.zeros(len(sizes))
    np.maximum.at(largest, group, values)
    return bool((largest == sizes).all())


def _apart_question(facts: SheetFacts, levels: Sequence[str], group: str, name: str) -> Question:
    own: dict[str, Any] = {"levels": (*levels, name)}
    if not facts.within([name], levels[-1]):
        own["within"] = True
    persons = {"kind": "counts", "row": "person", "levels": tuple(levels)}
    groups = {"kind": "group-sizes", "row": "person", "group": group}
    return Question(
        what=f"equal numbers in column {shown_code(group)} may be different groups, because their "
             f"members are numbered from 1 for each value of column {shown_code(name)}",
        choices=(
            Choice(words=f"each value of column {shown_code(name)} is an area with groups of its "
                   "own", stated=own),
            Choice(words="persons are counted instead of groups", stated=persons),
            Choice(words=f"equal numbers within an area of {shown_code(levels[-1])} are one group",
                   stated=groups | {"levels": tuple(levels)}),
        ),
    )  # fmt: skip


def shared_numbers(facts: SheetFacts, levels: Sequence[str], group: str) -> str:
    """Return a statement on numbers of groups that occur in several regions; empty if none does."""
    n_groups = facts.different([*levels, group])
    if n_groups <= facts[group].distinct:
        return ""
    return (
        f"some numbers in column {shown_code(group)} occur in several areas of "
        f"{shown_code(levels[-1])}. They are read as different groups, {n_groups:,} in all"
    )


def _chain(levels: tuple[str, ...]) -> Choice:
    return Choice(words=levels_in_words(levels), stated={"levels": levels})


def _different(choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices without those whose words repeat."""
    kept: dict[str, Choice] = {}
    for choice in choices:
        kept.setdefault(choice.words, choice)
    return list(kept.values())
