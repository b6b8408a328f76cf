"""The cost tables of a chain of cumulative sums."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.program.style_of_steps import HEIGHT, PART_COLOURS, legend_on_top
from hierdp_core.figures.style import VERMILION, bare
from hierdp_core.solvers.cost_tables import ChainTables
from hierdp_core.util.text import listing, whole


def curves(tables: ChainTables, names: Sequence[str]) -> go.Figure:
    """Draw τ of every sum of a chain, with rings around the chosen values.

    Args:
        tables: the tables of the chain.
        names: the names of its nodes, in order.
    """
    figure = go.Figure()
    v = np.arange(tables.tau.shape[1])
    for k, name in enumerate(names):
        colour, cost = PART_COLOURS[k % len(PART_COLOURS)], tables.tau[k]
        figure.add_scatter(
            x=v,
            y=cost,
            name=f"τ {name}, noisy {whole(tables.targets[k])}",
            mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": ("solid", "dash", "dot")[k % 3]},
            marker={"size": 8, "symbol": ("circle", "square", "diamond")[k % 3]},
            hovertemplate=f"{name} at %{{x}}: cost %{{y:,}}<extra></extra>",
            cliponaxis=False,
        )
    figure.add_scatter(
        x=tables.chosen,
        y=[tables.tau[k, c] for k, c in enumerate(tables.chosen)],
        name="chosen",
        mode="markers",
        marker={
            "symbol": "circle-open",
            "size": 19,
            "color": VERMILION,
            "line": {"width": 3.5, "color": VERMILION},
        },
        hoverinfo="skip",
        cliponaxis=False,
    )
    bare(figure, height=HEIGHT)
    legend_on_top(figure)
    figure.update_xaxes(title="v: cumulative sum", fixedrange=True, showgrid=False, dtick=1)
    figure.update_yaxes(title="cost", fixedrange=True, range=[0, 1.1 * float(tables.tau.max())])
    return figure


def table(tables: ChainTables, names: Sequence[str]) -> pd.DataFrame:
    """Return the tables of a chain, one row per value."""
    rows: dict[str, object] = {"v": range(tables.tau.shape[1])}
    for k, name in enumerate(names):
        rows[f"τ {name}"] = [
            f"{whole(c)}{' ◯' if v == tables.chosen[k] else ''}"
            for v, c in enumerate(tables.tau[k])
        ]
    return pd.DataFrame(rows)


def alt(tables: ChainTables, names: Sequence[str]) -> str:
    """Return the alternative text of the curves of a chain."""
    parts = [
        f"{name} noisy {whole(t)}, chosen {whole(c)}"
        for name, t, c in zip(names, tables.targets, tables.chosen, strict=True)
    ]
    return listing("Cost curves along the chain of cumulative sums", parts)
