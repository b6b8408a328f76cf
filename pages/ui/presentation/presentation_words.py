"""The sentences of Presentation."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hierdp_core.privacy import PrivacyStatement
from hierdp_core.util.text import a, number, plural
from pages.ui.shell import words

HELP = (
    "Use the arrow keys or the buttons to move forward and back. **Present** hides navigation and "
    "settings. Press F11 to fill the screen, and Esc to end the presentation."
)

COLUMNS = {  # of tables of areas on a slide
    "name": "area",
    "true": "true count",
    "released": "simulated",
    "rel_error": "relative error",
}
TABLE_OUTSIDE = "View as table (available after the presentation)"


def zoom(levels: Sequence[Mapping[Any, Any]]) -> str:
    """Return the title of the step with the typical errors of the levels."""
    first, last = levels[0], levels[-1]
    if math.isnan(last["typical_rel"]):
        return f"No {last['level']} has a true count above 0, so there is no relative error"
    if len(levels) == 1:
        return f"The typical error of {a(last['level'])} count is {_in_words(last)}"
    who = a(last["level"]) if last["areas"] > 1 else f"the {last['level']}"
    smallest = f"{_in_words(last)} for {who}"
    return f"The typical error is {_in_words(first)} for the {first['level']} and {smallest}"


def zoomed(levels: Sequence[Mapping[Any, Any]], *, unit: str) -> tuple[str, ...]:
    """Return the average errors of all levels, in sentences."""
    parts = [f"{row['level']} {number(row['mean_abs'])}" for row in levels]
    return (
        f"Average errors in {unit}: {', '.join(parts)}.",
        "The same error is a larger percentage of a smaller count.",
    )


def head(level: Mapping[Any, Any]) -> tuple[str, str]:
    """Return the heading of the map of a level: its areas and their typical error."""
    return words.level_title(level["areas"], level["level"]), _relative(level)


def affected(level: str, smallest: float, largest: float) -> str:
    """Return the title of the step on errors by size of area.

    Args:
        level: the name of the level.
        smallest, largest: the median relative errors of the smallest and the largest areas.
    """
    if smallest > largest:
        return f"Relative errors are larger in small {plural(level)} than in large ones"
    return f"Relative errors of {plural(level)} by size"


def map_note(maps: int, seed: int) -> str:
    """Return the note that the maps show one simulation; the numbers beside them are from all.

    >>> map_note(3, 7)
    'The maps show one simulated release (seed 7).'
    """
    shows = "The map shows" if maps == 1 else "The maps show"
    return f"{shows} one simulated release (seed {seed})."


def meaning(budget: str, unit: str) -> str:
    """Return the title of the step on what the guarantee means for one privacy unit."""
    return f"What {budget} means for {unit}"


def broken(statement: PrivacyStatement) -> str:
    """Return the title for noise that does not satisfy its claimed guarantee."""
    return (
        f"The published guarantee of this noise is {statement.claimed}, but its actual guarantee "
        f"is {statement.guarantee}"
    )


def footer(source: str, simulations: str, mark: str) -> str:
    """Return the footer of every slide."""
    return f"{source} {simulations}. {mark}"


def _in_words(row: Mapping[Any, Any]) -> str:
    return words.in_words(float(row["typical_rel"]))


def _relative(row: Mapping[Any, Any]) -> str:
    return words.relative(float(row["typical_rel"]))
