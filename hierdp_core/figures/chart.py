"""A chart with all that belongs to it, as one value for the page and for the report."""

from dataclasses import dataclass, replace

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.style import Theme, marked, readable, settles


@dataclass(frozen=True, eq=False, kw_only=True)
class Chart:
    """A figure and what is said beside it.

    Attributes:
        title: its heading.
        figure: the picture.
        alt: the same in words, for those who do not see it.
        table: the numbers of the figure; None where another chart has them.
        sentence: what it shows, in plain words; **stars** make bold.

    Raises:
        ValueError: the figure is low and leaves its margins to Plotly, which hangs the browser.
    """

    title: str
    figure: go.Figure
    alt: str
    table: pd.DataFrame | None = None
    sentence: str = ""

    def __post_init__(self) -> None:
        if not settles(self.figure):
            raise ValueError(f'figure "{self.title}" is low and needs margins of its own')

    def inked(self, theme: Theme) -> "Chart":
        """The same chart with words that stand out from a page of this theme."""
        return replace(self, figure=readable(self.figure, theme))

    def marked(self, words: str) -> "Chart":
        """The same chart with `words` in small print on a copy of its figure."""
        return replace(self, figure=marked(go.Figure(self.figure), words))
