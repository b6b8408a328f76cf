"""Colours, configuration and the bare layout that all figures share."""

import json
from typing import Any, Final

import plotly.graph_objects as go

# Okabe & Ito, "Color Universal Design" (2008): eight colours that colour-blind eyes tell apart.
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

_LAYERS = ("coastlines", "land", "ocean", "lakes", "rivers", "countries", "subunits")
_NOTHING = {"type": "GeometryCollection", "geometries": list[Any]()}
_EMPTY_TOPOLOGY = json.dumps(
    {"type": "Topology", "arcs": [], "objects": dict.fromkeys(_LAYERS, _NOTHING)},
    separators=(",", ":"),
)

# plotly.js asks for a file of outlines under this address even when no outline is drawn,
# and draws no polygon until it has come. The file name that it appends falls behind the "#".
CONFIG: Final[dict[str, Any]] = {
    "topojsonURL": f"data:application/json,{_EMPTY_TOPOLOGY}#",
    "displaylogo": False,
    "displayModeBar": False,
    "scrollZoom": False,
}


def camera(name: str) -> dict[str, Any]:
    """`CONFIG` with one button, which saves the figure as NAME.png without a network."""
    return CONFIG | {
        "displayModeBar": "hover",
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "png", "filename": name, "scale": 2},
    }


MOVABLE: Final[dict[str, Any]] = CONFIG | {
    "displayModeBar": True,
    "modeBarButtons": [["zoomInGeo", "zoomOutGeo", "resetGeo"]],
}


def marked(figure: go.Figure, words: str) -> go.Figure:
    """The figure with `words` in small print above its upper right corner."""
    figure.add_annotation(
        text=words,
        xref="paper",
        yref="paper",
        x=1,
        y=1,
        xanchor="right",
        yanchor="bottom",
        showarrow=False,
        font={"size": 10, "color": GREY},
    )
    top = max(20, figure.layout.margin.t or 0)
    figure.update_layout(margin={"t": top})
    return figure


def marked_anew(figure: go.Figure, said: str, words: str) -> go.Figure:
    """The figure with `words` where it was `marked` with what it said: a copy, if they differ."""
    if said == words:
        return figure
    copy = go.Figure(figure)
    copy.for_each_annotation(lambda mark: mark.update(text=words), selector={"text": said})
    return copy


def bare(figure: go.Figure, *, height: int) -> go.Figure:
    """The figure without ground, frame or tools, `height` pixels high."""
    figure.update_layout(
        height=height,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        dragmode=False,
        uirevision="keep",
        hoverlabel={"align": "left"},
    )
    return figure
