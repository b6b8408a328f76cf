"""Rows that must not be added up: of several years or measures, or a total beside its parts."""

import re
from collections.abc import Sequence

from hierdp_core.readers.columns.facts import SheetFacts, share_codes
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.slices import (
    blank_is_total,
    crosses,
    distinguishing_columns,
    holds_several_times,
    repeats_numbers,
    shown_value,
    sums_in,
    totals_in,
)
from hierdp_core.readers.columns.vocabulary import MEASURE
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.text import paragraph

_OFFERED = 8
_TOTAL_AND_PARTS = "a total and its parts"
_SAME_NUMBERS = "several lists of the same numbers"
_DASHES = re.compile("[-–—−]+")
_MAX_LISTS = 4  # lists of the same numbers


def check_mixed_rows(sheet: Sheet, layout: Layout, notes: Notebook) -> None:
    """Report an error where the rows of a region must not be added up.

    A column distinguishes them if it holds years, measures, or a total beside its parts, and most
    regions have a row for each of its values.
    """
    if layout.totals == "none":
        return
    facts = SheetFacts(sheet)
    free = [name for name in sheet.names if name not in layout.columns]
    for name in free:
        if not crosses(facts, layout.levels, name):
            continue
        what = _kind_of(facts, name, layout)
        if what:
            _report(facts, name, totals_in(facts, name, layout.levels, layout.count), what, notes)
            return
    if check_same_numbers(sheet, layout, notes):
        return
    distinguishing = distinguishing_columns(facts, layout.levels, free)
    for name in distinguishing if layout.count else ():
        keys = [*layout.levels, *(other for other in distinguishing if other != name)]
        if totals := sums_in(facts, name, keys, layout.count):
            _report(facts, name, totals, _TOTAL_AND_PARTS, notes)
            return


def check_same_numbers(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report an error where each number stands in several rows that are read, and return if so.

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


def check_crossing_levels(sheet: Sheet, layout: Layout, notes: Notebook) -> bool:
    """Report an error where a level is a category with a total, and return if so.

    Each area of another level then has a row for each of its values. An example are branches of
    trade above counties.
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
        if name == last:  # other codes on the last level may be those of totals of areas
            totals = [code for code in totals if _DASHES.fullmatch(code)]
        if totals:
            _report(facts, name, totals, _TOTAL_AND_PARTS, notes)
            return True
    return False


def _kind_of(facts: SheetFacts, name: str, layout: Layout) -> str:
    if holds_several_times(facts, name):
        return "several years or dates"
    if totals_in(facts, name, layout.levels, layout.count) or _blank(facts, name, layout):
        return _TOTAL_AND_PARTS
    return "several measures" if MEASURE.fullmatch(facts[name].plain) else ""


def _blank(facts: SheetFacts, name: str, layout: Layout) -> bool:
    return blank_is_total(facts, name, layout.levels, layout.count)


def _report(
    facts: SheetFacts, name: str, totals: Sequence[str], what: str, notes: Notebook
) -> None:
    values = facts[name].filled.to_pylist()
    if holds_several_times(facts, name):
        values = sorted(values, reverse=True)
    if what == _TOTAL_AND_PARTS and "" in facts[name].different.to_pylist():
        values = ["", *values]
    values = list(dict.fromkeys([*totals, *values]))[:_OFFERED]
    notes.fault(
        "mixed-rows",
        f"column {shown_code(name)} shows that the rows to be added up belong to {what}"
        if what != _SAME_NUMBERS
        else f"the same numbers stand under each value of column {shown_code(name)}, so everything "
        "would be counted more than once",
        paragraph(
            f'Keep only one of them, such as keep = "{name}={values[0]}".',
            ""
            if what in (_TOTAL_AND_PARTS, _SAME_NUMBERS)
            else 'To add up all of them, set totals = "none".',
        ),
        choices=tuple(
            Choice(
                words=f"Only rows with {shown_value(value)} in column {shown_code(name)} are read",
                stated={"keep": (f"{name}={value}",)},
            )
            for value in values
        ),
    )
