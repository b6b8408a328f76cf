"""Columns that name a block of rows only in its first row, as printed tables have them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import ColumnFacts, called_total, matches_in
from hierdp_core.readers.columns.vocabulary import (
    ABOUT_THE_ROW,
    ABROAD,
    CATEGORY,
    CONTINUED,
    NO_PLACE,
    PLACE,
    ROW_NUMBER,
    TOTAL_WORDS,
    plain_name,
    region_of_total,
    says_subtotal,
)
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.formats.workbook import NAME_OF_SHEET
from hierdp_core.util.arrays import BoolArray, IntArray

_MIN_BLOCKS = 2  # blocks of several rows; one may be chance
_MIN_LISTS = 3  # blocks with the same cells
_MIN_BLANK = 0.5  # proportion of blank cells at which missing codes do not explain it


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Columns in which a blank cell may repeat the cell above.

    Attributes:
        sure: those for which nothing else explains the blank cells.
        possible: all of them, from left to right.
    """

    sure: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


def find_blocks(sheet: Sheet) -> Blocks:
    """Return the columns at the left of a table that name a block of rows only in its first row.

    In such a column the first cell is filled, each name occurs once, and a column further right
    names the rows. This is sure if most cells are blank and one more sign agrees: the column is
    named after regions, blocks end in totals, or a code and a name are blank in the same rows. It
    is also sure if the next column has the same cells in each block, such as years.
    Without such a sign, the blank cells may just be missing codes.
    """
    if not sheet.n_rows:  # a confidential table without records
        return Blocks()
    sure: list[str] = []
    possible: list[str] = []
    around: list[str] = []  # columns with one name, for the whole table
    above = np.zeros(sheet.n_rows, dtype=np.int64)
    for place, name in enumerate(sheet.names[:-1]):
        column = ColumnFacts(name, sheet.columns[place])
        numbers_rows = bool(ROW_NUMBER.fullmatch(column.plain)) or column.counts_rows
        filled = as_mask(pc.not_equal(column.text, ""))
        if place == 0 and name == NAME_OF_SHEET and filled.all():
            sheets = ColumnFacts(name, column.text).index
            above = np.cumsum(np.diff(sheets, prepend=sheets[:1]) != 0)
            continue
        if numbers_rows and (
            filled.all() or column.numeric or not _names_rows(sheet, place, filled)
        ):
            continue
        if filled[0] and not filled.all() and column.numeric and column.distinct_filled == 1:
            continue  # one year, beside each name of a block
        if filled.all() or not filled[0] or (column.numeric and not column.leading_zeros):
            break
        if _names_whole_table(column, filled):
            around.append(name)
            continue
        if not _begins_blocks(column, filled, above) or ABOUT_THE_ROW.fullmatch(column.plain):
            break
        possible.append(name)
        plain_reason = bool(PLACE.search(column.plain)) or _ends_in_totals(sheet, place, filled)
        rows = ~_rows_of_totals(sheet, place)
        mostly = (~filled)[rows].mean() >= _MIN_BLANK and _names_rows(sheet, place, filled)
        signs = plain_reason or _in_pair(sheet, place, filled)
        if (mostly and signs) or _lists_the_same(sheet, place, filled):
            sure += [*around, name]
            around = []
        above = np.cumsum(filled | (np.diff(above, prepend=above[:1]) != 0))
    return Blocks(sure=tuple(sure), possible=tuple(possible))


def _names_whole_table(column: ColumnFacts, filled: BoolArray) -> bool:
    """Return whether only the first row has a region, so that it applies to the whole table."""
    named = filled & ~called_label(column.text)
    return bool(PLACE.search(column.plain)) and named[0] and int(named.sum()) == 1


def _begins_blocks(column: ColumnFacts, filled: BoolArray, above: IntArray) -> bool:
    """Return whether names are unique within a block further left, and two or more have rows below.

    Args:
        column: facts about the column.
        filled: where it is not blank, shape (n_rows,).
        above: the number of the block of the columns further left, shape (n_rows,).
    """
    total = called_label(column.text)
    named = filled & ~total
    names = list(
        zip(column.text.filter(pa.array(named)).to_pylist(), above[named].tolist(), strict=True)
    )
    starts = np.flatnonzero(filled)
    lengths = np.diff(np.append(starts, len(filled)))[~total[starts]]
    return len(set(names)) == len(names) and int((lengths > 1).sum()) >= _MIN_BLOCKS


def called_label(text: Text) -> BoolArray:
    """Return which cells are the label of a total, such as "Subtotal North"; shape (n_rows,)."""
    encoded = text.dictionary_encode()
    plain = [plain_name(cell) for cell in encoded.dictionary.to_pylist()]
    called = np.array(
        [cell in TOTAL_WORDS or bool(region_of_total(cell)) for cell in plain], dtype=np.bool_
    )
    indices = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return called[indices] if len(called) else np.zeros(len(text), dtype=np.bool_)


def _names_rows(sheet: Sheet, place: int, filled: BoolArray) -> bool:
    """Return whether a column of words further right is filled wherever this one is blank."""
    total = _rows_of_totals(sheet, place)
    for column in sheet.columns[place + 1 :]:
        there = total | as_mask(pc.not_equal(column, ""))
        words = as_mask(pc.match_substring_regex(column, r"\pL"))
        rows = ~filled & ~total
        if (there | filled).all() and rows.any() and words[rows].mean() > _MIN_BLANK:
            return True
    return False


def _rows_of_totals(sheet: Sheet, place: int) -> BoolArray:
    """Return the rows with the label of a total in a column of names, shape (n_rows,).

    These are the columns up to `place` and those of words beside it, except categories.
    """
    last = place + 1
    while last < len(sheet.columns):
        column = ColumnFacts(sheet.names[last], sheet.columns[last])
        if column.numeric or CATEGORY.fullmatch(column.plain):
            break
        last += 1
    labels = [called_total(c) | called_label(c) for c in sheet.columns[:last]]
    return np.asarray(np.any(labels, axis=0), dtype=np.bool_)


def _ends_in_totals(sheet: Sheet, place: int, filled: BoolArray) -> bool:
    """Return whether blocks begin or end in a row that this column or the next calls a total."""
    total = called_label(sheet.columns[place])
    beside = called_total(sheet.columns[place + 1])
    ends = int((beside & ~filled).sum()) >= _MIN_BLOCKS
    begins = int((beside & filled).sum()) >= _MIN_BLOCKS and bool(beside[filled & ~total].all())
    return int(total.sum()) >= _MIN_BLOCKS or ends or begins


def _lists_the_same(sheet: Sheet, place: int, filled: BoolArray) -> bool:
    """Return whether the column to the right has the same cells in each block, such as years.

    The blocks have equally many rows, and no cell occurs twice in one.
    """
    starts = np.flatnonzero(filled)
    if len(starts) < _MIN_LISTS or len(filled) % len(starts):
        return False
    length = len(filled) // len(starts)
    if length < 2 or (starts != np.arange(len(starts)) * length).any():
        return False
    cells = np.array(sheet.columns[place + 1].to_pylist()).reshape(len(starts), length)
    first = cells[0].tolist()
    return all(first) and len(set(first)) == length and bool((cells == cells[0]).all())


def _in_pair(sheet: Sheet, place: int, filled: BoolArray) -> bool:
    """Return whether a neighbouring column is filled in the same rows, like a code by its name."""
    beside = [k for k in (place - 1, place + 1) if 0 <= k < len(sheet.columns)]
    masks = [as_mask(pc.not_equal(sheet.columns[k], "")) for k in beside]
    return any((mask == filled).all() for mask in masks)


def with_rows_of_no_place(sheet: Sheet, columns: Sequence[str]) -> tuple[Sheet, list[str]]:
    """Return the sheet with rows such as "Residents abroad" as areas of their own.

    Their cells in `columns` are blank because they lie in no area above. These cells must therefore
    not be filled with the area above the previous rows. The rows stand at the end of the table, or
    of a block if their names mean areas abroad. Rows whose names occur in several blocks belong to
    these blocks. The second result lists the names of the rows.
    """
    known = [name for name in columns if name in sheet.names]
    beside = [name for name in sheet.names if name not in known]
    if not known or not beside or sheet.partial:
        return sheet, []
    names = sheet.column(beside[0]).to_pylist()
    blank = np.all([as_mask(pc.equal(sheet.column(name), "")) for name in known], axis=0)
    often = Counter(names)
    rows: list[int] = []
    for end in (sheet.n_rows, *np.flatnonzero(~blank)[::-1].tolist()):
        nowhere = NO_PLACE if end == sheet.n_rows else ABROAD
        for row in range(end - 1, -1, -1):
            once = often[names[row]] == 1
            if not blank[row] or not once or not nowhere.fullmatch(plain_name(names[row])):
                break
            rows.append(row)
    if not rows or len(rows) == sheet.n_rows:
        return sheet, []
    own = np.isin(np.arange(sheet.n_rows), rows)
    for name in known:
        cells = pc.if_else(pa.array(own), sheet.column(beside[0]), sheet.column(name))
        sheet = sheet.with_column(name, cells)
    return sheet, [names[row] for row in reversed(rows)]


def without_continuations(sheet: Sheet) -> tuple[Sheet, list[str]]:
    """Return the sheet with names such as "North (cont.)" replaced by "North" of the same column.

    Printed tables have them where a block continues on the next page. The second result lists these
    names.
    """
    changed: dict[str, None] = {}
    for name in sheet.names if not sheet.partial else ():
        known = pc.unique(sheet.column(name))
        named = {match[0]: match[1] for match in matches_in(known, CONTINUED)}
        present = {
            *known.filter(pc.is_in(known, pa.array([*named.values()], pa.string()))).to_pylist()
        }
        new = {cell: start for cell, start in named.items() if start in present}
        if new:
            changed |= dict.fromkeys(new)
            at = pc.index_in(sheet.column(name), value_set=pa.array([*new], pa.string()))
            starts = pa.array([*new.values()], pa.string()).take(at)
            sheet = sheet.with_column(name, pc.coalesce(starts, sheet.column(name)))
    return sheet, list(changed)


def filled_down(sheet: Sheet, columns: Sequence[str]) -> Sheet:
    """Return the sheet with the cell above in each blank cell of `columns`.

    A blank cell stays blank where a block of a column further left begins: its row is about the
    region of that block. The label of a total, such as "Subtotal North", names no rows below it.
    Those rows belong to the last name above it. If the label names a region that is not above it,
    or stands left of all columns to fill, its own cells and those below it stay blank.

    Args:
        sheet: the rows in the order of the file.
        columns: the columns to fill, from left to right.
    """
    known = [name for name in columns if name in sheet.names]
    labels = total_labels(sheet, known)
    begins = np.zeros(sheet.n_rows, dtype=np.bool_)
    for name in sheet.names[: min((sheet.names.index(n) for n in known), default=0)]:
        begins |= called_label(sheet.column(name))
    for name, (total, opens) in labels.items():
        text = sheet.column(name)
        filled = as_mask(pc.not_equal(text, ""))
        ends = (filled & ~total) | (begins & ~filled) | opens
        named = pc.if_else(pa.array(opens), "", text)
        above = pc.if_else(pa.array(ends), named, pa.scalar(None, pa.string()))
        down = pc.fill_null(pc.fill_null_forward(above), "")
        sheet = sheet.with_column(name, pc.if_else(pa.array(total), text, down))
        begins |= filled
    return sheet


def total_labels(sheet: Sheet, columns: Sequence[str]) -> dict[str, tuple[BoolArray, BoolArray]]:
    """Return which cells of each column are labels of totals, and which of them open a block.

    A label opens a block where the region that it names is not above it. Both arrays have shape
    (n_rows,).
    """
    texts = {name: _plain_names(sheet.column(name)) for name in columns}
    first: dict[str, int] = {}
    for cells in texts.values():
        for row, cell in enumerate(cells):
            first[cell] = min(first.get(cell, row), row)
    labels: dict[str, tuple[BoolArray, BoolArray]] = {}
    for name, cells in texts.items():
        total = called_label(sheet.column(name))
        opens = np.zeros(sheet.n_rows, dtype=np.bool_)
        for row in np.flatnonzero(total).tolist():
            region = region_of_label(cells[row])
            ends = not region or first.get(region, row) < row
            opens[row] = not ends and (region in first or not says_subtotal(cells[row]))
        labels[name] = (total, opens)
    return labels


def _plain_names(text: Text) -> list[str]:
    plain = {cell: plain_name(cell) for cell in pc.unique(text).to_pylist()}
    return [plain[cell] for cell in text.to_pylist()]


def region_of_label(plain: str) -> str:
    """Return the region that the label of a total names; empty if it has only words for totals.

    >>> region_of_label("sous_total_nord"), region_of_label("total_general")
    ('nord', '')
    """
    return "" if plain in TOTAL_WORDS else region_of_total(plain)


def n_filled(before: Sheet, after: Sheet) -> int:
    """Return how many cells differ between a sheet before and after blank cells were filled."""
    pairs = zip(before.columns, after.columns, strict=True)
    return sum(int(as_mask(pc.not_equal(one, other)).sum()) for one, other in pairs)
