"""How many groups of at most each size one region has: true, noisy and released.

The curves lie close together, so their differences have a panel and an axis of their own.
The area between true and released, their ends set level, is the earth mover's distance.
"""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.program.size_distribution import class_starts
from hierdp_core.figures.style import BLUE, GREY, ORANGE, PURPLE, bare
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.text import number, signed, whole

_POINTS = 400  # of each curve; more are not seen apart
_MANY = 60  # from this many sizes on the axis is logarithmic
_TICKS = 22  # of them at most on a plain axis
_ZERO = "rgba(138,143,152,0.6)"


def curves(
    true: NumberArray, released: NumberArray, noisy: NumberArray | None = None
) -> pd.DataFrame:
    """The running sums of one region, a row a size.

    Args:
        true: shape (n_sizes,), groups of size 0, 1, 2 … in one region.
        released: the same, released.
        noisy: noisy running sums; None where there are none. Of fewer sizes the last goes on.

    Returns:
        size, true, noisy (where there are any), released, and the differences from the truth,
        noisy_error and error.
    """
    frame = pd.DataFrame({"size": np.arange(len(true)), "true": np.cumsum(true)})
    if noisy is not None:
        frame["noisy"] = noisy[np.minimum(np.arange(len(true)), len(noisy) - 1)]
    frame["released"] = np.cumsum(released)
    if noisy is not None:
        frame["noisy_error"] = frame["noisy"] - frame["true"]
    return frame.assign(error=frame["released"] - frame["true"])


def distance(frame: pd.DataFrame) -> float:
    """The area between true and released, the ends set level: the earth mover's distance."""
    return float((frame["error"] - frame["error"].iloc[-1]).abs().sum())


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """The curves as numbers: each size, or the ends of classes where there are many."""
    n = len(frame)
    ends = np.array([*class_starts(n)[1:], n]) - 1
    columns = [c for c in ("true", "noisy", "released", "error") if c in frame]
    shown = frame.loc[ends, columns].reset_index(drop=True)
    shown.insert(0, "size", [*(f"at most {size:,}" for size in ends[:-1]), "any"])
    return shown


def picture(frame: pd.DataFrame, *, group: str, height: int = 400) -> go.Figure:
    """The curves above, their differences from the truth below.

    Args:
        frame: of `curves`.
        group: what a group is, plural.
        height: pixels.
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.6, 0.4], vertical_spacing=0.1
    )
    log = len(frame) >= _MANY
    shown = frame.iloc[_positions(len(frame))]
    # The step of the last size is as wide as the others.
    shown = pd.concat([shown, shown.iloc[-1:]])
    x = shown["size"].to_numpy(copy=True)
    x[-1] += 1
    if log:  # size 0 has a place there when every size is moved by one
        x += 1

    def line(column: str, name: str, row: int, **style: object) -> None:
        say = whole if row == 1 else signed
        figure.add_scatter(
            x=x,
            y=shown[column],
            name=name,
            mode="lines",
            line={"shape": "hv", **style},
            fill="tozeroy" if column == "error" else None,
            customdata=[
                [f"{s:,}", say(v)] for s, v in zip(shown["size"], shown[column], strict=True)
            ],
            hovertemplate=f"at most %{{customdata[0]}}: {name}%{{customdata[1]}} {group}"
            "<extra></extra>",
            row=row,
            col=1,
        )

    line("true", "true", 1, color=GREY, width=5)
    if "noisy" in shown:
        line("noisy", "noisy", 1, color=PURPLE, width=2, dash="dot")
    line("released", "released", 1, color=BLUE, width=2)
    line("error", "released − true", 2, color=ORANGE, width=2)
    if "noisy" in shown:
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
    figure.update_xaxes(title="at most this size", row=2, col=1)
    figure.update_yaxes(fixedrange=True, rangemode="tozero", nticks=5)
    errors = [c for c in ("error", "noisy_error") if c in frame]
    reach = 1.1 * max(float(frame[errors].abs().to_numpy().max()), 1.0)
    figure.update_yaxes(range=[-reach, reach], nticks=5, row=2, col=1)
    figure.update_yaxes(zeroline=True, zerolinecolor=_ZERO, row=2, col=1)
    return figure


def alt(frame: pd.DataFrame, *, region: str, group: str) -> str:
    """What the curves say."""
    last, worst = frame.iloc[-1], frame.iloc[int(frame["error"].abs().argmax())]
    noisy = ""
    if "noisy" in frame:
        noisy = f" Noisy numbers are off by {number(float(frame['noisy_error'].abs().mean()))}."
    return (
        f"{group} of {region} of at most each size, from size 0 to {int(last['size']):,}; "
        f"{whole(last['true'])} in all, {whole(last['released'])} as released. Released numbers "
        f"are off by {number(float(frame['error'].abs().mean()))} on average, most at size "
        f"{int(worst['size']):,} ({signed(worst['error'])}).{noisy}"
    )


def axis_note(frame: pd.DataFrame) -> str:
    """What to know of the axis; nothing where it is plain."""
    if len(frame) < _MANY:
        return ""
    drawn = len(_positions(len(frame)))
    some = f" {drawn:,} of {len(frame):,} sizes are drawn." if drawn < len(frame) else ""
    return f"The axis is logarithmic: areas to the right are larger than they look.{some}"


def _positions(n: int) -> IntArray:
    """Which sizes are drawn: all, or so many that their distances grow with the size."""
    if n <= _POINTS:
        return np.arange(n)
    spread = np.rint(np.geomspace(1, n, _POINTS)).astype(np.int64) - 1
    return np.unique(np.append(spread, n - 1))


def _steps(n: int) -> list[int]:
    """The sizes named on a logarithmic axis."""
    steps = [0, 1, 3] + [m * 10**k for k in range(1, len(str(n))) for m in (1, 3)]
    return [s for s in steps if s < n]


def chart(frame: pd.DataFrame, *, region: str, group: str) -> Chart:
    """The cumulative numbers of a region with their table and their text."""
    return Chart(
        title=f"Cumulative {group} of {region} by size",
        figure=picture(frame, group=group),
        alt=alt(frame, region=region, group=group),
        table=table(frame),
    )
