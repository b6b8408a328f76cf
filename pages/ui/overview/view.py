"""The pieces of Overview: the finding, one map per level, what it means, and the files."""

from collections.abc import Callable
from typing import Any

import streamlit as st

import hierdp_core as hdp
from hierdp_core import figures
from hierdp_core.evaluation.exploring import Exploration, relative_errors, typical_errors
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps import region_table as regions
from hierdp_core.figures.style import Theme
from hierdp_core.samples.sample import OWN
from hierdp_core.util.text import capital, plural
from hierdp_core.writers.takeaway import FORMATS, formats_for, package
from pages.ui.overview import distance, overview_words, play, report
from pages.ui.shell import (
    address,
    charts,
    datasets,
    frame,
    geometry,
    navigation,
    parts,
    pin_bar,
    session,
    widgets,
    words,
    work,
)
from pages.ui.shell.address import View
from pages.ui.shell.announcer import announce
from pages.ui.shell.areas import Area
from pages.ui.shell.cache import remembered
from pages.ui.shell.jobs import Job
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

IMPACT, PRIVACY = "pages/impact_page.py", "pages/privacy_page.py"
Lead = Callable[[View, Drawn, Exploration], None]
Finding = Callable[[Drawn, Exploration], str]
_MOST_ACROSS = 6
_TABLES = "View the maps as tables"
_NAMED = 3  # areas with the largest errors that are named


def finding(drawn: Drawn, explored: Exploration) -> str:
    """Return the title, from the typical errors in the simulations so far."""
    return overview_words.finding(_typical(explored), words.budget(drawn.plan), explored.n)


def headline(view: View, drawn: Drawn, finding: Finding) -> Exploration:
    """Show the finding as the title, and its subject. Return the simulations behind it.

    Args:
        view: the settings that are shown.
        drawn: one simulation of them.
        finding: returns the title.
    """
    with st.spinner("Simulating…"):
        explored, _ = work.simulations(view, drawn)
    sample = drawn.sample
    with st.container(key="warned" if drawn.plan.privacy.claimed else "plain"):
        st.title(finding(drawn, explored), anchor=False)
    st.markdown(
        overview_words.subtitle(
            _typical(explored)[-1],
            mechanism=drawn.plan.mechanism.title,
            default_for=words.default_for(drawn.plan.id, sample.table),
            unit=drawn.quantity.title,
            root=sample.table.regions.names[0],
        )
    )
    parts.with_badge(overview_words.risk(drawn.plan.privacy), sample)
    return explored


def maps(
    view: View,
    drawn: Drawn,
    above: Exploration,
    lead: Lead | None = None,
    title: Finding = finding,
) -> None:
    """Show the progress of the simulations, one map per level, and what they mean.

    Args:
        view: the settings that are shown.
        drawn: one simulation of them.
        above: the simulations behind the title.
        lead: draws more content above the maps, if given.
        title: returns the title of the page, which is announced to screen readers.
    """
    with st.container(key="pairs-status"):
        left, right = st.columns([2, 1], vertical_alignment="center")
    with left:
        parts.status(view, drawn, above)
    with right:
        playing = widgets.toggle(
            "Play the simulations",
            key=Key.PLAY,
            help="Show the simulated releases one after another. An area flickers if the class of "
            "its relative error differs between releases.",
        )
    explored, job = work.simulations(view, drawn)
    announce(
        f"{title(drawn, explored)}. "
        + words.status(explored.n, view.n_simulations, running=job is not None and job.running)
    )
    if lead is not None:
        lead(view, drawn, explored)
    levels, total = _typical(explored), float(explored.counts.true[0])
    across = _across(len(levels))
    for k, row in enumerate(levels):
        if k % across == 0:
            columns = st.columns(across, gap="medium")
        with columns[k % across]:
            st.html(overview_words.level_head(row, unit=drawn.quantity.title, total=total))
            if not playing:
                _still_map(drawn, k)
    if playing:
        play.simulations(drawn, explored, across=across)
    parts.legend(drawn)
    st.caption(overview_words.map_note(len(levels), drawn.simulation.seed, playing=playing))
    _meaning(drawn, explored)
    st.caption(parts.source(drawn.sample))


def _still_map(drawn: Drawn, k: int) -> None:
    """Show the map of one level in one simulation; a click opens the profile of an area."""
    picked = charts.show(
        _map(drawn.digest, k, charts.theme(), drawn),
        key=f"{Key.MAP}{k}",
        table_in=_TABLES,
        on_select="rerun",
        selection_mode="points",
    )
    if points := picked.selection.points:
        enter(drawn.levels[k], points[0]["location"])


def _typical(explored: Exploration) -> list[dict[Any, Any]]:
    return typical_errors(explored.counts).to_dict("records")


def _across(levels: int) -> int:
    """Return how many levels are side by side; the others form a second row."""
    return levels if levels <= _MOST_ACROSS else (levels + 1) // 2


@remembered(max_entries=48)
def _map(digest: str, k: int, theme: Theme, _drawn: Drawn) -> Chart:
    box, level = _drawn.sample.boundaries.box, _drawn.levels[k]
    rows = regions.of_level(_drawn.regions, level)
    chart = figures.maps.error_map.chart(
        rows,
        geometry.of(_drawn.sample, k),
        title=words.level_title(len(rows), level),
        box=box,
        unit=_drawn.quantity.title,
        height=figures.maps.error_map.height_for(box, parts.WIDTH / _across(len(_drawn.levels))),
        theme=theme,
    )
    return chart.inked(theme)


def _meaning(drawn: Drawn, explored: Exploration) -> None:
    """Show three cards: the risk for one record, the areas most affected, and decisions."""
    person, areas, decisions = (
        column.container(border=True, height="stretch") for column in st.columns(3, gap="medium")
    )
    plan, leaf = drawn.plan, drawn.levels[-1]
    with person:
        st.markdown(f"**What {words.budget(plan)} means for {plan.privacy.unit}**")
        st.markdown(overview_words.one_person(plan.privacy))
        _way("What ε means", PRIVACY)
    with areas:
        st.markdown("**Who is affected most?**")
        known = _worst(drawn, explored)
        worst = [area for area in known if area[2] > 0]
        st.markdown(
            overview_words.affected(
                leaf,
                known[0][2] if known else None,
                unit=drawn.quantity.title,
                listed=len(worst),
            )
        )
        with st.container(gap=None):
            for name, id, share in worst:
                label = f"{name}: {words.relative(share)}"
                if st.button(label, key=f"worst-{id}", type="tertiary"):
                    enter(leaf, id)
    with decisions:
        st.markdown("**Would a decision change?**")
        st.markdown(overview_words.decisions(leaf))
        _way("Impact on decisions", IMPACT)
        if st.button("Error by size of area", type="tertiary", icon=":material/arrow_forward:"):
            address.follow(IMPACT, {"show": "sizes"}, keep_view=True)


def _way(title: str, script: str) -> None:
    """Show a button that opens another page at the same view."""
    if st.button(title, type="tertiary", icon=":material/arrow_forward:"):
        navigation.to(script)


def _worst(drawn: Drawn, explored: Exploration) -> list[tuple[str, str, float]]:
    """Return name, id and mean relative error of the areas with the largest, at the last level."""
    part = explored.counts.of_level(drawn.levels[-1])
    relative = relative_errors(explored.counts)[part.nodes]
    known = [k for k in range(len(relative)) if relative[k] == relative[k]]
    known.sort(key=lambda k: -relative[k])
    return [(part.names[k], part.ids[k], float(relative[k])) for k in known[:_NAMED]]


def enter(level: str, region: str) -> None:
    """Go to the profile of an area."""
    pin_bar.open_profile(Area(level=level, id=region))


def more(view: View, drawn: Drawn) -> None:
    """Show the details of the finding, in tabs: errors, the guarantee, how to reproduce it."""
    sizes = ["Size distribution"] if drawn.sample.table.has_groups else []
    names = ["Error by level", *sizes, "Largest errors", "Privacy guarantee", "Share or reproduce"]
    tabs = dict(zip(names, st.tabs(names, key="support"), strict=True))
    with tabs["Error by level"]:
        details(view, drawn)
    for name in sizes:
        with tabs[name]:
            size_distances(view, drawn)
    with tabs["Largest errors"]:
        largest_errors(drawn)
    with tabs["Privacy guarantee"]:
        parts.privacy(drawn)
    with tabs["Share or reproduce"]:
        parts.repeat(view)


@frame.part
def details(view: View, drawn: Drawn) -> None:
    """Show the error by level over all simulations, as bars."""
    explored, _ = work.simulations(view, drawn)
    of_areas = explored.errors[explored.errors["quantity"] == drawn.quantity.id]
    chart = figures.errors.levels.chart(
        hdp.summarize(of_areas, "mean_abs"), unit=drawn.quantity.title
    )
    charts.show(chart, key="levels", heading=True)
    progress = words.simulations_words(explored.n, view.n_simulations)
    st.caption(words.bars_note(progress, unit=drawn.quantity.title))


@frame.part
def size_distances(view: View, drawn: Drawn) -> None:
    """Show the error of the sizes as a distance, over all simulations."""
    explored, _ = work.simulations(view, drawn)
    progress = words.simulations_words(explored.n, view.n_simulations)
    distance.by_level(drawn, explored.errors, progress)


def largest_errors(drawn: Drawn) -> None:
    """Show the areas of the last level with the largest errors."""
    leaf = drawn.levels[-1]
    st.markdown(f"## {capital(plural(leaf))} with the largest relative error")
    table = regions.largest_errors(drawn.regions, drawn.levels)
    if table.empty:
        st.markdown(overview_words.no_relative_error(leaf))
        return
    if not table["rel_error"].any():
        st.markdown(overview_words.all_exact(leaf))
        return
    above = drawn.levels[-2] if len(drawn.levels) > 1 else ""
    parts.region_table(table, leaf, above, key="largest")
    st.caption(
        f"Simulated release shown on the maps (seed {drawn.simulation.seed}). {words.OPENS} "
        f"{words.NOT_PRIVATE}"
    )


@frame.part
def all_regions(drawn: Drawn) -> None:
    """Show every area on the maps in tables, which are sent only when they are opened."""
    expander = st.expander(_TABLES, key=Key.TABLES, on_change="rerun")
    if not expander.open:
        return
    with expander:
        tables = [regions.of_level(drawn.regions, level) for level in drawn.levels]
        names = [words.level_title(len(t), n) for t, n in zip(tables, drawn.levels, strict=True)]
        for level, rows, tab in zip(drawn.levels, tables, st.tabs(names), strict=True):
            with tab:
                parts.region_table(figures.maps.error_map.table(rows), level, key=level)
        st.caption(
            f"One simulated release (seed {drawn.simulation.seed}). {words.OPENS} "
            f"{words.NOT_PRIVATE}"
        )


@frame.part
def take_away(view: View, drawn: Drawn) -> None:
    """Offer the table of this simulation as files."""
    with st.expander("Download the simulated tables"):
        formats = widgets.multiselect(
            "Formats",
            formats_for(drawn.sample.table),
            key=session.seeded(Key.FORMATS, ["csv"]),
            format_func=FORMATS.__getitem__,
        )
        st.markdown(words.take_away(own=view.settings.sample == OWN))
        confidential = datasets.is_confidential(drawn.sample)
        st.download_button(
            "Download as ZIP",
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
        explored, job = work.simulations(view, drawn)
        st.download_button(
            "Download this page as a report (HTML)",
            lambda: report.html(
                view, drawn, _latest(explored, job), link, confidential=confidential
            ),
            file_name=f"overview-contains-true-values-{view.settings.sample}.html",
            mime="text/html",
            on_click="ignore",
            help="One file with the error by level, the map and table of each level, and the areas "
            "with the largest errors. It opens without a network, and contains true values.",
        )
        if confidential:
            st.warning(words.CONFIDENTIAL_SIMULATION, icon=":material/lock:")


def _latest(explored: Exploration, job: Job[Exploration | None] | None) -> Exploration:
    return explored if job is None or job.value is None else job.value
