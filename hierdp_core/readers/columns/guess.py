"""Guess what the columns of a table mean, with reasons, or ask a question.

Rules collect evidence from the names of columns, their cells and sums of numbers. If the best
reading does not lead by a margin, or if the table contradicts it, a question is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers.columns.aggregates import country_groups_question
from hierdp_core.readers.columns.answers import complete
from hierdp_core.readers.columns.cautions import (
    cautions,
    merged_areas,
    spelled_alike,
    years_added,
)
from hierdp_core.readers.columns.chosen_rows import (
    choose_region_rows,
    kept_rows,
    one_row_per_region,
    without_left_out,
    without_totals,
)
from hierdp_core.readers.columns.code_name_pairs import with_pairs_first
from hierdp_core.readers.columns.code_trees import nested_numbers
from hierdp_core.readers.columns.composite_codes import (
    composite_code_question,
    with_levels_of_digits,
)
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.joined_names import (
    joined_names_question,
    lettered_codes_question,
)
from hierdp_core.readers.columns.kinds_of_records import kinds_of_records_question
from hierdp_core.readers.columns.layout import RECORDS, Layout, check_roles, without_effect
from hierdp_core.readers.columns.layout_words import column_values, values_of_columns
from hierdp_core.readers.columns.measure import Measure
from hierdp_core.readers.columns.measures import NAMING, measure_of
from hierdp_core.readers.columns.measures_of_counts import weighted_trips_question
from hierdp_core.readers.columns.no_counts import no_counts
from hierdp_core.readers.columns.official import OfficialFile, official_file
from hierdp_core.readers.columns.outline import INDENT, SUMS, Outline
from hierdp_core.readers.columns.places import find_regions
from hierdp_core.readers.columns.question import (
    NO_KIND,
    Choice,
    Guess,
    Question,
    levels_in_words,
)
from hierdp_core.readers.columns.record_areas import unsupported_level_question
from hierdp_core.readers.columns.record_levels import (
    finer_level_question,
    overlapping_level_question,
    repeated_members_question,
    shared_numbers,
)
from hierdp_core.readers.columns.record_rules import describes_persons, weights_in
from hierdp_core.readers.columns.recurring_codes import (
    recurring_codes,
    recurring_codes_question,
    with_whole_paths,
)
from hierdp_core.readers.columns.region_columns import RegionColumns
from hierdp_core.readers.columns.region_questions import (
    distinct_regions_question,
    empty_combinations_question,
    repeated_numbers_question,
)
from hierdp_core.readers.columns.repeated_names import repeated_names_question
from hierdp_core.readers.columns.repeated_persons import repeated_persons_question
from hierdp_core.readers.columns.row_outlines import outline_of_regions
from hierdp_core.readers.columns.slices import RowChoice
from hierdp_core.readers.columns.stepped_codes import stepped_levels
from hierdp_core.readers.columns.things import unit_words, unnamed_unit
from hierdp_core.readers.columns.turned import TRANSPOSE_CHOICE, may_be_transposed
from hierdp_core.readers.columns.two_places import shared_places_question
from hierdp_core.readers.columns.units import lines_of_units, scale_question, units_of_rows
from hierdp_core.readers.columns.unused_areas import unused_areas
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import no_column, shown_code
from hierdp_core.util.text import counted

__all__ = ["Guess", "guess"]

# What a person may say of what is counted, after which it is not doubted that something is.
_SAYS_COUNTS = frozenset(
    {"kind", "row", "count", "parts", "sizes", "size", "group", "matrix", "areas", "destinations"}
)
# Settings that name columns without regions.
_OF_NUMBERS = ("count", "parts", "sizes", "size", "group")
_MOST_OFFERED = 8  # columns that answers name
_STATED_NO_COUNTS = (
    "holds no counts, as stated. If it describes the areas of another "
    "table, give both files, with that table first"
)
# What a person may say of the levels.
_OF_LEVELS = frozenset({"levels", "destinations", "within", "add_up", "names", "level_names"})
# What a person may say of the rows, after which no outline is looked for. Nor is it if no row is a
# total.
_CHOSEN_ROWS = frozenset({"outline", "parent", "prefix", "within"})


def guess(sheet: Sheet, stated: Mapping[str, Any] | None = None) -> Guess:
    """Return a guess of what a table holds.

    Known official files are recognised first. Other tables are read by the evidence of their
    columns.

    Args:
        sheet: the table as text.
        stated: settings that a person gave. Only the others are guessed.
    """
    words = Layout.parsed(stated or {})
    if not words.get("kind", "-"):
        words.pop("kind")  # what was stated before was taken back
    try:
        check_roles(words)
    except ChoiceError as error:
        return Guess(layout=None, missing=str(error).rstrip("."))
    if unknown := _unknown_values(sheet, words.get("keep", ())):
        return Guess(layout=None, missing=unknown)
    known = official_file(sheet)
    if known is not None and known.layout is not None:
        return _official(known, words)
    title = known.title if known else ""
    if known is not None and not known.words and not words:
        reason = (f"its columns match the official file: {title}",)
        return Guess(layout=None, reasons=reason, title=title, missing=known.caution)
    facts = SheetFacts(without_left_out(kept_rows(sheet, words), words))
    missing = [n for n in _named(words) if not sheet.has(n)]
    if missing:
        return Guess(layout=None, missing=no_column(missing, sheet.names))
    if words.get("kind") == NO_KIND:
        return Guess(layout=None, missing=_STATED_NO_COUNTS)
    if (kinds := kinds_of_records_question(facts, words)) is not None:
        return Guess(layout=None, question=kinds)
    if not words.keys() & _SAYS_COUNTS and (instead := no_counts(facts)):
        return Guess(layout=None, missing=instead)
    measure = _known_measure(known) if known and known.words else measure_of(facts, words)
    result = _composed(facts, measure, words)
    if result.question is not None:
        layout = result.layout.words if result.layout is not None else {}
        whole = with_whole_paths(facts, result.question, _other_columns(measure, words))
        result = replace(result, question=complete(facts, whole, words, layout))
    if words:
        result = replace(result, cautions=_cautions(facts, result, words))
    if result.question is None and result.layout is not None:
        others = _other_columns(measure, words)
        layout = result.layout.words
        rules = () if words else (years_added, spelled_alike)  # `_cautions` follows all of them
        added = (rule(facts, words, layout) for rule in rules)
        further = filter(None, (*added, unused_areas(facts, others, layout)))
        result = replace(result, cautions=(*result.cautions, *further))
    reasons = result.reasons
    if known is not None:
        reasons = (f"its columns match the official file: {title}", *reasons)
    return replace(result, reasons=reasons, title=title, caution=known.caution if known else "")


def _cautions(facts: SheetFacts, result: Guess, stated: dict[str, Any]) -> tuple[str, ...]:
    """Return what a person should know of the settings that they stated, one sentence each."""
    layout = result.layout.words if result.layout is not None else {}
    stated_cautions = cautions(facts, stated, layout)
    if not stated.get("levels") or stated.keys() & {"prefix", "parent"}:
        return stated_cautions
    free = {word: value for word, value in stated.items() if word not in _OF_LEVELS}
    measure = measure_of(facts, free)
    guessed: Sequence[str] = tuple(measure.words.get("levels", ()))
    questions = [measure.question]
    if not guessed and measure.words["kind"] != "flows":
        places = find_regions(
            facts, measure.taken | measure.aside, free, extra="",
            one_row=measure.words["row"] == "region",
        )  # fmt: skip
        guessed = tuple(places.words.get("levels", ()))
        questions.append(places.question)
    offered = [
        tuple(choice.stated.get("levels", ()))
        for question in questions if question is not None for choice in question.choices
    ]  # fmt: skip
    ways = (guessed, *sorted(offered, key=len, reverse=True))
    merged = next((words for way in ways if (words := merged_areas(facts, stated, way))), "")
    merged = merged or recurring_codes(facts, _other_columns(measure, stated), layout)
    return (*stated_cautions, merged) if merged else stated_cautions


def _official(known: OfficialFile, stated: dict[str, Any]) -> Guess:
    """Return the guess for a known official file. Stated settings replace its own."""
    assert known.layout is not None
    words = dict(known.layout.words)
    if stated.keys() & {"levels", "destinations"}:
        words.pop("names", None)  # those of other columns
        words.pop("level_names", None)
    try:
        layout = Layout.of(_applicable_settings(words | stated))
    except ChoiceError as error:
        return Guess(layout=None, missing=str(error).rstrip("."), title=known.title)
    reason: tuple[str, ...] = (f"its columns match the official file: {known.title}",)
    if words.get("names") and "names" not in stated:
        shown = dict.fromkeys(name for name in words["names"] if name)
        reason += (f"names are in {', '.join(map(shown_code, shown))}",)
    return Guess(
        layout=layout, reasons=reason, title=known.title, caution=known.caution, official=True
    )


def _known_measure(known: OfficialFile) -> Measure:
    """Return what a row of an official file is, where only its regions have to be found."""
    return Measure(words=dict(known.words or {}), taken=frozenset(known.taken))


def _named(stated: Mapping[str, Any]) -> list[str]:
    """Return the columns that the stated settings name."""
    named: list[str] = []
    for word in NAMING:
        value = stated.get(word, ())
        named += [value] if isinstance(value, str) else list(value)
    return [name for name in named if name]


def _unknown_values(sheet: Sheet, keep: Sequence[str]) -> str:
    """Return a remedy if no row has a kept value, and the value looks like several values."""
    for column, values in values_of_columns(column_values(tuple(keep))).items():
        if not sheet.has(column):
            continue
        known = {*pc.unique(sheet.column(column)).to_pylist()}
        for value in values:
            parts = [part.strip() for part in value.split(",")]
            if value not in known and len(parts) > 1 and {*parts} <= known:
                shown = ",".join(f"{column}={part}" for part in parts)
                return (
                    f"no row has {shown_code(value)} in column {shown_code(column)}. To add up the "
                    f"rows with one of these values, set keep = {shown_code(shown)}"
                )
    return ""


def _composed(facts: SheetFacts, measure: Measure, stated: dict[str, Any]) -> Guess:
    """Return a guess from the columns of numbers, the columns of regions and the choice of rows.

    The rules are asked in a fixed order, and the first question that one of them asks is kept. Each
    question assumes that those before it are settled.
    """
    words = measure.words
    flows = words["kind"] == "flows"
    extra = str(words.get("size", "")) if words["row"] == "region" else ""
    summed = words["row"] == "region" and bool(stated.get("add_up"))
    by_weight = summed and bool(weights_in(facts, facts.sheet.names))  # rows are records
    if flows:
        places = RegionColumns(words={}, used=frozenset({*words["levels"], *words["destinations"]}))
    else:
        places = find_regions(
            without_totals(facts, measure),
            measure.taken | measure.aside | {p.partition("=")[0] for p in stated.get("keep", ())},
            stated,
            extra=extra,
            one_row=words["row"] == "region" and not by_weight,
        )
        if words["row"] == "region" and not extra:
            places = stepped_levels(facts, measure.taken, stated, places) or places
            if not stated.keys() & {"levels", "within"}:
                places = with_levels_of_digits(facts, places)
        if not stated.keys() & {"levels", "within"}:
            places = with_pairs_first(facts, places, measure.taken | measure.aside)
    if stated.get("outline") in (SUMS, INDENT) and places.words.get("prefix"):
        places = places.of_one_column()
    question = measure.question or places.question
    if flows and words["row"] == "trip" and not stated.keys() & {"row", "count"}:
        question = question or weighted_trips_question(facts, words)
    if not places.words and not flows:
        return _without_regions(facts, measure, stated)
    if words["row"] == "region" and not flows and not stated.keys() & {"levels", "within"}:
        question = question or repeated_names_question(
            without_totals(facts, measure), measure, places
        )
    rows = RowChoice()
    if words["row"] in ("region", "pair") and not stated.keys() & {"add_up"}:
        rows = choose_region_rows(facts, measure, places, stated, extra)
    outline = Outline(words={"outline": stated["outline"]} if stated.get("outline") else {})
    may_nest = not stated.keys() & _CHOSEN_ROWS and stated.get("totals") != "none"
    if question is None and words["row"] == "region" and may_nest:
        one_each = one_row_per_region(facts, measure, places, stated, rows)
        outline = (
            Outline(words={})
            if rows.times or rows.crossed
            else outline_of_regions(one_each, measure, places, summed=bool(stated.get("add_up")))
        )
        if outline.words.get("outline") == SUMS:
            places = places.of_one_column()
    if rows.level and (outline.words.get("prefix") or outline.words.get("outline") == SUMS):
        rows = replace(rows, question=None)
    if outline.words.get("outline") not in ("", None, "none") and rows.question and not rows.times:
        rows = RowChoice()  # each row is a region
    group_reasons: tuple[str, ...] = ()
    if words["row"] in RECORDS and not flows:
        group_reasons = _group_reasons(facts, places, words)
    if words["row"] in RECORDS and not flows and "levels" not in stated:
        question = question or distinct_regions_question(facts, places, words)
        question = question or _record_question(facts, measure, places, stated)
    weighted = by_weight or (summed and describes_persons(facts))
    if weighted and not flows and "levels" not in stated:
        question = question or _record_question(facts, measure, places, stated)
    if words["row"] == "region" and not flows and not stated.keys() & {"levels", "within"}:
        question = question or _recurring_question(facts, measure, places, stated)
    last = "" if flows else places.words["levels"][-1]
    indented = last in facts.sheet.indents  # such groups are levels
    if words["row"] == "region" and last and not indented and stated.get("totals") != "none":
        question = question or country_groups_question(facts, last, stated.get("leave_out", ()))
    if words["row"] == "region" and not flows and "levels" not in stated:
        question = question or empty_combinations_question(
            facts, places, str(words.get("count", ""))
        )
    if words.get("group") and "levels" not in stated:
        question = question or repeated_numbers_question(facts, places, str(words["group"]))
    kept: dict[str, Any] = {"keep": rows.keep} if rows.keep else {}
    kept |= {"add_up": True} if rows.add_up else {}
    chosen = words | places.words | outline.words | stated | kept
    chosen = unit_words(facts, chosen) | chosen
    question = question or outline.question or rows.question
    if not flows and not stated.keys() & {"levels", "split"}:
        question = question or joined_names_question(facts, chosen)
        question = question or lettered_codes_question(facts, chosen)
    if words["row"] not in RECORDS and not stated.keys() & {"times"}:
        question = question or scale_question(
            facts.sheet.heading,
            (
                *measure.taken,
                str(words.get("count", "")),
                *units_of_rows(facts),
                *lines_of_units(facts.sheet.names),
            ),
        )
    try:
        layout = Layout.of(_applicable_settings(chosen))
    except ChoiceError as error:
        return Guess(
            layout=None, reasons=measure.reasons, question=question,
            missing=str(error).rstrip("."), unused=measure.unused,
        )  # fmt: skip
    return Guess(
        layout=layout,
        reasons=(
            *measure.reasons, *places.reasons, *group_reasons, *filter(None, (outline.reason,)),
            *rows.reasons, *filter(None, (unnamed_unit(facts, chosen),)),
        ),
        question=question, unused=measure.unused,
    )  # fmt: skip


def _record_question(
    facts: SheetFacts, measure: Measure, places: RegionColumns, stated: dict[str, Any]
) -> Question | None:
    """Return the first question about the regions of persons or groups; None if all is clear."""
    levels = tuple(places.words["levels"])
    used = places.used | measure.taken
    if places.words.keys() & {"prefix", "parent"}:
        return None
    group = str(measure.words.get("group", ""))
    return (
        (repeated_members_question(facts, levels, group) if group else None)
        or composite_code_question(facts, levels)
        or recurring_codes_question(facts, levels, _other_columns(measure, stated))
        or shared_places_question(facts, levels, used)
        or finer_level_question(facts, levels, used)
        or overlapping_level_question(facts, levels, used)
        or unsupported_level_question(facts, places, measure.taken)
        or (None if stated.get("add_up") else repeated_persons_question(facts, group))
    )


def _other_columns(measure: Measure, stated: Mapping[str, Any]) -> frozenset[str]:
    """Return the columns that hold numbers or numbers of groups, or whose rows were chosen."""
    words = {**measure.words, **stated}
    named = [words.get(word, ()) for word in _OF_NUMBERS]
    names = {n for value in named for n in ((value,) if isinstance(value, str) else value)}
    pairs = (*stated.get("keep", ()), *stated.get("leave_out", ()))
    return frozenset(names | {pair.partition("=")[0] for pair in pairs})


def _recurring_question(
    facts: SheetFacts, measure: Measure, places: RegionColumns, stated: Mapping[str, Any]
) -> Question | None:
    """Ask a question if codes of a guessed level start again below a column that is not a level."""
    if places.words.keys() & {"prefix", "parent"} or places.words.get("within"):
        return None
    taken = _other_columns(measure, stated) | (places.used - {*places.words["levels"]})
    return recurring_codes_question(facts, places.words["levels"], taken)


def _group_reasons(
    facts: SheetFacts, places: RegionColumns, words: dict[str, Any]
) -> tuple[str, ...]:
    """Return a reason if numbers of groups occur in several regions; else an empty tuple."""
    group = str(words.get("group", ""))
    if not group or places.words.keys() & {"prefix", "parent"}:
        return ()
    return tuple(filter(None, (shared_numbers(facts, tuple(places.words["levels"]), group),)))


def _applicable_settings(words: dict[str, Any]) -> dict[str, Any]:
    """Return the settings without those that do not apply to this kind of table and row."""
    drop = without_effect(words["kind"], words["row"])
    return {name: value for name, value in words.items() if name not in drop}


def _without_regions(facts: SheetFacts, measure: Measure, stated: dict[str, Any]) -> Guess:
    """Return a guess that asks which column holds the regions, where none looks like it."""
    free = [n for n in facts.sheet.names if n not in measure.taken and not facts[n].blank]
    choices = tuple(
        Choice(words=f"column {shown_code(name)} holds the areas", stated={"levels": (name,)})
        for name in free[:_MOST_OFFERED]
    )
    nested = nested_numbers(facts, free)
    if nested:
        words = f"{levels_in_words(nested)}, whose numbers begin with those of the level above"
        choices = (Choice(words=words, stated={"levels": nested}), *choices)
    if may_be_transposed(facts):
        choices = (TRANSPOSE_CHOICE, *choices)
    what = "no column looks like codes or names of areas, so it is not clear which one holds them"
    if not choices:
        missing = f'{what}. Name it, such as levels = ["state", "county"]'
        return Guess(layout=None, reasons=measure.reasons, missing=missing)
    if (left_out := len(free) - _MOST_OFFERED) > 0:
        what = f"{what}. {counted(left_out, 'further column')} can be named with the setting levels"
    return Guess(
        layout=None, reasons=measure.reasons,
        question=measure.question or Question(what=what, choices=choices), unused=measure.unused,
    )  # fmt: skip
