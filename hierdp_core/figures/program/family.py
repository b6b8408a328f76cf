"""A family of the tree: a region, the region above it and its children, with their numbers.

A few children are boxes side by side. Many are a grid of cells, coloured by how far they were
moved, whose names are shown under the pointer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.style import BLUE, GREY, VERMILION, bare
from hierdp_core.util.text import counted, listing, paragraph, signed, whole

_SIDE_BY_SIDE = 4
_NAMED = 24
_TOLD = 8  # children that the alternative text names
_COUNTED = 90
_LONGEST_NAME, _LONGEST_NUMBER = 15, 7
_ROW = 92  # pixels from one level to the next
_LIT = "rgba(0,114,178,0.16)"


@dataclass(frozen=True, kw_only=True)
class Box:
    """A region in the picture.

    Attributes:
        name: the name to show.
        noisy: the noisy value; None if its level was not measured.
        chosen: the chosen value; None if it is not known yet.
        lit: whether the current step is about this region.
        marked: whether the region is selected.
    """

    name: str
    noisy: int | None
    chosen: int | None = None
    lit: bool = False
    marked: bool = False

    @property
    def words(self) -> str:
        """The noisy value and the chosen one, if it is known, with tags for bold text."""
        noisy = "not measured" if self.noisy is None else f"noisy {whole(self.noisy)}"
        return noisy if self.chosen is None else f"{noisy} → <b>{whole(self.chosen)}</b>"

    @property
    def plain(self) -> str:
        """`words` without the tags for bold text."""
        return self.words.replace("<b>", "").replace("</b>", "")

    @property
    def stacked(self) -> str:
        """The numbers alone, one below the other, for a narrow box."""
        noisy = "–" if self.noisy is None else whole(self.noisy)
        return noisy if self.chosen is None else f"{noisy}<br>→ <b>{whole(self.chosen)}</b>"

    @property
    def moved(self) -> int:
        """The chosen value minus the noisy one; 0 if either is missing."""
        return 0 if self.chosen is None or self.noisy is None else self.chosen - self.noisy


def family(above: Box | None, head: Box, parts: Sequence[Box]) -> go.Figure:
    """Draw the tree around `head`.

    Args:
        above: the region above it, if any.
        head: the region.
        parts: its children, in order.
    """
    figure = go.Figure()
    top = 0.0  # pixels from the top; y is drawn downwards
    if above is not None:
        _box(figure, above, 50, top, width=44)
        _edge(figure, 50, top + 52, 50, top + _ROW)
        top += _ROW
    _box(figure, head, 50, top, width=44)
    top += _ROW + (16 if parts else 0)
    if not parts:
        bottom = top - _ROW + 56
    elif len(parts) <= _SIDE_BY_SIDE:
        width = 100 / len(parts)
        for k, part in enumerate(parts):
            middle = width * (k + 0.5)
            _edge(figure, 50, top - _ROW - 16 + 52, middle, top)
            _box(figure, part, middle, top, width=min(44, 0.92 * width))
        bottom = top + 56
    else:
        _edge(figure, 50, top - _ROW - 16 + 52, 50, top - 6)
        bottom = _grid(figure, parts, top)
    bare(figure, height=round(bottom) + 4)
    figure.update_layout(showlegend=False, hovermode="closest")
    figure.update_xaxes(visible=False, range=[0, 100], fixedrange=True)
    figure.update_yaxes(visible=False, range=[bottom + 2, -2], fixedrange=True)
    return figure


def table(parts: Sequence[Box], *, level: str) -> pd.DataFrame:
    """Return the children as a table: name, noisy, chosen, moved."""
    rows = [(b.name, b.noisy, b.chosen, b.moved if b.chosen is not None else None) for b in parts]
    frame = pd.DataFrame(rows, columns=[level, "noisy", "chosen", "moved"])
    return frame.astype({"noisy": "Int64", "chosen": "Int64", "moved": "Int64"})


def alt(above: Box | None, head: Box, parts: Sequence[Box]) -> str:
    """Return the tree in words."""

    phrases = [_in_words(part) for part in parts[:_TOLD]]
    if len(parts) > _TOLD:
        phrases.append(f"and {len(parts) - _TOLD:,} more")
    return paragraph(
        "Tree of areas.",
        f"{_in_words(head)}.",
        "" if above is None else f"It is part of {_in_words(above)}.",
        listing(f"It has {counted(len(parts), 'sub-area')}", phrases) if parts else "",
    )


def _in_words(box: Box) -> str:
    noisy = "not measured" if box.noisy is None else f"noisy {whole(box.noisy)}"
    values = [noisy] if box.chosen is None else [noisy, f"chosen {whole(box.chosen)}"]
    return f"{box.name}: {', '.join(values)}"


def _box(figure: go.Figure, box: Box, x: float, y: float, *, width: float) -> None:
    colour = VERMILION if box.marked else BLUE if box.lit else GREY
    figure.add_shape(
        type="rect",
        x0=x - width / 2,
        x1=x + width / 2,
        y0=y,
        y1=y + 52,
        line={"color": colour, "width": 3 if box.lit or box.marked else 1.2},
        fillcolor=_LIT if box.lit else "rgba(0,0,0,0)",
    )
    room = int(width * 0.42)
    figure.add_annotation(
        x=x, y=y + 16, text=f"<b>{_short(box.name, room)}</b>", showarrow=False, font={"size": 15}
    )
    fits = len(box.plain) <= 0.5 * width
    text, size = (box.words, 14) if fits else (box.stacked, 12)
    figure.add_annotation(x=x, y=y + 37, text=text, showarrow=False, font={"size": size})


def _edge(figure: go.Figure, x0: float, y0: float, x1: float, y1: float) -> None:
    figure.add_shape(
        type="line", x0=x0, x1=x1, y0=y0, y1=y1, line={"color": GREY, "width": 1.2}, layer="below"
    )


def _grid(figure: go.Figure, parts: Sequence[Box], top: float) -> float:
    """Draw cells from `top` down, and return the position of their end."""
    n = len(parts)
    columns, height = (4, 42) if n <= _NAMED else (8, 27) if n <= _COUNTED else (16, 20)
    if n <= _NAMED and any(_is_long(part) for part in parts):
        height += 16  # the numbers of a cell are one below the other
    width = 100 / columns
    most = max(1, *(abs(part.moved) for part in parts))
    xs, ys, words = [], [], []
    for k, part in enumerate(parts):
        row, column = divmod(k, columns)
        x, y = width * column, top + height * row
        figure.add_shape(
            type="rect",
            x0=x + 0.4,
            x1=x + width - 0.4,
            y0=y + 1.5,
            y1=y + height - 1.5,
            fillcolor=_tint(part, most),
            line={
                "color": VERMILION if part.marked else BLUE if part.lit else GREY,
                "width": 3 if part.marked else 1,
            },
        )
        if text := _cell_words(part, n):
            figure.add_annotation(
                x=x + width / 2,
                y=y + height / 2,
                text=text,
                showarrow=False,
                font={"size": 12 if n <= _NAMED else 11},
            )
        xs.append(x + width / 2)
        ys.append(y + height / 2)
        words.append(f"<b>{part.name}</b><br>{part.words}")
    figure.add_scatter(
        x=xs,
        y=ys,
        mode="markers",
        marker={"size": height * 0.7, "opacity": 0, "symbol": "square"},
        customdata=words,
        hovertemplate="%{customdata}<extra></extra>",
    )
    return top + height * ceil(n / columns)


def _cell_words(part: Box, n: int) -> str:
    if n <= _NAMED:
        name = part.name.split(",")[0]  # the picture names the state above
        numbers = part.stacked if _is_long(part) else part.stacked.replace("<br>", " ")
        return f"{_short(name, _LONGEST_NAME)}<br>{numbers}"
    if n > _COUNTED:
        return ""
    if part.noisy is None:
        return ""
    text = whole(part.noisy) if part.chosen is None else signed(part.moved)
    return text if len(text) <= _LONGEST_NUMBER else ""


def _is_long(part: Box) -> bool:
    """Return whether the numbers of a child are too long for one line of a cell."""
    return part.chosen is not None and len(part.plain) > len("noisy 1,234 → 1,234")


def _tint(part: Box, most: int) -> str:
    """Return red for a raised number and blue for a lowered one, stronger for larger changes."""
    if part.chosen is None:
        return _LIT if part.lit else "rgba(0,0,0,0)"
    if not part.moved:
        return "rgba(138,143,152,0.10)"
    strength = 0.15 + 0.5 * abs(part.moved) / most
    red, green, blue = (213, 94, 0) if part.moved > 0 else (0, 114, 178)
    return f"rgba({red},{green},{blue},{strength:.2f})"


def _short(name: str, room: int) -> str:
    return name if len(name) <= room else name[: room - 1].rstrip() + "…"
