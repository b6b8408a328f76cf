"""The charts of How it works, and tables of their numbers."""

import pandas as pd
import streamlit as st

from hierdp_core.figures.chart import Chart
from hierdp_core.util.text import capital
from pages.ui.shell import charts, tables

LONG = 10  # rows or areas, above which a table scrolls and a tree becomes a grid
NUMBERS = "The numbers as a table"


def show(chart: Chart, *, key: str, table_in: str = NUMBERS) -> None:
    """Show a chart under its title, if it has one; `table_in` names the table of its numbers."""
    charts.show(chart, key=key, heading=bool(chart.title), table_in=table_in)


def title(column: str) -> str:
    """Return the heading of a column; words start with a capital, symbols stay as in charts.

    >>> title("chosen"), title("v"), title("φ"), title("τ of GA")
    ('Chosen', 'v', 'φ', 'τ of GA')
    """
    symbol = len(column.split()[0]) == 1
    return column if symbol else capital(column)


def table(frame: pd.DataFrame) -> None:
    """Show a table; numbers that are not all integers have three significant digits."""
    config = {
        name: st.column_config.NumberColumn(
            title(name),
            format="localized" if (frame[name].dropna() % 1 == 0).all() else "%.3g",
        )
        for name in frame.select_dtypes("number").columns
    }
    tables.grid(
        frame,
        hide_index=True,
        column_config=config,
        height=380 if len(frame) > LONG else "auto",
    )
