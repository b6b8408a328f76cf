"""The rows of a table that are read: those that a person chose, or one for each region."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts, called_total
from hierdp_core.readers.columns.layout_words import column_values, values_of_columns
from hierdp_core.readers.columns.level_of_rows import with_level_question
from hierdp_core.readers.columns.measure import Measure
from hierdp_core.readers.columns.region_columns import RegionColumns
from hierdp_core.readers.columns.row_identifiers import crossing_places_question, with_lowest_level
from hierdp_core.readers.columns.slices import RowChoice, choose_rows, crosses
from hierdp_core.readers.columns.vocabulary import CATEGORY
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import shown_code
from hierdp_core.util.arrays import BoolArray
from hierdp_core.util.text import join_and


def without_totals(facts: SheetFacts, measure: Measure) -> SheetFacts:
    """Return the facts without rows in which a region is called a total, such as "Total".

    All rows are kept if more than half of them would go, since the word is then no sign of totals.
    """
    total = np.zeros(facts.n_rows, dtype=np.bool_)
    for name, column in facts.columns.items():
        other = CATEGORY.fullmatch(column.plain) or name in measure.taken or column.numeric
        if other:
            continue
        called = called_total(column.text)
        if 2 * called.sum() <= facts.n_rows:  # the word is not a sign where it stands in most rows
            total |= called
    if not total.any() or total.sum() * 2 > facts.n_rows:
        return facts
    return SheetFacts(facts.sheet.take(~total))


def choose_region_rows(
    facts: SheetFacts, measure: Measure, places: RegionColumns, stated: dict[str, Any], extra: str
) -> RowChoice:
    """Return which rows of each region are read, if a region has several.

    Args:
        facts: facts about the table.
        measure: what a row is, and the columns of numbers.
        places: the columns of regions.
        stated: settings that a person gave.
        extra: the column of group sizes, if each size has a row; else empty.
    """
    if stated.get("leave_out"):
        facts = SheetFacts(without_left_out(facts.sheet, stated))
    words = measure.words
    regions = (*places.words.get("levels", words.get("levels", ())), *words.get("destinations", ()))
    facts = _without_called(facts, regions)
    used = places.used | measure.taken
    keys = [*regions, *([extra] if extra else [])]
    free = [
        n for n in facts.sheet.names
        if not facts[n].blank
        # Codes of ages or groups look like further numbers.
        and (n not in used or (n in measure.unused and crosses(facts, keys, n)))
    ]  # fmt: skip
    several = [n for n in _several_kept(stated) if n in free]
    free = [n for n in free if n not in several]
    count = str(words.get("count", "")) if measure.question is None else ""
    rows = choose_rows(facts, regions, free, count, extra=extra, events=words["kind"] == "flows")
    if rows.question is not None and words["kind"] != "flows":
        levels = tuple(places.words.get("levels", ()))
        numbers = (words.get("count", ""), *words.get("parts", ()), *words.get("sizes", ()), extra)
        apart = tuple(map(str, numbers))
        rows = replace(rows, question=with_lowest_level(facts, rows.question, levels, apart))
        if "levels" not in stated and (asked := crossing_places_question(facts, levels, free)):
            return RowChoice(question=asked)
    level = next((n for n in free if facts[n].level_of_row), "")
    prefixed = {**places.words, **stated}.get("prefix") or stated.get("totals") == "none"
    if level and not prefixed and not rows.times and not rows.crossed:
        rows = with_level_question(rows, facts, level, count, places)
    if several and rows.question is None:
        rows = _added_up(facts, rows, keys, several)
    return replace(rows, keep=(*stated.get("keep", ()), *rows.keep) if rows.keep else ())


def _several_kept(stated: Mapping[str, Any]) -> list[str]:
    """Return the columns of which a person keeps the rows with several values."""
    values = values_of_columns(column_values(stated.get("keep", ())))
    return [column for column, kept in values.items() if len(kept) > 1]


def _added_up(
    facts: SheetFacts, rows: RowChoice, keys: Sequence[str], several: Sequence[str]
) -> RowChoice:
    """Return the choice to add up the rows of a region that have one of several kept values."""
    kept = SheetFacts(kept_rows(facts.sheet, {"keep": rows.keep}))
    if kept.one_row_each(keys):
        return rows
    shown = join_and([shown_code(name) for name in several])
    reason = f"rows with the kept values of {shown} are added up"
    return replace(rows, add_up=True, reasons=(*rows.reasons, reason))


def _without_called(facts: SheetFacts, regions: Sequence[str]) -> SheetFacts:
    """Return the facts without rows whose region is called a total.

    Such rows often lack the rows for each sex or age that all other regions have.
    """
    total = np.zeros(facts.n_rows, dtype=np.bool_)
    for name in regions:
        total |= called_total(facts[name].text)
    return SheetFacts(facts.sheet.take(~total)) if total.any() and not total.all() else facts


def kept_rows(sheet: Sheet, stated: Mapping[str, Any]) -> Sheet:
    """Return the rows that the setting `keep` selects."""
    chosen = np.ones(sheet.n_rows, dtype=np.bool_)
    for column, values in values_of_columns(column_values(stated.get("keep", ()))).items():
        if sheet.has(column):
            kept = pa.array(values, pa.string())
            chosen &= as_mask(pc.is_in(sheet.column(column), value_set=kept))
    return _only(sheet, chosen)


def without_left_out(sheet: Sheet, stated: Mapping[str, Any]) -> Sheet:
    """Return the rows that the settings `leave_out` and `missing` do not exclude.

    A row without a number may be a note below the table, which names no area.
    """
    left_out = np.zeros(sheet.n_rows, dtype=np.bool_)
    for column, values in values_of_columns(column_values(stated.get("leave_out", ()))).items():
        if sheet.has(column):
            out = pa.array(values, pa.string())
            left_out |= as_mask(pc.is_in(sheet.column(column), value_set=out))
    count = stated.get("count")
    if stated.get("missing") == "left out" and count and sheet.has(count):
        left_out |= as_mask(pc.equal(sheet.column(count), ""))
    return _only(sheet, ~left_out)


def _only(sheet: Sheet, chosen: BoolArray) -> Sheet:
    """Return the chosen rows, or all rows if none is chosen."""
    return sheet.take(chosen) if chosen.any() and not chosen.all() else sheet


def one_row_per_region(
    facts: SheetFacts,
    measure: Measure,
    places: RegionColumns,
    stated: dict[str, Any],
    rows: RowChoice,
) -> SheetFacts:
    """Return the facts of the rows that are read, with one row for each region where possible.

    Rows for single sexes or ages are dropped if a row of their total is read. If rows are added up,
    each region has one row with their sum.
    """
    sheet = without_left_out(facts.sheet, stated)
    if rows.keep and (rows.question is None or rows.level):
        sheet = kept_rows(sheet, {"keep": rows.keep})
    count = str(measure.words.get("count", ""))
    if stated.get("add_up") and count and not facts.sampled:
        sheet = _summed(sheet, tuple(places.words["levels"]), count)
    return facts if sheet is facts.sheet else SheetFacts(sheet)


def _summed(sheet: Sheet, levels: Sequence[str], count: str) -> Sheet:
    """Return one row for each region: the first of its rows, with the sum of the counts.

    The sheet is returned unchanged if a count is missing.
    """
    facts = SheetFacts(sheet)
    _, first, region = np.unique(facts.key(levels), return_index=True, return_inverse=True)
    sums = np.bincount(region, weights=facts[count].values)
    if np.isnan(sums).any():
        return sheet
    order = np.argsort(first)
    numbers = [f"{value:.10g}" for value in sums[order].tolist()]
    one_each = sheet.take(np.isin(np.arange(sheet.n_rows), first))
    return one_each.with_column(count, pa.array(numbers, pa.string()))
