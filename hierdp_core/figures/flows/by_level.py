"""Error and false flows at every level of the tree over flows, from the root down."""

import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.evaluation.error_bounds import BETA
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, ORANGE, PURPLE, SKY, bare, with_own_margins
from hierdp_core.privacy.rounding import rounded_up, upper
from hierdp_core.util.text import capital, counted, listing, number, percent, whole

_ROW = 40
_ROOM = 1.14


def accuracy(
    largest: pd.DataFrame, mean: pd.DataFrame, bound: pd.Series, *, unit: str
) -> go.Figure:
    """Draw the largest and the mean absolute error of the pairs of each level, with the bound.

    Args:
        largest: `repeated.summarize` of the largest absolute error, one row per level, root first.
        mean: the same for the mean absolute error.
        bound: a bound on the largest error, by level; NaN if there is none.
        unit: what is counted, plural.
    """
    names = largest["level"].tolist()[::-1]
    figure = go.Figure()
    known = bound.reindex(names).dropna()
    if len(known):
        figure.add_scatter(
            x=known.tolist(),
            y=known.index.tolist(),
            mode="markers",
            marker={"symbol": "line-ns", "size": 20, "line": {"color": GREY, "width": 3}},
            name="bound",
            customdata=[upper(value, 3) for value in known],
            hovertemplate=f"With probability at least {percent(1 - BETA)}, no pair has an error "
            "above %{customdata}<extra></extra>",
        )
    rows = largest.iloc[::-1]
    for name, low, high in zip(names, rows["q2.5"], rows["q97.5"], strict=True):
        figure.add_scatter(
            x=[low, high],
            y=[name, name],
            mode="lines",
            line={"color": BLUE, "width": 10},
            opacity=0.45,
            showlegend=False,
            hovertemplate="In the middle 95% of simulations, the largest error is between "
            f"{number(low)} and {number(high)} {unit}<extra></extra>",
        )
    for frame, colour, name in (
        (rows, BLUE, "largest error"),
        (mean.iloc[::-1], ORANGE, "mean absolute error"),
    ):
        figure.add_scatter(
            x=frame["mean"].tolist(),
            y=names,
            mode="markers",
            name=name,
            marker={"color": colour, "size": 11, "line": {"color": "white", "width": 1.5}},
            customdata=[number(m) for m in frame["mean"]],
            hovertemplate=f"{name} %{{customdata}} {unit}<extra></extra>",
            cliponaxis=False,
        )
    figure.add_scatter(
        x=rows["mean"],
        y=names,
        mode="text",
        text=[f"\N{EM SPACE}{number(m)}" for m in rows["mean"]],
        textposition="middle right",
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )
    end = max(float(known.max()) if len(known) else 0.0, float(rows["q97.5"].max()), 1.0)
    bare(figure, height=_ROW * len(names) + 94)
    figure.update_layout(
        margin={"l": 8, "r": 16, "t": 34},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        hovermode="closest",
    )
    figure.update_xaxes(
        range=[0, end * _ROOM],
        rangemode="tozero",
        title=f"error of a pair ({unit})",
        zeroline=True,
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(type="category", showgrid=False, fixedrange=True)
    return with_own_margins(figure, names)


def accuracy_table(largest: pd.DataFrame, mean: pd.DataFrame, bound: pd.Series) -> pd.DataFrame:
    """Return the chart as a table, one row per level."""
    return pd.DataFrame(
        {
            "level": largest["level"].to_numpy(),
            "mean absolute error": mean["mean"].to_numpy(),
            "largest error": largest["mean"].to_numpy(),
            "largest error, middle 95%, from": largest["q2.5"].to_numpy(),
            "largest error, middle 95%, to": largest["q97.5"].to_numpy(),
            "bound": [_up(limit) for limit in bound.reindex(largest["level"]).to_numpy()],
            "simulations": largest["simulations"].to_numpy(),
        }
    )


def _up(limit: float) -> float:
    return math.nan if math.isnan(limit) else float(rounded_up(float(limit), 3))


def accuracy_alt(largest: pd.DataFrame, bound: pd.Series, *, unit: str) -> str:
    """Return the chart in words."""
    parts = []
    for row in largest.to_dict("records"):
        level, error = row["level"], number(row["mean"])
        limit = float(bound.get(level, np.nan))
        bounded = not math.isnan(limit)
        parts.append(
            f"{level}: {error}, at most {upper(limit, 3)} with probability at least "
            f"{percent(1 - BETA)}"
            if bounded
            else f"{level}: {error}"
        )
    n = int(largest["simulations"].max()) if len(largest) else 0
    title = (
        f"Largest error of any pair in {unit} by tree level, mean over {counted(n, 'simulation')}"
    )
    return listing(title, parts)


def false_flow_bars(frame: pd.DataFrame, *, unit: str) -> go.Figure:
    """Draw false positives and false negatives at every level, in trips."""
    rows = frame.iloc[::-1]
    figure = go.Figure()
    for column, pairs, colour, word in (
        ("false_negative_trips", "false_negatives", SKY, "false negatives"),
        ("false_positive_trips", "false_positives", PURPLE, "false positives"),
    ):
        figure.add_bar(
            x=rows[column],
            y=rows["level"],
            orientation="h",
            name=word,
            marker={"color": colour},
            text=[whole(v) for v in rows[column]],
            textposition="outside",
            customdata=rows[[pairs]].to_numpy(),
            hovertemplate=f"{word}: %{{x:,}} {unit} in %{{customdata[0]:,}} pairs<extra></extra>",
            cliponaxis=False,
        )
    end = max(float(frame[["false_negative_trips", "false_positive_trips"]].max().max()), 1.0)
    bare(figure, height=46 * len(rows) + 88)
    figure.update_layout(
        barmode="group",
        bargap=0.25,
        margin={"l": 8, "r": 16, "t": 34},
        legend={
            "orientation": "h",
            "y": 1.0,
            "yanchor": "bottom",
            "x": 0,
            "traceorder": "reversed",
        },
    )
    figure.update_xaxes(
        range=[0, end * 1.2],
        title=f"{unit} in false positives and false negatives",
        showgrid=False,
        fixedrange=True,
        zeroline=True,
    )
    figure.update_yaxes(type="category", showgrid=False, fixedrange=True)
    return with_own_margins(figure, rows["level"])


def false_flow_alt(frame: pd.DataFrame, *, unit: str) -> str:
    """Return the bars in words."""
    parts = [
        f"{row['level']}: {whole(row['false_positive_trips'])} in "
        f"{counted(int(row['false_positives']), 'false positive')}, "
        f"{whole(row['false_negative_trips'])} in "
        f"{counted(int(row['false_negatives']), 'false negative')}"
        for row in frame.to_dict("records")
    ]
    title = f"{capital(unit)} in false positives and false negatives of one simulation, by level"
    return listing(title, parts)


def false_flow_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the bars as a table, one row per level, from the root down."""
    rows = frame.to_dict("records")
    keeps_total = not frame["moved"].iloc[0]
    return pd.DataFrame(
        {
            "level": frame["level"],
            "true pairs": frame["pairs"],
            "released pairs": frame["released"],
            "false positives": frame["false_positives"],
            "false positives, % of released pairs": [
                percent(row["false_positives"] / max(1, row["released"])) for row in rows
            ],
            "released count of false positives": frame["false_positive_trips"],
            "false negatives": frame["false_negatives"],
            "false negatives, % of true pairs": [
                percent(row["false_negatives"] / max(1, row["pairs"])) for row in rows
            ],
            "true count of false negatives": frame["false_negative_trips"],
            "assigned to a wrong pair" if keeps_total else "half of the absolute errors": frame[
                "moved"
            ],
        }
    )


def accuracy_chart(
    largest: pd.DataFrame, mean: pd.DataFrame, bound: pd.Series, *, unit: str
) -> Chart:
    """Return the error at every level with table and text; for the arguments see `accuracy`."""
    return Chart(
        title="Error at every level of the tree",
        figure=accuracy(largest, mean, bound, unit=unit),
        alt=accuracy_alt(largest, bound, unit=unit),
        table=accuracy_table(largest, mean, bound),
    )


def false_flow_chart(rows: pd.DataFrame, *, title: str, unit: str) -> Chart:
    """Return false positives and false negatives with table and text."""
    return Chart(
        title=title,
        figure=false_flow_bars(rows, unit=unit),
        alt=false_flow_alt(rows, unit=unit),
        table=false_flow_table(rows),
    )
