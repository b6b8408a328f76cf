"""A chart of the change in the count of each region, by the noise or by post-processing."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from hierdp_core.figures.program.style_of_steps import (
    HEIGHT,
    LABELLED,
    legend_on_top,
    plus,
    print_number,
)
from hierdp_core.figures.style import BLUE, GREY, SKY, VERMILION, bare
from hierdp_core.util.arrays import BoolArray, IntArray, NumberArray
from hierdp_core.util.text import counted

_FINE = 8  # axes up to here have a tick at every whole number


def by_cost(moved: IntArray, names: Sequence[str], *, forced: BoolArray, level: str) -> go.Figure:
    """Draw the cost curve that all leaves share, with the position of each leaf on it.

    Args:
        moved: shape (n,), chosen − noisy.
        names: one per leaf.
        forced: shape (n,), whether each was measured below zero.
        level: the noun for the leaves, plural.
    """
    reach = max(3, int(np.abs(moved).max(initial=0)) + 1)
    x = np.arange(-reach, reach + 1)
    figure = go.Figure()
    figure.add_scatter(
        x=x,
        y=x**2,
        mode="lines",
        name="cost of a change by this amount",
        line={"color": GREY, "width": 2},
        hovertemplate="moved by %{x:+}: cost %{y:,}<extra></extra>",
    )
    for lifted, colour, title in (
        (False, BLUE, level),
        (True, VERMILION, f"{level} measured below zero"),
    ):
        here = np.flatnonzero(forced == lifted).tolist()
        places = [
            (step, [names[i] for i in here if moved[i] == step])
            for step in np.unique(moved[here]).tolist()
        ]
        if not places:
            continue
        figure.add_scatter(
            x=[step for step, _ in places],
            y=[step**2 for step, _ in places],
            mode="markers+text",
            name=title,
            marker={
                "color": colour,
                "size": [12 + 3 * np.sqrt(len(p)) for _, p in places],
                "opacity": 0.85,
            },
            text=[str(len(p)) if len(p) > 1 else "" for _, p in places],
            textposition="top center" if lifted else "bottom center",
            customdata=[", ".join(p[:8]) + (" …" if len(p) > 8 else "") for _, p in places],
            hovertemplate="moved by %{x:+}: %{customdata}<extra></extra>",
            cliponaxis=False,
        )
    bare(figure, height=HEIGHT)
    legend_on_top(figure)
    figure.update_xaxes(title="chosen − noisy", fixedrange=True, zeroline=True)
    figure.update_yaxes(title="cost", fixedrange=True, range=[-0.06 * reach**2, 1.08 * reach**2])
    return figure


def bars(
    names: Sequence[str],
    amounts: NumberArray,
    *,
    title: str,
    marked: Sequence[bool],
    first_apart: bool = False,
) -> go.Figure:
    """Return one bar per region for the amount by which it was moved.

    Args:
        names: one per region.
        amounts: shape (n,).
        title: the title of the axis.
        marked: whether each bar has another colour.
        first_apart: whether the first region contains the others, so that it has its own colour.
    """
    figure = go.Figure()
    colours = [VERMILION if m else SKY for m in marked]
    if first_apart:
        colours[0] = BLUE
    figure.add_bar(
        x=list(range(len(names))),
        y=amounts,
        marker_color=colours,
        customdata=[[n, plus(a)] for n, a in zip(names, amounts, strict=True)],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
    )
    bare(figure, height=HEIGHT)
    few = len(names) <= LABELLED
    reach = max(1.0, float(np.abs(amounts).max(initial=0)))
    low, high = min(0.0, float(np.min(amounts))), max(0.0, float(np.max(amounts)))
    if few:
        for i, amount in enumerate(amounts):
            print_number(figure, i, float(amount), text=plus(amount))
    figure.update_layout(showlegend=False, bargap=0.25, margin={"l": 4, "r": 4, "t": 16, "b": 4})
    figure.update_xaxes(
        tickmode="array",
        tickvals=list(range(len(names))) if few else [],
        ticktext=list(names) if few else [],
        title=None if few else "hold the pointer over a bar to see its name",
        fixedrange=True,
        showgrid=False,
    )
    figure.update_yaxes(
        title=title,
        fixedrange=True,
        zeroline=True,
        range=[low - 0.18 * reach, high + 0.18 * reach],
        tickformat=",d",
        **({"dtick": 1} if reach <= _FINE else {"nticks": 7}),
    )
    return figure


def alt(names: Sequence[str], amounts: NumberArray, *, title: str) -> str:
    """Return the alternative text of the bars."""
    most = int(np.abs(amounts).argmax())
    bars_words = f"{title} of {counted(len(names), 'area')}, as bars around zero."
    if not amounts[most]:
        return f"{bars_words} All values are 0."
    return f"{bars_words} The largest is {plus(amounts[most])}, in {names[most]}."
