"""The sentences beside the earth mover's distance by level."""

import pandas as pd

from hierdp_core.util.text import a, by_number, join_and, number, paragraph

TITLE = "Error of the size distribution"


def line(frame: pd.DataFrame, *, people: str, group: str, totals_exact: bool) -> str:
    """Return the distances in words, the last level first.

    Args:
        frame: the result of `figures.errors.distance.by_level`.
        people, group: what members and groups are, plural.
        totals_exact: whether every region is released with its true number of groups.
    """
    rows = frame.to_dict("records")
    parts: list[str] = []
    for k, row in enumerate(rows):
        who = f"the {row['level']}" if k == 0 else a(row["level"])
        parts.insert(0, f"**{number(row['mean'])}** for {who}")
    surplus = f"Surplus and missing {group} are weighted by their size, so empty ones add nothing."
    return paragraph(
        f"On average, this many {people} would have to join or leave {group} to turn the released "
        f"sizes into the true ones: {join_and(parts)}.",
        by_number(
            len(rows),
            "This number is the earth mover’s distance.",
            "These numbers are earth mover’s distances.",
        ),
        "" if totals_exact else surplus,
    )


def reference_line(frame: pd.DataFrame) -> str:
    """Return what the benchmark is and how the levels compare with it."""
    known = [row for row in frame.to_dict("records") if row["reference"] == row["reference"]]
    below = [row["level"] for row in known if row["mean"] < row["reference"]]
    if not known:
        return ""
    every = "every level" if len(known) == len(frame) else "every level with a budget"
    if len(known) == 1:
        every = "the only level" if len(frame) == 1 else "the only level with a budget"
    if len(below) == len(known):
        comparison = f"At {every}, the error is below the benchmark."
    elif below:
        where = by_number(len(below), "level", "levels")
        comparison = f"The error is below the benchmark only at {join_and(below)} {where}."
    elif any(row["mean"] == row["reference"] for row in known):
        comparison = f"At {every}, the error is at or above the benchmark."
    else:
        comparison = f"At {every}, the error is above the benchmark."
    return (
        "The dotted line is a benchmark, not a mechanism. It assumes that the set of sizes in each "
        "area is public, so that only their frequencies need noise. Its error is one standard "
        f"deviation of this noise, at the same budget, for each different size. {comparison}"
    )


def caption(*, simulations: str, logarithmic: bool) -> str:
    """Return how to read the picture."""
    return paragraph(
        f"The dots are means over the areas of a level and over {simulations}. The bars contain "
        "the middle 80% of simulations. Every level has the same people, so do not add up the "
        "distances of different levels.",
        "The axis is logarithmic." if logarithmic else "",
    )
