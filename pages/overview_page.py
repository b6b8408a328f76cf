"""Overview: the effect of a privacy-loss budget on the counts of every level."""

import streamlit as st

from pages.ui.overview import flows, view
from pages.ui.shell import address, frame, in_parts, inputs, parts, work

with frame.page("Overview") as bar:
    head = st.container()
    seen, sample = inputs.view()
    drawn = work.one_simulation(seen.settings)
    address.write(seen.at_root().to_query())
    special = flows if parts.flows_in(sample.table) else None
    finding = special.finding if special else view.finding
    with head:
        above = view.headline(seen, drawn, finding)

    parts.about_pins(bar, seen, drawn)
    parts.cautions(drawn)
    view.maps(seen, drawn, above, special.lead if special else None, finding)
    view.all_regions(drawn)
    in_parts.offer_all(sample)
    view.more(seen, drawn)
    view.take_away(seen, drawn)
    parts.how_to_read_flows(sample)
    parts.how_to_read(sample)
