"""A chart with all that belongs to it, as one value for the page and for the report."""

from dataclasses import dataclass, replace

import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.style import marked


@dataclass(frozen=True, eq=False, kw_only=True)
class Chart:
    """A figure and what is said beside it.

    Attributes:
        title: its heading.
        figure: the picture.
        alt: the same in words, for those who do not see it.
        table: the numbers of the figure; None where another chart has them.
        sentence: what it shows, in plain words; **stars** make bold.
    """

    title: str
    figure: go.Figure
    alt: str
    table: pd.DataFrame | None = None
    sentence: str = ""

    def marked(self, words: str) -> "Chart":
        """The same chart with `words` in small print on a copy of its figure."""
        return replace(self, figure=marked(go.Figure(self.figure), words))
