"""The earth mover's distance by level, for tables of group sizes."""

from typing import cast

import pandas as pd
import streamlit as st

import hierdp_core as hdp
from hierdp_core import figures
from hierdp_core.explain import group_sizes
from hierdp_core.tables import GroupSizes
from pages.ui.overview import distance_words
from pages.ui.shell import charts, tables
from pages.ui.shell.work import Drawn

_TABLE = "The distances as a table"


def by_level(drawn: Drawn, errors: pd.DataFrame, simulations: str) -> None:
    """Show the earth mover's distance and its benchmark at every level, for group sizes only.

    Args:
        drawn: the simulation on the maps.
        errors: the errors of all simulations so far.
        simulations: the number of these simulations, in words.
    """
    table, plan = drawn.sample.table, drawn.plan
    if not table.has_groups:
        return
    table = cast(GroupSizes, table)
    reference = group_sizes.omniscient(table, plan.spending.budget, plan.allocation)
    frame = figures.errors.distance.by_level(hdp.summarize(errors, "emd"), reference)
    exact = plan.domain.region_groups is not None
    unit = table.people
    chart = figures.errors.distance.chart(frame, title=distance_words.TITLE, unit=unit)
    st.markdown(f"## {chart.title}")
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(
            distance_words.line(frame, people=table.people, group=table.group, totals_exact=exact)
        )
        st.markdown(distance_words.reference_line(frame))
    with right:
        charts.show(chart, key="distance", table_in=_TABLE)
        st.caption(
            distance_words.caption(
                simulations=simulations, logarithmic=figures.errors.distance.is_logarithmic(frame)
            )
        )
    with st.expander(_TABLE):
        tables.by_level(figures.errors.distance.table(frame))
