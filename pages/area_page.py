"""Area profile: one area, the error of its count, its sub-areas, and the way down."""

import streamlit as st

from pages.ui.area import flows, groups, places
from pages.ui.shell import address, frame, in_parts, inputs, parts, work

with frame.page("Area profile") as bar:
    head = st.container()
    view, sample = inputs.view()
    drawn = work.one_simulation(view.settings)
    place = places.Place.of(view, drawn)
    address.write(view.to_query())
    with head:
        above = places.headline(view, place)
    parts.about_pins(bar, view, drawn)

    parts.cautions(drawn)
    parts.status(view, drawn, above)
    places.way(place)
    in_parts.offer(sample, place.level_name, place.id, place.name)
    places.compared(view, place)
    if parts.flows_in(sample.table):
        flows.arcs(place)
        flows.matrix(place)
        flows.false_flows(place)
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
