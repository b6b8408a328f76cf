"""One colour scale for relative error, the same for every level and every budget.

The scale is logarithmic and depends on the true table only. A map drawn at another ε
therefore changes its colours, which a scale fitted to each draw would hide.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import GREEN, PURPLE, bare
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.text import percent

# Cividis (Nuñez, Anderton & Renslow 2018) from yellow to blue. Its dark end is lighter here:
# it could not be told from a dark page.
COLOURS: Final = (
    *("#FEE838", "#D9C55C", "#B4A76F", "#928C77"),
    *("#76787B", "#5A6880", "#3F5988", "#244B91"),
)
EXACT: Final = GREEN
UNDEFINED: Final = PURPLE
APART: Final = (
    (EXACT, "no error in this draw"),
    (UNDEFINED, "true value 0: no relative error"),
)


@dataclass(frozen=True, kw_only=True)
class ErrorScale:
    """Relative errors from 10**low to 10**high; what lies beyond takes the end colour."""

    low: int
    high: int

    @classmethod
    def for_truth(cls, true: FloatArray, leaves: FloatArray) -> "ErrorScale":
        """From an error of ten in the largest region to one of ten, or 10 %, in a typical leaf.

        Args:
            true: the true number of every region, any order.
            leaves: the same for the regions of the last level.
        """
        largest = max(float(np.max(true, initial=0)), 10.0)
        typical = max(float(np.median(leaves)) if len(leaves) else 1.0, 1.0)
        high = min(0, max(-1, math.ceil(math.log10(10 / typical))))
        return cls(low=min(-round(math.log10(largest / 10)), high - 2), high=high)

    @property
    def ticks(self) -> list[int]:
        """Exponents to label: each, or every second when there are many."""
        step = 2 if self.high - self.low > 5 else 1
        return list(range(self.high, self.low - 1, -step))[::-1]

    def labels(self) -> list[str]:
        texts = [percent(10.0**t) for t in self.ticks]
        texts[-1] += " or more"
        if self.ticks[0] == self.low:
            texts[0] += " or less"
        return texts

    def position(self, relative: FloatArray) -> FloatArray:
        """log10 of relative errors > 0, held between the ends."""
        clipped: FloatArray = np.clip(np.log10(relative), self.low, self.high)
        return clipped


def bar(scale: ErrorScale) -> go.Figure:
    """The scale as a strip with its labels. Two more colours, `APART`, are not on it."""
    places = np.linspace(scale.low, scale.high, 256)
    figure = go.Figure(
        go.Heatmap(
            x=places,
            y=[0],
            z=[places],
            colorscale=list(COLOURS),
            showscale=False,
            hoverinfo="skip",
        )
    )
    bare(figure, height=44)
    figure.update_layout(margin={"l": 60, "r": 60, "t": 0, "b": 28})
    figure.update_xaxes(
        tickvals=scale.ticks,
        ticktext=scale.labels(),
        range=[scale.low, scale.high],
        showgrid=False,
        zeroline=False,
        showline=False,
        ticks="outside",
        ticklen=4,
        tickangle=0,
        automargin=False,
        fixedrange=True,
    )
    figure.update_yaxes(visible=False, fixedrange=True)
    return figure


def table(scale: ErrorScale) -> pd.DataFrame:
    """The strip in words: a row a labelled colour."""
    where = [(t - scale.low) / (scale.high - scale.low) for t in scale.ticks]
    return pd.DataFrame(
        {"relative error": scale.labels(), "place on the scale": [percent(w) for w in where]}
    )


def alt(scale: ErrorScale) -> str:
    """What the strip says."""
    labels = scale.labels()
    return (
        f"Colour scale of relative error, from yellow ({labels[0]}) to dark blue ({labels[-1]}), "
        f"logarithmic. Green: {APART[0][1]}. Purple: {APART[1][1]}."
    )


def chart(scale: ErrorScale) -> Chart:
    """The colour scale with its text."""
    return Chart(title="Colour scale", figure=bar(scale), alt=alt(scale))
