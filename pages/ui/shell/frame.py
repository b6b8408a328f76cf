"""What is around every page: title, sidebar, and a kind message when something is wrong.

A page must stand without app.py: Streamlit runs it alone on a direct link to a fresh server.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import streamlit as st

from hierdp_core.exceptions import HierdpError
from pages.ui import ICON
from pages.ui.shell import address, session
from pages.ui.shell.address import PageAddress

_LOGO = """<svg xmlns="http://www.w3.org/2000/svg" width="132" height="32" viewBox="0 0 132 32">
<rect x="1" y="4" width="26" height="6" rx="1" fill="#E8C93A"/>
<rect x="1" y="13" width="12" height="6" rx="1" fill="#8A8F98"/>
<rect x="15" y="13" width="12" height="6" rx="1" fill="#8A8F98"/>
<rect x="1" y="22" width="5" height="6" rx="1" fill="#2F6DB5"/>
<rect x="8" y="22" width="5" height="6" rx="1" fill="#2F6DB5"/>
<rect x="15" y="22" width="5" height="6" rx="1" fill="#2F6DB5"/>
<rect x="22" y="22" width="5" height="6" rx="1" fill="#2F6DB5"/>
<text x="37" y="24" font-family="sans-serif" font-size="22" font-weight="700"
 fill="#3D84CC">HierDP</text>
</svg>"""
_STYLE = """<style>
[data-testid="stMainBlockContainer"] {padding-top: 3rem; max-width: 86rem}
[data-testid="stMainBlockContainer"] h1 {font-size: 2rem; padding-bottom: .75rem}
.st-key-ends {margin-top: -1.5rem}
.hierdp-ends {display: flex; justify-content: space-between; gap: .5rem; white-space: nowrap;
 font-size: .8rem; opacity: .7}
.hierdp-colours {display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; font-size: .875rem}
.hierdp-colours span {opacity: .85}
.hierdp-colours i {display: inline-block; width: .75rem; height: .75rem; margin-right: .5rem}
[data-testid="stElementToolbarButton"]:has([aria-label="Download as CSV"]) {display: none}
.hierdp-level {line-height: 1.35}
.hierdp-level b.big {font-size: 2rem; font-weight: 600; line-height: 1.2}
.hierdp-level .quiet {opacity: .72; font-size: .875rem}
</style>"""


@contextmanager
def page(
    title: str, kind: type[PageAddress] | None = None, *, demonstration: bool = True
) -> Iterator[None]:
    """Set the page up; inside, a `HierdpError` becomes a message instead of a traceback.

    Args:
        title: of the page.
        kind: what the page has of its own in the address.
        demonstration: it shows true values, and says so.
    """
    st.set_page_config(page_title=f"{title} · HierDP", page_icon=ICON, layout="wide")
    st.html(_STYLE)
    _sidebar(demonstration=demonstration)
    with kindly():
        address.arrive(title, kind)
        yield


def notice() -> None:
    """Say what went wrong with the link; the place is always there, so that others keep theirs."""
    place = st.empty()
    if text := session.notice():
        place.warning(text, icon=":material/link_off:")


@contextmanager
def kindly() -> Iterator[None]:
    """Show a `HierdpError` as a plain message and go on after it."""
    try:
        yield
    except HierdpError as error:
        st.error(str(error), icon=":material/info:")


def part(function: Callable[..., None], *, every: float | None = None) -> Callable[..., None]:
    """A part of a page that reruns on its own, every so many seconds if told to."""

    @wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> None:
        with kindly():
            function(*args, **kwargs)

    return st.fragment(guarded, run_every=every)


def _sidebar(*, demonstration: bool) -> None:
    st.logo(_LOGO, size="large")
    if not demonstration:
        return
    with st.sidebar:
        st.badge("Demonstration: true values", color="orange", icon=":material/visibility:")
        st.caption(
            "For public or synthetic data, or in a secure environment. Nothing on this screen is "
            "differentially private: it shows true values, and the noise can be reproduced from "
            "the seed. Not for publication."
        )
