"""Names of regions in rows that have one cell more than the header, as R writes row names."""

import re
from collections.abc import Sequence

from hierdp_core.readers.columns.vocabulary import CODE, COUNT, PLACE, plain_name
from hierdp_core.readers.formats.cells import NUMBER, Row

_LEAST_ROWS = 3


def names_of_rows(header: Row, below: Sequence[Row], width: int) -> bool:
    """Whether names of regions stand before rows, as R writes row names that are no numbers.

    All names of the header then stand over numbers, none is called after places, and one at least
    is a word for counts.
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
