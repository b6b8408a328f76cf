"""The sentences beside the earth mover's distance by level."""

import pandas as pd

from hierdp_core.util.text import number
from pages.ui.shell.words import a

TITLE = "How far the sizes are from the true ones"


def line(frame: pd.DataFrame, *, people: str, group: str, totals_exact: bool) -> str:
    """The distances in words, the last level first.

    Args:
        frame: `figures.distance.by_level`.
        people, group: what members and groups are, plural.
        totals_exact: every region is released with its true number of groups.
    """
    rows = frame.to_dict("records")
    parts: list[str] = []
    for k, row in enumerate(rows):
        who = f"the {row['level']}" if k == 0 else a(row["level"])
        parts.insert(0, f"**{number(row['mean'])}** for {who}")
    said = (
        f"So many {people} would have to join or leave {group}, on average, to turn the released "
        f"sizes into the true ones (the earth mover’s distance): {', '.join(parts)}."
    )
    if totals_exact:
        return said
    return f"{said} Too many or too few {group} count by their sizes: empty ones count nothing."


def reference_line(frame: pd.DataFrame) -> str:
    """How the reference compares, and what it is."""
    known = [row for row in frame.to_dict("records") if row["reference"] == row["reference"]]
    below = [row["level"] for row in known if row["mean"] < row["reference"]]
    if not known:
        return ""
    if len(below) == len(known):
        said = "Every level lies below the dotted line here."
    elif below:
        said = f"Here {' and '.join(below)} {'lies' if len(below) == 1 else 'lie'} below it."
    else:
        said = "Every level lies above it here."
    return (
        "The dotted line is a reference and no mechanism: what would be expected if it were known "
        "which sizes occur in every region, and only the number of groups of each had noise, from "
        f"the same budget and shares. {said}"
    )


def caption(*, draws: str, logarithmic: bool) -> str:
    """How to read the picture."""
    axis = " The axis is logarithmic." if logarithmic else ""
    return (
        f"Dots: means over the regions of a level and {draws}; bars: 80 of 100 draws. Levels are "
        f"never to be added.{axis}"
    )
