"""Numbers in brackets, and numbers followed by words."""

import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.text import counted

KEPT, AS_MISSING = "kept", "missing"
_GAPS = ".,'’ \u00a0\u202f"  # between digits
BRACKETED = rf"^[(\[]\s*[0-9][0-9{_GAPS}]*[)\]]$"
BRACKET_CHOICES = (
    Choice(words="Use numbers in brackets as they are", stated={"brackets": KEPT}),
    Choice(words="Leave out rows with a number in brackets",
           stated={"brackets": AS_MISSING, "missing": "left out"}),
    Choice(words="Count numbers in brackets as 0",
           stated={"brackets": AS_MISSING, "missing": "zero"}),
)  # fmt: skip
_WITH_UNIT = rf"^([0-9][0-9{_GAPS}]*?) ?(\p{{L}}[\p{{L}}. ]{{0,24}})$"
_MOST_UNITS = 3
_MOST_WORDS = 6  # that stand where numbers are expected


def without_brackets(name: str, text: Any, notes: Notebook) -> Any:
    """Return numbers without the brackets around them, and report how many there were."""
    marked = as_mask(pc.match_substring_regex(text, BRACKETED))
    if not marked.any():
        return text
    notes.repair(
        "brackets",
        f"brackets around numbers in column {shown_code(name)} were left out "
        f"({counted(int(marked.sum()), 'cell')})",
    )
    bare = pc.utf8_trim(pc.replace_substring_regex(text, r"[()\[\]]", ""), " ")
    return pc.if_else(pa.array(marked), bare, text)


def without_units(name: str, text: Any, notes: Notebook) -> Any:
    """Return numbers without the words after them, and report how many there were."""
    marked = as_mask(pc.match_substring_regex(text, _WITH_UNIT))
    if not marked.any():
        return text
    notes.repair(
        "units",
        f"words after numbers in column {shown_code(name)} were left out "
        f"({counted(int(marked.sum()), 'cell')})",
    )
    return pc.replace_substring_regex(text, _WITH_UNIT, r"\1")


def word_choices(name: str, cells: Any) -> tuple[Choice, ...]:
    """Return the choices for cells that are not numbers: ignore units, or leave out rows."""
    different = pc.unique(cells).to_pylist()
    if any(re.search("[0-9]", cell) for cell in different) or len(different) > _MOST_WORDS:
        return unit_choices(cells)
    shown = ", ".join(shown_code(cell) for cell in different)
    words = f"Leave out rows with {shown} in column {shown_code(name)}"
    return (Choice(words=words, stated={"leave_out": tuple(f"{name}={c}" for c in different)}),)


def unit_choices(cells: Any) -> tuple[Choice, ...]:
    """Return the choice to ignore words after numbers, if there are few different ones.

    A word for a multiple, such as "k" or "million", must not be ignored.
    """
    matches = [re.match(rf"[0-9][0-9{_GAPS}]*(.*)", cell) for cell in cells.to_pylist()]
    words = {match[1].strip() if match else "" for match in matches}
    are_words = all(
        len(word) > 1 and re.fullmatch(r"[^\W\d_][^\W\d_. ]*\.?", word) for word in words
    )
    if (
        not are_words
        or len(words) > _MOST_UNITS
        or any(_MULTIPLE.fullmatch(w.lower()) for w in words)
    ):
        return ()
    shown = ", ".join(shown_code(word) for word in sorted(words))
    return (Choice(words=f"Leave out {shown} after numbers", stated={"units": "left out"}),)


_MULTIPLE = re.compile(
    r"(k|m|mn|mio|mill|million|millions|millionen|millones|milh.es|milioni|mln|bn|billion|tsd|tausend|"
    r"thousand|thousands|mil|miles|mille|mila|tys|tis|lakhs?|crores?|dozens?|percent|prozent)\.?"
)
