"""The bulk tables of Eurostat: several codes joined in the first column, a column for each year."""

import re

import pyarrow.compute as pc

from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook

_HEADER = re.compile(r"((?:\w+,)*\w+)\\(\w+)")  # freq,unit,sex,geo\TIME_PERIOD
_FIRST_LINE = re.compile(r"\ufeff?\"?(?:\w+,)*\w+\\\w+\"?\s*\t")


def is_eurostat(head: str) -> bool:
    """Return whether a text begins like these tables, whose cells are separated by tabs.

    >>> is_eurostat("freq,unit,geo\\\\TIME_PERIOD\\t2020 \\t2021 ")
    True
    """
    return bool(_FIRST_LINE.match(head))


def with_dimensions(sheet: Sheet, notes: Notebook) -> Sheet:
    """Return the sheet with the comma-separated codes of its first column split."""
    match = _HEADER.fullmatch(sheet.names[0])
    if match is None:
        return sheet
    names = match[1].split(",")
    parts = pc.split_pattern(sheet.columns[0], ",")
    if pc.any(pc.not_equal(pc.list_value_length(parts), len(names))).as_py():
        return sheet
    notes.repair(
        "dimensions",
        f"the first column holds {len(names)} codes in each cell, which were split into columns",
    )
    dimensions = tuple(pc.list_element(parts, place) for place in range(len(names)))
    return Sheet(
        file=sheet.file,
        names=(*names, *sheet.names[1:]),
        columns=(*dimensions, *sheet.columns[1:]),
        rows=sheet.rows,
        separator=sheet.separator,
        heading=sheet.heading,
    )
