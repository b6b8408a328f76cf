"""A place qualifies when its count lies on one side of a limit."""

import numpy as np

from hierdp_core.decisions.base import Column, Parameter, Result, Rule, above_median, constant
from hierdp_core.evaluation.released_counts import LevelDraws
from hierdp_core.util.arrays import BoolArray, NumberArray

SIDES = {"at-least": "at least", "above": "above", "below": "below"}


def qualifies(counts: NumberArray, limit: float, side: str) -> BoolArray:
    """Who qualifies, in the shape of `counts`.

    >>> qualifies(np.array([4, 5, 6]), 5, "at-least").tolist()
    [False, True, True]
    """
    if side == "below":
        return np.asarray(counts < limit)
    return np.asarray(counts >= limit if side == "at-least" else counts > limit)


def threshold(places: LevelDraws, *, limit: float, side: str) -> Result:
    """Wrongly in: qualifies by the released count but not by the true one; out: the reverse."""
    due = qualifies(places.true, limit, side)
    found = qualifies(places.released, limit, side)
    wrongly_in, wrongly_out = found & ~due, ~found & due
    return Result(
        wrong=(wrongly_in | wrongly_out).mean(axis=0),
        places={
            "qualifies": due,
            "wrongly_in": wrongly_in.mean(axis=0),
            "wrongly_out": wrongly_out.mean(axis=0),
        },
        draws={
            "wrong": (wrongly_in | wrongly_out).sum(axis=1),
            "wrongly_in": wrongly_in.sum(axis=1),
            "wrongly_out": wrongly_out.sum(axis=1),
        },
        facts={"qualify": float(due.sum()), "places": float(len(due))},
    )


THRESHOLD = Rule(
    id="threshold",
    title="Threshold",
    about="A place qualifies when its count is at least, above or below a limit.",
    ties="A count equal to the limit qualifies under “at least” only.",
    wrong="is wrongly in or out",
    wrongs="are wrongly in or out",
    parameters=(
        Parameter(
            name="side",
            title="Qualifies with",
            about="Which side of the limit qualifies.",
            kind="choice",
            usual=constant("at-least"),
            choices=SIDES,
        ),
        Parameter(
            name="limit",
            title="The limit",
            about="The count to which each place is held. By default a round number above the "
            "median.",
            kind="number",
            usual=lambda places: above_median(places.true),
        ),
    ),
    place_columns=(
        Column(id="qualifies", title="Truly in", kind="flag", about="Qualifies by its true count."),
        Column(
            id="wrongly_in",
            title="Wrongly in",
            kind="share",
            about="Share of draws in which it qualifies though its true count does not.",
        ),
        Column(
            id="wrongly_out",
            title="Wrongly out",
            kind="share",
            about="Share of draws in which it does not qualify though its true count does.",
        ),
    ),
    draw_columns=(
        Column(
            id="wrong", title="Places wrongly treated", kind="count", about="Wrongly in or out."
        ),
        Column(id="wrongly_in", title="Wrongly in", kind="count", about="Places wrongly in."),
        Column(id="wrongly_out", title="Wrongly out", kind="count", about="Places wrongly out."),
    ),
    apply=threshold,
)
