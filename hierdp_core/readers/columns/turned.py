"""Tables with a column for each region, which are transposed so that each region has a row."""

from collections import Counter

import numpy as np
import pyarrow as pa

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.partitions import year_in
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.size_shapes import holds_size_labels
from hierdp_core.readers.columns.vocabulary import NOT_A_COUNT, plain_name, size_in
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook

COLUMNS = "columns"  # stated for tables with a column for each region
AREA = "area"  # the column of the regions, once the table is turned
_MIN_COLUMNS = 4  # columns that may each be a region
_MIN_OF_SIZES = 2  # such columns beside sizes of groups

TRANSPOSE_CHOICE = Choice(
    words="each column of numbers is an area, and each row is one kind of count",
    stated={"areas": COLUMNS, "levels": (AREA,)},
)


def may_be_transposed(facts: SheetFacts) -> bool:
    """Return whether a table has one column of words and four or more possible regions.

    If the words are sizes of groups, two possible regions are sufficient.
    """
    label = _label_column(facts)
    if not label or len(facts.texts) > 1 or AREA in facts.sheet.names:
        return False
    least = _MIN_OF_SIZES if holds_size_labels(facts, label) else _MIN_COLUMNS
    return sum(_may_name_a_region(n) for n in facts.sheet.names if n != label) >= least


def _label_column(facts: SheetFacts) -> str:
    """Return the first column of words, or else a first column of bare sizes; empty for none."""
    first = facts.sheet.names[:1]
    sizes = [name for name in first if holds_size_labels(facts, name)]
    return next(iter([*facts.texts, *sizes]), "")


def _may_name_a_region(name: str) -> bool:
    """Return whether the name of a column may be that of a region."""
    other = year_in(name) or size_in(name) or NOT_A_COUNT.fullmatch(plain_name(name))
    return not other and any(letter.isalpha() for letter in name)


def transposed(sheet: Sheet, notes: Notebook) -> Sheet:
    """Return the table with a row for each column of numbers and a column for each of its rows.

    Raises:
        Unreadable: no column says what the rows count.
    """
    facts = SheetFacts(sheet)
    labels = _label_column(facts)
    areas = [n for n in sheet.names if facts[n].numeric and n != labels]
    if not labels or len(areas) < 2:
        raise notes.unreadable(
            "not-turned", "has no column of words before columns of numbers",
            "Remove the setting areas.",
        )  # fmt: skip
    cells_of_labels = sheet.column(labels).to_pylist()
    frequency = Counter(cells_of_labels)
    names = [
        label if label and frequency[label] == 1 else f"{label} (row {sheet.place(k).split()[-1]})"
        for k, label in enumerate(cells_of_labels)
    ]
    cells = zip(*(sheet.column(name).to_pylist() for name in areas), strict=True)
    # A column that is not a region, since it has another cell, may have the name of one.
    notes.left_out += [(name,) for name in sheet.names if name not in (*areas, labels)]
    notes.repair("turned", f"{len(areas):,} columns were read as one row for each area")
    return Sheet(
        file=sheet.file,
        names=(AREA, *names),
        columns=(pa.array(areas, pa.string()), *(pa.array(row, pa.string()) for row in cells)),
        rows=np.ones(len(areas), dtype=np.int64),
        separator=sheet.separator,
        heading=sheet.heading,
    )
