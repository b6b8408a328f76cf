"""A first guess of what the columns mean, with reasons; or the question that a person must answer.

Nothing is guessed against the evidence: where the best reading does not lead by a margin, or
contradicts something in the table, the guess asks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers.columns.facts import SheetFacts, called_total
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.measure import Measure
from hierdp_core.readers.columns.measures import NAMING, measure_of
from hierdp_core.readers.columns.official import Known, recognised
from hierdp_core.readers.columns.outline import Outline, outlined
from hierdp_core.readers.columns.places import located
from hierdp_core.readers.columns.question import Choice, Guess, Question
from hierdp_core.readers.columns.record_levels import (
    crossing_level,
    finer_level,
    members_apart,
    shared_numbers,
)
from hierdp_core.readers.columns.region_columns import Located
from hierdp_core.readers.columns.region_questions import (
    empty_combinations,
    groups_apart,
    own_region_each,
)
from hierdp_core.readers.columns.repeated_persons import rows_of_one_person
from hierdp_core.readers.columns.slices import Sliced, level_question, sliced
from hierdp_core.readers.columns.two_places import shared_places
from hierdp_core.readers.columns.units import in_thousands
from hierdp_core.readers.columns.vocabulary import CATEGORY
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import no_column, shown_code
from hierdp_core.util.arrays import BoolArray

__all__ = ["Guess", "guess"]

_RECORDS = ("person", "group", "trip")
# What a person may say of the rows, after which no outline is looked for.
_CHOSEN_ROWS = frozenset({"outline", "add_up", "totals", "parent", "prefix", "within"})


def guess(sheet: Sheet, stated: Mapping[str, Any] | None = None) -> Guess:
    """What `sheet` may hold: an official file first, then by the evidence of its columns.

    Args:
        sheet: the table as text.
        stated: words of the layout that a person gave; the others are guessed around them.
    """
    words = Layout.parsed(stated or {})
    known = recognised(sheet)
    if known is not None and known.layout is not None:
        return _official(known, words)
    title = known.title if known else ""
    if known is not None and not known.words and not words:
        reason = (f"its columns are those of: {title}",)
        return Guess(layout=None, reasons=reason, title=title, missing=known.caution)
    facts = SheetFacts(_kept(sheet, words))
    missing = [n for n in _named(words) if not sheet.has(n)]
    if missing:
        return Guess(layout=None, missing=_no_column(missing, sheet))
    measure = _known_measure(known) if known and known.words else measure_of(facts, words)
    found = _composed(facts, measure, words)
    reasons = found.reasons
    if known is not None:
        reasons = (f"its columns are those of: {title}", *reasons)
    return replace(found, reasons=reasons, title=title, caution=known.caution if known else "")


def _official(known: Known, stated: dict[str, Any]) -> Guess:
    assert known.layout is not None
    layout = Layout.of(known.layout.words | stated)
    reason = (f"its columns are those of: {known.title}",)
    return Guess(
        layout=layout, reasons=reason, title=known.title, caution=known.caution, official=True
    )


def _known_measure(known: Known) -> Measure:
    return Measure(words=dict(known.words or {}), taken=frozenset(known.taken))


def _named(stated: Mapping[str, Any]) -> list[str]:
    """The columns that the stated words name."""
    named: list[str] = []
    for word in NAMING:
        value = stated.get(word, ())
        named += [value] if isinstance(value, str) else list(value)
    return [name for name in named if name]


def _no_column(missing: list[str], sheet: Sheet) -> str:
    return f"it {no_column(missing, sheet.names)}"


def _composed(facts: SheetFacts, measure: Measure, stated: dict[str, Any]) -> Guess:
    """Measure, regions and rows put together, with the first question that is open."""
    words = measure.words
    flows = words["kind"] == "flows"
    extra = str(words.get("size", "")) if words["row"] == "region" else ""
    if flows:
        places = Located(words={}, used=frozenset({*words["levels"], *words["destinations"]}))
    else:
        places = located(
            _without_totals(facts, measure),
            measure.taken | measure.aside | {p.partition("=")[0] for p in stated.get("keep", ())},
            stated,
            extra=extra,
            one_row=words["row"] == "region",
        )
    question = measure.question or places.question
    if not places.words and not flows:
        return _without_regions(facts, measure, stated)
    outline = Outline(words={"outline": stated["outline"]} if stated.get("outline") else {})
    if question is None and words["row"] == "region" and not stated.keys() & _CHOSEN_ROWS:
        outline = _outline_of(_of_one_row_each(facts, measure, places, stated), measure, places)
    rows = Sliced()
    if outline.words.get("outline") not in ("", None, "none"):
        pass  # each row is a region
    elif words["row"] in ("region", "pair") and not stated.keys() & {"add_up"}:
        rows = _rows(facts, measure, places, stated, extra)
    told: tuple[str, ...] = ()
    if words["row"] in _RECORDS and not flows:
        told = _groups_told(facts, places, words)
    if words["row"] in _RECORDS and not flows and "levels" not in stated:
        question = question or own_region_each(facts, places, words)
        question = question or _of_records(facts, measure, places, stated)
    if words["row"] == "region" and not flows and "levels" not in stated:
        question = question or empty_combinations(facts, places, str(words.get("count", "")))
    if words.get("group") and "levels" not in stated:
        question = question or groups_apart(facts, places, str(words["group"]))
    kept = {"keep": rows.keep} if rows.keep else {}
    chosen = words | places.words | outline.words | stated | kept
    question = question or outline.question or rows.question
    if words["row"] not in _RECORDS and not stated.keys() & {"times"}:
        question = question or in_thousands(facts.sheet.heading, measure.taken)
    try:
        layout = Layout.of(_fitting(chosen))
    except ChoiceError as error:
        return Guess(layout=None, reasons=measure.reasons, missing=str(error).rstrip("."))
    return Guess(
        layout=layout,
        reasons=(
            *measure.reasons, *places.reasons, *told, *filter(None, (outline.reason,)),
            *rows.reasons,
        ),
        question=question, unused=measure.unused,
    )  # fmt: skip


def _of_records(
    facts: SheetFacts, measure: Measure, places: Located, stated: dict[str, Any]
) -> Question | None:
    """What is not clear about the places of persons, groups or trips."""
    levels = tuple(places.words["levels"])
    used = places.used | measure.taken
    if places.words.keys() & {"prefix", "parent"}:
        return None
    group = str(measure.words.get("group", ""))
    return (
        (members_apart(facts, levels, group) if group else None)
        or shared_places(facts, levels, used)
        or finer_level(facts, levels, used)
        or crossing_level(facts, levels, used)
        or (None if stated.get("add_up") else rows_of_one_person(facts, group))
    )


def _groups_told(facts: SheetFacts, places: Located, words: dict[str, Any]) -> tuple[str, ...]:
    group = str(words.get("group", ""))
    if not group or places.words.keys() & {"prefix", "parent"}:
        return ()
    return tuple(filter(None, (shared_numbers(facts, tuple(places.words["levels"]), group),)))


def _of_one_row_each(
    facts: SheetFacts, measure: Measure, places: Located, stated: dict[str, Any]
) -> SheetFacts:
    """The facts of the rows that are read, without those of each sex or age beside a total."""
    sheet = _not_left_out(facts.sheet, stated)
    rows = _rows(facts, measure, places, stated, "")
    if rows.keep and rows.question is None:
        sheet = _kept(sheet, {"keep": rows.keep})
    return facts if sheet is facts.sheet else SheetFacts(sheet)


def _outline_of(facts: SheetFacts, measure: Measure, places: Located) -> Outline:
    """How rows lie in each other, where one column names regions of several levels."""
    words = measure.words
    levels = tuple(places.words["levels"])
    numbers = [
        n for n in (words.get("count", ""), *words.get("sizes", ()), *words.get("parts", ())) if n
    ]
    told = places.words.keys() & {"prefix", "parent"} or places.words.get("within")
    if len(levels) != 1 or told or words.get("size") or not numbers or facts.sampled:
        return Outline(words={})
    values = np.column_stack([facts[name].values for name in numbers])
    names = tuple(n for n in places.words.get("names", ()) if n)
    total = called_total(facts[levels[0]].text)
    for name in names:
        total |= called_total(facts[name].text)
    if total.all():
        return Outline(words={})
    # Rows that total everything are set apart before regions are made.
    return outlined(facts.sheet.take(~total), (*levels, *names), values[~total])


def _without_totals(facts: SheetFacts, measure: Measure) -> SheetFacts:
    """The facts of the rows in which no region is called a total."""
    total = np.zeros(facts.n_rows, dtype=np.bool_)
    for name, column in facts.columns.items():
        other = CATEGORY.fullmatch(column.plain) or name in measure.taken or column.numeric
        if not other:
            total |= called_total(column.text)
    if not total.any() or total.sum() * 2 > facts.n_rows:
        return facts
    return SheetFacts(facts.sheet.take(~total))


def _rows(
    facts: SheetFacts, measure: Measure, places: Located, stated: dict[str, Any], extra: str
) -> Sliced:
    """How the several rows of a region differ, among those that are kept."""
    if stated.get("leave_out"):
        facts = SheetFacts(_not_left_out(facts.sheet, stated))
    words = measure.words
    regions = (*places.words.get("levels", words.get("levels", ())), *words.get("destinations", ()))
    used = places.used | measure.taken
    free = [n for n in facts.sheet.names if n not in used and not facts[n].blank]
    count = str(words.get("count", "")) if measure.question is None else ""
    rows = sliced(facts, regions, free, count, extra=extra, events=words["kind"] == "flows")
    level = next((n for n in free if facts[n].level_of_row), "")
    if level and not places.words.get("prefix") and stated.get("totals") != "none":
        rows = replace(rows, keep=(), question=level_question(facts, level))
    return replace(rows, keep=(*stated.get("keep", ()), *rows.keep) if rows.keep else ())


def _kept(sheet: Sheet, stated: Mapping[str, Any]) -> Sheet:
    """The rows that a person chose to read."""
    return _only(sheet, _where(sheet, stated.get("keep", ()), all_of=True))


def _not_left_out(sheet: Sheet, stated: Mapping[str, Any]) -> Sheet:
    """The rows that a person did not leave out, such as totals."""
    return _only(sheet, ~_where(sheet, stated.get("leave_out", ()), all_of=False))


def _where(sheet: Sheet, pairs: Sequence[str], *, all_of: bool) -> BoolArray:
    """Where cells have these values: all of them, or one at least."""
    found = np.full(sheet.n_rows, all_of)
    for pair in pairs:
        column, _, value = pair.partition("=")
        if sheet.has(column):
            same = as_mask(pc.equal(sheet.column(column), value))
            found = found & same if all_of else found | same
    return found


def _only(sheet: Sheet, chosen: BoolArray) -> Sheet:
    """The chosen rows; all rows where none is."""
    return sheet.take(chosen) if chosen.any() and not chosen.all() else sheet


def _fitting(words: dict[str, Any]) -> dict[str, Any]:
    """The words without those of another kind of table, which a statement has replaced."""
    drop: tuple[str, ...] = ()
    if words["kind"] == "counts":
        drop = ("size", "sizes", "first_size", "top_coded", "group", "destinations")
    if words["row"] in _RECORDS:
        drop += ("count", "parts", "sizes", "first_size")
    return {name: value for name, value in words.items() if name not in drop}


def _without_regions(facts: SheetFacts, measure: Measure, stated: dict[str, Any]) -> Guess:
    """No column looks like regions: ask for one, if there are columns left."""
    free = [n for n in facts.sheet.names if n not in measure.taken and not facts[n].blank]
    choices = tuple(
        Choice(words=f"column {shown_code(name)} names the regions", stated={"levels": (name,)})
        for name in free[:8]
    )
    what = "no column looks like the code or name of a region"
    if not choices:
        missing = f'{what}. Say which in [columns], such as levels = ["state", "county"]'
        return Guess(layout=None, reasons=measure.reasons, missing=missing)
    return Guess(
        layout=None, reasons=measure.reasons,
        question=measure.question or Question(what=what, choices=choices), unused=measure.unused,
    )  # fmt: skip
