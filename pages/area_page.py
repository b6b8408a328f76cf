"""Zoom: one place in one draw, its parts, and the way down to the smallest."""

import streamlit as st

from pages.ui.area import flows, groups, places
from pages.ui.shell import address, announcer, frame, inputs, parts, work

with frame.page("Area profile"):
    search = st.container()
    title = st.empty()
    title.title("Area profile")
    view, sample = inputs.view()
    drawn = work.one_draw(view.settings)
    place = places.Place.of(view, drawn)
    with search:
        parts.find(drawn)
    title.title(parts.place_title(place.name, drawn))
    parts.badge(sample)
    address.write(view.to_query())
    announcer.announce(parts.place_title(place.name, drawn))

    parts.cautions(drawn)
    places.way(place)
    places.numbers(place)
    if parts.flows_in(sample.table):
        flows.arcs(place)
        flows.matrix(place)
        flows.invented(place)
    places.parts_map(place)
    places.levels_below(place)
    places.sizes(place)
    groups.cumulative(place)
    groups.consistency(place)
    groups.matching(place)
    st.divider()
    parts.privacy(drawn)
    parts.repeat(view)
    parts.how_to_read_flows(sample)
    parts.how_to_read(sample)
