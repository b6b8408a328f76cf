"""Impact on decisions: which decisions change, for whom, and how often."""

import streamlit as st

from pages.ui.impact import view as decide
from pages.ui.impact.address import ImpactAddress
from pages.ui.shell import address, frame, parts, work

with frame.page("Impact on decisions", ImpactAddress) as bar:
    title = st.empty()
    title.title("Impact on decisions")
    view, sample = decide.shared_controls()
    view, question = decide.controls(view, sample)
    address.write(view.of(ImpactAddress).full_query(view))
    drawn = work.one_simulation(view.settings)

    decide.about_pins(bar, view, drawn, question)
    parts.cautions(drawn)
    decide.results(view, drawn, question, title)
    decide.links()
    st.divider()
    parts.privacy(drawn)
    decide.repeat(view, drawn, question)
    decide.how_to_read(sample)
