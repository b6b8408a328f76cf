"""Columns that seem to hold regions and are not levels, once all settings are known.

Most tables with a level too few, or with several regions counted as one, have such a column,
whatever the reason is that no rule and no answer used it. The report names it beside the levels.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.layout import RECORDS
from hierdp_core.readers.columns.layout_words import as_names
from hierdp_core.readers.columns.level_rules import named_after_places
from hierdp_core.readers.columns.recurring_codes import end_at, may_hold_areas
from hierdp_core.readers.columns.repeated_names import mostly_in_one
from hierdp_core.readers.report import shown_codes
from hierdp_core.util.text import by_number

_SHOWN = 3
_NAMES = 0.75  # values as a proportion of those of a level, above which they are its names
_FEW_EACH = 1.5  # regions of another column in which a lowest region lies, on average
_BUILT = ("prefix", "parent", "split", "outline", "areas", "matrix")  # levels of other columns


def unused_areas(facts: SheetFacts, taken: frozenset[str], layout: Mapping[str, Any]) -> str:
    """Return a caution about columns that seem to hold regions and are not levels, or "".

    Regions above the lowest level nest with all levels. Where rows are added up, the rows of one
    lowest region may also lie in several regions of another column.

    Args:
        facts: facts about the rows that are read.
        taken: columns that hold no regions, or whose rows were chosen.
        layout: all settings, stated or guessed.
    """
    if any(layout.get(word) for word in _BUILT) or facts.sampled:
        return ""
    used = {name for value in layout.values() for name in as_names(value)}
    used = {name for name in used if name in facts.columns}
    above: list[str] = []
    across: list[str] = []
    for word in ("levels", "destinations"):
        levels = [name for name in as_names(layout.get(word, ())) if name in facts.columns]
        if not levels:
            continue
        for name in facts.sheet.names:
            if name in used | taken or not _may_be_missing(facts, name, levels, used):
                continue
            if _settles(facts, levels, name):
                above += [name] if _nests(facts, name, levels) else []
            elif _adds_rows(layout) and _crosses(facts, name, levels):
                across.append(name)
    if across:
        named = shown_codes(across, shown=_SHOWN)
        one = f"{named} seems to hold areas and is not a level. Some lowest areas have rows with "
        many = f"{named} seem to hold areas and are not levels. Some lowest areas have rows with "
        return by_number(
            len(across),
            f"{one}several of its values, which are added up",
            f"{many}several of their values, which are added up",
        )
    if above:
        named = shown_codes(above, shown=_SHOWN)
        return by_number(
            len(above),
            f"{named} seems to hold upper areas and is not a level",
            f"{named} seem to hold upper areas and are not levels",
        )
    return ""


def _may_be_missing(facts: SheetFacts, name: str, levels: Sequence[str], used: set[str]) -> bool:
    """Return whether a column may hold regions of a level that no used column names."""
    if not may_hold_areas(facts, name) or end_at(facts, name) != end_at(facts, levels[-1]):
        return False
    own = facts[name].distinct
    if all(len(cell) == 1 for cell in facts[name].filled.to_pylist()):
        return False  # kinds of regions
    return not any(
        (_settles(facts, [other], name) and own >= _NAMES * facts[other].distinct)
        or (_settles(facts, [name], other) and facts[other].distinct >= _NAMES * own)
        for other in used
    )


def _nests(facts: SheetFacts, name: str, levels: Sequence[str]) -> bool:
    return all(
        facts.within(levels[: place + 1], name)
        or facts.within([name], level)
        or (named_after_places(facts[name]) and mostly_in_one(facts, level, name))
        for place, level in enumerate(levels)
    )


def _crosses(facts: SheetFacts, name: str, levels: Sequence[str]) -> bool:
    """Return whether a few lowest regions lie in several of a column that is not a lower level.

    Where most of them do, the column is a category, or the codes of a level start again. Words
    below a name for regions are not a category where the lowest level has no such name.
    """
    both = facts.different([*levels, name])
    few = both <= _FEW_EACH * facts.different(levels)
    unnamed = not named_after_places(facts[levels[-1]]) and not facts[name].coded
    return (few or unnamed) and not _settles(facts, [name], levels[-1])


def _settles(facts: SheetFacts, names: Sequence[str], other: str) -> bool:
    """Return whether each combination of values occurs with one value of another column."""
    return facts.different([*names, other]) == facts.different(names)


def _adds_rows(layout: Mapping[str, Any]) -> bool:
    return layout.get("row") in RECORDS or bool(layout.get("add_up"))
