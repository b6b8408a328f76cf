"""The parts that pages have in common."""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

from hierdp_core.evaluation.exploring import Exploration
from hierdp_core.explain import group_sizes
from hierdp_core.figures.maps.scale import SHARED, Scale
from hierdp_core.privacy.rounding import parameter
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.tables import Table
from hierdp_core.tables.flow_tree import FlowTree
from hierdp_core.util.text import capital
from pages.ui.shell import (
    address,
    charts,
    flow_words,
    frame,
    jobs,
    markup,
    pin_bar,
    session,
    tables,
    words,
    work,
)
from pages.ui.shell.address import View
from pages.ui.shell.areas import Area
from pages.ui.shell.pin_bar import PinBar
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

NUMBERS = {
    "size": st.column_config.TextColumn("Size"),
    "true": st.column_config.NumberColumn("True count", format="localized", width=84),
    "released": st.column_config.NumberColumn("Simulated", format="localized", width=82),
    "error": st.column_config.NumberColumn("Error", format="localized", width=58),
    "rel_error": st.column_config.NumberColumn("Relative error", format="%.3g%%", width=98),
}
_ORDER = ("name", "above", "rel_error", "error", "true", "released")
_NAMES = 168  # pixels of names beside a map, at most
WIDTH = 1040  # pixels of the page on a usual screen


def cautions(drawn: Drawn) -> None:
    """Show the warnings that apply to every number of this simulation."""
    if drawn.plan.privacy.caution:
        st.error(drawn.plan.privacy.caution, icon=":material/warning:")
    if text := words.violations(drawn.levels, drawn.simulation.checks):
        st.warning(text, icon=":material/warning:")
    if text := group_sizes.top_coding(drawn.sample.table, drawn.simulation):
        st.info(text, icon=":material/vertical_align_top:")


def legend(drawn: Drawn, scale: Scale = SHARED) -> None:
    """Show the classes of relative error on a map, by default those that all maps share."""
    undefined = bool(drawn.regions["rel_error"].isna().any())
    st.html(scale.legend(charts.theme(), undefined=undefined))


def region_table(
    table: pd.DataFrame,
    level: str,
    above: str = "",
    *,
    key: str,
    height: int | Literal["auto"] = "auto",
    beside_map: bool = False,
) -> None:
    """Show areas with their true and released counts; selecting a row opens its profile.

    The relative error, which orders the rows, follows the names, so that a narrow screen cuts it
    off last.

    Args:
        table: the areas, with their codes as index.
        level: the level of the areas.
        above: the level of the parents, if the table names them.
        key: the key of the table on the page.
        height: the height in pixels.
        beside_map: whether the table has only half of the width of the page.
    """
    width = tables.width_of([*table["name"], level], most=_NAMES) if beside_map else None
    config = NUMBERS | {
        "name": st.column_config.TextColumn(capital(level), width=width),
        "above": st.column_config.TextColumn(capital(above)),
    }
    rows = table.assign(rel_error=table["rel_error"] * 100)
    order = [name for name in _ORDER if name in rows]
    area_rows(rows, level, key=key, column_config=config, column_order=order, height=height)


def area_rows(table: pd.DataFrame, level: str, *, key: str, **how: Any) -> None:
    """Show a table of areas; selecting a row opens its profile.

    Args:
        table: the areas, with their codes as index.
        level: the level of the areas.
        key: the key of the table on the page.
        how: passed on to `st.dataframe`.
    """
    # A new table after each choice, with nothing selected.
    name = f"{Key.AREAS}{key}-{session.get(Key.PICKS) or 0}"

    def picked() -> None:
        if rows := session.get(name).selection.rows:
            pin_bar.ask_for(Area(level=level, id=str(table.index[rows[0]])))
            session.put(Key.PICKS, (session.get(Key.PICKS) or 0) + 1)

    tables.grid(
        table,
        hide_index=True,
        key=name,
        on_select=picked,
        selection_mode="single-row",
        **how,
    )
    pin_bar.open_asked()  # needed if this part of a page runs on its own


def privacy(drawn: Drawn) -> None:
    """Show the guarantee of the release, and its budget allocation."""
    st.markdown("## Privacy guarantee")
    statement = drawn.plan.privacy
    st.markdown(statement.sentence)
    symbol, budgets = drawn.plan.privacy.parts
    allocation = [f"{share:,}" for share in drawn.plan.allocation.weights]
    allocation += [""] * (len(statement.levels) - len(allocation))
    st.markdown(f"Allocation {words.shares_line(drawn.plan)}")
    rows = [
        (level.level, share, parameter(budget), level.scale)
        for level, share, budget in zip(statement.levels, allocation, budgets, strict=True)
    ]
    # Not a grid, which would cut text where the column is narrow.
    spent = pd.DataFrame(rows, columns=["Level", "Allocation", symbol, "Noise"])
    st.table(markup.table(spent), hide_index=True)
    if drawn.plan.privacy.caution:
        return
    st.caption(words.composition(drawn.plan.privacy, beside=len(drawn.plan.beside) > 0))


def repeat(view: View) -> None:
    """Show link, file, Python and shell command that reproduce this view."""
    st.markdown("## Share or reproduce")
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


def with_badge(text: str, sample: Sample) -> None:
    """Show a line of Markdown, and beside it which data are not real or not exact, if any."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(text, width="content")
        badge(sample)


def badge(sample: Sample) -> None:
    """State which data are not real or not exact, if any, beside numbers that depend on them."""
    if sample.badge:
        st.badge(sample.badge, color="orange", icon=":material/science:")


def source(sample: Sample) -> str:
    """Return where the data come from, and which of them are not real or not exact."""
    kind = f" ({sample.badge})" if sample.badge else ""
    return f"Data: {sample.title}{kind}. Source: {sample.source}."


def status(view: View, drawn: Drawn, above: Exploration) -> None:
    """Show the progress of the simulations, refreshed while they run.

    Args:
        view: the view of the page.
        drawn: one simulation of the view.
        above: the simulations that the page shows above. If there are more by now, the page runs
            again.
    """
    explored, job = work.simulations(view, drawn)
    every = jobs.beat(job.seconds) if job and job.running else None
    waiting = every is not None or explored.n > above.n
    frame.part(_status_line, every=every)(view, drawn, waiting)


def _status_line(view: View, drawn: Drawn, waiting: bool) -> None:
    explored, job = work.simulations(view, drawn)
    running = job is not None and job.running
    if waiting and not running:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", height=40, border=False):
        st.caption(
            words.status(
                max(explored.n, job.done if job else 0), view.n_simulations, running=running
            ),
            width="content",
        )
        if job is not None and running:
            st.button("Stop", on_click=job.stop, type="tertiary")
            job.look()


def about_pins(bar: PinBar, view: View, drawn: Drawn) -> None:
    """Show the average error of the pinned areas over the simulations so far."""
    explored, _ = work.simulations(view, drawn)
    bar.tell(lambda node: _average_error(explored, node))


def _average_error(explored: Exploration, node: int) -> str:
    """Return the average error of an area over simulations, for its line."""
    counts = explored.counts
    mean_abs = float(np.abs(counts.released[:, node] - counts.true[node]).mean())
    return words.pinned_error(mean_abs, float(counts.true[node]), unit=counts.quantity.title)


def how_to_read(sample: Sample, lines: Iterable[str] = words.HOW_TO_READ) -> None:
    """Explain how to read a page, in these paragraphs, and describe the data."""
    with st.expander("How to read this page, and what the data are"):
        for line in lines:
            st.markdown(line)
        st.markdown(f"**{sample.title}**: {sample.about} {sample.real}")
        st.caption(f"Source: {sample.credit}")


def flows_in(table: Table) -> bool:
    """Return whether a table has flows."""
    return table.between_regions


def how_to_read_flows(sample: Sample) -> None:
    """Show how to read flows, if the table has them."""
    if flows_in(sample.table):
        with st.expander("How to read flows"):
            for line in flow_words.how_to_read(str(sample.table.labels["unit"])):
                st.markdown(line)


def flow_tree(drawn: Drawn) -> FlowTree:
    """Return the tree of the mechanism, or the tree with destinations first if it has none."""
    first = dict(drawn.plan.options).get("tree", "destination")
    return FlowTree.of(drawn.sample.table.domain, first)
