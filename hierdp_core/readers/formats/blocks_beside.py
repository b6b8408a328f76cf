"""Blocks of a printed table that stand side by side, put below each other."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.util.arrays import IntArray

Text = Any  # a pyarrow array of strings without nulls

_MIN_COLUMNS = 2  # of a block: areas and numbers
_MOST_SHARED = 1  # texts that two blocks have in common, such as "Total"
_MOSTLY = 0.5  # proportion of the cells of a column of numbers that are numbers
_NUMBER = r"^[-+(%]?[0-9][0-9.,' \x{00A0}\x{202F}]*[)%]?$"


def period_of(names: Sequence[str]) -> int:
    """Return how many columns a block has, if the names of columns repeat as a whole; else 0.

    >>> period_of(["No", "District", "Persons"] * 2), period_of(["District", "Men", "Women"])
    (3, 0)
    >>> period_of(["District", "Men", "Women", "Men", "Women"])
    0
    """
    for period in range(_MIN_COLUMNS, len(names) // 2 + 1):
        first = names[:period]
        if len(names) % period == 0 and list(names) == list(first) * (len(names) // period):
            return period if len(set(first)) == period and all(first) else 0
    return 0


def below_each_other(
    names: Sequence[str], columns: Sequence[Text], rows: IntArray | None
) -> tuple[list[str], list[Text], IntArray | None] | None:
    """Return blocks with equal names of columns as one block, whose rows follow each other.

    A block has a column of numbers, and its first column of texts has none of the other blocks.
    Origins and destinations, which have the same codes and names, are not blocks.

    Args:
        names: of the columns, blank for those without a name.
        columns: their cells, each of shape (n_rows,).
        rows: the row of the file for each row of the table, shape (n_rows,), or None.

    Returns:
        the names and columns of a block, and the rows of the file; None if there are no blocks.
    """
    kept = [k for k, name in enumerate(names) if name]
    period = period_of([names[k] for k in kept])
    if not period:
        return None
    texts = [_trimmed(column) for column in columns]
    if any(len(_filled(text)) for name, text in zip(names, texts, strict=True) if not name):
        return None
    by_name = [[texts[k] for k in kept[first::period]] for first in range(period)]
    numbers = [all(map(_holds_numbers, alike)) for alike in by_name]
    texts_of_blocks = [alike for alike in by_name if not any(map(_holds_numbers, alike))]
    if not any(numbers) or not texts_of_blocks or not _differ(texts_of_blocks[0]):
        return None
    return (
        [names[k] for k in kept[:period]],
        [pa.concat_arrays(alike) for alike in by_name],
        None if rows is None else np.tile(rows, len(by_name[0])),
    )


def in_one_order(names: Sequence[str], columns: Sequence[Text]) -> tuple[list[Text], str] | None:
    """Return the columns with all blocks in the order of the first, and the name that they share.

    Each block begins with a column of the same name that holds the same areas, each once, in
    another order, and has at least one column of numbers. Other tables return None.

    Args:
        names: of the columns, blank for those without a name.
        columns: their cells, each of shape (n_rows,).
    """
    starts = [k for k, name in enumerate(names) if name and name == names[0]]
    if len(starts) < 2:
        return None
    texts = [_trimmed(column) for column in columns]
    ends = [*starts[1:], len(names)]
    first, *others = (texts[start] for start in starts)
    areas = pc.unique(first)
    if len(areas) < len(first) or pc.any(pc.equal(first, "")).as_py() or _holds_numbers(first):
        return None
    if not all(
        any(map(_holds_numbers, texts[start + 1 : end]))
        for start, end in zip(starts, ends, strict=True)
    ):
        return None
    orders = [pc.index_in(first, value_set=other) for other in others]
    if any(order.null_count for order in orders) or all(map(first.equals, others)):
        return None
    arranged = texts[: starts[1]]
    for order, start, end in zip(orders, starts[1:], ends[1:], strict=True):
        arranged += [text.take(order) for text in texts[start:end]]
    return arranged, names[0]


def _trimmed(column: Text) -> Text:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pc.utf8_trim_whitespace(whole)


def _filled(text: Text) -> Text:
    return text.filter(pc.not_equal(text, ""))


def _holds_numbers(text: Text) -> bool:
    cells = _filled(text)
    if not len(cells):
        return False
    return float(pc.mean(pc.match_substring_regex(cells, _NUMBER)).as_py()) > _MOSTLY


def _differ(texts: Sequence[Text]) -> bool:
    """Return whether columns have hardly a cell in common."""
    values = [set(pc.unique(_filled(text)).to_pylist()) for text in texts]
    return all(values) and all(
        len(one & other) <= _MOST_SHARED for one, other in combinations(values, 2)
    )
