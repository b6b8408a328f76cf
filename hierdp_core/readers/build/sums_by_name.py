"""Totals named after their region in an unknown language, such as "Northshire toplamı".

Such a row is recognised because its name contains that of a region, it lies above the last level,
and its number is the sum of the rows of that region.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.vocabulary import plain_name
from hierdp_core.readers.formats.sheet import Sheet, as_mask

_LEAST = 2  # rows that are summed up
_MOST_REGIONS = 2_000


def renamed_sums(sheet: Sheet, layout: Layout) -> Sheet:
    """Return the sheet with the name of the region in place of the name of its total."""
    if len(layout.levels) < 2 or not layout.count:
        return sheet
    top, *below = layout.levels
    codes = sheet.column(top).to_pylist()
    short = ~np.any([as_mask(pc.not_equal(sheet.column(n), "")) for n in below], axis=0)
    if not short.any():
        return sheet
    values = ColumnFacts(layout.count, sheet.column(layout.count)).values
    sums: dict[str, tuple[int, float]] = {}
    for code, value, upper in zip(codes, values.tolist(), short.tolist(), strict=True):
        if not upper:
            rows, whole = sums.get(code, (0, 0.0))
            sums[code] = (rows + 1, whole + value)
    if len(sums) > _MOST_REGIONS:
        return sheet
    regions = {code: plain_name(code) for code in sums if code}
    named = list(codes)
    for row in np.flatnonzero(short).tolist():
        if codes[row] in sums:
            continue
        plain = f"_{plain_name(codes[row])}_"
        inside = [code for code, name in regions.items() if f"_{name}_" in plain]
        rows, whole = sums[inside[0]] if len(inside) == 1 else (0, 0.0)
        if rows >= _LEAST and values[row] == whole:
            named[row] = inside[0]
    if named == codes:
        return sheet
    return sheet.with_column(top, pa.array(named, pa.string()))
