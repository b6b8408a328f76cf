"""The cost of a value as a sum of bars, and the merge of increments from which it follows.

Every value of the window costs at least the lowest φ in it. This amount is subtracted, so that bars
begin at 0. Costs are in squared counts times weight, divided by the argument `weight`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.program.style_of_steps import (
    HEIGHT,
    LABELLED,
    PART_COLOURS,
    legend_on_top,
    print_number,
)
from hierdp_core.figures.style import BLUE, GREY, ORANGE, SKY, VERMILION, bare
from hierdp_core.solvers.cost_tables import CostTable
from hierdp_core.util.arrays import FloatArray, NumberArray
from hierdp_core.util.text import listing, paragraph, some, three_digits, whole

_FADED = 0.3
_SHORT = 10_000  # numbers below it fit under every bar
_FAR = 1.5  # a noisy value further from the window than this multiple of it is written, not drawn


def floor_of(table: CostTable, *, weight: float = 1) -> float:
    """Return the lowest cost of the children over all values of the window."""
    return float(table.phi.min()) / weight


def stacked(table: CostTable, *, name: str, parts: str, weight: float = 1) -> go.Figure:
    """Draw τ as stacked bars: φ, and the cost of moving the node itself.

    Args:
        table: the table of the node.
        name: the name of the node.
        parts: the noun for its children, plural; empty for a leaf.
        weight: the unit of cost.
    """
    v, figure = table.values, go.Figure()
    below, own = _above_floor(table, weight), table.own / weight
    if parts:
        figure.add_bar(
            x=v,
            y=below,
            name=f"φ: {parts}",
            marker_color=SKY,
            customdata=[whole(c) for c in below],
            hovertemplate="v = %{x:,}, sub-areas: %{customdata}<extra></extra>",
        )
    figure.add_bar(
        x=v,
        y=own,
        name=f"{_own_cost(table, weight)}: {name}",
        marker_color=ORANGE,
        customdata=[whole(c) for c in own],
        hovertemplate=f"v = %{{x:,}}, moving {name}: %{{customdata}}<extra></extra>",
    )
    total = below + own
    labelled = len(v) <= LABELLED
    figure.add_scatter(
        x=v,
        y=total,
        name="τ: total",
        mode="lines+markers" if labelled else "lines",
        line={"color": GREY, "width": 2},
        marker={"color": GREY, "size": 7},
        cliponaxis=False,
        customdata=[whole(round(c, 2)) for c in total],
        hovertemplate="v = %{x:,}, τ: %{customdata}<extra></extra>",
    )
    figure.add_scatter(
        x=[table.chosen],
        y=[total[table.chosen_at]],
        name=f"chosen: {whole(table.chosen)}",
        mode="markers",
        marker={
            "symbol": "circle-open",
            "size": 19,
            "color": VERMILION,
            "line": {"width": 3.5, "color": VERMILION},
        },
        cliponaxis=False,
        hovertemplate="chosen: %{x:,}<extra></extra>",
    )
    _frame(figure, table, y="cost", headroom=float(total.max()))
    if labelled:
        for x, c in zip(v, total, strict=True):
            print_number(figure, x, c, lift=20 if x == table.chosen else 14)
    figure.update_layout(barmode="stack", bargap=0.2)
    _noisy_mark(figure, table)
    return figure


def curves(tables: Sequence[CostTable], names: Sequence[str], *, weight: float = 1) -> go.Figure:
    """Draw τ of several children, whose tables are over the same values."""
    figure = go.Figure()
    highest = 0.0
    for k, (table, name) in enumerate(zip(tables, names, strict=True)):
        colour = PART_COLOURS[k % len(PART_COLOURS)]
        cost = table.tau / weight
        highest = max(highest, float(cost.max()))
        figure.add_scatter(
            x=table.values,
            y=cost,
            name=f"{name}, noisy {whole(table.target)}",
            mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": ("solid", "dash", "dot")[k % 3]},
            marker={"size": 8, "symbol": ("circle", "square", "diamond")[k % 3]},
            cliponaxis=False,
            hovertemplate=f"{name} at %{{x:,}}: cost %{{y:,}}<extra></extra>",
        )
    _frame(figure, tables[0], y="cost", headroom=highest)
    if len(tables) == 2 and len(tables[0].values) <= LABELLED:
        one, other = (table.tau / weight for table in tables)
        for x, a, b in zip(tables[0].values, one, other, strict=True):
            print_number(figure, x, a, lift=12 if a >= b else -12)
            print_number(figure, x, b, lift=-12 if a >= b else 12)
        figure.update_yaxes(range=[-0.09 * highest, 1.13 * max(highest, 1)])
    return figure


def merge(
    table: CostTable, names: Sequence[str], *, weight: float = 1, marked: int | None = None
) -> go.Figure:
    """Draw the increments of the children in the order of their cost, in the colour of each child.

    Units that the node takes are solid, and the others are faint. A line shows the price.

    Args:
        table: the table of the node.
        names: the names of its children.
        weight: the unit of cost.
        marked: a child to show in its own colour even if it gives few increments.
    """
    increment = table.values[1:]
    cost = table.merged / (weight * table.step)
    giver, taken = table.taken_from, np.arange(len(increment)) < table.chosen_at
    colours = part_colours(table, marked=marked)
    figure = go.Figure()
    for part in [*colours, None]:
        mine = giver == part if part is not None else ~np.isin(giver, list(colours))
        if not mine.any():
            continue
        title = names[part] if part is not None else "others"
        figure.add_bar(
            x=increment[mine],
            y=cost[mine],
            width=0.85 * table.step,  # otherwise a child with few increments has wide bars
            name=title,
            marker={
                "color": GREY if part is None else colours[part],
                "opacity": np.where(taken[mine], 1.0, _FADED),
            },
            customdata=[
                [names[g], whole(round(c, 2))] for g, c in zip(giver[mine], cost[mine], strict=True)
            ],
            hovertemplate="increment %{x:,} comes from %{customdata[0]}: costs %{customdata[1]}"
            "<extra></extra>",
        )
    _slope_frame(figure, table, cost, x="increments, lowest cost first")
    if table.chosen_at > 0:
        price = float(cost[table.chosen_at - 1])
        _price_line(figure, price, f"price for the sub-areas: {whole(round(price, 2))}")
    if len(increment) <= LABELLED:
        for u, c in zip(increment, cost, strict=True):
            print_number(figure, u, c)
    return figure


def slopes(table: CostTable, *, name: str, weight: float = 1) -> go.Figure:
    """Return a chart of the marginal cost of each increment of a node, and the price λ."""
    increment, cost = table.values[1:], table.slopes / (weight * table.step)
    taken = np.arange(len(increment)) < table.chosen_at
    figure = go.Figure()
    for mine, title, opacity in ((taken, "taken", 1.0), (~taken, "not taken", _FADED)):
        figure.add_bar(
            x=increment[mine],
            y=cost[mine],
            width=0.85 * table.step,
            name=f"{title} by {name}",
            marker={"color": BLUE, "opacity": opacity},
            hovertemplate="increment %{x:,} costs %{y:,}<extra></extra>",
        )
    _slope_frame(figure, table, cost, x=f"increments of {name}")
    if table.price is not None:
        price = table.price / weight
        _price_line(figure, price, f"price λ = {whole(round(price, 2))}")
    if len(increment) <= LABELLED:
        for u, c in zip(increment, cost, strict=True):
            print_number(figure, u, c)
    return figure


def cost_frame(
    table: CostTable, *, names: Sequence[str], part_tables: Sequence[CostTable], weight: float = 1
) -> pd.DataFrame:
    """Return the table under the charts, one row per value.

    Args:
        table: the table of the node.
        names: the names of its children.
        part_tables: the tables of the children over the same values, or over these and larger
            ones; may be empty.
        weight: the unit of cost.

    Returns:
        v and a mark of the chosen value; τ of every child that has a table; φ and split, if there
        are children; own cost; τ.
    """
    rows: dict[str, object] = {
        "v": table.values,
        "chosen": ["◯" if v == table.chosen else "" for v in table.values],
    }
    for name, part in zip(names, part_tables, strict=False):
        rows[f"τ {name}"] = _plain(part.tau[: len(table.values)], weight)
    if len(names):
        rows["φ"] = _plain(table.phi, weight)
        if len(names) <= len(PART_COLOURS):
            rows["split"] = [" + ".join(whole(x) for x in row) for row in table.split]
    rows["own"] = _plain(table.own, weight)
    rows["τ"] = _plain(table.tau, weight)
    return pd.DataFrame(rows)


def merge_frame(table: CostTable, names: Sequence[str], *, weight: float = 1) -> pd.DataFrame:
    """Return the merge as numbers, one row per increment."""
    giver = table.taken_from
    return pd.DataFrame(
        {
            "increment": table.values[1:],
            "from": [names[g] for g in giver] if len(names) else "",
            "cost to the sub-areas": _plain(table.merged, weight * table.step),
            "with own cost": _plain(table.slopes, weight * table.step),
            "taken": ["yes" if k < table.chosen_at else "no" for k in range(len(giver))],
        }
    )


def stacked_alt(table: CostTable, *, name: str, weight: float = 1) -> str:
    """Return the alternative text of the stacked bars."""
    total = _above_floor(table, weight) + table.own / weight
    cost = whole(round(total[table.chosen_at], 2))
    return paragraph(
        f"Cost of the values {whole(table.values[0])} to {whole(table.values[-1])} of {name}, as "
        "stacked bars.",
        f"It is lowest at {whole(table.best)}.",
        f"The value chosen is {whole(table.chosen)}, at cost {cost}.",
        f"The noisy value was {whole(table.target)}." if table.weight else "",
    )


def curves_alt(tables: Sequence[CostTable], names: Sequence[str]) -> str:
    """Return the alternative text of the curves."""
    parts = [
        f"{name} is cheapest at {whole(table.best)}"
        for name, table in zip(names, tables, strict=True)
    ]
    return listing("Cost curves of the sub-areas", parts)


def merge_alt(table: CostTable, names: Sequence[str]) -> str:
    """Return the alternative text of the merge."""
    if not len(names):
        return "There are no sub-areas, so nothing is combined."
    order = table.taken_from[: table.chosen_at]
    counts = {names[g]: int((order == g).sum()) for g in np.unique(order)}
    given = some([f"{n} of {name}" for name, n in counts.items()], shown=6)
    return (
        "Increments of the sub-areas in order of cost, as bars. Of the increments shown, those up "
        f"to the chosen value {whole(table.chosen)} come from: {given or 'none'}."
    )


def part_colours(table: CostTable, *, marked: int | None = None) -> Mapping[int, str]:
    """Return a colour for each child that gives most increments in the window; others are grey."""
    n_parts = table.split.shape[1]
    if n_parts <= len(PART_COLOURS):
        chosen = list(range(n_parts))
    else:
        given = table.split[-1] - table.split[0]
        chosen = [int(p) for p in np.argsort(-given, kind="stable")[: len(PART_COLOURS) - 1]]
    colours = dict(zip([p for p in chosen if p != marked], PART_COLOURS, strict=False))
    return colours if marked is None else {**colours, marked: VERMILION}


def _above_floor(table: CostTable, weight: float) -> FloatArray:
    above: FloatArray = (table.phi - table.phi.min()) / weight
    return above


def _frame(figure: go.Figure, table: CostTable, *, y: str, headroom: float) -> None:
    bare(figure, height=HEIGHT)
    legend_on_top(figure)
    figure.update_xaxes(title="v", fixedrange=True, showgrid=False, tickformat=",d")
    if len(table.values) <= LABELLED:
        figure.update_xaxes(**({"dtick": 1} if table.values[-1] < _SHORT else {"nticks": 6}))
    figure.update_yaxes(
        title=y, fixedrange=True, rangemode="tozero", range=[0, 1.13 * max(headroom, 1)]
    )


def _slope_frame(figure: go.Figure, table: CostTable, cost: FloatArray, *, x: str) -> None:
    bare(figure, height=HEIGHT)
    legend_on_top(figure)
    low, high = min(0.0, float(cost.min())), max(0.0, float(cost.max()))
    room = 0.16 * max(high - low, 1)
    figure.update_layout(barmode="overlay", bargap=0.15)
    figure.update_xaxes(title=x, fixedrange=True, showgrid=False, tickformat=",d")
    if len(table.values) <= LABELLED:
        figure.update_xaxes(**({"dtick": 1} if table.values[-1] < _SHORT else {"nticks": 6}))
    figure.update_yaxes(
        title="marginal cost", fixedrange=True, zeroline=True, range=[low - room, high + room]
    )


def _price_line(figure: go.Figure, price: float, text: str) -> None:
    figure.add_hline(y=price, line={"color": VERMILION, "width": 2, "dash": "dash"})
    # Above the plot, where no bar covers the text.
    figure.add_annotation(
        x=1,
        y=1,
        xref="paper",
        yref="paper",
        text=f"– – {text}",
        showarrow=False,
        xanchor="right",
        yanchor="bottom",
        font={"color": VERMILION, "size": 14},
    )


def _noisy_mark(figure: go.Figure, table: CostTable) -> None:
    if not table.weight:
        return
    first, last = int(table.values[0]), int(table.values[-1])
    text = f"noisy {whole(table.target)}"
    if table.target < first - _FAR * (last - first):
        text, x = f"← {text}", first - 0.5 * table.step
    else:
        x = float(table.target)
        figure.add_vline(x=x, line={"color": GREY, "width": 1.5, "dash": "dot"})
    figure.add_annotation(
        x=x, y=1, yref="paper", text=text, showarrow=False, yanchor="top", xanchor="left", xshift=4
    )
    if table.target < first:
        low = min(x, first) - 1
        figure.add_vrect(x0=low, x1=-0.5, fillcolor=GREY, opacity=0.14, line_width=0)
        figure.add_annotation(
            x=(low - 0.5) / 2, y=0.5, yref="paper", text="below 0:<br>not possible", showarrow=False
        )
        figure.update_xaxes(range=[low, last + 0.6 * table.step])


def _plain(cost: NumberArray, weight: float) -> NumberArray:
    return cost if weight == 1 else np.round(cost / weight, 2)


def _own_cost(table: CostTable, weight: float) -> str:
    """Return the cost of moving the node as a formula: "(v − 3)²", "(v − (−3))² × 0.25"."""
    squared = f"(v − {_signed_base(table.target)})²"
    if table.weight == weight:
        return squared
    return f"{squared} × {three_digits(table.weight / weight)}"


def _signed_base(target: int) -> str:
    return f"({whole(target)})" if target < 0 else whole(target)
