"""How a chart and its numbers are shown on How it works."""

from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from hierdp_core.figures.chart import Chart
from hierdp_core.util.text import capital
from pages.ui.shell import charts

LONG = 10  # rows or areas, above which a table scrolls and a tree becomes a grid
_INK = {"light": "#1c2733", "dark": "#e6ebf0"}  # as .streamlit/config.toml has them


def show(chart: Chart, *, key: str) -> None:
    """Show a chart under its title, if it has one, its annotations in the colour of the text."""
    inked = replace(chart, figure=_inked(chart.figure))
    charts.show(inked, key=key, heading=bool(chart.title))


def table(frame: pd.DataFrame) -> None:
    """Show a table, fractions with three digits."""
    config = {
        name: st.column_config.NumberColumn(
            capital(name) if name.islower() else None,
            format="localized" if (frame[name].dropna() % 1 == 0).all() else "%.3g",
        )
        for name in frame.select_dtypes("number").columns
    }
    st.dataframe(
        frame,
        hide_index=True,
        column_config=config,
        height=380 if len(frame) > LONG else "auto",
    )


def _inked(figure: go.Figure) -> go.Figure:
    ink = _INK.get(st.context.theme.type or "")
    if ink:
        figure.for_each_annotation(
            lambda a: a.update(font_color=ink) if a.font.color is None else a
        )
    return figure
