"""The pieces of Overview that only tables of flows have."""

from typing import cast

import pandas as pd
import streamlit as st

import hierdp_core as hdp
from hierdp_core.evaluation.exploring import Exploration
from hierdp_core.figures.flows import by_level
from hierdp_core.tables import Flows
from hierdp_core.util.text import capital, plural
from pages.ui.shell import charts, flow_words, parts, tables, words
from pages.ui.shell.address import View
from pages.ui.shell.work import Drawn

_TREE_TABLE = "The errors by level of the tree as a table"


def finding(drawn: Drawn, explored: Exploration) -> str:
    """Return the title, from the errors at the last level in the simulations so far."""
    own = explored.errors[explored.errors["quantity"] == ""]
    last = own.groupby("level", sort=False)[["fdr", "fnr"]].mean().iloc[-1]
    leaf = plural(drawn.levels[-1])
    return flow_words.finding(
        words.budget(drawn.plan),
        leaf,
        fdr=float(last["fdr"]),
        fnr=float(last["fnr"]),
        n_simulations=explored.n,
        same_places=_table(drawn).same_places,
    )


def lead(view: View, drawn: Drawn, explored: Exploration) -> None:
    """Show the headline and the error by level of the tree, above the maps of Overview."""
    table = _table(drawn)
    own = explored.errors[explored.errors["quantity"] == ""]
    st.markdown(_headline(table, own))
    largest, mean = hdp.summarize(own, "max_abs"), hdp.summarize(own, "mean_abs")
    bound = own.groupby("level", sort=False)["bound"].max() if "bound" in own else pd.Series()
    bound = bound.dropna().astype(float)
    chart = by_level.accuracy_chart(largest, mean, bound, unit=table.unit)
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    with left:
        charts.show(chart, key="tree-levels", heading=True, table_in=_TREE_TABLE)
    with right:
        progress = words.simulations_words(explored.n, view.n_simulations)
        st.caption(flow_words.accuracy_note(progress, bounded=len(bound) > 0, unit=table.unit))
        first = parts.flow_tree(drawn).first
        st.caption(flow_words.tree_line(first, table.regions.levels))
    with st.expander(_TREE_TABLE):
        rows = by_level.accuracy_table(largest, mean, bound)
        tables.grid(rows, hide_index=True, column_config=tables.columns(rows))
    st.markdown(f"## {capital(drawn.quantity.title)}, area by area")


def _headline(table: Flows, own: pd.DataFrame) -> str:
    mean = own.groupby("level", sort=False)[["l1", "fdr", "fnr"]].mean()
    levels = mean.index.tolist()
    geographic = [
        (name, float(mean.loc[levels[2 * k], "l1"]) / max(1, table.total))
        for k, name in enumerate(table.regions.levels)
        if k
    ]
    last = mean.iloc[-1]
    return flow_words.headline(
        geographic,
        float(last["fdr"]),
        float(last["fnr"]),
        total=table.total,
        unit=table.unit,
        keeps_total=not float(mean["l1"].iloc[0]),
    )


def _table(drawn: Drawn) -> Flows:
    return cast(Flows, drawn.sample.table)
