"""The measure of a target against the budget: median and band of the simulations.

All functions take the rows of one target in `BudgetPlan.curve`.
"""

import math

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, ORANGE, SKY, bare
from hierdp_core.privacy.rounding import parameter
from hierdp_core.util.text import number, percent

_BAND = "rgba(86,180,233,0.35)"
_FAINT = "rgba(138,143,152,0.25)"
_HEIGHT = 340


def _sizes(rows: pd.DataFrame, symbol: str) -> "pd.Series[float]":
    """Return the ε or the ρ of each row."""
    return rows["rho" if symbol == "ρ" else "epsilon"]


def in_words(value: float, *, mean: bool) -> str:
    """Return a value of the curve as text."""
    return number(value) if mean else percent(value)


def curve(
    rows: pd.DataFrame,
    *,
    needed: float,
    mean: bool,
    symbol: str,
    found: float | None,
    unit: str,
    reliability: float,
    relative: bool = False,
) -> go.Figure:
    """Draw median and band of the simulations against the budget, with the target.

    Args:
        rows: the rows of one target, one row per budget.
        needed: the proportion of areas that must be within tolerance, or the largest mean error.
        mean: whether `needed` is a mean error.
        symbol: the symbol of the budget, "ε" or "ρ".
        found: the smallest budget that was shown to meet all targets; None if none was.
        unit: the unit of the error, plural.
        reliability: the proportion of simulations that must meet all targets at once.
        relative: whether the mean error is relative to the true count.
    """
    plain = mean and not relative
    percentage = f"{100 * reliability:.4g}% of simulations"
    x = _sizes(rows, symbol).tolist()
    figure = go.Figure()
    figure.add_scatter(
        x=[*x, *x[::-1]],
        y=[*rows["interval_high"], *rows["interval_low"].iloc[::-1]],
        mode="lines",
        fill="toself",
        fillcolor=_BAND,
        line={"width": 0},
        name=f"middle {100 * (2 * reliability - 1):.4g}% of simulations",
        showlegend=reliability > 0.5,  # at 50%, the band is the line of the median
        hoverinfo="skip",
    )
    for column, name, style in (
        ("median", "median simulation", {"color": BLUE, "width": 2.5}),
        (
            "interval_high" if mean else "interval_low",
            f"not exceeded in {percentage}" if mean else f"reached in {percentage}",
            {"color": SKY, "width": 2.5, "dash": "dot"},
        ),
    ):
        figure.add_scatter(
            x=x,
            y=rows[column],
            mode="lines+markers",
            name=name,
            line=style,
            marker={"size": 5},
            customdata=[
                [parameter(s), in_words(v, mean=plain)]
                for s, v in zip(x, rows[column], strict=True)
            ],
            hovertemplate=f"{symbol} = %{{customdata[0]}}: %{{customdata[1]}}<extra>{name}</extra>",
        )
    figure.add_hline(
        y=needed,
        line={"color": GREY, "dash": "dash", "width": 1.5},
        annotation={"text": f"target {in_words(needed, mean=plain)}", "font": {"color": GREY}},
        annotation_position="bottom right" if not mean else "top right",
    )
    if found is not None:
        figure.add_vline(x=found, line={"color": ORANGE, "width": 2})
        figure.add_annotation(
            x=math.log10(found),
            y=1,
            yref="paper",
            yanchor="bottom",
            text=f"{symbol} = {parameter(found)}",
            showarrow=False,
            font={"color": ORANGE},
        )
    bare(figure, height=_HEIGHT)
    figure.update_layout(
        margin={"l": 8, "r": 12, "t": 26, "b": 8},
        legend={"orientation": "h", "x": 0, "y": -0.28, "yanchor": "top"},
        hovermode="closest",
    )
    figure.update_xaxes(
        type="log",
        tickvals=x[::2],
        ticktext=[parameter(s) for s in x[::2]],
        title=f"privacy-loss budget {symbol}, log scale",
        fixedrange=True,
        showgrid=False,
    )
    if mean:
        title = "mean relative error" if relative else f"mean absolute error, {unit}"
        figure.update_yaxes(rangemode="tozero", title=title)
        figure.update_yaxes(tickformat=".2~%" if relative else "")
    else:
        lowest = min(float(rows["interval_low"].min()), needed)
        start = max(0.0, math.floor(10 * lowest - 0.5) / 10)
        figure.update_yaxes(
            range=[start, 1 + 0.03 * (1 - start)], tickformat=".0%", title="areas within tolerance"
        )
    figure.update_yaxes(fixedrange=True, gridcolor=_FAINT, zeroline=False, nticks=6)
    return figure


def table(rows: pd.DataFrame, *, mean: bool, symbol: str, relative: bool = False) -> pd.DataFrame:
    """Return the curve as a table, one row per budget."""
    plain = mean and not relative
    return pd.DataFrame(
        {
            symbol: [parameter(size) for size in _sizes(rows, symbol)],
            "median simulation": [in_words(v, mean=plain) for v in rows["median"]],
            "band from": [in_words(v, mean=plain) for v in rows["interval_low"]],
            "band to": [in_words(v, mean=plain) for v in rows["interval_high"]],
            "target met in": [percent(v) for v in rows["proportion_meeting_target"]],
            "simulations": rows["simulations"].tolist(),
        }
    )


def alt(
    rows: pd.DataFrame,
    *,
    needed: float,
    mean: bool,
    symbol: str,
    target: str,
    relative: bool = False,
) -> str:
    """Return the curve in words."""
    plain = mean and not relative
    first, last = rows.iloc[0], rows.iloc[-1]
    sizes = _sizes(rows, symbol).tolist()
    measure = "proportion of areas within tolerance"
    if mean:
        measure = "mean relative error" if relative else "mean absolute error"
    start, end, goal = (in_words(v, mean=plain) for v in (first["median"], last["median"], needed))
    return (
        f"{target}: the median {measure} changes from {start} at {symbol} = "
        f"{parameter(sizes[0])} to {end} at {symbol} = {parameter(sizes[-1])}. The target "
        f"is {goal}."
    )


def chart(
    rows: pd.DataFrame,
    *,
    title: str,
    target: str,
    needed: float,
    mean: bool,
    symbol: str,
    found: float | None,
    unit: str,
    reliability: float,
    relative: bool,
) -> Chart:
    """Return the curve with its table and text; for the arguments see `curve` and `alt`."""
    return Chart(
        title=title,
        figure=curve(
            rows,
            needed=needed,
            mean=mean,
            symbol=symbol,
            found=found,
            unit=unit,
            reliability=reliability,
            relative=relative,
        ),
        alt=alt(rows, needed=needed, mean=mean, symbol=symbol, target=target, relative=relative),
        table=table(rows, mean=mean, symbol=symbol, relative=relative),
    )
