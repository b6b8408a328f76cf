"""Funding allocated in proportion to counts."""

import numpy as np

from hierdp_core.decisions.base import (
    Column,
    Parameter,
    Result,
    Rule,
    constant,
    shares_of,
    weights_of,
)
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.util.arrays import BoolArray, FloatArray, NumberArray
from hierdp_core.util.tolerance import within

EDGES = (0.05, 0.95)  # quantiles over simulations, reported for each area
_ROUNDING = 1e-9  # a smaller proportion of the money does not count as a loss
_LARGEST_PRODUCT = 2.0**62


def funding(places: LevelSimulations, *, money: float, tolerance: float) -> Result:
    """Allocate the money in proportion to the true and to the released counts.

    The amount misallocated is half the sum of absolute differences, since what some areas lose,
    others gain.
    """
    due = money * shares_of(places.true)
    got = money * shares_of(places.released)
    change = got - due
    loss = np.maximum(-change, 0)
    loses = ~_tolerated(places, tolerance) & (loss > _ROUNDING * money)
    low, high = np.quantile(change, EDGES, axis=0)
    misplaced = np.abs(change).sum(axis=1) / 2
    return Result(
        wrong=loses.mean(axis=0),
        places={
            "due": due,
            "mean_change": change.mean(axis=0),
            "mean_loss": loss.mean(axis=0),
            "mean_loss_share": _part_of(due, loss.mean(axis=0)),
            "low": low,
            "high": high,
            "worst_loss": loss.max(axis=0),
        },
        simulations={
            "misplaced": misplaced,
            "misplaced_share": misplaced / money,
            "largest_loss": loss.max(axis=1),
            "losers": loses.sum(axis=1),
        },
        facts={"places": float(len(due))},
    )


def _part_of(due: FloatArray, loss: FloatArray) -> FloatArray:
    """Return each loss as a proportion of the entitlement; NaN where that is 0."""
    part: FloatArray = np.divide(loss, due, out=np.full(len(due), np.nan), where=due > 0)
    return np.minimum(part, 1.0)


def _tolerated(places: LevelSimulations, tolerance: float) -> BoolArray:
    """Return which areas lose at most the tolerance, shape (simulations, places).

    An area with the true count t and the released count r loses t/T − r/R, where T and R are the
    true and the released total. The loss is compared with t/T after multiplying both by T R. This
    is exact for integer counts as long as T R fits in int64; otherwise the products are floats.
    """
    true: NumberArray = weights_of(places.true)
    released: NumberArray = weights_of(places.released)
    most = float(true.sum()) * float(released.sum(axis=-1).max(initial=0))
    are_whole = all(np.issubdtype(v.dtype, np.integer) for v in (places.true, places.released))
    if are_whole and most < _LARGEST_PRODUCT:
        true, released = true.astype(np.int64), released.astype(np.int64)
    due = true * released.sum(axis=-1, keepdims=True)
    return within(np.maximum(due - released * true.sum(), 0), due, tolerance)


FUNDING = Rule(
    id="funding",
    title="Proportional funding",
    about="Funding is allocated in proportion to the counts; a count below 0 is taken as 0.",
    ties="Areas with equal counts receive equal amounts, even if every count is 0.",
    wrong="loses more than the tolerance",
    wrongs="lose more than the tolerance",
    parameters=(
        Parameter(
            name="money",
            title="Total funding (US$)",
            about="The amount that all areas together receive.",
            kind="number",
            least=0.01,
            usual=constant(1_000_000_000),
        ),
        Parameter(
            name="tolerance",
            title="Loss tolerance",
            about="An area counts as affected when it loses more than this percentage of its "
            "entitlement.",
            kind="share",
            usual=constant(0.01),
        ),
    ),
    place_columns=(
        Column(
            id="due",
            title="Entitlement ($)",
            kind="money",
            about="The amount under the true counts.",
        ),
        Column(
            id="mean_change",
            title="Mean change ($)",
            kind="money",
            about="Mean of the amount received minus the entitlement. Above 0, the area gains on "
            "average.",
        ),
        Column(
            id="mean_loss",
            title="Mean loss ($)",
            kind="money",
            about="Mean shortfall against the entitlement, counted as 0 in simulations in which "
            "the area gains.",
        ),
        Column(
            id="mean_loss_share",
            title="Relative mean loss",
            kind="share",
            about="The mean loss divided by the entitlement.",
        ),
        Column(
            id="low",
            title="Change, 5th percentile ($)",
            kind="money",
            about="In about 5% of simulations, or fewer if many are equal, the change is lower.",
        ),
        Column(
            id="high",
            title="Change, 95th percentile ($)",
            kind="money",
            about="In about 5% of simulations, or fewer if many are equal, the change is higher.",
        ),
        Column(
            id="worst_loss",
            title="Maximum loss ($)",
            kind="money",
            about="The largest loss in any simulation.",
        ),
    ),
    simulation_columns=(
        Column(
            id="misplaced_share",
            title="Proportion of funding misallocated",
            kind="share",
            about="Half the sum over areas of the absolute difference between received funding "
            "and entitlement, divided by all funding.",
        ),
        Column(
            id="misplaced",
            title="Funding misallocated ($)",
            kind="money",
            about="The same amount in dollars.",
        ),
        Column(
            id="largest_loss",
            title="Largest loss ($)",
            kind="money",
            about="The loss of the area that loses most.",
        ),
        Column(
            id="losers",
            title="Areas that lose more than the tolerance",
            kind="count",
            about="The number of areas whose loss exceeds the tolerance.",
        ),
    ),
    apply=funding,
)
