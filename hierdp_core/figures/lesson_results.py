"""The result of a lesson: bars for one person, dots for a class."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, ORANGE, bare, with_own_margins
from hierdp_core.util.text import listing, number

_BINS = 24


def bars(frame: pd.DataFrame, *, unit: str, logarithmic: bool) -> go.Figure:
    """Return one bar per row with its number beside it, or dots on a logarithmic axis.

    Args:
        frame: columns `what` and `value`.
        unit: the unit of the values.
        logarithmic: whether the axis is logarithmic. It has no 0 for bars to start from, so dots
            are drawn.
    """
    rows = frame.iloc[::-1]
    labels = [f" {number(v)}" for v in rows["value"]]
    if logarithmic:
        mark = go.Scatter(
            x=rows["value"],
            y=rows["what"],
            mode="markers+text",
            marker={"color": BLUE, "size": 14},
            text=labels,
            textposition="middle right",
            hoverinfo="skip",
            cliponaxis=False,
        )
    else:
        mark = go.Bar(
            x=rows["value"],
            y=rows["what"],
            orientation="h",
            marker={"color": BLUE},
            text=labels,
            textposition="outside",
            hoverinfo="skip",
            cliponaxis=False,
        )
    figure = bare(go.Figure(mark), height=56 + 40 * len(rows))
    figure.update_layout(margin={"l": 8, "r": 72, "t": 4, "b": 8}, bargap=0.45)
    figure.update_xaxes(
        title=unit,
        type="log" if logarithmic else "linear",
        rangemode="tozero",
        fixedrange=True,
        exponentformat="none",
        nticks=6,
    )
    if logarithmic:
        low, high = np.log10(rows["value"].min()), np.log10(rows["value"].max())
        room = 0.08 * (high - low) + 0.3
        figure.update_xaxes(range=[low - room, high + room], showexponent="none", dtick=2)
        ticks = np.arange(np.floor(low), np.ceil(high) + 1, 2 if high - low > 4 else 1)
        figure.update_xaxes(tickvals=10**ticks, ticktext=[number(v) for v in 10**ticks])
    figure.update_yaxes(type="category", fixedrange=True, ticksuffix="  ")
    return with_own_margins(figure, rows["what"])


def class_dots(
    results: pd.DataFrame, *, measure: str, mine: int | None, expected: float | None
) -> go.Figure:
    """Return one dot per person, with similar values stacked; the viewer’s own is orange.

    Args:
        results: columns `number` and `value`.
        measure: the title of the values.
        mine: the number of the person to mark.
        expected: the mean according to theory.
    """
    x, y = _stacked(results["value"].to_numpy(float))
    own = (results["number"] == mine).to_numpy()
    figure = go.Figure(
        go.Scatter(
            x=x,
            y=y,
            mode="markers",
            marker={
                "color": np.where(own, ORANGE, BLUE).tolist(),
                "size": 13,
                "line": {"color": "white", "width": 1},
            },
            customdata=np.column_stack([results["number"], results["value"]]),
            hovertemplate="student %{customdata[0]:.0f}: %{customdata[1]:.3g}<extra></extra>",
        )
    )
    bare(figure, height=int(110 + 18 * max(3, y.max(initial=0) + 1)))
    if expected is not None:
        figure.add_vline(
            x=expected, line={"color": GREY, "dash": "dot"}, annotation_text="expected"
        )
    figure.update_layout(showlegend=False, margin={"l": 8, "r": 16, "t": 20, "b": 8})
    figure.update_xaxes(title=measure, fixedrange=True, zeroline=False)
    figure.update_yaxes(
        visible=False, fixedrange=True, range=[-0.7, max(3.0, float(y.max(initial=0)) + 1)]
    )
    return with_own_margins(figure)


def answers_chart(predictions: pd.DataFrame, column: str, *, title: str) -> Chart:
    """Return the number of students for each answer as bars, in the order of the answers.

    Args:
        predictions: one row per student.
        column: the answers.
        title: the title of the chart.
    """
    counts = predictions[column].value_counts(sort=False).sort_index()
    table = pd.DataFrame({"what": counts.index.map(str), "value": counts.to_numpy()})
    answers = [f"{row['what']}: {row['value']}" for row in table.to_dict("records")]
    return Chart(
        title=title,
        figure=bars(table, unit="students", logarithmic=False),
        alt=listing(title, answers),
        table=table.rename(columns={"what": "answer", "value": "students"}),
    )


def class_alt(results: pd.DataFrame, *, measure: str) -> str:
    """Return the dots in words; for the arguments see `class_dots`."""
    values = results["value"]
    return (
        f"{len(values)} results of the class, {measure}: from {number(values.min())} to "
        f"{number(values.max())}, mean {number(values.mean())}."
    )


def _stacked(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the dots: near values share a column, one above the other."""
    spread = float(np.ptp(values)) if len(values) else 0.0
    are_whole = bool(np.all(values == np.round(values)))
    if are_whole and spread <= 2 * _BINS:
        columns = values
    else:
        width = spread / _BINS or 1.0
        columns = values.min(initial=np.inf) + np.round((values - values.min()) / width) * width
    heights = np.zeros(len(values))
    counts: dict[float, int] = {}
    for k, column in enumerate(columns.tolist()):
        heights[k] = counts.get(column, 0)
        counts[column] = counts.get(column, 0) + 1
    return columns, heights


def class_chart(
    results: pd.DataFrame, *, measure: str, mine: int | None, expected: float | None
) -> Chart:
    """Return one dot per student with table and text; for the arguments see `class_dots`."""
    return Chart(
        title="Results of the class",
        figure=class_dots(results, measure=measure, mine=mine, expected=expected),
        alt=class_alt(results, measure=measure),
        table=results,
    )
