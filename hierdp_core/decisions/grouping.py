"""Groups of nearly equal count, made of places that follow each other in the table."""

import numpy as np

from hierdp_core.decisions.base import Column, Parameter, Result, Rule, weights_of
from hierdp_core.evaluation.released_counts import LevelDraws
from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray


def cut(counts: NumberArray, groups: int) -> IntArray:
    """The group of every place, from 0, in the shape of `counts`; no group is empty.

    Places keep their order. A cut falls where the running total comes nearest to its part of
    the whole, the earlier one where two are as near. Numbers below 0 count as 0, a row of zeros
    as all equal.

    >>> cut(np.array([3, 1, 4, 4]), 3).tolist()
    [0, 0, 1, 2]
    """
    weights = np.atleast_2d(weights_of(counts))
    n = weights.shape[1]
    running = np.cumsum(weights, axis=1)
    result = np.empty(weights.shape, dtype=np.int64)
    for draw, totals in enumerate(running):
        result[draw] = np.searchsorted(_ends(totals, groups), np.arange(n), side="right")
    return result.reshape(counts.shape)


def _ends(running: FloatArray, groups: int) -> IntArray:
    """Before which places the cuts fall, shape (groups - 1,), rising."""
    n, whole = len(running), running[-1]
    wanted = whole * np.arange(1, groups) / groups
    after = np.clip(np.searchsorted(running, wanted), 1, n - 1)
    nearer_before = wanted - running[after - 1] <= running[after] - wanted
    ends = np.where(nearer_before, after, after + 1)
    # No group may be empty: each cut at least one place after the last, room left for the rest.
    steps = np.arange(groups - 1)
    ends = np.maximum.accumulate(np.maximum(ends, 1) - steps) + steps
    last: IntArray = np.minimum(ends, n - groups + 1 + steps)
    return last


def totals(counts: NumberArray, group: IntArray, groups: int) -> FloatArray:
    """The count of every group, shape (draws, groups), from `group` of shape (draws, places)."""
    shifted = group + groups * np.arange(len(group))[:, None]
    weights = np.broadcast_to(counts, group.shape).ravel()
    sums = np.bincount(shifted.ravel(), weights=weights, minlength=groups * len(group))
    return sums.reshape(len(group), groups).astype(np.float64)


def deviation(counts: NumberArray, group: IntArray, groups: int) -> FloatArray:
    """How far the group furthest from the ideal is off it, as a share, shape (draws,)."""
    ideal = weights_of(counts).sum() / groups
    off = np.abs(totals(weights_of(counts), group, groups) - ideal)
    result: FloatArray = off.max(axis=1) / ideal
    return result


def grouping(places: LevelDraws, *, groups: int) -> Result:
    """Groups made from released counts, judged by the true ones.

    Raises:
        ChoiceError: there are fewer places than groups.
    """
    if groups > len(places.true):
        raise ChoiceError(
            f"{len(places.true):,} places of the level {places.level} cannot make {groups:,} "
            f"groups. Ask for at most {len(places.true):,}, or choose a lower level."
        )
    due = cut(places.true, groups)
    found = cut(places.released, groups)
    exact = float(deviation(places.true, due[None], groups)[0])
    return Result(
        wrong=(found != due).mean(axis=0),
        places={"group": due + 1},
        draws={
            "deviation": deviation(places.true, found, groups),
            "moved": (found != due).sum(axis=1),
        },
        facts={
            "places": float(len(due)),
            "ideal": float(weights_of(places.true).sum() / groups),
            "exact": exact,
        },
    )


GROUPING = Rule(
    id="grouping",
    title="Groups of equal count",
    about="Places that follow each other in the table make groups of nearly equal count, as "
    "districts do; a cut falls where the running total comes nearest to its part of the whole.",
    ties="Where two cuts are as near, the earlier one is taken.",
    wrong="is in another group",
    wrongs="are in another group",
    parameters=(
        Parameter(
            name="groups",
            title="Groups",
            about="At most as many as there are places.",
            kind="whole",
            least=2,
            usual=lambda places: max(2, min(10, len(places.true) // 2)),
        ),
    ),
    place_columns=(
        Column(id="group", title="Group", kind="count", about="Its group by the true counts."),
    ),
    draw_columns=(
        Column(
            id="deviation",
            title="Largest deviation from equal groups",
            kind="share",
            about="How far the group furthest from the ideal is off it, in true counts.",
        ),
        Column(
            id="moved",
            title="Places in another group",
            kind="count",
            about="Places that the true counts put elsewhere.",
        ),
    ),
    apply=grouping,
)
