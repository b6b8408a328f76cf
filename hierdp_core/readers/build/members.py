"""Group sizes from one row per person, for files larger than memory.

Each person becomes an integer that encodes the group and the region. The integers are sorted, and
runs of equal ones are counted. Large files are read once for each of several parts of the groups.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.question import missing_group_choices
from hierdp_core.readers.formats.sheet import Sheet, as_mask, plain_text
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.text import by_number, counted

SIZE = "size of the group"
_MOST_KEYS = 120_000_000  # persons of one pass
_PIECE = 8_000_000  # of sorted numbers looked at together
_DENSE = 10_000_000  # combinations of codes for which a table is quicker than sorting
_LARGEST = 2**62


@dataclass(frozen=True, kw_only=True)
class _Regions:
    """The regions read so far, numbered in the order of their first rows.

    Attributes:
        n_keys: how many of the first columns identify the region.
        paths: for each region the cells of its first row.
        known: the number of each region by its keys.
    """

    n_keys: int
    paths: list[tuple[str, ...]] = field(default_factory=list)
    known: dict[tuple[str, ...], int] = field(default_factory=dict)

    def number(self, path: tuple[str, ...]) -> int:
        """Return the number of a region, adding the region if it is new."""
        code = self.known.setdefault(path[: self.n_keys], len(self.paths))
        if code == len(self.paths):
            self.paths.append(path)
        return code


Batches = Callable[[], Iterator[pa.Table]]


def sizes_of_groups(
    batches: Batches,
    n_rows: int,
    keys: Sequence[str],
    group: str,
    file: str,
    notes: Notebook,
    *,
    names: Sequence[str] = (),
) -> Sheet | None:
    """Return the number of groups of each size in each region, from one row per person.

    Args:
        batches: a function that returns all rows again each time it is called.
        n_rows: how many there are.
        keys: the columns that identify the region.
        group: the column that holds the group, within the region.
        file: the name of the file.
        notes: receives an error where persons have no group.
        names: columns of names of the region. Members of a group may spell them differently, so
            the first spelling stands for all.

    Returns:
        A sheet with the columns `keys`, `names` and SIZE, its weights the numbers of groups; None
        where the names of groups are not integers, so that this method cannot be used.
    """
    regions = _Regions(n_keys=len(keys))
    columns = [*keys, *names]
    spans = _spans(batches, group)
    if spans is None:
        return None
    blank, largest = spans
    if blank:
        notes.fault(
            "blank-group",
            f"{counted(blank, 'person')} {by_number(blank, 'has', 'have')} no group in column "
            f"{shown_code(group)}",
            "Enter their group, or leave these persons out.",
            choices=missing_group_choices(group),
        )
        return None
    passes = max(-(-n_rows // _MOST_KEYS), 1)
    group_counts: Counter[tuple[int, int]] = Counter()
    for turn in range(passes):
        numbers = _numbers(batches, columns, group, regions, turn, passes, n_rows)
        width = len(regions.paths)
        if largest > _LARGEST // max(width, 1):
            return None
        persons = _joined(numbers, width)
        persons.sort()
        _count_runs(persons, width, group_counts)
    return _sheet(group_counts, regions, columns, file)


def _spans(batches: Batches, group: str) -> tuple[int, int] | None:
    """Return the number of persons without a group, and a bound on the group numbers.

    The result is None where groups are not numbered.
    """
    blank = largest = 0
    for batch in batches():
        column = batch.column(group)
        if pa.types.is_integer(column.type):
            blank += column.null_count
            low, high = pc.min_max(column).as_py().values()
            if low is not None and low < 0:
                return None
            largest = max(largest, int(high or 0))
            continue
        text = pc.fill_null(column.cast(pa.string()), "")
        empty = pc.equal(text, "")
        blank += int(pc.sum(empty).as_py() or 0)
        if not as_mask(pc.or_(empty, pc.match_substring_regex(text, "^[0-9]{1,17}$"))).all():
            return None
        longest = int(pc.max(pc.binary_length(text)).as_py() or 0)
        largest = max(largest, 2 * 10**longest)
    return blank, largest


def _numbers(
    batches: Batches,
    keys: Sequence[str],
    group: str,
    regions: _Regions,
    turn: int,
    passes: int,
    n_rows: int,
) -> tuple[IntArray, np.ndarray[Any, np.dtype[np.int32]]]:
    """Return the group and the region of each person of this pass, both of shape (n_persons,)."""
    room = n_rows if passes == 1 else int(n_rows / passes * 1.2) + 10_000
    groups = np.empty(room, dtype=np.int64)
    codes = np.empty(room, dtype=np.int32)
    at = 0
    for batch in batches():
        own = _group_numbers(batch.column(group))
        where = _codes(batch, keys, regions)
        if passes > 1:
            mine = own % passes == turn
            own, where = own[mine], where[mine]
        if at + len(own) > len(groups):
            more = len(groups) // 2 + len(own)
            groups = np.concatenate([groups, np.empty(more, dtype=np.int64)])
            codes = np.concatenate([codes, np.empty(more, dtype=np.int32)])
        groups[at : at + len(own)] = own
        codes[at : at + len(own)] = where
        at += len(own)
    return groups[:at], codes[:at]


def _group_numbers(column: pa.ChunkedArray) -> IntArray:
    if pa.types.is_integer(column.type):
        return np.asarray(column.to_numpy(), dtype=np.int64)
    # A one before the digits keeps 07 and 7 apart.
    text = pc.binary_join_element_wise("1", column.cast(pa.string()), "")
    return np.asarray(pc.cast(text, pa.int64()).to_numpy(), dtype=np.int64)


def _codes(batch: pa.Table, keys: Sequence[str], regions: _Regions) -> IntArray:
    """Return the number of each row's region, shape (n_rows,), adding new ones to `regions`."""
    dictionaries: list[list[str]] = []
    joint = np.zeros(batch.num_rows, dtype=np.int64)
    size = 1
    for key in keys:
        column = batch.column(key).combine_chunks()
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        values = plain_text(pc.fill_null(column.dictionary.cast(pa.string()), "")).to_pylist()
        values.append("")  # for rows where the cell is null
        index = pc.fill_null(column.indices.cast(pa.int64()), len(values) - 1)
        joint = joint * len(values) + index.to_numpy(zero_copy_only=False)
        dictionaries.append(values)
        size *= len(values)
    if size <= _DENSE:
        seen = np.zeros(size, dtype=np.bool_)
        seen[joint] = True
        there = np.flatnonzero(seen)
        table = np.zeros(size, dtype=np.int64)
        table[there] = _numbered(there, dictionaries, regions)
        return table[joint]
    there, inverse = np.unique(joint, return_inverse=True)
    return _numbered(there, dictionaries, regions)[inverse]


def _numbered(
    joint: IntArray, dictionaries: Sequence[Sequence[str]], regions: _Regions
) -> IntArray:
    parts: list[list[str]] = []
    for values in reversed(dictionaries):
        joint, index = np.divmod(joint, len(values))
        parts.insert(0, [values[i] for i in index.tolist()])
    paths = zip(*parts, strict=True)
    return np.array([regions.number(path) for path in paths], dtype=np.int64)


def _joined(numbers: tuple[IntArray, np.ndarray[Any, np.dtype[np.int32]]], width: int) -> IntArray:
    groups, codes = numbers
    groups *= width
    groups += codes
    return groups


def _count_runs(persons: IntArray, width: int, group_counts: Counter[tuple[int, int]]) -> None:
    """Count the runs of equal numbers by region and length, and add them to `group_counts`."""
    at = 0
    while at < len(persons):
        until = min(at + _PIECE, len(persons))
        if until < len(persons):  # a piece ends where a run does
            until = int(np.searchsorted(persons, persons[until - 1], side="right"))
        piece = persons[at:until]
        first = np.flatnonzero(np.concatenate([[True], piece[1:] != piece[:-1]]))
        sizes = np.diff(np.append(first, len(piece)))
        codes = piece[first] % width
        span = int(sizes.max()) + 1
        keys, counts = np.unique(codes * span + sizes, return_counts=True)
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
            group_counts[key // span, key % span] += count
        at = until


def _sheet(
    group_counts: Counter[tuple[int, int]],
    regions: _Regions,
    keys: Sequence[str],
    file: str,
) -> Sheet:
    paths = regions.paths
    rows = [(*paths[code], str(size)) for code, size in group_counts]
    columns = zip(*rows, strict=True) if rows else [()] * (len(keys) + 1)
    return Sheet(
        file=file,
        names=(*keys, SIZE),
        columns=tuple(pa.array(list(column), pa.string()) for column in columns),
        weights=np.array(list(group_counts.values()), dtype=np.int64),
    )
