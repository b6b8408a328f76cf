"""Rows of several levels in one column, recognised by indents or by sums.

Offices print a total, its parts below it, and so on. They mark lower levels by blanks or signs
before the names, or only by the order of the rows and their numbers.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.sums import nearly_sums, nested_sums, with_hidden_parts
from hierdp_core.readers.columns.uniform_sums import UniformNesting, uniform_nesting
from hierdp_core.readers.formats.sheet import Sheet, Text
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.tables import LARGEST_TOTAL
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

INDENT, SUMS, NONE = "indent", "sums", "none"
_MARK = r"^((?:[-–—.·•>»*_]+\s*)+)"
_MAX_DEPTHS = 9  # different indents; more are not levels
_MAX_MARKS = 6  # different marks; also names that a question shows
_MIN_MARKED = 0.5  # proportion of the cells with a mark
_MIN_TOPS = 3  # rows of the top level, one of which may be the sum of the others
_MIN_WHOLE = 50  # smallest sum that counts as evidence; smaller ones may be chance
_MIN_AGREE = 2  # sums that agree without some rows by no chance
_MOST_CATEGORIES = 12  # names such as sexes; more are names of regions if they are rare
_RARELY = 0.15  # proportion of the rows above, below which no category occurs on average
_MOST_TWICE = 4  # names that are tried as rows that repeat others
_MIN_RIGHT = 0.5  # proportion of upper rows that must be the sums of those below
_UNIFORM = (
    "each row is the sum of the rows of a level below it, or lies within such a sum, so the list "
    "contains several levels"
)


@dataclass(frozen=True, kw_only=True)
class Outline:
    """How the rows of a list lie within each other.

    Attributes:
        words: settings of a layout; empty if the rows form no outline or a question is open.
        reason: the evidence, for people; empty if there is no outline.
        question: a question, if the rows can be read in several ways.
    """

    words: dict[str, Any]
    reason: str = ""
    question: Question | None = None


def detect_outline(sheet: Sheet, columns: Sequence[str], values: FloatArray) -> Outline:
    """Return how the rows of `sheet` lie within each other.

    Indents are tried first, then exact sums, then sums of rounded numbers.

    Args:
        sheet: the whole table, in the order of the file.
        columns: the columns of the codes and names of regions.
        values: shape (n_rows, n_columns), the numbers; NaN for cells without a number.
    """
    column = next((name for name in columns if depths_of(sheet, name) is not None), "")
    depth = depths_of(sheet, column) if column else None
    parent = None if depth is None else parents_by_depth(depth)
    if parent is not None:
        return _by_indent(sheet, column, under_the_whole(parent, values), values)
    nesting = nested_sums(_whole(values))
    if nesting.whole and (alike := names_alike(sheet, columns[0], nesting.parent)):
        return Outline(words={}, question=_parts_question(columns[0], alike))
    right, stated = sums_that_agree(nesting.parent, values)
    # Two breakdowns of the same total would both count below it.
    once = bool(right[stated].all())
    if nesting.whole and once and _named_once(sheet, columns[0], nesting.parent):
        return Outline(
            words={"outline": SUMS},
            reason="some rows are the sums of the rows below or above them, so the list "
            "contains several levels",
        )
    outline = _by_uniform_sums(sheet, columns[0], values)
    if outline is not None:
        return outline
    near = nearly_sums(_whole(values))
    if not nesting.is_sum.any() and near.any():
        return Outline(words={}, question=_near_question(sheet, columns[0], near))
    return Outline(words={})


def names_alike(sheet: Sheet, column: str, parent: IntArray) -> tuple[str, ...]:
    """Return names such as "male" that occur below several of the rows above; else an empty tuple.

    More than half of the rows below others must have such a name. Otherwise they are regions, some
    of which have equal names. So are many different names that each occur below a few rows only.
    """
    names = without_marks(sheet.column(column))[0].to_pylist()
    tops = {p for p in parent.tolist() if p >= 0}
    below = {row for row, p in enumerate(parent.tolist()) if p >= 0} - tops
    pairs = dict.fromkeys((names[row], int(parent[row])) for row in sorted(below))
    often = Counter(name for name, _ in pairs)
    alike = tuple(name for name, n in often.items() if n > 1)
    repeated = sum(often[name] for name in alike)
    above = len({top for _, top in pairs})
    if len(alike) > _MOST_CATEGORIES and repeated < _RARELY * len(alike) * above:
        return ()
    return alike if len(tops) > 1 and 2 * repeated > len(pairs) else ()


def _parts_question(column: str, names: tuple[str, ...]) -> Question:
    categories = Choice(
        words="these rows are left out, and the rows above them are areas",
        stated={"leave_out": tuple(f"{column}={name}" for name in names)},
    )
    areas = Choice(
        words="these rows are areas within the rows above them", stated={"outline": SUMS}
    )
    many = len(names) > _MOST_CATEGORIES
    return Question(
        what=f"rows with {shown_codes(names, shown=_MAX_MARKS)} in column {shown_code(column)} "
        "occur below several areas, so they may be categories such as sexes",
        choices=(areas, categories) if many else (categories, areas),
    )


def _by_uniform_sums(sheet: Sheet, column: str, values: FloatArray) -> Outline | None:
    """Return the outline of a list in which each row is a total or lies below one; else None."""
    nesting = uniform_nesting(_whole(values)) if np.isfinite(values).all() else None
    if nesting is None or not _named_once(sheet, column, nesting.parent):
        return None
    if alike := names_alike(sheet, column, nesting.parent):
        return Outline(words={}, question=_parts_question(column, alike))
    words = {"outline": SUMS} | ({"totals": "left out"} if nesting.rounded else {})
    if not nesting.certain:
        return Outline(words={}, question=_levels_question(sheet, column, nesting, words))
    return Outline(words=words, reason=_UNIFORM)


def _levels_question(
    sheet: Sheet, column: str, nesting: UniformNesting, stated: dict[str, Any]
) -> Question:
    names = sheet.column(column).filter(pa.array(nesting.is_sum)).to_pylist()
    sums = "nearly the sums" if nesting.rounded else "the sums"
    return Question(
        what=f"the counts of {shown_codes(names, shown=_MAX_MARKS)} are {sums} of the rows next to "
        "them, so these rows may be upper levels",
        choices=(
            Choice(
                words="these rows are upper levels, and the other rows lie within them",
                stated=stated,
            ),
            _totals_choice(column, names),
            Choice(words="these rows are areas like the others", stated={"outline": NONE}),
        ),
    )


def _near_question(sheet: Sheet, column: str, near: BoolArray) -> Question:
    names = sheet.column(column).filter(pa.array(near)).to_pylist()
    return Question(
        what=f"the counts of {shown_codes(names, shown=_MAX_MARKS)} are nearly the sums of the "
        "rows above or below, so they may be rounded totals",
        choices=(
            _totals_choice(column, names),
            Choice(words="these rows are areas like the others", stated={"outline": NONE}),
        ),
    )


def _totals_choice(column: str, names: Sequence[str]) -> Choice:
    return Choice(
        words="these rows are totals: leave them out",
        stated={"leave_out": tuple(f"{column}={name}" for name in names)},
    )


def _named_once(sheet: Sheet, column: str, parent: IntArray) -> bool:
    """Return whether no two rows with the same parent have the same name, as regions do."""
    names = sheet.column(column).to_pylist()
    return len(set(zip(names, parent.tolist(), strict=True))) == len(names)


def _whole(values: FloatArray) -> IntArray:
    """Return numbers as integers; 0 for those unknown, negative or too large for counts."""
    known = np.isfinite(values) & (np.abs(values) <= LARGEST_TOTAL) & (values >= 0)
    return np.where(known, values, 0.0).astype(np.int64)


def _by_indent(sheet: Sheet, column: str, parent: IntArray, values: FloatArray) -> Outline:
    """Return the outline that indents show, or a question if sums contradict it."""
    if alike := names_alike(sheet, column, parent):
        return Outline(words={}, question=_parts_question(column, alike))
    inside = Choice(
        words="indents show levels, so each row lies within the row above that is indented less",
        stated={"outline": INDENT},
    )
    flat = Choice(
        words="indents have no meaning, so all rows are one level", stated={"outline": NONE}
    )
    right, stated = sums_that_agree(parent, values)
    if not right[stated].all() and (names := names_counted_twice(sheet, column, parent, values)):
        return Outline(
            words={"outline": NONE},
            question=Question(
                what=f"rows with {shown_codes(names, shown=_MAX_MARKS)} in column "
                f"{shown_code(column)} occur below several areas, whose other parts already "
                "add up to the area. These rows would be counted twice",
                choices=(without_twice(column, names, {"outline": INDENT}),),
            ),
        )
    if stated.any() and right[stated].mean() < _MIN_RIGHT:
        return Outline(
            words={"outline": NONE},
            question=Question(
                what=f"cells of column {shown_code(column)} are indented as if they were levels, "
                "but most rows are not the sums of the rows indented below them",
                choices=(inside, flat),
            ),
        )
    return Outline(
        words={"outline": INDENT},
        reason=f"indents in column {shown_code(column)} show levels: each row lies within the row "
        "above that is indented less",
    )


def without_twice(column: str, names: Sequence[str], stated: dict[str, Any]) -> Choice:
    """Return the answer that leaves out rows that repeat what other rows count."""
    words = f"these rows are left out: {shown_codes(names, shown=_MAX_MARKS)}"
    if stated.get("outline") == INDENT:
        words = f"{words}, and indents show the levels of the others"
    pairs = tuple(f"{column}={name}" for name in names)
    return Choice(words=words, stated={**stated, "leave_out": pairs})


def names_counted_twice(
    sheet: Sheet, column: str, parent: IntArray, values: NDArray[Any]
) -> tuple[str, ...]:
    """Return names that occur below several rows and without which all sums agree.

    Rows for the urban and the rural population beside the towns and villages of each district are
    an example. The result is empty where no small set of names explains the difference.

    Args:
        sheet: the rows.
        column: the column of the names.
        parent: shape (n_rows,), the row above each row; -1 for none.
        values: shape (n_rows, n_columns); NaN for cells without a number.
    """
    cells = sheet.column(column).to_pylist()
    has_parts = np.isin(np.arange(len(parent)), parent)
    own = [row for row in range(len(cells)) if parent[row] >= 0 and not has_parts[row]]
    below = {(cells[row], int(parent[row])) for row in own}
    often = Counter(cell for cell, _ in below)
    whole = {cell for row, cell in enumerate(cells) if row not in {*own}}
    repeated = [c for c, n in often.most_common(_MOST_TWICE) if n > 1 and c and c not in whole]
    for size in range(1, len(repeated) + 1):
        for chosen in combinations(repeated, size):
            kept = np.array([cell not in chosen for cell in cells])
            row_of = np.cumsum(kept) - 1
            left = np.where(parent[kept] >= 0, row_of[parent[kept]], -1)
            right, stated = sums_that_agree(left, values[kept].astype(np.float64))
            large = stated & (np.nan_to_num(values[kept]).sum(axis=1) >= _MIN_WHOLE)
            if right[stated].all() and large.sum() >= _MIN_AGREE:
                return chosen
    return ()


def depths_of(sheet: Sheet, name: str) -> IntArray | None:
    """Return how far each cell of a column is indented, shape (n_rows,); None without indents."""
    if name in sheet.indents:
        return sheet.indents[name]
    cells = sheet.column(name)
    marks = np.array(without_marks(cells)[1], dtype=object)
    known = list(dict.fromkeys(marks.tolist()))
    if not 2 <= len(known) <= _MAX_MARKS or (marks != "").mean() < _MIN_MARKED:
        return None
    order = {mark: place for place, mark in enumerate(sorted(known, key=lambda m: m != ""))}
    return np.array([order[mark] for mark in marks.tolist()], dtype=np.int64)


def without_marks(cells: Text) -> tuple[Text, list[str]]:
    """Return the cells without the marks before their names, and a list of these marks."""
    bare = pc.replace_substring_regex(cells, _MARK, "")
    listed, left = cells.to_pylist(), bare.to_pylist()
    marks = [
        cell[: len(cell) - len(rest)].strip() if rest else ""
        for cell, rest in zip(listed, left, strict=True)
    ]
    kept = pc.if_else(pc.equal(bare, ""), cells, bare)
    return kept, marks


def parents_by_depth(depth: IntArray) -> IntArray | None:
    """Return the row above each row by indents, shape (n_rows,); None if indents are inconsistent.

    All rows directly below one row must have the same indent, and so must all rows of the top
    level. The row above a row of the top level is -1.

    >>> parents_by_depth(np.array([0, 2, 4, 4, 2, 4])).tolist()
    [-1, 0, 1, 1, 0, 4]
    """
    if not 2 <= len(np.unique(depth)) <= _MAX_DEPTHS:
        return None
    parent = np.full(len(depth), -1, dtype=np.int64)
    open_rows: list[int] = []
    for row, own in enumerate(depth.tolist()):
        while open_rows and depth[open_rows[-1]] >= own:
            open_rows.pop()
        if open_rows:
            parent[row] = open_rows[-1]
        open_rows.append(row)
    first: dict[int, int] = {}
    for row, own in zip(parent.tolist(), depth.tolist(), strict=True):
        if first.setdefault(row, own) != own:
            return None
    return parent


def sums_that_agree(parent: IntArray, values: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Return which rows are the sums of the rows below them, and which rows can be checked.

    Both arrays have shape (n_rows,). A row can be checked if it has rows below it and all its
    numbers.

    Args:
        parent: shape (n_rows,), the row above each row; -1 for none.
        values: shape (n_rows, n_columns); NaN for cells without a number.
    """
    below = parent >= 0
    sums = np.zeros_like(values)
    np.add.at(sums, parent[below], np.nan_to_num(values[below]))
    above = np.zeros(len(parent), dtype=np.bool_)
    above[parent[below]] = True
    stated = above & ~np.isnan(values).any(axis=1)
    right: BoolArray = stated & (sums == np.nan_to_num(values)).all(axis=1)
    return right, stated


def row_parents(
    sheet: Sheet, how: str, columns: Sequence[str], values: IntArray, *, hidden: bool = False
) -> IntArray | None:
    """Return the row above each row as the setting `outline` states it, shape (n_rows,).

    The result is None if the rows have no such outline.

    Args:
        sheet: the rows.
        how: "indent" or "sums".
        columns: the columns of the codes and names of regions.
        values: shape (n_rows, n_columns); 0 for cells without a number.
        hidden: parts may be missing, so that totals may be slightly more than their parts.
    """
    if how == SUMS:
        return _parents_by_sums(values, hidden=hidden)
    for name in columns:
        depth = depths_of(sheet, name)
        if depth is not None:
            indented = parents_by_depth(depth)
            return None if indented is None else under_the_whole(indented, values)
    return None


def _parents_by_sums(values: IntArray, *, hidden: bool) -> IntArray | None:
    """Return the row above each row by sums; None where no row is the sum of others.

    Sums of rounded numbers, like parts that are missing, are only accepted if `hidden`.
    """
    nesting = nested_sums(values)
    if not nesting.whole:
        uniform = uniform_nesting(values)
        if uniform is not None and (hidden or not uniform.rounded):
            return uniform.parent
    parent = (with_hidden_parts(nesting, values) if hidden else nesting).parent
    return parent if (parent >= 0).any() else None


def under_the_whole(parent: IntArray, values: NDArray[Any]) -> IntArray:
    """Return the parents with all rows of the top level below one that is their sum.

    Lists often print the whole country with the same indent as its regions. Nothing changes unless
    exactly one row without rows below it is the sum of all others.

    Args:
        parent: shape (n_rows,), the row above each row; -1 for none.
        values: shape (n_rows, n_columns); 0 or NaN for cells without a number.
    """
    numbers = np.nan_to_num(values)
    tops = np.flatnonzero(parent < 0)
    alone = tops[~np.isin(tops, parent)]
    twice = 2 * numbers[alone] == numbers[tops].sum(axis=0)
    whole = alone[twice.all(axis=1) & (numbers[alone].sum(axis=1) >= _MIN_WHOLE)]
    if len(whole) != 1 or len(tops) < _MIN_TOPS:
        return parent
    below = parent.copy()
    below[tops] = whole[0]
    below[whole[0]] = -1
    return below
