"""Explore: what a privacy budget does to the numbers of every level."""

import streamlit as st

from pages.ui.overview import flows, view
from pages.ui.shell import address, frame, inputs, parts, work

with frame.page("Explore"):
    title = st.empty()
    seen, sample = inputs.view()
    drawn = work.one_draw(seen.settings)
    are_flows = parts.flows_in(sample.table)
    title.title(flows.question(drawn) if are_flows else view.question(drawn))
    address.write(seen.to_query())

    parts.cautions(drawn)
    view.levels(seen, drawn, flows.lead if are_flows else None)
    view.all_regions(drawn)
    st.divider()
    worst, privacy = st.columns([3, 2], gap="large")
    with worst:
        view.largest_errors(drawn)
        view.link_to_sizes()
    with privacy:
        parts.privacy(drawn)
    parts.repeat(seen)
    view.take_away(seen, drawn)
    parts.how_to_read_flows(sample)
    parts.how_to_read(sample)
