"""The app: names its pages, nothing else. Run it with `streamlit run app.py` or `hierdp`."""

import sys
from pathlib import Path
from typing import NamedTuple

import streamlit as st

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from pages.ui import ICON  # noqa: E402


class Page(NamedTuple):
    """A page: its script, its name in the navigation, and its place in the address."""

    script: str
    title: str
    path: str


PAGES = (
    Page("pages/overview_page.py", "Explore", "explore"),
    Page("pages/area_page.py", "Zoom", "zoom"),
    Page("pages/how_it_works_page.py", "Inside", "inside"),
    Page("pages/compare_page.py", "Compare", "compare"),
    Page("pages/budget_page.py", "Plan", "plan"),
    Page("pages/impact_page.py", "Decide", "decide"),
    Page("pages/privacy_page.py", "Privacy", "privacy"),
    Page("pages/data_page.py", "Your data", "data"),
    Page("pages/lessons_page.py", "Learn", "learn"),
)


def main() -> None:
    """Show the page that the address names; the first one if it names none."""
    st.set_page_config(page_title="HierDP", page_icon=ICON, layout="wide")
    page = st.navigation(
        [
            st.Page(page.script, title=page.title, url_path=page.path, default=page is PAGES[0])
            for page in PAGES
        ]
    )
    with st.spinner("Getting ready"):  # the libraries, once a server
        import pages.ui.shell.frame  # noqa: F401
    page.run()


if __name__ == "__main__":
    main()
