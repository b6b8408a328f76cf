"""The rows of a table that are read: as a person chose, or without those of each sex or age."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts, called_total
from hierdp_core.readers.columns.level_of_rows import with_level_question
from hierdp_core.readers.columns.measure import Measure
from hierdp_core.readers.columns.region_columns import RegionColumns
from hierdp_core.readers.columns.slices import RowChoice, choose_rows, crosses
from hierdp_core.readers.columns.vocabulary import CATEGORY
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.util.arrays import BoolArray


def without_totals(facts: SheetFacts, measure: Measure) -> SheetFacts:
    """The facts of the rows in which no region is called a total."""
    total = np.zeros(facts.n_rows, dtype=np.bool_)
    for name, column in facts.columns.items():
        other = CATEGORY.fullmatch(column.plain) or name in measure.taken or column.numeric
        if not other:
            total |= called_total(column.text)
    if not total.any() or total.sum() * 2 > facts.n_rows:
        return facts
    return SheetFacts(facts.sheet.take(~total))


def choose_region_rows(
    facts: SheetFacts, measure: Measure, places: RegionColumns, stated: dict[str, Any], extra: str
) -> RowChoice:
    """How the several rows of a region differ, among those that are kept."""
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
    count = str(words.get("count", "")) if measure.question is None else ""
    rows = choose_rows(facts, regions, free, count, extra=extra, events=words["kind"] == "flows")
    level = next((n for n in free if facts[n].level_of_row), "")
    prefixed = {**places.words, **stated}.get("prefix") or stated.get("totals") == "none"
    if level and not prefixed and not rows.times and not rows.crossed:
        rows = with_level_question(rows, facts, level, count, places)
    return replace(rows, keep=(*stated.get("keep", ()), *rows.keep) if rows.keep else ())


def _without_called(facts: SheetFacts, regions: Sequence[str]) -> SheetFacts:
    """The facts without rows whose region is called a total, which may lack a row for each sex."""
    total = np.zeros(facts.n_rows, dtype=np.bool_)
    for name in regions:
        total |= called_total(facts[name].text)
    return SheetFacts(facts.sheet.take(~total)) if total.any() and not total.all() else facts


def kept_rows(sheet: Sheet, stated: Mapping[str, Any]) -> Sheet:
    """The rows that a person chose to read."""
    return _only(sheet, _where(sheet, stated.get("keep", ()), all_of=True))


def without_left_out(sheet: Sheet, stated: Mapping[str, Any]) -> Sheet:
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


def one_row_per_region(
    facts: SheetFacts,
    measure: Measure,
    places: RegionColumns,
    stated: dict[str, Any],
    rows: RowChoice,
) -> SheetFacts:
    """The facts of the rows that are read, without those of each sex or age beside a total."""
    sheet = without_left_out(facts.sheet, stated)
    if rows.keep and (rows.question is None or rows.level):
        sheet = kept_rows(sheet, {"keep": rows.keep})
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
