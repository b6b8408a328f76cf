"""Charts for slides: large type, and as high as the slide allows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.util.escaping import in_html

TEXT: Final = 22  # pixels of axis labels, legible from the last row of a room
_MORE: Final = 1.6  # factor from a page to a slide, for captions, marks and margins
_LINE: Final = 14  # pixels of text, before this factor
_CAPTION: Final = 10
_NUMBER: Final = 22
_HEAD: Final = 60  # pixels above maps that are side by side
_GAP: Final = 0.02  # the gap between them, as a proportion of the width


def enlarged(chart: Chart) -> Chart:
    """Return the chart in large type and without a fixed height, for a slide."""
    figure = go.Figure(chart.figure)
    margin = figure.layout.margin
    around = {side: _MORE * (margin[side] or 0) for side in ("l", "r", "t", "b")}
    figure.update_layout(height=None, font_size=TEXT, legend_font_size=TEXT, margin=around)
    for note in figure.layout.annotations:
        note.font.size = _MORE * (note.font.size or TEXT / _MORE)
        note.yshift = _MORE * (note.yshift or 0)
    for axis in (figure.update_xaxes, figure.update_yaxes):
        axis(automargin=True, tickfont_size=TEXT, title_font_size=TEXT)
    return replace(chart, figure=figure)


def side_by_side(
    charts: Sequence[Chart],
    *,
    title: str,
    heads: Sequence[tuple[str, str]],
    caption: str,
    mark: str = "",
) -> Chart:
    """Return maps as one chart, each below a line and a number, in the type size of a page.

    Args:
        charts: maps of the same part of the display plane, at least one.
        title: the title of the chart; its table is that of the last map.
        heads: the heads of each map: a line, and a number that stands out.
        caption: the caption of the boundaries, once for all maps.
        mark: a note on true values, below the caption, since the heads are above the maps.
    """
    figure, n = go.Figure(layout=charts[0].figure.layout), len(charts)
    figure.layout.annotations = ()
    width = (1 - _GAP * (n - 1)) / n
    for k, (chart, (line, number)) in enumerate(zip(charts, heads, strict=True)):
        geo, left = "geo" if k == 0 else f"geo{k + 1}", k * (width + _GAP)
        for trace in chart.figure.data:
            figure.add_trace(trace)
            figure.data[-1].update(geo=geo)
        figure.layout[geo] = chart.figure.layout.geo
        figure.layout[geo].domain = {"x": [left, left + width], "y": [0, 1]}
        for text, size, up in ((line, _LINE, 1.4 * _NUMBER), (number, _NUMBER, 0)):
            place = _placed(left, 1, "bottom") | {"yshift": up}
            figure.add_annotation(text=in_html(text), font={"size": size}, **place)
    figure.add_annotation(text=in_html(caption), **_placed(0, 0, "top"), font={"size": _CAPTION})
    lines = 2
    if mark:
        place = _placed(0, 0, "top") | {"yshift": -lines * _CAPTION}
        figure.add_annotation(text=in_html(mark), **place, font={"size": _CAPTION})
        lines += 2
    figure.update_layout(margin={"l": 0, "r": 0, "t": _HEAD, "b": lines * _CAPTION})
    words = " ".join(chart.alt for chart in charts)
    return Chart(title=title, figure=figure, alt=words, table=charts[-1].table)


def _placed(x: float, y: float, anchor: str) -> dict[str, object]:
    """Return the position of an annotation that begins at a point of the figure."""
    paper = {"xref": "paper", "yref": "paper", "showarrow": False, "align": "left"}
    return {**paper, "x": x, "y": y, "xanchor": "left", "yanchor": anchor}
