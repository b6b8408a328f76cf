"""A filter for every text that is sent to the browser.

Streamlit shows most texts as Markdown, and many contain names from files or values from an address.
Only emphasis, lists, headings and code remain Markdown, and not in a visitor's own names.
Links, pictures, formulas and icons in a text are shown as they are written.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
from streamlit import delta_generator

from hierdp_core.util.escaping import FileText, in_figure_json, visible, without_links
from pages.ui.shell import session, terms
from pages.ui.shell.session import Key

# Fields that the browser reads as Markdown, in any element; and elements without Markdown.
_MARKDOWN = ("body", "label", "help", "text", "title", "delta", "delta_description")
_LISTS = ("captions",)
_PLAIN = {"html": ("body",), "code": ("code_text",), "json": ("body",), "exception": ("message",)}
_UNREAD = frozenset({"iframe", "vega_lite_chart"})
_BADGE = re.compile(r":[a-z]+-badge\[(?::material/\w+: )?(?:[^\[\]:]|:(?=\s))*\]")

_KEYS = ("locations", "id", "featureidkey")  # of areas in a figure: matched, never shown

_SEND = "_enqueue_message"


def guard() -> None:
    """Filter every message to a browser from now on."""
    send: Callable[[Any], None] = getattr(delta_generator, _SEND)
    if getattr(send, "guarded", False):
        return

    def guarded(message: Any) -> None:
        _clean(message)
        send(message)

    guarded.guarded = True  # type: ignore[attr-defined]
    setattr(delta_generator, _SEND, guarded)


def file_text() -> FileText | None:
    """Return the strings of the visitor's own data; None if there are none."""
    text: FileText | None = getattr(session.get(Key.OWN), "text", None)
    return text


def _clean(message: Any) -> None:
    if not message.HasField("delta"):
        return
    kind = message.delta.WhichOneof("type")
    if kind == "new_element":
        element = message.delta.new_element
    elif kind == "add_block":
        element = message.delta.add_block
    else:
        return
    name = element.WhichOneof("type")
    if name is None or name in _UNREAD:
        return
    part = getattr(element, name)
    if name in _PLAIN:
        for field in _PLAIN[name]:
            setattr(part, field, visible(getattr(part, field)))
    elif name == "plotly_chart":
        part.spec = _figure(part.spec)
    elif name == "text":
        part.body = visible(part.body)
        _replace(part, ("help",))
    else:
        _replace(part, _MARKDOWN)


def _replace(part: Any, names: tuple[str, ...]) -> None:
    fields = part.DESCRIPTOR.fields_by_name
    for name in names:
        if name in fields and (text := getattr(part, name)):
            setattr(part, name, markdown(text))
            if name != "help":
                terms.note(text)
    for name in _LISTS:
        if name in fields:
            texts = [markdown(text) for text in getattr(part, name)]
            getattr(part, name)[:] = texts


def markdown(text: str) -> str:
    """Return the Markdown that is sent for `text`."""
    if _BADGE.fullmatch(text):
        return text
    names = file_text()
    return without_links(names.in_markdown(text) if names else text)


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table for `st.table`, which reads its cells and headings as Markdown."""
    return frame.map(_cell).rename(columns=_cell)


def _cell(value: Any) -> Any:
    return markdown(value) if isinstance(value, str) else value


def _figure(spec: str) -> str:
    names = file_text()
    if names and names.tagged:
        spec = json.dumps(_cleaned(json.loads(spec), names))
    return in_figure_json(spec)


def _cleaned(value: Any, names: FileText) -> Any:
    if isinstance(value, str):
        return names.in_plotly(value)
    if isinstance(value, list):
        return [_cleaned(part, names) for part in value]
    if isinstance(value, dict):
        return {key: part if key in _KEYS else _cleaned(part, names) for key, part in value.items()}
    return value
