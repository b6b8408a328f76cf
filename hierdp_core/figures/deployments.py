"""A table and a chart of the budgets of published releases, beside the user's own budget."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.style import BLUE, GREY, ORANGE, bare, with_own_margins
from hierdp_core.privacy import (
    Neighbours,
    PrivacyStatement,
    conversions,
)
from hierdp_core.privacy.meaning import COROLLARY_13, EXACT
from hierdp_core.privacy.published import Deployment
from hierdp_core.privacy.rounding import (
    parameter,
)
from hierdp_core.util.text import listing

FROM_RHO = "from ρ, Corollary 13"


def table(
    published: Sequence[Deployment], statement: PrivacyStatement, *, delta: float, yours: str
) -> pd.DataFrame:
    """Return a table of published budgets, with the user's own in the first row.

    Columns: `what` was released by `who` in which `year`; the privacy unit that the budget
    `protects` and its `period`; where `noise` is added; the `budget` as stated; `epsilon`, at
    `delta` if the budget was stated in ρ, and `how` it was obtained. `exact` is ε from ρ by the
    exact curve of Gaussian noise, or NaN if ε was stated. `alike` is true where the budget covers
    a whole release to which noise is added once, as in HierDP.
    """
    pure = statement.epsilon is not None
    by_name = {one.name: one.epsilon for one in conversions(statement, delta=delta)}
    renyi, exact = by_name.get(COROLLARY_13), by_name.get(EXACT)
    mine = {
        "what": yours,
        "who": "you",
        "year": None,
        "protects": _protected(statement),
        "period": "whole release",
        "noise": "central",
        "budget": statement.guarantee,
        "epsilon": statement.epsilon if pure else renyi,
        "how": "as stated" if pure else FROM_RHO,
        "exact": np.nan if pure or exact is None else exact,
        "alike": True,
    }
    rows = [
        {
            "what": d.what,
            "who": d.who,
            "year": d.year,
            "protects": d.protects,
            "period": d.period,
            "noise": d.model,
            "budget": d.budget,
            "epsilon": d.epsilon_at(delta),
            "how": "as published" if d.rho is None else FROM_RHO,
            "exact": np.nan if d.rho is None else d.gaussian_epsilon_at(delta),
            "alike": d.like_a_release,
        }
        for d in sorted(published, key=lambda d: d.epsilon_at(delta))
    ]
    return pd.DataFrame([mine, *rows])


def _protected(statement: PrivacyStatement) -> str:
    """Return the privacy unit with the changes of its record that are protected."""
    if statement.neighbours is not Neighbours.ADD_OR_REMOVE_ONE:
        return f"{statement.unit}, replaced{statement.qualification}"
    return f"{statement.unit}{statement.qualification}"


def picture(table: pd.DataFrame) -> go.Figure:
    """Return a chart of ε of the budgets that protect a whole release, the own one in orange.

    Names are above their dots, since a phone would cut them off to the left.
    """
    rows = table[table["alike"]].sort_values("epsilon", ascending=False)
    names = [f"{row.what} · {row.who}" for row in rows.itertuples()]
    mine = (rows["who"] == "you").to_numpy()
    heights = list(range(len(rows)))
    figure = go.Figure(
        go.Scatter(
            x=rows["epsilon"],
            y=heights,
            mode="markers+text",
            marker={"size": 11, "color": np.where(mine, ORANGE, BLUE).tolist()},
            text=[f" {parameter(v)}" for v in rows["epsilon"]],
            textposition="middle right",
            customdata=rows.assign(name=names)[["protects", "budget", "name"]].to_numpy(),
            hovertemplate=(
                "%{customdata[2]}<br>%{customdata[1]}, protects %{customdata[0]}<extra></extra>"
            ),
            cliponaxis=False,
        )
    )
    figure.add_bar(  # a faint line from the name to its dot, so that the eye finds it
        x=rows["epsilon"],
        y=heights,
        orientation="h",
        width=0.04,
        marker={"color": GREY, "opacity": 0.5, "line": {"width": 0}},
        hoverinfo="skip",
        showlegend=False,
    )
    for height, name, bold in zip(heights, names, mine, strict=True):
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=height,
            yshift=15,
            text=f"<b>{name}</b>" if bold else name,
            showarrow=False,
            font={"size": 11},
        )
    bare(figure, height=64 + 36 * len(rows))
    # At a large δ, a small ρ converts to an ε of 0, which has no place on a log scale.
    above_none = rows.loc[rows["epsilon"] > 0, "epsilon"]
    low, high = float(above_none.min()), float(above_none.max())
    figure.update_layout(margin={"l": 8, "r": 40, "t": 12}, showlegend=False)
    figure.update_xaxes(
        type="log",
        title="ε, log scale",
        range=[np.log10(low) - 0.3, np.log10(high) + 0.3],
        tickvals=[0.01, 0.1, 1, 10, 100, 1000],
        ticktext=["0.01", "0.1", "1", "10", "100", "1,000"],
        fixedrange=True,
        zeroline=False,
    )
    figure.update_yaxes(visible=False, range=[-0.5, len(rows) - 0.3], fixedrange=True)
    return with_own_margins(figure)


def alt(table: pd.DataFrame, *, delta: float) -> str:
    """Return the chart in words, smallest ε first.

    Args:
        delta: the probability at which ε of the budgets in ρ holds.
    """
    rows = table[table["alike"]].sort_values("epsilon")
    parts = [
        f"{row['what']} ({row['who']}) {parameter(row['epsilon'])}"
        for row in rows.to_dict("records")
    ]
    title = (
        "ε of releases that protect one record for a whole release, at "
        f"δ = {parameter(delta)} where the budget is in ρ"
    )
    return listing(title, parts)
