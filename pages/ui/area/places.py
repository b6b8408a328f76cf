"""The parts of Area profile: the area, the areas above it, and the areas in it."""

import math
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.evaluation.exploring import Exploration, relative_errors
from hierdp_core.explain import group_sizes
from hierdp_core.figures.maps import region_table
from hierdp_core.figures.maps.scale import SHARED, Scale
from hierdp_core.tables import GroupSizes
from hierdp_core.util.text import a, capital
from pages.ui.area import area_words
from pages.ui.area.area_words import AreaErrors
from pages.ui.shell import (
    address,
    charts,
    geometry,
    parts,
    pin_bar,
    session,
    tables,
    widgets,
    words,
    work,
)
from pages.ui.shell.address import View
from pages.ui.shell.announcer import announce
from pages.ui.shell.areas import Area
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

TABLE_HEIGHT = 400
ROWS_IN_SIGHT = 10
_MOST_CARDS = 3  # areas side by side
_FEW, _LARGE = 7, 60  # with more areas, a map can have its own scale (7) or be zoomed (60)


@dataclass(frozen=True, eq=False, kw_only=True)
class Place:
    """An area in one simulation.

    Attributes:
        drawn: the simulation.
        node: the area's number in the hierarchy.
    """

    drawn: Drawn
    node: int

    @classmethod
    def of(cls, view: View, drawn: Drawn) -> "Place":
        """Return the area of the view; the root if the view names none."""
        regions = drawn.sample.table.regions
        if view.level is None or view.region is None:
            return cls(drawn=drawn, node=0)
        return cls(drawn=drawn, node=regions.node(view.region, regions.level_index(view.level)))

    @property
    def level(self) -> int:
        return int(self.drawn.sample.table.tree.level_of[self.node])

    @property
    def level_name(self) -> str:
        return self.drawn.levels[self.level]

    @property
    def id(self) -> str:
        return self.drawn.sample.table.regions.ids[self.node]

    @property
    def name(self) -> str:
        return self.drawn.sample.table.regions.names[self.node]

    @property
    def is_leaf(self) -> bool:
        return self.level == len(self.drawn.levels) - 1

    @property
    def row(self) -> pd.Series:
        rows = region_table.of_level(self.drawn.regions, self.level_name)
        return rows[rows["id"] == self.id].iloc[0]

    @property
    def parent(self) -> "Place | None":
        above = int(self.drawn.sample.table.tree.parent[self.node])
        return None if above < 0 else Place(drawn=self.drawn, node=above)

    @property
    def trail(self) -> "list[Place]":
        """The areas from the root down to this one."""
        return [*(self.parent.trail if self.parent else []), self]

    def within(self, wanted: int) -> pd.DataFrame:
        """Return the regions of a lower level that lie in this one."""
        return region_table.within(
            self.drawn.regions, self.drawn.levels, self.level, self.id, wanted=wanted
        )


def way(place: Place) -> None:
    """Show the areas above as buttons, and a box to find others; all work from the keyboard."""
    steps, box, pin = st.columns([4, 4, 3], vertical_alignment="bottom", gap="medium")
    with pin:
        pin_bar.pin_button(Area(level=place.level_name, id=place.id))
    with steps, st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for step in place.trail[:-1]:
            st.button(
                step.name,
                key=f"{Key.STEP}{step.level}",
                on_click=go,
                args=(step.level_name, step.id),
                type="tertiary",
            )
            st.caption("›", width="content")
        st.markdown(f"**{place.name}**", width="content")
    around = _shown(place)
    if around is None:
        return
    rows = around.within(around.level + 1)
    level = around.drawn.levels[around.level + 1]
    names = dict(zip(rows["id"], rows["name"], strict=True))
    with box:
        st.selectbox(
            f"Go to {a(level)}",
            sorted(names, key=names.__getitem__),
            format_func=names.__getitem__,
            index=None,
            key=session.identity(Key.ENTER),
            on_change=_enter,
            args=(level,),
            placeholder=words.areas_to_open(len(names), level, around.name),
        )


def headline(view: View, place: Place) -> Exploration:
    """Show the finding as the title with its subtitle; return the simulations behind it."""
    drawn = place.drawn
    with st.spinner("Simulating…"):
        explored, _ = work.simulations(view, drawn)
    area = errors_of(place, explored)
    below = _below(place, explored)
    finding = area_words.finding(area, words.budget(drawn.plan), below, explored.n)
    st.title(finding, anchor=False)
    announce(finding)
    subtitle = area_words.subtitle(
        area,
        unit=drawn.quantity.title,
        above=place.parent.name if place.parent else "",
        seed=drawn.simulation.seed,
    )
    parts.with_badge(subtitle, drawn.sample)
    return explored


def errors_of(place: Place, explored: Exploration) -> AreaErrors:
    """Return the error of an area over the simulations so far."""
    counts, node = explored.counts, place.node
    of_level = relative_errors(counts)[counts.of_level(place.level_name).nodes]
    defined = of_level[~np.isnan(of_level)]
    true, row = float(counts.true[node]), place.row
    mean_abs = float(np.abs(counts.released[:, node] - counts.true[node]).mean())
    return AreaErrors(
        name=place.drawn.sample.table.regions.full_name(node),
        level=place.level_name,
        true=true,
        released=float(row["released"]),
        mean_abs=mean_abs,
        rank=int((defined > mean_abs / true).sum()) + 1 if true else 0,
        areas=len(defined),
    )


def _below(place: Place, explored: Exploration) -> tuple[str, float] | None:
    """Return the level below and the median relative error of its areas in this one."""
    children = place.drawn.sample.table.tree.children(place.node)
    if children.stop - children.start < 2:  # one sub-area has the count of its parent
        return None
    relative = relative_errors(explored.counts)[children.start : children.stop]
    defined = relative[~np.isnan(relative)]
    typical = float(np.median(defined)) if len(defined) else math.nan
    return place.drawn.levels[place.level + 1], typical


def compared(view: View, place: Place) -> None:
    """Show the area beside the pinned ones, or else beside the areas above it."""
    drawn, regions = place.drawn, place.drawn.sample.table.regions
    explored, _ = work.simulations(view, drawn)
    pinned = [Place(drawn=drawn, node=area.node(regions)) for area in view.pins]
    beside = [other for other in pinned if other.node != place.node]
    cards = [place, *(beside or place.trail[-2::-1])][:_MOST_CARDS]
    errors = [errors_of(one, explored) for one in cards]
    if beside:
        st.markdown(f"## {area_words.compared(errors[0], errors[1])}")
    columns = st.columns(_MOST_CARDS, gap="medium", vertical_alignment="bottom")
    for area, column in zip(errors, columns, strict=False):
        column.html(area_words.card(area, unit=drawn.quantity.title))
    if not beside:
        note = area_words.how_to_compare(pinned=bool(pinned))
        (columns[-1] if len(cards) < _MOST_CARDS else st).caption(note)


def parts_map(place: Place) -> None:
    """Show the areas one level down, or around an area of the last level: map and table."""
    around = _shown(place)
    if around is None:
        return
    below = around.level + 1
    drawn, level = place.drawn, place.drawn.levels[below]
    rows, unit = around.within(below), place.drawn.quantity.title
    box = drawn.sample.boundaries.box_of(around.level, around.id)
    title = words.areas_of(len(rows), level, around.name)
    st.markdown(f"## {capital(title)}")
    scale = _scale(rows, around)
    left, right = st.columns([4, 5], gap="medium")
    with left:
        chart = figures.maps.error_map.chart(
            rows,
            geometry.within(drawn.sample, below, around.level, around.id),
            title=title,
            box=box,
            unit=unit,
            height=figures.maps.error_map.height_for(box, parts.WIDTH / 2),
            marked=place.id if place.is_leaf else None,
            theme=charts.theme(),
            scale=scale,
        )
        large = len(rows) > _LARGE
        charts.show(
            figures.maps.error_map.movable(chart, name=around.id) if large else chart,
            key=Key.ZOOM_MAP,
            movable=large,
            table_in=capital(title),
            on_select=_picked,
            selection_mode="points",
        )
    if chart.table is not None:
        with right:
            long = len(rows) > ROWS_IN_SIGHT
            parts.region_table(
                chart.table,
                level,
                key="below",
                height=TABLE_HEIGHT if long else "auto",
                beside_map=True,
            )
    parts.legend(drawn, scale)
    note = area_words.map_note(unit, drawn.simulation.seed)
    st.caption(f"{note} {parts.source(drawn.sample)}")


def _scale(rows: pd.DataFrame, around: Place) -> Scale:
    """Ask for the classes of the map: those of all maps, or those of these areas alone."""
    if len(rows) <= _FEW:
        return SHARED
    alone = widgets.toggle(
        f"Colours for {words.place(around.name)} alone",
        key=Key.LOCAL,
        help="The classes of the map are then chosen so that each has about the same number of "
        "these areas. Such a map cannot be compared with others.",
    )
    return figures.maps.scale.local(rows["rel_error"].to_numpy(float)) if alone else SHARED


def levels_below(place: Place) -> None:
    """Show the same area at every level from here down, if there is more than one."""
    drawn = place.drawn
    levels = range(place.level, len(drawn.levels))
    if len(levels) < 3:
        return
    st.markdown(f"## {capital(words.place(place.name))} at every level")
    box = drawn.sample.boundaries.box_of(place.level, place.id)
    for k, column in zip(levels, st.columns(len(levels), gap="medium"), strict=True):
        rows, level = place.within(k), drawn.levels[k]
        title = words.level_title(len(rows), level)
        with column:
            error = area_words.median_error(float(rows["rel_error"].median()), len(rows))
            st.markdown(f"**{title}**  \n{error}")
            chart = figures.maps.error_map.chart(
                rows,
                geometry.within(drawn.sample, k, place.level, place.id),
                title=title,
                box=box,
                unit=drawn.quantity.title,
                height=figures.maps.error_map.height_for(box, parts.WIDTH / len(levels)),
                theme=charts.theme(),
            )
            charts.show(
                chart,
                key=f"level-{k}",
                draw_table=partial(parts.region_table, level=level, key=f"level-{k}"),
            )
    st.caption(area_words.levels_note(drawn.simulation.seed))


def sizes(place: Place) -> None:
    """Show the number of groups of each size in the area, if the table has group sizes."""
    table = place.drawn.sample.table
    if not table.has_groups:
        return
    table = cast(GroupSizes, table)
    true, released = group_sizes.rows_of(table, place.drawn.simulation, place.node)
    frame = figures.program.size_distribution.size_table(true, released, top_coded=table.top_coded)
    charts.show(
        figures.program.size_distribution.chart(
            frame,
            title=f"{capital(table.group)} of {words.place(place.name)} by size",
            region=words.place(place.name),
            group=table.group,
        ),
        key="sizes",
        heading=True,
        as_table="The sizes as a table",
        draw_table=lambda sizes: tables.grid(sizes, hide_index=True, column_config=parts.NUMBERS),
    )


def _shown(place: Place) -> Place | None:
    """Return the area whose sub-areas are on the map: the area, or the parent of a leaf."""
    return place.parent if place.is_leaf else place


def go(level: str, region: str) -> None:
    """Select this area for the next run."""
    address.keep(address.view().at(level, region))
    session.forget(Key.ENTER)


def _enter(level: str) -> None:
    if region := session.get(Key.ENTER):
        go(level, region)


def _picked() -> None:
    if points := session.get(Key.ZOOM_MAP).selection.points:
        view = address.view()
        place = Place.of(view, work.one_simulation(view.settings))
        around = _shown(place)
        if around is not None:
            go(place.drawn.levels[around.level + 1], str(points[0]["location"]))
