"""Codes of records composed of the numbers of several levels, of which some are not read.

In a survey, area 0102 of region 1 is often district 02 of it, with a column "district" in which the
numbers start again in each region. Such a column nests with no other one, so it is not a level by
itself, and the joined code seems to be the only level below the region.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.columns.region_columns import RegionColumns, about_something_else
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.util.text import by_number

_WIDEST = 6  # digits of the number of one level
_FEWEST = 4  # codes; the digits of fewer agree with other numbers by chance
_MIN_WIDTH = 2  # digits of the number of a level between two others
_MIN_PARTS = 2  # columns of numbers of which a code is composed
_NUMBER = re.compile(r"0*([0-9]{1,6})(?:\.0+)?(?:[.:)\s-].*)?")  # "1", "1.0" or "1. North"


def parts_of_code(facts: SheetFacts, code: str) -> tuple[str, ...]:
    """Return the columns whose numbers begin each code of a column, one after the other.

    The result ends with the first column that identifies the codes together with those before, and
    is empty if fewer than two columns do.

    Args:
        facts: facts about the columns of the table.
        code: the column of codes.
    """
    own = facts[code]
    codes, first = np.unique(own.index, return_index=True)
    rows = first.tolist()
    cells = own.text.take(first).to_pylist()
    lengths = {len(cell) for cell in cells}
    if len(codes) < _FEWEST or len(lengths) > 1 or not all(map(str.isdecimal, cells)):
        return ()
    parts: list[str] = []
    at = 0
    while at < min(lengths):
        found = next(
            (
                (name, width)
                for name in facts.sheet.names
                if name not in (code, *parts)
                and 1 < facts[name].distinct < own.distinct
                and facts.within([code], name)
                and (width := _width_at(facts, name, rows, cells, at))
            ),
            None,
        )
        if found is None:
            return ()
        parts.append(found[0])
        at += found[1]
        if facts.different(parts) == own.distinct:
            return tuple(parts) if len(parts) >= _MIN_PARTS else ()
    return ()


def _width_at(
    facts: SheetFacts, name: str, rows: Sequence[int], codes: Sequence[str], at: int
) -> int:
    """Return how many digits of the codes are the number of a column; 0 if no digits are."""
    matches = [_NUMBER.fullmatch(cell) for cell in facts[name].text.take(rows).to_pylist()]
    numbers = [match[1] for match in matches if match is not None]
    if len(numbers) < len(matches):
        return 0
    fits = (
        width
        for width in range(max(map(len, numbers)), _WIDEST + 1)
        if all(
            code[at : at + width] == number.zfill(width)
            for code, number in zip(codes, numbers, strict=True)
        )
    )
    return next(fits, 0)


def composite_code_question(facts: SheetFacts, levels: Sequence[str]) -> Question | None:
    """Ask a question if the codes of the last level are made of columns between the levels."""
    code = levels[-1]
    parts = parts_of_code(facts, code)
    if not parts or not {*parts} - {*levels}:
        return None
    whole = [
        Choice(
            words=levels_in_words(parts[:k], within=True),
            stated={"levels": parts[:k], "within": True},
        )
        for k in range(len(parts), 1, -1)
    ]
    joined = Choice(words=levels_in_words(levels), stated={"levels": tuple(levels)})
    return Question(
        what=f"codes of column {shown_code(code)} are composed of the numbers in columns "
        f"{shown_codes(parts, shown=_WIDEST)}. It is not clear which of these are levels",
        choices=(*whole, joined),
    )


def with_levels_of_digits(facts: SheetFacts, regions: RegionColumns) -> RegionColumns:
    """Return the levels with a question where a column holds the digits between two of them.

    In the code 15101021002 of a zone in municipality 15101, the digits 02 are those of a district,
    which may have a column of its own with the number 2.
    """
    levels = tuple(regions.words.get("levels", ()))
    above = facts.chains.get(levels[-1], ()) if levels else ()
    if regions.question is not None or regions.words.keys() & {"prefix", "parent"} or not above:
        return regions
    if regions.words.get("within") or not {*levels[:-1]} <= {*above}:
        return regions
    longest = _digits(facts, levels[-1])
    behind = {longest - _digits(facts, name): name for name in levels}
    path, names = list(levels), list(regions.words.get("names", levels))
    for name, (start, width) in sorted(facts.parts_of_codes.items(), key=lambda one: -one[1][0]):
        upper = behind.get(start + width)
        if upper is None or start in behind or width < _MIN_WIDTH:
            continue
        place = path.index(upper) + 1
        areas = facts.different([upper, name])
        finer = facts[path[place]].distinct if place < len(path) else 0
        if facts[upper].distinct < areas < finer and not about_something_else(facts, name):
            path.insert(place, name)
            names.insert(place, name)
            behind[start] = name
    if len(path) == len(levels):
        return regions
    added = [name for name in path if name not in levels]
    named: dict[str, Any] = {"names": tuple(names)} if regions.words.get("names") else {}
    known = {word: regions.words[word] for word in ("levels", "names") if regions.words.get(word)}
    question = Question(
        what=f"the digits between the codes of two levels stand in {columns_in_words(added)}. It "
        "is not clear whether these digits are the codes of a level between the two",
        choices=(
            Choice(
                words=levels_in_words(path, within=True),
                stated={"levels": tuple(path), "within": True} | named,
            ),
            Choice(words=levels_in_words(levels), stated=known),
        ),
    )
    return replace(regions, question=question)


def columns_in_words(names: Sequence[str]) -> str:
    """Return columns in words.

    >>> columns_in_words(["a"]), columns_in_words(["a", "b"])
    ('column "a"', 'columns "a", "b"')
    """
    return f"{by_number(len(names), 'column', 'columns')} {shown_codes(names, shown=_WIDEST)}"


def _digits(facts: SheetFacts, name: str) -> int:
    """Return the largest number of digits of a code, without leading zeros and final letters."""
    cells = facts[name].filled.to_pylist()
    return max(len(re.sub("[A-Z]$", "", cell).lstrip("0")) for cell in cells)
