"""The output of a chart in a notebook, with its table: interactive if small, and SVG for maps.

A notebook stores the output of its cells, so a map of three thousand counties must not take
megabytes. Maps are drawn as SVG, with one path per colour and no script.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Self

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.style import CONFIG, marks_of
from hierdp_core.util import html
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray
from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import capital, counted

MIME = "application/vnd.plotly.v1+json"
LARGEST_FIGURE = 100_000  # bytes of an interactive figure in a notebook
_ROWS = 10  # rows that are shown of the table behind a chart
_WIDTH = 720.0  # of a map, in pixels
_TALLEST = 520.0
_STEP, _COARSEST = 0.5, 2.0  # pixels to which borders are rounded, and the most for many borders
_MOST_MOVES = 25_000  # lines of a drawing, about five characters each


def bundle(chart: Any) -> dict[str, Any]:
    """Return the output of a chart by MIME type, for IPython."""
    drawn = drawing(chart.figure)
    contents: dict[str, Any] = {
        "text/plain": "\n".join(
            filter(None, (f"<Chart: {chart.title}>", chart.alt, *_marks(chart.figure)))
        ),
        "text/html": _page_part(chart, drawn),
    }
    text = "" if drawn else chart.figure.to_json()
    if text and len(text) <= LARGEST_FIGURE:
        contents[MIME] = json.loads(text) | {"config": dict(CONFIG)}
    return contents


def _page_part(chart: Any, drawn: str) -> str:
    """Return the title, sentence, drawing, its alternative text, and the table."""
    picture = f'<div role="img" aria-label="{in_html(chart.alt)}">{drawn}</div>' if drawn else ""
    note = html.note(chart.sentence.replace("**", ""))
    if not drawn:  # a drawing has the marks among its notes
        note += "".join(map(html.note, (chart.alt, *_marks(chart.figure))))
    key = chart.key or (_key(chart.figure) if drawn else "")
    return html.box(chart.title, note, picture, key, _table(chart.table))


def _marks(figure: go.Figure) -> list[str]:
    return [f"{capital(mark)}." for mark in marks_of(figure)]


def drawing(figure: go.Figure) -> str:
    """Return the map of a figure as SVG; empty for a figure that is not a map of areas."""
    traces = [trace for trace in figure.data if trace.type == "choropleth"]
    if not traces or not all(isinstance(trace.geojson, Mapping) for trace in traces):
        return ""
    x0, x1 = figure.layout.geo.lonaxis.range
    y0, y1 = figure.layout.geo.lataxis.range
    scale = min(_WIDTH / (x1 - x0), _TALLEST / (y1 - y0))
    outlines = [_Outlines.of(trace, (x0, y1), scale) for trace in traces]
    step = _STEP
    while sum(one.moves(step) for one in outlines) > _MOST_MOVES and step < _COARSEST:
        step *= 2
    paths = "".join(_paths(t, one, step) for t, one in zip(traces, outlines, strict=True))
    width, height = (x1 - x0) * scale, (y1 - y0) * scale
    notes = (note.text.replace("<br>", " ") for note in figure.layout.annotations if note.text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width / step:.0f} '
        f'{height / step:.0f}" style="width:100%;max-width:{width:.0f}px" aria-hidden="true">'
        f"{paths}</svg>{''.join(map(html.note, notes))}"
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Outlines:
    """The rings of the areas of a map, their points in one array.

    Attributes:
        points: shape (n, 2), in pixels.
        start: shape (rings + 1,): ring k is `points[start[k]:start[k + 1]]`.
        area: shape (rings,), the index of its area among the locations of the map.
    """

    points: FloatArray
    start: IntArray
    area: IntArray

    @classmethod
    def of(cls, trace: Any, corner: tuple[float, float], scale: float) -> Self:
        shapes = {feature["id"]: feature["geometry"] for feature in trace.geojson["features"]}
        rings, area = [], []
        for place, id in enumerate(trace.locations):
            parts = shapes[id]["coordinates"] if id in shapes else []
            polygons = [parts] if parts and shapes[id]["type"] == "Polygon" else parts
            for ring in chain.from_iterable(polygons):
                rings.append(ring)
                area.append(place)
        flat = np.fromiter(chain.from_iterable(chain.from_iterable(rings)), dtype=np.float64)
        (x0, y1), lengths = corner, [len(ring) for ring in rings]
        points = (flat.reshape(-1, 2) - (x0, y1)) * (scale, -scale)
        return cls(
            points=points, start=np.cumsum([0, *lengths]), area=np.array(area, dtype=np.int64)
        )

    def cells(self, step: float) -> tuple[IntArray, BoolArray]:
        """Return the points on a grid of `step` pixels, and which differ from the one before."""
        cells = np.rint(self.points / step).astype(np.int64)
        moved = np.ones(len(cells), dtype=np.bool_)
        moved[1:] = (cells[1:] != cells[:-1]).any(axis=1)
        moved[self.start[:-1]] = True
        return cells, moved

    def moves(self, step: float) -> int:
        """Return the number of lines of a drawing with this step."""
        return int(self.cells(step)[1].sum())

    def drawn(self, step: float) -> list[str]:
        """Return the path of each ring; empty for fewer than three points."""
        cells, moved = self.cells(step)
        kept, start = cells[moved], _starts(self.start, moved)
        turns = _turns(kept, start)
        kept, start = kept[turns], _starts(start, turns).tolist()
        lines = [f"{x:+d}{y:+d}" for x, y in np.diff(kept, axis=0).tolist()]
        corners = kept.tolist()
        return [
            f"M{corners[a][0]} {corners[a][1]}l{''.join(lines[a : b - 1])}z" if b - a > 2 else ""
            for a, b in pairwise(start)
        ]


def _starts(start: IntArray, is_kept: BoolArray) -> IntArray:
    """Return the start of each ring among the points that are kept."""
    return np.concatenate([[0], np.cumsum(is_kept)])[start]


def _turns(points: IntArray, start: IntArray) -> BoolArray:
    """Return whether each point is a corner, not a point between two equal moves of one ring."""
    moves = np.diff(points, axis=0)
    corner = np.ones(len(points), dtype=np.bool_)
    corner[1:-1] = (moves[1:] != moves[:-1]).any(axis=1)
    ends = np.concatenate([start[:-1], start[1:] - 1])
    corner[ends[(ends >= 0) & (ends < len(points))]] = True
    return corner


def _paths(trace: Any, outlines: _Outlines, step: float) -> str:
    """Return one path for each colour of a map."""
    by_colour: dict[str, list[str]] = {}
    colours = _colours(trace)
    for place, ring in zip(outlines.area.tolist(), outlines.drawn(step), strict=True):
        by_colour.setdefault(colours[place], []).append(ring)
    line = trace.marker.line
    edge = f'stroke="{line.color or "none"}" stroke-width="{(line.width or 0) / step:g}"'
    return "".join(
        f'<path fill="{colour}" {edge} fill-rule="evenodd" d="{"".join(rings)}"/>'
        for colour, rings in by_colour.items()
    )


def _colours(trace: Any) -> list[str]:
    """Return the colour of each area: the step of the scale that contains its value."""
    scale = trace.colorscale or ((0, "rgba(0,0,0,0)"), (1, "rgba(0,0,0,0)"))
    edges = np.array([edge for edge, _ in scale])
    z = np.asarray(trace.z, dtype=np.float64)
    low = float(trace.zmin) if trace.zmin is not None else float(z.min(initial=0))
    high = float(trace.zmax) if trace.zmax is not None else float(z.max(initial=1))
    part = np.clip((z - low) / ((high - low) or 1), 0, 1)
    steps = np.clip(np.searchsorted(edges, part, side="right"), 1, len(edges) - 1)
    return [str(scale[int(step)][1]) for step in steps]


def _key(figure: go.Figure) -> str:
    """Return the legend of a map: each colour with its meaning."""
    traces = (trace for trace in figure.data if trace.type == "scattergeo" and trace.name)
    return "".join(
        f'<span style="white-space:nowrap;margin-right:1em;font-size:.85em"><i style="display:'
        f"inline-block;width:.8em;height:.8em;margin-right:.4em;border:1px solid "
        f'rgba(128,128,128,.5);background:{trace.marker.color}"></i>{in_html(trace.name)}</span>'
        for trace in traces
    )


def _table(table: pd.DataFrame | None) -> str:
    if table is None or table.empty:
        return ""
    head = [str(name) for name in table.columns]
    rows = [[_in_words(value) for value in row] for row in table.head(_ROWS).to_numpy().tolist()]
    n_more = len(table) - _ROWS
    more = html.note(f"{counted(n_more, 'more row')} in chart.table") if n_more > 0 else ""
    return html.details("Table behind the chart", html.table(head, rows) + more)


def _in_words(value: Any) -> str:
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–" if math.isnan(value) else "∞" if value > 0 else "−∞"
        return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
