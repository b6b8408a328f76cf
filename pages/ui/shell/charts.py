"""Charts on a page: the figure with its alternative text, and its numbers as a table."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps.scale import Theme
from hierdp_core.figures.style import CONFIG, MOVABLE, camera
from pages.ui.shell import tables


def theme() -> Theme:
    """The theme of the browser that looks."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show(
    chart: Chart,
    *,
    key: str,
    heading: bool = False,
    file_name: str | None = None,
    movable: bool = False,
    as_table: str | None = None,
    draw_table: Callable[[pd.DataFrame], object] = tables.by_level,
    **how: Any,
) -> Any:
    """Draw `chart`; what `st.plotly_chart` gives.

    Args:
        chart: what is drawn.
        key: tells it from others of the page.
        heading: draw its title and sentence above it.
        file_name: of the picture that can be saved; None where none can.
        movable: a map that can be dragged, with buttons that zoom.
        as_table: the label under which its table is unfolded; None where it stands elsewhere.
        draw_table: draws the table.
        how: passed on to `st.plotly_chart`.
    """
    if heading:
        st.markdown(f"##### {chart.title}")
        if chart.sentence:
            st.markdown(chart.sentence)
    config = MOVABLE if movable else CONFIG if file_name is None else camera(file_name)
    state = st.plotly_chart(chart.figure, key=key, config=config, alt=chart.alt, **how)
    if as_table is not None and chart.table is not None:
        with st.expander(as_table):
            draw_table(chart.table)
    return state
