"""Find rows that are the sums of rows beside them: upper levels in one list with their parts.

A row is the sum of a run if the next rows, or those just before it, add up to it exactly. One such
row may be chance. A list is therefore taken for one of several levels only if it has more of them
than chance gives.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

_MIN_SUM = 50  # smallest sum that counts as evidence; smaller ones may be chance
_MIN_SUMS = 2  # sums in a list; a single one may be chance
_OVER_CHANCE = 4.0  # sums as a multiple of those that chance gives
_PASSES = 6  # levels of sums above each other
_LIKELY = 0.02  # expected coincidences above which one near sum is not evidence
CERTAIN = 1e-6  # probability below which sums are not a coincidence
_MAX_HIDDEN = 0.02  # unpublished parts as a proportion of the published ones
_MIN_HIDDEN = 20  # unpublished parts, in people, that are allowed in any total
_ABOVE = 0.02  # of a total, to which rounded parts may add up beside it
_ROUNDED = 100  # people, which rounded parts of a small region may add up to beside it
_RARE = 1e-3  # expected coincidences up to which a single sum is evidence

Numbers = IntArray | FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Nesting:
    """The row above each row.

    Attributes:
        parent: shape (n_rows,), the position of the row above each row; -1 for none.
        chance: the probability that numbers of this size add up like this by coincidence.
    """

    parent: IntArray = field(repr=False)
    chance: float = 1.0

    @property
    def is_sum(self) -> BoolArray:
        """Whether a row has rows below it, shape (n_rows,)."""
        above = np.zeros(len(self.parent), dtype=np.bool_)
        above[self.parent[self.parent >= 0]] = True
        return above

    @property
    def whole(self) -> bool:
        """Whether every row is a sum or below one, and coincidence can be ruled out."""
        outside = (self.parent < 0) & ~self.is_sum
        return len(self.parent) > 0 and not outside.any() and self.chance <= CERTAIN


def sums_of_runs(values: IntArray) -> BoolArray:
    """Return which rows are sums of the rows just below or just above them, shape (n_rows,).

    Args:
        values: shape (n_rows,) or (n_rows, n_columns), in the order of the file. A row of several
            columns is a sum if it is one in each column.
    """
    return nested_sums(values).is_sum


def nested_sums(values: IntArray) -> Nesting:
    """Return the rows that are sums of runs, with the rows of each run below them.

    Runs below and runs above the sums are both tried, and the direction with more sums is taken.

    Args:
        values: as for `sums_of_runs`.
    """
    table = values.reshape(len(values), math.prod(values.shape[1:]))  # also without rows
    below = _sums(table)
    above = reversed_nesting(_sums(table[::-1]))
    return below if below.is_sum.sum() >= above.is_sum.sum() else above


def with_hidden_parts(nesting: Nesting, values: IntArray) -> Nesting:
    """Return the nesting with rows added that are slightly more than the sums of their parts.

    A part that is not published makes the sum of the others too small. Such rows are accepted only
    beside exact sums.

    Args:
        nesting: the rows with the exact sums.
        values: as for `nested_sums`; 0 for unknown numbers.
    """
    inside = np.flatnonzero(nesting.parent >= 0)
    if not len(inside):
        return nesting
    if (nesting.parent[inside] > inside).all():
        return reversed_nesting(with_hidden_parts(reversed_nesting(nesting), values[::-1]))
    rows = values.reshape(len(values), -1).sum(axis=1)
    parent = nesting.parent.copy()
    outside = (parent < 0) & ~nesting.is_sum
    starts = np.flatnonzero(outside & ~np.append(False, outside[:-1]))
    ends = np.flatnonzero(outside & ~np.append(outside[1:], False)) + 1
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        # The first row of a block is its total, or that of the whole, with a total below it.
        for total in range(start, min(start + 2, end - 1)):
            if nearly_whole(int(rows[total]), int(rows[total + 1 : end].sum())):
                parent[total + 1 : end] = total
                break
    top = np.flatnonzero(parent < 0)
    root = top[np.argmax(rows[top])]
    if len(top) > 2 and nearly_whole(int(rows[root]), int(rows[top].sum() - rows[root])):
        parent[top] = root
        parent[root] = -1
    return Nesting(parent=parent, chance=nesting.chance)


def exceeds_rounding(sums: Numbers, totals: Numbers) -> BoolArray:
    """Return True where the sums of parts exceed totals by more than rounding, shape (n_rows,)."""
    return np.asarray(sums > (1 + _ABOVE) * totals + _ROUNDED, dtype=np.bool_)


def nearly_whole(total: int, parts: int) -> bool:
    """Return whether parts fall short of a total by no more than unpublished parts may hold."""
    hidden = max(_MIN_HIDDEN, round(_MAX_HIDDEN * parts))
    return total >= _MIN_SUM and parts <= total <= parts + hidden


def reversed_nesting(nesting: Nesting) -> Nesting:
    """Return the same nesting for the rows in the opposite order."""
    last = len(nesting.parent) - 1
    parent = nesting.parent[::-1]
    return Nesting(parent=np.where(parent < 0, -1, last - parent), chance=nesting.chance)


def _sums(values: IntArray) -> Nesting:
    """Return the nesting of rows that are sums of rows below them, from the lowest level up."""
    parent = np.full(len(values), -1, dtype=np.int64)
    left = np.arange(len(values))
    chance = 1.0
    for level in range(_PASSES):
        runs = _runs(values[left])
        several = level == 0 and runs.expected * runs.step > _RARE
        enough = max(_MIN_SUMS, _OVER_CHANCE * runs.expected) if several else 1
        hits = runs.hits if runs.hits.sum() >= enough else runs.clear
        if not hits.any() or (level and runs.expected > 0.5):
            break
        chance *= float(np.prod(np.minimum(runs.chance[hits], 1.0)))
        total = hits.copy()
        for row in np.flatnonzero(hits):
            parent[left[row + 1 : runs.end[row]]] = left[row]
        if level == 0:
            end = _same_as_next(values[left], parent, hits)
            end[_before_sums(values[left], parent[left] >= 0, end)] = 0
            for row in np.flatnonzero(end):
                parent[left[row + 1 : end[row]]] = left[row]
            total |= end > 0
        else:
            _put_below_equal(values[left], parent, left, hits)
        inside = parent[left] >= 0
        left = left[~inside]
        if not total.any() or len(left) < 2:
            break
    return _with_root(Nesting(parent=parent, chance=chance), values)


def _with_root(nesting: Nesting, values: IntArray) -> Nesting:
    """Return the nesting with one level more if one row is the sum of all tops."""
    top = np.flatnonzero(nesting.parent < 0)
    twice = values[top] * 2
    whole = np.flatnonzero((twice == values[top].sum(axis=0)).all(axis=1))
    if len(whole) != 1 or len(top) < 3 or values[top[whole[0]]].sum() < _MIN_SUM:
        return nesting
    root = top[whole[0]]
    if not nesting.is_sum.any():
        return nesting
    parent = nesting.parent.copy()
    parent[top] = root
    parent[root] = -1
    return Nesting(parent=parent, chance=nesting.chance * len(top) / float(values[root].sum()))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Runs:
    """Rows that are sums of the rows just below them.

    Attributes:
        hits: shape (n_rows,), whether a row is the sum of at least two rows below it. Rows whose
            run contains another such row are left out.
        end: shape (n_rows,), the position after the last row of each run.
        chance: shape (n_rows,), the probability that each row is a sum by coincidence.
        clear: shape (n_rows,), hits that are not coincidences although there are few: a sum of
            large numbers, among which coincidence hardly gives one, and other unlikely sums beside
            it.
        expected: the number of sums that coincidence gives in all.
        step: the greatest common divisor of all numbers.
    """

    hits: BoolArray
    end: IntArray
    chance: FloatArray
    clear: BoolArray
    expected: float
    step: int


def _runs(values: IntArray) -> _Runs:
    """Return the rows that are sums of rows below them.

    The partial sums of the rows below a row exceed its value somewhere. They equal it by
    coincidence with a probability of about one over the mean of those rows. Coincidences are more
    frequent if all numbers are multiples of a step, such as 100.
    """
    n = len(values)
    step = max(int(np.gcd.reduce(values, axis=None)), 1)
    rows = values.sum(axis=1)
    partial = np.concatenate([np.zeros((1, values.shape[1]), np.int64), values.cumsum(axis=0)])
    sums = partial.sum(axis=1)
    start = np.arange(1, n + 1)
    end = np.searchsorted(sums, sums[start] + rows)
    inside = end <= n
    end = _with_zeros(np.minimum(end, n), rows)
    filled = np.concatenate([[0], (rows > 0).cumsum()])
    length = filled[end] - filled[start]
    possible = inside & (length >= 2) & (rows >= _MIN_SUM)
    hits = possible & (partial[end] - partial[start] == values).all(axis=1)
    chance: FloatArray = length / np.maximum(rows, 1)
    expected = float(chance[possible].sum())
    rare = np.zeros(n, dtype=np.bool_)
    order = np.argsort(np.where(possible, chance, np.inf), kind="stable")[: possible.sum()]
    rare[order[step * chance[order].cumsum() <= _RARE]] = True
    unlikely = hits & (step * chance <= _LIKELY) & (hits & rare).any()
    return _Runs(
        hits=_innermost(hits, start, end), clear=_innermost(unlikely, start, end), end=end,
        chance=chance, expected=expected, step=step,
    )  # fmt: skip


def _innermost(hits: BoolArray, start: IntArray, end: IntArray) -> BoolArray:
    """Return the hits whose run, from `start` to `end`, contains no other hit."""
    first = np.concatenate([[0], hits.cumsum()])
    return np.asarray(hits & (first[end] - first[start] == 0))


def _with_zeros(end: IntArray, rows: IntArray) -> IntArray:
    """Return the ends of runs after the rows of zeros that follow, since these change no sum."""
    n = len(rows)
    filled = np.where(rows > 0, np.arange(n), n)
    next_filled = np.append(np.minimum.accumulate(filled[::-1])[::-1], n)
    return np.asarray(next_filled[end], dtype=np.int64)


def nearly_sums(values: IntArray) -> BoolArray:
    """Return which rows are nearly the sums of rows below or above, as if each number were rounded.

    Rounded numbers are multiples of a step such as 3, 5 or 10. A sum may differ by one step for
    each part.
    """
    rows = values.reshape(len(values), -1).sum(axis=1)
    below = _nearly(rows)
    above = _nearly(rows[::-1])[::-1]
    return below if below.sum() >= above.sum() else above


def _nearly(rows: IntArray) -> BoolArray:
    """Return which rows are nearly sums of rows below, shape (n_rows,); none if by chance."""
    n = len(rows)
    step = max(int(np.gcd.reduce(rows)), 1) if n else 1
    partial = np.concatenate([[0], rows.cumsum()])
    start = np.arange(1, n + 1)
    after = np.clip(np.searchsorted(partial, partial[start - 1] + 2 * rows), 1, n)
    hits = np.zeros(n, dtype=np.bool_)
    expected = 0.0
    for end in (after, after - 1):
        length = end - start
        miss = np.abs(partial[end] - partial[np.minimum(start, n)] - rows)
        possible = (length >= 2) & (rows >= _MIN_SUM * step)
        hits |= possible & (miss <= step * length)
        mean = np.maximum(rows / np.maximum(length, 1), 1)
        expected += float((2 * step * length / mean)[possible].sum()) / 2
    several = expected > _LIKELY
    enough = max(_MIN_SUMS, _OVER_CHANCE * expected) if several else 1
    return hits if hits.sum() >= enough else np.zeros(n, dtype=np.bool_)


def _before_sums(values: IntArray, inside: BoolArray, end: IntArray) -> IntArray:
    """Return the rows that are equal to the next one and to a sum of sums behind it.

    The next row is the only part of such a row, and the lower sums belong to this part.

    Args:
        values: the rows.
        inside: whether a row is below another one, shape (n_rows,).
        end: as `_same_as_next` returns it.
    """
    covered = inside.copy()
    for row in np.flatnonzero(end):
        covered[row + 1 : end[row]] = True
    left = np.flatnonzero(~covered)
    if len(left) < _MIN_SUMS:
        return np.zeros(0, dtype=np.int64)
    again = left[_runs(values[left]).hits]
    return np.asarray(again[end[again] > 0], dtype=np.int64)


def _put_below_equal(values: IntArray, parent: IntArray, left: IntArray, hits: BoolArray) -> None:
    """Put each sum below the row just before it if this has the same numbers and no row below."""
    for row in np.flatnonzero(hits[1:]) + 1:
        before = left[row - 1]
        same = (values[row] == values[row - 1]).all()
        if same and parent[before] < 0 and not (parent == before).any():
            parent[left[row]] = before


def _same_as_next(values: IntArray, parent: IntArray, hits: BoolArray) -> IntArray:
    """Return the end of the parts of rows that equal a single one below; 0 elsewhere.

    Parts with 0 may stand between, since they change no sum. The array has shape (n_rows,).
    """
    n = len(values)
    filled = np.where(values.any(axis=1), np.arange(n), n)
    after = np.append(np.minimum.accumulate(filled[::-1])[::-1], n)[1:]
    free = parent < 0
    bound = np.concatenate([[0], (~free).cumsum()])  # rows that already have a row above
    same = free & ~hits & (after < n) & (values.sum(axis=1) >= _MIN_SUM)
    end = np.minimum(after, n - 1) + 1
    same &= (values == values[end - 1]).all(axis=1) & (bound[end] == bound[:n])
    return np.where(same, _with_zeros(end, values.sum(axis=1)), 0)
