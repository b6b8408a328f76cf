"""Rows of totals in tables whose names stand only in the first row of a block.

Their label may stand in any column of names, as that of a village in the column of communes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from hierdp_core.readers.columns.blocks import filled_down, region_of_label, total_labels
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.vocabulary import plain_name, says_subtotal
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_codes
from hierdp_core.util.text import by_number, counted

_LISTED = 3  # labels in a message
_LEAST_CHECKED = 2  # totals whose numbers are compared with numbers of rows

Path = tuple[str, ...]  # the names of a region, from the first column


@dataclass(frozen=True, kw_only=True)
class _Total:
    """A row that only the label of a total names.

    Attributes:
        label: its label.
        above: the names of the row above it that is no total; empty if there is none.
        path: the names of its region, empty for the whole table; None if the label does not say.
        known: whether the row is a total beyond doubt.
    """

    label: str
    above: Path
    path: Path | None
    known: bool


def with_blocks_filled(sheet: Sheet, columns: Sequence[str], notes: Notebook) -> Sheet:
    """Return the sheet with blank cells filled from above, and with totals in their own blocks.

    The label of a total is replaced by the names of the region that it is the total of. Totals that
    do not name it are left out. So are all if they state how many rows their block has, since each
    row is then a record.

    Args:
        sheet: the rows in the order of the file.
        columns: the columns to fill, from left to right.
        notes: receives the corrections.
    """
    whole = filled_down(sheet, columns)
    names = [name for name in columns if name in sheet.names]
    totals = _totals_of_blocks(sheet, whole, names)
    if not totals or len(totals) == sheet.n_rows:
        return whole
    left_out = {row for row, total in totals.items() if total.known and total.path is None}
    if _count_rows(whole, names, totals):
        left_out = {*totals}
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


def _count_rows(whole: Sheet, names: Sequence[str], totals: dict[int, _Total]) -> bool:
    """Return whether the totals have no numbers, or state the number of rows of their blocks."""
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
    n_rows = _sizes(whole.take(kept), names)
    possible = [_possible_sizes(totals[row], n_rows) for row in rows.tolist()]
    return any(
        all(value in sizes for value, sizes in zip(values[rows].tolist(), possible, strict=True))
        and len(np.unique(values[kept & ~np.isnan(values)])) > 1
        for values in stated
    )


def _sizes(kept: Sheet, names: Sequence[str]) -> Counter[Path]:
    """Return the number of rows of each region, by its names."""
    cells = [kept.column(name).to_pylist() for name in names]
    n_rows: Counter[Path] = Counter({(): kept.n_rows})
    for depth in range(1, len(names) + 1):
        n_rows.update(zip(*cells[:depth], strict=True))
    return n_rows


def _possible_sizes(total: _Total, n_rows: Counter[Path]) -> set[int]:
    """Return the numbers of rows that a total may state."""
    if total.path is not None:
        return {n_rows[total.path]}
    return {n_rows[total.above[:depth]] for depth in range(1, len(total.above) + 1)}


def _in_their_blocks(whole: Sheet, names: Sequence[str], totals: dict[int, _Total]) -> Sheet:
    """Return the sheet with the names of its region in the row of each total that has one."""
    for place, name in enumerate(names):
        cells = whole.column(name).to_pylist()
        for row, total in totals.items():
            if total.path:
                cells[row] = total.path[place] if place < len(total.path) else ""
        whole = whole.with_column(name, pa.array(cells, pa.string()))
    return whole
