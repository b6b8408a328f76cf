"""A map of how often an area has a different outcome, in bands that are the same on every map."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.decisions import Column, Outcome, Rule
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps.error_map import BORDER, border_width, ground, with_legend_below
from hierdp_core.figures.maps.scale import RAMPS
from hierdp_core.figures.style import PURPLE, Theme
from hierdp_core.maps.boundaries import Box, MapLayer
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.text import counted, number, paragraph, percent, whole

_EDGES = (0.01, 0.05, 0.2, 0.5)  # proportions that separate the bands above "never"
_NEVER: Final[dict[Theme, str]] = {"light": "#EEF1F4", "dark": "#262E37"}
_STEPS = (1, 2, 3, 4, 6)  # colours of the ramp of relative error, for the bands above "never"
BANDS: Final = (
    "never",
    "< 1%",
    "1–5%",
    "5–20%",
    "20–50%",
    "≥ 50%",
)
NO_PART: Final = (PURPLE, "not included")
DIFFERENT: Final = "different outcome"  # the title of the frequency in tables
_LEGEND = 60  # pixels of the legend
_HOVER = (
    "<b>%{customdata[0]}</b><br>true count %{customdata[1]} UNIT<br>"
    "WRONG in %{customdata[2]} of simulations"
)


def bands(shares: FloatArray) -> IntArray:
    """Return the band of each frequency; −1 for NaN.

    >>> bands(np.array([0, 0.004, 0.01, 0.3, 1, np.nan])).tolist()
    [0, 1, 2, 4, 5, -1]
    """
    numbers = np.searchsorted(_EDGES, shares, side="right") + 1
    result: IntArray = np.where(np.isnan(shares), -1, np.where(shares == 0, 0, numbers))
    return result


def colours(theme: Theme) -> list[str]:
    """Return the colour of each band."""
    return [_NEVER[theme], *(RAMPS[theme][step] for step in _STEPS)]


def legend(outcome: Outcome, theme: Theme = "light") -> list[tuple[str, str]]:
    """Return the colours with their meanings, for all bands even if the map lacks some."""
    bands = list(zip(colours(theme), BANDS, strict=True))
    return [*bands, *([NO_PART] if outcome.places["wrong"].isna().any() else [])]


def picture(
    outcome: Outcome,
    layer: MapLayer,
    *,
    box: Box,
    unit: str,
    height: int,
    theme: Theme = "light",
    keyed: bool = True,
) -> go.Figure:
    """Draw the map.

    Args:
        outcome: the outcome of a rule, on the level of `layer`.
        layer: the polygons of the areas.
        box: the part of the display plane to show.
        unit: what is counted, plural.
        height: the height of the map in pixels, without its legend.
        theme: the theme of the page.
        keyed: whether to draw the legend; False if a map beside it has the same legend.
    """
    places = outcome.places
    band = bands(places["wrong"].to_numpy(np.float64))
    figure = go.Figure()
    template = _hover_template(outcome.rule, unit)
    for ramp, which in ((colours(theme), band >= 0), ([NO_PART[0]] * 2, band < 0)):
        rows = places[which]
        if rows.empty:
            continue
        figure.add_choropleth(
            geojson=layer.polygons,
            locations=rows["id"].to_numpy(dtype=np.str_),
            z=np.maximum(band[which], 0),
            zmin=0,
            zmax=len(BANDS) - 1,
            colorscale=ramp,
            showscale=False,
            showlegend=False,
            marker={"line": {"color": BORDER[theme], "width": border_width(len(places))}},
            customdata=_hover(rows, outcome.rule.place_columns),
            hovertemplate=template,
        )
    for colour, meaning in legend(outcome, theme):
        figure.add_scattergeo(
            lon=[None],
            lat=[None],
            mode="markers",
            marker={"symbol": "square", "size": 12, "color": colour},
            name=meaning,
        )
    ground(figure, layer, box, height=height, below=_LEGEND if keyed else 0)
    if keyed:
        with_legend_below(figure)
    return figure


def table(outcome: Outcome) -> pd.DataFrame:
    """Return the map as a table, one row per area, with the highest frequency first.

    Columns have their titles on screen, and proportions are from 0 to 1. The index has the codes.
    """
    titles = {"name": outcome.level, "true": "true count", "wrong": DIFFERENT}
    titles |= {column.id: column.title for column in outcome.rule.place_columns}
    rows = outcome.places.sort_values("wrong", ascending=False, kind="stable", na_position="last")
    return rows.set_index("id")[list(titles)].rename(columns=titles)


def alt(outcome: Outcome, *, title: str) -> str:
    """Return the alternative text of the map, in two or three sentences."""
    part = outcome.places.dropna(subset=["wrong"])
    ever = int((part["wrong"] > 0).sum())
    most = ""
    if ever:
        worst = part.iloc[int(part["wrong"].argmax())]
        share = percent(float(worst["wrong"]))
        most = f"It happens most often for {worst['name']}, in {share} of simulations."
    simulations = counted(outcome.n_simulations, "simulation")
    return paragraph(
        f"Map of {title}: how often each {outcome.rule.wrong}, over {simulations}.",
        f"It happens at least once for {ever:,} of {counted(len(part), 'area')}.",
        most,
    )


def in_words(column: Column, value: Any) -> str:
    """Return a value of a column as text.

    >>> money = Column(id="due", title="Due", kind="money", about="")
    >>> in_words(money, 1234.5), in_words(money, np.nan)
    ('1,234', '–')
    """
    if column.kind == "flag":
        return "yes" if value else "no"
    known = float(value)
    if column.kind == "share":
        return percent(known)
    if column.kind == "money":
        return whole(round(known)) if abs(known) >= 100 else number(known)
    return whole(known) if column.kind == "count" else number(known)


def _hover_template(rule: Rule, unit: str) -> str:
    """Return the template of the box for an area: its texts from `_hover`, each with its title."""
    lines = [
        f"<br>{column.title}: %{{customdata[{place}]}}"
        for place, column in enumerate(rule.place_columns, start=3)
    ]
    first = _HOVER.replace("UNIT", unit).replace("WRONG", rule.wrong)
    return "".join([first, *lines, "<extra></extra>"])


def _hover(rows: pd.DataFrame, columns: Sequence[Column]) -> np.ndarray[Any, Any]:
    """Return name, true count, frequency and columns as text, shape (n_areas, 3 + n_columns)."""
    texts = [
        rows["name"].to_numpy(dtype=np.str_),
        _texts(rows["true"], lambda true: whole(float(true))),
        _texts(rows["wrong"], lambda wrong: percent(float(wrong))),
        *(_texts(rows[column.id], partial(in_words, column)) for column in columns),
    ]
    return np.column_stack(texts)


def _texts(values: pd.Series, text: Callable[[Any], str]) -> np.ndarray[Any, Any]:
    """Return `text` of each value, shape (n,); many values occur often."""
    codes, different = pd.factorize(values.to_numpy(), use_na_sentinel=False)
    return np.array([text(value) for value in different], dtype=np.str_)[codes]


def chart(
    outcome: Outcome,
    layer: MapLayer,
    *,
    title: str,
    regions: str,
    box: Box,
    unit: str,
    height: int,
    theme: Theme = "light",
    keyed: bool = True,
) -> Chart:
    """Return the map with its table and its text.

    Args:
        outcome: the outcome of a rule.
        layer, box, unit, height, theme, keyed: see `picture`.
        title: the title of the chart.
        regions: the areas on the map in words, such as "51 states".
    """
    return Chart(
        title=title,
        figure=picture(outcome, layer, box=box, unit=unit, height=height, theme=theme, keyed=keyed),
        alt=alt(outcome, title=regions),
        table=table(outcome),
    )
