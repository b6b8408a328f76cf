"""The parts of Result in parts. Only the errors at every level need the rows of all areas."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.exceptions import HierdpError
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.maps.scale import SHARED
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.maps.boundaries import Box, MapLayer
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.scale.by_level import error_by_level
from hierdp_core.util.escaping import in_html, in_markdown
from pages.ui.result import margins, opened
from pages.ui.result import result_words as words
from pages.ui.result.opened import Area, Result
from pages.ui.shell import charts, frame, jobs, parts, session, tables, widgets
from pages.ui.shell import words as shared
from pages.ui.shell.announcer import announce
from pages.ui.shell.in_parts import PLACE
from pages.ui.shell.jobs import Job
from pages.ui.shell.signed import signed

PAGE = "result"
MOST_AREAS = 3_000  # largest number of areas of a map and a table
_FIELD = f"{session.WIDGETS}result-"
_LONG = 10  # a table with more rows is scrolled
_LARGE = 60  # a map with more areas can be zoomed
_COLUMNS = ("name", "rel_error", "error", "true", "released", "margin", "low", "high", "note")


def area(result: Result) -> Area:
    """Return the area that was chosen, or the root of the table."""
    folder, level, id = session.get(PLACE) or (None, None, None)
    if folder is None or Path(folder) != result.folder:
        level = id = None
    try:
        return opened.area(result, level, id)
    except HierdpError as error:
        if id is None:
            raise
        st.warning(in_markdown(str(error)), icon=":material/info:")
        session.forget(PLACE)
        return opened.area(result, None, None)


def headline(area: Area) -> None:
    """Show the finding about the area as the title."""
    own, names = area.rows.iloc[0], area.names_above
    if area.result.package is not None:
        margins.headline(area)
        return
    if area.result.table is None:
        title = words.released_only(names[-1], own["released"])
        st.title(in_markdown(title), anchor=False)
        st.info(words.WITHOUT_TABLE, icon=":material/info:")
        announce(title)
        return
    several = len(area.below) > 1  # a single sub-area has the count of its parent
    typical = float(area.below["rel_error"].median()) if several else None
    title = words.finding(
        names[-1],
        own["true"],
        own["error"],
        None if typical is None else (area.level_below, typical),
        sizes=area.by_size is not None,
    )
    st.title(in_markdown(title), anchor=False)
    st.badge(words.BADGE, color="orange", icon=":material/visibility:")
    st.markdown(
        words.subtitle(
            area.level,
            names[-2] if len(names) > 1 else "",
            true=own["true"],
            released=own["released"],
            unit=area.result.unit,
        )
    )
    announce(title)


def way(area: Area) -> None:
    """Show the areas above as buttons, and a box for the name or code of any other area."""
    steps, box = st.columns([3, 1], vertical_alignment="bottom", gap="medium")
    levels, names = area.result.levels, area.names_above
    with steps, st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for depth, id in enumerate(area.above[:-1]):
            st.button(
                in_markdown(names[depth]),
                key=f"{_FIELD}step-{depth}",
                on_click=_go,
                args=(area.result, levels[depth], id),
                type="tertiary",
            )
            st.caption("›", width="content")
        st.markdown(f"**{in_markdown(names[-1])}**", width="content")
    with box:
        widgets.text_input(
            words.CODE,
            key=f"{_FIELD}code",
            help=words.CODE_HELP,
            on_change=_by_code,
            args=(area.result,),
        )


def sub_areas(area: Area) -> None:
    """Show the areas directly below, or around an area of the last level.

    A simulation without its exact table has no map.
    """
    around = _around(area)
    rows, level, n = around.below, around.level_below, len(around.below)
    st.markdown(f"## {in_markdown(words.sub_areas(n, level, around.names_above[-1]))}")
    exact = area.result.table is not None
    if n > MOST_AREAS:
        st.caption(words.too_many(MOST_AREAS, n, level, exact=exact))
        order = "rel_error" if exact else "released"
        rows = rows.sort_values(order, ascending=False, kind="stable").head(MOST_AREAS)
    if not exact:
        _table(area.result, rows, level, long=n > _LONG)
        if area.result.package is not None:
            margins.sub_areas(around, rows, marked=around is not area)
        return
    left, right = st.columns([4, 5], gap="medium")
    chart = _map(around, rows, marked=area.above[-1] if around is not area else None)
    large = n > _LARGE
    with left:
        charts.show(
            figures.maps.error_map.movable(chart, name="-".join(around.above)) if large else chart,
            key=f"{_FIELD}map",
            movable=large,
            table_in=words.sub_areas(n, level, around.names_above[-1]),
            on_select=partial(_picked, area.result, level),
            selection_mode="points",
        )
    with right:
        worst = rows.sort_values("rel_error", ascending=False, kind="stable", na_position="last")
        _table(area.result, worst, level, long=n > _LONG)
    st.html(SHARED.legend(charts.theme(), undefined=bool(rows["rel_error"].isna().any())))
    st.caption(f"{words.OPENS} {shared.NOT_PRIVATE}")


def sizes(area: Area) -> None:
    """Show the number of groups of each size in the area, if the table has group sizes."""
    if area.sizes is not None:
        margins.sizes(area)
    if area.by_size is None or area.result.table is None:
        return
    true, released = area.by_size
    labels, name = area.result.table.labels, area.names_above[-1]
    rows = figures.program.size_distribution.size_table(
        true, released, top_coded=bool(labels["top_coded"])
    )
    title = words.sizes(name, str(labels["group"]))
    charts.show(
        figures.program.size_distribution.chart(
            rows, title=title, region=shared.place(name), group=str(labels["group"])
        ),
        key=f"{_FIELD}sizes",
        heading=True,
        draw_table=lambda some: tables.grid(some, hide_index=True, column_config=parts.NUMBERS),
    )


def levels(result: Result) -> None:
    """Show the error at every level on request, since it needs the numbers of all areas.

    For a release, show the margins of every level from its certificate.
    """
    if result.package is not None:
        margins.levels(result.package)
    if result.table is None:
        return
    st.markdown(f"## {words.EVERY_LEVEL}")
    job = jobs.current(PAGE)
    if job is None or job.name != result.ticket:
        if not st.button(words.ALL_LEVELS, icon=":material/play_arrow:"):
            return
        job = jobs.of(PAGE, result.ticket, lambda: _job(result))
    if job.look():
        frame.part(_progress, every=jobs.beat())(job)
        return
    if job.value is None:
        return
    for row, column in zip(
        job.value.to_dict("records"), st.columns(len(job.value), gap="medium"), strict=True
    ):
        with column:
            st.html(_level_card(row, result.unit))
    st.caption(f"{words.EVERY_LEVEL_NOTE} {shared.NOT_PRIVATE}")


def guarantee(area: Area) -> None:
    """Show the guarantee of the release; for a simulation, that of a release with its settings."""
    st.divider()
    st.markdown("## Privacy guarantee")
    st.markdown(area.privacy)
    if area.result.package is not None:
        st.caption(signed(area.result.package))


def _job(result: Result) -> Job[pd.DataFrame | None]:
    assert result.table is not None
    exact = result.table.folder

    def compute(job: Job[pd.DataFrame | None]) -> bool:
        job.value = error_by_level(
            result.folder,
            exact,
            workers=jobs.threads(),
            progress=job.report,
            cancel=lambda: job.unwanted,
        )
        return job.value is not None

    return Job(name=result.ticket, compute=compute, value=None)


def _progress(job: Job[pd.DataFrame | None]) -> None:
    """Show the progress of the levels; the page runs again when they are complete."""
    if not job.look():
        st.rerun()
    st.progress(job.share, text=f"{job.done:,} of {job.total:,} parts read")
    st.button("Stop", key=f"{_FIELD}stop", on_click=job.stop)


def _level_card(row: dict[str, object], unit: str) -> str:
    areas, mean_abs = int(str(row["areas"])), float(str(row["mean_abs"]))
    title = shared.level_title(areas, str(row["level"]))
    typical = shared.relative(float(str(row["typical_rel"])))
    return (
        f'<div class="hierdp-level"><div>{in_html(title)}</div>'
        f'<div><b class="big">{in_html(typical)}</b></div>'
        f'<div class="quiet">{in_html(words.level_line(mean_abs, areas, unit))}</div></div>'
    )


def _around(area: Area) -> Area:
    """Return the area whose sub-areas are on the map: the area, or the parent of a leaf."""
    if not area.is_leaf:
        return area
    level = area.result.levels[area.depth - 1]
    return opened.area(area.result, level, area.above[-2])


def _table(result: Result, rows: pd.DataFrame, level: str, *, long: bool) -> None:
    """Show the areas as a table; selecting a row opens one."""
    indexed = rows.set_index("id")
    if "rel_error" in indexed:
        indexed = indexed.assign(rel_error=100 * indexed["rel_error"])
    key = f"{_FIELD}rows-{session.get(PLACE)}"

    def picked() -> None:
        if chosen := session.get(key).selection.rows:
            _go(result, level, str(indexed.index[chosen[0]]))

    tables.grid(
        indexed,
        hide_index=True,
        key=key,
        on_select=picked,
        selection_mode="single-row",
        column_config=(parts.NUMBERS if result.package is None else margins.NUMBERS)
        | {"name": st.column_config.TextColumn(level.capitalize())},
        column_order=[name for name in _COLUMNS if name in indexed],
        height=400 if long else "auto",
    )


def _map(around: Area, rows: pd.DataFrame, *, marked: str | None) -> Chart:
    layer, box = _drawn(around, rows)
    return figures.maps.error_map.chart(
        rows,
        layer,
        title=words.sub_areas(len(rows), around.level_below, around.names_above[-1]),
        box=box,
        unit=around.result.unit,
        height=figures.maps.error_map.height_for(box, parts.WIDTH / 2),
        marked=marked,
        theme=charts.theme(),
    )


def _drawn(around: Area, rows: pd.DataFrame) -> tuple[MapLayer, Box]:
    """Return the shapes of the sub-areas, from a sample that has all of them, or else tiles."""
    sample, level = around.result.sample, around.level_below
    if sample is not None:
        known = sample.table.regions
        above = opened.node_of(known, around.level, around.above[-1])
        if above is not None and all(
            opened.node_of(known, level, id) is not None for id in rows["id"]
        ):
            depth = int(known.tree.level_of[above])
            layer = sample.boundaries.layer_within(
                known.level_index(level), depth, around.above[-1]
            )
            return layer, sample.boundaries.box_of(depth, around.above[-1])
    tiles = tile_layout(_family(around, rows), np.maximum(rows["true"], 1))
    return tiles.layer(1), tiles.box


def _family(around: Area, rows: pd.DataFrame) -> Regions:
    """Return an area with its sub-areas as a hierarchy of two levels."""
    n = len(rows)
    return Regions(
        tree=Hierarchy(parent=np.array([-1] + [0] * n), level_start=np.array([0, 1, n + 1])),
        levels=(around.level, around.level_below),
        ids=(around.above[-1], *rows["id"]),
        names=(around.above[-1], *rows["name"]),
        padded=np.zeros(n + 1, dtype=bool),
    )


def _go(result: Result, level: str | None, id: str) -> None:
    """Show an area from the next run on."""
    session.put(PLACE, (result.folder, level, id))


def _by_code(result: Result) -> None:
    if not (code := str(session.get(f"{_FIELD}code")).strip()):
        return
    session.put(f"{_FIELD}code", "")
    try:
        level, id = result.place(code)
        opened.area(result, level, id)
    except HierdpError as error:
        session.tell(str(error))
    else:
        _go(result, level, id)


def _picked(result: Result, level: str) -> None:
    if points := session.get(f"{_FIELD}map").selection.points:
        _go(result, level, str(points[0]["location"]))
