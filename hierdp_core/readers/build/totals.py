"""Rows of totals, recognised by their words or numbers so that nothing is counted twice."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.build.sums_by_name import renamed_sums
from hierdp_core.readers.columns.facts import (
    ColumnFacts,
    called_total,
    called_whole,
    has_words,
)
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.sums import exceeds_rounding, nearly_whole
from hierdp_core.readers.columns.vocabulary import plain_name, region_of_total
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.util.arrays import BoolArray, IntArray

_LEAST_SUMMED = 4  # regions whose sum is that of one row by no chance
_ZEROS = "^00+$"  # a code of no region, if its name is called a total
_LEAST_WHOLE = 100  # a sum of smaller numbers may be chance


def blank_total_codes(
    sheet: Sheet, layout: Layout, *, confidential: bool = False
) -> tuple[Sheet, BoolArray]:
    """Return the sheet with blank codes for totals, and a mask of grand totals, shape (n_rows,).

    A row whose region is called "Total" on a level belongs to the region above. The counts of
    confidential rows do not decide whether it does.
    """
    if layout.parent or layout.prefix or layout.outline or layout.row != "region":
        return sheet, _called_grand_total(sheet, layout)
    sheet = renamed_sums(sheet, layout)
    above = grand = _of_nowhere(sheet, layout)
    named = np.zeros(sheet.n_rows, dtype=np.bool_)
    for level, name in enumerate(layout.levels):
        columns = [name]
        if len(layout.names) == len(layout.levels):
            columns.append(layout.names[level])
        elif level == len(layout.levels) - 1:
            columns += layout.names
        sheet, sums = _named_sums(sheet, layout.levels, level)
        called = _called_total(sheet, columns)
        if level and called.any():
            called &= ~_beside_a_total(sheet, layout.levels, level)
            coded = as_mask(pc.match_substring_regex(sheet.column(name), _ZEROS))
            called &= ~_with_own_areas(sheet, layout.levels, level) | (coded & (len(columns) > 1))
        is_last = level == len(layout.levels) - 1
        if is_last and layout.totals == "none" and layout.count and not confidential:
            called &= ~_less_than_parts(sheet, layout, called)
        named |= called
        here = above | called | sums
        if level == 0:
            grand = here
        if here.any():
            text = pc.if_else(pa.array(here), "", sheet.column(name))
            sheet = sheet.with_column(name, text)
        above = here
    return sheet, grand | _sum_of_all_others(sheet, layout, grand, named)


def _sum_of_all_others(
    sheet: Sheet, layout: Layout, grand: BoolArray, named: BoolArray
) -> BoolArray:
    """Return a mask of the upper row that sums all rows of the last level, shape (n_rows,).

    It has no children, like the whole country in a list of districts. A row `named` as a total
    counts as one even where some of its parts are not published.
    """
    none = np.zeros(sheet.n_rows, dtype=np.bool_)
    if len(layout.levels) < 2 or not layout.count or layout.totals == "none":
        return none
    filled = [as_mask(pc.not_equal(sheet.column(name), "")) for name in layout.levels]
    last = filled[-1]
    short = filled[0] & ~np.any(filled[1:], axis=0) & ~grand
    tops = sheet.column(layout.levels[0])
    below = set(tops.filter(pa.array(last)).to_pylist())
    lone: BoolArray = short & np.array(
        [code not in below for code in tops.to_pylist()], dtype=np.bool_
    )
    values = ColumnFacts(layout.count, sheet.column(layout.count)).values
    whole = float(np.nansum(values[last]))
    if lone.sum() != 1 or last.sum() < _LEAST_SUMMED or whole < _LEAST_WHOLE:
        return none
    number = float(np.nan_to_num(values[lone])[0])
    if named[lone].any() and nearly_whole(round(number), round(whole)):
        return lone
    return lone if number == whole and not np.isnan(values[last]).any() else none


def _beside_a_total(sheet: Sheet, levels: Sequence[str], level: int) -> BoolArray:
    """Return True for rows whose parent has a row of its own, shape (n_rows,).

    Below it, a row named like a total, such as the district Jumla, is a region.
    """
    blank = as_mask(pc.equal(sheet.column(levels[level]), ""))
    above = list(zip(*(sheet.column(name).to_pylist() for name in levels[:level]), strict=True))
    own = {path for path, total in zip(above, blank.tolist(), strict=True) if total}
    return np.array([path in own for path in above], dtype=np.bool_) & ~blank


def _with_own_areas(sheet: Sheet, levels: Sequence[str], level: int) -> BoolArray:
    """Return True for rows with a region on the next level, shape (n_rows,).

    Above it, a row named like a total, such as the district Jumla, is a region. So is the region on
    the next level if it has regions of its own, such as Jumla Municipality with its wards.
    """
    if level == len(levels) - 1:
        return np.zeros(sheet.n_rows, dtype=np.bool_)
    below = sheet.column(levels[level + 1])
    called = called_total(below)
    if called.any():
        called &= ~_with_own_areas(sheet, levels, level + 1)
    return as_mask(pc.not_equal(below, "")) & ~called


def _less_than_parts(sheet: Sheet, layout: Layout, called: BoolArray) -> BoolArray:
    """Return True for rows whose number is too small for the other rows of the region above.

    Such a row, like the town Suma, is called a total only by chance. Shape (n_rows,).
    """
    above = zip(*(sheet.column(name).to_pylist() for name in layout.levels[:-1]), strict=True)
    paths = list(above) if len(layout.levels) > 1 else [()] * sheet.n_rows
    place = {path: k for k, path in enumerate(dict.fromkeys(paths))}
    group = np.array([place[path] for path in paths], dtype=np.int64)
    values = np.nan_to_num(ColumnFacts(layout.count, sheet.column(layout.count)).values)
    parts = np.bincount(group, np.where(called, 0.0, values), minlength=len(place))[group]
    return np.asarray(called & exceeds_rounding(parts, values), dtype=np.bool_)


def _of_nowhere(sheet: Sheet, layout: Layout) -> BoolArray:
    """Return True for rows without a region on any of several levels, shape (n_rows,)."""
    nowhere = np.full(sheet.n_rows, len(layout.levels) > 1)
    for name in layout.levels:
        nowhere &= as_mask(pc.equal(sheet.column(name), ""))
    return nowhere


def _named_sums(sheet: Sheet, levels: Sequence[str], level: int) -> tuple[Sheet, BoolArray]:
    """Recognise rows called "Total North", which hold the sum of the region North.

    Returns:
        The sheet with North in place of "Total North", and a mask of such rows within North, shape
        (n_rows,).
    """
    name = levels[level]
    column = sheet.column(name)
    codes = pc.unique(column)
    of_region = {
        code: region
        for code in codes.filter(has_words(codes)).to_pylist()
        if (region := region_of_total(plain_name(code)))
    }
    none = np.zeros(sheet.n_rows, dtype=np.bool_)
    if not of_region:
        return sheet, none
    known = {plain_name(code): code for code in codes.to_pylist() if code}
    same = {code: known[region] for code, region in of_region.items() if region in known}
    below = levels[level + 1 :]
    blank = ~none
    for lower in below:
        blank &= as_mask(pc.equal(sheet.column(lower), ""))
    cells = column.to_pylist()
    if level:
        over = [plain_name(cell) for cell in sheet.column(levels[level - 1]).to_pylist()]
        inside = [
            of_region.get(cell, "-") == region for cell, region in zip(cells, over, strict=True)
        ]
        none = np.array(inside, dtype=np.bool_)
    if below and same:
        renamed = [
            same.get(cell, cell) if whole else cell
            for cell, whole in zip(cells, blank, strict=True)
        ]
        sheet = sheet.with_column(name, pa.array(renamed, pa.string()))
    return sheet, none


def _called_grand_total(sheet: Sheet, layout: Layout) -> BoolArray:
    """Return which rows are called the total of everything, shape (n_rows,)."""
    names = list(dict.fromkeys(filter(None, layout.names)))
    if layout.destinations or not (layout.prefix or layout.outline):
        return _called_total(sheet, [*layout.levels, *names])
    return called_whole(
        [sheet.column(name) for name in layout.levels], [sheet.column(name) for name in names]
    )


def _called_total(sheet: Sheet, columns: Sequence[str]) -> BoolArray:
    called = np.zeros(sheet.n_rows, dtype=np.bool_)
    for name in dict.fromkeys(filter(None, columns)):
        called |= called_total(sheet.column(name))
    return called


@dataclass(frozen=True, eq=False, kw_only=True)
class SeparatedTotals:
    """The rows of a table without its grand totals, and those totals.

    Attributes:
        sheet: the rows without the grand totals.
        places: where the grand totals are in the file, at most five.
        totals: the numbers of the grand totals, shape (n_totals, n_columns).
    """

    sheet: Sheet
    places: tuple[str, ...] = ()
    totals: IntArray = field(default_factory=lambda: np.zeros((0, 1), dtype=np.int64))
