"""A first guess of what the columns mean, with reasons; or the question that a person must answer.

Nothing is guessed against the evidence: where the best reading does not lead by a margin, or
contradicts something in the table, the guess asks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers.columns.aggregates import groups_of_countries
from hierdp_core.readers.columns.code_trees import code_tree
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, called_total
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.measure import Measure
from hierdp_core.readers.columns.measures import NAMING, measure_of
from hierdp_core.readers.columns.no_counts import no_counts
from hierdp_core.readers.columns.official import Known, recognised
from hierdp_core.readers.columns.outline import SUMS, Outline, outlined
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
from hierdp_core.readers.columns.slices import Sliced, sliced, with_level_question
from hierdp_core.readers.columns.things import things_in
from hierdp_core.readers.columns.two_places import shared_places
from hierdp_core.readers.columns.units import in_thousands
from hierdp_core.readers.columns.vocabulary import CATEGORY
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import no_column, shown_code
from hierdp_core.util.arrays import BoolArray, FloatArray

__all__ = ["Guess", "guess"]

_RECORDS = ("person", "group", "trip")
# What a person may say of what is counted, after which it is not doubted that something is.
_SAYS_COUNTS = frozenset(
    {"kind", "row", "count", "parts", "sizes", "size", "group", "matrix", "areas", "destinations"}
)
# What a person may say of the rows, after which no outline is looked for.
_CHOSEN_ROWS = frozenset({"outline", "totals", "parent", "prefix", "within"})


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
    if not words.keys() & _SAYS_COUNTS and (instead := no_counts(facts)):
        return Guess(layout=None, missing=instead)
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
    rows = Sliced()
    if words["row"] in ("region", "pair") and not stated.keys() & {"add_up"}:
        rows = _rows(facts, measure, places, stated, extra)
    outline = Outline(words={"outline": stated["outline"]} if stated.get("outline") else {})
    if question is None and words["row"] == "region" and not stated.keys() & _CHOSEN_ROWS:
        one_each = _of_one_row_each(facts, measure, places, stated, rows)
        outline = (
            Outline(words={})
            if rows.times
            else _outline_of(one_each, measure, places, summed=bool(stated.get("add_up")))
        )
        if outline.words.get("outline") == SUMS:
            places = places.of_one_column()
    if rows.level and (outline.words.get("prefix") or outline.words.get("outline") == SUMS):
        rows = replace(rows, question=None)
    if outline.words.get("outline") not in ("", None, "none") and rows.question and not rows.times:
        rows = Sliced()  # each row is a region
    told: tuple[str, ...] = ()
    if words["row"] in _RECORDS and not flows:
        told = _groups_told(facts, places, words)
    if words["row"] in _RECORDS and not flows and "levels" not in stated:
        question = question or own_region_each(facts, places, words)
        question = question or _of_records(facts, measure, places, stated)
    if words["row"] == "region" and not flows and stated.get("totals") != "none":
        read = SheetFacts(_not_left_out(facts.sheet, stated))
        question = question or groups_of_countries(read, places.words["levels"][-1])
    if words["row"] == "region" and not flows and "levels" not in stated:
        question = question or empty_combinations(facts, places, str(words.get("count", "")))
    if words.get("group") and "levels" not in stated:
        question = question or groups_apart(facts, places, str(words["group"]))
    kept = {"keep": rows.keep} if rows.keep else {}
    chosen = words | places.words | outline.words | stated | kept
    chosen = things_in(facts, chosen) | chosen
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
    facts: SheetFacts, measure: Measure, places: Located, stated: dict[str, Any], rows: Sliced
) -> SheetFacts:
    """The facts of the rows that are read, without those of each sex or age beside a total."""
    sheet = _not_left_out(facts.sheet, stated)
    if rows.keep and (rows.question is None or rows.level):
        sheet = _kept(sheet, {"keep": rows.keep})
    count = str(measure.words.get("count", ""))
    if stated.get("add_up") and count and not facts.sampled:
        sheet = _summed(sheet, tuple(places.words["levels"]), count)
    return facts if sheet is facts.sheet else SheetFacts(sheet)


def _summed(sheet: Sheet, levels: Sequence[str], count: str) -> Sheet:
    """One row for each region, the first of its rows, with the sum of its numbers."""
    facts = SheetFacts(sheet)
    _, first, region = np.unique(facts.key(levels), return_index=True, return_inverse=True)
    sums = np.bincount(region, weights=facts[count].values)
    if np.isnan(sums).any():
        return sheet
    order = np.argsort(first)
    numbers = [f"{value:.10g}" for value in sums[order].tolist()]
    one_each = sheet.take(np.isin(np.arange(sheet.n_rows), first))
    return one_each.with_column(count, pa.array(numbers, pa.string()))


def _outline_of(facts: SheetFacts, measure: Measure, places: Located, *, summed: bool) -> Outline:
    """How rows lie in each other, where one column names regions of several levels.

    Of rows that are `summed` up only codes that begin with those above are evidence: the order of
    the rows is that of the first of each region.
    """
    words = measure.words
    levels = tuple(places.words["levels"])
    numbers = [
        n for n in (words.get("count", ""), *words.get("sizes", ()), *words.get("parts", ())) if n
    ]
    if len(levels) != 1 or words.get("size") or not numbers or facts.sampled:
        return Outline(words={})
    if places.words.get("parent") or places.words.get("within"):
        return Outline(words={})
    values = np.column_stack([facts[name].values for name in numbers])
    names = tuple(n for n in places.words.get("names", ()) if n)
    total = called_total(facts[levels[0]].text)
    for name in names:
        total |= called_total(facts[name].text)
    if total.all():
        return Outline(words={})
    # Rows that total everything are set apart before regions are made.
    sheet, values = facts.sheet.take(~total), values[~total]
    if places.words.get("prefix"):
        return Outline(words={}) if summed else _of_equal_codes(sheet, levels[0], values)
    tree = code_tree(ColumnFacts(levels[0], sheet.column(levels[0])), values)
    if tree.words or tree.question or summed:
        return tree
    return outlined(sheet, (*levels, *names), values)


def _of_equal_codes(sheet: Sheet, name: str, values: FloatArray) -> Outline:
    """Codes of one length, such as 11000 above 11101, whose numbers alone tell the levels."""
    lengths = pc.unique(pc.utf8_length(sheet.column(name)))
    outline = outlined(sheet, (name,), values) if len(lengths) == 1 else Outline(words={})
    return outline if outline.words.get("outline") == SUMS else Outline(words={})


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
    prefixed = places.words.get("prefix") or stated.get("totals") == "none"
    if level and not prefixed and not rows.times:
        rows = with_level_question(rows, facts, level, count)
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
