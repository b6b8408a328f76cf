"""Pieces of HTML for light and for dark pages, without script or style sheet.

Text has the colour of the page. All text in arguments is escaped; parts and content are HTML.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hierdp_core.util.escaping import in_html

_BAR = "#3b82c4"  # at least 3 to 1 against white and against black
_LINE = "rgba(128,128,128,.4)"
_CELL = "padding:.15em .8em .15em 0;text-align:{};vertical-align:top"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A number in a cell of a table, with a bar beside it.

    Attributes:
        text: the number as people read it.
        part: the length of the bar, from 0 to 1.
    """

    text: str
    part: float


Cell = str | Bar


def box(title: str, *parts: str) -> str:
    """Return parts of HTML under a title, in a frame."""
    return (
        f'<div style="border:1px solid {_LINE};border-radius:6px;padding:.6em .9em;'
        f'max-width:46em;font-family:system-ui,sans-serif;line-height:1.4">'
        f'<div style="font-weight:600">{in_html(title)}</div>{"".join(parts)}</div>'
    )


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return pairs of a name and a value as a table without a head."""
    body = "".join(
        f'<tr><th scope="row" style="{_CELL.format("left")};font-weight:normal;opacity:.75">'
        f'{in_html(name)}</th><td style="{_CELL.format("left")}">{in_html(value)}</td></tr>'
        for name, value in rows
    )
    return f'<table style="border-collapse:collapse;margin:.3em 0">{body}</table>' if body else ""


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]], *, caption: str = "") -> str:
    """Return a table; the first column names the rows."""
    caption_tag = f'<caption style="text-align:left;opacity:.75">{in_html(caption)}</caption>'
    columns = "".join(
        f'<th scope="col" style="{_CELL.format("right" if k else "left")}">{in_html(title)}</th>'
        for k, title in enumerate(head)
    )
    body = "".join(
        "<tr>" + "".join(_cell(cell, first=not k) for k, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return (
        '<table style="border-collapse:collapse;margin:.3em 0">'
        f"{caption_tag if caption else ''}<thead><tr>{columns}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def note(text: str) -> str:
    """Return text in small print."""
    return f'<div style="font-size:.85em;opacity:.8">{in_html(text)}</div>' if text else ""


def warning(text: str) -> str:
    """Return a sentence marked by a line at its side, and so not by colour alone."""
    style = "border-left:3px solid #d55e00;padding-left:.5em;margin:.3em 0"
    return f'<div role="note" style="{style}">{in_html(text)}</div>' if text else ""


def details(summary: str, content: str) -> str:
    """Return content that is hidden until the reader opens its summary."""
    return f"<details><summary>{in_html(summary)}</summary>{content}</details>"


def _cell(cell: Cell, *, first: bool) -> str:
    style = _CELL.format("left" if first else "right")
    if isinstance(cell, Bar):
        width = 6 * min(max(cell.part, 0.0), 1.0)
        bar = (
            f'<span aria-hidden="true" style="display:inline-block;height:.7em;width:{width:.2f}em;'
            f'background:{_BAR};margin-left:.5em"></span>'
        )
        style = _CELL.format("left")
        return f'<td style="{style};white-space:nowrap">{in_html(cell.text)}{bar}</td>'
    if first:
        return f'<th scope="row" style="{style};font-weight:normal">{in_html(cell)}</th>'
    return f'<td style="{style}">{in_html(cell)}</td>'
