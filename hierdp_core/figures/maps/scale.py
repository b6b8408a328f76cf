"""The classes of relative error and their colours, the same on every map.

The classes do not depend on the data, so maps of different levels, budgets, mechanisms and data
sets can be compared. There is a ramp for light pages and one for dark ones: each goes from the
colour nearest the page, for the smallest errors, to the one that stands out most.
"""

from html import escape
from typing import Final

import numpy as np

from hierdp_core.figures.style import Theme
from hierdp_core.util.arrays import FloatArray, IntArray

_EDGES = (1e-4, 1e-3, 0.01, 0.05, 0.1, 0.5)
LABELS: Final = ("< 0.01%", "0.01–0.1%", "0.1–1%", "1–5%", "5–10%", "10–50%", "> 50%")
RAMPS: Final[dict[Theme, tuple[str, ...]]] = {
    "light": ("#FFF4DC", "#FDDE9F", "#FBB653", "#EE8127", "#C94A12", "#8A290A", "#451405"),
    "dark": ("#33302F", "#57402F", "#80502A", "#B06524", "#DE8A2E", "#F7BC66", "#FFEFC9"),
}
UNDEFINED: Final[dict[Theme, str]] = {"light": "#B9C0C9", "dark": "#5C6875"}
UNDEFINED_LABEL: Final = "true count 0: no relative error"


def classes(relative: FloatArray) -> IntArray:
    """The class of each relative error, from 0; -1 where there is none.

    An error at the edge of two classes belongs to the upper one, except at 50%.

    >>> classes(np.array([0, 0.00005, 0.0001, 0.03, 0.5, 0.51, np.nan])).tolist()
    [0, 0, 1, 3, 5, 6, -1]
    """
    found = np.searchsorted(_EDGES, relative, side="right") - (relative == _EDGES[-1])
    result: IntArray = np.where(np.isnan(relative), -1, found)
    return result


def colour_scale(theme: Theme) -> list[tuple[float, str]]:
    """The ramp as Plotly takes it, for class numbers from -0.5 to 6.5: flat steps."""
    ramp = RAMPS[theme]
    n = len(ramp)
    return [(edge, colour) for k, colour in enumerate(ramp) for edge in (k / n, (k + 1) / n)]


def gradient(theme: Theme) -> list[str]:
    """The ramp for numbers that are not in classes."""
    return list(RAMPS[theme])


def legend(theme: Theme, *, undefined: bool) -> str:
    """The classes with their colours in one line, as HTML.

    Args:
        theme: of the page.
        undefined: name the colour of areas without a relative error as well.
    """
    named = list(zip(RAMPS[theme], LABELS, strict=True))
    steps = "".join(
        f'<span style="flex:1 1 3.4rem"><i style="display:block;height:.8rem;background:{colour};'
        f'border:1px solid rgba(128,128,128,.45)"></i>{escape(label)}</span>'
        for colour, label in named
    )
    apart = (
        f'<span style="margin-left:1rem"><i style="display:block;height:.8rem;'
        f'background:{UNDEFINED[theme]}"></i>{escape(UNDEFINED_LABEL)}</span>'
        if undefined
        else ""
    )
    return (
        '<div role="img" style="display:flex;flex-wrap:wrap;text-align:center;font-size:.8125rem;'
        f'row-gap:.25rem" aria-label="{escape(alt())}">{steps}{apart}</div>'
    )


def alt() -> str:
    """What the legend says."""
    return (
        f"Relative error in {len(LABELS)} classes, from the colour nearest the page to the one "
        f"that stands out most: {', '.join(LABELS)}."
    )
