"""A table in parts: a folder of Parquet files, one for each area of an upper level.

    table.json: levels, names of what is counted, and the rows by level and the hash of every part.
    upper.parquet: the areas from the root to the level of the cut.
    part-00000.parquet: the first area at the cut and all areas below it, one row each, in level
        order. The other parts follow in the order of the areas at the cut.

The position of a node on its level is the number of rows of this level in earlier parts plus its
row in its own part. Every part therefore determines which cells of the whole table it contains.
`table.json` and `upper.parquet` contain public facts only, and no counts.
"""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pandas.util import hash_array

from hierdp_core.exceptions import ChoiceError, FileError, TableError
from hierdp_core.hierarchy import Hierarchy, Regions, sum_up
from hierdp_core.tables import Counts, Domain, Fact, GroupSizes, Table
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.parquet import read_parquet
from hierdp_core.util.text import by_number, counted, join_or

FORMAT = 1
ROWS_A_GROUP = 32_768  # few rows per group, so that one area is read without all others
_TABLE, _UPPER = "table.json", "upper.parquet"
KINDS: dict[str, type[Counts] | type[GroupSizes]] = {
    Counts.kind: Counts,
    GroupSizes.kind: GroupSizes,
}


@dataclass(frozen=True, kw_only=True)
class PartInfo:
    """Information about a part that is known without reading it.

    Attributes:
        number: the number of the part, from 0, in the order of the areas at the cut.
        rows: the number of rows of each level from the cut down; the first is 1.
        hash: the SHA-256 of the file.
    """

    number: int
    rows: tuple[int, ...]
    hash: str

    @property
    def file(self) -> str:
        """The name of the file of the part."""
        return f"part-{self.number:05d}.parquet"


@dataclass(frozen=True, eq=False, kw_only=True)
class PartShape:
    """The public facts of one part: an area and all areas below it, without counts.

    Attributes:
        info: the information about its file.
        tree: the hierarchy whose root is this area.
        codes: the code of each node as an Arrow array, since Python objects for millions of codes
            take too much memory.
        first: for each of its levels, the position of its first node on this level of the whole
            table.
    """

    info: PartInfo
    tree: Hierarchy
    codes: pa.ChunkedArray
    first: tuple[int, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The code of each node."""
        return tuple(self.codes.to_pylist())


@dataclass(frozen=True, eq=False, kw_only=True)
class Part(PartShape):
    """One part in memory.

    Attributes:
        values: the exact numbers, shape (n_nodes,) or (n_nodes, n_columns).
    """

    values: IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PartitionedTable:
    """An exact table on disk whose parts are read one at a time.

    Attributes:
        folder: the folder of its files.
        kind: "counts" or "group-sizes".
        levels: the names of all levels, from the root down.
        upper: the areas down to the level of the cut.
        n_columns: the number of columns of an area.
        labels: the names of what is counted, as arguments of the table's class.
        taken_from_data: the facts that were taken from the records, and so are not public.
        parts: the parts, in the order of the last level of `upper`.
        boundaries_of: the id of a sample with boundaries for areas of the same level and code; ""
            for none.
    """

    folder: Path
    kind: str
    levels: tuple[str, ...]
    upper: Regions
    n_columns: int
    labels: dict[str, Any]
    taken_from_data: tuple[Fact, ...]
    parts: tuple[PartInfo, ...]
    boundaries_of: str = ""

    @property
    def cut(self) -> int:
        """The number of the level whose areas have one part each."""
        return len(self.upper.levels) - 1

    @property
    def has_groups(self) -> bool:
        """Whether an area has groups by size, not a single number."""
        return KINDS[self.kind].has_groups

    @property
    def level_sizes(self) -> tuple[int, ...]:
        """The number of areas on each level."""
        below = np.sum([part.rows for part in self.parts], axis=0)
        return (*self.upper.tree.level_sizes.tolist()[: self.cut], *map(int, below))

    def public_domain(self, *, groups: int | None = None) -> Domain:
        """Return a domain with the same levels and a single area on each.

        Plans for counts and group sizes depend on levels and columns, not on the areas.
        """
        n = len(self.levels)
        chain = Regions(
            tree=Hierarchy(parent=np.arange(-1, n - 1), level_start=np.arange(n + 1)),
            levels=self.levels,
            ids=self.levels,
            names=self.levels,
            padded=np.zeros(n, dtype=bool),
        )
        shape = (1, self.n_columns) if self.has_groups else (1,)
        zeros = np.zeros(shape, dtype=np.int64)
        exact = KINDS[self.kind].from_leaves(
            chain, zeros, taken_from_data=self.taken_from_data, **self.labels
        )
        domain = exact.domain
        return domain if groups is None else replace(domain, groups=groups)

    def read(self, number: int) -> Part:
        """Read a part.

        Raises:
            FileError: it is missing, was changed or holds other columns.
        """
        frame = self._frame(number)
        values = values_of(frame).astype(np.int64, copy=False)
        return Part(**self._shape(number, frame), values=values)

    def root(self, number: int) -> IntArray:
        """Read the numbers of the root of a part.

        Raises:
            FileError: it is missing, was changed or holds other columns.
        """
        columns = [f"size_{k}" for k in range(self.n_columns)] if self.has_groups else ["count"]
        values = values_of(self._frame(number, columns).slice(0, 1))
        root: IntArray = values.astype(np.int64, copy=False)[0]
        return root

    def shape(self, number: int) -> PartShape:
        """Read the public facts of a part: its areas without their numbers.

        Raises:
            FileError: it is missing, was changed or holds other columns.
        """
        return PartShape(**self._shape(number, self._frame(number, ["parent", "id"])))

    def _frame(self, number: int, columns: list[str] | None = None) -> pa.Table:
        info = self.parts[number]
        path = self.folder / info.file
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FileError(
                f"{path} cannot be read: {error.strerror}. Copy the whole folder again."
            ) from None
        if hashlib.sha256(content).hexdigest() != info.hash:
            raise FileError(
                f"{path} was changed after the table was written. Write the table again."
            )
        frame = read_parquet(content, columns)
        if frame.num_rows != sum(info.rows):
            raise FileError(
                f"{path} has {counted(frame.num_rows, 'row')}, but according to {_TABLE} it should "
                f"have {sum(info.rows):,}. Copy the whole folder again."
            )
        return frame

    def _shape(self, number: int, frame: pa.Table) -> dict[str, Any]:
        info = self.parts[number]
        starts = np.concatenate([[0], np.cumsum(info.rows)])
        return {
            "info": info,
            "tree": Hierarchy(parent=frame.column("parent").to_numpy(), level_start=starts),
            "codes": frame.column("id"),
            "first": self._first(number),
        }

    def _first(self, number: int) -> tuple[int, ...]:
        before = [part.rows for part in self.parts[:number]]
        levels = len(self.levels) - self.cut
        return tuple(map(int, np.sum(before, axis=0))) if before else (0,) * levels

    @classmethod
    def write(
        cls,
        folder: str | Path,
        *,
        upper: Regions,
        levels: Sequence[str],
        kind: str,
        n_columns: int,
        parts: Iterable[tuple[Hierarchy, Sequence[str], IntArray]],
        labels: dict[str, Any],
        taken_from_data: Sequence[Fact] = (),
        boundaries_of: str = "",
    ) -> Self:
        """Write a table part by part; `table.json` is last, so incomplete tables are not opened.

        Args:
            folder: a new or an empty folder.
            upper: the areas down to the level of the cut.
            levels: the names of all levels.
            kind: "counts" or "group-sizes".
            n_columns: the number of columns of an area.
            parts: for each area of the last level of `upper`, the tree under it, its codes and
                the numbers of its leaves.
            labels: the names of what is counted, as arguments of the table's class.
            taken_from_data: the facts that were taken from the records.
            boundaries_of: the id of a sample with boundaries for areas of the same level and code.

        Raises:
            FileError: the folder is not empty, or cannot be written.
            TableError: the number of parts is not that of the areas, or a part has other levels or
                the root of another area. A number is negative or not an integer, or a code occurs
                twice on a level.
        """
        target = Path(folder)
        _require_empty(target)
        roots, once, infos = upper.ids[upper.tree.leaves], _Codes(), []
        for number, (tree, ids, leaves) in enumerate(parts):
            if number < len(roots) and ids[0] != roots[number]:
                raise TableError(
                    f"Part {number} is that of {ids[0]}, but its place is that of "
                    f"{roots[number]}. Give the parts in the order of the areas."
                )
            infos.append(write_part(target, number, tree, ids, leaves))
            once.add(infos[-1], tree, ids)
        once.require_different(target)
        return cls.assemble(
            target,
            upper=upper,
            levels=levels,
            kind=kind,
            n_columns=n_columns,
            infos=infos,
            labels=labels,
            taken_from_data=taken_from_data,
            boundaries_of=boundaries_of,
        )

    @classmethod
    def assemble(
        cls,
        folder: Path,
        *,
        upper: Regions,
        levels: Sequence[str],
        kind: str,
        n_columns: int,
        infos: Sequence[PartInfo],
        labels: dict[str, Any],
        taken_from_data: Sequence[Fact] = (),
        boundaries_of: str = "",
    ) -> Self:
        """Write the other files of a table whose parts `write_part` has written, and open it.

        For the arguments see `write`; `infos` are those of the parts, in order.

        Raises:
            TableError: the number of parts is not that of the areas, or a part has other levels.
        """
        target = folder
        below = len(levels) - len(upper.levels) + 1
        if len(infos) != upper.tree.n_leaves or any(len(info.rows) != below for info in infos):
            depths = sorted({len(info.rows) for info in infos}) or [0]
            raise TableError(
                f"A table cut at {upper.levels[-1]} needs a part of {counted(below, 'level')} for "
                f"each of {counted(upper.tree.n_leaves, 'area')}; got "
                f"{counted(len(infos), 'part')} of {join_or(list(map(str, depths)))} "
                f"{by_number(depths[-1], 'level', 'levels')}. Give one part for each area, with "
                "all levels below it."
            )
        frame = {"parent": upper.tree.parent, "id": upper.ids, "name": upper.names}
        pq.write_table(pa.table(frame), target / _UPPER)
        words = {
            "format": FORMAT,
            "kind": kind,
            "levels": list(levels),
            "upper_rows": upper.tree.level_sizes.tolist(),
            "n_columns": n_columns,
            "labels": labels,
            "taken_from_data": [fact.name for fact in taken_from_data],
            "parts": [asdict(info) for info in infos],
            "boundaries_of": boundaries_of,
        }
        (target / _TABLE).write_text(json.dumps(words), encoding="utf-8")
        return cls.open(target)

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Open a table that `write` has written, without reading any part.

        Raises:
            FileError: the folder holds no such table, or one of another version.
        """
        path = Path(folder)
        if not path.exists():
            raise FileError(
                f"There is no folder {path}. Name a table in parts, which `hierdp parts write` or "
                "PartitionedTable.of has written."
            )
        try:
            words = json.loads((path / _TABLE).read_text(encoding="utf-8"))
            frame = read_parquet(path / _UPPER)
        except (OSError, ValueError) as error:
            missing = next((n for n in (_TABLE, _UPPER) if not (path / n).exists()), "")
            reason = getattr(error, "strerror", None) or "its files are damaged"
            reason = f"its file {missing} is missing" if missing else reason
            raise FileError(
                f"{path} holds no table in parts ({reason}). Name a folder that `hierdp parts "
                "write` or PartitionedTable.of wrote."
            ) from None
        version = words.get("format") if isinstance(words, dict) else None
        if version != FORMAT:
            raise FileError(
                f"{path} was written by another version of HierDP (format {version}; this version "
                f"reads format {FORMAT}). Write the table again with this version."
            )
        try:
            return cls._of_words(path, words, frame)
        except (KeyError, TypeError, IndexError):
            raise FileError(f"{path}: {_TABLE} is damaged. Copy the whole folder again.") from None

    @classmethod
    def _of_words(cls, path: Path, words: dict[str, Any], frame: pa.Table) -> Self:
        rows = words["upper_rows"]
        upper = Regions(
            tree=Hierarchy(
                parent=frame.column("parent").to_numpy(),
                level_start=np.concatenate([[0], np.cumsum(rows)]),
            ),
            levels=tuple(words["levels"][: len(rows)]),
            ids=tuple(frame.column("id").to_pylist()),
            names=tuple(frame.column("name").to_pylist()),
            padded=np.zeros(sum(rows), dtype=bool),
        )
        infos = (PartInfo(**(one | {"rows": tuple(one["rows"])})) for one in words["parts"])
        return cls(
            folder=path,
            kind=words["kind"],
            levels=tuple(words["levels"]),
            upper=upper,
            n_columns=words["n_columns"],
            labels=words["labels"],
            taken_from_data=tuple(Fact[name] for name in words["taken_from_data"]),
            parts=tuple(infos),
            boundaries_of=words.get("boundaries_of", ""),
        )

    @classmethod
    def of(cls, table: Table, folder: str | Path, *, cut: str, boundaries_of: str = "") -> Self:
        """Write a table that is in memory, cut at a level.

        Args:
            table: a table of counts or group sizes.
            folder: a new or an empty folder.
            cut: the level whose areas are the roots of the parts.
            boundaries_of: the id of a sample with boundaries for areas of the same level and code.

        Raises:
            ChoiceError: the table holds flows, or `cut` is not a level between the first and last.
            FileError: the folder is not empty, or cannot be written.
            TableError: the table is not exact.
        """
        if table.kind not in KINDS:
            raise ChoiceError(
                "Only counts and group sizes can be written in parts, but this table holds flows. "
                "Simulate it in memory."
            )
        if cut not in table.regions.levels[1:-1]:
            remedy = _levels_to_cut(table.regions.levels)
            raise ChoiceError(
                f"A table must be cut at a level between the first and the last; got {cut}. "
                f"{remedy}"
            )
        table.require_exact()
        at = table.regions.level_index(cut)
        return cls.write(
            folder,
            upper=table.regions.upper_levels(at + 1),
            levels=table.regions.levels,
            kind=table.kind,
            n_columns=table.domain.n_columns,
            parts=_parts_of(table, at),
            labels=dict(table.labels),
            taken_from_data=table.domain.taken_from_data,
            boundaries_of=boundaries_of,
        )


class _Codes:
    """The codes below the roots of parts, as hashes by level, which take little memory."""

    def __init__(self) -> None:
        self._hashes: dict[int, list[tuple[PartInfo, npt.NDArray[np.uint64]]]] = {}

    def add(self, info: PartInfo, tree: Hierarchy, ids: Sequence[str]) -> None:
        for level in range(1, tree.n_levels):
            span = tree.level(level)
            codes = np.array(ids[span.start : span.stop], dtype=object)
            self._hashes.setdefault(level, []).append((info, hash_array(codes, categorize=False)))

    def require_different(self, folder: Path) -> None:
        """Require that no code of a level occurs in two of the parts that were written.

        Raises:
            TableError: a code does.
        """
        for level, hashes in self._hashes.items():
            ascending = np.sort(np.concatenate([own for _, own in hashes]))
            repeated = ascending[1:][ascending[1:] == ascending[:-1]]
            seen: set[str] = set()  # codes with the same hash may differ
            for info, own in hashes if len(repeated) else ():
                codes = pq.read_table(folder / info.file, columns=["id"]).column("id")
                first = sum(info.rows[:level])
                for place in np.flatnonzero(np.isin(own, repeated)).tolist():
                    code = codes[first + place].as_py()
                    if code in seen:
                        raise TableError(
                            f"The code {code} occurs in two parts, on the same level. Give each "
                            "area a code of its own."
                        )
                    seen.add(code)


def values_below(tree: Hierarchy, leaves: IntArray) -> IntArray:
    """Return the numbers of every node of a part, from its leaves."""
    return np.ascontiguousarray(sum_up(tree, leaves))


def part_table(
    ids: Sequence[str] | pa.ChunkedArray, tree: Hierarchy, values: NumberArray
) -> pa.Table:
    """Return the rows of a part as they are written."""
    codes = ids if isinstance(ids, pa.ChunkedArray) else pa.array(ids, pa.string())
    if values.ndim == 1:
        columns = {"count": values}
    else:
        columns = {f"size_{k}": values[:, k] for k in range(values.shape[1])}
    return pa.table({"parent": tree.parent, "id": codes, **columns})


def rows_of(file: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a file of a table or of a simulation in parts.

    Raises:
        FileError: the file is missing or damaged.
    """
    try:
        return read_parquet(file, columns)
    except (OSError, pa.ArrowInvalid):
        raise FileError(f"{file} is missing or was changed. Copy the whole folder again.") from None


def values_of(frame: pa.Table) -> NumberArray:
    """Return the numbers of the rows of a part."""
    names = [name for name in frame.column_names if name not in ("parent", "id")]
    columns = [frame.column(name).to_numpy() for name in names]
    values: NumberArray = columns[0] if names == ["count"] else np.column_stack(columns)
    return values


def write_part(
    folder: Path,
    number: int,
    tree: Hierarchy,
    ids: Sequence[str] | pa.ChunkedArray,
    leaves: IntArray,
) -> PartInfo:
    """Write one part of a new table, and return its entry in `table.json`.

    Raises:
        TableError: a number is negative or not whole, or a code occurs twice on a level.
    """
    if leaves.dtype != np.int64 or (leaves < 0).any():
        raise TableError(
            f"The numbers of a part must be non-negative integers of type int64; part {number} has "
            "others. Correct the numbers of its leaves."
        )
    buffer = io.BytesIO()
    rows = part_table(ids, tree, values_below(tree, leaves))
    for span in map(tree.level, range(tree.n_levels)):
        n = span.stop - span.start
        if pc.count_distinct(rows.column("id").slice(span.start, n)).as_py() < n:
            raise TableError(
                f"A code must name only one area of a level; in part {number}, one occurs twice. "
                "Give each area its own code."
            )
    pq.write_table(rows, buffer, row_group_size=ROWS_A_GROUP)
    info = PartInfo(
        number=number,
        rows=tuple(tree.level_sizes.tolist()),
        hash=hashlib.sha256(buffer.getvalue()).hexdigest(),
    )
    (folder / info.file).write_bytes(buffer.getvalue())
    return info


def _parts_of(table: Table, cut: int) -> Iterator[tuple[Hierarchy, list[str], IntArray]]:
    tree, ids = table.tree, table.regions.ids
    for node in range(*_bounds(tree.level(cut))):
        spans, parents = [slice(node, node + 1)], [np.array([-1])]
        while len(spans) < tree.n_levels - cut:
            above = spans[-1]
            begin, end = int(tree.child_start[above.start]), int(tree.child_start[above.stop])
            before = sum(span.stop - span.start for span in spans[:-1])
            parents.append(tree.parent[begin:end] - above.start + before)
            spans.append(slice(begin, end))
        starts = np.cumsum([0, *(span.stop - span.start for span in spans)])
        part = Hierarchy(parent=np.concatenate(parents), level_start=starts)
        yield (
            part,
            [id for span in spans for id in ids[span]],
            table.values[spans[-1]].astype(np.int64),
        )


def _levels_to_cut(levels: Sequence[str]) -> str:
    between = levels[1:-1]
    if not between:
        return "Keep a table with so few levels in memory."
    return f"Choose {join_or(between)}."


def _bounds(span: slice) -> tuple[int, int]:
    return int(span.start), int(span.stop)


def _require_empty(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise FileError(f"{folder} is not empty. Name a new folder.")
    except OSError as error:
        raise FileError(
            f"{folder} cannot be written: {error.strerror}. Choose another folder."
        ) from None
