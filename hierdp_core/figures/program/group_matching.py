"""The matching of the groups of a region with the groups of one of its children.

The sizes of the region are on top, those of the child below, and the merged sizes in between. A
vertical line joins two estimates that agree.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, ORANGE, bare
from hierdp_core.util.text import capital, percent, whole

MOST_SIZES = 25
_WIDTHS = (1.5, 3.0, 5.0, 8.0, 12.0)  # pixels
_ROOMY = 14  # with more sizes than this, lines and marks are narrower
_FEW = 9  # with at most this many sizes, every mark has its number of groups
_LEVEL = 40  # with more letters than this, the numbers under the axis are slanted
_ROWS = (
    ("above", 2, GREY, "square", "top center"),
    ("merged", 1, ORANGE, "diamond", "top right"),
    ("below", 0, BLUE, "circle", "bottom center"),
)


def axes(pairs: pd.DataFrame, children: Sequence[int]) -> list[list[int]]:
    """Return the sizes along the axis of each child's figure, ascending.

    If all pairs are drawn, they are the same for all children, so that figures can be compared.
    Otherwise each child has its own sizes.

    Args:
        pairs: the pairs of `group_sizes.size_pairs`.
        children: the children, as in `group_sizes.size_pairs`.
    """
    drawn = pairs[pairs["kept"]]
    if pairs["kept"].all():
        return [_sizes(drawn)] * len(children)
    return [_sizes(drawn[drawn["child"] == child]) for child in children]


def most_groups(pairs: pd.DataFrame) -> int:
    """Return the number of groups of the widest line."""
    return int(pairs.loc[pairs["kept"], "groups"].max()) if pairs["kept"].any() else 0


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
    """Draw the matching of a region with one of its children.

    Args:
        pairs: the rows of one child in `group_sizes.size_pairs`; those not kept are not drawn.
        sizes: the sizes along the axis, from `axes`.
        above: the name of the region.
        below: the name of the child.
        group: what a group is, plural.
        most: the number of groups of the widest line.
        height: pixels.
    """
    place = {size: i for i, size in enumerate(sizes)}
    drawn = pairs[pairs["kept"]]
    figure = go.Figure()
    share = np.sqrt(drawn["groups"].to_numpy(float) / max(most, 1))
    kind = np.minimum((share * len(_WIDTHS)).astype(np.int64), len(_WIDTHS) - 1)
    narrow = min(1.0, _ROOMY / max(len(sizes), 1))
    for k, width in enumerate(_WIDTHS):
        x: list[int | None] = []
        y: list[int | None] = []
        hover_texts: list[str] = []
        for row in drawn[kind == k].to_dict("records"):
            x += [*(place[int(row[name])] for name, *_ in _ROWS), None]
            y += [2, 1, 0, None]
            hover_texts += [_in_words(row, above, below, group)] * 4
        if x:
            figure.add_scatter(
                x=x,
                y=y,
                mode="lines",
                line={"color": BLUE, "width": width * narrow},
                opacity=0.6,
                customdata=hover_texts,
                hovertemplate="%{customdata}<extra></extra>",
            )
    for name, height_of, colour, symbol, where in _ROWS:
        sums = drawn.groupby(name)["groups"].sum()
        figure.add_scatter(
            x=[place[int(size)] for size in sums.index],
            y=[height_of] * len(sums),
            mode="markers+text" if len(sizes) <= _FEW else "markers",
            marker={"color": colour, "size": 4 + 8 * narrow, "symbol": symbol},
            text=[f" {n:,} " for n in sums],
            textposition=_beside(drawn) if name == "merged" else where,
            customdata=[[f"{s:,}", whole(n)] for s, n in sums.items()],
            hovertemplate=f"size %{{customdata[0]}}: %{{customdata[1]}} {group}<extra></extra>",
            cliponaxis=False,
        )
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
        tickangle=0 if sum(len(f"{size:,}") + 1 for size in sizes) <= _LEVEL else -60,
    )
    figure.update_yaxes(
        tickmode="array",
        tickvals=[2, 1, 0],
        ticktext=[_short(above), "merged", _short(below)],
        range=[-0.4, 2.4],
        fixedrange=True,
        zeroline=False,
        showgrid=False,
    )
    return figure


def table(pairs: pd.DataFrame, *, above: str, below: str) -> pd.DataFrame:
    """Return all lines as numbers, those with most groups first."""
    columns = {
        "above": f"size in {above}",
        "below": f"size in {below}",
        "merged": "merged size",
        "groups": "groups",
    }
    rows = pairs.sort_values("groups", ascending=False, kind="stable")
    return rows[list(columns)].rename(columns=columns).reset_index(drop=True)


def alt(pairs: pd.DataFrame, *, above: str, below: str, group: str) -> str:
    """Return the alternative text of the picture."""
    total = int(pairs["groups"].sum())
    if not total:
        return f"{capital(below)} has no {group}."
    same = int(pairs.loc[pairs["above"] == pairs["below"], "groups"].sum())
    most = pairs.iloc[int(pairs["groups"].argmax())]
    return (
        f"Sizes of {above} matched with those of {below}: {percent(same / total)} of "
        f"{whole(total)} {group} have the same size in both. The most frequent match: "
        f"{_in_words(most.to_dict(), above, below, group)}."
    )


def _in_words(row: Mapping[Any, int], above: str, below: str, group: str) -> str:
    return (
        f"{row['groups']:,} {group}: size {row['above']:,} in {above}, {row['below']:,} in "
        f"{below}, merged {row['merged']:,}"
    )


def _beside(drawn: pd.DataFrame) -> list[str]:
    """Return the position of the number of each merged size, away from the lines at its mark."""
    lean = ((drawn["below"] - drawn["above"]) * drawn["groups"]).groupby(drawn["merged"]).sum()
    return ["top right" if to_the_right else "top left" for to_the_right in lean >= 0]


def _sizes(drawn: pd.DataFrame) -> list[int]:
    return sorted(set(drawn[["above", "merged", "below"]].to_numpy().ravel().tolist()))


def _short(name: str) -> str:
    name = name.removeprefix("the ")
    return name if len(name) <= 16 else f"{name[:15]}…"


def chart(
    rows: pd.DataFrame,
    sizes: Sequence[int],
    *,
    above: str,
    below: str,
    group: str,
    most: int,
) -> Chart:
    """Return the matching with its table and its text; for the arguments see `picture`."""
    return Chart(
        title=f"{group.capitalize()} of {below} within {above}",
        figure=picture(rows, sizes, above=above, below=below, group=group, most=most),
        alt=alt(rows, above=above, below=below, group=group),
        table=table(rows, above=above, below=below),
    )
