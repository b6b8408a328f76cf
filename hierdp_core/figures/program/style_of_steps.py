"""The common style of the figures of the page How it works."""

import plotly.graph_objects as go

from hierdp_core.figures.style import BLUE, GREEN, ORANGE, PURPLE, SKY
from hierdp_core.util.text import whole

PART_COLOURS = (SKY, ORANGE, GREEN, PURPLE, BLUE)
LABELLED = 14  # with at most this many bars, each has its number
HEIGHT = 380


def legend_on_top(figure: go.Figure) -> None:
    """Place the legend in a line above the figure."""
    figure.update_layout(
        margin={"l": 4, "r": 10, "t": 10, "b": 4},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        hovermode="closest",
    )


def print_number(
    figure: go.Figure, x: float, y: float, *, text: str | None = None, lift: int = 10
) -> None:
    """Print y, or another text, `lift` pixels beyond the end of a bar at (x, y)."""
    figure.add_annotation(
        x=x,
        y=y,
        text=text or whole(round(y, 2)),
        showarrow=False,
        yshift=lift if y >= 0 else -lift,
        font={"size": 13},
    )


def plus(amount: float) -> str:
    """Return an amount as text, with a plus sign if it is above 0."""
    return f"+{whole(amount)}" if amount > 0 else whole(amount)
