"""A figure with its title, sentence, table and alternative text, for pages and for reports."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.bundle import bundle
from hierdp_core.figures.images import save_image
from hierdp_core.figures.style import Theme, marked, readable, settles


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Chart:
    """A figure with its texts and its table.

    Attributes:
        title: the heading.
        figure: the figure.
        alt: the alternative text of the figure.
        table: the numbers of the figure; None if another chart has them.
        sentence: the finding in plain words; **stars** make bold in the app.
        key: an HTML legend of its colours, if the figure has none.

    Raises:
        ValueError: the figure is low and leaves its margins to Plotly, whose search for them may
            hang the browser.
    """

    title: str
    figure: go.Figure
    alt: str
    table: pd.DataFrame | None = None
    sentence: str = ""
    key: str = ""

    def __repr__(self) -> str:
        return f"<Chart: {self.title}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return bundle(self)

    def save(self, path: str | Path, *, scale: float = 2) -> None:
        """Write the figure as PNG, SVG, PDF, JPEG or WebP, by the suffix of `path`.

        Needs the extra `images` (kaleido), and a browser that it finds.

        Raises:
            ChoiceError: kaleido is not installed, or has no browser, or the suffix is unknown.
        """
        save_image(self.figure, path, scale=scale)

    def __post_init__(self) -> None:
        if not settles(self.figure):
            raise ValueError(f'figure "{self.title}" is low and leaves its margins to Plotly')

    def inked(self, theme: Theme) -> "Chart":
        """Return the chart with text that is readable on a page of this theme.

        Text that was made readable on another theme before keeps its colour.
        """
        return replace(self, figure=readable(self.figure, theme))

    def marked(self, words: str) -> "Chart":
        """Return the chart with `words` in small print on a copy of its figure."""
        return replace(self, figure=marked(go.Figure(self.figure), words))
