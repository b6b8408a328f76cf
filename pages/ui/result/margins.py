"""The parts of Result in parts for a release: only released numbers with their margins."""

import pandas as pd
import streamlit as st

from hierdp_core.figures import published
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import Theme
from hierdp_core.releases import Package
from hierdp_core.util.escaping import in_markdown
from pages.ui.result import result_words as words
from pages.ui.result.opened import Area
from pages.ui.shell import cache, charts
from pages.ui.shell.announcer import announce

_MOST_ROWS = 25  # largest number of rows of a chart
NUMBERS = {
    "released": st.column_config.NumberColumn("Released", format="localized"),
    "margin": st.column_config.NumberColumn("Margin of error", format="localized"),
    "low": st.column_config.NumberColumn("From", format="localized"),
    "high": st.column_config.NumberColumn("To", format="localized"),
    "note": st.column_config.TextColumn("Note"),
}
_LEVELS = {
    "level": st.column_config.TextColumn("Level"),
    "from": st.column_config.NumberColumn("Released, from", format="localized"),
    "to": st.column_config.NumberColumn("Released, up to", format="localized"),
    "numbers": st.column_config.NumberColumn("Numbers", format="localized"),
    "median_margin": st.column_config.NumberColumn("Median margin", format="localized"),
    "without_margin": st.column_config.NumberColumn("Without a margin", format="percent"),
    "within_a_tenth": st.column_config.NumberColumn("Margin at most 10%", format="percent"),
}


def headline(area: Area) -> None:
    """Show the released number of the area with its margin as the title."""
    own, name = area.rows.iloc[0], area.names_above[-1]
    if area.sizes is not None:
        title = words.released_by_size(name, own["released"])
    else:
        margin = None if pd.isna(own["margin"]) else float(own["margin"])
        title = words.released_title(name, own["released"], margin)
    st.title(in_markdown(title), anchor=False)
    st.badge(words.RELEASED, color="green", icon=":material/publish:")
    st.caption(f"{words.MARGINS} {words.interval(_level(area.result.package))}")
    announce(title)


def sizes(area: Area) -> None:
    """Show the groups of the area by size, each number with its interval."""
    assert area.sizes is not None
    title = words.groups_by_size(area.names_above[-1])
    _intervals(area, area.sizes.assign(label=area.sizes["size"].astype(str)), title, key="sizes")


def sub_areas(around: Area, rows: pd.DataFrame, *, marked: bool) -> None:
    """Show the largest sub-areas with their intervals, and a map if the package has one.

    Args:
        around: the area that contains them.
        rows: the sub-areas, as in `Area.rows`.
        marked: whether one of them is the area on the page.
    """
    if "margin" not in rows or marked:
        return
    largest = rows.sort_values("released", ascending=False, kind="stable").head(_MOST_ROWS)
    level = around.level_below
    title = words.largest(level, around.names_above[-1])
    _intervals(
        around, largest.rename(columns={"released": "value", "name": "label"}), title, key="below"
    )
    package = around.result.package
    assert package is not None
    if level in package.maps:
        chart = _map(around.result.ticket, around.above, charts.theme(), around)
        charts.show(chart, key="result-released-map", heading=True)


def levels(package: Package) -> None:
    """Show margins relative to the numbers, by level and size of the number."""
    st.markdown(f"## {words.MARGINS_BY_LEVEL}")
    rows = pd.DataFrame(package.certificate["fitness_for_use"])
    st.dataframe(rows, hide_index=True, column_config=_LEVELS)
    st.caption(words.MARGINS_BY_LEVEL_NOTE)


@cache.remembered(max_entries=8, show_spinner="Drawing the map")
def _map(ticket: str, above: tuple[str, ...], theme: Theme, _around: Area) -> Chart:
    package, level = _around.result.package, _around.level_below
    shapes = None if package is None else package.shapes(level)
    assert shapes is not None
    inside = shapes[shapes["id"].astype(str).isin(_around.below["id"])]
    names = _around.below.set_index("id")["name"]
    title = words.margin_map(level, _around.names_above[-1])
    return published.margin_map(
        inside.assign(name=inside["id"].map(names)), title=title, theme=theme
    )


def _intervals(area: Area, rows: pd.DataFrame, title: str, *, key: str) -> None:
    chart = published.intervals(rows, title=title, level=_level(area.result.package))
    charts.show(chart, key=f"result-{key}", heading=True)


def _level(package: Package | None) -> float:
    assert package is not None
    return float(package.certificate["margins"]["level"])
