"""Ways from page to page that leave one entry in the history of the browser.

`st.switch_page` first empties the address of the page that is left and only then goes on, and a
page that writes its address on arrival adds another entry: one click would take three presses of
Back. A script in the browser goes the way of a link instead, and completes an address in place.
Without a browser, as in tests, Streamlit's own functions are used.
"""

from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlencode
from uuid import uuid4

import streamlit as st

from pages.ui.shell import session
from pages.ui.shell.session import Key

PATHS: dict[str, str] = {}  # of the scripts of pages; app.py names them

# What the browser does on Back and Forward, which Streamlit follows. A command that is sent again,
# because the page is drawn again, is followed once.
_SCRIPT = """let last = "";
export default function ({data}) {
  if (!data || data.command === last) return;
  last = data.command;
  if (data.open) {
    history.pushState(null, "", data.address);
    dispatchEvent(new PopStateEvent("popstate"));
  } else if (!location.search) {
    history.replaceState(history.state, "", data.address);
  }
}"""
_in_the_browser = st.components.v2.component("hierdp_navigation", html="<p></p>", js=_SCRIPT)


def prepare() -> None:
    """Reserve the place of scripts on a page, before anything else is on it."""
    session.put(Key.SCRIPT, st.container(key=Key.SCRIPT_PLACE))


def to(script: str, query: Mapping[str, str] | None = None) -> NoReturn:
    """Leave for another page, at an address of it."""
    path = PATHS.get(script)
    if path is None or not session.in_browser():
        st.switch_page(script, query_params=None if query is None else dict(query))
    _send(f"{path}{_search(query or {})}", leave=True)
    st.stop()


def complete(query: Mapping[str, str]) -> bool:
    """Add words to an address that has none, in place; False where that cannot be done."""
    if not session.in_browser() or not query:
        return False
    _send(_search(query), leave=False)
    return True


def _send(address: str, *, leave: bool) -> None:
    place: Any = session.get(Key.SCRIPT)
    with place:
        _in_the_browser(
            key=f"{Key.SCRIPT}-{'open' if leave else 'complete'}",
            data={"command": uuid4().hex, "open": leave, "address": address},
            height=1,
        )


def _search(query: Mapping[str, str]) -> str:
    return f"?{urlencode(query)}" if query else ""
