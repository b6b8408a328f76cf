"""Error against budget, one curve per level and target: a trade-off to select from."""

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import GREY, ORANGE, SERIES, SYMBOLS, bare
from hierdp_core.planning.trade_off import TradeOff
from hierdp_core.privacy.rounding import parameter
from hierdp_core.util.text import capital, listing, number, paragraph, percent, plural

_FAINT = "rgba(138,143,152,0.25)"
_HEIGHT = 400
_EDGE = 0.08  # of a power of ten, so that points at the edge are whole
LEAST_SHARE, LEAST_NUMBER = 1e-6, 0.1  # smaller errors are not drawn


def charts(result: TradeOff, *, chosen: float | None = None) -> list[Chart]:
    """Return a chart of all curves as percentages of the true count, and one for each other unit.

    Args:
        result: the simulations.
        chosen: a budget to mark; None for none.
    """
    kinds: dict[tuple[bool, str], list[int]] = {}
    for k, curve in enumerate(result.curves):
        relative = curve.target.relative
        kinds.setdefault((relative, "" if relative else curve.unit), []).append(k)
    return [_chart(result, curves, chosen) for curves in kinds.values()]


def finding(result: TradeOff) -> str:
    """Return the result of the simulations for the targets, as a title."""
    symbol, n, targets = _symbol(result), result.simulations, _targets(result)
    if result.enough is None:
        most = parameter(result.sizes[-1])
        if n == 1:
            return f"No budget that was simulated, up to {symbol} = {most}, meets {targets}"
        return (
            f"No budget that was simulated, up to {symbol} = {most}, meets {targets} in all {n} "
            "simulations"
        )
    least = parameter(result.enough)
    if n == 1:
        return f"Simulated budgets from {symbol} = {least} on meet {targets} in one simulation"
    return f"Simulated budgets from {symbol} = {least} on meet {targets} in all {n} simulations"


def _targets(result: TradeOff) -> str:
    return "the target" if result.n_targets == 1 else "all targets"


def sentence(result: TradeOff, size: float) -> str:
    """Return the error of every level at one budget, in words."""
    at = result.frame[result.frame["size"] == size]
    parts = [
        f"{who(result, k)} within **{_in_words(result, k, at['typical'].iloc[k])}**"
        for k in range(len(result.curves))
    ]
    hits, n = result.hits[result.sizes.index(size)], result.simulations
    errors = f"At {_symbol(result)} = {parameter(size)}: {', '.join(parts)}."
    if n == 1:
        met = "meets" if hits else "does not meet"
        return f"{errors} The one simulation {met} {_targets(result)}."
    return f"{errors} {hits} of {n} simulations meet {_targets(result)}."


def who(result: TradeOff, k: int) -> str:
    """Return the areas of a curve in words, such as "95% of counties"."""
    target, areas = result.curves[k].target, len(result.curves[k].nodes)
    if areas == 1:
        return f"the {target.level}"
    if target.share is None:
        return f"the mean of {plural(target.level)}"
    names = {1.0: f"every {target.level}", 0.5: f"the median {target.level}"}
    return names.get(target.share, f"{100 * target.share:.4g}% of {plural(target.level)}")


def _chart(result: TradeOff, curves: Sequence[int], chosen: float | None) -> Chart:
    relative = result.curves[curves[0]].target.relative
    unit = "% of the true count" if relative else result.curves[curves[0]].unit
    return Chart(
        title=finding(result),
        figure=_figure(result, curves, chosen, unit),
        alt=_alt(result, curves, unit),
        table=_table(result, curves),
        sentence="" if chosen is None else sentence(result, chosen),
    )


def _figure(result: TradeOff, curves: Sequence[int], chosen: float | None, unit: str) -> go.Figure:
    figure, frame, symbol = go.Figure(), result.frame, _symbol(result)
    relative = result.curves[curves[0]].target.relative
    scale, floor = (100, LEAST_SHARE) if relative else (1, LEAST_NUMBER)
    for k in curves:
        rows, colour = frame[frame["curve"] == k], SERIES[k % len(SERIES)]
        target = result.curves[k].target
        drawn = [scale * v if floor <= v < math.inf else None for v in rows["typical"]]
        figure.add_scatter(
            x=rows["size"],
            y=drawn,
            mode="lines+markers",
            name=who(result, k) if any(drawn) else f"{who(result, k)} (below {_least(relative)})",
            line={"color": colour, "width": 2.5 if k < result.n_targets else 1.5},
            marker={"size": 10, "symbol": SYMBOLS[k % len(SYMBOLS)]},
            customdata=[
                [parameter(s), _in_words(result, k, v)]
                for s, v in zip(rows["size"], rows["typical"], strict=True)
            ],
            hovertemplate=f"{symbol} = %{{customdata[0]}}: {who(result, k)} within "
            "%{customdata[1]}<extra></extra>",
        )
        if k < result.n_targets:
            _target_line(figure, result, k, scale * target.tolerance, colour)
    if chosen is not None:
        figure.add_vline(x=chosen, line={"color": ORANGE, "width": 2})
    return _laid_out(figure, result, unit, percents=relative)


def _target_line(figure: go.Figure, result: TradeOff, k: int, y: float, colour: str) -> None:
    figure.add_hline(y=y, line={"color": colour, "dash": "dash", "width": 1.5})
    figure.add_annotation(
        text=f"target: {who(result, k)} within {result.curves[k].target.tolerance_text}",
        xref="paper",
        x=1,
        xanchor="right",
        y=math.log10(y),
        yanchor="bottom",
        showarrow=False,
        font={"size": 11},
    )


def _laid_out(figure: go.Figure, result: TradeOff, unit: str, *, percents: bool) -> go.Figure:
    bare(figure, height=_HEIGHT)
    figure.update_layout(
        margin={"l": 8, "r": 12, "t": 8, "b": 8},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        hovermode="closest",
        clickmode="event+select",
    )
    figure.update_xaxes(
        type="log",
        tickvals=result.sizes,
        ticktext=[parameter(size) for size in result.sizes],
        title=f"privacy-loss budget {_symbol(result)}, log scale",
        fixedrange=True,
        showgrid=False,
    )
    low, high = _decades(figure)
    ticks = [10.0**k for k in range(low, high + 1)][:: 1 + (high - low) // 7]
    figure.update_yaxes(
        type="log",
        range=[low - _EDGE, high + _EDGE],
        tickvals=ticks,
        ticktext=[percent(t / 100) if percents else number(t) for t in ticks],
        title=f"error, {unit}",
        fixedrange=True,
        gridcolor=_FAINT,
        zerolinecolor=GREY,
    )
    return figure


def _decades(figure: go.Figure) -> tuple[int, int]:
    """Return the powers of ten around all curves and targets."""
    drawn = [y for trace in figure.data for y in trace.y if y]
    drawn += [shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1]
    if not drawn:
        return 0, 1
    low, high = math.floor(math.log10(min(drawn))), math.ceil(math.log10(max(drawn)))
    return low, max(high, low + 1)


def _least(relative: bool) -> str:
    return f"{100 * LEAST_SHARE:.4f}%" if relative else number(LEAST_NUMBER)


def _in_words(result: TradeOff, k: int, value: float) -> str:
    if math.isinf(value):
        return "no finite tolerance"
    if not result.curves[k].target.relative:
        return number(value)
    return f"< {_least(True)}" if 0 < value < LEAST_SHARE else percent(value)


def _symbol(result: TradeOff) -> str:
    return "ρ" if result.unit == "rho" else "ε"


def _table(result: TradeOff, curves: Sequence[int]) -> pd.DataFrame:
    """Return one row per budget and one column per curve."""
    frame, symbol = result.frame, _symbol(result)
    columns = {symbol: [parameter(size) for size in result.sizes]}
    for k in curves:
        rows = frame[frame["curve"] == k]
        columns[f"{capital(who(result, k))} within"] = [
            _in_words(result, k, v) for v in rows["typical"]
        ]
    columns[f"Simulations that meet {_targets(result)}"] = [
        f"{hits} of {result.simulations}" for hits in result.hits
    ]
    return pd.DataFrame(columns)


def _alt(result: TradeOff, curves: Sequence[int], unit: str) -> str:
    frame, symbol = result.frame, _symbol(result)
    first, last = parameter(result.sizes[0]), parameter(result.sizes[-1])
    parts = []
    for k in curves:
        typical = frame.loc[frame["curve"] == k, "typical"].tolist()
        ends = [_in_words(result, k, value) for value in (typical[0], typical[-1])]
        parts.append(f"{who(result, k)} from {ends[0]} to {ends[1]}")
    axes = f"Error ({unit}) against {symbol} from {first} to {last}, both axes logarithmic"
    return paragraph(listing(axes, parts), f"{finding(result)}.")
