"""Levels that each have a column of codes and one of names, whose codes start again in each region.

Then neither a code nor a name alone is one region, so that they do not correspond one to one, and a
column of names looks like a further level. The names of the columns say what belongs together, such
as "district_id" and "district_name", and their order is that of the levels.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts, follows
from hierdp_core.readers.columns.level_rules import place_points
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.columns.region_columns import RegionColumns, may_be_region
from hierdp_core.readers.columns.slices import crosses
from hierdp_core.readers.columns.vocabulary import CODE, says_name, subject_of
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code
from hierdp_core.util.arrays import BoolArray

_MIN_LEVELS = 2
_MOST_CHOICES = 8


def with_pairs_first(
    facts: SheetFacts, regions: RegionColumns, taken: Collection[str]
) -> RegionColumns:
    """Return the levels, with the answers first that pairs of codes and names give.

    A question is asked too if other levels were guessed. Answers are left out if the code and the
    name of one level are two levels in them, or if a level that only some regions have stands above
    others.

    Args:
        facts: facts about the table.
        regions: the guessed levels, with a question or without.
        taken: columns that hold something else.
    """
    free = [n for n in facts.sheet.names if n not in taken and may_be_region(facts[n])]
    return replace(regions, question=_question(facts, regions, free))


def _question(facts: SheetFacts, regions: RegionColumns, free: Sequence[str]) -> Question | None:
    """Return the question about levels with further answers, or a new one."""
    question, guessed = regions.question, tuple(regions.words.get("levels", ()))
    about_levels = question is not None and any("levels" in c.stated for c in question.choices)
    if not guessed or (question is not None and not about_levels):
        return question
    pairs = _pairs(facts, free)
    codes, names = _levels_of(facts, pairs)
    if len(codes) < _MIN_LEVELS or not _start_again(facts, codes):
        return question
    below = _unnamed_below(facts, codes, names, free)
    if question is None and {*guessed} - {below} == {*codes}:
        return None
    paths = [(codes, names), (codes[:-1], names[:-1])]
    if below:
        paths.insert(0, ((*codes, below), (*names, below)))
    choices = [_choice(*path) for path in paths if len(path[0]) >= _MIN_LEVELS]
    partial = {code for code, name in pairs if _blank(facts, name).any()}
    words = {k: v for k, v in regions.words.items() if k in ("levels", "within", "names") and v}
    own = Choice(words=levels_in_words(guessed, within=bool(words.get("within"))), stated=words)
    others = [
        choice for choice in (question.choices if question is not None else (own,))
        if not any({code, name} <= {*choice.stated.get("levels", ())} for code, name in pairs)
        and not partial & {*choice.stated.get("levels", ())[:-1]}
    ]  # fmt: skip
    what = question.what if question is not None else (
        f"codes of column {shown_code(codes[-1])} start again in other areas, and columns of codes "
        "and of names stand side by side. It is not clear which of them are levels"
    )  # fmt: skip
    return Question(what=what, choices=tuple([*choices, *others][:_MOST_CHOICES]))


def _choice(codes: tuple[str, ...], names: tuple[str, ...]) -> Choice:
    return Choice(
        words=levels_in_words(codes, within=True),
        stated={"levels": codes, "within": True} | ({"names": names} if names != codes else {}),
    )


def _pairs(facts: SheetFacts, free: Sequence[str]) -> list[tuple[str, str]]:
    """Return columns of codes and of names that are called alike, in the order of the table."""
    names = [n for n in facts.sheet.names if says_name(facts[n].plain)]
    pairs = []
    for code in facts.sheet.names:
        subject = subject_of(facts[code].plain)
        called = [n for n in names if n != code and subject_of(facts[n].plain) == subject]
        coded = CODE.fullmatch(facts[code].plain) and code not in names
        if code in free and subject and coded and len(called) == 1 and facts[code].distinct > 1:
            pairs.append((code, called[0]))
    return pairs


def _levels_of(
    facts: SheetFacts, pairs: Sequence[tuple[str, str]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the codes and the names of the pairs that are levels below each other.

    A category that all regions have is not a level, and neither is a level of some regions only,
    whose names are blank in the others.
    """
    codes: list[str] = []
    names: list[str] = []
    for code, name in pairs:
        if not codes and not place_points(facts[code]):
            continue
        blank = _blank(facts, name)
        divides = facts.different([*codes, code]) > facts.different(codes)
        if blank.any() or not divides or (codes and crosses(facts, codes, code)):
            continue
        if follows(facts.key([*codes, code]), facts[name].index):
            codes.append(code)
            names.append(name)
    return tuple(codes), tuple(names)


def _blank(facts: SheetFacts, name: str) -> BoolArray:
    return as_mask(pc.equal(facts[name].text, ""))


def _start_again(facts: SheetFacts, codes: Sequence[str]) -> bool:
    """Return whether a code occurs in several regions above it."""
    return any(
        facts.different(codes[: k + 1]) > facts[code].distinct for k, code in enumerate(codes)
    )


def _unnamed_below(
    facts: SheetFacts, codes: Sequence[str], names: Sequence[str], free: Sequence[str]
) -> str:
    """Return the next column of codes; empty if it is a category or does not divide the regions."""
    columns = facts.sheet.names
    last = max(columns.index(n) for n in (*codes, *names))
    below = columns[last + 1] if last + 1 < len(columns) else ""
    if below not in free or not CODE.fullmatch(facts[below].plain) or facts[below].fractions:
        return ""
    divides = facts.different([*codes, below]) > facts.different(codes)
    several = np.median(np.bincount(facts.key([*codes, below]))) > 1 or facts.one_row_each(
        [*codes, below]
    )
    return below if divides and several and not crosses(facts, codes, below) else ""
