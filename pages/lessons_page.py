"""Lessons: predict, run, compare."""

import streamlit as st

from pages.ui.lessons import view
from pages.ui.lessons.address import LessonsAddress
from pages.ui.shell import address, frame

with frame.page("Lessons", LessonsAddress):
    st.title("Lessons: predict, run, compare")
    frame.notice()
    here = view.controls()
    address.write(here.to_query())
    view.doing(here)
    view.together(here)
    view.on_paper()
