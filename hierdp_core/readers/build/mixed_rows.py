"""Rows that must not be added up: of several years or measures, or a total beside its parts."""

from collections.abc import Sequence

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.slices import tells_several_times, totals_in
from hierdp_core.readers.columns.vocabulary import MEASURE
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_code

_MOST_VALUES = 60  # of a column that tells the rows of each region apart
_LEAST_CROSSED = 0.6  # of the regions that have a row for each value
_OFFERED = 8


def tell_mixed_rows(sheet: Sheet, layout: Layout, notes: Notebook) -> None:
    """Refuse to add up the rows of a region where they are no parts of it.

    A column tells them apart that holds years, measures, or the word for a total beside others, and
    most regions have a row for each of its values.
    """
    if layout.totals == "none":
        return
    facts = SheetFacts(sheet)
    for name in sheet.names:
        if name in layout.columns or not _tells_rows_apart(facts, name, layout.levels):
            continue
        what = _kind_of(facts, name)
        if what:
            _tell(facts, name, what, notes)
            return


def _tells_rows_apart(facts: SheetFacts, name: str, levels: Sequence[str]) -> bool:
    values, regions = facts[name].distinct, facts.different(levels)
    if not 1 < values <= _MOST_VALUES:
        return False
    return facts.different([*levels, name]) >= _LEAST_CROSSED * values * regions > regions


def _kind_of(facts: SheetFacts, name: str) -> str:
    if tells_several_times(facts, name):
        return "several years or dates"
    if totals_in(facts, name):
        return "a total and its parts"
    return "several measures" if MEASURE.fullmatch(facts[name].plain) else ""


def _tell(facts: SheetFacts, name: str, what: str, notes: Notebook) -> None:
    values = facts[name].filled.to_pylist()
    if tells_several_times(facts, name):
        values = sorted(values, reverse=True)
    values = list(dict.fromkeys([*totals_in(facts, name), *values]))[:_OFFERED]
    notes.fault(
        "mixed-rows",
        f"the rows that would be added up are of {what}, by column {shown_code(name)}",
        f'Choose one: keep = "{name}={values[0]}". To add up all of them, say totals = "none".',
        choices=tuple(
            Choice(
                words=f"Only rows with {shown_code(value)} in column {shown_code(name)} are read",
                stated={"keep": (f"{name}={value}",)},
            )
            for value in values
        ),
    )
