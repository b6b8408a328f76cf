"""One area of a release in parts with its margins, read without the rows of most other areas.

The cut is the level whose areas are the roots of the parts.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hierdp_core.exceptions import ChoiceError, HierarchyError, ReleaseError
from hierdp_core.releases.package.reading import Package, content_of_part
from hierdp_core.releases.package.writing import CERTIFICATE
from hierdp_core.scale.looking import no_area
from hierdp_core.util.text import counted, join_or

COLUMNS = ("level", "id", "name", "size", "value", "margin", "low", "high", "note")
_NEEDED = {"level", "id", "name", "parent", "value", "margin", "low", "high"}
_UNREADABLE = "{file} cannot be read. Copy the whole package again."
RELEASED_ALONE = (
    "{path} is a release, and a release is shown without the exact table. Leave out that table."
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
    of the package's tables without `parent` and `bias`. `DataFrame.attrs["above"]` has the codes
    from the root to the area.

    Args:
        package: a package from `open_release`.
        area: the code of the area; the root by default.
        level: the level of the area, if several levels have its code; by default the highest.

    Raises:
        ChoiceError: no area has this code.
        HierarchyError: there is no such level.
        ReleaseError: the package has no hierarchy of areas, is damaged, or a part cannot be read.
    """
    levels = levels_of_release(package)
    if level is not None and level not in levels:
        raise HierarchyError(
            f'There is no level "{level}" in this package. Choose {join_or(levels)}.'
        )
    top = list(package.tables)
    _require_areas(package, levels)
    code = str(package.tables[top[0]]["id"].iloc[0]) if area is None else area
    for name in top:
        if level in (None, name) and (package.tables[name]["id"] == code).any():
            return _area_above(package, top, name, code)
    roots = list(dict.fromkeys(package.tables[top[-1]]["id"]))
    # Many codes begin with that of the area above, so parts with such a root are read first.
    for number in sorted(range(len(package.parts)), key=lambda k: not code.startswith(roots[k])):
        rows = _rows(package, number, [("id", "==", code)])
        for name in levels[len(top) :]:
            if level in (None, name) and (own := rows[rows["level"] == name]).size:
                return _area_in_part(package, number, levels, own)
    raise ChoiceError(no_area("the release", code, level))


def _require_areas(package: Package, levels: Sequence[str]) -> None:
    """Require tables of a hierarchy of areas, and a part for each area of the last table.

    Raises:
        ReleaseError: the package, which anyone may have written, has other tables or parts.
    """
    tables = list(package.tables.values())
    if not tables or any(rows.empty or "parent" not in rows for rows in tables):
        raise ReleaseError(
            "The package has no hierarchy of areas. Read its tables with open_release instead."
        )
    n_roots, n_below = tables[-1]["id"].nunique(), len(levels) - len(tables)
    if package.parts and (len(package.parts) != n_roots or n_below < 1):
        raise ReleaseError(
            f"The package has {counted(len(package.parts), 'part')} below "
            f"{counted(n_roots, 'area')}. It is damaged. Get it from its publisher again."
        )


def _area_above(package: Package, top: Sequence[str], name: str, code: str) -> pd.DataFrame:
    """Return an area whose level has a separate table, and the areas directly below it."""
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
    """Return an area below the cut and the areas directly below it, after reading its ancestors."""
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
        raise ReleaseError(
            f"The package has no area {area}, although it has areas below it. It is "
            "damaged. Get it from its publisher again."
        )
    return str(rows["parent"].iloc[0])


def _inside(package: Package, number: int, level: str, parent: str) -> pd.DataFrame:
    return _rows(package, number, [("level", "==", level), ("parent", "==", parent)])


def _rows(package: Package, number: int, filters: list[tuple[str, str, str]]) -> pd.DataFrame:
    """Return the rows of a part that have these values, without decoding all groups of rows."""
    file, content = package.parts[number], content_of_part(package, number)
    try:
        rows: pd.DataFrame = pq.read_table(pa.BufferReader(content), filters=filters).to_pandas()
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
