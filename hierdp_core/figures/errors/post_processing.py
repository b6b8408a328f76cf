"""The effect of each stage of post-processing on error and bias."""

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, bare
from hierdp_core.util.text import listing, number

TITLES = {
    "noisy": "noisy",
    "consistent": "consistent",
    "not negative": "non-negative",
    "whole": "integers (released)",
}
_LEVELS = (BLUE, ORANGE, GREEN, PURPLE, SKY)
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
_HEIGHT = 340


def errors(frame: pd.DataFrame, *, unit: str) -> go.Figure:
    """Draw the mean absolute error of every level, stage by stage, from 0.

    Args:
        frame: `stages.Walk.errors`.
        unit: what is counted, plural.
    """
    figure = go.Figure()
    for k, level in enumerate(frame["level"].unique()):
        rows = frame[frame["level"] == level].set_index("stage").loc[list(TITLES)]
        figure.add_scatter(
            x=list(TITLES.values()),
            y=rows["mean_abs"],
            name=level,
            mode="lines+markers",
            line={"color": _LEVELS[k % 5], "width": 2.5},
            marker={"size": 10, "symbol": _SYMBOLS[k % 5]},
            customdata=[number(v) for v in rows["mean_abs"]],
            hovertemplate=f"{level}, %{{x}}: mean absolute error %{{customdata}}<extra></extra>",
            cliponaxis=False,
        )
    bare(figure, height=_HEIGHT)
    _dress(figure)
    highest = float(frame["mean_abs"].max())
    figure.update_yaxes(title=f"mean absolute error ({unit})", range=[0, 1.12 * max(highest, 1e-9)])
    figure.update_xaxes(type="category", fixedrange=True, range=[-0.3, len(TITLES) - 0.7])
    figure.update_xaxes(tickangle=0)
    return figure


def bias(frame: pd.DataFrame, *, unit: str) -> go.Figure:
    """Draw the mean of released − true by true count, noisy beside released; zeros come first.

    Args:
        frame: `stages.Walk.bias`.
        unit: what is counted, plural.
    """
    figure = go.Figure()
    for stage, colour in (("noisy", GREY), ("whole", VERMILION)):
        rows = frame[frame["stage"] == stage]
        figure.add_bar(
            x=rows["true"],
            y=rows["bias"],
            name=TITLES[stage],
            marker_color=colour,
            customdata=[
                [number(b), f"{n:,}"] for b, n in zip(rows["bias"], rows["cells"], strict=True)
            ],
            hovertemplate="true %{x}: %{customdata[0]} on average, %{customdata[1]} counts"
            "<extra></extra>",
        )
    bare(figure, height=_HEIGHT)
    _dress(figure)
    figure.update_layout(barmode="group", bargap=0.25)
    figure.update_xaxes(
        title="true count", type="category", fixedrange=True, showgrid=False, tickangle=-40
    )
    figure.update_yaxes(title=f"bias: released − true ({unit})", zeroline=True, nticks=7)
    return figure


def errors_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the stages as a table, one row per level and stage."""
    order = pd.Categorical(frame["level"], categories=list(frame["level"].unique()))
    rows = frame.assign(
        level=order,
        stage=frame["stage"].map(TITLES),
        below_zero=(100 * frame["below_zero"]).round(2),
    )
    columns = {
        "level": "level",
        "stage": "stage",
        "cells": "counts",
        "mean_abs": "mean absolute error",
        "rmse": "root mean square error",
        "bias": "bias",
        "below_zero": "negative, %",
    }
    return rows[list(columns)].rename(columns=columns).sort_values("level", kind="stable")


def bias_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the bias as a table: one row per class, one column per stage."""
    wide = frame.pivot_table(index=["least", "true", "cells"], columns="stage", values="bias")
    wide = wide[list(TITLES)].rename(columns=TITLES).reset_index()
    return wide.drop(columns="least").rename(columns={"true": "true count", "cells": "counts"})


def errors_alt(frame: pd.DataFrame) -> str:
    """Return the lines in words."""
    parts = []
    for level in frame["level"].unique():
        rows = frame[frame["level"] == level].set_index("stage")["mean_abs"]
        parts.append(f"{level} from {number(rows['noisy'])} to {number(rows['whole'])}")
    return listing("Mean absolute error from noisy to released, by level", parts)


def bias_alt(frame: pd.DataFrame) -> str:
    """Return the bars in words."""
    rows = frame[frame["stage"] == "whole"]
    parts = [f"{t}: {number(b)}" for t, b in zip(rows["true"], rows["bias"], strict=True)]
    return listing("Mean of released minus true count, by true count", parts)


def _dress(figure: go.Figure) -> None:
    figure.update_layout(
        margin={"l": 4, "r": 14, "t": 10, "b": 4},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
    )
    figure.update_yaxes(fixedrange=True)
