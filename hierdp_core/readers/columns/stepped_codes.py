"""Codes that start again in each region above, with one column for each level.

District 1 of municipality 5 is not district 1 of municipality 7. Only all columns together identify
a region, in the order in which they stand. Rows of totals may have zeros in place
of the codes of lower levels.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.count_rules import named_as_a_count
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.level_rules import named_after_places, tier_of
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words, sum_choice
from hierdp_core.readers.columns.record_rules import describes_persons
from hierdp_core.readers.columns.region_columns import (
    RegionColumns,
    about_something_else,
    is_name,
)
from hierdp_core.readers.columns.size_shapes import size_choice
from hierdp_core.readers.columns.slices import crosses
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    COUNT,
    NOT_A_COUNT,
    POSTAL,
    WEIGHT,
    says_name,
)
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import by_number

_CODE = "^[0-9A-Z][0-9A-Z.-]{0,7}$"
_ZEROS = "^00+$"
_MIN_ROWS = 4
_MIN_LEVELS = 2
_MOST = 12  # columns that are tried
_MOSTLY = 0.9  # proportion of the regions above in which numbers start again
_SHOWN = 6  # columns that a sentence names


@dataclass(frozen=True, kw_only=True)
class SteppedCodes:
    """Columns of codes that together identify the regions.

    Attributes:
        levels: the columns, from the top level down.
        again: whether codes of a level start again in each area above. If not, there are rows of
            totals.
        totals: the rows of totals, whose codes are zeros, each "COLUMN=VALUE".
        rows: True for the rows of regions on the last level, shape (n_rows,).
    """

    levels: tuple[str, ...]
    again: bool
    totals: tuple[str, ...]
    rows: BoolArray


def stepped_codes(facts: SheetFacts, aside: Collection[str] = ()) -> SteppedCodes | None:
    """Return the columns of codes that identify each row only together.

    Args:
        facts: facts about the columns of the table.
        aside: columns that hold something else, such as the counts.
    """
    weighted = any(WEIGHT.fullmatch(column.plain) for column in facts.columns.values())
    if facts.sampled or weighted or describes_persons(facts):
        return None  # cluster and dwelling numbers in a survey start again as well
    possible = [n for n in facts.sheet.names if n not in aside and _may_hold_codes(facts, n)]
    possible = possible[:_MOST]
    totals, is_total = _totals_of_zeros(facts, possible)
    if totals is None or is_total.all():
        return None
    areas = SheetFacts(facts.sheet.take(~is_total)) if totals else facts
    coded = {pair.partition("=")[0] for pair in totals}
    levels, again = _steps(areas, possible, coded)
    if not (again or totals):
        return None
    if len(levels) < _MIN_LEVELS or areas.n_rows < _MIN_ROWS:
        return None
    kept = tuple(pair for pair in totals if pair.partition("=")[0] in levels)
    if len(kept) < len(totals):
        return None
    return SteppedCodes(levels=levels, again=again, totals=kept, rows=~is_total)


def _may_hold_codes(facts: SheetFacts, name: str) -> bool:
    column = facts[name]
    if column.distinct_filled < column.distinct or column.fractions or column.plain in COUNT:
        return False
    if column.years or column.never_places:
        return False  # months and years start again in no region
    if NOT_A_COUNT.fullmatch(column.plain) or POSTAL.fullmatch(column.plain):
        return False
    return column.every(_CODE) and not about_something_else(facts, name)


def _steps(
    facts: SheetFacts, possible: Sequence[str], coded: Collection[str]
) -> tuple[tuple[str, ...], bool]:
    """Return the first columns that identify each row, and whether codes start again.

    If even all of them together do not identify each row, no columns are returned. Codes start
    again if one column has the same values in several regions above it.

    Args:
        facts: facts about the rows of regions on the last level.
        possible: columns that may hold codes, in the order of the table.
        coded: those that certainly do.
    """
    levels: list[str] = []
    areas, again = 1, False
    for name in possible:
        column = facts[name]
        more = facts.different([*levels, name])
        if more == areas or column.distinct == 1:
            continue
        known = name in coded or _has_one_width(facts, name, possible)
        if not known and not _is_code(facts, column, levels):
            continue
        again |= bool(levels) and column.distinct < more
        levels.append(name)
        areas = more
        if areas == facts.n_rows:
            break
    upward = any(
        facts.within([upper], lower) and facts[lower].distinct < facts[upper].distinct
        for k, upper in enumerate(levels)
        for lower in levels[k + 1 :]
    )
    identified = areas == facts.n_rows and not upward
    return (tuple(levels) if identified else ()), again


def _has_one_width(facts: SheetFacts, name: str, possible: Sequence[str]) -> bool:
    """Return whether codes of one width stand before a column of codes with leading zeros."""
    later = possible[possible.index(name) + 1 :]
    widths = {len(cell) for cell in facts[name].filled.to_pylist()}
    return len(widths) == 1 and min(widths) > 1 and any(facts[n].leading_zeros for n in later)


def _is_code(facts: SheetFacts, column: ColumnFacts, levels: Sequence[str]) -> bool:
    """Return whether a name or leading zeros show that cells are codes, or codes start again."""
    named = bool(CODE.fullmatch(column.plain)) or tier_of(column) >= 0
    named |= named_after_places(column, bare=False)
    if named or column.leading_zeros:
        return True
    if column.coded and not column.numeric:
        areas = facts.different(levels)
        crossed = facts.different([*levels, column.name]) == areas * column.distinct
        return not (levels and crossed)
    return bool(levels) and column.numeric and _start_again(facts.key(levels), column)


def _start_again(above: IntArray, column: ColumnFacts) -> bool:
    """Return whether numbers go from 1 up in nearly every region above, to different ends."""
    values = column.values
    if np.isnan(values).any() or (values % 1 != 0).any():
        return False
    _, above = np.unique(above, return_inverse=True)
    pairs = np.unique(np.stack([above, values.astype(np.int64)]), axis=1)
    own = np.bincount(pairs[0])
    most = np.zeros(len(own))
    np.maximum.at(most, pairs[0], pairs[1])
    several = own > 1
    if several.sum() < _MIN_LEVELS or len({*own.tolist()}) == 1 or values.min() < 0:
        return False
    return float((most[several] <= own[several]).mean()) >= _MOSTLY


def _totals_of_zeros(
    facts: SheetFacts, possible: Sequence[str]
) -> tuple[tuple[str, ...] | None, BoolArray]:
    """Return the codes of zeros that stand for all regions of a level, and the rows with one.

    If one is zero, so are all columns of lower levels. The codes are None where this is not so.
    """
    none = np.zeros(facts.n_rows, dtype=np.bool_)
    zeros = {n: as_mask(pc.match_substring_regex(facts[n].text, _ZEROS)) for n in possible}
    partly = [n for n in possible if zeros[n].any() and not zeros[n].all()]
    if not partly:
        return (), none
    for k, upper in enumerate(partly):
        for lower in partly[k + 1 :]:
            if (zeros[upper] & ~zeros[lower]).any():
                return None, none
    pairs: list[str] = []
    for name in partly:
        cells = pc.unique(facts[name].text.filter(pa.array(zeros[name]))).to_pylist()
        if len(cells) > 1:
            return None, none
        pairs.append(f"{name}={cells[0]}")
    return tuple(pairs), np.any([zeros[n] for n in partly], axis=0)


def stepped_levels(
    facts: SheetFacts, taken: frozenset[str], stated: Mapping[str, Any], nested: RegionColumns
) -> RegionColumns | None:
    """Return the levels of stepped codes with a question; None where there are none.

    Args:
        facts: facts about the columns of the table.
        taken: columns that hold something else, such as the counts.
        stated: settings that a person gave.
        nested: the levels that were found in another way, which may not identify the rows.
    """
    if stated.keys() & {"levels", "within", "add_up", "prefix", "parent", "outline"}:
        return None
    known = nested.words.get("levels", ())
    in_order = list(known) == sorted(known, key=facts.sheet.names.index)
    clear = in_order or not nested.words.get("within")
    identified = bool(known) and clear and facts.one_row_each(known)
    if nested.words.keys() & {"prefix", "parent"} or identified:
        return None
    numbers = {str(stated.get("count", "")), *stated.get("parts", ())}
    named = {pair.partition("=")[0] for pair in stated.get("keep", ())}
    counts = frozenset(n for n in taken if named_as_a_count(facts[n])) | numbers
    steps = stepped_codes(facts, counts | named) or stepped_codes(facts, counts | taken | named)
    if steps is None or (steps.totals and not _are_sums(facts, steps, counts | taken)):
        return None
    levels = steps.levels
    within: dict[str, Any] = {"within": True} if steps.again else {}
    answer: dict[str, Any] = {"levels": levels, **within}
    names = _names(SheetFacts(facts.sheet.take(steps.rows)), levels)
    if names != levels:
        answer["names"] = names
    words = levels_in_words(levels, within=steps.again)
    if steps.totals:
        out = shown_codes(steps.totals, shown=_SHOWN)
        words = f"{words}. Rows of totals, which have zeros as codes, are left out: {out}"
        answer["leave_out"] = steps.totals
    what = (
        f"columns {shown_codes(levels, shown=_SHOWN)} identify an area only together, because "
        "codes start again in each area above"
    )
    if steps.totals and steps.again:
        what = f"{what}. Zeros in place of a code stand for a total"
    elif steps.totals:
        zeros = [pair.partition("=")[0] for pair in steps.totals]
        columns = by_number(len(zeros), "column", "columns")
        what = f"zeros in {columns} {shown_codes(zeros, shown=_SHOWN)} seem to stand for totals"
    others = nested.question.choices if nested.question is not None else ()
    return RegionColumns(
        words={"levels": levels, **within},
        used=nested.used | {*levels, *names},
        reasons=(f"levels: {' > '.join(map(shown_code, levels))}, each within the one before",),
        question=Question(
            what=what,
            choices=(
                *_with_crossed(facts, Choice(words=words, stated=answer), levels, steps.totals),
                *_finer(facts, others, levels),
            ),
        ),
    )  # fmt: skip


def _with_crossed(
    facts: SheetFacts, areas: Choice, levels: Sequence[str], totals: Sequence[str]
) -> list[Choice]:
    """Return the answer that columns are levels, with others if the last codes may not be areas.

    If the same last codes occur in all regions, they may be sizes of groups, which another column
    may describe in words, or kinds of people. They may also be kinds of people if the name of their
    column is not that of a kind of region.
    """
    upper, last = levels[:-1], levels[-1]
    if facts.sampled or not upper or totals:
        return [areas]
    own: dict[str, Any] = {"levels": upper, "within": True} if len(upper) > 1 else {"levels": upper}
    summed = replace(sum_choice(*upper), stated={**own, "add_up": True})
    if not crosses(facts, upper, last):
        return [areas] if named_after_places(facts[last], bare=False) else [areas, summed]
    sizes = size_choice(facts, last)
    if sizes is None:
        return [areas, summed]
    sizes = replace(sizes, stated={**own, **sizes.stated})
    in_words = not facts[str(sizes.stated["size"])].numeric
    return [sizes, summed, areas] if in_words else [areas, sizes, summed]


def _names(facts: SheetFacts, levels: Sequence[str]) -> tuple[str, ...]:
    """Return a column of names for each level, or its codes where there is none.

    Within the regions above, names and codes correspond one to one.
    """
    names: list[str] = []
    for k, level in enumerate(levels):
        above, areas = levels[:k], facts.different(levels[: k + 1])
        likely = [
            n for n in facts.texts
            if n not in (*levels, *names) and not facts[n].coded and facts[n].distinct > 1
            and (is_name(facts[n]) or says_name(facts[n].plain) or named_after_places(facts[n]))
            and facts.different([*above, n]) == areas == facts.different([*above, level, n])
        ]  # fmt: skip
        names.append(likely[0] if likely else level)
    return tuple(names)


def _finer(
    facts: SheetFacts, choices: Sequence[Choice], levels: Sequence[str]
) -> tuple[Choice, ...]:
    """Return other answers, in the order of the columns, that identify at least as many regions."""
    place = facts.sheet.names.index
    return tuple(
        choice for choice in choices
        if (named := tuple(choice.stated.get("levels", ()))) and named != tuple(levels)
        and list(named) == sorted(named, key=place)
        and facts.different(named) >= facts.different(levels)
    )  # fmt: skip


def _are_sums(facts: SheetFacts, steps: SteppedCodes, taken: frozenset[str]) -> bool:
    """Return whether the totals of some column of numbers fit the regions.

    The rows of each level of totals add up to a multiple of the sum over all regions, such as twice
    this sum if towns and villages have totals of their own.
    """
    numbers = [n for n in facts.sheet.names if n in taken and facts[n].numeric]
    for name in numbers:
        values = facts[name].values
        whole = float(np.nansum(values[steps.rows]))
        for pair in steps.totals:
            column, _, code = pair.partition("=")
            zero = as_mask(pc.equal(facts[column].text, code))
            above = [
                as_mask(pc.equal(facts[other].text, out))
                for other, _, out in (p.partition("=") for p in steps.totals)
                if facts.sheet.names.index(other) < facts.sheet.names.index(column)
            ]
            own = zero & ~np.any(above, axis=0) if above else zero
            if own.any() and (whole <= 0 or float(np.nansum(values[own])) % whole):
                break
        else:
            return True
    return not numbers
