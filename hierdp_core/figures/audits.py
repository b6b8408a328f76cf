"""Charts of an audit: its bounds against the number of runs, and the scores of its event."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.audits import Audit, Finding
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, ORANGE, SKY, VERMILION, bare
from hierdp_core.privacy.rounding import lower, rounded_down, rounded_up, upper
from hierdp_core.util.text import whole

_HEIGHT = 320
_DIGITS = 4
_FIRST, _SECOND = "on the first table", "on the second table"
_VIEWS = (
    ("measured", "noisy measurements", BLUE, "solid"),
    ("released", "released table", SKY, "dot"),
)


def bounds_table(steps: Sequence[Audit]) -> pd.DataFrame:
    """Return the bounds as numbers, one row per step: lower bounds rounded down, claims up."""
    symbol = steps[-1].symbol
    return pd.DataFrame(
        {
            "runs on each table": [step.runs for step in steps],
            f"{symbol} at least, noisy measurements": [
                _down(step.measured.amount_lower) for step in steps
            ],
            f"{symbol} at least, released table": [
                _down(step.released.amount_lower) for step in steps
            ],
            f"{symbol} claimed": [_up(step.claim.amount) for step in steps],
        }
    )


def bounds(steps: Sequence[Audit], *, runs: int) -> go.Figure:
    """Draw the lower bounds on ε or ρ against the number of runs, with the claim as a line.

    Args:
        steps: the steps of `audit_in_steps`, at least one.
        runs: the number of runs on each table, at which the axis ends.
    """
    claim, symbol = steps[-1].claim, steps[-1].symbol
    x = [step.runs for step in steps]
    figure = go.Figure()
    for name, title, colour, dash in _VIEWS:
        y = [getattr(step, name).amount_lower for step in steps]
        figure.add_scatter(
            x=x,
            y=y,
            name=f"{symbol} at least, {title}",
            mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"size": 6},
            customdata=[[lower(value), whole(n)] for value, n in zip(y, x, strict=True)],
            hovertemplate=f"{title}: {symbol} at least %{{customdata[0]}} "
            f"after %{{customdata[1]}} runs ({steps[-1].confidence_words})<extra></extra>",
        )
    lines = [(claim.amount, "claimed", ORANGE, "dash")]
    if claim.true_epsilon is not None and claim.rho is None:
        lines.append((claim.true_epsilon, "actual", VERMILION, "dashdot"))
    for amount, title, colour, dash in lines:
        figure.add_scatter(
            x=[0, runs],
            y=[amount, amount],
            name=f"{title}: {symbol} = {upper(amount)}",
            mode="lines",
            line={"color": colour, "width": 2, "dash": dash},
            hoverinfo="skip",
        )
    shown = [step.strongest.amount_lower for step in steps]
    top = 1.15 * max(*(amount for amount, *_ in lines), *shown)
    bare(figure, height=_HEIGHT)
    figure.add_vrect(
        x0=0,
        x1=steps[-1].runs - steps[-1].measured.runs,
        fillcolor=GREY,
        opacity=0.13,
        line_width=0,
        layer="below",
        annotation={"text": "choosing the event", "xanchor": "left"},
        annotation_position="bottom left",
    )
    figure.update_layout(margin={"l": 8, "r": 12, "t": 8, "b": 8})
    figure.update_layout(legend={"orientation": "h", "y": -0.28, "x": 0, "yanchor": "top"})
    figure.update_xaxes(
        title="runs on each table",
        range=[0, runs],
        fixedrange=True,
        showgrid=False,
        automargin=True,
    )
    figure.update_yaxes(
        title=symbol, range=[0, top], fixedrange=True, gridcolor=_faint(), automargin=True
    )
    return figure


def bounds_alt(steps: Sequence[Audit]) -> str:
    """Return the alternative text of the lines."""
    last = steps[-1]
    return (
        f"Lower bounds on {last.symbol} ({last.confidence_words}) after {last.runs:,} runs on "
        "each table: "
        f"{lower(last.measured.amount_lower)} in the noisy measurements, "
        f"{lower(last.released.amount_lower)} in the released table. The claim is "
        f"{upper(last.claim.amount)}."
    )


def scores_table(finding: Finding) -> pd.DataFrame:
    """Return the bars as numbers."""
    edges = finding.scores.edges
    return pd.DataFrame(
        {
            "score from": edges[:-1],
            "to": edges[1:],
            f"runs {_FIRST}": finding.scores.before,
            f"runs {_SECOND}": finding.scores.after,
        }
    )


def scores(finding: Finding) -> go.Figure:
    """Return a histogram of the event's score on each table; the event's side is shaded."""
    counts = finding.scores
    middle, width = (counts.edges[:-1] + counts.edges[1:]) / 2, np.diff(counts.edges)
    figure = go.Figure()
    for name, runs, colour in ((_FIRST, counts.before, GREY), (_SECOND, counts.after, ORANGE)):
        figure.add_bar(
            x=middle,
            y=runs,
            width=width,
            name=name,
            marker={"color": colour, "opacity": 0.6, "line": {"width": 0}},
            customdata=[whole(float(n)) for n in runs],
            hovertemplate=f"%{{customdata}} runs {name}<extra></extra>",
        )
    low, high = float(counts.edges[0]), float(counts.edges[-1])
    # The whole bar that contains the mark belongs to "at least", since bars end between values.
    edge = int(np.clip(np.searchsorted(counts.edges, counts.mark), 1, len(counts.edges) - 1))
    start, stop = {
        "at least": (counts.edges[edge - 1], high),
        "below": (low, counts.edges[edge - 1]),
        "exactly": (counts.edges[edge - 1], counts.edges[edge]),
    }[counts.relation]
    figure.add_vrect(
        x0=start,
        x1=stop,
        fillcolor=BLUE,
        opacity=0.13,
        line_width=0,
        layer="below",
    )
    bare(figure, height=_HEIGHT)
    figure.update_layout(barmode="overlay", margin={"l": 8, "r": 12, "t": 8, "b": 8})
    figure.update_layout(legend={"orientation": "h", "y": -0.28, "x": 0, "yanchor": "top"})
    figure.update_xaxes(
        title="score of the event", range=[low, high], fixedrange=True, showgrid=False
    )
    figure.update_yaxes(title="runs", fixedrange=True, gridcolor=_faint(), rangemode="tozero")
    return figure


def scores_alt(finding: Finding) -> str:
    """Return the alternative text of the bars."""
    return (
        f"The event occurred in {finding.with_person:,} of {finding.runs:,} runs {_SECOND} and in "
        f"{finding.without:,} {_FIRST}."
    )


def _down(value: float) -> float:
    return float(rounded_down(value, _DIGITS))


def _up(value: float) -> float:
    return float(rounded_up(value, _DIGITS))


def _faint() -> str:
    return "rgba(138,143,152,0.25)"


def bounds_chart(steps: Sequence[Audit], *, runs: int) -> Chart:
    """Return the chart of the bounds with its table and its text."""
    return Chart(
        title="The bounds by number of runs",
        figure=bounds(steps, runs=runs),
        alt=bounds_alt(steps),
        table=bounds_table(steps),
    )


def scores_chart(finding: Finding) -> Chart:
    """Return the chart of the scores of an event with its table and its text."""
    return Chart(
        title="The event’s score on each table",
        figure=scores(finding),
        alt=scores_alt(finding),
        table=scores_table(finding),
    )
