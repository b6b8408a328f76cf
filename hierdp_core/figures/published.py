"""Released numbers with their margins of error, for the readers of a package.

The input is the tables of a package, which contain no true counts.
"""

from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps.error_map import (
    BORDER,
    border_width,
    ground,
    height_for,
    with_legend_below,
)
from hierdp_core.figures.maps.scale import SHARED, UNDEFINED
from hierdp_core.figures.style import BLUE, Theme, bare, with_own_margins
from hierdp_core.maps.boundaries import Box, MapLayer, geometries
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.text import confidence, counted, paragraph, percent, whole

CAPTION = "Boundaries from the package"
NO_SHARE: Final = "no relative margin: the number is 0, or its margin is not known"
_HOVER = (
    "<b>%{customdata[0]}</b><br>released number %{customdata[1]}<br>"
    "margin of error %{customdata[2]} (%{customdata[3]})<extra></extra>"
)
_ROW, _FRAME = 24, 60  # pixels of a number, and of the axis and its title
_LEAST_HEIGHT = 150
_LEGEND = 60  # pixels
_WIDTH = 980  # pixels of a map on a usual screen
_PAIR, _REST = ("value", "margin"), ("margin", "low", "high")
_TITLES = {"label": "", "value": "released", "margin": "margin", "low": "from", "high": "to"}


def relative_margins(rows: pd.DataFrame) -> FloatArray:
    """Return the margin of each number divided by the number; NaN if it is not defined.

    >>> rows = pd.DataFrame({"value": [200, 0, 5], "margin": [20, 3, None]})
    >>> relative_margins(rows).tolist()
    [0.1, nan, nan]
    """
    value, margin = (rows[name].to_numpy(np.float64, na_value=np.nan) for name in _PAIR)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: FloatArray = np.where(value > 0, margin / value, np.nan)
    return shares


def intervals(rows: pd.DataFrame, *, title: str, level: float) -> Chart:
    """Return released numbers as dots on their intervals, in the order of the rows.

    Args:
        rows: `label`, `value`, `margin`, `low` and `high`; missing limits draw no interval.
        title: the title of the chart.
        level: the confidence of the margins, such as 0.9.
    """
    plain = rows[list(_TITLES)].astype(dict.fromkeys(("value", *_REST), "float64"))
    labels = list(plain["label"])
    figure = go.Figure()
    figure.add_scatter(
        x=plain["value"],
        y=np.arange(len(plain)),
        mode="markers",
        marker={"color": BLUE, "size": 9},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": (plain["high"] - plain["value"]).fillna(0),
            "arrayminus": (plain["value"] - plain["low"]).fillna(0),
            "color": BLUE,
        },
        customdata=_hover(plain["label"], plain),
        hovertemplate=_HOVER,
    )
    bare(figure, height=max(_LEAST_HEIGHT, _FRAME + _ROW * len(plain)))
    figure.update_layout(showlegend=False, margin={"r": 14, "t": 8})
    figure.update_xaxes(title="released number", rangemode="tozero", fixedrange=True, nticks=6)
    figure.update_yaxes(
        tickvals=np.arange(len(plain)), ticktext=labels, autorange="reversed", fixedrange=True
    )
    return Chart(
        title=title,
        figure=with_own_margins(figure, labels),
        alt=f"{title}. The chart shows {counted(len(plain), 'released number')} with "
        f"{confidence(level)} intervals.",
        table=rows[list(_TITLES)].rename(columns={**_TITLES, "label": "name"}),
    )


def margin_map(shapes: Any, *, title: str, theme: Theme = "light") -> Chart:
    """Return a map of margins of error relative to the released numbers.

    Args:
        shapes: a GeoDataFrame with `id`, `name`, `value` and `margin`.
        title: the title of the chart.
        theme: the theme of the page.
    """
    rows = pd.DataFrame(shapes.drop(columns="geometry"))
    layer, box = _layer(shapes)
    shares = relative_margins(rows)
    has_margin = ~np.isnan(shares)
    figure = go.Figure()
    for some, ramp in (
        (has_margin, SHARED.colour_scale(theme)),
        (~has_margin, [(0.0, UNDEFINED[theme]), (1.0, UNDEFINED[theme])]),
    ):
        if some.any():
            _add(figure, rows[some], shares[some], layer, ramp, theme=theme, n=len(rows))
    _add_legend(figure, theme, undefined=not has_margin.all())
    ground(figure, layer, box, height=height_for(box, _WIDTH), below=_LEGEND)
    with_legend_below(figure)
    return Chart(title=title, figure=figure, alt=_alt(rows, shares, title), table=_table(rows))


def _add(
    figure: go.Figure,
    rows: pd.DataFrame,
    shares: FloatArray,
    layer: MapLayer,
    ramp: list[tuple[float, str]],
    *,
    theme: Theme,
    n: int,
) -> None:
    figure.add_choropleth(
        geojson=layer.polygons,
        locations=rows["id"].to_numpy(dtype=object),
        z=SHARED.classes(shares),
        zmin=-0.5,
        zmax=len(SHARED.labels) - 0.5,
        colorscale=ramp,
        showscale=False,
        showlegend=False,
        marker={"line": {"color": BORDER[theme], "width": border_width(n)}},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=_hover(rows["name"], rows),
        hovertemplate=_HOVER,
    )


def _add_legend(figure: go.Figure, theme: Theme, *, undefined: bool) -> None:
    entries = list(zip(SHARED.colours(theme), SHARED.labels, strict=True))
    for colour, meaning in [*entries, *([(UNDEFINED[theme], NO_SHARE)] if undefined else [])]:
        figure.add_scattergeo(
            lon=[None],
            lat=[None],
            mode="markers",
            marker={"symbol": "square", "size": 12, "color": colour},
            name=meaning,
        )


def _layer(shapes: Any) -> tuple[MapLayer, Box]:
    """Return polygons with approximately correct proportions, and their bounding box."""
    import shapely

    drawn = np.asarray(shapes.geometry)
    if shapes.crs is not None and shapes.crs.is_geographic:
        low, high = shapely.total_bounds(drawn)[[1, 3]]
        squeeze = float(np.cos(np.radians((low + high) / 2)))
        drawn = shapely.transform(drawn, lambda points: points * (squeeze, 1))
    x0, y0, x1, y1 = (float(edge) for edge in shapely.total_bounds(drawn))
    features = [
        {"type": "Feature", "id": id, "properties": {}, "geometry": shape}
        for id, shape in zip(shapes["id"], geometries(drawn), strict=True)
    ]
    polygons = {"type": "FeatureCollection", "features": features}
    return MapLayer(polygons=polygons, caption=CAPTION), (x0, x1, y0, y1)


def _hover(names: "pd.Series[str]", rows: pd.DataFrame) -> Any:
    """Return name, number, margin and relative margin as text, for `_HOVER`."""
    value, margin = (rows[name].to_numpy(np.float64, na_value=np.nan) for name in _PAIR)
    texts = [
        (name, whole(v), "not known" if np.isnan(m) else whole(m), _share(share))
        for name, v, m, share in zip(names, value, margin, relative_margins(rows), strict=True)
    ]
    return np.array(texts, dtype=object).reshape(-1, 4)


def _share(share: float) -> str:
    return "no relative margin" if np.isnan(share) else percent(share)


def _alt(rows: pd.DataFrame, shares: FloatArray, title: str) -> str:
    known = shares[~np.isnan(shares)]
    median = ""
    if len(known):
        worst = rows["name"].iloc[int(np.nanargmax(shares))]
        largest = f"{percent(known.max())} in {worst}"
        median = f"The median is {percent(float(np.median(known)))}, the largest {largest}."
    rest = ""
    if without := len(shares) - len(known):
        rest = f"Without a relative margin: {counted(without, 'area')}."
    return paragraph(f"Map: {title}.", median, rest)


def _table(rows: pd.DataFrame) -> pd.DataFrame:
    rows_with_share = rows.assign(share=relative_margins(rows))
    ordered = rows_with_share.sort_values(
        "share", ascending=False, kind="stable", na_position="first"
    )
    return ordered[["name", "value", "margin", "share"]].rename(
        columns={"value": "released", "share": "relative margin"}
    )
