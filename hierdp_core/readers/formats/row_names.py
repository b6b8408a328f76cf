"""Names of regions in rows with one cell more than the header, as R writes row names."""

import re
from collections.abc import Sequence

from hierdp_core.readers.columns.vocabulary import CODE, COUNT, PLACE, plain_name
from hierdp_core.readers.formats.cells import NUMBER, Row

_LEAST_ROWS = 3


def names_of_rows(header: Row, below: Sequence[Row], width: int) -> bool:
    """Return whether rows begin with names of regions, as R writes row names.

    Then all columns of the header hold numbers, none is named like a column of regions, and at
    least one is named like a column of counts.
    """
    whole = [row for row in below if len(row) == width]
    first = [row[0].strip() for row in whole]
    if len(whole) < _LEAST_ROWS or len(whole) < len(below):
        return False
    if len(set(first)) < len(first) or not all(re.search(r"[^\W\d_]", name) for name in first):
        return False
    names = [plain_name(name) for name in header]
    counted = any(set(name.split("_")) & COUNT for name in names)
    placed = any(PLACE.search(name) or CODE.fullmatch(name) for name in names)
    numbers = all(NUMBER.fullmatch(cell.strip()) for row in whole for cell in row[1:])
    return counted and not placed and numbers
