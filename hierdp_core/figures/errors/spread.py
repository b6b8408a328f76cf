"""A histogram of one number per simulation; its spread is due to privacy noise."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, ORANGE, VERMILION, bare, with_own_margins
from hierdp_core.util.arrays import FloatArray, NumberArray
from hierdp_core.util.text import number, three_digits, whole

_MOST_VALUES = 24  # up to this range of integers, each has a separate bar
_BINS = 20
_SAME = 1e-12  # largest relative difference of numbers that share a bar, although floats differ
_LONG = 1e5  # from here on, numbers are so long that an axis has fewer of them


def histogram(values: NumberArray) -> pd.DataFrame:
    """Return the number of simulations in each bar: from, to and simulations.

    Integers that are close together have a bar each, for which from and to are equal.
    """
    array = np.asarray(values, dtype=np.float64)
    low, high = float(array.min()), float(array.max())
    if (array == np.round(array)).all() and high - low < _MOST_VALUES:
        edges = np.arange(low, high + 1)
        counts = [int((array == edge).sum()) for edge in edges]
        return pd.DataFrame({"from": edges, "to": edges, "simulations": counts})
    # Sums of the same amounts in another order differ by the rounding of floats alone.
    if high - low <= _SAME * max(abs(low), abs(high)):
        return pd.DataFrame({"from": [low], "to": [low], "simulations": [len(array)]})
    counts_, borders = np.histogram(array, bins=_BINS)
    return pd.DataFrame({"from": borders[:-1], "to": borders[1:], "simulations": counts_})


def picture(
    values: NumberArray, *, title: str, kind: str, exact: float = 0.0, height: int = 220
) -> go.Figure:
    """Draw the histogram, with the mean as a dot and the true value as a dashed line.

    Args:
        values: shape (simulations,).
        title: the title of the axis.
        kind: the kind of the number, as in `Column.kind`.
        exact: the value under the true counts. No line is drawn for 0.
        height: pixels.
    """
    frame = histogram(values)
    middle = ((frame["from"] + frame["to"]) / 2).to_numpy()
    ranges = [_range_text(row, kind) for row in frame.to_dict("records")]
    figure = go.Figure()
    figure.add_bar(
        x=middle,
        y=frame["simulations"],
        width=_widths(frame),
        marker={"color": BLUE},
        customdata=ranges,
        hovertemplate="%{customdata}<br>simulations: %{y}<extra></extra>",
    )
    mean = float(np.mean(values))
    figure.add_scatter(
        x=[mean],
        y=[0],
        mode="markers",
        marker={"color": ORANGE, "size": 12, "line": {"color": "white", "width": 1.5}},
        hovertemplate=f"mean {_value(mean, kind)}<extra></extra>",
        cliponaxis=False,
    )
    if exact:
        figure.add_vline(x=exact, line={"color": VERMILION, "dash": "dash", "width": 2})
    bare(figure, height=height)
    figure.update_layout(showlegend=False, bargap=0.05, margin={"l": 60, "r": 14, "t": 8})
    figure.update_xaxes(
        title=title,
        fixedrange=True,
        showgrid=False,
        nticks=4 if middle.max() >= _LONG else 6,
        tickformat=".3~p" if kind == "share" else ",",
        tickvals=_few(middle) if _each(frame) else None,
    )
    figure.update_yaxes(
        title={"text": "simulations", "standoff": 6}, fixedrange=True, rangemode="tozero", nticks=4
    )
    return with_own_margins(figure)


def table(values: NumberArray, *, kind: str) -> pd.DataFrame:
    """Return the bars as a table."""
    frame = histogram(values)
    ranges = [_range_text(row, kind) for row in frame.to_dict("records")]
    return pd.DataFrame({"value": ranges, "simulations": frame["simulations"]})


def alt(values: NumberArray, *, title: str, kind: str) -> str:
    """Return the histogram in words."""
    low, middle, high = (float(v) for v in np.quantile(values, (0.025, 0.5, 0.975)))
    mean = _value(float(np.mean(values)), kind)
    if len(values) == 1:
        return f"{title} in one simulation: {mean}."
    return (
        f"{title} over {len(values):,} simulations: mean {mean}, median {_value(middle, kind)}, "
        f"95% of simulations between {_value(low, kind)} and {_value(high, kind)}."
    )


def chart(values: NumberArray, *, heading: str, title: str, kind: str, exact: float = 0.0) -> Chart:
    """Return the histogram with its table and text.

    Args:
        values: shape (simulations,).
        heading: the heading of the chart.
        title, kind, exact: see `picture`.
    """
    return Chart(
        title=heading,
        figure=picture(values, title=title, kind=kind, exact=exact),
        alt=alt(values, title=title, kind=kind),
        table=table(values, kind=kind),
    )


def _each(frame: pd.DataFrame) -> bool:
    return bool((frame["from"] == frame["to"]).all())


def _few(values: FloatArray) -> list[float]:
    """Return at most eight of the values, evenly spaced."""
    return [float(v) for v in values[:: 1 + (len(values) - 1) // 8]]


def _widths(frame: pd.DataFrame) -> FloatArray:
    width = (frame["to"] - frame["from"]).to_numpy(np.float64)
    result: FloatArray = np.where(width > 0, width * 0.95, 0.8 if len(frame) > 1 else 0.3)
    return result


def _range_text(row: Mapping[Any, Any], kind: str) -> str:
    low, high = _value(row["from"], kind), _value(row["to"], kind)
    return low if row["from"] == row["to"] else f"{low} to {high}"


def _value(value: float, kind: str) -> str:
    if kind == "share":  # with digits that distinguish similar simulations
        return f"{three_digits(100 * value)}%"
    return whole(value) if kind == "count" and value == round(value) else number(value)
