"""Comparisons of mechanisms: error with ranges, against budget, between levels and by size.

All functions take one row per case, with the columns of `looks` and those of the figure. Colours
represent mechanisms, and symbols their allocations.
"""

import math
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.evaluation.comparison import Axis, labels
from hierdp_core.evaluation.size_classes import half_width
from hierdp_core.figures.style import GREY, SERIES, SYMBOLS, bare, with_own_margins
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy.rounding import parameter
from hierdp_core.util.text import join_and, listing, number, signed

_BARS = ((95, "q2.5", "q97.5", 3, 0.45), (80, "q10", "q90", 7, 0.7), (50, "q25", "q75", 12, 1.0))
_ROW = 46  # pixels per case: its name above, its bar below
_FAR = 30.0  # means further apart than this factor are shown on a log axis
_LINE_OF = ["name", "colour", "symbol", "dash"]
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_LINE_WIDTH, _MARKER, _POINT = 2, 8, 11
_ROOM = 1.08  # a shared axis goes this much beyond the longest bar
_LINE = 20  # pixels per line of the legend
_TOP = 22  # pixels above the plot


def looks(plans: Sequence[Plan]) -> pd.DataFrame:
    """Return the style of each case: `case`, `name` (without budget), `colour`, `symbol`, `dash`.

    All lines are equally wide. Later mechanisms have other dashes, so that a line under them
    remains visible.
    """
    mechanisms = list(dict.fromkeys(case.id for case in plans))
    allocations_of: dict[str, list[str]] = {}
    for case in plans:
        allocations = allocations_of.setdefault(case.id, [])
        if case.allocation.words not in allocations:
            allocations.append(case.allocation.words)
    positions = [allocations_of[case.id].index(case.allocation.words) for case in plans]
    return pd.DataFrame(
        {
            "case": range(len(plans)),
            "name": labels(plans, budgets=False),
            "colour": [SERIES[mechanisms.index(c.id) % len(SERIES)] for c in plans],
            "symbol": [SYMBOLS[place % len(SYMBOLS)] for place in positions],
            "dash": [_DASHES[mechanisms.index(case.id) % len(_DASHES)] for case in plans],
        }
    )


def on_log_axis(rows: pd.DataFrame) -> bool:
    """Return whether the errors of `rows` are too far apart for one linear axis."""
    low = float(rows[["mean", "q2.5"]].min().min()) if len(rows) else 0.0
    return low > 0 and float(rows["mean"].max() / rows["mean"].min()) > _FAR


def error_bars(rows: pd.DataFrame, *, unit: str, along: pd.DataFrame | None = None) -> go.Figure:
    """Draw a row per case, lowest error first: mean as a dot, 50, 80 and 95% intervals as bars.

    The axis starts at 0. If errors are far apart it is logarithmic, as its title then states.

    Args:
        rows: `name`, `colour`, `symbol`, `mean`, `q2.5` … `q97.5`, `simulations`.
        unit: what the error is counted in.
        along: rows of all figures that share an axis; `rows` alone by default.
    """
    shared = rows if along is None else along
    ordered = rows.sort_values("mean", ascending=False, kind="stable").reset_index(drop=True)
    figure, log = go.Figure(), on_log_axis(shared)
    for position, row in ordered.iterrows():
        for share, low, high, width, opacity in _BARS:
            figure.add_scatter(
                x=[row[low], row[high]],
                y=[position, position],
                mode="lines",
                line={"color": row["colour"], "width": width},
                opacity=opacity,
                hovertemplate=f"In the middle {share}% of simulations, the error is between "
                f"{number(row[low])} and {number(row[high])}<extra>{row['name']}</extra>",
            )
        figure.add_scatter(
            x=[row["mean"]],
            y=[position],
            mode="markers",
            marker={
                "color": row["colour"],
                "symbol": row["symbol"],
                "size": 11,
                "line": {"color": "white", "width": 1.5},
            },
            hovertemplate=f"mean {number(row['mean'])}<extra>{row['name']}</extra>",
            cliponaxis=False,
        )
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=position,
            yshift=17,
            text=f"{row['name']}  <b>{number(row['mean'])}</b>",
            showarrow=False,
        )
    bare(figure, height=_ROW * max(1, len(ordered)) + 78)
    figure.update_layout(showlegend=False, margin={"l": 10, "r": 14, "t": 22, "b": 44})
    figure.update_yaxes(visible=False, range=[-0.5, len(ordered) - 0.3], fixedrange=True)
    title = f"{unit}, log scale" if log else unit
    _error_axis(figure.update_xaxes, shared[["q2.5", "q97.5", "mean"]], title, log=log)
    if along is not None:
        figure.update_xaxes(range=_shared_range(shared, log=log))
    return with_own_margins(figure)


def _shared_range(rows: pd.DataFrame, *, log: bool) -> list[float]:
    """Return start and end of an axis that contains the bars of all levels."""
    high = float(rows[["q97.5", "mean"]].max().max()) or 1.0
    if not log:
        return [0.0, high * _ROOM]
    low = float(rows[["q2.5", "mean"]].min().min())
    return [math.log10(low / _ROOM), math.log10(high * _ROOM)]


def against_budget(rows: pd.DataFrame, axis: Axis, *, unit: str) -> go.Figure:
    """Draw error against budget, both logarithmic: a line per mechanism and allocation.

    Args:
        rows: `case`, `name`, `colour`, `symbol`, `mean`, `q10`, `q90`; a case whose mean
            is 0 cannot be shown on a logarithmic axis and is left out (`without_place`).
        axis: the position of each case.
        unit: what the error is counted in.
    """
    figure = go.Figure()
    rows_with_place = _with_place(rows, axis)
    for (name, colour, symbol, dash), line in rows_with_place.groupby(_LINE_OF, sort=False):
        line = line.sort_values("at")
        figure.add_scatter(
            x=line["at"],
            y=line["mean"],
            name=name,
            mode="lines+markers",
            line={"color": colour, "width": _LINE_WIDTH, "dash": dash},
            marker={"symbol": symbol, "size": _MARKER},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": line["q90"] - line["mean"],
                "arrayminus": line["mean"] - line["q10"],
                "thickness": 1,
                "width": 3,
            },
            customdata=[
                [parameter(at), number(m), number(lo), number(hi)]
                for at, m, lo, hi in line[["at", "mean", "q10", "q90"]].itertuples(index=False)
            ],
            hovertemplate=f"{axis.symbol} = %{{customdata[0]}}: mean %{{customdata[1]}}, 80% of "
            "simulations between %{customdata[2]} and %{customdata[3]}",
        )
    _legend_below(figure, height=280, axis=48)
    values = sorted(set(rows_with_place["at"]))
    figure.update_xaxes(
        type="log",
        title=f"{axis.symbol}, log scale",
        tickvals=values,
        ticktext=[parameter(value) for value in values],
        fixedrange=True,
        zeroline=False,
    )
    _error_axis(
        figure.update_yaxes, rows_with_place[["mean", "q10"]], f"{unit}, log scale", log=True
    )
    return figure


def without_place(rows: pd.DataFrame, axis: Axis) -> list[str]:
    """Return the cases with error 0, which a logarithmic axis cannot show, in words.

    The budgets of cases with one name are in one text.
    """
    at = dict(zip(axis.cases, axis.values, strict=True))
    zeros = rows[~(rows["mean"] > 0) & rows["case"].isin(axis.cases)]
    return [
        f"{name} at {axis.symbol} = {join_and([parameter(at[case]) for case in own['case']])}"
        for name, own in zeros.groupby("name", sort=False)
    ]


def trade_off(
    rows: pd.DataFrame, fronts: Sequence[Sequence[int]], *, x: str, y: str, unit: str
) -> go.Figure:
    """Draw the error of one level against another; the Pareto front of each budget is a line.

    Args:
        rows: `case`, `name`, `colour`, `symbol`, `budget`, `x`, `y` (mean errors).
        fronts: for each budget, the cases on the Pareto front, by ascending x.
        x, y: the two levels.
        unit: what the error is counted in.
    """
    figure = go.Figure()
    log = [bool((rows[axis] > 0).all()) for axis in ("x", "y")]
    by_case = rows.set_index("case")
    for cases in fronts:
        line = by_case.loc[list(cases)]
        figure.add_scatter(
            x=line["x"],
            y=line["y"],
            mode="lines+text",
            line={"color": GREY, "width": 1.5, "dash": "dot", "shape": "hv"},
            text=[*[""] * (len(line) - 1), f"<br>{line['budget'].iloc[-1]}"],
            textposition="bottom center",
            textfont={"color": GREY, "size": 11},
            showlegend=False,
            hoverinfo="skip",
            cliponaxis=False,
        )
    on_front = {case for cases in fronts for case in cases}
    for (name, colour, symbol, _), points in rows.groupby(_LINE_OF, sort=False):
        figure.add_scatter(
            x=points["x"],
            y=points["y"],
            name=name,
            mode="markers",
            marker={
                "color": colour,
                "symbol": [symbol if c in on_front else f"{symbol}-open" for c in points["case"]],
                "size": _POINT,
            },
            customdata=[
                [budget, number(a), number(b)]
                for budget, a, b in points[["budget", "x", "y"]].itertuples(index=False)
            ],
            hovertemplate=f"%{{customdata[0]}}: {x} %{{customdata[1]}}, {y} %{{customdata[2]}}",
        )
    _legend_below(figure, height=380, axis=48)
    for update, axis, level, is_log in (
        (figure.update_xaxes, "x", x, log[0]),
        (figure.update_yaxes, "y", y, log[1]),
    ):
        title = f"{level}: {unit}, log scale" if is_log else f"{level}: {unit}"
        _error_axis(update, rows[[axis]], title, log=is_log)
    return figure


def bias_by_size(rows: pd.DataFrame, *, unit: str) -> go.Figure:
    """Draw released minus true, from the smallest areas to the largest: a line per case.

    Args:
        rows: `name`, `colour`, `symbol`, `size_class` (−1 for areas with a true count of 0),
            `smallest`, `largest`, `mean`, `error` (its standard error), `simulations`.
        unit: what is counted, plural.
    """
    figure = go.Figure()
    for (name, colour, symbol, dash), line in rows.groupby(_LINE_OF, sort=False):
        line = line.sort_values("size_class")
        known = [half_width(n) if n > 1 else 0.0 for n in line["simulations"]]
        reach = known * line["error"].fillna(0)
        figure.add_scatter(
            x=line["size_class"],
            y=line["mean"],
            name=name,
            mode="lines+markers",
            line={"color": colour, "width": _LINE_WIDTH, "dash": dash},
            marker={"symbol": symbol, "size": _MARKER},
            error_y={"type": "data", "array": reach, "thickness": 1, "width": 3},
            customdata=[signed(round(m, 2)) for m in line["mean"]],
            hovertemplate="%{x}: %{customdata} on average",
        )
    ticks = rows.drop_duplicates("size_class").sort_values("size_class")
    _legend_below(figure, height=360, axis=104)
    figure.update_xaxes(
        tickvals=ticks["size_class"],
        ticktext=[size_words(row) for row in ticks.to_dict("records")],
        title={"text": f"areas by their true count of {unit}", "standoff": 4},
        tickangle=-40,
        tickfont={"size": 11},
        fixedrange=True,
        zeroline=False,
        automargin=True,
    )
    figure.update_yaxes(
        title=f"bias: released − true, {unit}",
        zeroline=True,
        zerolinewidth=1.5,
        zerolinecolor=GREY,
        fixedrange=True,
        automargin=True,
    )
    return figure


def size_words(row: Mapping[Hashable, float]) -> str:
    """Return a class of areas in words.

    >>> size_words({"smallest": 0, "largest": 0}), size_words({"smallest": 40, "largest": 1200})
    ('0', '40–1,200')
    """
    low, high = f"{row['smallest']:,.0f}", f"{row['largest']:,.0f}"
    return low if low == high else f"{low}–{high}"


def error_alt(rows: pd.DataFrame, *, level: str, unit: str) -> str:
    """Return `error_bars` in words."""
    ordered = rows.sort_values("mean", kind="stable")
    parts = [
        f"{row['name']}: mean {number(row['mean'])}, 95% of simulations between "
        f"{number(row['q2.5'])} and {number(row['q97.5'])}"
        for row in ordered.to_dict("records")
    ]
    return listing(f"{level}, {unit}, lowest error first", parts)


def line_alt(figure: go.Figure, *, about: str) -> str:
    """Return a figure of lines in words: each line with its first and last value."""
    parts = [
        f"{trace.name} from {number(float(trace.y[0]))} to {number(float(trace.y[-1]))}"
        for trace in figure.data
        if trace.name and len(trace.y)
    ]
    return listing(about, parts)


def _legend_below(figure: go.Figure, *, height: int, axis: int) -> None:
    """Make the figure `height` pixels high, with `axis` pixels for its axis, then its legend."""
    lines = len({trace.name for trace in figure.data if trace.name})
    room = _LINE * lines + 12
    bare(figure, height=height + room)
    figure.update_layout(
        showlegend=True,
        legend={
            "orientation": "v",
            "x": 0,
            "xanchor": "left",
            "y": -axis / (height - axis - _TOP),
            "yanchor": "top",
            "font": {"size": 12},
            "bgcolor": "rgba(0,0,0,0)",
        },
        margin={"l": 8, "r": 14, "t": _TOP, "b": room + axis},
    )


def _with_place(rows: pd.DataFrame, axis: Axis) -> pd.DataFrame:
    at = pd.DataFrame({"case": axis.cases, "at": axis.values})
    joined = rows.merge(at, on="case")
    return joined[joined["mean"] > 0]


def _error_axis(update, values: pd.DataFrame, title: str, *, log: bool) -> None:  # type: ignore[no-untyped-def]
    flat = values.to_numpy(float).ravel()
    flat = flat[np.isfinite(flat)]
    update(title=title, fixedrange=True, automargin=True, zeroline=not log)
    if not log or not len(flat[flat > 0]):
        update(rangemode="tozero", nticks=6)
        return
    ticks = log_ticks(float(flat[flat > 0].min()), float(flat.max()))
    update(type="log", tickvals=ticks, ticktext=[number(tick) for tick in ticks])


def log_ticks(low: float, high: float) -> list[float]:
    """Return round numbers around a range above 0; fewer per power of ten if it is wide.

    >>> log_ticks(3, 40)
    [2.0, 5.0, 10.0, 20.0, 50.0]
    >>> log_ticks(1, 100_000)
    [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0]
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    ticks = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
    below = [tick for tick in ticks if tick <= low]
    above = [tick for tick in ticks if tick >= high]
    start, stop = (below or ticks)[-1] if below else ticks[0], above[0] if above else ticks[-1]
    return [tick for tick in ticks if start <= tick <= stop]
