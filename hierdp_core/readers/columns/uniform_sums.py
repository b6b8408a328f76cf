"""Recognise lists in which every row is a total or lies below one, all to the same depth.

Runs of rows that add up to the row above them may be chance if the numbers are rounded, or if a
total has a single part. That they divide the whole list without a gap is not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierdp_core.readers.columns.sums import CERTAIN, Nesting, reversed_nesting
from hierdp_core.util.arrays import IntArray

_MIN_SUMS = 2  # totals above the lowest rows; a single one is a grand total
_LIKELY = 1e-3  # probability below which sums are worth a question
_MOST_DEPTH = 4  # levels of totals
_MOST_STEPS = 20_000  # of a search, after which a list is not recognised
_MOST_ENDS = 8  # ways to end one total


@dataclass(frozen=True, eq=False, kw_only=True)
class UniformNesting(Nesting):
    """The row above each row in a list of one depth.

    Attributes:
        rounded: whether some totals are only nearly the sums of their parts.
    """

    rounded: bool = False

    @property
    def certain(self) -> bool:
        """Whether the sums are exact, and coincidence can be ruled out."""
        return not self.rounded and self.chance <= CERTAIN


def uniform_nesting(values: IntArray) -> UniformNesting | None:
    """Return the nesting of a list in which all rows without parts have the same depth.

    Totals stand before their parts in all of the list, or after them. A total is exactly the sum
    of its parts, or differs by what rounding them gives. The result is None if the list has no
    such nesting, if it has several, or if coincidence may well explain it.

    Args:
        values: shape (n_rows,) or (n_rows, n_columns), in the order of the file. A total of
            several columns must be one in each column.
    """
    table = values.reshape(len(values), -1)
    if len(table) <= _MIN_SUMS or not table.any():
        return None
    for rounded in (False, True):
        for order in (1, -1):
            nesting = _nesting(table[::order], rounded=rounded)
            if nesting is not None:
                parent = nesting.parent
                if order < 0:
                    parent = reversed_nesting(nesting).parent
                return UniformNesting(parent=parent, chance=nesting.chance, rounded=rounded)
    return None


def _nesting(values: IntArray, *, rounded: bool) -> Nesting | None:
    search = _Search(values, rounded=rounded)
    for n_sums in range(1, _MOST_DEPTH + 1):
        try:
            divisions = search.divisions(n_sums)
        except _TooManySteps:
            return None
        likely = [d for d in divisions if d.chance <= _LIKELY and d.is_sum.sum() >= _MIN_SUMS]
        if likely:
            return likely[0] if len(likely) == 1 else None
    return None


class _TooManySteps(Exception):
    """A list can be divided in too many ways."""


@dataclass(frozen=True, kw_only=True)
class _Total:
    """A row with the rows below it, which are those up to `end`.

    Attributes:
        row: the position of the row.
        end: the position after the last row below it.
        parts: the totals directly below it; empty if all rows below it are of the lowest level.
    """

    row: int
    end: int
    parts: tuple["_Total", ...] = ()

    @property
    def n_parts(self) -> int:
        """The number of rows directly below the row."""
        return len(self.parts) or self.end - self.row - 1


class _Search:
    """A search for the ways to divide a list into totals with their parts."""

    def __init__(self, values: IntArray, *, rounded: bool) -> None:
        """Prepare a search.

        Args:
            values: shape (n_rows, n_columns).
            rounded: whether a total may differ from the sum of its parts by rounding.
        """
        self.values, self.rounded = values, rounded
        self.steps = 0
        self.known: dict[tuple[int, int], tuple[_Total, ...]] = {}

    @cached_property
    def partial(self) -> tuple[IntArray, IntArray]:
        """The sums of the rows before each row, shape (n_rows + 1, n_columns), and over columns."""
        zero = np.zeros((1, self.values.shape[1]), dtype=np.int64)
        sums = np.concatenate([zero, self.values.cumsum(axis=0)])
        return sums, sums.sum(axis=1)

    def _after_zeros(self, row: int) -> int:
        filled = np.flatnonzero(self.values[row:].any(axis=1))
        return row + int(filled[0]) if len(filled) else len(self.values)

    @cached_property
    def step(self) -> int:
        """The number of which all numbers are multiples."""
        return max(int(np.gcd.reduce(self.values, axis=None)), 1)

    def divisions(self, n_sums: int) -> list[Nesting]:
        """Return the nestings of the whole list with this number of levels of totals."""
        self.steps, n = 0, len(self.values)
        nestings = []
        for parts in self._chains(0, n_sums, None):
            parent = np.full(n, -1, dtype=np.int64)
            for part in parts:
                _set_parents(part, parent)
            nestings.append(Nesting(parent=parent, chance=self._chance(parts)))
        return nestings

    def _totals(self, row: int, n_sums: int) -> tuple[_Total, ...]:
        """Return the ways to read a row as a total with this number of levels of totals."""
        if (row, n_sums) not in self.known:
            totals = self._of_leaves(row) if n_sums == 1 else self._of_totals(row, n_sums)
            self.known[row, n_sums] = tuple(totals)[:_MOST_ENDS]
        return self.known[row, n_sums]

    def _of_leaves(self, row: int) -> Iterator[_Total]:
        n, (partial, sums) = len(self.values), self.partial
        total = self.values[row]
        middle = int(np.searchsorted(sums, sums[row + 1] + total.sum()))
        first = max(middle - _MOST_ENDS, row + 2)
        for end in range(first, min(middle + _MOST_ENDS, n) + 1):
            if not self._fits(total, partial[end] - partial[row + 1], end - row - 1):
                continue
            if end < n and not self.values[end].any():
                yield _Total(row=row, end=self._after_zeros(end))  # zeros belong to the total above
                return
            yield _Total(row=row, end=end)

    def _of_totals(self, row: int, n_sums: int) -> Iterator[_Total]:
        for parts in self._chains(row + 1, n_sums - 1, self.values[row]):
            yield _Total(row=row, end=parts[-1].end, parts=parts)

    def _chains(self, start: int, n_sums: int, total: IntArray | None) -> list[tuple[_Total, ...]]:
        """Return the sequences of totals from a row on that add up to `total`.

        If it is None, they are those up to the last row.
        """
        complete: list[tuple[_Total, ...]] = []
        zero = np.zeros(self.values.shape[1], dtype=np.int64)
        pending: list[tuple[tuple[_Total, ...], int, IntArray]] = [((), start, zero)]
        while pending:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise _TooManySteps
            parts, row, so_far = pending.pop()
            ended = row == len(self.values)
            if parts and (ended if total is None else self._fits(total, so_far, len(parts))):
                complete.append(parts)
            if ended or (total is not None and not self._below(total, so_far, len(parts) + 1)):
                continue
            with_row = so_far + self.values[row]
            pending += [((*parts, t), t.end, with_row) for t in self._totals(row, n_sums)]
        return complete

    def _allowed(self, n_parts: int) -> int:
        """Return by how much a total may differ from the sum of its parts.

        Each part may be rounded by up to one step. A single part equals its total.
        """
        return self.step * n_parts if self.rounded and n_parts > 1 else 0

    def _fits(self, total: IntArray, so_far: IntArray, n_parts: int) -> bool:
        return bool((np.abs(total - so_far) <= self._allowed(n_parts)).all())

    def _below(self, total: IntArray, so_far: IntArray, n_parts: int) -> bool:
        return bool((so_far <= total + self._allowed(n_parts)).all())

    def _chance(self, totals: tuple[_Total, ...]) -> float:
        """Return the probability that totals are the sums of their parts by coincidence.

        A running sum of parts meets a total in as many ways as are allowed, out of as many as the
        mean of the parts.
        """
        chance = 1.0
        for total in totals:
            number = int(self.values[total.row].max())
            ways = 1 + 2 * self._allowed(total.n_parts) // self.step
            mean = max(number // self.step / total.n_parts, 1.0)
            chance *= min(ways / mean, 1.0) * self._chance(total.parts)
        return chance


def _set_parents(total: _Total, parent: IntArray) -> None:
    parent[[part.row for part in total.parts] or slice(total.row + 1, total.end)] = total.row
    for part in total.parts:
        _set_parents(part, parent)
