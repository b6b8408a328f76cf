"""Plan: from the accuracy that is needed to the budget and the shares."""

import streamlit as st

from pages.ui import frame, plan_words, planning, state

with frame.page("Plan"):
    title = st.empty()
    title.title(plan_words.title(None, state.view().aim.ask))
    view, sample = planning.controls()
    title.title(plan_words.title(None, view.aim.ask))
    state.write_address(view.plan_query())
    planning.answer(view, sample, title)
    planning.how_to_read(sample)
