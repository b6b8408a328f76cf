"""The effect of consistency on the error at each level."""

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, bare, with_own_margins
from hierdp_core.util.text import listing, number

_BARS = (("before", "its own estimate", GREY), ("after", "released", BLUE))


def picture(frame: pd.DataFrame, *, unit: str) -> go.Figure:
    """Return two bars per level, the root at the top: before and after.

    Args:
        frame: `group_sizes.consistency`.
        unit: the unit of the distance, plural.
    """
    figure = go.Figure()
    for column, name, colour in _BARS:
        figure.add_bar(
            x=frame[column],
            y=frame["level"],
            orientation="h",
            name=name,
            marker_color=colour,
            text=[number(v) for v in frame[column]],
            textposition="outside",
            cliponaxis=False,
            customdata=[number(v) for v in frame[column]],
            hovertemplate=f"%{{y}}, {name}: %{{customdata}} {unit}<extra></extra>",
        )
    bare(figure, height=90 + 54 * len(frame))
    figure.update_layout(
        barmode="group",
        bargap=0.25,
        bargroupgap=0.05,
        margin={"l": 4, "r": 60, "t": 28, "b": 4},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
    )
    highest = float(frame[["before", "after"]].to_numpy().max()) if len(frame) else 0.0
    figure.update_xaxes(
        title=f"earth mover’s distance ({unit}), mean over areas",
        range=[0, 1.05 * max(highest, 1e-9)],
        fixedrange=True,
        nticks=5,
        showgrid=False,
    )
    figure.update_yaxes(type="category", autorange="reversed", fixedrange=True)
    return with_own_margins(figure, frame["level"])


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the bars as numbers, one row per level."""
    columns = {
        "level": "level",
        "regions": "areas",
        "before": "its own estimate",
        "after": "released",
    }
    return frame[list(columns)].rename(columns=columns)


def alt(frame: pd.DataFrame, *, unit: str) -> str:
    """Return the alternative text of the bars; `unit` as in `picture`."""
    parts = [
        f"{row['level']} from {number(row['before'])} to {number(row['after'])}"
        for row in frame.to_dict("records")
    ]
    return listing(
        f"Earth mover’s distance to the true sizes in {unit}, mean over the areas of a level, "
        "before and after the levels are made consistent",
        parts,
    )


def chart(frame: pd.DataFrame, *, unit: str) -> Chart:
    """Return the chart of the distances before and after; for the arguments see `picture`."""
    return Chart(
        title="Before and after the levels are made consistent",
        figure=picture(frame, unit=unit),
        alt=alt(frame, unit=unit),
        table=table(frame),
    )
