"""Ways from page to page that leave one entry in the history of the browser.

`st.switch_page` first empties the address of the page that is left and only then goes on, and a
page that writes its address on arrival adds another entry: one click would take three presses of
Back. A script in the browser goes the way of a link instead, and completes an address in place.
Without a browser, as in tests, Streamlit's own functions are used.
"""

import json
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlencode

import streamlit as st

from pages.ui.shell import session
from pages.ui.shell.session import Key

PATHS: dict[str, str] = {}  # of the scripts of pages; app.py names them

# What the browser does on Back and Forward, which Streamlit follows.
_OPEN = "history.pushState(null,'',{});dispatchEvent(new PopStateEvent('popstate'))"
_COMPLETE = "if(!location.search)history.replaceState(history.state,'',{})"


def prepare() -> None:
    """Reserve the place of scripts on a page, before anything else is on it."""
    session.put(Key.SCRIPT, st.empty())


def to(script: str, query: Mapping[str, str] | None = None) -> NoReturn:
    """Leave for another page, at an address of it."""
    path = PATHS.get(script)
    if path is None or not in_browser():
        st.switch_page(script, query_params=None if query is None else dict(query))
    _run(_OPEN, f"{path}{_search(query or {})}")
    st.stop()


def complete(query: Mapping[str, str]) -> bool:
    """Add words to an address that has none, in place; False where that cannot be done."""
    if not in_browser() or not query:
        return False
    _run(_COMPLETE, _search(query))
    return True


def _run(script: str, address: str) -> None:
    place: Any = session.get(Key.SCRIPT)
    # Quoted for JavaScript; urlencode leaves nothing that could end the element.
    body = f"<script>{script.format(json.dumps(address))}</script>"
    place.html(body, unsafe_allow_javascript=True)


def _search(query: Mapping[str, str]) -> str:
    return f"?{urlencode(query)}" if query else ""


def in_browser() -> bool:
    """Whether a browser shows the page, rather than a test."""
    return bool(st.context.url)
