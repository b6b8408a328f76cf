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
GREY: Final = "#8A8F98"

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
