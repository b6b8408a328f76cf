"""Your data: from a file to a table for the other pages."""

import streamlit as st

from pages.ui.data import columns, upload, view
from pages.ui.shell import frame

with frame.page("Your data"):
    st.title("Your data")
    frame.notice()
    view.loaded()
    view.examples()
    what = view.what_is_it()
    reading = upload.files(what)
    if reading is not None:
        view.report(reading)
        columns.show(reading)
        view.summary(reading, what)
