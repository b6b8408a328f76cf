"""Privacy: what a budget means for one person, and beside other releases."""

import streamlit as st

from pages.ui import frame, inputs, meaning, state

with frame.page("Privacy"):
    st.title("What does this budget mean?")
    view, sample = inputs.view()
    state.write_address(view.to_query())
    meaning.sections(view.settings, sample)
