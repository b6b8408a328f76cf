"""Navigation between pages with one entry in the history of the browser.

`st.switch_page` first removes the parameters from the address of the old page. A page that writes
its address on arrival adds another entry, so one click would take three presses of Back. A script
in the browser acts like a link instead, and adds parameters to an address without a new entry.
Without a browser, as in tests, Streamlit's own functions are used.
"""

from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlencode
from uuid import uuid4

import streamlit as st

from pages.ui.shell import session
from pages.ui.shell.session import Key

PATHS: dict[str, str] = {}  # the path of the address for each page script, filled by app.py

# Acts like Back and Forward in the browser, which Streamlit follows. A command that is sent again,
# because the page is drawn again, is carried out once.
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
    """Open another page with these parameters."""
    path = PATHS.get(script)
    if path is None or not session.in_browser():
        st.switch_page(script, query_params=None if query is None else dict(query))
    _send(f"{path}{_search(query or {})}", leave=True)
    st.stop()


def complete(query: Mapping[str, str]) -> bool:
    """Add parameters to an address without any; return False if that cannot be done."""
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
