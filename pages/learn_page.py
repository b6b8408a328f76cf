"""Learn: lessons to do, not to read."""

import streamlit as st

from pages.ui import frame, learn, state

with frame.page("Learn"):
    st.title("Learn by doing: predict, run, look")
    seat = learn.controls()
    state.write_address(seat.to_query())
    learn.doing(seat)
    learn.together(seat)
    learn.on_paper()
