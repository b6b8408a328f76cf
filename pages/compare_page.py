"""Compare mechanisms: budgets and allocations side by side, over many simulations."""

import streamlit as st

from pages.ui.compare import inputs, view
from pages.ui.compare.address import CompareView
from pages.ui.shell import frame

with frame.page("Compare mechanisms", CompareView):
    st.title("Which mechanism is most accurate at each level?")
    grid, sample = inputs.grid()
    view.results(grid, sample)
    view.how_to_read(sample)
