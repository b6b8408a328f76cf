"""Tables of several dimensions, as in JSON-stat and PX, with one row for each cell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook
from hierdp_core.util.text import counted

VALUE = "value"  # the name of the column of numbers


@dataclass(frozen=True, kw_only=True)
class Dimension:
    """One dimension of a table, such as regions or years.

    Attributes:
        name: the name of the dimension.
        codes: the codes of its categories, in the order of the cells.
        labels: their names, in the same order.
    """

    name: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Cube:
    """The cells of all combinations of categories.

    Attributes:
        dimensions: of which the last one changes fastest from cell to cell.
        cells: the numbers as text; blank where there is none.
    """

    dimensions: tuple[Dimension, ...]
    cells: Sequence[str] = field(repr=False)


def as_sheet(cube: Cube, notes: Notebook, limits: Limits) -> Sheet:
    """Return one row for each cell, with the code and the label of each of its categories.

    Raises:
        Unreadable: there are more or fewer cells than combinations, or too many.
    """
    sizes = [len(dimension.codes) for dimension in cube.dimensions]
    n_cells = math.prod(sizes)
    if n_cells > limits.rows:
        raise notes.unreadable(
            "rows", f"has more than {limits.rows:,} cells", "Select fewer categories."
        )
    if n_cells != len(cube.cells) or not n_cells:
        raise notes.unreadable(
            "cells", f"has {counted(len(cube.cells), 'cell')} for "
            f"{counted(n_cells, 'combination')} of categories",
            "Download it again.",
        )  # fmt: skip
    names: list[str] = []
    columns: list[pa.Array] = []
    cells, apart = np.arange(n_cells), n_cells
    for dimension, size in zip(cube.dimensions, sizes, strict=True):
        apart //= size  # cells from one category to the next
        chosen = pa.array(cells // apart % size)
        if dimension.codes != dimension.labels and len(dimension.codes) > 1:
            names.append(f"{dimension.name} code")
            columns.append(pa.array(dimension.codes, pa.string()).take(chosen))
        names.append(dimension.name)
        columns.append(pa.array(dimension.labels, pa.string()).take(chosen))
    names.append(VALUE)
    columns.append(pa.array(list(cube.cells), pa.string()))
    rows = np.arange(1, n_cells + 1, dtype=np.int64)
    return clean_sheet(notes.file, names, columns, rows, notes, limits)
