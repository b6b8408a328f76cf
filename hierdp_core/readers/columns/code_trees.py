"""Codes of several levels in one column, each of which begins with the code above: 05, 051, 05111.

The codes alone prove nothing, since 1, 10 and 101 may be three unrelated numbers. The counts prove
it: the count of a row is the sum of those whose codes begin with its code.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.outline import NONE, Outline, sums_that_agree
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.formats.sheet import Text, as_mask
from hierdp_core.readers.report import shown_code
from hierdp_core.util.arrays import FloatArray, IntArray

_MAX_LENGTHS = 6  # lengths of codes; more are not levels
_MIN_SUMS = 2  # sums of several rows; a single one may be chance
_MIN_WHOLE = 50  # smallest sum that counts as evidence; smaller ones may be chance
_MIN_NEAR = 0.5  # proportion of upper rows that must be near their sums
_NEARLY = 0.01  # relative difference of rounded numbers from their sums


def nested_lengths(codes: Text) -> tuple[int, ...]:
    """Return the lengths of the codes if each begins with a code of the next shorter length.

    The result is empty otherwise.

    >>> import pyarrow as pa
    >>> nested_lengths(pa.array(["05", "051", "052", "05111", "05214"]))
    (2, 3, 5)
    >>> nested_lengths(pa.array(["05", "051", "06111"])), nested_lengths(pa.array(["05", "06"]))
    ((), ())
    """
    different = pc.unique(codes)
    lengths = pc.utf8_length(different)
    used = sorted(set(lengths.to_pylist()))
    if not 2 <= len(used) <= _MAX_LENGTHS or used[0] == 0:
        return ()
    for upper, lower in pairwise(used):
        begins = pc.utf8_slice_codeunits(different.filter(pc.equal(lengths, lower)), 0, upper)
        known = different.filter(pc.equal(lengths, upper))
        if not as_mask(pc.is_in(begins, value_set=known)).all():
            return ()
    return tuple(used)


def code_tree(column: ColumnFacts, values: FloatArray) -> Outline:
    """Return how the rows of a column of codes lie within each other, by codes and counts.

    Args:
        column: the codes, each in one row.
        values: shape (n_rows, n_columns), the counts; NaN for cells without a number.
    """
    lengths = nested_lengths(column.text) if column.distinct == len(column.text) else ()
    if not lengths:
        return Outline(words={})
    parent = _parents(column.text.to_pylist(), lengths)
    right, stated = sums_that_agree(parent, values)
    several = stated & (np.bincount(parent[parent >= 0], minlength=len(parent)) > 1)
    several &= np.nan_to_num(values).sum(axis=1) >= _MIN_WHOLE
    by_prefix = {"prefix": lengths}
    shown = ", ".join(map(str, lengths))
    if several.sum() >= _MIN_SUMS and right[several].all():
        return Outline(
            words=by_prefix,
            reason=f"codes of column {shown_code(column.name)} begin with the code of the area "
            f"above (lengths {shown}), and counts of upper areas are the sums of those below",
        )
    near = _near(parent, values)
    if several.sum() < _MIN_SUMS or near[several].mean() < _MIN_NEAR:
        return Outline(words={})
    return Outline(
        words={},
        question=Question(
            what=f"codes of column {shown_code(column.name)} begin with shorter codes (lengths "
            f"{shown}), and many counts of shorter codes are nearly the sums of those of the "
            "longer ones",
            choices=(
                Choice(
                    words="the shorter codes are upper levels, and their rows are left out",
                    stated=by_prefix | {"totals": "left out"},
                ),
                Choice(words="all rows are areas of one level", stated={"outline": NONE}),
            ),
        ),
    )


def _parents(codes: list[str], lengths: tuple[int, ...]) -> IntArray:
    """Return the row of the code that each code begins with, shape (n_rows,); -1 for none."""
    row_of = {code: row for row, code in enumerate(codes)}
    above = dict(zip(lengths[1:], lengths, strict=False))
    parents = [row_of[code[: above[len(code)]]] if len(code) > lengths[0] else -1 for code in codes]
    return np.array(parents, dtype=np.int64)


def _near(parent: IntArray, values: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which rows are the sums of those below them to within 1%, shape (n_rows,)."""
    below = parent >= 0
    sums = np.zeros_like(values)
    np.add.at(sums, parent[below], np.nan_to_num(values[below]))
    whole = np.nan_to_num(values)
    return np.asarray((np.abs(sums - whole) <= _NEARLY * whole).all(axis=1), dtype=np.bool_)


def nested_numbers(facts: SheetFacts, free: Sequence[str]) -> tuple[str, ...]:
    """Return columns of numbers of one length, each beginning with those of the column before.

    An example is district numbers that begin with the number of their province. The result is
    empty for fewer than two columns.
    """
    lengths = {n: {len(cell) for cell in facts[n].filled.to_pylist()} for n in free}
    numbers = sorted(
        (n for n in free if len(lengths[n]) == 1 and facts[n].every("^[0-9]+$")
         and 1 < facts[n].distinct <= facts.n_rows // 2),
        key=lambda n: max(lengths[n]),
    )  # fmt: skip
    chain: list[str] = []
    for name in numbers:
        if not chain:
            if any(_begins_with(facts, other, name) for other in numbers):
                chain.append(name)
        elif _begins_with(facts, name, chain[-1]):
            chain.append(name)
    return tuple(chain) if len(chain) > 1 else ()


def _begins_with(facts: SheetFacts, fine: str, coarse: str) -> bool:
    """Return whether each number of a column begins with the shorter one beside it."""
    if facts[fine].distinct <= facts[coarse].distinct:
        return False
    pairs = {*zip(facts[fine].text.to_pylist(), facts[coarse].text.to_pylist(), strict=True)}
    return all(len(one) > len(two) and one.startswith(two) for one, two in pairs)
