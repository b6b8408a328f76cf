"""Rows that must not be added up: of several years or measures, or a total beside its parts."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, product

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import (
    ColumnFacts,
    SheetFacts,
    called_total,
    matches_in,
    share_codes,
)
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.outline import NONE
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.slices import (
    blank_is_total,
    crosses,
    distinguishing_columns,
    holds_days_of_a_year,
    holds_several_times,
    names_measures,
    repeats_numbers,
    shown_value,
    sums_in,
    totals_in,
)
from hierdp_core.readers.columns.vocabulary import (
    CORRECTED,
    INCLUDES,
    WIDER,
    names_part,
    names_statistic,
)
from hierdp_core.readers.formats.sheet import Sheet, Text
from hierdp_core.readers.report import Notebook, shown_code, shown_codes
from hierdp_core.util.text import paragraph

_OFFERED = 8
_MANY = 6  # other numbers that are all small by no chance
_MOST_NINES = 8  # digits of a code
_TIMES = 10  # a code of a missing number, as a multiple of the largest number
_TOTAL_AND_PARTS = "a total and its parts"
_SAME_NUMBERS = "several lists of the same numbers"
_YEARS = "several years or dates"
_DASHES = re.compile("[-–—−]+")
_LEAST_DIVIDED = 3  # rows that others below divide by no chance
_MOSTLY = 0.6  # proportion of the rows with repeated names below them
_FEW_AREAS = 3  # values of a column, of more of which each year has a row by no chance
_SHOWN = 4
_NO_TOTAL = Choice(
    words="No value of this column stands for a total: all rows are added up",
    stated={"totals": NONE},
)
_ALL_DAYS = Choice(
    words="What is counted happened on these days: all of them are added up",
    stated={"totals": NONE},
)
_YEAR = re.compile("(19|20)[0-9]{2}")
_MAX_LISTS = 4  # lists of the same numbers


def check_mixed_rows(sheet: Sheet, layout: Layout, notes: Notebook) -> None:
    """Report an error where the rows of a region must not be added up.

    A column distinguishes them if it holds years, measures, or a total beside its parts, and most
    regions have a row for each of its values. The regions of all levels are looked at, since those
    of the last one may be so small that each has rows of one year only.
    """
    if layout.totals == "none":
        return
    if check_parts_below(sheet, layout, notes):
        return
    facts = SheetFacts(sheet)
    free = [name for name in sheet.names if name not in layout.columns]
    for name, levels in product(free, _levels_from_below(facts, layout)):
        if not crosses(facts, levels, name):
            continue
        what = _kind_of(facts, name, levels, layout.count)
        if what:
            _report(facts, name, totals_in(facts, name, levels, layout.count), what, notes)
            return
    if check_same_numbers(sheet, layout, notes):
        return
    distinguishing = distinguishing_columns(facts, layout.levels, free)
    for name in distinguishing if layout.count else ():
        keys = [*layout.levels, *(other for other in distinguishing if other != name)]
        if totals := sums_in(facts, name, keys, layout.count):
            _report(facts, name, totals, _TOTAL_AND_PARTS, notes)
            return


def check_parts_below(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report an error where rows with a repeated name divide the row above; return whether so.

    An example is a pair of rows for the urban and the rural population below each region, in the
    column of regions.
    """
    if len(layout.levels) != 1 or not layout.count or layout.totals == "none":
        return False
    if layout.prefix or layout.parent or layout.outline not in ("", NONE):
        return False
    name = layout.levels[0]
    facts = SheetFacts(sheet, sample=False)
    codes, values = facts[name].index, np.nan_to_num(facts[layout.count].values)
    often = np.bincount(codes)[codes] > 1
    starts = np.flatnonzero(~often)
    blocks = [
        (values[start], values[start + 1 : end], codes[start + 1 : end])
        for start, end in pairwise([*starts.tolist(), sheet.n_rows])
        if end > start + 1
    ]
    divided = [inside for whole, parts, inside in blocks if parts.sum() == whole > 0]
    if len(divided) < _LEAST_DIVIDED or len(divided) <= _MOSTLY * len(blocks):
        return False
    cells = [facts[name].cell(code) for code in np.unique(np.concatenate(divided)).tolist()]
    pairs = tuple(f"{name}={cell}" for cell in cells[:_OFFERED])
    notes.fault(
        "mixed-rows",
        f"rows with {shown_codes(cells, shown=_SHOWN)} in column {shown_code(name)} stand below "
        f"{len(divided)} other rows and are parts of them, so they are not areas",
        "Leave them out with leave_out, or name them apart.",
        choices=(
            Choice(words="These rows are parts of the row above: leave them out",
                   stated={"leave_out": pairs}),
        ) if len(cells) <= _OFFERED else (),
    )  # fmt: skip
    return True


def check_names_of_rows(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report an error if names show that rows are not areas of their own; return whether any are.

    Examples are "of which: town centre" below a town, "Average", and "Elham (corrected)" beside
    "Elham". A heading such as "of which:" was left out before.
    """
    if layout.totals == "none":
        return False
    for name in filter(None, (*layout.levels, *layout.names)):
        column = pc.unique(sheet.column(name))
        names = column.filter(pc.not_equal(column, ""))
        if years := [] if notes.confidential else _years_among(names.to_pylist()):
            _report_names(name, years, "numbers of other years, and not areas", notes)
            return True
        if layout.outline not in ("", NONE):
            continue
        for what, chosen in _no_areas(names):
            if not chosen or 2 * len(chosen) > len(names):
                continue
            _report_names(name, chosen, what, notes)
            return True
        if corrected := _corrected(names):
            _report_corrected(name, corrected, notes)
            return True
    return False


def check_codes_of_missing(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report an error where a number is probably a code for a missing one; return whether so.

    It consists of nines alone, and is ten times as large as every other number: 999999, or 99 as
    the size of a household.
    """
    name, least = (layout.size, 2) if layout.size else (layout.count, 4)
    if layout.totals == "none" or not name or notes.confidential or not sheet.has(name):
        return False
    column = ColumnFacts(name, sheet.column(name))
    nines = [c for c in column.filled.to_pylist() if re.fullmatch(f"9{{{least},{_MOST_NINES}}}", c)]
    others = column.values[~np.isin(column.values, [float(c) for c in nines])]
    known = others[np.isfinite(others)]
    if len(nines) != 1 or known.size < _MANY or float(nines[0]) < _TIMES * max(known.max(), 1.0):
        return False
    notes.fault(
        "code-of-missing",
        f"{nines[0]} in column {shown_code(name)} is probably a code for a missing number, because "
        f"all other numbers are at most {known.max():,.0f}",
        'Leave these rows out with leave_out, or keep them with totals = "none".',
        choices=(
            Choice(words="Leave these rows out", stated={"leave_out": (f"{name}={nines[0]}",)}),
            Choice(words="It is a number: keep these rows", stated={"totals": NONE}),
        ),
    )
    return True


def _no_areas(names: Text) -> tuple[tuple[str, list[str]], ...]:
    """Return the names of rows that are not areas, in lists that each state what they are."""
    cells = names.to_pylist()
    including = [*matches_in(names, INCLUDES), *matches_in(names, WIDER)]
    known = {*cells} if including else set()
    return (
        ("parts of other rows, so they would be counted twice", [*filter(names_part, cells)]),
        ("averages, earlier numbers or the like, and not areas", [*filter(names_statistic, cells)]),
        (
            "sums with other rows, so these would be counted twice",
            [match[0] for match in including if known & {*match.groups()}],
        ),
    )


def _years_among(names: Sequence[str]) -> list[str]:
    """Return the few years in a row, such as 2022 and 2021, among many names in letters."""
    years = [name for name in names if _YEAR.fullmatch(name.strip())]
    others = [name for name in names if not any(map(str.isdigit, name.strip()[-4:]))]
    numbers = sorted(int(year) for year in years)
    in_turn = numbers == [*range(numbers[0], numbers[0] + len(numbers))] if numbers else False
    many = len(others) >= _MANY and len(others) + len(years) == len(names)
    return years if in_turn and many and _MANY * len(years) <= 2 * len(others) else []


def _corrected(names: Text) -> dict[str, str]:
    """Return the names with a word for a correction, each with the same name without it."""
    matches = matches_in(names, CORRECTED)
    known = {*names.to_pylist()} if matches else set()
    return {match[0]: match[1] for match in matches if match[1] in known}


def _report_names(name: str, chosen: Sequence[str], what: str, notes: Notebook) -> None:
    notes.fault(
        "mixed-rows",
        f"judging by their words, rows with {shown_codes(chosen, shown=_SHOWN)} in column "
        f"{shown_code(name)} are {what}",
        'Leave them out with leave_out, or keep them with totals = "none".',
        choices=(
            Choice(words="Leave these rows out", stated={"leave_out": _pairs(name, chosen)}),
            Choice(words="These rows are areas: keep them", stated={"totals": NONE}),
        ),
    )


def _report_corrected(name: str, corrected: Mapping[str, str], notes: Notebook) -> None:
    marked, plain = list(corrected), list(corrected.values())
    notes.fault(
        "mixed-rows",
        f"rows with {shown_codes(marked, shown=_SHOWN)} in column {shown_code(name)} stand beside "
        f"rows with {shown_codes(plain, shown=_SHOWN)}, so the same areas would be counted twice",
        'Leave out one row of each with leave_out, or keep all with totals = "none".',
        choices=(
            Choice(words=f"Read {shown_codes(marked, shown=_SHOWN)} and not the rows beside them",
                   stated={"leave_out": _pairs(name, plain)}),
            Choice(words=f"Read {shown_codes(plain, shown=_SHOWN)} and not the rows beside them",
                   stated={"leave_out": _pairs(name, marked)}),
            Choice(words="These rows are different areas: keep all", stated={"totals": NONE}),
        ),
    )  # fmt: skip


def _pairs(name: str, cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{name}={cell}" for cell in cells)


def check_same_numbers(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report an error where each number is in several rows that are read; return whether so.

    A column has the same numbers under each of its values, such as flows by residence and by
    workplace. It may be a level, or a column that is not used where rows are added up.
    """
    if layout.totals == "none" or not layout.count:
        return False
    facts = SheetFacts(sheet, sample=False)
    ends = (*layout.levels, *layout.destinations)
    free = [n for n in facts.sheet.names if n not in layout.columns] if layout.add_up else []
    for name in (*layout.levels, *free):
        if not 1 < facts[name].distinct <= _MAX_LISTS:
            continue
        others = [n for n in (*ends, *free) if n != name and not facts[n].fractions]
        flows = len(others) > 1 and share_codes(*(facts[n] for n in others[:2]))
        if others and repeats_numbers(facts, name, others, layout.count, flows=flows):
            _report(facts, name, (), _SAME_NUMBERS, notes)
            return True
    return False


def check_years_apart(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report an error where rows are one region in several years; return whether so.

    Each row has a code of its own, such as a row number, so that no region has several rows. A
    column that is not used has the same values in each year, though, one row for each.
    """
    if layout.totals == "none" or not layout.count:
        return False
    facts = SheetFacts(sheet)
    free = [name for name in sheet.names if name not in layout.columns]
    times = [name for name in free if holds_several_times(facts, name)]
    for name, other in product(times, free) if times else ():
        if other in times or facts[other].fractions or facts[other].distinct <= _FEW_AREAS:
            continue
        for above in (layout.levels[:end] for end in range(len(layout.levels))):
            keys = [*above, other]
            if facts.one_row_each([*keys, name]) and crosses(facts, keys, name):
                _report(facts, name, (), _YEARS, notes)
                return True
    return False


def check_crossing_levels(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report an error where a level is a category with a total; return whether so.

    Each region of another level then has a row for each of its values. An example is a column of
    branches of trade above counties.
    """
    if layout.totals == "none" or not layout.count or len(layout.levels) < 2:
        return False
    facts = SheetFacts(sheet, sample=False)
    first, *lower = layout.levels
    *upper, last = layout.levels
    for name, others in ((first, lower), (last, upper)):
        if not crosses(facts, others, name):
            continue
        totals = sums_in(facts, name, others, layout.count)
        if name == last:  # other codes on the last level may be those of totals of regions
            totals = [code for code in totals if _DASHES.fullmatch(code)]
        if totals:
            _report(facts, name, totals, _TOTAL_AND_PARTS, notes)
            return True
    return False


def _levels_from_below(facts: SheetFacts, layout: Layout) -> list[tuple[str, ...]]:
    """Return all levels, then those without the last one, and so on, while they have regions."""
    levels = layout.levels
    above = [levels[:end] for end in range(len(levels) - 1, 0, -1)]
    return [levels, *(part for part in above if facts.different(part) > 1)]


def _kind_of(facts: SheetFacts, name: str, levels: Sequence[str], count: str) -> str:
    if holds_several_times(facts, name):
        return _YEARS
    if totals_in(facts, name, levels, count) or blank_is_total(facts, name, levels, count):
        return _TOTAL_AND_PARTS
    return "several measures" if names_measures(facts[name]) else ""


def _report(
    facts: SheetFacts, name: str, totals: Sequence[str], what: str, notes: Notebook
) -> None:
    values = facts[name].filled.to_pylist()
    if holds_several_times(facts, name):
        values = sorted(values, reverse=True)
    if what == _TOTAL_AND_PARTS and "" in facts[name].different.to_pylist():
        values = ["", *values]
    values = list(dict.fromkeys([*totals, *values]))[:_OFFERED]
    # Sums of a few numbers may be chance where no value is called a total.
    named = bool(called_total(facts[name].different).any()) or "" in values
    by_chance = what == _TOTAL_AND_PARTS and not named
    notes.fault(
        "mixed-rows",
        f"column {shown_code(name)} shows that the rows that are read belong to {what}"
        if what != _SAME_NUMBERS
        else f"the same numbers stand under each value of column {shown_code(name)}, so everything "
        "would be counted more than once",
        paragraph(
            f'Keep only one of them, such as keep = "{name}={values[0]}".',
            ""
            if what in (_TOTAL_AND_PARTS, _SAME_NUMBERS) and not by_chance
            else 'To add up all of them, set totals = "none".',
        ),
        choices=(
            *(
                Choice(
                    words=f"Only rows with {shown_value(value)} in column {shown_code(name)} are "
                    "read",
                    stated={"keep": (f"{name}={value}",)},
                )
                for value in values
            ),
            *([_NO_TOTAL] if by_chance else []),
            *([_ALL_DAYS] if what == _YEARS and holds_days_of_a_year(facts, name) else []),
        ),
    )
