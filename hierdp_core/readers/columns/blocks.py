"""Columns whose cells are filled in the first row of a block alone, as printed tables have them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import ColumnFacts, called_total
from hierdp_core.readers.columns.vocabulary import (
    ABOUT_THE_ROW,
    PLACE,
    ROW_NUMBER,
    TOTAL_WORDS,
    plain_name,
    region_of_total,
)
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.util.arrays import BoolArray, IntArray

_MIN_BLOCKS = 2
_MIN_BLANK = 0.5  # of the cells, at which nothing but blocks explains the blanks


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """The columns that stand for the rows below, too.

    Attributes:
        sure: those for which nothing else explains the blanks.
        possible: all of them.
    """

    sure: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


def find_blocks(sheet: Sheet) -> Blocks:
    """The columns at the left of a table that name the block which their row begins.

    Each name occurs once, the first row has one, and a column further right names the rows. That is
    sure where most cells are blank and the column is called after places, blocks end in totals, or
    two columns go together. Otherwise codes may as well be missing.
    """
    sure: list[str] = []
    possible: list[str] = []
    around: list[str] = []  # columns with one name, for the whole table
    above = np.zeros(sheet.n_rows, dtype=np.int64)
    for place, name in enumerate(sheet.names[:-1]):
        column = ColumnFacts(name, sheet.columns[place])
        numbers_rows = bool(ROW_NUMBER.fullmatch(column.plain))
        filled = as_mask(pc.not_equal(column.text, ""))
        if numbers_rows and (filled.all() or not _names_rows(sheet, place, filled)):
            continue
        if filled[0] and not filled.all() and column.numeric and column.distinct_filled == 1:
            continue  # one year, beside each name of a block
        if filled.all() or not filled[0] or (column.numeric and not column.leading_zeros):
            break
        if _names_the_whole(column, filled):
            around.append(name)
            continue
        if not _begins_blocks(column, filled, above) or ABOUT_THE_ROW.fullmatch(column.plain):
            break
        possible.append(name)
        plain_reason = bool(PLACE.search(column.plain)) or _ends_in_totals(sheet, place, filled)
        mostly = (~filled).mean() >= _MIN_BLANK and _names_rows(sheet, place, filled)
        if mostly and (plain_reason or _in_pair(sheet, place, filled)):
            sure += [*around, name]
            around = []
        above = np.cumsum(filled | (np.diff(above, prepend=above[:1]) != 0))
    return Blocks(sure=tuple(sure), possible=tuple(possible))


def _names_the_whole(column: ColumnFacts, filled: BoolArray) -> bool:
    """Whether a place stands in the first row alone: one block, with rows of totals below it."""
    named = filled & ~_totals(column)
    return bool(PLACE.search(column.plain)) and named[0] and int(named.sum()) == 1


def _begins_blocks(column: ColumnFacts, filled: BoolArray, above: IntArray) -> bool:
    """Whether names occur once in each block further left, and two have rows below."""
    total = _totals(column)
    named = filled & ~total
    names = list(
        zip(column.text.filter(pa.array(named)).to_pylist(), above[named].tolist(), strict=True)
    )
    starts = np.flatnonzero(filled)
    lengths = np.diff(np.append(starts, len(filled)))[~total[starts]]
    return len(set(names)) == len(names) and int((lengths > 1).sum()) >= _MIN_BLOCKS


def _totals(column: ColumnFacts) -> BoolArray:
    plain = [plain_name(cell) for cell in column.text.to_pylist()]
    return np.array(
        [cell in TOTAL_WORDS or bool(region_of_total(cell)) for cell in plain], dtype=np.bool_
    )


def _names_rows(sheet: Sheet, place: int, filled: BoolArray) -> bool:
    """Whether a column of words to the right is filled wherever this one is blank."""
    total = np.any([called_total(column) for column in sheet.columns[: place + 1]], axis=0)
    for column in sheet.columns[place + 1 :]:
        there = total | as_mask(pc.not_equal(column, ""))
        words = as_mask(pc.match_substring_regex(column, r"\pL"))
        if (there | filled).all() and words[~filled].mean() > _MIN_BLANK:
            return True
    return False


def _ends_in_totals(sheet: Sheet, place: int, filled: BoolArray) -> bool:
    """Whether blocks begin or end in a row that is called a total, in this column or the next."""
    total = _totals(ColumnFacts("", sheet.columns[place]))
    beside = called_total(sheet.columns[place + 1])
    ends = int((beside & ~filled).sum()) >= _MIN_BLOCKS
    begins = int((beside & filled).sum()) >= _MIN_BLOCKS and bool(beside[filled & ~total].all())
    return int(total.sum()) >= _MIN_BLOCKS or ends or begins


def _in_pair(sheet: Sheet, place: int, filled: BoolArray) -> bool:
    """Whether a column beside this one is filled in the same rows: a code and a name."""
    beside = [k for k in (place - 1, place + 1) if 0 <= k < len(sheet.columns)]
    masks = [as_mask(pc.not_equal(sheet.columns[k], "")) for k in beside]
    return any((mask == filled).all() for mask in masks)


def filled_down(sheet: Sheet, columns: Sequence[str]) -> Sheet:
    """The sheet with the cell above in each blank cell of `columns`, given from left to right.

    Where a block of a column further left begins, a blank cell stays blank: it is a row of the
    region above.
    """
    begins = np.zeros(sheet.n_rows, dtype=np.bool_)
    for name in columns:
        if name not in sheet.names:
            continue
        text = sheet.column(name)
        filled = as_mask(pc.not_equal(text, ""))
        above = pc.if_else(pa.array(filled | begins), text, pa.scalar(None, pa.string()))
        sheet = sheet.with_column(name, pc.fill_null(pc.fill_null_forward(above), ""))
        begins |= filled
    return sheet


def n_filled(before: Sheet, after: Sheet) -> int:
    """How many cells of a sheet were filled."""
    pairs = zip(before.columns, after.columns, strict=True)
    return sum(int(as_mask(pc.not_equal(one, other)).sum()) for one, other in pairs)
