"""Which groups of a region were taken for which of one of its parts.

The region's sizes on top, the part's own below, the size they were given in between. A
line that runs straight down joins two estimates that agree.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.numbers import percent, whole
from hierdp_core.figures.style import BLUE, GREY, ORANGE, bare

MOST_SIZES = 25
_WIDTHS = (1.5, 3.0, 5.0, 8.0, 12.0)  # pixels
_FEW = 10  # so many lines can say how many groups they are
_ROWS = (
    ("above", 2, GREY, "square"),
    ("merged", 1, ORANGE, "diamond"),
    ("below", 0, BLUE, "circle"),
)


def sizes_of(pairs: pd.DataFrame) -> list[int]:
    """All sizes in the drawn rows of `group_steps.size_pairs`, rising."""
    drawn = pairs[pairs["kept"]]
    return sorted(set(drawn[["above", "merged", "below"]].to_numpy().ravel().tolist()))


def picture(
    pairs: pd.DataFrame,
    sizes: Sequence[int],
    *,
    above: str,
    below: str,
    group: str,
    most: int,
    height: int = 330,
) -> go.Figure:
    """The matching of a region with one of its parts.

    Args:
        pairs: rows of one part, of `group_steps.size_pairs`; those not kept are not drawn.
        sizes: those along the axis, from `sizes_of`: the same in pictures side by side.
        above: the region's name.
        below: the part's name.
        group: what a group is, plural.
        most: groups of the widest line.
        height: pixels.
    """
    place = {size: i for i, size in enumerate(sizes)}
    drawn = pairs[pairs["kept"]]
    figure = go.Figure()
    share = np.sqrt(drawn["groups"].to_numpy(float) / max(most, 1))
    kind = np.minimum((share * len(_WIDTHS)).astype(np.int64), len(_WIDTHS) - 1)
    for k, width in enumerate(_WIDTHS):
        x: list[int | None] = []
        y: list[int | None] = []
        said: list[str] = []
        for row in drawn[kind == k].to_dict("records"):
            x += [*(place[int(row[name])] for name, *_ in _ROWS), None]
            y += [2, 1, 0, None]
            said += [_said(row, above, below, group)] * 4
        if x:
            figure.add_scatter(
                x=x,
                y=y,
                mode="lines",
                line={"color": BLUE, "width": width},
                opacity=0.45,
                customdata=said,
                hovertemplate="%{customdata}<extra></extra>",
            )
    for name, height_of, colour, symbol in _ROWS:
        sums = drawn.groupby(name)["groups"].sum()
        figure.add_scatter(
            x=[place[int(size)] for size in sums.index],
            y=[height_of] * len(sums),
            mode="markers",
            marker={"color": colour, "size": 11, "symbol": symbol},
            customdata=[[f"{s:,}", whole(n)] for s, n in sums.items()],
            hovertemplate=f"size %{{customdata[0]}}: %{{customdata[1]}} {group}<extra></extra>",
            cliponaxis=False,
        )
    if len(drawn) <= _FEW:
        _numbers(figure, drawn, place)
    bare(figure, height=height)
    figure.update_layout(
        showlegend=False, hovermode="closest", margin={"l": 4, "r": 8, "t": 12, "b": 4}
    )
    figure.update_xaxes(
        title="size",
        tickmode="array",
        tickvals=list(place.values()),
        ticktext=[f"{size:,}" for size in sizes],
        range=[-0.6, len(sizes) - 0.4],
        fixedrange=True,
        zeroline=False,
        showgrid=False,
        tickangle=0 if len(sizes) <= 12 else -60,
    )
    figure.update_yaxes(
        tickmode="array",
        tickvals=[2, 1, 0],
        ticktext=[_short(above), "merged", _short(below)],
        range=[-0.3, 2.3],
        fixedrange=True,
        zeroline=False,
        showgrid=False,
    )
    return figure


def table(pairs: pd.DataFrame, *, above: str, below: str) -> pd.DataFrame:
    """The lines as numbers, all of them, the most groups first."""
    columns = {
        "above": f"size in {above}",
        "below": f"size in {below}",
        "merged": "merged size",
        "groups": "groups",
    }
    shown = pairs.sort_values("groups", ascending=False, kind="stable")
    return shown[list(columns)].rename(columns=columns).reset_index(drop=True)


def alt(pairs: pd.DataFrame, *, above: str, below: str, group: str) -> str:
    """What the picture says."""
    total = int(pairs["groups"].sum())
    if not total:
        return f"{below} has no {group}."
    same = int(pairs.loc[pairs["above"] == pairs["below"], "groups"].sum())
    most = pairs.iloc[int(pairs["groups"].argmax())]
    return (
        f"Sizes of {above} matched with those of {below}: {percent(same / total)} of "
        f"{whole(total)} {group} have the same size in both. Most: "
        f"{_said(most.to_dict(), above, below, group)}."
    )


def _said(row: Mapping[Any, int], above: str, below: str, group: str) -> str:
    return (
        f"{row['groups']:,} {group}: size {row['above']:,} in {above}, {row['below']:,} in "
        f"{below}, merged {row['merged']:,}"
    )


def _numbers(figure: go.Figure, drawn: pd.DataFrame, place: dict[int, int]) -> None:
    middle = [
        (place[int(a)] + place[int(m)]) / 2
        for a, m in zip(drawn["above"], drawn["merged"], strict=True)
    ]
    figure.add_scatter(
        x=middle,
        y=[1.5] * len(drawn),
        mode="text",
        text=[f"  {n:,}" for n in drawn["groups"]],
        textposition="middle right",
        hoverinfo="skip",
        cliponaxis=False,
    )


def _short(name: str) -> str:
    return name if len(name) <= 16 else f"{name[:15]}…"
