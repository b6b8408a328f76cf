"""Selection of the k areas with the largest, or smallest, counts."""

import numpy as np

from hierdp_core.decisions.base import Column, Parameter, Result, Rule, constant
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.text import counted

ENDS = {"largest": "largest", "smallest": "smallest"}
EDGES = (0.05, 0.95)


def ranks(counts: NumberArray, end: str = "largest") -> IntArray:
    """Return the rank of each entry along the last axis, from 1; ties rank in table order.

    >>> ranks(np.array([5, 9, 9, 1])).tolist()
    [3, 1, 2, 4]
    """
    order = np.argsort(-counts if end == "largest" else counts, axis=-1, kind="stable")
    result = np.empty(counts.shape, dtype=np.int64)
    places = np.broadcast_to(np.arange(1, counts.shape[-1] + 1), counts.shape)
    np.put_along_axis(result, order, places, axis=-1)
    return result


def ranking(places: LevelSimulations, *, k: int, end: str) -> Result:
    """Compute how often the first k areas change, as a set and in their order.

    Raises:
        ChoiceError: there are fewer than k areas.
    """
    if k > len(places.true):
        raise ChoiceError(
            f"The level {places.level} has {counted(len(places.true), 'area')}, and {k:,} "
            f"cannot be selected. Give a number up to {len(places.true):,}."
        )
    true, released = ranks(places.true, end), ranks(places.released, end)
    top, top_released = true <= k, released <= k
    enters, leaves = top_released & ~top, ~top_released & top
    reordered = (top_released != top) | (top & (released != true))
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
        simulations={
            "replaced": leaves.sum(axis=1),
            "reordered": reordered.any(axis=1).astype(np.int64),
        },
        facts={"places": float(len(true)), "cut": float(places.true[true == k][0])},
    )


RANKING = Rule(
    id="ranking",
    title="Ranking",
    about="The areas with the largest, or smallest, counts are selected.",
    ties="Of areas with equal counts, the first in the table ranks first.",
    wrong="is selected only under the true or only under the released counts",
    wrongs="are selected only under the true or only under the released counts",
    parameters=(
        Parameter(
            name="k",
            title="Number selected",
            about="The number of areas that are selected.",
            kind="whole",
            least=1,
            usual=lambda places: min(10, max(1, len(places.true) // 2)),
        ),
        Parameter(
            name="end",
            title="Select the",
            about="The end of the ranking that is selected.",
            kind="choice",
            usual=constant("largest"),
            choices=ENDS,
        ),
    ),
    place_columns=(
        Column(
            id="rank", title="Rank", kind="count", about="The area’s rank under the true counts."
        ),
        Column(
            id="enters",
            title="False positive (selected)",
            kind="share",
            about="How often the area is selected, if it is not selected under the true counts.",
        ),
        Column(
            id="leaves",
            title="False negative (omitted)",
            kind="share",
            about="How often the area is not selected, if it is selected under the true counts.",
        ),
        Column(
            id="low",
            title="Rank, 5th percentile",
            kind="count",
            about="About 95% of simulations give the area this rank or a larger rank number.",
        ),
        Column(
            id="high",
            title="Rank, 95th percentile",
            kind="count",
            about="About 95% of simulations give the area this rank or a smaller rank number.",
        ),
    ),
    simulation_columns=(
        Column(
            id="replaced",
            title="Selected areas replaced",
            kind="count",
            about="Areas selected under the true counts only. As many others replace them.",
        ),
        Column(
            id="reordered",
            title="Selection or order changed",
            kind="flag",
            about="Whether the list of selected areas differs in any way.",
        ),
    ),
    apply=ranking,
)
