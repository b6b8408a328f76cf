"""Your data: from a file to a table that every other page takes."""

import streamlit as st

from pages.ui import data, frame

with frame.page("Your data"):
    st.title("Your data")
    data.loaded()
    what = data.what_is_it()
    reading = data.files(what)
    if reading is not None:
        data.report(reading)
        data.columns(reading)
        data.summary(reading, what)
