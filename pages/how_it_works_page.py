"""How it works: the dynamic program step by step, from noisy counts to the solution."""

import streamlit as st

from pages.ui.how_it_works import step_words, view
from pages.ui.how_it_works.address import HowItWorksAddress
from pages.ui.how_it_works.controls import controls
from pages.ui.shell import address, announcer, frame, parts

with frame.page("How it works", HowItWorksAddress):
    title = st.empty()
    title.title("Inside the optimisation")
    scene = controls()
    title.title(step_words.title(scene.subject))
    address.write(scene.here.full_query(scene.view))

    announcer.announce(view.announcement(scene))
    view.note(scene)
    view.tabs(scene)
    st.divider()
    view.link(scene)
    st.caption(parts.source(scene.sample))
    parts.how_to_read(scene.sample, step_words.HOW_TO_READ)
