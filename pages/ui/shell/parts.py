"""The pieces that pages are put together from."""

from typing import Literal

import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.explain import group_sizes
from hierdp_core.privacy.rounding import parameter
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.tables import Table
from hierdp_core.tables.flow_tree import FlowTree
from hierdp_core.util.text import capital
from pages.ui.shell import address, charts, flow_words, session, words
from pages.ui.shell.address import View
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

NUMBERS = {
    "size": st.column_config.TextColumn("Size"),
    "true": st.column_config.NumberColumn("True count", format="localized", width=90),
    "released": st.column_config.NumberColumn("Simulated", format="localized", width=90),
    "error": st.column_config.NumberColumn("Error", format="localized", width=60),
    "rel_error": st.column_config.NumberColumn("Relative error", format="%.3g%%", width=100),
}
WIDTH = 980  # pixels of the page on a usual screen
AREA = "pages/area_page.py"


def place_title(name: str, drawn: Drawn) -> str:
    """The title of Area profile."""
    return f"{capital(words.place(name))}, released at {words.budget(drawn.plan)}"


def cautions(drawn: Drawn) -> None:
    """What must be said beside every number of this draw, if anything."""
    if drawn.plan.privacy.caution:
        st.error(drawn.plan.privacy.caution, icon=":material/warning:")
    if text := words.violations(drawn.levels, drawn.simulation.checks):
        st.warning(text, icon=":material/warning:")
    if text := group_sizes.top_coding(drawn.sample.table, drawn.simulation):
        st.info(text, icon=":material/vertical_align_top:")


def legend(drawn: Drawn) -> None:
    """The classes of relative error that all maps share."""
    undefined = bool(drawn.regions["rel_error"].isna().any())
    st.html(figures.maps.scale.legend(charts.theme(), undefined=undefined))


def region_table(
    table: pd.DataFrame, level: str, above: str = "", *, height: int | Literal["auto"] = "auto"
) -> None:
    """Regions with their true and released numbers."""
    config = NUMBERS | {
        "name": st.column_config.TextColumn(capital(level), width=130),
        "above": st.column_config.TextColumn(capital(above)),
    }
    shown = table.assign(rel_error=table["rel_error"] * 100)
    st.dataframe(shown, hide_index=True, column_config=config, height=height)


def privacy(drawn: Drawn) -> None:
    """The guarantee of the release, and how the budget is shared."""
    st.markdown("##### Privacy guarantee")
    statement = drawn.plan.privacy
    st.markdown(statement.sentence)
    symbol, budgets = words.level_budgets(drawn.plan)
    allocation = [f"{share:,}" for share in drawn.plan.allocation.weights]
    allocation += [""] * (len(statement.levels) - len(allocation))
    st.markdown(f"Allocation {words.shares_line(drawn.plan)}")
    rows = [
        (level.level, share, parameter(budget), level.scale)
        for level, share, budget in zip(statement.levels, allocation, budgets, strict=True)
    ]
    # Not a grid: its words would be cut where the column is narrow.
    st.table(pd.DataFrame(rows, columns=["Level", "Allocation", symbol, "Noise"]), hide_index=True)
    if drawn.plan.privacy.caution:
        return
    st.caption(words.composition(drawn.sample.table.person, beside=len(drawn.plan.beside) > 0))


def repeat(view: View) -> None:
    """Link, file, Python and shell that give this view again."""
    st.markdown("##### Share or reproduce")
    if view.settings.sample == OWN:
        st.markdown(words.OWN_REPEAT)
        return
    link, file, python, shell = st.tabs(["Link", "Settings file", "Python", "Command line"])
    settings = view.settings
    with link:
        st.code(address.link(view.to_query()), language=None, wrap_lines=True)
    with file:
        st.code(settings.to_toml(), language="toml")
    with python:
        st.code(settings.to_python(), language="python")
    with shell:
        st.code(settings.to_shell(), language="bash", wrap_lines=True)


def badge(sample: Sample) -> None:
    """What of the data is not real, where anything is."""
    if sample.badge:
        st.badge(sample.badge, color="orange", icon=":material/science:")


def source(sample: Sample) -> str:
    """Where the numbers come from, and what of them is not real."""
    kind = f" ({sample.badge})" if sample.badge else ""
    return f"Data: {sample.title}{kind}. Source: {sample.source}."


def find(drawn: Drawn) -> None:
    """One search over all areas; the one that is chosen opens its profile."""
    regions = drawn.sample.table.regions
    named = _named_areas(drawn.digest, drawn)
    chosen = st.selectbox(
        "Find an area",
        list(named),
        format_func=named.__getitem__,
        index=None,
        key=Key.FIND,
        placeholder=f"Find any of {len(named):,} areas",
        label_visibility="collapsed",
    )
    if chosen is not None:
        level = regions.levels[int(regions.tree.level_of[chosen])]
        address.keep(address.view().at(level, regions.ids[chosen]))
        session.forget(Key.FIND)
        st.switch_page(AREA)


@remembered(max_entries=8)
def _named_areas(digest: str, _drawn: Drawn) -> dict[int, str]:
    """Every area with its level, by its number; only-child copies of ragged trees are left out."""
    regions = _drawn.sample.table.regions
    tree = regions.tree
    labels = {}
    for node in range(tree.n_nodes):
        if not regions.padded[node]:
            labels[node] = f"{regions.names[node]} · {regions.levels[tree.level_of[node]]}"
    return labels


def how_to_read(sample: Sample) -> None:
    with st.expander("How to read this page, and what the data are"):
        for line in words.HOW_TO_READ:
            st.markdown(line)
        st.markdown(f"**{sample.title}**: {sample.about} {sample.real}")
        st.caption(f"Source: {sample.source}. Licence: {sample.licence}.")


def flows_in(table: Table) -> bool:
    """Whether a table holds flows."""
    return table.between_regions


def how_to_read_flows(sample: Sample) -> None:
    """What is added to "How to read this page"."""
    if flows_in(sample.table):
        with st.expander("How to read flows"):
            for line in flow_words.HOW_TO_READ:
                st.markdown(line)


def flow_tree(drawn: Drawn) -> FlowTree:
    """The tree that the mechanism went down; that of the destinations where it had none."""
    first = dict(drawn.plan.options).get("tree", "destination")
    return FlowTree.of(drawn.sample.table.domain, first)
