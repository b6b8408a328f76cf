"""Inside: the dynamic program step by step, from noise to the choice that comes down."""

import streamlit as st

from pages.ui.how_it_works import step_words, view
from pages.ui.shell import frame, parts, session

with frame.page("Inside"):
    title = st.empty()
    title.title("Inside the optimisation")
    scene = view.controls()
    title.title(step_words.title(scene.subject))
    session.write_address(scene.view.inside_query())

    view.note(scene)
    view.tabs(scene)
    st.divider()
    view.link(scene)
    parts.how_to_read(scene.sample)
