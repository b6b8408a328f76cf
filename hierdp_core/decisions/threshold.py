"""An area is eligible when its count lies on one side of a threshold."""

import numpy as np

from hierdp_core.decisions.base import Column, Parameter, Result, Rule, above_median, constant
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.util.arrays import BoolArray, NumberArray

COMMON_LIMIT = 50_000  # the threshold of many programmes of the United States
_DIVIDES = 0.1  # it is the default if at least this proportion of the areas lies on each side
SIDES = {"at-least": "at least", "above": "above", "below": "below"}


def qualifies(counts: NumberArray, limit: float, side: str) -> BoolArray:
    """Return which areas are eligible, in the shape of `counts`.

    >>> qualifies(np.array([4, 5, 6]), 5, "at-least").tolist()
    [False, True, True]
    """
    if side == "below":
        return np.asarray(counts < limit)
    return np.asarray(counts >= limit if side == "at-least" else counts > limit)


def usual_limit(true: NumberArray) -> int:
    """Return `COMMON_LIMIT` if a tenth of areas lies on each side of it, else a round threshold.

    >>> usual_limit(np.array([10_000, 49_000, 60_000])), usual_limit(np.array([3, 4]))
    (50000, 5)
    """
    part = float(np.mean(true >= COMMON_LIMIT)) if len(true) else 0.0
    return COMMON_LIMIT if _DIVIDES <= part <= 1 - _DIVIDES else above_median(true)


def threshold(places: LevelSimulations, *, limit: float, side: str) -> Result:
    """Compute how often areas are eligible under only one of the released and the true count."""
    due = qualifies(places.true, limit, side)
    qualifies_released = qualifies(places.released, limit, side)
    wrongly_in, wrongly_out = qualifies_released & ~due, ~qualifies_released & due
    return Result(
        wrong=(wrongly_in | wrongly_out).mean(axis=0),
        places={
            "qualifies": due,
            "wrongly_in": wrongly_in.mean(axis=0),
            "wrongly_out": wrongly_out.mean(axis=0),
        },
        simulations={
            "wrong": (wrongly_in | wrongly_out).sum(axis=1),
            "wrongly_in": wrongly_in.sum(axis=1),
            "wrongly_out": wrongly_out.sum(axis=1),
        },
        facts={"qualify": float(due.sum()), "places": float(len(due))},
    )


THRESHOLD = Rule(
    id="threshold",
    title="Eligibility threshold",
    about="An area is eligible when its count is at least, above or below a threshold.",
    ties="A count equal to the threshold is eligible under “at least” only.",
    wrong="is misclassified",
    wrongs="are misclassified",
    parameters=(
        Parameter(
            name="side",
            title="Eligible if the count is",
            about="Which side of the threshold is eligible.",
            kind="choice",
            usual=constant("at-least"),
            choices=SIDES,
        ),
        Parameter(
            name="limit",
            title="Threshold",
            about="The count of each area is compared with the threshold. The default is 50,000, a "
            "threshold of many United States programmes, if at least a tenth of the areas lies on "
            "each side. Otherwise the default is a round number above the median.",
            kind="number",
            usual=lambda places: usual_limit(places.true),
        ),
    ),
    place_columns=(
        Column(
            id="qualifies",
            title="Eligible",
            kind="flag",
            about="Whether the area is eligible by its true count.",
        ),
        Column(
            id="wrongly_in",
            title="False positive",
            kind="share",
            about="How often the area is eligible by its released count but not by its true count.",
        ),
        Column(
            id="wrongly_out",
            title="False negative",
            kind="share",
            about="How often the area is eligible by its true count but not by its released count.",
        ),
    ),
    simulation_columns=(
        Column(
            id="wrong",
            title="Misclassified areas",
            kind="count",
            about="The number of false positives and false negatives together.",
        ),
        Column(
            id="wrongly_in",
            title="False positives",
            kind="count",
            about="The number of areas that are eligible by the released count only.",
        ),
        Column(
            id="wrongly_out",
            title="False negatives",
            kind="count",
            about="The number of areas that are eligible by the true count only.",
        ),
    ),
    apply=threshold,
)
