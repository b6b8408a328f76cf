"""Colours, configuration and the bare layout that all figures share."""

import json
import math
from collections.abc import Iterable
from typing import Any, Final, Literal

import plotly.graph_objects as go

# Okabe & Ito, "Color Universal Design" (2008): colours that colour-blind people can distinguish.
BLUE: Final = "#0072B2"
SKY: Final = "#56B4E9"
ORANGE: Final = "#E69F00"
VERMILION: Final = "#D55E00"
GREEN: Final = "#009E73"
PURPLE: Final = "#CC79A7"
OLIVE: Final = "#8A7A00"
GREY: Final = "#8A8F98"
SERIES: Final = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, OLIVE, GREY)
SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "x", "star")

Theme = Literal["light", "dark"]
# As in .streamlit/config.toml; small print has a contrast above 4.5:1 on every background.
GROUND: Final[dict[Theme, str]] = {"light": "#ffffff", "dark": "#12181f"}
INK: Final[dict[Theme, str]] = {"light": "#1c2733", "dark": "#e6ebf0"}
SMALL_PRINT: Final[dict[Theme, str]] = {"light": "#4b5967", "dark": "#b4bfca"}
_LOW = 240  # pixels; in lower figures, Plotly's search for margins may never end
_LETTER = 7  # pixels of a letter beside an axis
_IN_FULL = {"exponentformat": "none", "separatethousands": True}  # 10,000, never 10k
_NUMBERS_BELOW, _TITLE_BELOW = 28, 26  # pixels of an x axis

_LAYERS = ("coastlines", "land", "ocean", "lakes", "rivers", "countries", "subunits")
_NOTHING = {"type": "GeometryCollection", "geometries": list[Any]()}
_EMPTY_TOPOLOGY = json.dumps(
    {"type": "Topology", "arcs": [], "objects": dict.fromkeys(_LAYERS, _NOTHING)},
    separators=(",", ":"),
)

# plotly.js requests a file of outlines from this address even if no outline is drawn, and draws no
# polygon before it has the file. The file name that it appends comes after the "#" and is ignored.
CONFIG: Final[dict[str, Any]] = {
    "topojsonURL": f"data:application/json,{_EMPTY_TOPOLOGY}#",
    "displaylogo": False,
    "displayModeBar": False,
    "scrollZoom": False,
}


def camera(name: str) -> dict[str, Any]:
    """Return `CONFIG` with a button that saves the figure as NAME.png without a network."""
    return CONFIG | {
        "displayModeBar": "hover",
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "png", "filename": name, "scale": 2},
    }


_MARK: Final = "mark"  # the name of the annotation with the mark of a figure

MOVABLE: Final[dict[str, Any]] = CONFIG | {
    "displayModeBar": True,
    "modeBarButtons": [["zoomInGeo", "zoomOutGeo", "resetGeo"]],
}


def marked(figure: go.Figure, words: str) -> go.Figure:
    """Return the figure with `words` in small print above its upper right corner."""
    figure.add_annotation(
        text=words,
        name=_MARK,
        xref="paper",
        yref="paper",
        x=1,
        y=1,
        xanchor="right",
        yanchor="bottom",
        showarrow=False,
        font={"size": 10},
    )
    top = max(20, figure.layout.margin.t or 0)
    figure.update_layout(margin={"t": top})
    return figure


def marks_of(figure: go.Figure) -> tuple[str, ...]:
    """Return the marks that `marked` added to a figure."""
    return tuple(note.text for note in figure.layout.annotations if note.name == _MARK)


def marked_anew(figure: go.Figure, text: str, words: str) -> go.Figure:
    """Return the figure with the mark `text` replaced by `words`; a copy if they differ."""
    if text == words:
        return figure
    copy = go.Figure(figure)
    copy.for_each_annotation(lambda mark: mark.update(text=words), selector={"text": text})
    return copy


def bare(figure: go.Figure, *, height: int) -> go.Figure:
    """Return the figure `height` pixels high, without background, frame or tools."""
    figure.update_layout(
        height=height,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        dragmode=False,
        uirevision="keep",
        hoverlabel={"align": "left"},
        xaxis=_IN_FULL,
        yaxis=_IN_FULL,
    )
    return figure


def with_own_margins(figure: go.Figure, names: Iterable[str] = ()) -> go.Figure:
    """Return the figure with fixed margins for its axes, so that Plotly does not search for them.

    In a low figure Plotly's search for margins may never end, and the browser hangs.

    Args:
        figure: a figure with axes and their titles.
        names: the labels to the left of the figure; without labels, its left margin is kept.
    """
    longest = max(map(len, names), default=0)
    titled = bool(figure.layout.xaxis.title.text)
    margin = {"b": _NUMBERS_BELOW + (_TITLE_BELOW if titled else 0)}
    if longest:
        margin["l"] = 16 + _LETTER * longest
    figure.update_layout(margin=margin)
    figure.update_xaxes(automargin=False, title_standoff=6)
    figure.update_yaxes(automargin=False)
    return figure


def settles(figure: go.Figure) -> bool:
    """Return whether the figure states its margins, or is high enough for Plotly to find them."""
    if (figure.layout.height or math.inf) >= _LOW or not _has_axes(figure):
        return True
    axes = (figure.layout.xaxis, figure.layout.yaxis)
    return all(axis.visible is False or axis.automargin is False for axis in axes)


def readable(figure: go.Figure, theme: Theme) -> go.Figure:
    """Return the figure `inked` for a theme: itself if it is already, and a copy otherwise."""
    return figure if figure.layout.font.color is not None else inked(go.Figure(figure), theme)


def inked(figure: go.Figure, theme: Theme) -> go.Figure:
    """Return the figure with text that is readable on a page of this theme."""
    figure.update_layout(
        font_color=INK[theme],
        legend_font_color=INK[theme],
        hoverlabel={"bgcolor": GROUND[theme], "font_color": INK[theme]},
    )
    if _has_axes(figure):
        small = {"tickfont_color": SMALL_PRINT[theme], "title_font_color": SMALL_PRINT[theme]}
        figure.update_layout(xaxis={}, yaxis={})
        figure.update_xaxes(**small).update_yaxes(**small)
    return figure


def _has_axes(figure: go.Figure) -> bool:
    """Return whether any trace has an x and a y axis."""
    return any("xaxis" in trace for trace in figure.data)
