"""The parts of Area profile that only tables of group sizes have."""

from typing import cast

import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.explain import group_sizes
from hierdp_core.explain.group_sizes import Matching
from hierdp_core.figures.program import group_matching
from hierdp_core.tables import GroupSizes
from hierdp_core.util.text import capital, plural
from pages.ui.area.places import Place
from pages.ui.shell import charts, parts, session, tables, widgets, words
from pages.ui.shell import frame as page_frame
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

_CUMULATIVE = "The cumulative counts as a table"
_CONSISTENCY = "Before and after as a table"
NOISY = st.column_config.NumberColumn("Noisy measurement", format="localized")


def cumulative(place: Place) -> None:
    """Show the number of groups of at most each size: true, noisy and released."""
    drawn, table = place.drawn, cast(GroupSizes, place.drawn.sample.table)
    if not table.has_groups:
        return
    noisy = group_sizes.noisy_cumulative(drawn.simulation, place.node)
    true, released = group_sizes.rows_of(table, drawn.simulation, place.node)
    frame = figures.program.running_sums.curves(true, released, noisy)
    st.markdown(f"## {capital(table.group)} of {words.place(place.name)}, cumulative by size")
    st.markdown(
        words.area_line(
            figures.program.running_sums.distance(frame),
            float(frame["true"].iloc[-1]),
            float(frame["released"].iloc[-1]),
            name=place.name,
            group=table.group,
            people=table.people,
        )
    )
    if noisy is None:
        share = drawn.plan.allocation.weights[place.level]
        st.caption(words.no_noisy_curve(place.level_name, share))
    chart = figures.program.running_sums.chart(
        frame, region=words.place(place.name), group=table.group
    )
    charts.show(chart, key="cumulative", table_in=_CUMULATIVE)
    if note := figures.program.running_sums.axis_note(frame):
        st.caption(note)
    with st.expander(_CUMULATIVE):
        tables.grid(
            figures.program.running_sums.table(frame),
            hide_index=True,
            column_config=parts.NUMBERS | {"noisy": NOISY},
        )


def consistency(place: Place) -> None:
    """Show the error of each level before and after the levels were made consistent."""
    if not group_sizes.is_matched(place.drawn.simulation) or len(place.drawn.levels) < 2:
        return
    people = cast(GroupSizes, place.drawn.sample.table).people
    frame = _consistency(place.drawn.digest, place.drawn)
    chart = figures.errors.consistency.chart(frame, unit=people)
    st.markdown(f"## {chart.title}")
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(words.consistency_line(frame, people=people))
        if text := words.unmeasured_line(frame):
            st.caption(text)
    with right:
        charts.show(chart, key="consistency", table_in=_CONSISTENCY)
    with st.expander(_CONSISTENCY):
        table = figures.errors.consistency.table(frame)
        titles = {name: capital(name) for name in table.columns}
        tables.grid(table, hide_index=True, column_config=titles)


@page_frame.part
def matching(place: Place) -> None:
    """Show which groups of an area were matched with which groups of two of its sub-areas."""
    drawn = place.drawn
    above = place.parent if place.is_leaf else place
    if above is None or not group_sizes.is_matched(drawn.simulation):
        return
    table = cast(GroupSizes, drawn.sample.table)
    size_pairs = _matching(drawn.digest, above.node, drawn)
    children = group_sizes.largest_children(drawn.simulation, above.node)
    names = {node: table.regions.names[node] for node in children}
    level = drawn.levels[above.level + 1]
    whose = f"{words.place(above.name)} and its {plural(level)}"
    st.markdown(f"## How the sizes of {whose} were matched")
    st.markdown(words.matching_line(above.name, level, group=table.group))
    columns = st.columns(min(2, len(children)), gap="large")
    nodes: list[int] = []
    for k, column in enumerate(columns):
        defaults = [place.node] if place.is_leaf else []
        defaults += [node for node in children if node not in defaults]
        with column:
            nodes.append(
                widgets.selectbox(
                    capital(level),
                    sorted(children, key=names.__getitem__),
                    format_func=names.__getitem__,
                    key=session.seeded(f"{Key.SIBLING}{place.node}-{k}", defaults[k]),
                )
            )
    pairs = group_sizes.size_pairs(size_pairs, nodes, most_sizes=group_matching.MOST_SIZES)
    axes = group_matching.axes(pairs, nodes)
    for k, (node, sizes, column) in enumerate(zip(nodes, axes, columns, strict=True)):
        with column:
            whole, part = words.place(above.name), words.place(names[node])
            _match(pairs, sizes, whole, part, node, table.group, key=f"match-{k}")
    st.caption(words.left_out_line(pairs, group=table.group))


def _match(
    pairs: pd.DataFrame,
    sizes: list[int],
    above: str,
    below: str,
    node: int,
    group: str,
    *,
    key: str,
) -> None:
    rows = pairs[pairs["child"] == node]
    chart = group_matching.chart(
        rows, sizes, above=above, below=below, group=group, most=group_matching.most_groups(pairs)
    )
    charts.show(
        chart,
        key=key,
        as_table=f"The matching of {below} as a table",
        draw_table=lambda matched: tables.grid(matched, hide_index=True),
    )


@remembered(max_entries=8, show_spinner="Computing the numbers of each level")
def _consistency(digest: str, _drawn: Drawn) -> pd.DataFrame:
    return group_sizes.consistency(_drawn.sample.table, _drawn.simulation)


@remembered(max_entries=16, show_spinner="Matching again")
def _matching(digest: str, node: int, _drawn: Drawn) -> Matching:
    return group_sizes.matching(_drawn.simulation, node)
