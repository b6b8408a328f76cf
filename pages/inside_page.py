"""Inside: the dynamic program step by step, from noise to the choice that comes down."""

import streamlit as st

from pages.ui import frame, inside, parts, state, step_words

with frame.page("Inside"):
    title = st.empty()
    title.title("Inside the optimisation")
    scene = inside.controls()
    title.title(step_words.title(scene.subject))
    state.write_address(scene.view.inside_query())

    inside.note(scene)
    inside.tabs(scene)
    st.divider()
    inside.link(scene)
    parts.how_to_read(scene.sample)
