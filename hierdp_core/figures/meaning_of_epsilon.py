"""What a budget means for one person: beliefs before and after, and the odds."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.style import BLUE, GREY, ORANGE, bare
from hierdp_core.privacy import PrivacyStatement, belief, loss_limit
from hierdp_core.privacy.meaning import level_loss_limit, limit_delta
from hierdp_core.privacy.rounding import (
    GUARANTEE_DIGITS,
    percent_down,
    percent_exact,
    percent_up,
    upper,
)
from hierdp_core.util.text import paragraph

_PRIORS = np.linspace(0.001, 0.999, 201)
_ROUND_PRIORS = (0.1, *range(5, 100, 5), 99.9)  # in percent
BELIEFS: Final = {  # the titles of the columns of `belief_table` on screen
    "prior": "Prior belief (%)",
    "least": "Posterior belief, at least (%)",
    "most": "Posterior belief, at most (%)",
}
_SIDE = 10  # dots along the side of a square of a hundred
_FAINT = "rgba(138,143,152,0.28)"


def beliefs(loss: float) -> pd.DataFrame:
    """Return bounds on an attacker's posterior belief: columns `prior`, `least`, `most`."""
    limits = [belief(loss, prior) for prior in _PRIORS]
    return pd.DataFrame(
        {
            "prior": _PRIORS,
            "least": [b.least for b in limits],
            "most": [b.most for b in limits],
        }
    )


def belief_picture(frame: pd.DataFrame, *, prior: float, loss: float) -> go.Figure:
    """Return a chart of posterior against prior belief, with a band of all possible posteriors."""
    limits = belief(loss, prior)
    figure = go.Figure()
    x = 100 * frame["prior"]
    figure.add_scatter(
        x=x, y=100 * frame["least"], mode="lines", line={"width": 0}, hoverinfo="skip"
    )
    figure.add_scatter(
        x=x,
        y=100 * frame["most"],
        mode="lines",
        line={"color": BLUE, "width": 2},
        fill="tonexty",
        fillcolor="rgba(0,114,178,0.18)",
        customdata=[
            [percent_down(before), percent_up(most)]
            for before, most in zip(frame["prior"], frame["most"], strict=True)
        ],
        hovertemplate="prior %{customdata[0]}: posterior at most %{customdata[1]}<extra></extra>",
    )
    figure.add_scatter(
        x=[0, 100],
        y=[0, 100],
        mode="lines",
        line={"color": GREY, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=[100 * prior] * 2,
        y=[100 * limits.least, 100 * limits.most],
        mode="lines+markers+text",
        line={"color": ORANGE, "width": 3},
        marker={"color": ORANGE, "size": 10},
        text=[f" minimum {percent_down(limits.least)}", f" maximum {percent_up(limits.most)}"],
        textposition="middle right" if prior < 0.75 else "middle left",
        hoverinfo="skip",
        cliponaxis=False,
    )
    along = (
        22 if prior >= 0.45 else 82
    )  # on a phone, the texts of the limits reach far to the right
    figure.add_annotation(
        x=along,
        y=along - 6,
        text="no information gained",
        showarrow=False,
        textangle=-32,
        font={"size": 12},
    )
    bare(figure, height=360)
    figure.update_layout(showlegend=False, margin={"l": 8, "r": 16, "t": 8, "b": 8})
    for axis, words in ((figure.update_xaxes, "prior"), (figure.update_yaxes, "posterior")):
        axis(
            title=f"{words} belief (%)",
            range=[-2, 102],
            tickvals=[0, 25, 50, 75, 100],
            fixedrange=True,
            zeroline=False,
            automargin=True,
        )
    return figure


def belief_table(loss: float) -> pd.DataFrame:
    """Return the band at round priors in percent, with `least` rounded down and `most` up."""
    limits = [(prior, belief(loss, Fraction(str(prior)) / 100)) for prior in _ROUND_PRIORS]
    return pd.DataFrame(
        {
            "prior": [float(prior) for prior, _ in limits],
            "least": [_tenths(b.least, ROUND_FLOOR) for _, b in limits],
            "most": [_tenths(b.most, ROUND_CEILING) for _, b in limits],
        }
    )


def belief_texts(loss: float) -> pd.DataFrame:
    """Return `belief_table` as texts with titles, so that no writer rounds its bounds again."""
    table = belief_table(loss)
    texts = {BELIEFS[str(name)]: table[name].map("{:g}".format) for name in table.columns}
    return pd.DataFrame(texts)


def belief_alt_of(statement: PrivacyStatement, *, prior: float, delta: float) -> str:
    """Return the chart of beliefs in words, with the δ of its limits unless ε is pure."""
    bounds = belief_alt(prior=prior, loss=loss_limit(statement, delta=delta))
    exception = limit_delta(statement, delta=delta)
    return paragraph(
        bounds,
        ""
        if exception is None
        else f"Each of the two limits holds except with probability {_parameter(exception)}.",
        statement.not_protected,
    )


def belief_alt(*, prior: float, loss: float) -> str:
    """Return the chart of beliefs in words, for one limit of the privacy loss."""
    limits = belief(loss, prior)
    return (
        f"From a prior belief of {percent_exact(prior)}, the posterior belief is between "
        f"{percent_down(limits.least)} and {percent_up(limits.most)}."
    )


def dots(cases: int, part: int, *, colour: str = BLUE) -> go.Figure:
    """Return a square of 100 dots, coloured in the proportion of `part` to `cases`, rounded up."""
    k = np.arange(_SIDE**2)
    colours = np.where(k < -(-part * len(k) // cases), colour, _FAINT)
    figure = go.Figure(
        go.Scatter(
            x=k % _SIDE,
            y=-(k // _SIDE),
            mode="markers",
            marker={"color": colours.tolist(), "size": 13},
            hoverinfo="skip",
        )
    )
    bare(figure, height=190)
    figure.update_xaxes(visible=False, range=[-0.7, _SIDE - 0.3], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-_SIDE + 0.3, 0.7], fixedrange=True, scaleanchor="x")
    return figure


def level_table(statement: PrivacyStatement, *, prior: float, delta: float) -> pd.DataFrame:
    """Return the budget that each level spends, the belief it allows, and the total.

    Columns: `level`; `epsilon`, `rho` and `most` (the highest posterior belief for this `prior`),
    as text and rounded up; `noise`.
    """
    rows = []
    for level in statement.levels:
        alone = level_loss_limit(statement, level, delta=delta)
        most = belief(alone, prior).most if alone else prior
        rows.append(
            {
                "level": level.level,
                "epsilon": _parameter(level.epsilon),
                "rho": _parameter(level.rho),
                "most": percent_up(most),
                "noise": level.scale,
            }
        )
    total = belief(loss_limit(statement, delta=delta), prior).most
    rows.append(
        {
            "level": "total",
            "epsilon": _total_epsilon(statement),
            "rho": _parameter(statement.rho),
            "most": percent_up(total),
            "noise": "",
        }
    )
    return pd.DataFrame(rows)


def _total_epsilon(statement: PrivacyStatement) -> str:
    if not statement.delta:
        return _parameter(statement.epsilon)
    return f"{_parameter(statement.epsilon)} (δ = {_parameter(statement.delta)})"


def _parameter(value: float | None) -> str:
    return "–" if value is None else upper(value, GUARANTEE_DIGITS)


def _tenths(chance: float, rounding: str) -> float:
    """Return a probability in percent, rounded to one decimal."""
    return float((100 * Decimal(repr(chance))).quantize(Decimal("0.1"), rounding))
