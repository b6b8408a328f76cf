"""Rows of totals in tables whose names stand only in the first row of a block.

Their label may stand in any column of names, for example that of a village in the column of
communes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.blocks import (
    called_label,
    filled_down,
    region_of_label,
    total_labels,
)
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.vocabulary import CATEGORY, plain_name, says_subtotal
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import Notebook, shown_codes
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.text import by_number, counted

_LISTED = 3  # labels in a message
_LABEL_AND_NUMBER = 2  # filled cells of a row
_ROWS_OF_EACH = 2  # rows of each value of a column, on average, in which others may agree
_LEAST_CHECKED = 2  # totals whose numbers are compared with row numbers

Path = tuple[str, ...]  # the names of a region, from the first column


@dataclass(frozen=True, kw_only=True)
class _Total:
    """A row that only the label of a total names.

    Attributes:
        label: its label.
        above: the names of the row above it that is not a total; empty if there is none.
        path: the names of its region, empty for the whole table; None if the label does not say.
        known: whether the row is a total beyond doubt.
    """

    label: str
    above: Path
    path: Path | None
    known: bool


def contradicted_fill(sheet: Sheet, name: str) -> tuple[str, int]:
    """Return a column that differs in the rows from which a blank cell is filled, and in how many.

    Each value of the filled column has one value in the other one, such as the region of each
    province. A cell filled from another region then puts a region into a province that it does not
    belong to. The result is an empty name if there is no such column.

    Args:
        sheet: the rows before cells are filled.
        name: the column whose blank cells would be filled.
    """
    filled = as_mask(pc.not_equal(sheet.column(name), ""))
    own = ColumnFacts(name, filled_down(sheet, (name,)).column(name))
    n_values = len(np.unique(own.index[filled]))
    if filled.all() or int(filled.sum()) < _ROWS_OF_EACH * n_values:
        return "", 0  # names of blocks stand once and determine every column
    for other in sheet.names:
        column = ColumnFacts(other, sheet.column(other))
        stated = as_mask(pc.not_equal(column.text, ""))
        pairs = np.unique(np.stack([own.index, column.index])[:, filled & stated], axis=1)
        determined = len(np.unique(pairs[0])) == pairs.shape[1]
        if other == name or not determined or len(np.unique(pairs[1])) < 2:
            continue
        of_value = np.full(own.distinct, -1, dtype=np.int64)
        of_value[pairs[0]] = pairs[1]
        expected = of_value[own.index]
        wrong = ~filled & stated & (expected >= 0) & (expected != column.index)
        if wrong.any():
            return other, int(wrong.sum())
    return "", 0


def with_blocks_filled(sheet: Sheet, columns: Sequence[str], notes: Notebook) -> Sheet:
    """Return the sheet with blank cells filled from above, and with totals in their own blocks.

    The label of a total is replaced by the names of the region that it is the total of. Totals that
    do not name it are left out. So are all if their numbers agree with the rows above them.

    Args:
        sheet: the rows in the order of the file.
        columns: the columns to fill, from left to right.
        notes: receives the corrections.
    """
    whole = filled_down(sheet, columns)
    names = [name for name in columns if name in sheet.names]
    totals = _totals_of_blocks(sheet, whole, names)
    beside = _totals_beside(sheet, whole, names)
    both = totals | beside
    if not both or len(both) == sheet.n_rows:
        return whole
    left_out = {row for row, total in totals.items() if total.known and total.path is None}
    if _all_agree(whole, names, both):
        totals, left_out = both, {*both}
    else:
        whole = _in_their_blocks(whole, names, totals)
    if not left_out:
        return whole
    labels = dict.fromkeys(totals[row].label for row in sorted(left_out))
    were = by_number(len(left_out), "was", "were")
    rows = counted(len(left_out), "row")
    shown = shown_codes(list(labels), shown=_LISTED)
    notes.repair("subtotals", f"{rows} with totals of the rows above ({shown}) {were} left out")
    return whole.take(~np.isin(np.arange(sheet.n_rows), sorted(left_out)))


def _totals_of_blocks(sheet: Sheet, whole: Sheet, names: Sequence[str]) -> dict[int, _Total]:
    """Return the totals among the rows, by row.

    Args:
        sheet: the rows before cells were filled.
        whole: the rows with filled cells.
        names: the filled columns.
    """
    labels = total_labels(sheet, names)
    before = [sheet.column(name).to_pylist() for name in names]
    after = [whole.column(name).to_pylist() for name in names]
    closing = np.array([total & ~opens for total, opens in labels.values()])
    if not closing.any():
        return {}
    places: dict[int, int] = {}
    for row in np.flatnonzero(closing.any(axis=0)).tolist():
        own = [place for place, cells in enumerate(before) if cells[row]]
        if len(own) == 1 and closing[own[0], row]:
            places[row] = own[0]
    totals: dict[int, _Total] = {}
    above: Path = ()
    for row in range(sheet.n_rows):
        if row not in places:
            above = tuple(cells[row] for cells in after)
            continue
        label = before[places[row]][row]
        totals[row] = _total_of(label, places[row], above)
    return _with_unclear_labels(totals, places)


def _totals_beside(sheet: Sheet, whole: Sheet, names: Sequence[str]) -> dict[int, _Total]:
    """Return the totals whose label is in another column of words, by row.

    Such rows have few other cells. Where rows are regions, they are compared with them later.
    """
    filled = [as_mask(pc.not_equal(column, "")) for column in sheet.columns]
    n_filled = np.sum(filled, axis=0)
    few = n_filled <= max(_LABEL_AND_NUMBER, int(np.median(n_filled)) // 2)
    blank = ~np.any([filled[sheet.names.index(name)] for name in names], axis=0)
    after = [whole.column(name).to_pylist() for name in names]
    totals: dict[int, _Total] = {}
    for name, column in zip(sheet.names, sheet.columns, strict=True):
        facts = ColumnFacts(name, column)
        if name in names or facts.numeric or CATEGORY.fullmatch(facts.plain):
            continue
        for row in np.flatnonzero(few & blank & called_label(column)).tolist():
            above = tuple(cells[row] for cells in after)
            total = _total_of(column[row].as_py(), len(names), above)
            totals[row] = replace(total, path=total.path if total.path != above else None)
    return totals


def _total_of(label: str, place: int, above: Path) -> _Total:
    """Return the total with a label, if it names a region of the row above or the whole table."""
    plain = plain_name(label)
    region = region_of_label(plain)
    sure = says_subtotal(plain)
    over = [plain_name(name) for name in above]
    if region and region in over:
        path: Path | None = above[: over.index(region) + 1]
    elif region or sure:
        path = None
    else:
        path = above[:place]
    return _Total(label=label, above=above, path=path, known=sure or path is not None)


def _with_unclear_labels(totals: dict[int, _Total], places: dict[int, int]) -> dict[int, _Total]:
    """Return the totals without the regions of labels that several totals of a region have.

    The last of them is the total of the whole region, and so is one above all rows.
    """
    last: dict[tuple[int, Path], int] = {}
    for row, total in totals.items():
        if total.path is not None and not region_of_label(plain_name(total.label)):
            last[places[row], total.path] = row
    several = Counter(
        (places[row], total.path) for row, total in totals.items()
        if total.above and total.path is not None and not region_of_label(plain_name(total.label))
    )  # fmt: skip
    clear = dict(totals)
    for row, total in totals.items():
        key = (places[row], total.path or ())
        if key in last and several[key] > 1 and total.above and total.path is not None:
            whole = last[key] == row and not total.path
            if not region_of_label(plain_name(total.label)) and not whole:
                clear[row] = replace(total, path=None)
    return clear


def _all_agree(whole: Sheet, names: Sequence[str], totals: dict[int, _Total]) -> bool:
    """Return whether the numbers of all totals are those of the rows above them.

    A total states the sum of a column, or the number of rows, which are then records.
    """
    if not all(total.known for total in totals.values()):
        return False
    rows = np.array(sorted(totals))
    kept = ~np.isin(np.arange(whole.n_rows), rows)
    facts = [ColumnFacts(n, whole.column(n)) for n in whole.names if n not in names]
    numbers = [column.values for column in facts if column.numeric]
    stated = [values for values in numbers if not np.isnan(values[rows]).all()]
    if not stated:
        return True
    if len(rows) < _LEAST_CHECKED:
        return False
    blocks = _Blocks(whole.take(kept), names)
    ones = np.ones(int(kept.sum()))
    varied = [values for values in stated if len(np.unique(values[kept])) > 1]
    if any(blocks.agree(ones, values[rows], totals) for values in varied):
        return True
    return all(blocks.agree(values[kept], values[rows], totals) for values in stated)


class _Blocks:
    """The regions of the rows that are not totals, as integers for each level.

    Attributes:
        ids: for each level from that of the whole table, the integers by the names of a region.
        of_row: for each level, the integer of each row, shape (n_rows,).
    """

    def __init__(self, kept: Sheet, names: Sequence[str]) -> None:
        cells = [kept.column(name).to_pylist() for name in names]
        self.ids: list[dict[Path, int]] = []
        self.of_row: list[IntArray] = []
        for depth in range(len(names) + 1):
            paths = zip(*cells[:depth], strict=True) if depth else ((),) * kept.n_rows
            ids: dict[Path, int] = {}
            self.of_row.append(
                np.array([ids.setdefault(path, len(ids)) for path in paths], dtype=np.int64)
            )
            self.ids.append(ids)

    def agree(self, values: FloatArray, stated: FloatArray, totals: dict[int, _Total]) -> bool:
        """Return whether each total states the sum of `values` over its region.

        A total whose region is not known may be that of any region of the row above it.
        """
        sums = [np.bincount(of_row, weights=values) for of_row in self.of_row]
        for (_, total), number in zip(sorted(totals.items()), stated.tolist(), strict=True):
            paths = [total.path]
            if total.path is None:
                paths = [total.above[:depth] for depth in range(1, len(total.above) + 1)]
            possible = [
                sums[len(path)][self.ids[len(path)][path]]
                for path in paths
                if path is not None and path in self.ids[len(path)]
            ]
            if number not in possible:
                return False
        return True


def _in_their_blocks(whole: Sheet, names: Sequence[str], totals: dict[int, _Total]) -> Sheet:
    """Return the sheet with the names of its region in the row of each total that has one."""
    for place, name in enumerate(names):
        cells = whole.column(name).to_pylist()
        for row, total in totals.items():
            if total.path:
                cells[row] = total.path[place] if place < len(total.path) else ""
        whole = whole.with_column(name, pa.array(cells, pa.string()))
    return whole
