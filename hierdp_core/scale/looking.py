"""One area of a simulation in parts, read without the rest.

Rows are in level order, so the areas below an area are adjacent. The statistics that Parquet stores
for each group of rows show which groups have to be read.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hierdp_core.exceptions import ChoiceError, FileError, HierarchyError
from hierdp_core.hierarchy import sum_up
from hierdp_core.scale.partitioned import PartitionedTable, part_table, values_of
from hierdp_core.util.text import join_or

ABOUT, UPPER = "simulation.json", "upper.parquet"
_FORMAT = 1
COLUMNS = {
    "level": "level of the area",
    "id": "code of the area",
    "size": "size of the groups that are counted; the last one may include larger ones",
    "released": "simulated number, with seeded noise",
    "exact": "true count",
    "error": "released minus exact",
}


def write_about(folder: Path, words: dict[str, Any]) -> None:
    """Write the description of a simulation to its folder."""
    (folder / ABOUT).write_text(json.dumps({"format": _FORMAT, **words}), encoding="utf-8")


def read_area(
    folder: str | Path,
    area: str | None = None,
    *,
    level: str | None = None,
    table: str | Path | None = None,
) -> pd.DataFrame:
    """Return an area of a simulation in parts and the areas directly below it.

    The area is the first row. A table of group sizes has a row for each area and size. Columns are
    described in `DataFrame.attrs["columns"]`. `attrs["above"]` has the codes from the root to the
    area, and `attrs["privacy"]` the privacy statement.

    Args:
        folder: the folder of the simulation.
        area: the code of the area; the root by default.
        level: the level of the area, if areas of several levels have this code; by default the
            highest of them.
        table: the folder of the exact table, for the columns `exact` and `error`.

    Raises:
        FileError: the folder holds no simulation in parts, or the table is not the simulated one.
        ChoiceError: no area has this code.
        HierarchyError: there is no such level.
    """
    place = _found(Path(folder), area, level)
    pieces = [place.rows(Path(folder))]
    if table is not None:
        exact = PartitionedTable.open(table)
        pieces.append(
            _exact_above(exact, place) if place.file == UPPER else place.rows(exact.folder)
        )
        if not pieces[0].column("id").equals(pieces[1].column("id")):
            raise FileError(f"{table} has other areas than {folder}. Name the simulated table.")
    frame = _tidy(place, *pieces)
    frame.attrs |= {
        "columns": {name: COLUMNS[name] for name in COLUMNS if name in frame},
        "above": place.above,
        "privacy": place.about["privacy"],
    }
    return frame


def levels_of(folder: str | Path) -> tuple[str, ...]:
    """Return the names of all levels of a simulation in parts.

    Raises:
        FileError: the folder holds no simulation in parts.
    """
    return tuple(_about(Path(folder))["levels"])


@dataclass(frozen=True, eq=False, kw_only=True)
class _Place:
    """The position of an area.

    Attributes:
        about: the description of the simulation.
        file: the file with the area and the areas below it.
        row: the row of the area in that file.
        above: the codes from the root of the table to the area.
    """

    about: dict[str, Any]
    file: str
    row: int
    above: tuple[str, ...]

    @property
    def level(self) -> int:
        return len(self.above) - 1

    def rows(self, folder: Path) -> pa.Table:
        """Return the row of the area, then the rows directly below it."""
        with _opened(folder / self.file) as file:
            own = _row(file, self.row)
        below = pq.read_table(folder / self.file, filters=[("parent", "==", self.row)])
        return pa.concat_tables([own, below])


def _exact_above(table: PartitionedTable, place: _Place) -> pa.Table:
    """Return the rows of an area above the parts, whose file in the table has no counts."""
    roots = []
    for part in table.parts:
        with _opened(table.folder / part.file) as file:
            roots.append(values_of(_row(file, 0))[0])
    tree = table.upper.tree
    values = sum_up(tree, np.array(roots))
    whole = part_table(table.upper.ids, tree, values)
    below = range(int(tree.child_start[place.row]), int(tree.child_start[place.row + 1]))
    return whole.take([place.row, *below])


def _found(folder: Path, area: str | None, level: str | None) -> _Place:
    about = _about(folder)
    if level is not None and level not in about["levels"]:
        raise HierarchyError(f'{folder} has no level "{level}". Choose {join_or(about["levels"])}.')
    depth = None if level is None else about["levels"].index(level)
    with _opened(folder / UPPER) as upper:
        ends = upper.metadata.num_rows - about["parts"]
        roots = [_above(upper, row) for row in range(ends, upper.metadata.num_rows)]
        rows = [0] if area is None else _rows_of(upper, area)
        ancestors = {row: _above(upper, row) for row in rows}
    chosen = _highest(ancestors, depth)
    if chosen is not None and chosen[0] < ends:
        return _Place(about=about, file=UPPER, row=chosen[0], above=chosen[1])
    if chosen is not None:
        name = _part(chosen[0] - ends)
        return _Place(about=about, file=name, row=0, above=chosen[1])
    # Many codes begin with that of the area above, so parts with such a root are read first.
    for number in sorted(range(len(roots)), key=lambda k: not str(area).startswith(roots[k][-1])):
        with _opened(folder / _part(number)) as part:
            ancestors = {row: _above(part, row) for row in _rows_of(part, str(area)) if row}
        whole = {row: (*roots[number], *ids[1:]) for row, ids in ancestors.items()}
        chosen = _highest(whole, depth)
        if chosen is not None:
            return _Place(about=about, file=_part(number), row=chosen[0], above=chosen[1])
    raise ChoiceError(no_area(folder, area, level))


def no_area(where: object, area: object, level: str | None) -> str:
    """Return the error message for a code that no area has."""
    if level is None:
        return (
            f'No area of {where} has the code "{area}". Correct the code, or leave it out to see '
            "the top of the hierarchy."
        )
    return (
        f'No {level} of {where} has the code "{area}". Correct the code, or leave out the level to '
        "search all levels."
    )


def _highest(
    ancestors: dict[int, tuple[str, ...]], depth: int | None
) -> tuple[int, tuple[str, ...]] | None:
    """Return the first of some areas, or the first on the level of this depth, if given."""
    return next((one for one in ancestors.items() if depth in (None, len(one[1]) - 1)), None)


def _part(number: int) -> str:
    return f"part-{number:05d}.parquet"


def _about(folder: Path) -> dict[str, Any]:
    if not folder.exists():
        raise FileError(
            f"There is no folder {folder}. Name a simulation in parts, which `hierdp parts "
            "simulate` writes, or the package of a release."
        )
    try:
        about: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise FileError(
            f"{folder} holds neither a simulation in parts nor the package of a release. Name a "
            "folder that `hierdp parts simulate` or `hierdp release` has written."
        ) from None
    if about.get("format") != _FORMAT:
        raise FileError(f"{folder} was written by another version of HierDP. Simulate it again.")
    return about


def _opened(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid):
        raise FileError(f"{path} is missing or was changed. Copy the whole folder again.") from None


def _groups(file: pq.ParquetFile) -> Iterator[tuple[int, int]]:
    """Yield the number of each group of rows, with the index of its first row."""
    first = 0
    for number in range(file.metadata.num_row_groups):
        yield number, first
        first += file.metadata.row_group(number).num_rows


def _rows_of(file: pq.ParquetFile, code: str) -> list[int]:
    """Return the rows of a file that have this code."""
    column, rows = file.schema_arrow.get_field_index("id"), []
    for number, first in _groups(file):
        known = file.metadata.row_group(number).column(column).statistics
        if known is not None and known.has_min_max and not known.min <= code <= known.max:
            continue
        ids = file.read_row_group(number, ["id"]).column(0)
        rows += [first + k for k in pc.indices_nonzero(pc.equal(ids, code)).to_pylist()]
    return rows


def _row(file: pq.ParquetFile, row: int, columns: list[str] | None = None) -> pa.Table:
    number, first = max((group for group in _groups(file) if group[1] <= row), key=lambda g: g[1])
    return file.read_row_group(number, columns).slice(row - first, 1)


def _above(file: pq.ParquetFile, row: int) -> tuple[str, ...]:
    """Return the codes from the root of a file down to a row."""
    codes: list[str] = []
    while row >= 0:
        one = _row(file, row, ["parent", "id"])
        codes.insert(0, one.column("id")[0].as_py())
        row = one.column("parent")[0].as_py()
    return tuple(codes)


def _tidy(place: _Place, released: pa.Table, exact: pa.Table | None = None) -> pd.DataFrame:
    levels, n = place.about["levels"], released.num_rows
    below = [] if n == 1 else [levels[place.level + 1]] * (n - 1)
    frame = pd.DataFrame({"level": [levels[place.level], *below], "id": released.column("id")})
    numbers = [values_of(piece) for piece in (released, exact) if piece is not None]
    if numbers[0].ndim > 1:
        sizes = numbers[0].shape[1]
        frame = frame.loc[frame.index.repeat(sizes)].reset_index(drop=True)
        frame["size"] = list(range(sizes)) * n
    for name, values in zip(("released", "exact"), numbers, strict=False):
        frame[name] = values.ravel()
    return frame.assign(error=frame["released"] - frame["exact"]) if exact is not None else frame
