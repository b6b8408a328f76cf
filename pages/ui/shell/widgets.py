"""Widgets that show the value of the session, whatever the browser remembers.

Streamlit sends the value that a program gives to a widget once. A browser that shows the widget
later, or again after an interrupted run, would show its own default and send that back with the
next click. Here the default is always the value of the session. All widgets have keys, so a changed
default makes no new widget; `session.identity` determines when there is a new one.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.shell import session

T = TypeVar("T")


def number_input(label: str, *, key: str, **how: Any) -> Any:
    """Show a number input and return its number, of the same type as in the session."""
    return st.number_input(label, value=session.get(key), key=session.identity(key), **how)


def text_input(label: str, *, key: str, **how: Any) -> str:
    """Show a line of text and return it."""
    return str(st.text_input(label, value=session.get(key) or "", key=session.identity(key), **how))


def text_area(label: str, *, key: str, **how: Any) -> str:
    """Show lines of text and return them."""
    return str(st.text_area(label, value=session.get(key) or "", key=session.identity(key), **how))


def toggle(label: str, *, key: str, **how: Any) -> bool:
    """Show a switch and return whether it is on."""
    return st.toggle(label, value=bool(session.get(key)), key=session.identity(key), **how)


def slider(label: str, least: int, most: int, *, key: str, **how: Any) -> int:
    """Show a slider over whole numbers and return the chosen one."""
    return int(
        st.slider(label, least, most, value=session.get(key), key=session.identity(key), **how)
    )


def select_slider(label: str, options: Sequence[T], *, key: str, **how: Any) -> T:
    """Show a slider over options and return the chosen one."""
    chosen: T = st.select_slider(
        label, options, value=session.get(key), key=session.identity(key), **how
    )
    return chosen


def selectbox(label: str, options: Sequence[T], *, key: str, **how: Any) -> T:
    """Show a list and return the chosen option; the first if the session has none of them."""
    kept, listed = session.get(key), list(options)
    index = listed.index(kept) if kept in listed else 0
    chosen: T = st.selectbox(label, listed, index=index, key=session.identity(key), **how)
    return chosen


def segmented_control(label: str, options: Sequence[T], *, key: str, **how: Any) -> T | None:
    """Show options beside each other and return the chosen one, or None."""
    chosen: T | None = st.segmented_control(
        label, options, default=_one_of(options, session.get(key)), key=session.identity(key), **how
    )
    return chosen


def pills(label: str, options: Sequence[T], *, key: str, **how: Any) -> Any:
    """Show options as pills and return the chosen one, or all of them for a multiple choice."""
    kept = session.get(key)
    several = how.get("selection_mode") == "multi"
    default = _those_of(options, kept) if several else _one_of(options, kept)
    return st.pills(label, options, default=default, key=session.identity(key), **how)


def multiselect(label: str, options: Sequence[T], *, key: str, **how: Any) -> list[T]:
    """Show a list and return the chosen options."""
    default = _those_of(options, session.get(key))
    chosen: list[T] = st.multiselect(
        label, options, default=default, key=session.identity(key), **how
    )
    return chosen


def _one_of(options: Sequence[T], choice: Any) -> T | None:
    return next((option for option in options if option == choice), None)


def _those_of(options: Sequence[T], choices: Sequence[Any] | None) -> list[T]:
    return [option for option in options if option in (choices or ())]


def opened_tab(
    titles: Sequence[str], *, shown: str, key: str, on_change: Callable[[], None]
) -> DeltaGenerator:
    """Show tabs of which `shown` is open, and return the container of that tab.

    `on_change` runs after another tab was opened. Its title is then in the session. A default of
    Streamlit is part of the identity of its tabs, so it is not used for the open tab.
    """
    session.put(key, shown)
    opened = st.tabs(titles, key=session.identity(key), on_change=on_change)
    return opened[list(titles).index(shown)]
