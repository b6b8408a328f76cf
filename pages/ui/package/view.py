"""The parts of Published release: one area, the map, all numbers, the certificate.

All come from the files of the package. From the session, only the widgets of this page are read,
and nothing is stored there for other pages.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from hierdp_core.exceptions import ReleaseError
from hierdp_core.figures import published
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import Theme
from hierdp_core.releases import Package
from hierdp_core.releases.package.tables import MISSING_FLOWS
from pages.ui.package import package_words as words
from pages.ui.package.opened import Opened
from pages.ui.shell import cache, charts, session, tables, widgets
from pages.ui.shell.reach import only_here
from pages.ui.shell.signed import signed

_FIELD = f"{session.WIDGETS}package-"
_MOST_ROWS = 25  # largest number of rows of a chart
_NUMBERS = ["value", "margin", "low", "high"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Shown:
    """One area of a package, as a reader chose it.

    Attributes:
        opened: the package.
        level: the name of the area's level.
        id: the code of the area; for flows, the code of the origin.
        name: the name of the area.
    """

    opened: Opened
    level: str
    id: str
    name: str

    @property
    def package(self) -> Package:
        """The whole package."""
        return self.opened.package

    @property
    def rows(self) -> pd.DataFrame:
        """The released numbers of the level."""
        return self.package.tables[self.level]

    @property
    def of_area(self) -> pd.DataFrame:
        """The released numbers of the area: one, or one per size or destination."""
        return self.rows[self.rows[_column(self.rows)[0]].astype(str) == self.id]

    @property
    def level_of_margins(self) -> float:
        """The confidence level of the margins, such as 0.9."""
        return words.level_of_margins(self.package)


def guarantee(opened: Opened) -> None:
    """State what was released, what it guarantees, and who signed it."""
    package = opened.package
    if opened.is_uploaded:
        st.caption(words.UPLOADED)
    st.markdown(words.heading(package))
    st.markdown(package.guarantee)
    st.caption(signed(package))


def choice(opened: Opened) -> Shown:
    """Ask for a level and an area."""
    by_level = opened.package.tables
    levels = [level for level, rows in by_level.items() if len(rows)]
    if not levels:
        raise ReleaseError("The package has no released numbers. Open another package.")
    left, right = st.columns([1, 2])
    with left:
        level = st.selectbox(
            "Level", levels, index=len(levels) - 1, key=session.identity(f"{_FIELD}level")
        )
    rows = by_level[level]
    code, name = _column(rows)
    names = rows.drop_duplicates(code).set_index(code)[name].astype(str)
    with right:
        selection = widgets.selectbox(
            "Area" if "id" in rows else "Origin",
            list(names.index),
            format_func=lambda one: words.area(names[one], one),
            key=f"{_FIELD}area-{level}",
            help=words.FIND,
        )
    return Shown(opened=opened, level=level, id=str(selection), name=names[selection])


def profile(package_view: Shown) -> None:
    """Show one area with its margins and, for counts, its sub-areas."""
    own = package_view.of_area
    detail = _detail(own)
    if detail is None:
        st.markdown(
            words.finding(package_view.name, own.iloc[0], level=package_view.level_of_margins)
        )
        _sub_areas(package_view)
        return
    title, labels = detail
    _intervals(own.assign(label=labels), f"{package_view.name}, {title}", package_view, key="own")


def _sub_areas(package_view: Shown) -> None:
    order = list(package_view.package.tables)
    below = order[order.index(package_view.level) + 1 :]
    if not below or "parent" not in (rows := package_view.package.tables[below[0]]):
        return
    inside = rows[rows["parent"].astype(str) == package_view.id]
    if len(inside):
        largest = inside.sort_values("value", ascending=False, kind="stable")
        title = f"{words.SUB_AREAS} of {package_view.name}, by {below[0]}"
        _intervals(
            largest.assign(label=largest["name"].astype(str)),
            title,
            package_view,
            key="below",
            level=below[0],
        )


def _intervals(
    rows: pd.DataFrame, title: str, package_view: Shown, *, key: str, level: str | None = None
) -> None:
    """Draw the first rows, of one area or of the sub-areas at `level`."""
    first = rows.head(_MOST_ROWS)
    chart = published.intervals(first, title=title, level=package_view.level_of_margins)
    charts.show(chart, key=f"package-{key}", heading=True)
    if len(first) < len(rows):
        st.caption(words.drawn(len(first), len(rows), level))


def map_of(package_view: Shown) -> None:
    """Show a map of margins relative to the released numbers, if the package has the areas' shapes.

    For a release in parts, also show maps of the levels without a table.
    """
    opened, package = package_view.opened, package_view.package
    levels = [package_view.level, *(level for level in package.maps if level not in package.tables)]
    drawn = [level for level in levels if level in package.maps]
    if not drawn:
        st.caption(words.NO_MAP)
    elif opened.is_uploaded and not only_here():  # no untrusted files for the library of maps
        st.caption(words.NO_UPLOADED_MAP)
    else:
        size = None
        if "size" in package_view.rows:
            sizes = list(dict.fromkeys(package_view.rows["size"].astype(str)))
            size = widgets.selectbox("Size on the map", sizes, key=f"{_FIELD}size")
        for level in drawn:
            chart = _map(opened.ticket, level, size, charts.theme(), package)
            charts.show(chart, key=f"package-map-{level}", heading=True)


@cache.remembered(max_entries=8, show_spinner="Drawing the map")
def _map(ticket: str, level: str, size: str | None, theme: Theme, _package: Package) -> Chart:
    shapes = _package.shapes(level)
    assert shapes is not None
    if size is not None:
        shapes = shapes.rename(columns={f"{name}_{size}": name for name in _NUMBERS})
    return published.margin_map(shapes, title=words.margin_map(level, size=size), theme=theme)


def numbers(package_view: Shown) -> None:
    """Show every released number of the level."""
    st.markdown(f"## All numbers by {package_view.level}")
    rows = package_view.rows.drop(columns="level")
    tables.grid(rows, hide_index=True, column_config=tables.columns(rows, words.COLUMNS))
    if "destination" in rows:
        st.caption(MISSING_FLOWS)
    if "size" in rows:
        st.caption(words.LARGEST_SIZE)
    if "bias" in rows:
        st.caption(words.BIAS)
    if package_view.package.parts:
        st.caption(words.IN_PARTS)


def certificate(package: Package) -> None:
    """Show the certificate, and offer its page."""
    st.markdown("## Certificate")
    facts = words.facts(package.certificate)
    st.dataframe(pd.DataFrame(facts, columns=["Fact", "Statement"]), hide_index=True)
    st.download_button(
        "Download the certificate",
        package.page,
        file_name="certificate.html",
        mime="text/html",
        icon=":material/verified:",
    )


def _column(rows: pd.DataFrame) -> tuple[str, str]:
    """Return the columns with code and name of the area that a row belongs to."""
    return ("id", "name") if "id" in rows else ("origin", "origin_name")


def _detail(rows: pd.DataFrame) -> "tuple[str, pd.Series[Any]] | None":
    """Return labels that distinguish the numbers of an area; None if it has one number."""
    if "size" in rows:
        return "by size", rows["size"].astype(str)
    if "destination" in rows:
        return "by destination", rows["destination_name"].astype(str)
    return None
