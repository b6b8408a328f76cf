"""Group sizes with a row for each region and size, rearranged to one row for each region.

The rows of a region are then compared with those of other regions like any other row of numbers, so
that upper regions among them are recognised by their sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.util.arrays import FloatArray, IntArray

MAX_SIZES = 200  # sizes that become columns


@dataclass(frozen=True, eq=False, kw_only=True)
class AreaRows:
    """The rows of each region, in the order of their first rows.

    Attributes:
        sheet: the first row of each region, shape (n_areas,).
        area: the position in `sheet` of the area of each row, shape (n_rows,).
    """

    sheet: Sheet = field(repr=False)
    area: IntArray = field(repr=False)


def rows_of_areas(sheet: Sheet, key: IntArray) -> AreaRows:
    """Return the rows of each region.

    Args:
        sheet: the table.
        key: shape (n_rows,), an integer for the region of each row.
    """
    _, first, area = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    return AreaRows(
        sheet=sheet.take(np.isin(np.arange(sheet.n_rows), first)),
        area=np.asarray(position[area.reshape(-1)], dtype=np.int64),
    )


def numbers_by_size(
    facts: SheetFacts, levels: Sequence[str], size: str, count: str
) -> tuple[Sheet, FloatArray] | None:
    """Return one row for each region and its numbers by size, shape (n_areas, n_sizes).

    A size without a row counts 0. The result is None if a region has several rows of one size, or
    if there are too many sizes.
    """
    if facts[size].distinct > MAX_SIZES or not facts.one_row_each([*levels, size]):
        return None
    rows = rows_of_areas(facts.sheet, facts.key(levels))
    numbers = np.zeros((rows.sheet.n_rows, facts[size].distinct))
    numbers[rows.area, facts[size].index] = facts[count].values
    return rows.sheet, numbers
