"""The pieces of Overview: the error and the map of each level, the largest errors, the files."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

import hierdp_core as hdp
from hierdp_core import figures
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps import region_table as regions
from hierdp_core.samples.sample import OWN
from hierdp_core.util.text import capital, number, percent, plural
from hierdp_core.writers.takeaway import FORMATS, formats_for, package
from pages.ui.overview import distance, report
from pages.ui.shell import (
    address,
    charts,
    datasets,
    frame,
    geometry,
    jobs,
    parts,
    session,
    tables,
    words,
    work,
)
from pages.ui.shell.address import View
from pages.ui.shell.cache import remembered
from pages.ui.shell.jobs import Job
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

AREA, IMPACT = "pages/area_page.py", "pages/impact_page.py"
Lead = Callable[[View, Drawn, pd.DataFrame], None]
_MOST_ACROSS = 6


def question(drawn: Drawn) -> str:
    """The title: what does this budget do?"""
    return words.question(
        words.budget(drawn.plan), drawn.quantity.title, drawn.sample.table.regions.names[0]
    )


def levels(view: View, drawn: Drawn, lead: Lead | None = None) -> None:
    """The headline and a column a level; refreshed while draws are on their way.

    Args:
        view: what is looked at.
        drawn: one draw of it.
        lead: draws what stands on top; the usual headline if none.
    """
    with st.spinner("Drawing a few more"):
        _, job = work.draws(view, drawn)
    every = jobs.BEAT if job and job.running else None
    frame.part(_levels, every=every)(view, drawn, every is not None, lead)


def _levels(view: View, drawn: Drawn, waiting: bool, lead: Lead | None) -> None:
    frame_, job = work.draws(view, drawn)
    if waiting and not (job and job.running):
        st.rerun()
    if lead is not None:
        lead(view, drawn, frame_)
    unit = drawn.quantity.title
    of_places = frame_[frame_["quantity"] == drawn.quantity.id]
    mean_abs = hdp.summarize(of_places, "mean_abs")
    median_rel = hdp.summarize(of_places, "median_rel")
    if lead is None:
        small = regions.small_places(drawn.regions, drawn.levels[-1])
        st.markdown(words.headline(mean_abs, median_rel, small, unit=unit))
    end = figures.errors.levels.axis_end(mean_abs)
    across = _across(len(drawn.levels))
    for k, level in enumerate(drawn.levels):
        if k % across == 0:
            columns = st.columns(across, gap="medium")
        with columns[k % across]:
            _level(drawn, k, mean_abs[mean_abs["level"] == level], median_rel, end)
    _progress(job)
    draws = words.draws_words(int(frame_["simulation"].nunique()), view.draws)
    st.caption(words.map_note(len(drawn.levels), draws, unit=unit))
    parts.scale_bar(drawn)
    if job:
        job.look()
    with st.expander("The bars as a table"):
        tables.by_level(figures.errors.levels.table(mean_abs))
    distance.by_level(drawn, frame_, draws)


def _across(levels: int) -> int:
    """How many levels stand side by side; the rest goes to a second row."""
    return levels if levels <= _MOST_ACROSS else (levels + 1) // 2


def _level(
    drawn: Drawn, k: int, mean_abs: pd.DataFrame, median_rel: pd.DataFrame, end: float
) -> None:
    level = drawn.levels[k]
    rows = regions.of_level(drawn.regions, level)
    unit = drawn.quantity.title
    relative = float(median_rel.loc[median_rel["level"] == level, "mean"].iloc[0])
    name = words.level_title(len(rows), level)
    mean = number(float(mean_abs["mean"].iloc[0]))
    st.html(words.level_block(name, mean, unit, percent(relative)))
    picked = charts.show(
        _map(drawn.digest, k, drawn),
        key=f"{Key.MAP}{k}",
        on_select="rerun",
        selection_mode="points",
    )
    if points := picked.selection.points:
        enter(level, points[0]["location"])
    bar = figures.errors.levels.chart(mean_abs, unit=unit, end=end, labels=False)
    charts.show(bar, key=f"bar-{k}")


@remembered(max_entries=24)
def _map(digest: str, k: int, _drawn: Drawn) -> Chart:
    box, level = _drawn.sample.boundaries.box, _drawn.levels[k]
    rows = regions.of_level(_drawn.regions, level)
    return figures.maps.error_map.chart(
        rows,
        geometry.of(_drawn.sample, k),
        title=words.level_title(len(rows), level),
        box=box,
        scale=_drawn.scale,
        unit=_drawn.quantity.title,
        height=figures.maps.error_map.height_for(box, parts.WIDTH / _across(len(_drawn.levels))),
    )


def _progress(job: Job[pd.DataFrame] | None) -> None:
    if job is None or not job.running:
        return
    bar, button = st.columns([6, 1], vertical_alignment="center")
    with bar:
        st.progress(job.share, text=words.draws_words(job.done, job.total))
    with button:
        st.button("Cancel", on_click=job.stop, width="stretch")


def enter(level: str, region: str) -> None:
    """Go to Zoom, at this region."""
    address.keep(address.view().at(level, region))
    st.switch_page(AREA)


def largest_errors(drawn: Drawn) -> None:
    """The places of the last level that this draw hit hardest."""
    leaf = drawn.levels[-1]
    st.markdown(f"##### {capital(plural(leaf))} with the largest relative error")
    table = regions.largest_errors(drawn.regions, drawn.levels)
    above = drawn.levels[-2] if len(drawn.levels) > 1 else ""
    parts.region_table(table, leaf, above)
    st.caption(f"In the draw on the maps, seed {drawn.simulation.seed}. {words.NOT_PRIVATE}")


@frame.part
def all_regions(drawn: Drawn) -> None:
    """Every region on the maps as a table; sent only when it is asked for."""
    shown = st.expander("The maps as tables", key=Key.TABLES, on_change="rerun")
    if not shown.open:
        return
    with shown:
        tables = [regions.of_level(drawn.regions, level) for level in drawn.levels]
        names = [words.level_title(len(t), n) for t, n in zip(tables, drawn.levels, strict=True)]
        for level, rows, tab in zip(drawn.levels, tables, st.tabs(names), strict=True):
            with tab:
                parts.region_table(figures.maps.error_map.table(rows), level)
        st.caption(f"One draw, seed {drawn.simulation.seed}. {words.NOT_PRIVATE}")


@frame.part
def take_away(view: View, drawn: Drawn) -> None:
    """Offer the table of this simulation as files."""
    with st.expander("Download the simulated tables"):
        formats = st.multiselect(
            "Formats",
            formats_for(drawn.sample.table),
            key=session.seeded(Key.FORMATS, ["csv"]),
            format_func=FORMATS.__getitem__,
        )
        st.markdown(words.TAKE_AWAY)
        confidential = datasets.is_confidential(drawn.sample)
        st.download_button(
            "Save as ZIP",
            lambda: package(
                drawn.simulation,
                view.settings,
                formats=formats,
                boundaries=drawn.sample.boundaries,
                own=view.settings.sample == OWN,
                confidential=confidential,
            ),
            file_name=f"simulated-{view.settings.sample}-{view.settings.mechanism}.zip",
            mime="application/zip",
            disabled=not formats,
            on_click="ignore",
        )
        link = address.link(view.to_query())
        errors, job = work.draws(view, drawn)
        st.download_button(
            "Save this page as a report (HTML)",
            lambda: report.html(
                view,
                drawn,
                errors if job is None or not len(job.value) else job.value,
                link,
                confidential=confidential,
            ),
            file_name=f"explore-contains-true-values-{view.settings.sample}.html",
            mime="text/html",
            on_click="ignore",
            help="One file with the error by level, every map and every table. It opens without "
            "a network, and holds true values.",
        )
        if confidential:
            st.warning(words.CONFIDENTIAL_DRAW, icon=":material/lock:")


def link_to_sizes() -> None:
    """The way to the error by size of place."""
    if st.button(
        "Who bears the error: by size of place", type="tertiary", icon=":material/arrow_forward:"
    ):
        address.follow(IMPACT, {"show": "sizes"}, keep_view=True)
