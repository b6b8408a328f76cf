"""The k largest, or smallest, places."""

import numpy as np

from hierdp_core.decisions.base import Column, Parameter, Result, Rule, constant
from hierdp_core.evaluation.released_counts import LevelDraws
from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.arrays import IntArray, NumberArray

ENDS = {"largest": "largest", "smallest": "smallest"}
EDGES = (0.05, 0.95)


def ranks(counts: NumberArray, end: str = "largest") -> IntArray:
    """The rank of each entry along the last axis, 1 first; equal ones in their order.

    >>> ranks(np.array([5, 9, 9, 1])).tolist()
    [3, 1, 2, 4]
    """
    order = np.argsort(-counts if end == "largest" else counts, axis=-1, kind="stable")
    result = np.empty(counts.shape, dtype=np.int64)
    places = np.broadcast_to(np.arange(1, counts.shape[-1] + 1), counts.shape)
    np.put_along_axis(result, order, places, axis=-1)
    return result


def ranking(places: LevelDraws, *, k: int, end: str) -> Result:
    """How often the first k change, as a set and in their order.

    Raises:
        ChoiceError: there are fewer than k places.
    """
    if k > len(places.true):
        raise ChoiceError(
            f"The level {places.level} has {len(places.true):,} places, so the first can be 1 to "
            f"{len(places.true):,} of them; got {k:,}."
        )
    true, released = ranks(places.true, end), ranks(places.released, end)
    top, found = true <= k, released <= k
    enters, leaves = found & ~top, ~found & top
    reordered = (found != top) | (top & (released != true))
    low, high = np.quantile(released, EDGES, axis=0, method="nearest")
    return Result(
        wrong=(enters | leaves).mean(axis=0),
        places={
            "rank": true,
            "enters": enters.mean(axis=0),
            "leaves": leaves.mean(axis=0),
            "low": low,
            "high": high,
        },
        draws={"replaced": leaves.sum(axis=1), "reordered": reordered.any(axis=1).astype(np.int64)},
        facts={"places": float(len(true)), "cut": float(places.true[true == k][0])},
    )


RANKING = Rule(
    id="ranking",
    title="Ranking",
    about="The places with the largest, or smallest, counts are picked.",
    ties="Of places with equal counts the one that comes first in the table ranks first.",
    wrong="is wrongly picked or left out",
    wrongs="are wrongly picked or left out",
    parameters=(
        Parameter(
            name="k",
            title="How many",
            about="At most all places of the level.",
            kind="whole",
            least=1,
            usual=lambda places: min(10, max(1, len(places.true) // 2)),
        ),
        Parameter(
            name="end",
            title="Picked are the",
            about="From which end of the ranking.",
            kind="choice",
            usual=constant("largest"),
            choices=ENDS,
        ),
    ),
    place_columns=(
        Column(id="rank", title="True rank", kind="count", about="Its rank by the true count."),
        Column(
            id="enters",
            title="Wrongly in",
            kind="share",
            about="Share of draws in which it is picked though its true rank is too low.",
        ),
        Column(
            id="leaves",
            title="Wrongly out",
            kind="share",
            about="Share of draws in which it is not picked though its true rank would do.",
        ),
        Column(id="low", title="Rank, from", kind="count", about="1 draw in 20 ranks it before."),
        Column(id="high", title="Rank, to", kind="count", about="1 draw in 20 ranks it after."),
    ),
    draw_columns=(
        Column(
            id="replaced",
            title="Picked places replaced",
            kind="count",
            about="Places that should be picked and are not; as many others take their place.",
        ),
        Column(
            id="reordered",
            title="Set or order changed",
            kind="flag",
            about="Whether the list of picked places differs in any way.",
        ),
    ),
    apply=ranking,
)
