"""Plan: from the accuracy that is needed to the budget and the shares."""

import streamlit as st

from pages.ui.budget import budget_words
from pages.ui.budget import view as planning
from pages.ui.shell import frame, session

with frame.page("Plan"):
    title = st.empty()
    title.title(budget_words.title(None, session.view().aim.ask))
    view, sample = planning.controls()
    title.title(budget_words.title(None, view.aim.ask))
    session.write_address(view.plan_query())
    planning.answer(view, sample, title)
    planning.how_to_read(sample)
