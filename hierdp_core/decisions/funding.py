"""A sum of money shared out in proportion to counts."""

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
from hierdp_core.evaluation.released_counts import LevelDraws
from hierdp_core.util.arrays import BoolArray, NumberArray
from hierdp_core.util.tolerance import within

EDGES = (0.05, 0.95)  # quantiles over draws that a place is told
_ROUNDING = 1e-9  # of the money: less is not a loss
_LARGEST_PRODUCT = 2.0**62


def funding(places: LevelDraws, *, money: float, tolerance: float) -> Result:
    """Each place's due is its true share of the money; what it gets is its released share.

    Money misplaced is half of the sum of all differences: what some lose, others gain.
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
            "low": low,
            "high": high,
            "worst_loss": loss.max(axis=0),
        },
        draws={
            "misplaced": misplaced,
            "misplaced_share": misplaced / money,
            "largest_loss": loss.max(axis=1),
            "losers": loses.sum(axis=1),
        },
        facts={"places": float(len(due))},
    )


def _tolerated(places: LevelDraws, tolerance: float) -> BoolArray:
    """Tell which places lose at most the tolerance times what they are due, shape (draws, places).

    The loss t/T − r/R of a place with true count t and released count r, of the totals T and R,
    is compared to t/T after multiplying both by T R. That is exact for integer counts while T R
    fits in int64; otherwise the products are floats.
    """
    true: NumberArray = weights_of(places.true)
    released: NumberArray = weights_of(places.released)
    most = float(true.sum()) * float(released.sum(axis=-1).max(initial=0))
    whole = all(np.issubdtype(v.dtype, np.integer) for v in (places.true, places.released))
    if whole and most < _LARGEST_PRODUCT:
        true, released = true.astype(np.int64), released.astype(np.int64)
    due = true * released.sum(axis=-1, keepdims=True)
    return within(np.maximum(due - released * true.sum(), 0), due, tolerance)


FUNDING = Rule(
    id="funding",
    title="Funding by counts",
    about="Money is shared out in proportion to the counts; a count below 0 is taken for 0.",
    ties="Places with equal counts get equal money; where every count is 0, all get the same.",
    wrong="loses more than tolerated",
    wrongs="lose more than tolerated",
    parameters=(
        Parameter(
            name="money",
            title="Money to share out",
            about="In any currency; above 0.",
            kind="number",
            least=0.01,
            usual=constant(100_000_000),
        ),
        Parameter(
            name="tolerance",
            title="Tolerated loss",
            about="A place is wrongly treated in a draw that takes more than this share of what "
            "its true count would bring.",
            kind="share",
            usual=constant(0.01),
        ),
    ),
    place_columns=(
        Column(id="due", title="Due", kind="money", about="What the true count would bring."),
        Column(
            id="mean_change",
            title="Mean change",
            kind="money",
            about="Got less due, the mean over draws: above 0 the place gains in the long run.",
        ),
        Column(
            id="mean_loss",
            title="Expected loss",
            kind="money",
            about="What is missing to the due, the mean over draws; 0 in draws that bring more.",
        ),
        Column(id="low", title="Change, low", kind="money", about="1 draw in 20 is below this."),
        Column(id="high", title="Change, high", kind="money", about="1 draw in 20 is above this."),
        Column(
            id="worst_loss", title="Worst loss", kind="money", about="The largest of all draws."
        ),
    ),
    draw_columns=(
        Column(
            id="misplaced_share",
            title="Share of the money misplaced",
            kind="share",
            about="Half of the sum of all differences, as a share of the money.",
        ),
        Column(id="misplaced", title="Money misplaced", kind="money", about="The same as a sum."),
        Column(
            id="largest_loss",
            title="Largest loss",
            kind="money",
            about="What the place that loses most in this draw loses.",
        ),
        Column(
            id="losers",
            title="Places that lose more than tolerated",
            kind="count",
            about="Places whose loss counts.",
        ),
    ),
    apply=funding,
)
