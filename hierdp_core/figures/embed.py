"""Figures inside one HTML file that needs no network."""

import json

from plotly.graph_objects import Figure
from plotly.offline import get_plotlyjs

from hierdp_core.util.escaping import in_figure_json

__all__ = ["Figure", "figure_json", "in_script", "plotly_script", "templates_json"]

_FONT = "system-ui, sans-serif"


def plotly_script() -> str:
    """Return the source of plotly.js, some megabytes, for a <script> of a page."""
    return str(get_plotlyjs())


def figure_json(figure: Figure) -> str:
    """Return a figure as JSON that is safe inside a <script>."""
    return in_script(in_figure_json(figure.to_json()))


def templates_json() -> str:
    """Return templates for light and dark backgrounds, for `Plotly.newPlot`, as JSON."""
    return in_script(
        json.dumps(
            {
                "light": _template(text="#1c2733", grid="#e3e8ed", line="#9aa5b1"),
                "dark": _template(text="#e6ebf0", grid="#2b3742", line="#66727e"),
            }
        )
    )


def in_script(text: str) -> str:
    """Return JSON, escaped so that no text in it can end a <script>."""
    return text.replace("<", "\\u003c")


def _template(*, text: str, grid: str, line: str) -> dict[str, object]:
    axis = {"gridcolor": grid, "linecolor": line, "zerolinecolor": line, "automargin": True}
    return {"layout": {"font": {"family": _FONT, "color": text}, "xaxis": axis, "yaxis": axis}}
