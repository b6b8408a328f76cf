"""The sentences about flows: numbers in, plain words out."""

from collections.abc import Sequence

import pandas as pd

from hierdp_core.evaluation.error_bounds import BETA
from hierdp_core.explain.flows import Shown, Way
from hierdp_core.util.text import join_and, number, percent, plural, whole
from pages.ui.shell.words import NOT_PRIVATE, place

SHOWN: dict[Shown, str] = {"released": "Released", "true": "True", "error": "Error"}
WAYS: dict[Way, str] = {"both": "Either way", "from": "Leaving", "to": "Arriving"}
ARCS = (10, 25, 50, 100, 200, 400)
READ_ARCS = (
    "An arc bends to the right of those who travel along it, so there and back lie apart. Its "
    "width grows with the square root of the number. Point at an arrow head for the numbers; "
    "click an area, or choose it above, to see its flows alone."
)
HOW_TO_READ = (
    (
        "**Levels of the tree**: the release splits the total step by step, one end of the flows "
        "at a time: all → region, then region → region, and so on. Every step has noise of its "
        "own, so errors grow on the way down."
    ),
    (
        "**Invented trips** are released between two places although nobody truly goes there; "
        "**lost trips** are true trips between two places for which the release says none. The "
        "total is right all the same: what is invented is missing elsewhere."
    ),
    (
        "**Counted for a wrong pair**: half of what all pairs together are off by. A trip that is "
        "moved is missing in one pair and too many in another."
    ),
)


def finding(budget: str, leaf: str, *, invented: float, lost: float) -> str:
    """The title of Overview.

    >>> finding("ε = 1", "zones", invented=0.031, lost=0.2)
    'At ε = 1, 3.1% of released flows between zones are false positives, 20% of true ones missed'
    """
    if invented == lost == 0:
        return f"At {budget}, no flow between {leaf} is missed and none is a false positive"
    return (
        f"At {budget}, {percent(invented)} of released flows between {leaf} are false positives, "
        f"{percent(lost)} of true ones missed"
    )


def headline(
    moved: Sequence[tuple[str, float]], invented: float, lost: float, *, total: int, unit: str
) -> str:
    """What the mechanism does to flows, in shares of all trips.

    Args:
        moved: for each geographic level below the root its name and the share of trips that
            are counted for another pair, the mean over draws.
        invented: the share of the released pairs of the last level that are invented.
        lost: the share of its true pairs that are lost.
        total: true trips.
        unit: what they are, plural.
    """
    allocation = [
        f"**{percent(share)}** for a wrong pair of {plural(level)}" for level, share in moved
    ]
    if allocation:
        allocation[0] = allocation[0].replace(
            " for", f" of {whole(total)} {unit} are counted for", 1
        )
    said = f"{join_and(allocation)} (mean of the draws)."
    leaf = plural(moved[-1][0]) if moved else "places"
    return (
        f"{said} Of the pairs of {leaf} that the release names, **{percent(invented)}** are "
        f"invented: nobody goes there. Of those where somebody goes, **{percent(lost)}** are lost."
    )


def accuracy_note(draws: str, *, bounded: bool, unit: str) -> str:
    """The line under the chart of errors by level of the tree."""
    said = (
        f"How far the number of {unit} of a pair is off, over {draws}. Blue: the pair that is off "
        "most, its mean, and the bar that holds 95 of 100 draws. Orange: the mean over all pairs "
        "there could be, most of them empty."
    )
    if bounded:
        said += (
            " Grey line: what theory promises (Theorem 4 of the InfTDA paper, or Proposition 1 "
            f"where only pairs of the last level get noise): but for a chance of {percent(BETA)} "
            "on each level no pair is off by more. It looks at the noise alone, not at the data."
        )
    return said


def flows_title(n: int, name: str, level: str, way: Way, *, shown: Shown, whole_map: bool) -> str:
    """The heading of the flow map."""
    which = f"{n} flows with the largest error" if shown == "error" else f"{n} strongest flows"
    if whole_map:
        return f"The {which} between {plural(level)}"
    towards = {"from": "that leave", "to": "that reach", "both": "from and to"}[way]
    return f"The {which} between {plural(level)} {towards} {place(name)}"


def no_flows(name: str, level: str) -> str:
    """Where there is nothing to draw."""
    return f"No flow between different {plural(level)} touches {place(name)} in this view."


def within_line(name: str, true: float, released: float, *, unit: str) -> str:
    """Those who stay, whom no arc shows."""
    return (
        f"Not drawn: {unit} who stay within {place(name)}, {whole(true)} in truth and "
        f"{whole(released)} released."
    )


def matrix_title(n: int, of: int, level: str) -> str:
    """The heading of the matrix."""
    if n >= of:
        return f"From where to where: all {of} {plural(level)}"
    return f"From where to where: the {n} busiest of {of:,} {plural(level)}"


def matrix_note(*, others: bool, shown: Shown) -> str:
    """The line under the matrix."""
    said = "Rows are where people start, columns where they go; the diagonal stays within. "
    if others:
        said += "All other places together are the last row and column. "
    if shown == "error":
        return said + f"Orange: too many released; blue: too few. {NOT_PRIVATE}"
    return said + f"The colours are logarithmic; empty cells have nothing. {NOT_PRIVATE}"


def invented_line(row: pd.Series, level: str, *, unit: str) -> str:
    """Invented and lost trips of one level of the tree, in words."""
    if not row["invented"] and not row["lost"]:
        return f"Between {plural(level)} nothing is invented and nothing lost in this draw."
    found, there = max(1, row["released"]), max(1, row["pairs"])
    return (
        f"Between {plural(level)}, this draw **invents {whole(row['invented_trips'])} {unit}** in "
        f"{row['invented']:,} pairs where nobody goes "
        f"({percent(row['invented'] / found)} of the pairs released), and **loses "
        f"{whole(row['lost_trips'])} {unit}** in {row['lost']:,} pairs where somebody does "
        f"({percent(row['lost'] / there)} of the true pairs), "
        f"{number(row['lost_trips'] / max(1, row['lost']))} each on average."
    )


def tree_line(first: str, levels: Sequence[str]) -> str:
    """What the choice of the tree means, in one sentence."""
    example = levels[1] if len(levels) > 1 else levels[0]
    if first == "origin":
        return (
            f"The tree asks first where people come from ({example} → all before {example} → "
            f"{example}): choose it when departures matter most."
        )
    return (
        f"The tree asks first where people go (all → {example} before {example} → {example}): "
        "choose it when arrivals matter most."
    )


def not_inside(title: str) -> str:
    """Why How it works shows the papers' example instead."""
    return (
        f"How it works follows counts and group sizes. {title} holds flows, which Overview and "
        "Area profile show. This is the papers’ example; under Data are the tables that fit."
    )


def arcs_caption(drawn: int, there: int, seed: int) -> str:
    """How much of what there is the picture holds."""
    held = f"{drawn:,} of {there:,} pairs with different ends are drawn."
    return f"{held} One draw, seed {seed}. {NOT_PRIVATE}"
