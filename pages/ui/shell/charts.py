"""Charts on a page: the figure with its alternative text, and its numbers as a table."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import CONFIG, MOVABLE, Theme, camera
from pages.ui.shell import tables

TABLE = "View as table"
_LONG = 400  # a table with more rows is sent only when it is opened


def theme() -> Theme:
    """Return the theme of the visitor's browser."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show(
    chart: Chart,
    *,
    key: str,
    heading: bool = False,
    file_name: str | None = None,
    movable: bool = False,
    as_table: str = TABLE,
    table_in: str | None = None,
    draw_table: Callable[[pd.DataFrame], object] = tables.by_level,
    beneath: Callable[[], object] | None = None,
    **how: Any,
) -> Any:
    """Draw `chart` and the table of its numbers; return the result of `st.plotly_chart`.

    Args:
        chart: the chart.
        key: the key of the chart on the page.
        heading: whether to show the chart's title and sentence above it.
        file_name: the name of the picture that can be saved; None if none can.
        movable: whether the chart is a map that can be dragged, with zoom buttons.
        as_table: the label of the expander with the table.
        table_in: the label of another place on the page with the same numbers, such as an
            expander. The alternative text names it, and no table is drawn here. "" if the
            alternative text itself has all numbers.
        draw_table: draws the table.
        beneath: draws what is between the figure and the table, such as a legend.
        how: passed on to `st.plotly_chart`.
    """
    if heading:
        st.markdown(f"## {chart.title}")
        if chart.sentence:
            st.markdown(chart.sentence)
    state = st.plotly_chart(
        chart.inked(theme()).figure,
        key=key,
        config=MOVABLE if movable else CONFIG if file_name is None else camera(file_name),
        alt=chart.alt if table_in == "" else f"{chart.alt} {table_note(table_in or as_table)}",
        **how,
    )
    if beneath is not None:
        beneath()
    if table_in is None:
        if chart.table is None:
            raise ValueError(f'chart "{chart.title}" has no table and names no other place')
        _unfolding(chart.table, as_table, key, draw_table)
    return state


def table_note(label: str) -> str:
    """Return the sentence of an alternative text that names the table of the numbers.

    >>> table_note("View as table")
    'The numbers are in the table “View as table”.'
    """
    return f"The numbers are in the table “{label}”."


def _unfolding(
    table: pd.DataFrame, label: str, key: str, draw_table: Callable[[pd.DataFrame], object]
) -> None:
    """Draw a table in an expander; a long table is sent only when the expander is opened."""
    if len(table) <= _LONG:
        with st.expander(label):
            draw_table(table)
        return
    expander = st.expander(label, key=f"{key}-table", on_change="rerun")
    if expander.open:
        with expander:
            draw_table(table)
