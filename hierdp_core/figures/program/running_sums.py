"""Cumulative group counts of one region by size: true, noisy and released.

The curves are close together, so their differences have a separate panel and axis. If the totals
are equal, the area between the true and the released curve is the earth mover's distance.
"""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.program.size_distribution import class_starts
from hierdp_core.figures.style import BLUE, GREY, ORANGE, PURPLE, bare
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.text import number, paragraph, signed, whole

_POINTS = 400  # of each curve; more cannot be distinguished
_MANY = 60  # from this many sizes on the axis is logarithmic
_TICKS = 22  # the most labels on a linear axis
_ZERO = "rgba(138,143,152,0.6)"


def curves(
    true: NumberArray, released: NumberArray, noisy: NumberArray | None = None
) -> pd.DataFrame:
    """Return the cumulative counts of one region, one row per size.

    Args:
        true: shape (n_sizes,), groups of size 0, 1, 2 … in one region.
        released: the same, released.
        noisy: noisy cumulative counts, or None. If there are fewer of them, the last is repeated.

    Returns:
        size, true, noisy (if given), released, and the differences from the true counts,
        noisy_error (if given) and error.
    """
    frame = pd.DataFrame({"size": np.arange(len(true)), "true": np.cumsum(true)})
    if noisy is not None:
        frame["noisy"] = noisy[np.minimum(np.arange(len(true)), len(noisy) - 1)]
    frame["released"] = np.cumsum(released)
    if noisy is not None:
        frame["noisy_error"] = frame["noisy"] - frame["true"]
    return frame.assign(error=frame["released"] - frame["true"])


def distance(frame: pd.DataFrame) -> float:
    """Return the area between true and released: with equal totals, the earth mover's distance."""
    return float((frame["error"] - frame["error"].iloc[-1]).abs().sum())


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the curves as a table: each size, or the ends of classes if there are many."""
    n = len(frame)
    ends = np.array([*class_starts(n)[1:], n]) - 1
    columns = [c for c in ("true", "noisy", "released", "error") if c in frame]
    rows = frame.loc[ends, columns].reset_index(drop=True)
    rows.insert(0, "size", [*(f"at most {size:,}" for size in ends[:-1]), "any"])
    return rows


def picture(frame: pd.DataFrame, *, group: str, height: int = 400) -> go.Figure:
    """Draw the curves, and below them their differences from the true counts.

    Args:
        frame: the frame of `curves`.
        group: what a group is, plural.
        height: pixels.
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.6, 0.4], vertical_spacing=0.1
    )
    log = len(frame) >= _MANY
    points = frame.iloc[_positions(len(frame))]
    # The step of the last size is as wide as the others.
    points = pd.concat([points, points.iloc[-1:]])
    x = points["size"].to_numpy(copy=True)
    x[-1] += 1
    if log:  # shifted by one, so that size 0 can be shown
        x += 1

    def line(column: str, name: str, row: int, **style: object) -> None:
        say = whole if row == 1 else signed
        figure.add_scatter(
            x=x,
            y=points[column],
            name=name,
            mode="lines",
            line={"shape": "hv", **style},
            fill="tozeroy" if column == "error" else None,
            customdata=[
                [f"{s:,}", say(v)] for s, v in zip(points["size"], points[column], strict=True)
            ],
            hovertemplate=f"at most %{{customdata[0]}}, {name}: %{{customdata[1]}} {group}"
            "<extra></extra>",
            row=row,
            col=1,
        )

    line("true", "true", 1, color=GREY, width=5)
    if "noisy" in points:
        line("noisy", "noisy", 1, color=PURPLE, width=2, dash="dot")
    line("released", "released", 1, color=BLUE, width=2)
    line("error", "released − true", 2, color=ORANGE, width=2)
    if "noisy" in points:
        line("noisy_error", "noisy − true", 2, color=PURPLE, width=1.5, dash="dot")
    bare(figure, height=height)
    figure.update_layout(
        margin={"l": 0, "r": 8, "t": 30, "b": 0},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        hovermode="closest",
    )
    figure.update_xaxes(fixedrange=True, showgrid=False)
    if log:
        steps = _steps(len(frame))
        figure.update_xaxes(
            type="log",
            range=[0, float(np.log10(len(frame) + 1))],
            tickmode="array",
            tickvals=[s + 1 for s in steps],
            ticktext=[f"{s:,}" for s in steps],
        )
    else:
        figure.update_xaxes(range=[-0.1, len(frame) + 0.1])
        step = 1 + len(frame) // _TICKS
        figure.update_xaxes(tickmode="array", tickvals=list(range(0, len(frame), step)))
    figure.update_xaxes(title=f"{group} of at most this size", row=2, col=1)
    figure.update_yaxes(fixedrange=True, rangemode="tozero", nticks=5, automargin=True)
    figure.update_yaxes(title=group, row=1, col=1)
    figure.update_yaxes(title="released − true", row=2, col=1)
    errors = [c for c in ("error", "noisy_error") if c in frame]
    reach = 1.1 * max(float(frame[errors].abs().to_numpy().max()), 1.0)
    figure.update_yaxes(range=[-reach, reach], nticks=5, row=2, col=1)
    figure.update_yaxes(zeroline=True, zerolinecolor=_ZERO, row=2, col=1)
    return figure


def alt(frame: pd.DataFrame, *, region: str, group: str) -> str:
    """Return the curves in words."""
    last, worst = frame.iloc[-1], frame.iloc[int(frame["error"].abs().argmax())]
    noisy = ""
    if "noisy" in frame:
        mean = number(float(frame["noisy_error"].abs().mean()))
        noisy = f" The noisy counts have a mean absolute error of {mean}."
    errors = "The released counts equal the true ones."
    if worst["error"]:
        mean = number(float(frame["error"].abs().mean()))
        errors = (
            f"The released counts have a mean absolute error of {mean}. The largest error is "
            f"{signed(worst['error'])}, at size {int(worst['size']):,}."
        )
    return (
        f"Cumulative {group} of {region}, from size 0 to {int(last['size']):,}. The true total is "
        f"{whole(last['true'])}, the released total {whole(last['released'])}. {errors}{noisy}"
    )


def axis_note(frame: pd.DataFrame) -> str:
    """Return a note on the axis; empty if it is linear."""
    if len(frame) < _MANY:
        return ""
    n_points = len(_positions(len(frame)))
    return paragraph(
        "The axis is logarithmic, so distances to the right are larger than they look.",
        f"{n_points:,} of {len(frame):,} sizes are shown." if n_points < len(frame) else "",
    )


def _positions(n: int) -> IntArray:
    """Return the sizes shown: all, or a selection whose distances grow with the size."""
    if n <= _POINTS:
        return np.arange(n)
    spread = np.rint(np.geomspace(1, n, _POINTS)).astype(np.int64) - 1
    return np.unique(np.append(spread, n - 1))


def _steps(n: int) -> list[int]:
    """Return the sizes labelled on a logarithmic axis."""
    steps = [0, 1, 3] + [m * 10**k for k in range(1, len(str(n))) for m in (1, 3)]
    return [s for s in steps if s < n]


def chart(frame: pd.DataFrame, *, region: str, group: str) -> Chart:
    """Return the cumulative counts of a region with their table and text."""
    return Chart(
        title=f"Cumulative {group} of {region} by size",
        figure=picture(frame, group=group),
        alt=alt(frame, region=region, group=group),
        table=table(frame),
    )
