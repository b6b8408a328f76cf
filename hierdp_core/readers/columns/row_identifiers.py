"""Columns with a value of their own in each row, which may be the regions of the lowest level.

Where rows of a region are added up, the regions in these rows are lost. The reading of each row as
a region is therefore offered beside it.
"""

from collections.abc import Sequence

from hierdp_core.readers.columns.count_rules import named_as_a_count
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import (
    Choice,
    Question,
    levels_in_words,
    overlapping_levels,
)
from hierdp_core.readers.columns.record_rules import identifies_rows
from hierdp_core.readers.columns.region_columns import about_something_else, is_name
from hierdp_core.readers.columns.vocabulary import (
    CATEGORY,
    CODE,
    GROUP_ID,
    NOT_A_COUNT,
    NUMBER_OF_RECORD,
    PERSON,
    PLACE,
    ROW_NUMBER,
)

_MIN_ROWS = 4
_MIN_DIGITS = 5  # of numbers of one length in the order of the rows
_MOST = 2  # columns that a question offers
_FEWEST_PLACES = 3  # upper regions that share regions of the last level
_MOST_SHARED = 1.5  # pairs of such a region and one of the last level, as a multiple of the latter
_NEVER = (PERSON, GROUP_ID, NUMBER_OF_RECORD, CATEGORY, ROW_NUMBER)


def names_each_row(facts: SheetFacts, name: str) -> bool:
    """Return whether a column holds a different code or name of a region in each row."""
    column = facts[name]
    if not column.distinct_filled == facts.n_rows >= _MIN_ROWS or facts.sampled:
        return False
    if any(pattern.fullmatch(column.plain) for pattern in _NEVER) or column.fractions:
        return False
    if column.counts_rows:
        return False  # only numbers the rows
    if about_something_else(facts, name):
        return False
    named = is_name(column) or bool(PLACE.search(column.plain) or CODE.fullmatch(column.plain))
    if column.numeric:
        lengths = {len(cell) for cell in column.filled.to_pylist()}
        in_order = column.rises and len(lengths) == 1 and min(lengths) >= _MIN_DIGITS
        measured = NOT_A_COUNT.fullmatch(column.plain) or named_as_a_count(column)
        own = named and identifies_rows(column)
        return name in facts.chains or own or (in_order and not measured)
    return column.coded or named


def crossing_places_question(
    facts: SheetFacts, levels: Sequence[str], free: Sequence[str]
) -> Question | None:
    """Ask about upper regions that share a few regions of the last level; None without any.

    An electoral zone may lie in two municipalities. Where its rows were added up, the level of the
    municipalities would be lost.
    """
    if not levels or facts.sampled:
        return None
    n_areas = facts.different(levels)
    for name in free:
        column = facts[name]
        if column.numeric or column.distinct_filled < column.distinct or name in levels:
            continue
        if not PLACE.search(column.plain) or CATEGORY.fullmatch(column.plain):
            continue
        both = facts.different([*levels, name])
        if column.distinct < _FEWEST_PLACES or not n_areas < both <= _MOST_SHARED * n_areas:
            continue
        if about_something_else(facts, name):
            continue
        above, last = levels[:-1], levels[-1]
        ways = [((*above, name, last), True), ((*above, name), False), (tuple(levels), False)]
        choices = [
            Choice(
                words=levels_in_words(way, within=within),
                stated={"levels": way} | ({"within": True} if within else {}),
            )
            for way, within in ways
        ]
        return Question(what=overlapping_levels((name, last)), choices=tuple(choices))
    return None


def with_lowest_level(
    facts: SheetFacts, question: Question, levels: Sequence[str], aside: Sequence[str]
) -> Question:
    """Return a question whose answer to add up rows stands below those to read each as a region.

    Args:
        facts: facts about the rows that are read.
        question: the question about the rows of a region.
        levels: the columns of the levels.
        aside: columns that hold something else, such as the counts.
    """
    place = next((k for k, c in enumerate(question.choices) if c.stated.get("add_up")), -1)
    offered = {tuple(choice.stated.get("levels", ())) for choice in question.choices}
    lowest = [
        (*levels, name) for name in facts.sheet.names
        if name not in (*levels, *aside) and names_each_row(facts, name)
        and (not levels or facts.within([name], levels[-1]))
    ][:_MOST]  # fmt: skip
    added = [way for way in lowest if way not in offered]
    if place < 0 or not added:
        return question
    choices = [Choice(words=levels_in_words(way), stated={"levels": way}) for way in added]
    return Question(
        what=question.what,
        choices=(*question.choices[:place], *choices, *question.choices[place:]),
    )
