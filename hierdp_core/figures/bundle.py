"""A chart as a notebook shows it: interactive where that is light, else drawn, with its table.

A notebook keeps what a cell shows, so a map of three thousand counties must not weigh megabytes.
Maps are drawn as SVG: one path for each colour, no script.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.style import CONFIG
from hierdp_core.util import html
from hierdp_core.util.arrays import FloatArray

MIME = "application/vnd.plotly.v1+json"
LARGEST_FIGURE = 100_000  # bytes of an interactive figure in a notebook
_ROWS = 10  # of the table behind a chart
_WIDTH = 720.0  # of a map, in pixels
_TALLEST = 520.0
_STEP = 0.5  # pixels that a drawn border is rounded to
_FINEST = 2.0  # then coarser, until the drawing is small enough
_LARGEST_MAP = 140_000  # letters of a drawing


def bundle(chart: Any) -> dict[str, Any]:
    """Return a chart by MIME type, as IPython asks for it."""
    found: dict[str, Any] = {
        "text/plain": "\n".join(filter(None, (f"<Chart: {chart.title}>", chart.alt))),
        "text/html": page_part(chart),
    }
    drawn = drawing(chart.figure)
    if not drawn:
        text = chart.figure.to_json()
        if len(text) <= LARGEST_FIGURE:
            found[MIME] = json.loads(text) | {"config": dict(CONFIG)}
    return found


def page_part(chart: Any) -> str:
    """Return title, sentence, drawing, text for those who do not see it, and the table."""
    drawn = drawing(chart.figure)
    picture = f'<div role="img" aria-label="{escape(chart.alt)}">{drawn}</div>' if drawn else ""
    told = html.note(chart.sentence.replace("**", "")) + ("" if drawn else html.note(chart.alt))
    return html.box(chart.title, told, picture, _table(chart.table))


def drawing(figure: go.Figure) -> str:
    """Return the map of a figure as SVG; empty for a figure that is no map of areas."""
    layers = [trace for trace in figure.data if trace.type == "choropleth"]
    if not layers or not all(isinstance(trace.geojson, Mapping) for trace in layers):
        return ""
    step = _STEP
    drawn = _svg(figure, layers, step)
    while len(drawn) > _LARGEST_MAP and step < _FINEST:
        step *= 2
        drawn = _svg(figure, layers, step)
    return drawn


def _svg(figure: go.Figure, layers: Sequence[Any], step: float) -> str:
    x0, x1 = figure.layout.geo.lonaxis.range
    y0, y1 = figure.layout.geo.lataxis.range
    scale = min(_WIDTH / (x1 - x0), _TALLEST / (y1 - y0))
    width, height = (x1 - x0) * scale, (y1 - y0) * scale
    paths = []
    for trace in layers:
        shapes = {feature["id"]: feature["geometry"] for feature in trace.geojson["features"]}
        colours = _colours(trace)
        line = trace.marker.line
        edge = f'stroke="{line.color or "none"}" stroke-width="{(line.width or 0) / step:g}"'
        for colour in dict.fromkeys(colours):
            ids = [id for id, own in zip(trace.locations, colours, strict=True) if own == colour]
            ends = (_path(shapes[id], x0, y1, scale / step) for id in ids if id in shapes)
            outline = "".join(ends)
            paths.append(f'<path fill="{colour}" {edge} fill-rule="evenodd" d="{outline}"/>')
    caption = "".join(
        f"<div>{html.note(note.text.replace('<br>', ' '))}</div>"
        for note in figure.layout.annotations
        if note.text
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width / step:.0f} '
        f'{height / step:.0f}" style="width:100%;max-width:{width:.0f}px" aria-hidden="true">'
        f"{''.join(paths)}</svg>{caption}"
    )


def _colours(trace: Any) -> list[str]:
    """The colour of each area: the step of the scale that its number falls in."""
    scale = trace.colorscale or ((0, "rgba(0,0,0,0)"), (1, "rgba(0,0,0,0)"))
    edges = np.array([edge for edge, _ in scale])
    z = np.asarray(trace.z, dtype=np.float64)
    low = float(trace.zmin) if trace.zmin is not None else float(z.min(initial=0))
    high = float(trace.zmax) if trace.zmax is not None else float(z.max(initial=1))
    part = np.clip((z - low) / ((high - low) or 1), 0, 1)
    steps = np.clip(np.searchsorted(edges, part, side="right"), 1, len(edges) - 1)
    return [str(scale[int(step)][1]) for step in steps]


def _path(geometry: Mapping[str, Any], x0: float, y1: float, scale: float) -> str:
    parts = geometry["coordinates"]
    polygons = [parts] if geometry["type"] == "Polygon" else parts
    return "".join(_rings(polygons, x0, y1, scale))


def _rings(polygons: Iterable[Iterable[Any]], x0: float, y1: float, scale: float) -> Iterable[str]:
    for polygon in polygons:
        for ring in polygon:
            points: FloatArray = np.asarray(ring, dtype=np.float64)[:, :2]
            cells = np.rint(np.column_stack([points[:, 0] - x0, y1 - points[:, 1]]) * scale)
            steps = np.diff(cells.astype(np.int64), axis=0)
            steps = steps[steps.any(axis=1)]
            if len(steps) >= 2:
                moves = "".join(f"{x}{y:+d}" if k == 0 else f"{x:+d}{y:+d}"
                                for k, (x, y) in enumerate(steps.tolist()))  # fmt: skip
                yield f"M{cells[0, 0]:.0f} {cells[0, 1]:.0f}l{moves}z"


def _table(table: pd.DataFrame | None) -> str:
    if table is None or table.empty:
        return ""
    head = [str(name) for name in table.columns]
    rows = [[_said(value) for value in row] for row in table.head(_ROWS).to_numpy().tolist()]
    left = len(table) - _ROWS
    more = html.note(f"and {left:,} more rows in chart.table") if left > 0 else ""
    return html.details("Table behind the chart", html.table(head, rows) + more)


def _said(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
