"""The app, which only lists its pages. Run it with `streamlit run app.py` or `hierdp`."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from hierdp_core.desktop import offered  # noqa: E402
from hierdp_core.readers.limits import PATHS  # noqa: E402
from pages.ui import ICON, SIDEBAR  # noqa: E402


class Page(NamedTuple):
    """A page: its script, its name and group in the navigation, and its place in the address."""

    script: str
    title: str
    group: str
    path: str


# Paths are those of the first version, so that links to it still work.
PAGES = (
    Page("pages/overview_page.py", "Overview", "Understand", "explore"),
    Page("pages/area_page.py", "Area profile", "Understand", "zoom"),
    Page("pages/how_it_works_page.py", "How it works", "Understand", "inside"),
    Page("pages/privacy_page.py", "What ε means", "Understand", "privacy"),
    Page("pages/compare_page.py", "Compare mechanisms", "Decide", "compare"),
    Page("pages/budget_page.py", "Set a budget", "Decide", "plan"),
    Page("pages/impact_page.py", "Impact on decisions", "Decide", "decide"),
    Page("pages/presentation_page.py", "Presentation", "Decide", "present"),
    Page("pages/data_page.py", "Your data", "Data", "data"),
    Page("pages/lessons_page.py", "Lessons", "Teach", "learn"),
)

# Listed only if the app has a ledger, for its owner on this machine: `hierdp --ledger FILE`.
RELEASE = Page("pages/release_page.py", "Release", "Data", "release")
# For readers of a package: an uploaded one, or that of `hierdp --package PACKAGE`.
PACKAGE = Page("pages/package_page.py", "Published release", "Data", "package")
# Listed only with a simulation in parts, for its owner on this machine: `hierdp --result DIR`.
RESULT = Page("pages/result_page.py", "Result in parts", "Understand", "result")


def main() -> None:
    """Show the page that the address names; the first one if it names none."""
    st.set_page_config(
        page_title="HierDP", page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR
    )
    groups: dict[str, list[StreamlitPage]] = {}
    more = ((RELEASE, _may_release), (RESULT, _has_result))
    for page in (*PAGES, PACKAGE, *(page for page, is_there in more if is_there())):
        groups.setdefault(page.group, []).append(
            st.Page(page.script, title=page.title, url_path=page.path, default=page is PAGES[0])
        )
    chosen = st.navigation(groups)
    with st.spinner("Starting…"):  # loads the libraries, once per server
        import pages.ui.shell.frame  # noqa: F401
        from pages.ui.shell import navigation
    navigation.PATHS.update({page.script: page.path for page in PAGES[1:]})
    navigation.PATHS[RESULT.script] = RESULT.path
    navigation.PATHS[PAGES[0].script] = "./"  # the first page has no path of its own
    chosen.run()


def _may_release() -> bool:
    if offered.LEDGER not in os.environ:
        return False
    from pages.ui.release import access

    return access.is_open()


def _has_result() -> bool:
    if offered.RESULT not in os.environ and not os.environ.get(PATHS):
        return False
    from pages.ui.shell.reach import only_here

    return only_here()


if __name__ == "__main__":
    main()
