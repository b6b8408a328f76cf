"""One area of a release in parts with its margins, read without the other parts."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hierdp_core.exceptions import ChoiceError, HierarchyError, ReleaseError
from hierdp_core.releases.package.reading import Package
from hierdp_core.releases.package.writing import CERTIFICATE

COLUMNS = ("level", "id", "name", "size", "value", "margin", "low", "high", "note")
_NEEDED = {"level", "id", "name", "parent", "value", "margin", "low", "high"}
_UNREADABLE = "{file} cannot be read. Copy the whole package again."
RELEASED_ALONE = (
    "{path} is a release, and a release is shown without the exact table. Leave out the folder of "
    "that table."
)


def is_package(folder: str | Path) -> bool:
    """Return whether a folder has a certificate, as packages of releases do."""
    return (Path(folder) / CERTIFICATE).is_file()


def levels_of_release(package: Package) -> tuple[str, ...]:
    """Return the names of all levels of a release, from the root down."""
    rows = package.certificate["fitness_for_use"]
    return tuple(dict.fromkeys(str(row["level"]) for row in rows))


def read_released_area(
    package: Package, area: str | None = None, *, level: str | None = None
) -> pd.DataFrame:
    """Return an area of a release in parts and the areas directly below it, with margins.

    The area comes first. A table of group sizes has a row for each area and size. Columns are those
    of the package's tables, and `DataFrame.attrs["above"]` has the codes from the root to the area.

    Args:
        package: from `open_release`.
        area: its code; the root by default.
        level: the level of that area, where its code stands on several; the highest where not
            given.

    Raises:
        ChoiceError: no area has this code.
        HierarchyError: there is no such level.
        ReleaseError: the package has no areas, or a part cannot be read.
    """
    levels = levels_of_release(package)
    if level is not None and level not in levels:
        raise HierarchyError(f'No level "{level}"; its levels are {", ".join(levels)}.')
    top = list(package.tables)
    _require_areas(package, levels)
    code = str(package.tables[top[0]]["id"].iloc[0]) if area is None else area
    for name in top:
        if level in (None, name) and (package.tables[name]["id"] == code).any():
            return _area_above(package, top, name, code)
    roots = list(dict.fromkeys(package.tables[top[-1]]["id"]))
    # In many codings an area's code begins with that of the area above: such a part comes first.
    for number in sorted(range(len(package.parts)), key=lambda k: not code.startswith(roots[k])):
        rows = _rows(package, number, [("id", "==", code)])
        for name in levels[len(top) :]:
            if level in (None, name) and (own := rows[rows["level"] == name]).size:
                return _area_in_part(package, number, levels, own)
    raise ChoiceError(f'No area of the release has the code "{code}".')


def _require_areas(package: Package, levels: Sequence[str]) -> None:
    """Require tables of areas that lie in each other, and a part for each of the last of them.

    Raises:
        ReleaseError: the package has others; anyone may have written it.
    """
    tables = list(package.tables.values())
    if not tables or any(rows.empty or "parent" not in rows for rows in tables):
        raise ReleaseError("The package has no areas that lie in each other.")
    n_roots, n_below = tables[-1]["id"].nunique(), len(levels) - len(tables)
    if package.parts and (len(package.parts) != n_roots or n_below < 1):
        raise ReleaseError(
            f"The package has {len(package.parts)} parts below {n_roots} areas. It is damaged."
        )


def _area_above(package: Package, top: Sequence[str], name: str, code: str) -> pd.DataFrame:
    """An area whose level has a table of its own."""
    depth, above = top.index(name), [code]
    for k in range(depth, 0, -1):
        rows = package.tables[top[k]]
        above.insert(0, _parent_of(rows[rows["id"] == above[0]], above[0]))
    rows = package.tables[name]
    own = rows[rows["id"] == code]
    if depth < len(top) - 1:
        next_level = package.tables[top[depth + 1]]
        return _together(above, own, next_level[next_level["parent"] == code])
    if not package.parts:
        return _together(above, own)
    number = list(dict.fromkeys(rows["id"])).index(code)
    below = levels_of_release(package)[len(top)]
    return _together(above, own, _inside(package, number, below, code))


def _area_in_part(
    package: Package, number: int, levels: Sequence[str], own: pd.DataFrame
) -> pd.DataFrame:
    """An area below the cut; its ancestors in the part are read one by one."""
    n_top, row = len(package.tables), own.iloc[0]
    depth, above = levels.index(row["level"]), [str(row["id"])]
    parent = str(row["parent"])
    for k in range(depth - 1, n_top - 1, -1):
        above.insert(0, parent)
        rows = _rows(package, number, [("level", "==", levels[k]), ("id", "==", parent)])
        parent = _parent_of(rows, parent)
    root = _area_above(package, list(package.tables), list(package.tables)[-1], parent)
    above = [*root.attrs["above"], *above]
    if depth == len(levels) - 1:
        return _together(above, own)
    return _together(above, own, _inside(package, number, levels[depth + 1], str(row["id"])))


def _parent_of(rows: pd.DataFrame, area: str) -> str:
    if rows.empty:
        raise ReleaseError(f"The package has no area {area}, and others lie in it. It is damaged.")
    return str(rows["parent"].iloc[0])


def _inside(package: Package, number: int, level: str, parent: str) -> pd.DataFrame:
    return _rows(package, number, [("level", "==", level), ("parent", "==", parent)])


def _rows(package: Package, number: int, filters: list[tuple[str, str, str]]) -> pd.DataFrame:
    """The rows of a part that have these values; groups of rows without them are not read."""
    file = package.parts[number]
    try:
        rows: pd.DataFrame = pq.read_table(file, filters=filters).to_pandas()
    except (OSError, ValueError, LookupError, pa.ArrowException):
        raise ReleaseError(_UNREADABLE.format(file=file)) from None
    if not {*rows.columns} >= _NEEDED:
        raise ReleaseError(_UNREADABLE.format(file=file))
    return rows


def _together(above: Sequence[str], *pieces: pd.DataFrame) -> pd.DataFrame:
    rows = pd.concat([piece for piece in pieces if len(piece)], ignore_index=True)
    frame = rows[[name for name in COLUMNS if name in rows]]
    frame.attrs["above"] = tuple(above)
    return frame
