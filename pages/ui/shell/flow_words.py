"""The sentences about flows."""

from collections.abc import Sequence

import pandas as pd

from hierdp_core.evaluation.error_bounds import BETA
from hierdp_core.explain.flows import Shown, Way
from hierdp_core.util.text import (
    by_number,
    counted,
    join_and,
    number,
    paragraph,
    percent,
    plural,
    whole,
)
from pages.ui.shell.words import NOT_PRIVATE, place

SHOWN: dict[Shown, str] = {
    "released": "Simulated flow",
    "true": "True flow",
    "error": "Error",
}
WAYS: dict[Way, str] = {"both": "Both directions", "from": "Departing", "to": "Arriving"}
ARCS = (10, 25, 50, 100, 200, 400)
READ_ARCS = (
    "Arcs curve to the right of the direction of travel, which separates the two directions. Wider "
    "arcs are larger flows or errors, in six classes of width. Hold the pointer over an arrow head "
    "to see the counts of that flow. Click an area, or choose it above, to see only its flows."
)
_HOW_TO_READ = (
    (
        "**Levels of the tree**: from level to level, one end of the flows becomes finer (such "
        "as all → region, then region → region). Mechanisms that divide the total step by step "
        "add noise at each step, so their largest errors tend to grow at finer levels. Mechanisms "
        "that add noise only to pairs of the last level have larger errors at upper levels, where "
        "the noise adds up."
    ),
    (
        "**False positives** are pairs of areas released with {unit} although their true count is "
        "0. **False negatives** are pairs released without {unit} although their true count is "
        "above 0. Where the total is kept, {unit} released in false positives are missing "
        "elsewhere."
    ),
    (
        "**Assigned to a wrong pair**: half the sum of absolute errors over all pairs. Where the "
        "total is kept, {unit} in a wrong pair are missing in one pair and surplus in another."
    ),
)


def how_to_read(unit: str) -> tuple[str, ...]:
    """Return how to read flows, in paragraphs; `unit` is what is counted, plural."""
    return tuple(text.format(unit=unit) for text in _HOW_TO_READ)


def finding(
    budget: str,
    leaf: str,
    *,
    fdr: float,
    fnr: float,
    n_simulations: int,
    same_places: bool = True,
) -> str:
    """Return the title of Overview for a table of flows.

    Args:
        budget: the budget in words.
        leaf: the noun for the areas of the last level, plural.
        fdr, fnr: the mean false discovery and false negative rates of the simulations.
        n_simulations: the number of simulations.
        same_places: whether origins and destinations are the same areas.

    >>> title = finding("ε = 1", "zones", fdr=0.031, fnr=0.2, n_simulations=30)
    >>> title.partition("between zones ")[2]
    'are false positives and 20% of true flows are missed'
    """
    ends = f"between {leaf}" if same_places else f"from {leaf}"
    if fdr == fnr == 0:
        return (
            f"At {budget}, {counted(n_simulations, 'simulation')} "
            f"{by_number(n_simulations, 'has', 'have')} no false positives and no missed flows "
            f"{ends}"
        )
    return (
        f"At {budget}, on average {percent(fdr)} of released flows {ends} are false positives "
        f"and {percent(fnr)} of true flows are missed"
    )


def headline(
    errors: Sequence[tuple[str, float]],
    spurious: float,
    missed: float,
    *,
    total: int,
    unit: str,
    keeps_total: bool,
) -> str:
    """Return the error of flows, as percentages of all trips.

    Args:
        errors: for each geographic level below the root, its name and the sum of absolute errors
            over all pairs as a proportion of all trips, the mean over simulations.
        spurious: the proportion of released pairs of the last level that are false positives, the
            mean over simulations.
        missed: the proportion of its true pairs that are false negatives, likewise.
        total: the true number of trips.
        unit: what is counted, plural.
        keeps_total: whether every simulation has the true total. Half the sum of absolute errors
            is then the number of trips in a wrong pair.
    """
    leaf, assigned = "areas", ""
    if errors and not total:
        leaf, assigned = plural(errors[-1][0]), "Every true count of the table is 0."
    elif errors:
        leaf, ((level, share), *finer) = plural(errors[-1][0]), errors
        if keeps_total:
            trips = f"**{percent(share / 2)}** of {whole(total)} {unit}"
            first = f"{trips} are assigned to a wrong pair of {plural(level)}"
            rest = [f"**{percent(s / 2)}** to a wrong pair of {plural(name)}" for name, s in finer]
            assigned = f"On average, {join_and([first, *rest])}."
        else:
            first = (
                f"**{percent(share)}** of {whole(total)} {unit} over all pairs of {plural(level)}"
            )
            rest = [f"**{percent(s)}** over all pairs of {plural(name)}" for name, s in finer]
            assigned = f"On average, absolute errors add up to {join_and([first, *rest])}."
    return paragraph(
        assigned,
        f"Of the pairs of {leaf} released with {unit}, on average **{percent(spurious)}** have a "
        "true count of 0 (false positives).",
        f"Of the pairs whose true count is above 0, on average **{percent(missed)}** are released "
        f"without {unit} (false negatives)."
        if total
        else "",
    )


def accuracy_note(simulations: str, *, bounded: bool, unit: str) -> str:
    """Return the line under the chart of errors by level of the tree."""
    bound = (
        "The grey line is a theoretical bound. It depends on the noise, and on how many pairs have "
        f"noise. With a probability of at least {percent(1 - BETA)} at each level, no pair has an "
        "error above it "
        "(Theorem 4 of the InfTDA paper, or Proposition 1 where only pairs of the last level have "
        "noise)."
    )
    return paragraph(
        f"Error in the number of {unit} per pair of areas, over {simulations}.",
        "Blue dots show the largest error of any pair, as a mean over simulations.",
        "The blue bars contain the middle 95% of simulations.",
        "Orange dots show the mean absolute error over all possible pairs, including empty ones.",
        bound if bounded else "",
    )


def flows_title(
    n: int,
    of: int,
    name: str,
    level: str,
    way: Way,
    *,
    shown: Shown,
    whole_map: bool,
    same_places: bool = True,
) -> str:
    """Return the heading of the flow map.

    Args:
        n: the number of flows on the map.
        of: the number of flows whose number or error is not 0.
        name: the name of the area.
        level: the level of the ends of the flows.
        way: the direction of the flows.
        shown: what the arcs show.
        whole_map: whether flows of all areas are shown.
        same_places: whether origins and destinations are the same areas. Flows within an area are
            then left out.

    >>> words = {"shown": "released", "whole_map": True}
    >>> flows_title(20, 20, "", "county", "both", **words)
    'All 20 flows between different counties'
    >>> flows_title(2, 2, "", "county", "both", **words)
    'Both flows between different counties'
    >>> flows_title(50, 600, "", "county", "both", **words)
    'The 50 largest flows between different counties'
    >>> flows_title(9, 9, "", "home", "from", **words, same_places=False)
    'All 9 flows from homes'
    >>> flows_title(3, 9, "Kent County", "county", "from", shown="error", whole_map=False)
    'The 3 largest errors in flows from Kent County (by county)'
    """
    which = {
        (True, 0): "No errors in flows",
        (False, 0): "No flows",
        (True, 1): "The largest error in flows",
        (False, 1): "The largest flow",
    }.get((shown == "error", n))
    if which is None and n == of:
        all_of_them = "Both" if n == 2 else f"All {n}"
        which = f"{all_of_them} errors in flows" if shown == "error" else f"{all_of_them} flows"
    if which is None:
        which = f"The {n} largest errors in flows" if shown == "error" else f"The {n} largest flows"
    if whole_map:
        if not same_places:
            return f"{which} from {plural(level)}"
        return f"{which} between different {plural(level)}"
    towards = {"from": "from", "to": "to", "both": "from or to"}[way]
    return f"{which} {towards} {place(name)} (by {level})"


def no_flows(shown: Shown, *, same_places: bool = True) -> str:
    """Return the line for a view without flows.

    >>> no_flows("true")
    'Nothing is shown, because every true flow between different areas is 0 in this view.'
    >>> no_flows("error", same_places=False)
    'Nothing is shown, because every error is 0 in this view.'
    """
    what = {"released": "simulated flow", "true": "true flow", "error": "error"}[shown]
    which = f"{what} between different areas" if same_places else what
    return f"Nothing is shown, because every {which} is 0 in this view."


def within_line(
    level: str, name: str, true: float, released: float, *, unit: str, alone: bool = False
) -> str:
    """Return the line on flows within an area, which no arc shows.

    Args:
        level: the level of the ends of the flows.
        name: the area whose flows are shown; empty for the flows of all areas.
        true, released: the sum of the flows within an area of the level.
        unit: what is counted, plural.
        alone: whether the named area is itself of that level.

    >>> within_line("county", "", 279_011, 279_020, unit="jobs")
    'Not shown: jobs within the same county (279,011 true, 279,020 simulated).'
    >>> within_line("county", "Kent County", 900, 898, unit="jobs", alone=True)
    'Not shown: jobs within Kent County (900 true, 898 simulated).'
    """
    where = f"the same {level} of {place(name)}" if name else f"the same {level}"
    if alone:
        where = place(name)
    return f"Not shown: {unit} within {where} ({whole(true)} true, {whole(released)} simulated)."


def matrix_title(n: int, of: int, level: str) -> str:
    """Return the heading of the matrix."""
    if of == 1:
        return f"Origin–destination matrix: the only {level}"
    if n >= of:
        return f"Origin–destination matrix: all {of:,} {plural(level)}"
    return f"Origin–destination matrix: the {n} busiest of {of:,} {plural(level)}"


def matrix_of_two_title(origins: int, destinations: int, *, most: int) -> str:
    """Return the heading of the matrix if origins and destinations are not the same areas.

    Args:
        origins, destinations: the numbers of areas of the level.
        most: the largest number of areas that have a row or a column of their own.

    >>> matrix_of_two_title(3, 2, most=25)
    'Origin–destination matrix: 3 origins and 2 destinations'
    >>> matrix_of_two_title(300, 2, most=25)
    'Origin–destination matrix: the 25 busiest of 300 origins and 2 destinations'
    """
    ends = (origins, "origin"), (destinations, "destination")
    parts = [
        f"the {most} busiest of {counted(n, end)}" if n > most else counted(n, end)
        for n, end in ends
    ]
    return f"Origin–destination matrix: {join_and(parts)}"


def matrix_note(
    *,
    rows_combined: bool,
    columns_combined: bool,
    shown: Shown,
    same_places: bool = True,
    negative: bool = False,
) -> str:
    """Return the line under the matrix.

    Args:
        rows_combined, columns_combined: whether the last row or column combines several areas.
        shown: which numbers the cells have.
        same_places: whether origins and destinations are the same areas.
        negative: whether some of the numbers are negative.
    """
    colours = "The colour scale is logarithmic. Blank cells are zero."
    if negative:
        colours = "The colour scale is logarithmic. Blank cells are zero or negative."
    if shown == "error":
        colours = "Released counts are too high in orange cells and too low in blue ones."
    combined = {
        (True, True): "The last row and the last column combine all other areas.",
        (True, False): "The last row combines all other origins.",
        (False, True): "The last column combines all other destinations.",
    }.get((rows_combined, columns_combined), "")
    within = "Cells on the diagonal are flows within an area."
    if combined:
        within = (
            "Cells on the diagonal are flows within an area, except the last one. It has all flows "
            "between and within the other areas."
        )
    return paragraph(
        "Rows are origins and columns are destinations.",
        combined,
        within if same_places else "",
        colours,
        NOT_PRIVATE,
    )


def false_flow_line(row: pd.Series, level: str, *, unit: str, same_places: bool = True) -> str:
    """Return false positives and false negatives of one level of the tree, in words."""
    ends = f"Between {plural(level)}" if same_places else f"From {plural(level)}"
    if not row["false_positives"] and not row["false_negatives"]:
        return f"{ends} there are no false positives or false negatives in this simulation."
    spurious, missed = int(row["false_positives"]), int(row["false_negatives"])
    return paragraph(
        *_false_positives(row, spurious, ends, unit), *_false_negatives(row, missed, unit)
    )


def _false_positives(row: pd.Series, n: int, ends: str, unit: str) -> tuple[str, ...]:
    if not n:
        return (f"{ends}, this simulation has no false positives.",)
    released = whole(row["false_positive_trips"])
    return (
        (
            f"{ends}, this simulation releases {unit} for "
            f"**{counted(n, 'pair')}** whose true count is 0 (false positives, "
            f"{percent(n / row['released'])} of the released pairs)."
        ),
        by_number(
            n,
            f"The released count of this pair is **{released}**.",
            f"The released counts of these pairs add up to **{released}**.",
        ),
    )


def _false_negatives(row: pd.Series, n: int, unit: str) -> tuple[str, ...]:
    if not n:
        return ("This simulation has no false negatives.",)
    true, pairs = whole(row["false_negative_trips"]), counted(n, "pair")
    return (
        (
            f"The simulation releases no {unit} for **{pairs}** whose true count is above 0 (false "
            f"negatives, {percent(n / row['pairs'])} of all pairs with a true count above 0)."
        ),
        by_number(
            n,
            f"The true count of this pair is **{true}**.",
            (
                f"The true counts of these pairs add up to **{true}**, "
                f"{number(row['false_negative_trips'] / n)} on average."
            ),
        ),
    )


def tree_line(first: str, levels: Sequence[str]) -> str:
    """Return the meaning of the choice of the tree.

    Args:
        first: the end of a flow that becomes finer first, "origin" or "destination".
        levels: the levels of the areas, root first.
    """
    example = levels[1] if len(levels) > 1 else levels[0]
    if first == "origin":
        return f"Origins are refined first ({example} → all before {example} → {example})."
    return f"Destinations are refined first (all → {example} before {example} → {example})."


def tree_advice(first: str, *, several_levels: bool) -> str:
    """Return in which case to choose the tree.

    Args:
        first: the end of a flow that becomes finer first, "origin" or "destination".
        several_levels: whether more than one level of the tree has noise.
    """
    if not several_levels:
        return (
            "Only pairs of the last level have noise, so this choice changes only the levels at "
            "which errors are shown."
        )
    return f"Choose this if {'departures' if first == 'origin' else 'arrivals'} matter most."


def not_inside(title: str) -> str:
    """Return why How it works shows the worked example instead."""
    return (
        f"This page explains mechanisms for counts and group sizes. {title} has flows, which the "
        "pages Overview and Area profile show. The worked example is shown here instead. To see "
        "this page for other data, choose them in the field Data."
    )


def arcs_caption(n: int, of: int, seed: int, *, shown: Shown, same_places: bool = True) -> str:
    """Return the caption of a flow map: how many of the flows it shows.

    Args:
        n, of, shown, same_places: as in `flows_title`.
        seed: the seed of the simulation.

    >>> arcs_caption(10, 20, 0, shown="true").partition(". ")[0]
    'Showing 10 of 20 true flows between different areas'
    """
    flows = {
        "released": counted(of, "simulated flow"),
        "true": counted(of, "true flow"),
        "error": f"{counted(of, 'error')} in flows",
    }[shown]
    return paragraph(
        f"Showing {n:,} of {flows} between different areas."
        if same_places
        else f"Showing {n:,} of {flows}. There is no map of them, because origins and destinations "
        "are not the same areas.",
        f"Simulated flows and errors are from one simulation, seed {seed}.",
        NOT_PRIVATE,
    )
