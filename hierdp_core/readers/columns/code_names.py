"""Cells that hold a code and a name of one region, such as "0301 Oslo"."""

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import called_total
from hierdp_core.readers.formats.sheet import Sheet, Text

_CELL = re.compile(
    r"\s*((?=[A-Z0-9.]*[0-9])[A-Z]{0,3}[0-9.]{1,}[0-9A-Z.]*?)\.?[\s:–—-]+(\W{0,2}[^\W\d_].*)"
)
_NEARLY_ALL = 0.9  # proportion of the cells of this form; totals are not
_MIN_CELLS = 3
_MIN_CHARACTERS = 2  # of a code
NAME = "name"  # what the column of the names is called, behind the name of the other one


def coded_names(text: Text) -> bool:
    """Return whether nearly all different cells of a column are a different code and a name.

    >>> coded_names(pa.array(["0301 Oslo", "1103 Stavanger", "4204 Kristiansand"]))
    True
    >>> coded_names(pa.array(["12 people", "12 houses", "13 people"])), coded_names(pa.array(["a"]))
    (False, False)
    """
    cells = pc.unique(text)
    cells = cells.filter(pc.invert(pa.array(called_total(cells)))).to_pylist()
    filled = [cell for cell in cells if cell]
    matches = [match for cell in filled if (match := _CELL.fullmatch(cell)) is not None]
    if len(filled) < _MIN_CELLS or len(matches) < _NEARLY_ALL * len(filled):
        return False
    codes = [match[1] for match in matches]
    return len({*codes}) == len(codes) and min(map(len, codes)) >= _MIN_CHARACTERS


def codes_in(text: Text) -> Text:
    """Return the code at the beginning of each cell, or the whole cell if it has another form."""
    return _parts(text, 1)


def with_codes(sheet: Sheet, columns: Sequence[str]) -> Sheet:
    """Return a table in which columns of codes and names hold the codes, with the names beside."""
    for column in columns:
        text = sheet.column(column)
        sheet = sheet.with_column(f"{column}: {NAME}", _parts(text, 2))
        sheet = sheet.with_column(column, codes_in(text))
    return sheet


def _parts(text: Text, part: int) -> Text:
    encoded = text.dictionary_encode()
    cells: list[Any] = encoded.dictionary.to_pylist()
    found = [_CELL.fullmatch(cell) for cell in cells]
    values = [
        cell if match is None else match[part] for cell, match in zip(cells, found, strict=True)
    ]
    return pa.array(values, pa.string()).take(encoded.indices)
