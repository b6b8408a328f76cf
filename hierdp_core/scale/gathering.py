"""Collections of the values that the parts of a table pass to the areas above them.

If all parts waited in a list, joining them would need twice the memory. So the arrays of the whole
table exist from the start, in memory or on disk. Each part is written into them when it arrives.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.scale.on_disk import RowsOnDisk
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.util.arrays import IntArray, NumberArray

Spans = list[tuple[slice, slice]]  # of a part, by level: its rows in the whole table, and its own


class Summaries:
    """Summaries of parts by their numbers, in any order of arrival."""

    def __init__(self) -> None:
        self._of_part: dict[int, Any] = {}

    def add(self, numbered: tuple[int, Any]) -> None:
        """Add the summary of a part, given with the number of the part."""
        number, summary = numbered
        self._of_part[number] = summary

    def in_order(self) -> list[Any]:
        """Return all summaries in the order of the parts."""
        return [self._of_part[number] for number in sorted(self._of_part)]


class GatheredNumbers(Summaries):
    """The noisy numbers of all parts as one table without names.

    A summary holds the numbers of a part in level order and the parents of its nodes.

    Args:
        table: the table of these areas; no number of it is read.
    """

    def __init__(self, table: PartitionedTable) -> None:
        super().__init__()
        self._upper = table.upper.tree
        self._starts = np.cumsum([0, *table.level_sizes])
        self._spans = list(_spans_of_parts(table))
        self._parent = np.empty(self._starts[-1], dtype=np.int64)
        self._parent[: self._upper.n_nodes] = self._upper.parent
        shape = (table.n_columns,) if table.has_groups else ()
        # Sizes are solved one after the other, so the numbers of one size are adjacent.
        self._numbers: NumberArray = self._rows((*shape, int(self._starts[-1]))).T

    def _rows(self, shape: tuple[int, ...]) -> IntArray:
        return np.empty(shape, dtype=np.int64)

    def add(self, numbered: tuple[int, tuple[NumberArray, IntArray]]) -> None:
        number, (numbers, parents) = numbered
        above = None
        for whole, own in self._spans[number]:
            self._numbers[whole] = numbers[own]
            if above is not None:
                self._parent[whole] = parents[own] + (above[0].start - above[1].start)
            above = whole, own

    def whole(self, top: NumberArray) -> tuple[Hierarchy, NumberArray]:
        """Return the hierarchy of the whole table and its numbers, once all parts are there.

        Args:
            top: the numbers of the areas down to the roots of the parts.
        """
        self._numbers[: self._upper.n_nodes] = top
        self._parent.flags.writeable = False
        return Hierarchy(parent=self._parent, level_start=self._starts), self._numbers

    def parts_of(self, values: NumberArray) -> Sequence[NumberArray]:
        """Return the values of each part, from those of the whole table."""
        return [np.concatenate([values[whole] for whole, _ in spans]) for spans in self._spans]


class NumbersOnDisk(GatheredNumbers):
    """The numbers of all parts, gathered on disk, for solutions that need one size at a time.

    Args:
        table: a table of group sizes.
        folder: a folder on the disk that is to hold the numbers.
    """

    def __init__(self, table: PartitionedTable, folder: Path) -> None:
        self._folder = folder
        super().__init__(table)

    def _rows(self, shape: tuple[int, ...]) -> IntArray:
        self._on_disk = RowsOnDisk((shape[0], shape[1]), self._folder)
        return self._on_disk.rows

    def add(self, numbered: tuple[int, tuple[NumberArray, IntArray]]) -> None:
        super().add(numbered)
        self._on_disk.let_go()

    def solved(self, tree: Hierarchy, solve: Callable[..., None], *, first: int = 0) -> RowsOnDisk:
        """Return the solution that `solve` computes from the numbers, one row per size.

        Args:
            tree: the tree of the whole table, from `whole`.
            solve: called with the rows, `values` to be filled, and `let_go` to be called after
                each row.
            first: the smallest size that can occur; the solution is 0 for smaller ones.
        """
        shape = self._numbers.shape[::-1]
        values = RowsOnDisk((shape[0], shape[1]), self._folder)

        def let_go() -> None:
            self._on_disk.let_go()
            values.let_go()

        values.rows[:first] = 0
        solve(tree, self._on_disk.rows[first:], values=values.rows[first:], let_go=let_go)
        let_go()
        return values

    def read_later(self, values: RowsOnDisk) -> "Sequence[ReadLater]":
        """Return the values of each part, each read when it is used."""
        return [ReadLater(values=values, spans=spans) for spans in self._spans]


@dataclass(frozen=True, eq=False, kw_only=True)
class ReadLater:
    """The values of a part, which are read when they are used as an array or sent to a worker.

    Attributes:
        values: the values of the whole table, one row per size.
        spans: the spans of the part.
    """

    values: RowsOnDisk
    spans: Spans

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NumberArray:
        rows = self.values.rows
        shape = sum(own.stop - own.start for _, own in self.spans), len(rows)
        numbers = np.empty(shape, dtype=np.int64)
        for whole, own in self.spans:
            numbers[own] = rows[:, whole].T
        self.values.let_go()
        return numbers if dtype is None else numbers.astype(dtype, copy=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return np.asarray, (np.asarray(self),)


def _spans_of_parts(table: PartitionedTable) -> Iterator[Spans]:
    rows = np.array([part.rows for part in table.parts])
    starts = np.cumsum([0, *table.level_sizes])[table.cut : -1]
    first = starts + np.cumsum(rows, axis=0) - rows
    for begins, sizes in zip(first.tolist(), rows.tolist(), strict=True):
        own = [slice(*ends) for ends in pairwise(np.cumsum([0, *sizes]).tolist())]
        whole = [slice(begin, begin + n) for begin, n in zip(begins, sizes, strict=True)]
        yield list(zip(whole, own, strict=True))
