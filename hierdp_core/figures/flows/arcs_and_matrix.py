"""Pictures of flows: arcs over a map, and a matrix.

Arcs are drawn from `explain.flows.LevelFlows`, matrices from `explain.flows.Matrix`. Only what is
shown is sent to the browser: a few hundred arcs, at most a few dozen rows and columns.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.explain.flows import LevelFlows, Matrix, Shown
from hierdp_core.figures.maps.error_map import captioned
from hierdp_core.figures.maps.scale import gradient
from hierdp_core.figures.style import BLUE, ORANGE, PURPLE, VERMILION, Theme, bare, with_own_margins
from hierdp_core.maps.boundaries import Box, MapLayer
from hierdp_core.util.arrays import BoolArray, FloatArray
from hierdp_core.util.text import number, signed, whole

# Lighter than the blue of Okabe and Ito, to be visible on a dark background too.
_ARC = "#2B8CD6"

_SLANTED_LETTER = 5.6  # pixels of height that a letter of a slanted name takes
_BELOW = 12  # pixels below a matrix
_ROW, _LINE = 19, 18  # pixels of a row of a matrix, and of a line of text beside its colours

# The meaning of an arc's colour, from the bottom to the top of the picture.
MEANINGS = {
    "plain": (_ARC, "flow"),
    "few": (_ARC, "released below the true count"),
    "many": (ORANGE, "released above the true count"),
    "false_positives": (PURPLE, "false positive (no true flow)"),
}
_CLASSES = 6  # classes of width
_THIN, _THICK = 0.8, 8.0  # pixels
_STEPS = 13  # points per arc
_BEND = 0.18  # the largest distance of an arc from the straight line, relative to its length
_LAND = "rgba(138,143,152,0.22)"
_BORDER = "rgba(138,143,152,0.55)"
_NOTHING = "rgba(138,143,152,0.10)"
_LONGEST_NAME = 20


def flow_map(
    flows: LevelFlows,
    areas: pd.DataFrame,
    layer: MapLayer,
    *,
    starts: FloatArray,
    ends: FloatArray,
    box: Box,
    shown: Shown,
    unit: str,
    height: int,
    marked: str | None = None,
) -> go.Figure:
    """Draw arcs over the areas of a level; each bends to the right of its direction.

    Args:
        flows: the flows, largest first.
        areas: the areas to draw beneath, with `id` and `name`.
        layer: the polygons of the areas.
        starts, ends: a point for every origin and destination of the level, shape (n, 2).
        box: the part of the display plane to show.
        shown: the number that the width of an arc represents.
        unit: what is counted, plural.
        height: pixels.
        marked: the code of an area to draw a line around.
    """
    figure = go.Figure()
    _land(figure, areas, layer, marked)
    flows = flows.kept(flows.origin != flows.destination)
    if len(flows):
        x, y = _arcs(starts[flows.origin], ends[flows.destination])
        size = np.abs(flows.values(shown)).astype(np.float64)
        _draw(figure, x, y, size, _meaning(flows, shown))
        _hover(figure, x, y, flows, _meaning(flows, shown), unit)
    x0, x1, y0, y1 = box
    figure.update_geos(
        visible=False,
        projection_type="equirectangular",
        lonaxis_range=[x0, x1],
        lataxis_range=[y0, y1],
        bgcolor="rgba(0,0,0,0)",
    )
    bare(figure, height=height)
    figure.update_layout(showlegend=False, clickmode="event+select", hovermode="closest")
    return captioned(figure, layer, width=height * (x1 - x0) / (y1 - y0))


def meanings(shown: Shown) -> tuple[tuple[str, str], ...]:
    """Return the colours of the arcs with their meanings."""
    if shown == "true":
        return ((_ARC, "true flow"),)
    if shown == "released":
        return ((_ARC, "simulated flow"), MEANINGS["false_positives"])
    return tuple(MEANINGS[name] for name in ("few", "many", "false_positives"))


def around(points: FloatArray, box: Box, *, least: float = 0.6) -> Box:
    """Return a box around another and nearly all of some points, with a margin.

    One point in twenty at each end may lie outside, so that a single distant point does not make
    everything else small.

    Args:
        points: shape (n, 2).
        box: included in any case.
        least: the minimum height, in degrees of the display plane.
    """
    x0, x1, y0, y1 = box
    if len(points):
        (left, low), (right, high) = np.quantile(points, [0.05, 0.95], axis=0)
        x0, x1 = min(x0, left), max(x1, right)
        y0, y1 = min(y0, low), max(y1, high)
    margin = 0.04 * max(x1 - x0, y1 - y0) + max(0.0, least - (y1 - y0)) / 2
    return float(x0 - margin), float(x1 + margin), float(y0 - margin), float(y1 + margin)


def in_box(points: FloatArray, box: Box) -> BoolArray:
    """Return whether each point is in a box or within a quarter of its size from it, shape (n,)."""
    x0, x1, y0, y1 = box
    beside_x, beside_y = (x1 - x0) / 4, (y1 - y0) / 4
    x, y = points.T
    return np.asarray(
        (x > x0 - beside_x) & (x < x1 + beside_x) & (y > y0 - beside_y) & (y < y1 + beside_y)
    )


def height_for(box: Box, width: float = 560) -> int:
    """Return the height in pixels of a map of `box` at a width, within bounds."""
    x0, x1, y0, y1 = box
    return round(min(680, max(320, width * (y1 - y0) / (x1 - x0))))


def arcs_alt(flows: LevelFlows, *, level: str, shown: Shown, unit: str) -> str:
    """Return the map in words."""
    if not len(flows):
        return f"Map without arcs: no flow to show between areas at {level} level."
    what = {"true": "true flow", "released": "simulated flow", "error": "error"}[shown]
    largest = f"largest {what}" if len(flows) == 1 else f"{len(flows):,} largest {what}s"
    lines = [f"Map of the {largest} in {unit} between areas at {level} level."]
    for row in flows.kept(np.arange(min(3, len(flows)))).frame().to_dict("records"):
        counts = f"true {whole(row['true'])}, released {whole(row['released'])}"
        lines.append(f"{row['origin']} to {row['destination']}: {counts}.")
    if n := int(flows.spurious.sum()):
        lines.append(f"False positives among them: {n:,}.")
    return " ".join(lines)


def heat_map(matrix: Matrix, *, shown: Shown, unit: str, theme: Theme = "light") -> go.Figure:
    """Draw origins as rows and destinations as columns, counts on a logarithmic scale."""
    values = matrix.values(shown).astype(np.float64)
    if shown == "error":
        largest = max(float(np.abs(values).max(initial=0)), 1.0)
        scale = {"colorscale": [BLUE, _NOTHING, ORANGE], "zmin": -largest, "zmax": largest}
        z, ticks, texts = values, [-largest, 0.0, largest], [-largest, 0.0, largest]
    else:
        z = np.where(values > 0, np.log10(np.maximum(values, 1)), np.nan)
        top = max(1, int(np.ceil(np.nanmax(z, initial=1.0))))
        scale = {"colorscale": gradient(theme), "zmin": 0, "zmax": top}
        rows_of_text = max(1, _ROW * len(matrix.rows) // _LINE)
        ticks = [float(t) for t in range(0, top + 1, math.ceil((top + 1) / rows_of_text))]
        texts = [10.0**t for t in ticks]
    figure = go.Figure(
        go.Heatmap(
            z=np.round(z, 3),
            x=_short(matrix.columns),
            y=_short(matrix.rows),
            customdata=np.dstack(
                [matrix.true, matrix.released, matrix.released - matrix.true, *_names(matrix)]
            ),
            hovertemplate=(
                "<b>%{customdata[3]} → %{customdata[4]}</b><br>"
                f"true %{{customdata[0]:,}} {unit}<br>released %{{customdata[1]:,}}<br>"
                "error %{customdata[2]:+,}<extra></extra>"
            ),
            hoverongaps=True,
            xgap=1,
            ygap=1,
            colorbar={
                "tickvals": ticks,
                "ticktext": [signed(t) if shown == "error" else number(t) for t in texts],
                "thickness": 12,
                "outlinewidth": 0,
            },
            **scale,
        )
    )
    beside = [name[:_LONGEST_NAME] for name in matrix.rows]
    longest = max(len(name[:_LONGEST_NAME]) for name in matrix.columns)
    above = 24 + round(_SLANTED_LETTER * longest)
    bare(figure, height=above + _ROW * len(beside) + _BELOW)
    figure.update_xaxes(
        side="top", tickangle=-50, showgrid=False, zeroline=False, ticks="", fixedrange=True
    )
    figure.update_yaxes(
        autorange="reversed", showgrid=False, zeroline=False, ticks="", fixedrange=True
    )
    with_own_margins(figure, beside)
    return figure.update_layout(margin={"t": above, "b": _BELOW})


def heat_map_alt(matrix: Matrix, *, level: str, shown: Shown, unit: str) -> str:
    """Return the matrix in words."""
    values = matrix.values(shown)
    at = np.unravel_index(int(np.argmax(np.abs(values))), values.shape)
    words = {"true": "true", "released": "released", "error": "error of released"}[shown]
    return (
        f"Matrix of {words} {unit} between areas at {level} level, {len(matrix.rows)} origins "
        f"by {len(matrix.columns)} destinations. Largest: {matrix.rows[at[0]]} to "
        f"{matrix.columns[at[1]]}, {whole(float(values[at]))}."
    )


def _land(figure: go.Figure, areas: pd.DataFrame, layer: MapLayer, marked: str | None) -> None:
    if areas.empty:
        return
    figure.add_choropleth(
        geojson=layer.polygons,
        locations=areas["id"].to_numpy(dtype=object),
        z=np.zeros(len(areas)),
        colorscale=[_LAND, _LAND],
        showscale=False,
        marker={"line": {"color": _BORDER, "width": 0.6 if len(areas) <= 600 else 0.2}},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=areas["name"].to_numpy(dtype=object),
        hovertemplate="%{customdata}<extra></extra>",
    )
    if marked is not None:
        figure.add_choropleth(
            geojson=layer.polygons,
            locations=[marked],
            z=[0],
            colorscale=["rgba(0,0,0,0)", "rgba(0,0,0,0)"],
            showscale=False,
            marker={"line": {"color": VERMILION, "width": 2.5}},
            hoverinfo="skip",
        )


def _arcs(starts: FloatArray, ends: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return quadratic curves, shape (arcs, _STEPS) each for x and y."""
    across = ends - starts
    right = np.column_stack([across[:, 1], -across[:, 0]])
    bend = (starts + ends) / 2 + 2 * _BEND * right / 2
    t = np.linspace(0, 1, _STEPS)[None, :, None]
    path = (1 - t) ** 2 * starts[:, None] + 2 * t * (1 - t) * bend[:, None] + t**2 * ends[:, None]
    return np.round(path[..., 0], 3), np.round(path[..., 1], 3)


def _meaning(flows: LevelFlows, numbers_shown: Shown) -> np.ndarray:
    plain = np.full(len(flows), "plain", dtype=object)
    if numbers_shown == "true":
        return plain
    if numbers_shown == "error":
        plain[:] = np.where(flows.error < 0, "few", "many")
    plain[flows.spurious] = "false_positives"
    return plain


def _draw(
    figure: go.Figure, x: FloatArray, y: FloatArray, size: FloatArray, meaning: np.ndarray
) -> None:
    """Add one trace per class of width and meaning, thin ones first."""
    share = np.sqrt(size / size.max())
    width_class = np.minimum((share * _CLASSES).astype(np.int64), _CLASSES - 1)
    for k in range(_CLASSES):
        for name, (colour, _) in MEANINGS.items():
            chosen = np.flatnonzero((width_class == k) & (meaning == name))
            if len(chosen):
                figure.add_scattergeo(
                    lon=_broken(x[chosen]),
                    lat=_broken(y[chosen]),
                    mode="lines",
                    line={"color": colour, "width": _width(k)},
                    opacity=0.75,
                    hoverinfo="skip",
                )


def _width(k: int) -> float:
    share = k / (_CLASSES - 1)
    return round(_THIN + (_THICK - _THIN) * share * math.sqrt(share), 2)


def _broken(lines: FloatArray) -> FloatArray:
    """Return lines one after the other, separated by NaN."""
    gap = np.full((len(lines), 1), np.nan)
    return np.hstack([lines, gap]).ravel()


def _hover(
    figure: go.Figure,
    x: FloatArray,
    y: FloatArray,
    flows: LevelFlows,
    meaning: np.ndarray,
    unit: str,
) -> None:
    """Add an arrow head in the middle of every arc, which shows the flow's counts."""
    middle = _STEPS // 2
    dx, dy = x[:, middle + 1] - x[:, middle - 1], y[:, middle + 1] - y[:, middle - 1]
    frame = flows.frame()
    texts = [
        f"<b>{row['origin']} → {row['destination']}</b><br>true {whole(row['true'])} {unit}<br>"
        f"released {whole(row['released'])}<br>error {signed(row['error'])}"
        for row in frame.to_dict("records")
    ]
    figure.add_scattergeo(
        lon=x[:, middle],
        lat=y[:, middle],
        mode="markers",
        marker={
            "symbol": "arrow",
            "size": 8 if len(flows) <= 150 else 5,
            "angle": np.round(np.degrees(np.arctan2(dx, dy)), 0),
            "color": [MEANINGS[name][0] for name in meaning],
            "opacity": 0.95,
        },
        text=texts,
        hovertemplate="%{text}<extra></extra>",
    )


def _short(names: Sequence[str]) -> list[str]:
    """Return names cut to a length, still distinct."""
    cut = [n if len(n) <= _LONGEST_NAME else n[: _LONGEST_NAME - 1] + "…" for n in names]
    return [
        c if cut.count(c) == 1 else c + "\N{ZERO WIDTH SPACE}" * (k + 1) for k, c in enumerate(cut)
    ]


def _names(matrix: Matrix) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.array(matrix.rows, dtype=object), np.array(matrix.columns, dtype=object)
    shape = len(rows), len(columns)
    return np.broadcast_to(rows[:, None], shape), np.broadcast_to(columns[None, :], shape)
