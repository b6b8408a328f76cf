"""The number of groups of each size in one region, true and released.

Noise is small relative to the numbers of common sizes, so the difference has a separate panel and
axis.
"""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, ORANGE, bare
from hierdp_core.util.arrays import NumberArray
from hierdp_core.util.text import capital, number, percent, signed, whole

_SINGLE = 21  # with at most this many sizes, each has a separate bar


def size_table(
    true: NumberArray, released: NumberArray, *, top_coded: bool = False
) -> pd.DataFrame:
    """Return one row per size, or per class of sizes if there are many.

    Args:
        true: shape (n_sizes,), groups of size 0, 1, 2 … in one region.
        released: the same, released.
        top_coded: whether the last size stands for this size or more.

    Returns:
        size, true, released, error.
    """
    edges = class_starts(len(true))
    names = []
    for start, stop in zip(edges, [*edges[1:], len(true)], strict=True):
        last = stop == len(true)
        text = str(start) if stop - start == 1 else f"{start}–{stop - 1}"
        names.append(text + ("+" if last and top_coded else ""))
    sums = pd.DataFrame(
        {
            "size": names,
            "true": np.add.reduceat(true, edges),
            "released": np.add.reduceat(released, edges),
        }
    )
    return sums.assign(error=sums["released"] - sums["true"])


def size_histogram(table: pd.DataFrame, *, group: str, height: int = 360) -> go.Figure:
    """Draw the true and the released numbers, with their difference below.

    Args:
        table: the table of `size_table`.
        group: what a group is, plural.
        height: pixels.
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.62, 0.38], vertical_spacing=0.12
    )
    for column, name, colour in (("true", "true", GREY), ("released", "released", BLUE)):
        figure.add_bar(
            x=table["size"],
            y=table[column],
            name=name,
            marker_color=colour,
            customdata=[whole(v) for v in table[column]],
            hovertemplate=f"size %{{x}}, {name}: %{{customdata}} {group}<extra></extra>",
            row=1,
            col=1,
        )
    figure.add_bar(
        x=table["size"],
        y=table["error"],
        name="released − true",
        marker_color=ORANGE,
        text=[signed(v) for v in table["error"]],
        textposition="outside",
        textangle=0,
        cliponaxis=False,
        customdata=[signed(v) for v in table["error"]],
        hovertemplate="size %{x}: difference %{customdata}<extra></extra>",
        row=2,
        col=1,
    )
    bare(figure, height=height)
    figure.update_layout(
        barmode="group",
        bargap=0.25,
        bargroupgap=0.05,
        margin={"l": 0, "r": 0, "t": 30, "b": 0},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        uniformtext={"minsize": 8, "mode": "hide"},
    )
    figure.update_xaxes(type="category", fixedrange=True)
    figure.update_xaxes(title=f"size of {group}", row=2, col=1)
    figure.update_yaxes(fixedrange=True, rangemode="tozero", nticks=5, automargin=True)
    figure.update_yaxes(title=group, row=1, col=1)
    figure.update_yaxes(title="released − true", row=2, col=1)
    reach = float(table["error"].abs().max()) or 1.0
    figure.update_yaxes(range=[-1.45 * reach, 1.45 * reach], row=2, col=1, nticks=4)
    return figure


def alt(table: pd.DataFrame, *, region: str, group: str) -> str:
    """Return the alternative text of the histogram."""
    total = float(table["true"].sum())
    if not len(table):
        return f"No {group} in {region}."
    worst = table.iloc[int(table["error"].abs().argmax())]
    most = table.iloc[int(table["true"].argmax())]
    frequent = f"There are no true {group}."
    if total:
        share = percent(float(most["true"]) / total)
        frequent = f"The most frequent size is {most['size']} ({share})."
    differences = "The released numbers equal the true ones."
    if worst["error"]:
        differences = (
            f"The largest difference is {signed(worst['error'])}, at size {worst['size']}. The "
            f"mean absolute difference is {number(float(table['error'].abs().mean()))}."
        )
    return f"{capital(group)} of {region} by size, true and released. {frequent} {differences}"


def class_starts(n_sizes: int) -> list[int]:
    """Return the first sizes of classes: each size if there are few, otherwise 1-2-5 steps."""
    if n_sizes <= _SINGLE:
        return list(range(n_sizes))
    upper = [m * 10**k + 1 for k in range(1, len(str(n_sizes))) for m in (1, 2, 5)]
    return [s for s in [*range(11), *upper] if s < n_sizes]


def chart(frame: pd.DataFrame, *, title: str, region: str, group: str) -> Chart:
    """Return the sizes with their table and their text; `frame` is that of `size_table`."""
    return Chart(
        title=title,
        figure=size_histogram(frame, group=group),
        alt=alt(frame, region=region, group=group),
        table=frame,
    )
