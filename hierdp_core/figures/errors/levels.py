"""Error by level over many simulations: the mean as a dot, the spread as bars.

All functions take the frame of `repeated.summarize`, one row per level, with level, mean, q2.5,
q10, q25, q50, q75, q90, q97.5 and simulations.
"""

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, ORANGE, bare, with_own_margins
from hierdp_core.util.text import counted, listing, number

# (% of the simulations, lower and upper quantile, width in pixels, opacity)
_BARS = ((95, "q2.5", "q97.5", 4, 0.45), (80, "q10", "q90", 8, 0.7), (50, "q25", "q75", 13, 1.0))
_ROW = 34  # pixels per level
_LABELLED = 38  # pixels for the first mean and for the title of the axis
_ROOM = 1.12  # the ratio of the axis to the longest bar


def axis_end(summary: pd.DataFrame) -> float:
    """Return the end, above 0, of an axis from 0 that contains every bar of `summary`."""
    longest = float(summary[["q97.5", "mean"]].max().max()) if len(summary) else 0.0
    return longest * _ROOM if longest > 0 else 1.0


def error_by_level(
    summary: pd.DataFrame, *, unit: str, end: float | None = None, labels: bool = True
) -> go.Figure:
    """Draw a row per level, top level first, on an axis from 0 that holds every bar.

    Args:
        summary: rows of `repeated.summarize`, one per level.
        unit: the unit of the error, plural.
        end: the end of the axis, if several figures share it; by default `axis_end`.
        labels: whether to print the name of the level and its mean; False if both are above the
            figure.
    """
    rows = summary.iloc[::-1]
    names = rows["level"].tolist()
    figure = go.Figure()
    for share, low, high, width, opacity in _BARS:
        for name, start, stop in zip(names, rows[low], rows[high], strict=True):
            figure.add_scatter(
                x=[start, stop],
                y=[name, name],
                mode="lines",
                line={"color": BLUE, "width": width},
                opacity=opacity,
                hovertemplate=(
                    f"In the middle {share}% of simulations, the error is between {number(start)} "
                    f"and {number(stop)} {unit}<extra></extra>"
                ),
            )
    figure.add_scatter(
        x=rows["mean"],
        y=names,
        mode="markers+text" if labels else "markers",
        marker={"color": ORANGE, "size": 11, "line": {"color": "white", "width": 1.5}},
        text=[number(m) for m in rows["mean"]] if labels else None,
        textposition="top center",
        customdata=[number(m) for m in rows["mean"]],
        hovertemplate=f"mean %{{customdata}} {unit}<extra></extra>",
        cliponaxis=False,
    )
    bare(figure, height=_ROW * len(rows) + 28 + (_LABELLED if labels else 0))
    figure.update_layout(showlegend=False, hovermode="closest")
    figure.update_layout(margin={"l": 8, "r": 14, "t": 12 if labels else 0})
    figure.update_xaxes(
        range=[0, end or axis_end(summary)],
        rangemode="tozero",
        title=f"mean absolute error ({unit})" if labels else None,
        zeroline=True,
        zerolinewidth=1,
        showgrid=False,
        nticks=5,
        ticks="",
        fixedrange=True,
    )
    figure.update_yaxes(visible=labels, fixedrange=True, showgrid=False, type="category")
    return with_own_margins(figure, names if labels else ())


def table(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the bars as a table, one row per level."""
    columns = {
        "level": "level",
        "mean": "mean",
        "q50": "median",
        "q25": "middle 50%, from",
        "q75": "middle 50%, to",
        "q10": "middle 80%, from",
        "q90": "middle 80%, to",
        "q2.5": "middle 95%, from",
        "q97.5": "middle 95%, to",
        "simulations": "simulations",
    }
    return summary[list(columns)].rename(columns=columns).reset_index(drop=True)


def alt(summary: pd.DataFrame, *, unit: str) -> str:
    """Return the bars in words."""
    parts = [
        f"{row['level']}: mean {number(row['mean'])}, 95% of simulations between "
        f"{number(row['q2.5'])} and {number(row['q97.5'])}"
        for row in summary.to_dict("records")
    ]
    simulations = counted(int(summary["simulations"].max()) if len(summary) else 0, "simulation")
    return listing(f"Mean absolute error in {unit} over {simulations}", parts)


def chart(
    summary: pd.DataFrame,
    *,
    unit: str,
    sentence: str = "",
    end: float | None = None,
    labels: bool = True,
) -> Chart:
    """Return the error by level with table and text; for the arguments see `error_by_level`."""
    return Chart(
        title="Error by level",
        figure=error_by_level(summary, unit=unit, end=end, labels=labels),
        alt=alt(summary, unit=unit),
        table=table(summary),
        sentence=sentence,
    )
