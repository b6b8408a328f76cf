"""Maps of relative error, by default with the same classes on all of them.

Boundaries are on a display plane (see `hierdp_core.maps.boundaries`), which the equirectangular
projection shows without distortion.
"""

from dataclasses import replace
from textwrap import wrap

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps.scale import LABELS, SHARED, UNDEFINED, Scale
from hierdp_core.figures.style import GREY, VERMILION, Theme, bare
from hierdp_core.maps.boundaries import Box, MapLayer
from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import paragraph, percent

BORDER: dict[Theme, str] = {"light": "rgba(70,60,50,0.4)", "dark": "rgba(225,220,215,0.3)"}
_HOVER = (
    "<b>%{customdata[0]}</b><br>true count %{customdata[1]:,.2~f} UNIT<br>"
    "simulated release %{customdata[2]:,.2~f}<br>"
    "error %{customdata[3]:+,.2~f} (%{customdata[4]})<extra></extra>"
)
_CAPTION_LINE, _CAPTION_GAP, _LETTER = 16, 4, 5  # pixels of the caption under a map
_SHORTEST_LINE = 30  # letters
_NARROWER = 0.65  # the width of a map on a tablet, relative to the planned width
_FEW, _MANY = 80, 600  # regions on a map: borders are thinner above the first, none above the other


def error_map(
    regions: pd.DataFrame,
    layer: MapLayer,
    *,
    box: Box,
    unit: str,
    height: int = 240,
    marked: str | None = None,
    theme: Theme = "light",
    scale: Scale = SHARED,
) -> go.Figure:
    """Draw a map of the relative error of one simulation.

    Args:
        regions: the rows of `by_region_errors` to draw.
        layer: the polygons of the regions.
        box: the part of the display plane to show.
        unit: what is counted, plural.
        height: pixels.
        marked: the code of a region to draw a line around.
        theme: the theme of the page.
        scale: the classes and colours.
    """
    undefined = regions["rel_error"].isna().to_numpy()
    figure = go.Figure()
    _add(figure, regions[~undefined], layer, unit, theme=theme, scale=scale)
    _add(figure, regions[undefined], layer, unit, theme=theme, scale=scale)
    figure.update_traces(marker_line_width=border_width(len(regions)))
    if marked is not None:
        figure.add_choropleth(
            geojson=layer.polygons,
            locations=[marked],
            z=[0],
            colorscale=["rgba(0,0,0,0)", "rgba(0,0,0,0)"],
            showscale=False,
            marker={"line": {"color": VERMILION, "width": 3}},
            hoverinfo="skip",
        )
    return ground(figure, layer, box, height=height)


def ground(
    figure: go.Figure, layer: MapLayer, box: Box, *, height: int, below: int = 0
) -> go.Figure:
    """Return the figure with a part of the display plane, without frame or outlines.

    Args:
        figure: the figure, which has the polygons of `layer`.
        layer: the layer, whose caption is placed at the bottom.
        box: the part of the display plane to show.
        height: the height of the map in pixels, without the caption.
        below: pixels between map and caption, such as for a legend.
    """
    x0, x1, y0, y1 = box
    margin_x, margin_y = 0.01 * (x1 - x0), 0.01 * (y1 - y0)
    figure.update_geos(
        visible=False,
        projection_type="equirectangular",
        lonaxis_range=[x0 - margin_x, x1 + margin_x],
        lataxis_range=[y0 - margin_y, y1 + margin_y],
        bgcolor="rgba(0,0,0,0)",
    )
    bare(figure, height=height + below)
    figure.update_layout(showlegend=False, clickmode="event+select")
    return captioned(figure, layer, width=height * (x1 - x0) / (y1 - y0), below=below)


def with_legend_below(figure: go.Figure) -> go.Figure:
    """Return the figure with its legend in a line under the map, where `ground` left room."""
    return figure.update_layout(
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 0,
            "yanchor": "top",
            "itemclick": False,
            "itemdoubleclick": False,
        },
    )


def movable(chart: Chart, *, name: str) -> Chart:
    """Return the chart with a map that can be dragged and zoomed.

    Args:
        chart: a map.
        name: a name for the map. If it changes, the whole map is shown again.
    """
    figure = go.Figure(chart.figure)
    buttons = {"bgcolor": "rgba(0,0,0,0)", "color": GREY, "activecolor": VERMILION}
    figure.update_layout(dragmode="pan", uirevision=name, modebar=buttons)
    return replace(chart, figure=figure)


def captioned(figure: go.Figure, layer: MapLayer, *, width: float, below: int = 0) -> go.Figure:
    """Return the figure with the caption of its boundaries below it, which makes it higher.

    Args:
        figure: a figure with a height and without a margin at the bottom.
        layer: the layer with the caption.
        width: the approximate width of the map in pixels; a longer caption has several lines.
        below: pixels between map and caption.
    """
    lines = wrap(layer.caption, max(_SHORTEST_LINE, int(_NARROWER * width / _LETTER)))
    space = below + _CAPTION_LINE * len(lines) + _CAPTION_GAP
    figure.add_annotation(
        text="<br>".join(map(in_html, lines)),
        align="left",
        xref="paper",
        yref="paper",
        x=0,
        y=0,
        xanchor="left",
        yanchor="top",
        yshift=-below - _CAPTION_GAP,
        showarrow=False,
        font={"size": 10},  # in the colour that the theme gives to small print
    )
    return figure.update_layout(height=figure.layout.height + space - below, margin={"b": space})


def height_for(box: Box, width: float) -> int:
    """Return the height in pixels of a map of `box` at a width, within bounds."""
    x0, x1, y0, y1 = box
    return round(min(440, max(130, 12 + width * (y1 - y0) / (x1 - x0))))


def table(regions: pd.DataFrame) -> pd.DataFrame:
    """Return the map as a table indexed by code, with the largest relative error first."""
    columns = ["name", "true", "released", "error", "rel_error"]
    rows = regions.sort_values("rel_error", ascending=False, kind="stable", na_position="last")
    return rows.set_index("id")[columns]


def alt(regions: pd.DataFrame, *, title: str, unit: str) -> str:
    """Return the alternative text of the map, in two or three sentences."""
    relative = regions["rel_error"]
    undefined = int(relative.isna().sum())
    median = ""
    if relative.notna().any():
        worst = regions.iloc[int(relative.argmax())]
        median = f"It is {percent(float(relative.median()))}."
        if len(regions) > 1 and not worst["rel_error"]:
            median = "All relative errors are 0%."
        elif len(regions) > 1:
            largest = f"{percent(float(relative.max()))} in {worst['name']}"
            median = f"The median is {percent(float(relative.median()))}, the largest {largest}."
    one = len(regions) == 1 and not title[:1].isdigit()  # the title is that of its level
    areas = f"the {title[:1].lower()}{title[1:]}" if one else title
    return paragraph(
        f"Map of {areas}: relative error of the number of {unit} in one simulation.",
        median,
        f"Areas with a true count of 0, which have no relative error: {undefined:,}."
        if undefined
        else "",
    )


def class_counts(regions: pd.DataFrame) -> pd.DataFrame:
    """Return the number of regions in each class of relative error."""
    classes = SHARED.classes(regions["rel_error"].to_numpy(dtype=np.float64))
    counts = np.bincount(classes[classes >= 0], minlength=len(LABELS))
    return pd.DataFrame({"relative error": LABELS, "areas": counts})


def _add(
    figure: go.Figure,
    rows: pd.DataFrame,
    layer: MapLayer,
    unit: str,
    *,
    theme: Theme,
    scale: Scale,
) -> None:
    if rows.empty:
        return
    z = scale.classes(rows["rel_error"].to_numpy(dtype=np.float64))
    of_none = [(0.0, UNDEFINED[theme]), (1.0, UNDEFINED[theme])]
    figure.add_choropleth(
        geojson=layer.polygons,
        locations=rows["id"].to_numpy(dtype=object),
        z=z,
        zmin=-0.5,
        zmax=len(scale.labels) - 0.5,
        colorscale=of_none if z[0] < 0 else scale.colour_scale(theme),
        showscale=False,
        marker={"line": {"color": BORDER[theme]}},
        # A click selects a polygon: without these two, all others would fade.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=_hover(rows),
        hovertemplate=_HOVER.replace("UNIT", unit),
    )


def border_width(regions: int) -> float:
    """Return the width in pixels of borders on a map with this number of regions."""
    if regions == 1:  # a wider line would hide small islands
        return 0.25
    if regions <= _FEW:
        return 0.4
    return 0.25 if regions <= _MANY else 0.0


def _hover(rows: pd.DataFrame) -> npt.NDArray[np.object_]:
    """Return name, true, released, error and relative error as text, for `_HOVER`.

    This is an array, since Plotly checks the entries of a list one by one.
    """
    hover = rows[["name", "true", "released", "error"]].astype(object)
    hover["relative"] = [percent(relative) for relative in rows["rel_error"]]
    return hover.to_numpy()


def chart(
    regions: pd.DataFrame,
    layer: MapLayer,
    *,
    title: str,
    box: Box,
    unit: str,
    height: int,
    marked: str | None = None,
    theme: Theme = "light",
    scale: Scale = SHARED,
) -> Chart:
    """Return the map with its table and its text; for the arguments see `error_map`."""
    return Chart(
        title=title,
        figure=error_map(
            regions,
            layer,
            box=box,
            unit=unit,
            height=height,
            marked=marked,
            theme=theme,
            scale=scale,
        ),
        alt=alt(regions, title=title, unit=unit),
        table=table(regions),
        key=scale.legend(theme, undefined=bool(regions["rel_error"].isna().any())),
    )
