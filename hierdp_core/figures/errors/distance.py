"""Earth mover's distance by level over many simulations, beside a benchmark."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, bare, with_own_margins
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.text import listing, number

REFERENCE = "benchmark (set of sizes public)"
_ROW = 46  # pixels per level


def by_level(summary: pd.DataFrame, reference: FloatArray) -> pd.DataFrame:
    """Return the data of the picture, one row per level from the root down.

    Args:
        summary: `repeated.summarize` of `emd`, one row per level.
        reference: the benchmark of `group_sizes.omniscient`, shape (n_levels,).

    Returns:
        level, mean, low and high (of the middle 80% of simulations), simulations (the number of
        simulations), and reference (the benchmark; NaN where the level has no budget).
    """
    columns = {
        "level": "level",
        "mean": "mean",
        "q10": "low",
        "q90": "high",
        "simulations": "simulations",
    }
    frame = summary[list(columns)].rename(columns=columns).reset_index(drop=True)
    return frame.assign(reference=reference)


def picture(frame: pd.DataFrame, *, unit: str) -> go.Figure:
    """Draw a row per level: the mean as a dot with its spread, the reference as a dotted line.

    Args:
        frame: the frame of `by_level`.
        unit: the unit of the distance, plural.
    """
    figure = go.Figure()
    rows_with_reference = frame[frame["reference"].notna()]
    figure.add_scatter(
        x=rows_with_reference["reference"],
        y=rows_with_reference["level"],
        name=REFERENCE,
        mode="lines+markers",
        line={"color": GREY, "width": 2, "dash": "dot"},
        marker={"color": GREY, "symbol": "line-ns-open", "size": 16, "line": {"width": 2}},
        customdata=[number(v) for v in rows_with_reference["reference"]],
        hovertemplate=f"%{{y}}, {REFERENCE}: %{{customdata}} {unit}<extra></extra>",
    )
    for row in frame.to_dict("records"):
        figure.add_scatter(
            x=[row["low"], row["high"]],
            y=[row["level"]] * 2,
            mode="lines",
            line={"color": BLUE, "width": 8},
            opacity=0.45,
            showlegend=False,
            hovertemplate=(
                "In the middle 80% of simulations, the distance is between "
                f"{number(row['low'])} and {number(row['high'])} {unit}<extra></extra>"
            ),
        )
    figure.add_scatter(
        x=frame["mean"],
        y=frame["level"],
        name="released, mean of the simulations",
        mode="markers+text",
        marker={"color": BLUE, "size": 11, "line": {"color": "white", "width": 1.5}},
        text=[number(v) for v in frame["mean"]],
        textposition="top center",
        customdata=[number(v) for v in frame["mean"]],
        hovertemplate=f"%{{y}}, released: %{{customdata}} {unit}<extra></extra>",
        cliponaxis=False,
    )
    bare(figure, height=92 + _ROW * len(frame))
    figure.update_layout(
        margin={"l": 4, "r": 24, "t": 34, "b": 4},
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
        },
        hovermode="closest",
    )
    figure.update_xaxes(
        title=f"earth mover’s distance ({unit})", fixedrange=True, showgrid=False, **_axis(frame)
    )
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=frame["level"].tolist()[::-1],
        range=[-0.5, len(frame) - 0.3],
        fixedrange=True,
    )
    return with_own_margins(figure, frame["level"])


def is_logarithmic(frame: pd.DataFrame) -> bool:
    """Return whether all numbers are above 0, and the highest is over 20 times the lowest."""
    lowest = frame[["low", "mean", "reference"]].min(axis=1).min()
    highest = frame[["high", "mean", "reference"]].max(axis=1).max()
    return bool(lowest > 0 and highest / lowest > 20)


def _axis(frame: pd.DataFrame) -> dict[str, object]:
    numbers = frame[["low", "high", "mean", "reference"]].to_numpy(dtype=np.float64)
    if not is_logarithmic(frame):
        return {"range": [0, 1.12 * (float(np.nanmax(numbers)) or 1.0)], "nticks": 6}
    ends = np.log10([float(np.nanmin(numbers)), float(np.nanmax(numbers))])
    room = 0.08 * (ends[1] - ends[0])
    powers = range(int(np.floor(ends[0])), int(np.ceil(ends[1])) + 1)
    ticks = [m * 10.0**k for k in powers for m in (1, 3)]
    return {
        "type": "log",
        "range": [float(ends[0] - room), float(ends[1] + room)],
        "tickvals": ticks,
        "ticktext": [number(t) for t in ticks],
    }


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the dots as a table, one row per level."""
    columns = {
        "level": "level",
        "mean": "released",
        "low": "middle 80%, from",
        "high": "middle 80%, to",
        "reference": REFERENCE,
        "simulations": "simulations",
    }
    return frame[list(columns)].rename(columns=columns)


def alt(frame: pd.DataFrame) -> str:
    """Return the dots in words."""
    parts = []
    for row in frame.to_dict("records"):
        released = f"{row['level']}: {number(row['mean'])} released"
        known = row["reference"] == row["reference"]
        reference = f"{released}, {number(row['reference'])} for the {REFERENCE}"
        parts.append(reference if known else released)
    return listing(
        "Earth mover’s distance to the true sizes, mean over the areas of a level and over "
        "simulations",
        parts,
    )


def chart(frame: pd.DataFrame, *, title: str, unit: str) -> Chart:
    """Return the distances with their table and text; `frame` is that of `by_level`."""
    return Chart(
        title=title,
        figure=picture(frame, unit=unit),
        alt=alt(frame),
        table=table(frame),
    )
