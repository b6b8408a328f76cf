"""A section of a report on the screen: sentence, figure, and table with its download."""

import pandas as pd
import streamlit as st

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import marked_anew
from hierdp_core.util.marks import CONTAINS_TRUTH, truth_mark
from hierdp_core.util.text import capital, file_name
from hierdp_core.writers.defused import csv_text
from hierdp_core.writers.exploration import with_note
from hierdp_core.writers.report import Section
from pages.ui.shell import charts, markup, tables, words

_AS_TABLE = charts.TABLE


def show(
    section: Section,
    *,
    key: str,
    heading: bool = True,
    level: int = 2,
    notes: bool = True,
    confidential: bool = False,
    beneath: bool = False,
) -> None:
    """Show `section`.

    Args:
        section: the section.
        key: the key of the section on the page.
        heading: whether to show the title; False if it is above already.
        level: the level of the heading; 3 for a section of a section.
        notes: whether to show the notes; False if they appear once for several sections.
        confidential: whether the data are confidential, which marks downloads.
        beneath: whether to show the sentence below the figure, which aligns figures side by side.
    """
    if heading:
        st.markdown(f"{'#' * level} {section.title}")
    if section.sentence and not beneath:
        st.markdown(section.sentence)
    name = file_name(section.title)
    if section.figure is not None:
        mark = truth_mark(confidential=confidential)
        figure = marked_anew(section.figure, CONTAINS_TRUTH, mark)
        chart = Chart(title=section.title, figure=figure, alt=section.alt, table=section.table)
        charts.show(
            chart,
            key=f"{key}-figure",
            file_name=name,
            table_in=section.title if section.open else _AS_TABLE,
        )
    if section.sentence and beneath:
        st.markdown(section.sentence)
    for note in section.notes if notes else ():
        st.caption(note)
    if section.table is None:
        return
    if section.open:
        st.table(markup.table(_capitals(section.table)), hide_index=True)
        _csv(section.table, name, key, confidential=confidential)
        return
    with st.expander(_AS_TABLE):
        numbers = section.table.select_dtypes("number").columns
        tables.grid(
            section.table,
            hide_index=True,
            key=f"{key}-table",
            column_config={
                column: st.column_config.NumberColumn(capital(column), format="localized")
                if column in numbers
                else st.column_config.Column(capital(column))
                for column in section.table.columns
            },
        )
        _csv(section.table, name, key, confidential=confidential)


def _capitals(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(columns=capital)


def _csv(table: pd.DataFrame, name: str, key: str, *, confidential: bool) -> None:
    st.download_button(
        "CSV",
        data=lambda: csv_text(with_note(table, confidential=confidential)).encode(),
        file_name=f"{name}-contains-true-values.csv",
        mime="text/csv",
        icon=":material/download:",
        key=f"{key}-csv",
        on_click="ignore",
        help=capital(truth_mark(confidential=confidential)) + ".",
    )
    if confidential:
        st.caption(words.CONFIDENTIAL)
