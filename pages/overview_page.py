"""Explore: what a privacy budget does to the numbers of every level."""

import streamlit as st

from pages.ui.area import flows
from pages.ui.impact import view as decide
from pages.ui.shell import frame, inputs, parts, session, work

with frame.page("Explore"):
    title = st.empty()
    view, sample = inputs.view()
    drawn = work.one_draw(view.settings)
    are_flows = flows.are_in(sample.table)
    title.title(flows.question(drawn) if are_flows else parts.question(drawn))
    session.write_address(view.to_query())

    parts.cautions(drawn)
    parts.levels(view, drawn, flows.lead if are_flows else None)
    parts.all_regions(drawn)
    st.divider()
    worst, privacy = st.columns([3, 2], gap="large")
    with worst:
        parts.largest_errors(drawn)
        decide.link_to_sizes()
    with privacy:
        parts.privacy(drawn)
    parts.repeat(view)
    parts.take_away(view, drawn)
    flows.how_to_read(sample)
    parts.how_to_read(sample)
