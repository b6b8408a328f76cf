"""Codes of records put together from the numbers of several levels, of which some are not read.

In a survey, area 0102 of region 1 is often district 02 of it, with a column "district" in which the
numbers start again in each region. Such a column nests with no other one, so that it is no level by
itself, and the joined code seems to be the only level below the region.
"""

import re
from collections.abc import Sequence

import numpy as np

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.report import shown_code, shown_codes

_WIDEST = 6  # digits of the number of one level
_FEWEST = 4  # codes; the digits of fewer agree with other numbers by chance
_MIN_PARTS = 2  # columns of numbers that a code is put together from
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
    """Ask where the last level is a code that is put together from columns between the levels."""
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
        what=f"codes of column {shown_code(code)} are put together from the numbers in columns "
        f"{shown_codes(parts, shown=_WIDEST)}. It is not clear which of these are levels",
        choices=(*whole, joined),
    )
