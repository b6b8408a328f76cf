"""The pieces that pages are put together from."""

from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import hierdp_core as hdp
from hierdp_core import figures
from hierdp_core.explain import group_sizes
from hierdp_core.figures.maps import region_table as regions
from hierdp_core.figures.style import CONFIG
from hierdp_core.privacy.rounding import parameter
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.util.text import number, percent
from hierdp_core.writers.takeaway import FORMATS, formats_for, package
from pages.ui.overview import distance, report
from pages.ui.shell import frame, geometry, session, tables, words, work
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import Key, View
from pages.ui.shell.work import Drawn

ZOOM = "pages/area_page.py"
NUMBERS = {
    "size": st.column_config.TextColumn("Size"),
    "true": st.column_config.NumberColumn("True", format="localized"),
    "released": st.column_config.NumberColumn("Released", format="localized"),
    "error": st.column_config.NumberColumn("Error", format="localized"),
    "rel_error": st.column_config.NumberColumn("Relative error", format="%.3g %%"),
}
WIDTH = 980  # pixels of the page on a usual screen
Lead = Callable[[View, Drawn, pd.DataFrame], None]
_MOST_ACROSS = 6
_BEAT = 1.0  # seconds between looks at running draws


def question(drawn: Drawn) -> str:
    """The title: what does this budget do?"""
    return words.question(
        words.budget(drawn.plan), drawn.quantity.title, drawn.sample.table.regions.names[0]
    )


def place_title(name: str, drawn: Drawn) -> str:
    """The title of Zoom."""
    return f"{words.capital(words.place(name))}, released at {words.budget(drawn.plan)}"


def cautions(drawn: Drawn) -> None:
    """What must be said beside every number of this draw, if anything."""
    if drawn.plan.privacy.caution:
        st.warning(drawn.plan.privacy.caution, icon=":material/warning:")
    if text := words.violations(drawn.levels, drawn.simulation.checks):
        st.warning(text, icon=":material/warning:")
    if text := group_sizes.top_coding(drawn.sample.table, drawn.simulation):
        st.info(text, icon=":material/vertical_align_top:")


def levels(view: View, drawn: Drawn, lead: Lead | None = None) -> None:
    """The headline and a column a level; refreshed while draws are on their way.

    Args:
        view: what is looked at.
        drawn: one draw of it.
        lead: draws what stands on top; the usual headline if none.
    """
    with st.spinner("Drawing a few more"):
        _, job = work.draws(view, drawn)
    every = _BEAT if job and job.running else None
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
    scale_bar(drawn)
    if job:
        job.go_on()
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
    picked = st.plotly_chart(
        _map(drawn.digest, k, drawn),
        key=f"{session.Key.MAP}{k}",
        config=CONFIG,
        on_select="rerun",
        selection_mode="points",
        alt=figures.maps.error_map.alt(rows, title=name, unit=unit),
    )
    if points := picked.selection.points:
        enter(level, points[0]["location"])
    st.plotly_chart(
        figures.errors.levels.error_by_level(mean_abs, unit=unit, end=end, labels=False),
        key=f"bar-{k}",
        config=CONFIG,
        alt=figures.errors.levels.alt(mean_abs, unit=unit),
    )


@remembered(max_entries=24)
def _map(digest: str, k: int, _drawn: Drawn) -> go.Figure:
    box = _drawn.sample.boundaries.box
    return figures.maps.error_map.error_map(
        regions.of_level(_drawn.regions, _drawn.levels[k]),
        geometry.of(_drawn.sample, k),
        box=box,
        scale=_drawn.scale,
        unit=_drawn.quantity.title,
        height=figures.maps.error_map.height_for(box, WIDTH / _across(len(_drawn.levels))),
    )


def _progress(job: work.Job | None) -> None:
    if job is None or not job.running:
        return
    bar, button = st.columns([6, 1], vertical_alignment="center")
    with bar:
        st.progress(job.done / job.total, text=words.draws_words(job.done, job.total))
    with button:
        st.button("Cancel", on_click=job.cancel, width="stretch")


def scale_bar(drawn: Drawn) -> None:
    """The colour scale that all maps share."""
    st.plotly_chart(
        figures.maps.scale.bar(drawn.scale),
        key="scale",
        config=CONFIG,
        alt=figures.maps.scale.alt(drawn.scale),
    )
    st.html(words.colours(figures.maps.scale.APART))


def enter(level: str, region: str) -> None:
    """Go to Zoom, at this region."""
    session.keep(session.view().at(level, region))
    st.switch_page(ZOOM)


def largest_errors(drawn: Drawn) -> None:
    """The places of the last level that this draw hit hardest."""
    leaf = drawn.levels[-1]
    st.markdown(f"##### {words.capital(words.plural(leaf))} with the largest relative error")
    table = regions.largest_errors(drawn.regions, drawn.levels)
    above = drawn.levels[-2] if len(drawn.levels) > 1 else ""
    region_table(table, leaf, above)
    st.caption(f"In the draw on the maps, seed {drawn.simulation.seed}. {words.NOT_PRIVATE}")


@frame.part
def all_regions(drawn: Drawn) -> None:
    """Every region on the maps as a table; sent only when it is asked for."""
    shown = st.expander("The maps as tables", key=session.Key.TABLES, on_change="rerun")
    if not shown.open:
        return
    with shown:
        tables = [regions.of_level(drawn.regions, level) for level in drawn.levels]
        names = [words.level_title(len(t), n) for t, n in zip(tables, drawn.levels, strict=True)]
        for level, rows, tab in zip(drawn.levels, tables, st.tabs(names), strict=True):
            with tab:
                region_table(figures.maps.error_map.table(rows), level)
        st.caption(f"One draw, seed {drawn.simulation.seed}. {words.NOT_PRIVATE}")


def region_table(
    table: pd.DataFrame, level: str, above: str = "", *, height: int | str = "auto"
) -> None:
    """Regions with their true and released numbers."""
    config = NUMBERS | {
        "name": st.column_config.TextColumn(words.capital(level), width="medium"),
        "above": st.column_config.TextColumn(words.capital(above)),
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
    st.markdown(f"Shares {words.shares_line(drawn.plan)}")
    rows = [
        (level.level, share, parameter(budget), level.scale)
        for level, share, budget in zip(statement.levels, allocation, budgets, strict=True)
    ]
    # Not a grid: its words would be cut where the column is narrow.
    st.table(pd.DataFrame(rows, columns=["Level", "Share", symbol, "Noise"]), hide_index=True)
    if drawn.plan.privacy.caution:
        return
    st.caption(words.composition(drawn.sample.table.person, beside=len(drawn.plan.beside) > 0))


def repeat(view: View) -> None:
    """Link, file, Python and shell that give this view again."""
    st.markdown("##### To see this again")
    if view.settings.sample == OWN:
        st.markdown(words.OWN_REPEAT)
        return
    link, file, python, shell = st.tabs(["Link", "File (TOML)", "Python", "Shell"])
    settings = view.settings
    with link:
        st.code(session.link(view.to_query()), language=None, wrap_lines=True)
    with file:
        st.code(settings.to_toml(), language="toml")
    with python:
        st.code(settings.to_python(), language="python")
    with shell:
        st.code(settings.to_shell(), language="bash", wrap_lines=True)


@frame.part
def take_away(view: View, drawn: Drawn) -> None:
    """The released table of this draw, in files."""
    with st.expander("Take away the released table"):
        formats = st.multiselect(
            "Formats",
            formats_for(drawn.sample.table),
            key=session.seeded(Key.FORMATS, ["csv"]),
            format_func=FORMATS.__getitem__,
        )
        st.markdown(words.TAKE_AWAY)
        confidential = session.is_confidential(drawn.sample)
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
            file_name=f"released-{view.settings.sample}-{view.settings.mechanism}.zip",
            mime="application/zip",
            disabled=not formats,
            on_click="ignore",
        )
        link = session.link(view.to_query())
        errors, job = work.draws(view, drawn)
        st.download_button(
            "Save this page as a report (HTML)",
            lambda: report.html(
                view,
                drawn,
                errors if job is None or job.frame is None else job.frame,
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


def how_to_read(sample: Sample) -> None:
    with st.expander("How to read this page, and what the data are"):
        for line in words.HOW_TO_READ:
            st.markdown(line)
        st.markdown(f"**{sample.title}**: {sample.about} {sample.real}")
        st.caption(f"Source: {sample.source}. Licence: {sample.licence}.")
