"""Announcements of what has changed on the page, for people who use a screen reader.

A screen reader speaks the text of a live region when the text changes, but only if the region
existed before. Streamlit replaces its elements, so the region is a component that stays in place.
"""

import streamlit as st

from pages.ui.shell.session import Key

_MARKUP = '<p role="status" aria-live="polite"></p>'
# Hidden from view but available to screen readers, which skip what has `display: none`.
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
    """Have a screen reader speak `text`, if it differs from the previous one.

    Args:
        text: the main result of the page and how complete it is, in one or two sentences.
            Asterisks, which Markdown uses for bold, are removed.
    """
    _region(key=Key.ANNOUNCED, data=text.replace("*", ""), height=1)
