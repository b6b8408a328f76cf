"""Groups of nearly equal count, formed from areas that are adjacent in the table."""

import numpy as np

from hierdp_core.decisions.base import Column, Parameter, Result, Rule, constant, weights_of
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray
from hierdp_core.util.text import counted


def cut(counts: NumberArray, groups: int) -> IntArray:
    """Return the group of every area, from 0, in the shape of `counts`.

    `counts` has shape (areas,) or (simulations, areas), with at least `groups` areas. No group is
    empty.

    Areas keep their order. A border falls where the cumulative count is closest to its proportion
    of the total, the earlier one if two are equally close. Counts below 0 are taken as 0. If all
    counts of a row are then 0, they are taken as equal.

    >>> cut(np.array([3, 1, 4, 4]), 3).tolist()
    [0, 0, 1, 2]
    """
    weights = np.atleast_2d(weights_of(counts))
    n = weights.shape[1]
    running = np.cumsum(weights, axis=1)
    result = np.empty(weights.shape, dtype=np.int64)
    for row, totals in enumerate(running):
        result[row] = np.searchsorted(_ends(totals, groups), np.arange(n), side="right")
    return result.reshape(counts.shape)


def _ends(running: FloatArray, groups: int) -> IntArray:
    """Return the areas before which the borders fall, shape (groups - 1,), ascending."""
    n, total = len(running), running[-1]
    shares_of_total = total * np.arange(1, groups) / groups
    after = np.clip(np.searchsorted(running, shares_of_total), 1, n - 1)
    nearer_before = shares_of_total - running[after - 1] <= running[after] - shares_of_total
    ends = np.where(nearer_before, after, after + 1)
    # No group may be empty: borders differ, and enough areas remain for the groups after each.
    steps = np.arange(groups - 1)
    ends = np.maximum.accumulate(np.maximum(ends, 1) - steps) + steps
    last: IntArray = np.minimum(ends, n - groups + 1 + steps)
    return last


def totals(counts: NumberArray, group: IntArray, groups: int) -> FloatArray:
    """Return the count of every group, shape (simulations, groups)."""
    shifted = group + groups * np.arange(len(group))[:, None]
    weights = np.broadcast_to(counts, group.shape).ravel()
    sums = np.bincount(shifted.ravel(), weights=weights, minlength=groups * len(group))
    return sums.reshape(len(group), groups).astype(np.float64)


def deviation(counts: NumberArray, group: IntArray, groups: int) -> FloatArray:
    """Return the largest deviation of a group from the ideal, divided by it, shape (simulations,).

    The ideal is the total divided by the number of groups.
    """
    ideal = weights_of(counts).sum() / groups
    deviations = np.abs(totals(weights_of(counts), group, groups) - ideal)
    result: FloatArray = deviations.max(axis=1) / ideal
    return result


def overall_range(counts: NumberArray, group: IntArray, groups: int) -> FloatArray:
    """Return the largest minus the smallest group, divided by the ideal, shape (simulations,)."""
    sums = totals(weights_of(counts), group, groups)
    result: FloatArray = (sums.max(axis=1) - sums.min(axis=1)) * groups / sums[0].sum()
    return result


def grouping(places: LevelSimulations, *, groups: int, limit: float) -> Result:
    """Form districts from released counts and measure them in true counts.

    The overall range is the measure that courts use: Brown v. Thomson, 462 U.S. 835, 842 (1983).

    Raises:
        ChoiceError: there are fewer areas than groups.
    """
    n = len(places.true)
    if groups > n:
        remedy = (
            f"Give at most {n:,}, or choose a lower level." if n > 1 else "Choose a lower level."
        )
        raise ChoiceError(
            f"{counted(n, 'area')} of the level {places.level} cannot form {groups:,} districts. "
            f"{remedy}"
        )
    due = cut(places.true, groups)
    groups_released = cut(places.released, groups)
    exact = float(overall_range(places.true, due[None], groups)[0])
    ranges = overall_range(places.true, groups_released, groups)
    return Result(
        wrong=(groups_released != due).mean(axis=0),
        places={"group": due + 1},
        simulations={
            "range": ranges,
            "over": (ranges > limit).astype(np.int64),
            "deviation": deviation(places.true, groups_released, groups),
            "moved": (groups_released != due).sum(axis=1),
        },
        facts={
            "places": float(len(due)),
            "ideal": float(weights_of(places.true).sum() / groups),
            "exact": exact,
        },
    )


GROUPING = Rule(
    id="grouping",
    title="Equal-population districts",
    about="Whole areas that follow each other in the table form districts of nearly equal count. A "
    "border falls where the cumulative count is closest to its proportion of the total.",
    ties="Where two borders are equally close, the earlier one is taken.",
    wrong="is in a different district",
    wrongs="are in a different district",
    parameters=(
        Parameter(
            name="groups",
            title="Districts",
            about="The number of districts, at most the number of areas.",
            kind="whole",
            least=2,
            usual=lambda places: max(2, min(10, len(places.true) // 2)),
        ),
        Parameter(
            name="limit",
            title="Limit of the overall range",
            about="The largest district minus the smallest, as a percentage of the ideal "
            "population, which is the total divided by the number of districts. The default, 10%, "
            "is that for state legislatures.",
            kind="share",
            usual=constant(0.1),
        ),
    ),
    place_columns=(
        Column(
            id="group",
            title="District",
            kind="count",
            about="The district of the area under the true counts.",
        ),
    ),
    simulation_columns=(
        Column(
            id="range",
            title="Overall range of district populations",
            kind="share",
            about="The largest district minus the smallest, divided by the ideal "
            "population, in true counts.",
        ),
        Column(
            id="over",
            title="Range above the limit",
            kind="flag",
            about="Whether the overall range exceeds the limit.",
        ),
        Column(
            id="deviation",
            title="Maximum deviation of a district",
            kind="share",
            about="The largest difference between a district and the ideal population, divided by "
            "the ideal population, in true counts.",
        ),
        Column(
            id="moved",
            title="Areas in a different district",
            kind="count",
            about="The number of areas that the true counts assign to another district.",
        ),
    ),
    apply=grouping,
)
