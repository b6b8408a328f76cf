"""Doubts about answers that read sizes of groups: what the columns hold instead.

The doubt stands in the answer and, for as long as it is stated, in the report.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.vocabulary import HOUSEHOLD, SIZE, plain_name, size_in
from hierdp_core.readers.report import shown_code
from hierdp_core.util.arrays import FloatArray

_COMPARED = 2  # columns of each series whose numbers are compared
_MIN_ROWS = 3  # rows in which numbers add up by no chance
_GROUPS = re.compile(HOUSEHOLD)


def doubt_about_sizes(facts: SheetFacts, stated: Mapping[str, Any]) -> str:
    """Return why stated columns probably hold no sizes of groups; empty without a reason.

    Args:
        facts: facts about the table.
        stated: the settings of an answer, with `sizes` or `size`.
    """
    names = tuple(n for n in stated.get("sizes", ()) if n in facts.columns)
    if len(names) >= _COMPARED:
        return _one_of_two_parts(facts, names)
    name = str(stated.get("size", ""))
    if name in facts.columns and not stated.get("row") and not _says_sizes(facts, name):
        return "neither its name nor its values show that it holds sizes"
    return ""


def _says_sizes(facts: SheetFacts, name: str) -> bool:
    """Return whether a column is named after sizes or households, or has a word in a cell."""
    column = facts[name]
    if column.plain in SIZE or _GROUPS.search(column.plain):
        return True
    sizes = [size_in(cell) for cell in column.filled.to_pylist()]
    return any(size is not None and (size[1] or size[2]) for size in sizes)


def _one_of_two_parts(facts: SheetFacts, names: Sequence[str]) -> str:
    """Return a doubt if the numbers and a second series add up to a third one, as sexes do.

    The three names differ only in one word or letter, as "M 1", "W 1" and "all 1". Households by
    size that are named so, such as those of towns and villages, are not doubted.
    """
    if any(_GROUPS.search(plain_name(name)) or size_in(name) for name in names):
        return ""
    alike = [_alike(facts, name, names) for name in names[:_COMPARED]]
    for part, whole in _pairs(facts, names[0], alike[0]):
        second = _same_place(names[0], names[1], part), _same_place(names[0], names[1], whole)
        if second in _pairs(facts, names[1], alike[1]):
            return (
                f"columns such as {shown_code(names[0])} and {shown_code(part)} add up to "
                f"{shown_code(whole)}, as those of the sexes do"
            )
    return ""


def _alike(facts: SheetFacts, name: str, names: Sequence[str]) -> list[str]:
    """Return the columns of numbers that end or begin like a name for at least half of it."""
    half = max(len(name) // 2, 1)
    return [
        other for other in facts.sheet.names
        if other not in names and facts[other].numeric
        and _common(name, other) + _common(name[::-1], other[::-1]) >= half
    ]  # fmt: skip


def _pairs(facts: SheetFacts, name: str, alike: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a second part and a whole, of which a column is the first part."""
    values = {other: np.nan_to_num(facts[other].values) for other in (name, *alike)}
    return [
        (part, whole) for part in alike for whole in alike
        if part != whole and _adds_up(values[name], values[part], values[whole])
    ]  # fmt: skip


def _adds_up(one: FloatArray, other: FloatArray, whole: FloatArray) -> bool:
    informative = int(((one > 0) & (other > 0)).sum()) >= _MIN_ROWS
    return informative and bool((one + other == whole).all())


def _same_place(first: str, second: str, name: str) -> str:
    """Return the name that differs from `name` as the second one from the first one.

    >>> _same_place("boys 1 year", "boys 2 year", "girls 1 year")
    'girls 2 year'
    """
    start = _common(first, second)
    end = _common(first[start:][::-1], second[start:][::-1])
    old, new = first[start : len(first) - end], second[start : len(second) - end]
    before, after = name.rpartition(old)[0], name.rpartition(old)[2]
    return f"{before}{new}{after}" if old and old in name else name


def _common(one: str, other: str) -> int:
    """Return how many letters two texts have in common at their beginnings."""
    n = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        n += 1
    return n
