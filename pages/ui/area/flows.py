"""The parts of Area profile that only tables of flows have."""

from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st

from hierdp_core.explain import flows as flow_views
from hierdp_core.explain.flows import LevelFlows
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.flows import arcs_and_matrix as pictures
from hierdp_core.figures.flows import by_level
from hierdp_core.samples.sample import Sample
from hierdp_core.tables import Flows
from hierdp_core.util.text import capital, plural
from pages.ui.area import places
from pages.ui.area.places import Place
from pages.ui.shell import (
    address,
    charts,
    choices,
    flow_words,
    frame,
    geometry,
    parts,
    session,
    tables,
    widgets,
    words,
)
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

MATRIX_SIZE = 25
TABLE_HEIGHT = 520
USUAL_ARCS = 50
_MATRIX, _FALSE_FLOWS = "The matrix as a table", "False positives and negatives as a table"
PAIRS = {
    "origin": st.column_config.TextColumn("From"),
    "destination": st.column_config.TextColumn("To"),
    "true": st.column_config.NumberColumn("True flow", format="localized"),
    "released": st.column_config.NumberColumn("Simulated flow", format="localized"),
    "error": st.column_config.NumberColumn("Error", format="localized"),
}


@frame.part
def arcs(place: Place) -> None:
    """Show the largest flows on the map, with their table."""
    drawn, table = place.drawn, _table(place.drawn)
    if len(drawn.levels) < 2:
        return
    level, quantity_shown, way, n = _controls(place)
    every = _level_flows(drawn.digest, level, drawn)
    here = every
    if place.level:
        origins = flow_views.inside(table.origins, place.node, level)
        ends = origins if table.same_places else np.zeros(_size(table, level), dtype=np.bool_)
        here = every.of(origins, ends, way)
    within = here.within()
    if table.same_places:
        here = here.between()
    best = here.strongest(n, quantity_shown)
    there = len(here.strongest(len(here), quantity_shown))
    name, same = drawn.levels[level], table.same_places
    title = flow_words.flows_title(
        len(best),
        there,
        place.name,
        name,
        way,
        shown=quantity_shown,
        whole_map=not place.level,
        same_places=same,
    )
    st.markdown(f"## {title}")
    if not len(best):
        st.caption(flow_words.no_flows(quantity_shown, same_places=same))
    if same:
        left, right = st.columns([1, 1], gap="medium")
        with left:
            _map(place, level, best, quantity_shown, title)
            st.html(words.colours(pictures.meanings(quantity_shown)))
        with right:
            tables.grid(best.frame(), hide_index=True, column_config=PAIRS, height=TABLE_HEIGHT)
    else:
        tables.grid(best.frame(), hide_index=True, column_config=PAIRS)
    seed = drawn.simulation.seed
    st.caption(
        flow_words.arcs_caption(len(best), there, seed, shown=quantity_shown, same_places=same)
    )
    if same:
        st.caption(
            flow_words.within_line(
                name,
                place.name if place.level else "",
                float(within.true.sum()),
                float(within.released.sum()),
                unit=table.unit,
                alone=place.level == level,
            )
        )
        st.caption(flow_words.READ_ARCS)
    if place.node != Place.of(address.view(), drawn).node:  # an area was clicked
        st.rerun()


def _controls(place: Place) -> tuple[int, Any, Any, int]:
    names, first = place.drawn.levels, max(1, place.level)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        level = choices.one_of(
            "Flows between",
            list(range(first, len(names))),
            min(len(names) - 1, place.level + 1),
            key=f"{Key.FLOW_LEVEL}{place.level}",
            format_func=lambda k: capital(plural(names[k])),
            width="content",
        )
        same = _table(place.drawn).same_places
        quantity_shown = _shown("Arc width shows" if same else "Largest by", Key.FLOW_SHOWN)
        way: Any = "both" if same else "from"
        if place.level and same:
            way = choices.one_of(
                "Direction",
                list(flow_words.WAYS),
                "both",
                key=Key.FLOW_WAY,
                format_func=flow_words.WAYS.__getitem__,
                width="content",
            )
        n = widgets.select_slider(
            "Number of flows, largest first",
            options=flow_words.ARCS,
            key=session.seeded(Key.FLOW_ARCS, USUAL_ARCS),
            width=220,
        )
    return level, quantity_shown, way, n


def _shown(label: str, key: str) -> Any:
    return choices.one_of(
        label,
        list(flow_words.SHOWN),
        "released",
        key=key,
        format_func=flow_words.SHOWN.__getitem__,
        width="content",
    )


def _map(place: Place, level: int, best: LevelFlows, quantity_shown: Any, title: str) -> None:
    drawn, table = place.drawn, _table(place.drawn)
    boundaries = drawn.sample.boundaries
    centres = _centres(drawn.digest, level, drawn.sample)
    box = pictures.around(np.zeros((0, 2)), boundaries.box)
    if place.level:
        touched = np.concatenate([centres[best.origin], centres[best.destination]])
        box = pictures.around(touched, boundaries.box_of(place.level, place.id))
    nodes = table.origins.tree.level(level)
    areas = pd.DataFrame({"id": table.origins.ids[nodes], "name": table.origins.names[nodes]})
    if place.level:
        areas = areas[pictures.in_box(centres, box)]
    figure = pictures.flow_map(
        best,
        areas,
        geometry.of(drawn.sample, level),
        starts=centres,
        ends=centres,
        box=box,
        shown=quantity_shown,
        unit=table.unit,
        height=pictures.height_for(box),
        marked=place.id if place.level == level else None,
    )
    alt = pictures.arcs_alt(best, level=drawn.levels[level], shown=quantity_shown, unit=table.unit)
    charts.show(
        Chart(title="Flows", figure=figure, alt=alt),
        key=f"{Key.FLOW_MAP}{place.node}-{level}",
        table_in=title,
        on_select=lambda: _clicked(f"{Key.FLOW_MAP}{place.node}-{level}", drawn.levels[level]),
        selection_mode="points",
    )


def _clicked(key: str, level: str) -> None:
    for point in session.get(key).selection.points:
        if region := point.get("location"):
            places.go(level, str(region))


@frame.part
def matrix(place: Place) -> None:
    """Show the origin–destination matrix of the busiest areas of a level."""
    drawn, table = place.drawn, _table(place.drawn)
    if len(drawn.levels) < 2:
        return
    title = st.empty()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        level = choices.one_of(
            "Matrix of",
            list(range(1, len(drawn.levels))),
            1,
            key=Key.MATRIX_LEVEL,
            format_func=lambda k: capital(plural(drawn.levels[k])),
            width="content",
        )
        quantity_shown = _shown("Cells show", Key.MATRIX_SHOWN)
    cells = flow_views.matrix(_level_flows(drawn.digest, level, drawn), MATRIX_SIZE)
    size, ends = _size(table, level), int(table.destinations.tree.level_sizes[level])
    heading = flow_words.matrix_title(min(MATRIX_SIZE, size), size, drawn.levels[level])
    if not table.same_places:
        heading = flow_words.matrix_of_two_title(size, ends, most=MATRIX_SIZE)
    title.markdown(f"## {heading}")
    level_name, unit = drawn.levels[level], table.unit
    charts.show(
        Chart(
            title="Matrix",
            figure=pictures.heat_map(cells, shown=quantity_shown, unit=unit, theme=charts.theme()),
            alt=pictures.heat_map_alt(cells, level=level_name, shown=quantity_shown, unit=unit),
        ),
        key="matrix",
        table_in=_MATRIX,
    )
    st.caption(
        flow_words.matrix_note(
            rows_combined=size > MATRIX_SIZE,
            columns_combined=ends > MATRIX_SIZE,
            shown=quantity_shown,
            same_places=table.same_places,
            negative=bool((cells.values(quantity_shown) < 0).any()),
        )
    )
    with st.expander(_MATRIX):
        tables.grid(cells.frame(quantity_shown))


def false_flows(place: Place) -> None:
    """Show false positives and false negatives by level of the tree."""
    drawn, table = place.drawn, _table(place.drawn)
    rows = _false_flows(drawn.digest, drawn)
    st.markdown("## False positives and false negatives")
    left, right = st.columns([2, 3], gap="large", vertical_alignment="center")
    with left:
        st.markdown(
            flow_words.false_flow_line(
                rows.iloc[-1],
                table.regions.levels[-1],
                unit=table.unit,
                same_places=table.same_places,
            )
        )
        if len(table.regions.levels) > 2:
            above = flow_words.false_flow_line(
                rows.iloc[-3],
                table.regions.levels[-2],
                unit=table.unit,
                same_places=table.same_places,
            )
            st.markdown(above)
        st.caption(f"One simulation, seed {drawn.simulation.seed}. {words.NOT_PRIVATE}")
    with right:
        chart = by_level.false_flow_chart(
            rows, title="False positives and negatives", unit=table.unit
        )
        charts.show(chart, key="false_positives", table_in=_FALSE_FLOWS)
    with st.expander(_FALSE_FLOWS):
        rates = by_level.false_flow_table(rows)
        tables.grid(rates, hide_index=True, column_config=tables.columns(rates))


def _table(drawn: Drawn) -> Flows:
    return cast(Flows, drawn.sample.table)


def _released(drawn: Drawn) -> Flows:
    return cast(Flows, drawn.simulation.table)


def _size(table: Flows, level: int) -> int:
    return int(table.origins.tree.level_sizes[level])


@remembered(max_entries=8)
def _level_flows(digest: str, level: int, _drawn: Drawn) -> LevelFlows:
    return flow_views.at_level(_table(_drawn), _released(_drawn), level)


@remembered(max_entries=8)
def _false_flows(digest: str, _drawn: Drawn) -> pd.DataFrame:
    return flow_views.false_flows(_table(_drawn), _released(_drawn), parts.flow_tree(_drawn))


@remembered(max_entries=8)
def _centres(digest: str, level: int, _sample: Sample) -> Any:
    return _sample.boundaries.centres(level)
