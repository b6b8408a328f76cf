"""The simulation or release in parts that the page shows; areas are read when they are shown.

These are a user's own data: they are cached only in that session, and no address names them. A
release is shown with its margins of error, and never with the exact table.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from hierdp_core.desktop import offered
from hierdp_core.exceptions import ChoiceError, HierarchyError
from hierdp_core.hierarchy import Regions
from hierdp_core.readers.limits import PATHS
from hierdp_core.releases import Package, open_release
from hierdp_core.releases.parts.looking import (
    RELEASED_ALONE,
    is_package,
    levels_of_release,
    read_released_area,
)
from hierdp_core.samples.sample import Sample
from hierdp_core.scale import PartitionedTable, read_area
from hierdp_core.scale.looking import levels_of
from pages.ui.result import result_words as words
from pages.ui.shell import cache, datasets, session, widgets
from pages.ui.shell.reach import only_here

_FIELD = f"{session.WIDGETS}result-"


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """A simulation in parts with its exact table, or a release in parts.

    Attributes:
        folder: the folder of the simulation or of the package.
        levels: the names of all levels.
        table: the exact table; None if it was not named, and for a release.
        sample: the sample with boundaries and names of the areas; None if there is none.
        package: the package of the release; None for a simulation.
    """

    folder: Path
    levels: tuple[str, ...]
    table: PartitionedTable | None
    sample: Sample | None
    package: Package | None = None

    @property
    def ticket(self) -> str:
        """The key of the result in the caches of this session."""
        exact = "" if self.table is None else self.table.folder
        return f"{cache.PRIVATE}{self.folder}\n{exact}"

    @property
    def unit(self) -> str:
        """The plural noun for what is counted."""
        if self.table is None:
            return "counts"
        labels = self.table.labels
        return str(labels["unit"] if "unit" in labels else labels["group"])

    def place(self, text: str) -> tuple[str | None, str]:
        """Return the level and the code of an area from its name; other text is a code.

        The part of a name after its comma may be left out, such as the state of a county.

        Raises:
            ChoiceError: several areas have this name.
        """
        columns = dict.fromkeys(
            (regions.levels[regions.tree.level_of[node]], regions.ids[node])
            for regions in self._named
            for node, name in enumerate(regions.names)
            if _is_called(name, text) and regions.levels[regions.tree.level_of[node]] in self.levels
        )
        released = self._released_names.items()
        columns |= dict.fromkeys(area for area, name in released if _is_called(name, text))
        if len(columns) > 1:
            raise ChoiceError(words.several(text, [code for _, code in columns]))
        return next(iter(columns), (None, text))

    @property
    def _named(self) -> list[Regions]:
        known = [self.table.upper] if self.table else []
        return known + ([self.sample.table.regions] if self.sample else [])

    def name(self, level: str, id: str) -> str:
        """Return the name of an area, or its level and code if it has no name."""
        for regions in self._named:
            node = node_of(regions, level, id)
            if node is not None and regions.names[node] != id:
                return regions.names[node]
        return self._released_names.get((level, id), f"{level} {id}")

    @cached_property
    def _released_names(self) -> dict[tuple[str, str], str]:
        """The names of the areas in a package's tables, if they differ from the codes."""
        tables = {} if self.package is None else self.package.tables
        return {
            (level, str(id)): str(name)
            for level, rows in tables.items()
            for id, name in zip(rows["id"], rows["name"], strict=True)
            if id != name
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Area:
    """An area and the areas directly below it, as returned by `read_area`.

    Attributes:
        result: the simulation or release that contains the area.
        above: codes from the root to the area.
        rows: one row per area, the area itself first: `id`, `name`, `true`, `released`, `error`,
            `rel_error`; without an exact table, `true` and both errors are missing. A release
            also has `margin`, `low`, `high` and `note`, except for group sizes.
        by_size: true and released groups of the area itself by size; None for counts, without an
            exact table, and for a release.
        privacy: the guarantee in words.
        sizes: for a release of group sizes, the numbers of the area itself with their margins.
    """

    result: Result
    above: tuple[str, ...]
    rows: pd.DataFrame
    by_size: tuple[Any, Any] | None
    privacy: str
    sizes: pd.DataFrame | None = None

    @property
    def depth(self) -> int:
        return len(self.above) - 1

    @property
    def level(self) -> str:
        return self.result.levels[self.depth]

    @property
    def below(self) -> pd.DataFrame:
        """The areas directly below."""
        return self.rows.iloc[1:]

    @property
    def level_below(self) -> str:
        return self.result.levels[self.depth + 1]

    @property
    def is_leaf(self) -> bool:
        return self.depth == len(self.result.levels) - 1

    @property
    def names_above(self) -> list[str]:
        """The names from the root to the area."""
        pairs = zip(self.result.levels, self.above, strict=False)
        return [self.result.name(level, id) for level, id in pairs]


def result() -> Result:
    """Return the result that the app was started with, or that was named on the page.

    Raises:
        HierdpError: no folder was given, other machines can connect to the app, or the folder has
            no result in parts.
    """
    if not only_here():
        raise ChoiceError(words.NOT_ALONE)
    paths = (os.environ.get(offered.RESULT, ""), os.environ.get(offered.RESULT_TABLE, ""))
    if os.environ.get(PATHS):
        paths = _asked(paths)
    if not paths[0]:
        raise ChoiceError(words.NOTHING)
    return _opened(f"{cache.PRIVATE}{paths}", *paths)


def area(result: Result, level: str | None, id: str | None) -> Area:
    """Return an area, the root by default.

    Raises:
        HierdpError: there is no such area, or a part is damaged.
    """
    return _area(result.ticket, level, id, result)


def _asked(paths: tuple[str, str]) -> tuple[str, str]:
    """Ask for the folders, if the app was started with `hierdp --paths`."""
    left, right = st.columns(2)
    with left:
        folder = widgets.text_input(words.FOLDER, key=session.seeded(f"{_FIELD}folder", paths[0]))
    with right:
        table = widgets.text_input(words.TABLE, key=session.seeded(f"{_FIELD}table", paths[1]))
    return folder.strip(), table.strip()


@cache.remembered(max_entries=2)
def _opened(ticket: str, folder: str, table: str) -> Result:
    if is_package(folder):
        if table:
            raise ChoiceError(RELEASED_ALONE.format(path=folder))
        package = open_release(folder)
        return Result(
            folder=Path(folder),
            levels=levels_of_release(package),
            table=None,
            sample=None,
            package=package,
        )
    exact = PartitionedTable.open(table) if table else None
    boundaries = "" if exact is None else exact.boundaries_of
    return Result(
        folder=Path(folder),
        levels=levels_of(folder),
        table=exact,
        sample=datasets.get(boundaries) if boundaries else None,
    )


@cache.remembered(max_entries=64)
def _area(ticket: str, level: str | None, id: str | None, _result: Result) -> Area:
    if _result.package is not None:
        return _released_area(_result, _result.package, level, id)
    exact = None if _result.table is None else _result.table.folder
    frame = read_area(_result.folder, id, level=level, table=exact)
    by_size = None
    if "size" in frame:
        own = frame[frame["id"] == frame["id"].iloc[0]]
        own = own[own["level"] == own["level"].iloc[0]]
        if exact is not None:
            by_size = own["exact"].to_numpy(), own["released"].to_numpy()
    return Area(
        result=_result,
        above=frame.attrs["above"],
        rows=_one_row_an_area(frame, _result),
        by_size=by_size,
        privacy=frame.attrs["privacy"],
    )


def _released_area(result: Result, package: Package, level: str | None, id: str | None) -> Area:
    frame = read_released_area(package, id, level=level)
    above, sizes = frame.attrs["above"], None
    rows = frame.rename(columns={"value": "released"})
    if "size" in frame:
        first = frame.iloc[0]
        sizes = frame[(frame["id"] == first["id"]) & (frame["level"] == first["level"])]
        rows = rows.groupby(["level", "id"], sort=False)["released"].sum().reset_index()
    pairs = zip(rows["level"], rows["id"], strict=True)
    return Area(
        result=result,
        above=above,
        rows=rows.assign(name=[result.name(*pair) for pair in pairs]),
        by_size=None,
        privacy=package.guarantee,
        sizes=sizes,
    )


def _one_row_an_area(frame: pd.DataFrame, result: Result) -> pd.DataFrame:
    """Return the rows of `Area.rows`; for group sizes, the error is the total (L1) error."""
    exact = "exact" in frame
    numbers = {"released": ("released", "sum")}
    if exact:
        frame = frame.assign(size_error=frame["error"].abs() if "size" in frame else frame["error"])
        numbers |= {"true": ("exact", "sum"), "error": ("size_error", "sum")}
    rows = frame.groupby(["level", "id"], sort=False).agg(**numbers).reset_index()
    rows["name"] = [result.name(*pair) for pair in zip(rows["level"], rows["id"], strict=True)]
    if not exact:
        return rows
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(rows["true"] > 0, rows["error"].abs() / rows["true"], np.nan)
    return rows.assign(rel_error=relative)


def _is_called(name: str, text: str) -> bool:
    return text.casefold() in (name.casefold(), name.casefold().split(", ")[0])


def node_of(regions: Regions, level: str, id: str) -> int | None:
    """Return the number of an area in a hierarchy; None if the hierarchy does not have it."""
    if level not in regions.levels:
        return None
    try:
        return regions.node(id, regions.level_index(level))
    except HierarchyError:
        return None
