"""Lessons: predict, run, compare."""

import streamlit as st

from pages.ui.lessons import view
from pages.ui.lessons.address import LessonsAddress
from pages.ui.shell import address, frame

with frame.page("Lessons", LessonsAddress):
    st.title("Lessons: predict, run, compare")
    frame.notice()
    seat = view.controls()
    address.write(seat.to_query())
    view.doing(seat)
    view.together(seat)
    view.on_paper()
