"""The app: names its pages, nothing else. Run it with `streamlit run app.py` or `hierdp`."""

import sys
from pathlib import Path

import streamlit as st

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from pages.ui import ICON  # noqa: E402

st.set_page_config(page_title="HierDP", page_icon=ICON, layout="wide")

PAGES = [
    st.Page("pages/overview_page.py", title="Explore", url_path="explore", default=True),
    st.Page("pages/area_page.py", title="Zoom", url_path="zoom"),
    st.Page("pages/how_it_works_page.py", title="Inside", url_path="inside"),
    st.Page("pages/compare_page.py", title="Compare", url_path="compare"),
    st.Page("pages/budget_page.py", title="Plan", url_path="plan"),
    st.Page("pages/impact_page.py", title="Decide", url_path="decide"),
    st.Page("pages/privacy_page.py", title="Privacy", url_path="privacy"),
    st.Page("pages/data_page.py", title="Your data", url_path="data"),
    st.Page("pages/lessons_page.py", title="Learn", url_path="learn"),
]
page = st.navigation(PAGES)
with st.spinner("Getting ready"):  # the libraries, once a server
    import pages.ui.shell.frame  # noqa: F401
page.run()
