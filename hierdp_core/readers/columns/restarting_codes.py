"""Parts of one code side by side in lists of records; numbers start again in each region above.

Records hold only some regions, so that a part seems to lie within another one by chance, in
whatever order. The columns distinguish more regions together than the levels that seem to nest,
though, and equal numbers would be merged. Only a person can tell, since a category beside the codes
looks the same. The order of the columns then comes first, or that of their names where these say
it.
"""

from collections.abc import Sequence
from itertools import pairwise

import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.level_rules import named_after_places, tier_of
from hierdp_core.readers.columns.question import (
    Choice,
    Question,
    levels_in_words,
    merged_in_words,
)
from hierdp_core.readers.columns.region_columns import about_something_else
from hierdp_core.readers.columns.vocabulary import POSTAL
from hierdp_core.readers.report import shown_code
from hierdp_core.util.text import join_and

_DIGITS = "^[0-9]{1,5}$"
_ROWS_OF_EACH = 4  # records for each combination of codes, on average


def restarting_codes_question(facts: SheetFacts, levels: Sequence[str]) -> Question | None:
    """Ask a question if the guessed levels of records are some of several codes side by side.

    Args:
        facts: facts about the records.
        levels: the guessed levels, from the top down.
    """
    parts = _parts_around(facts, levels)
    if len(parts) < 2 or not {*levels} <= {*parts}:
        return None
    n_areas = facts.different(parts)
    if n_areas <= facts[levels[-1]].distinct or n_areas * _ROWS_OF_EACH > facts.n_rows:
        return None
    ways = [
        way for end in range(len(parts), 0, -1) if len(way := _dividing(facts, parts[:end])) > 1
    ]
    choices = [_within(way) for way in dict.fromkeys(ways)]
    above = [name for name in parts if name not in levels]
    merged = facts.merged(levels[-1], above or levels[:-1])
    if merged[0]:
        words = f"{levels_in_words(levels)}, and {merged_in_words(*merged)}"
        choices.append(Choice(words=words, stated={"levels": tuple(levels)}))
    named = join_and([shown_code(name) for name in parts])
    return Question(
        what=f"columns {named} stand side by side, and numbers of one occur with several of "
        "another, as the parts of one code do. It is not clear which of them are levels",
        choices=tuple(choices),
    )


def _within(levels: tuple[str, ...]) -> Choice:
    words = levels_in_words(levels, within=True)
    return Choice(words=words, stated={"levels": levels, "within": True})


def _parts_around(facts: SheetFacts, levels: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of digits around the last level, from the top; empty if none may be parts.

    The first and the last of them are named after regions, have leading zeros or are levels.
    """
    names = facts.sheet.names
    start = end = names.index(levels[-1])
    if not _may_be_part(facts, levels[-1]):
        return ()
    while start and _may_be_part(facts, names[start - 1]):
        start -= 1
    while end + 1 < len(names) and _may_be_part(facts, names[end + 1]):
        end += 1
    parts = list(names[start : end + 1])
    while parts and not (_of_places(facts[parts[0]]) or facts[parts[0]].leading_zeros):
        parts.pop(0)
    while parts and not (_of_places(facts[parts[-1]]) or parts[-1] in levels):
        parts.pop()
    if not any(facts[name].leading_zeros for name in parts):
        return ()
    tiers = [tier_of(facts[name]) for name in parts]
    upward = min(tiers, default=-1) >= 0 and all(one >= other for one, other in pairwise(tiers))
    return tuple(reversed(parts) if upward else parts)


def _may_be_part(facts: SheetFacts, name: str) -> bool:
    """Return whether a column may be a part of a code: digits of one width, not a category."""
    column = facts[name]
    if column.distinct < 2 or column.distinct_filled < column.distinct or column.years:
        return False
    if not column.every(_DIGITS) or len(pc.unique(pc.utf8_length(column.filled))) > 1:
        return False
    return not (POSTAL.fullmatch(column.plain) or about_something_else(facts, name))


def _of_places(column: ColumnFacts) -> bool:
    return named_after_places(column, bare=False)


def _dividing(facts: SheetFacts, parts: Sequence[str]) -> tuple[str, ...]:
    """Return the parts without upper ones that divide no region."""
    kept: list[str] = []
    for name in parts[:-1]:
        if facts.different([*kept, name]) > facts.different(kept):
            kept.append(name)
    return (*kept, parts[-1])
