"""Rows that must not be added up: of several years or measures, or a total beside its parts."""

from collections.abc import Sequence

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.slices import (
    blank_is_total,
    crosses,
    distinguishing_columns,
    holds_several_times,
    sums_in,
    totals_in,
)
from hierdp_core.readers.columns.vocabulary import MEASURE
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.text import paragraph

_OFFERED = 8
_TOTAL_AND_PARTS = "a total and its parts"


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
    distinguishing = distinguishing_columns(facts, layout.levels, free)
    for name in distinguishing if layout.count else ():
        keys = [*layout.levels, *(other for other in distinguishing if other != name)]
        if totals := sums_in(facts, name, keys, layout.count):
            _report(facts, name, totals, _TOTAL_AND_PARTS, notes)
            return


def _kind_of(facts: SheetFacts, name: str, layout: Layout) -> str:
    if holds_several_times(facts, name):
        return "several years or dates"
    if totals_in(facts, name, layout.levels, layout.count) or _blank(facts, name, layout):
        return _TOTAL_AND_PARTS
    return "several measures" if MEASURE.fullmatch(facts[name].plain) else ""


def _blank(facts: SheetFacts, name: str, layout: Layout) -> bool:
    return blank_is_total(facts, name, layout.levels, layout.count)


def _shown(value: str) -> str:
    return shown_code(value) if value else "a blank"


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
        f"column {shown_code(name)} shows that the rows to be added up belong to {what}",
        paragraph(
            f'Keep only one of them, such as keep = "{name}={values[0]}".',
            "" if what == _TOTAL_AND_PARTS else 'To add up all of them, set totals = "none".',
        ),
        choices=tuple(
            Choice(
                words=f"Only rows with {_shown(value)} in column {shown_code(name)} are read",
                stated={"keep": (f"{name}={value}",)},
            )
            for value in values
        ),
    )
