"""Set a budget: from the accuracy that is needed to the budget and the allocation."""

import streamlit as st

from pages.ui.budget import budget_words, trade_off
from pages.ui.budget import view as planning
from pages.ui.budget.address import BudgetAddress
from pages.ui.shell import address, frame

with frame.page("Set a budget", BudgetAddress):
    title = st.empty()
    title.title(budget_words.title(None, address.view().of(BudgetAddress).ask))
    view, sample = planning.controls()
    title.title(budget_words.title(None, view.of(BudgetAddress).ask))
    address.write(view.of(BudgetAddress).full_query(view))
    planning.answer(view, sample, title)
    if planning.can_plan(view, sample) and view.of(BudgetAddress).ask == "budget":
        trade_off.show(view, sample)
    planning.how_to_read(sample)
