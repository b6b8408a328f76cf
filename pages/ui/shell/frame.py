"""The frame of every page: title, sidebar, and a plain message after an error.

A page must work without app.py, because Streamlit runs only the page on a direct link to a new
server.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import streamlit as st

from hierdp_core.exceptions import HierdpError
from hierdp_core.figures.style import GROUND, SMALL_PRINT
from hierdp_core.util.escaping import in_markdown
from pages.ui import ICON, SIDEBAR
from pages.ui.shell import (
    address,
    handed_over,
    markup,
    navigation,
    open_as_notebook,
    pin_bar,
    session,
    terms,
    turns,
)
from pages.ui.shell.address import PageAddress
from pages.ui.shell.pin_bar import PinBar
from pages.ui.shell.session import Key

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
# Styles for which .streamlit/config.toml has no setting.
_STYLE = f"""<style>
[data-testid="stApp"] {{--small-print: light-dark({SMALL_PRINT["light"]}, {SMALL_PRINT["dark"]})}}
[data-testid="stMainBlockContainer"] {{padding-top: 3rem; max-width: 86rem}}
@media (min-width: 641px) {{
 [data-testid="stMainBlockContainer"] {{padding-left: 2.5rem; padding-right: 2.5rem}}
}}
[data-testid="stMainBlockContainer"] h1 {{padding: .25rem 0 .625rem; text-wrap: pretty}}
[data-testid="stMainBlockContainer"] > div > [data-testid="stVerticalBlock"],
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] {{gap: .75rem}}
[data-testid="stMainBlockContainer"] :is(h2, h3) {{padding: .25rem 0 .375rem}}
:is(.st-key-announced, .st-key-script-place) {{position: absolute; width: 1px; height: 0;
 overflow: hidden}}
[class*="st-key-warned"] h1 {{color: light-dark(#b00020, #ff9d94)}}
.st-key-ends {{margin-top: -1.5rem}}
.st-key-more {{padding-top: 1.75rem}}
.st-key-more button {{white-space: nowrap}}
.hierdp-ends {{display: flex; justify-content: space-between; gap: .5rem; white-space: nowrap;
 font-size: .8rem; color: var(--small-print)}}
.hierdp-colours {{display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; font-size: .875rem}}
.hierdp-colours i {{display: inline-block; width: .75rem; height: .75rem; margin-right: .5rem}}
[data-testid="stElementToolbarButton"]:has([aria-label="Download as CSV"]) {{display: none}}
[class*="st-key-hierdp-pin-"] {{border-left: 3px solid var(--st-primary-color, #0b5fa5);
 padding-left: .75rem}}
.hierdp-level {{line-height: 1.35}}
.hierdp-level b.big {{font-size: 2rem; font-weight: 600; line-height: 1.2}}
.hierdp-level .quiet {{color: var(--small-print); font-size: .875rem}}
/* Small print is faded to 4.15:1 by default, which is too little. */
[data-testid="stCaptionContainer"] {{color: var(--small-print); opacity: 1}}
/* Where the bar over the page lies on it, controls take two lines. */
@media (max-width: 900px) {{
 [data-testid="stMainBlockContainer"] {{padding-top: 4rem}}
 .st-key-controls [data-testid="stHorizontalBlock"] {{flex-wrap: wrap; gap: .5rem 1rem}}
 .st-key-controls [data-testid="stColumn"] {{min-width: calc(50% - 1rem)}}
 .st-key-controls [data-testid="stColumn"]:nth-child(4) {{min-width: 18%}}
 .st-key-controls [data-testid="stColumn"]:nth-child(5) {{min-width: 7rem}}
}}
/* On a phone small controls share a line, so that the first picture is near the top. */
@media (max-width: 640px) {{
 [data-testid="stMainBlockContainer"] h1 {{font-size: 1.625rem}}
 [data-testid="stMainBlockContainer"] [data-testid="stHorizontalBlock"] {{gap: .5rem 1rem}}
 [data-testid="stColumn"]:not(:has([data-testid="stElementContainer"], button)) {{display: none}}
 .st-key-controls [data-testid="stColumn"] {{min-width: 100%}}
 .st-key-controls [data-testid="stColumn"]:nth-child(3) {{min-width: 44%}}
 .st-key-controls [data-testid="stColumn"]:nth-child(5) {{min-width: 6.5rem}}
 .hierdp-ends {{font-size: .7rem}}
 .st-key-controls [data-testid="stNumberInput"] button {{display: none}}
 [class*="st-key-pairs"] [data-testid="stColumn"] {{min-width: calc(50% - .5rem)}}
 .st-key-pairs-status [data-testid="stColumn"] {{flex-basis: calc(50% - .5rem)}}
 .st-key-pairs-status p {{line-height: 1.3}}
}}
/* White on the light blue of the dark theme is 2.2:1. */
[data-testid="stBaseButton-primary"]:enabled,
[data-testid="stMultiSelectTagsContainer"] [data-tag] {{
 color: light-dark({GROUND["light"]}, {GROUND["dark"]})}}
/* Targets of at least 24 pixels, without moving what is around them. */
[data-testid="stTooltipHoverTarget"] button[aria-label^="Help"] {{padding: 4px; margin: -4px;
 box-sizing: content-box}}
[data-testid="stMultiSelectTagsContainer"] button {{min-width: 24px; min-height: 24px}}
[data-testid="stMultiSelect"] button {{min-height: 24px}}
.js-plotly-plot .modebar-btn {{height: 24px}}
/* Streamlit says only to screen readers what is wrong with a number. It stands under the box, which
may be narrow and hides what is wider. */
[data-testid="stNumberInput"] [role="alert"] {{position: absolute; top: 100%; left: 0; z-index: 10;
 width: max-content; max-width: 17rem; height: auto; margin: .25rem 0 0; padding: .25rem .5rem;
 overflow: visible; clip: auto; clip-path: none; white-space: normal; display: block;
 font-size: .875rem; color: light-dark(#a6201c, #ff9d94); border: 1px solid; border-radius: .25rem;
 background: light-dark({GROUND["light"]}, {GROUND["dark"]})}}
[class*="{session.TURN}"][data-stale="false"] +
 [class*="st-key-{session.WIDGETS}"][data-stale="true"] {{display: none}}
[class*="st-key-{Key.SIZE_BOX}"] [role="alert"] {{left: auto !important; right: 0}}
</style>"""


markup.guard()


@contextmanager
def page(
    title: str, kind: type[PageAddress] | None = None, *, demonstration: bool = True
) -> Iterator[PinBar]:
    """Set up the page; in the block, a `HierdpError` becomes a message instead of a traceback.

    Yields the bar of pinned areas, to which the page can add sentences.

    Args:
        title: the title of the page.
        kind: the type of the page's own parameters in the address, if it has any.
        demonstration: whether the page shows true values, which the sidebar then states.
    """
    changed = session.get(Key.PAGE) != title
    with turns.opening(drawing=turns.DRAWING if changed else 0.0):
        st.set_page_config(
            page_title=f"{title} · HierDP",
            page_icon=ICON,
            layout="wide",
            initial_sidebar_state=SIDEBAR,
        )
        st.html(_STYLE)
        navigation.prepare()
        _sidebar(demonstration=demonstration)
        bar: PinBar | None = None
        if demonstration:
            with kindly():
                handed_over.take()
        with kindly():
            address.arrive(title, kind)
            bar = pin_bar.show() if demonstration else PinBar()
        if bar is None:
            st.stop()
        with kindly():
            with terms.explained():
                yield bar
            if demonstration:
                open_as_notebook.offer(title, kind)


def notice() -> None:
    """Show the error of the link; the place is always reserved, so that nothing else moves."""
    place = st.empty()
    if text := session.notice():
        place.warning(in_markdown(text), icon=":material/link_off:")


@contextmanager
def kindly() -> Iterator[None]:
    """Show a `HierdpError` of the block as a plain message, and continue after the block."""
    try:
        yield
    except HierdpError as error:
        st.error(in_markdown(str(error)), icon=":material/info:")


def part(function: Callable[..., None], *, every: float | None = None) -> Callable[..., None]:
    """Return a part of a page that reruns on its own, and every `every` seconds if given."""

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
            "Use this app for public or synthetic data, or in a secure environment. Nothing on "
            "this screen is differentially private: it shows true values, and the noise can be "
            "reproduced from the seed. Do not publish it."
        )
