"""Compare: mechanisms, budgets and splits side by side, over many draws."""

import streamlit as st

from pages.ui import compare, compare_inputs, frame

with frame.page("Compare", own_address=True):
    st.title("Which mechanism, for which level?")
    grid, sample = compare_inputs.grid()
    compare.results(grid, sample)
    compare.how_to_read(sample)
