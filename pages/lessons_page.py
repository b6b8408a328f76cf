"""Learn: lessons to do, not to read."""

import streamlit as st

from pages.ui.lessons import view
from pages.ui.shell import frame, session

with frame.page("Learn"):
    st.title("Learn by doing: predict, run, look")
    seat = view.controls()
    session.write_address(seat.to_query())
    view.doing(seat)
    view.together(seat)
    view.on_paper()
