"""The pieces of Area profile: where one stands, the way there, and what lies within."""

from dataclasses import dataclass
from functools import partial
from typing import cast

import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.explain import group_sizes
from hierdp_core.figures.maps import region_table
from hierdp_core.tables import GroupSizes
from hierdp_core.util.text import capital, percent, signed, whole
from pages.ui.shell import address, charts, geometry, parts, session, words, work
from pages.ui.shell.address import View
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

TABLE_HEIGHT = 400
ROWS_IN_SIGHT = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Place:
    """A region in one draw.

    Attributes:
        drawn: the draw.
        node: the region's number in the hierarchy.
    """

    drawn: Drawn
    node: int

    @classmethod
    def of(cls, view: View, drawn: Drawn) -> "Place":
        """Where the view stands; the root if it does not say."""
        named = drawn.sample.table.regions
        if view.level is None or view.region is None:
            return cls(drawn=drawn, node=0)
        return cls(drawn=drawn, node=named.node(view.region, named.level_index(view.level)))

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
        """From the root down to here."""
        return [*(self.parent.trail if self.parent else []), self]

    def within(self, wanted: int) -> pd.DataFrame:
        """The regions of a lower level that lie in this one."""
        return region_table.within(
            self.drawn.regions, self.drawn.levels, self.level, self.id, wanted=wanted
        )


def way(place: Place) -> None:
    """The way here as buttons, and a box to go on: all of it works from the keyboard."""
    steps, box = st.columns([3, 2], vertical_alignment="bottom", gap="large")
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
            f"Go to {words.a(level)}",
            sorted(names, key=names.__getitem__),
            format_func=names.__getitem__,
            index=None,
            key=Key.ENTER,
            on_change=_enter,
            args=(level,),
            placeholder=f"{words.counted(len(names), level)} in {words.place(around.name)}",
        )


def numbers(place: Place) -> None:
    """True, released and error of the place itself."""
    row, unit = place.row, place.drawn.quantity.title
    st.markdown(
        words.region_line(place.name, row["true"], row["released"], row["rel_error"], unit=unit)
    )
    with st.container(horizontal=True, gap="large"):
        st.metric("True", whole(row["true"]), width="content")
        st.metric("Released", whole(row["released"]), width="content")
        st.metric("Error", signed(row["error"]), width="content")
        st.metric("Relative error", percent(row["rel_error"]), width="content")


def parts_map(place: Place) -> None:
    """The regions one level down, or around a place of the last level: map and table."""
    around = _shown(place)
    if around is None:
        return
    below = around.level + 1
    drawn, level = place.drawn, place.drawn.levels[below]
    rows, unit = around.within(below), place.drawn.quantity.title
    box = drawn.sample.boundaries.box_of(around.level, around.id)
    title = f"{words.counted(len(rows), level)} of {words.place(around.name)}"
    st.markdown(f"## {capital(title)}")
    left, right = st.columns([1, 1], gap="large")
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
        )
        charts.show(
            chart,
            key=Key.ZOOM_MAP,
            table_in=capital(title),
            on_select=_picked,
            selection_mode="points",
        )
    if chart.table is not None:
        with right:
            long = len(rows) > ROWS_IN_SIGHT
            parts.region_table(
                chart.table, level, height=TABLE_HEIGHT if long else "auto", beside_map=True
            )
    parts.legend(drawn)
    st.caption(
        f"{capital(unit)} in one simulated release (seed {drawn.simulation.seed}). "
        f"{words.NOT_PRIVATE} {parts.source(drawn.sample)}"
    )


def levels_below(place: Place) -> None:
    """The same ground at every level from here down, when there is more than one."""
    drawn = place.drawn
    shown = range(place.level, len(drawn.levels))
    if len(shown) < 3:
        return
    st.markdown(f"## {capital(words.place(place.name))} at every level")
    box = drawn.sample.boundaries.box_of(place.level, place.id)
    for k, column in zip(shown, st.columns(len(shown), gap="medium"), strict=True):
        rows, level = place.within(k), drawn.levels[k]
        title = words.level_title(len(rows), level)
        with column:
            relative = percent(float(rows["rel_error"].median()))
            st.markdown(f"**{title}**  \n{'median ' if len(rows) > 1 else ''}error {relative}")
            chart = figures.maps.error_map.chart(
                rows,
                geometry.within(drawn.sample, k, place.level, place.id),
                title=title,
                box=box,
                unit=drawn.quantity.title,
                height=figures.maps.error_map.height_for(box, parts.WIDTH / len(shown)),
                theme=charts.theme(),
            )
            charts.show(
                chart,
                key=f"level-{k}",
                draw_table=partial(parts.region_table, level=level),
            )


def sizes(place: Place) -> None:
    """For group sizes: how many groups of each size this place has."""
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
            region=place.name,
            group=table.group,
        ),
        key="sizes",
        heading=True,
        as_table="The sizes as a table",
        draw_table=lambda sizes: st.dataframe(sizes, hide_index=True, column_config=parts.NUMBERS),
    )


def _shown(place: Place) -> Place | None:
    """The place whose parts are on the map: itself, or what a leaf lies in."""
    return place.parent if place.is_leaf else place


def go(level: str, region: str) -> None:
    """Stand at this region from the next run on."""
    address.keep(address.view().at(level, region))
    session.forget(Key.ENTER)


def _enter(level: str) -> None:
    if region := session.get(Key.ENTER):
        go(level, region)


def _picked() -> None:
    if points := session.get(Key.ZOOM_MAP).selection.points:
        view = address.view()
        place = Place.of(view, work.one_draw(view.settings))
        around = _shown(place)
        if around is not None:
            go(place.drawn.levels[around.level + 1], str(points[0]["location"]))
