"""What has changed on the page, for people who do not see it.

A screen reader speaks the text of a live region when it changes, and only if the region itself was
there before. Streamlit draws its elements anew, so the region is a component that stays.
"""

import streamlit as st

from pages.ui.shell.session import Key

_MARKUP = '<p role="status" aria-live="polite"></p>'
# Out of sight, yet there for a screen reader: `display: none` would silence it.
_STYLE = """p {position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
 clip-path: inset(50%); white-space: nowrap}"""
_SCRIPT = """export default function ({data, parentElement}) {
  const region = parentElement.querySelector('[role="status"]');
  if (region && region.textContent !== data) region.textContent = data;
}"""

_region = st.components.v2.component(
    "hierdp_announcer", html=_MARKUP, css=_STYLE, js=_SCRIPT, isolate_styles=True
)


def announce(text: str) -> None:
    """Have `text` spoken where a screen reader is on, if it differs from the last.

    Args:
        text: the finding of the page and how far it is, in one or two sentences; **stars** go.
    """
    _region(key=Key.ANNOUNCED, data=text.replace("*", ""), height=1)
