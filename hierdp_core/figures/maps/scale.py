"""The classes of relative error and their colours.

The classes of `SHARED` do not depend on the data, so maps of different levels, budgets, mechanisms
and datasets can be compared. The classes of a `local` scale depend on the areas of one map. There
is a colour ramp for light pages and one for dark pages. Each goes from the colour closest to the
background, for the smallest errors, to the one with the most contrast.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from hierdp_core.figures.style import Theme
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import percent

RAMPS: Final[dict[Theme, tuple[str, ...]]] = {
    "light": ("#FFF4DC", "#FDDE9F", "#FBB653", "#EE8127", "#C94A12", "#8A290A", "#451405"),
    "dark": ("#33302F", "#57402F", "#80502A", "#B06524", "#DE8A2E", "#F7BC66", "#FFEFC9"),
}
UNDEFINED: Final[dict[Theme, str]] = {"light": "#B9C0C9", "dark": "#5C6875"}
UNDEFINED_LABEL: Final = "true count 0: no relative error"
_UNDEFINED_ALT = "Areas with a true count of 0 have no relative error and another colour."

_STEPS = (1, 2, 5)  # times a power of ten: the edges of a local scale
_MOST_CLASSES = 7


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Classes of relative error.

    Attributes:
        edges: the edges between classes, ascending; fewer than the ramp has colours.
    """

    edges: tuple[float, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes in words.

        >>> Scale(edges=(0.001, 0.02)).labels
        ('< 0.1%', '0.1–2%', '> 2%')
        """
        if not self.edges:
            return ("0%",)
        texts = [percent(edge) for edge in self.edges]
        between = (f"{low.removesuffix('%')}–{high}" for low, high in pairwise(texts))
        return (f"< {texts[0]}", *between, f"> {texts[-1]}")

    def classes(self, relative: FloatArray) -> IntArray:
        """Return the class of each relative error, from 0; −1 for NaN.

        An error at the edge of two classes belongs to the upper one, except at the last edge.

        >>> SHARED.classes(np.array([0, 0.00005, 0.0001, 0.03, 0.5, 0.51, np.nan])).tolist()
        [0, 0, 1, 3, 5, 6, -1]
        """
        last = self.edges[-1] if self.edges else np.nan
        numbers = np.searchsorted(self.edges, relative, side="right") - (relative == last)
        result: IntArray = np.where(np.isnan(relative), -1, numbers)
        return result

    def colours(self, theme: Theme) -> tuple[str, ...]:
        """Return the colour of each class, spread over the whole ramp."""
        ramp = RAMPS[theme]
        n = len(self.edges) + 1
        return tuple(ramp[round(k * (len(ramp) - 1) / max(1, n - 1))] for k in range(n))

    def colour_scale(self, theme: Theme) -> list[tuple[float, str]]:
        """Return the colours as steps of a Plotly scale, for class numbers from −0.5 on."""
        colours = self.colours(theme)
        n = len(colours)
        steps = enumerate(colours)
        return [(edge, colour) for k, colour in steps for edge in (k / n, (k + 1) / n)]

    def legend(self, theme: Theme, *, undefined: bool) -> str:
        """Return the classes with their colours in one line, as HTML.

        Args:
            theme: the theme of the page.
            undefined: whether to include the colour of areas without a relative error.
        """
        entries = zip(self.colours(theme), self.labels, strict=True)
        alt = in_html(self.alt(undefined=undefined))
        steps = "".join(
            f'<span style="flex:1 1 3.4rem"><i style="display:block;height:.8rem;'
            f'background:{colour};border:1px solid rgba(128,128,128,.45)"></i>'
            f"{in_html(label)}</span>"
            for colour, label in entries
        )
        apart = (
            f'<span style="margin-left:1rem"><i style="display:block;height:.8rem;'
            f'background:{UNDEFINED[theme]}"></i>{in_html(UNDEFINED_LABEL)}</span>'
            if undefined
            else ""
        )
        return (
            '<div role="img" style="display:flex;flex-wrap:wrap;text-align:center;'
            f'font-size:.8125rem;row-gap:.25rem" aria-label="{alt}">{steps}{apart}</div>'
        )

    def alt(self, *, undefined: bool) -> str:
        """Return the alternative text of the legend.

        >>> Scale(edges=()).alt(undefined=False)
        'Relative error: 0%.'
        >>> SHARED.alt(undefined=True).partition("> 50%. ")[2]
        'Areas with a true count of 0 have no relative error and another colour.'
        """
        text = f"Relative error: {self.labels[0]}."
        if self.edges:
            text = (
                f"Relative error in {len(self.labels)} classes, from the colour closest to the "
                f"background to the one with the most contrast: {', '.join(self.labels)}."
            )
        return f"{text} {_UNDEFINED_ALT}" if undefined else text


SHARED: Final = Scale(edges=(1e-4, 1e-3, 0.01, 0.05, 0.1, 0.5))
LABELS: Final = SHARED.labels


def local(relative: FloatArray) -> Scale:
    """Return a scale whose classes contain about equally many of the areas with an error above 0.

    Areas without an error are in the first class. The edges are 1, 2 or 5 times a power of ten, so
    there may be fewer classes than colours.

    Args:
        relative: relative errors, at least 0, or NaN.

    >>> local(np.array([0.001, 0.0012, 0.003, 0.004, 0.02, 0.03, np.nan])).labels
    ('< 0.1%', '0.1–0.2%', '0.2–0.5%', '0.5–1%', '1–2%', '> 2%')
    """
    known = relative[relative > 0]
    if not len(known):
        return Scale(edges=())
    limits = np.quantile(known, np.arange(1, _MOST_CLASSES) / _MOST_CLASSES)
    return Scale(edges=tuple(sorted({_nearest_step(edge) for edge in limits.tolist()})))


def _nearest_step(value: float) -> float:
    power = int(np.floor(np.log10(value)))
    steps = [float(f"{step}e{power + more}") for more in (0, 1) for step in _STEPS]
    return min(steps, key=lambda step: abs(np.log(step / value)))


def gradient(theme: Theme) -> list[str]:
    """Return the colour ramp for numbers without classes."""
    return list(RAMPS[theme])
