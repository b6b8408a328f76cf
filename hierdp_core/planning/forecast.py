"""Predictions from the noise variances alone, from which a search starts.

Post-processing is modelled as the upward pass of linear least squares: the noisy count of a region
and the sum of its children are averaged, weighted by inverse variance. Source: Hay, Rastogi, Miklau
and Suciu 2010, Section 4, first pass. The prediction is a guess, which simulations then replace.
"""

import math

import numpy as np

from hierdp_core.hierarchy import child_sums
from hierdp_core.planning.bench import Bench, TargetScorer
from hierdp_core.simulation import Plan
from hierdp_core.tables import Quantity
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.util.arrays import FloatArray

_STEPS = 60  # halvings of the tolerance's multiple


def node_variances(plan: Plan, selected: Quantity) -> FloatArray:
    """Return the variance of a quantity at every region after the first pass, shape (n_nodes,).

    Cells of a region are assumed to be independent. The variance is infinite if nothing was
    measured.
    """
    tree = plan.domain.tree
    if not selected.weights:
        return _between_places(plan)
    own = float(np.square(np.array(selected.weights, dtype=np.float64)).sum())
    variances = np.empty(tree.n_nodes)
    for level in reversed(range(tree.n_levels)):
        nodes, measured = tree.level(level), plan.variances[level]
        variances[nodes] = math.inf if measured is None else own * measured
        if level < tree.n_levels - 1:
            below = child_sums(tree, variances, level)
            with np.errstate(divide="ignore", invalid="ignore"):
                joint = 1 / (1 / variances[nodes] + 1 / below)
            variances[nodes] = np.where(np.minimum(variances[nodes], below) == 0, 0.0, joint)
    return variances


def _between_places(plan: Plan) -> FloatArray:
    """Return rough variances for flows, each number of which sums the flows with all regions."""
    tree = plan.domain.tree
    by_level = [plan.variances[2 * k] or 0.0 for k in range(tree.n_levels)]
    guesses = [v * n for v, n in zip(by_level, tree.level_sizes, strict=True)]
    return np.repeat(np.array(guesses), tree.level_sizes)


def taken(scorer: TargetScorer, variances: FloatArray, reliability: float) -> float:
    """Predict the multiple of its tolerance that a target needs in all but a few simulations.

    Errors are assumed to be independent and normal. k of n regions are then within the tolerance
    with probability `reliability` if p, the mean probability of one region, is high enough. The
    required p is the quantile at `reliability` of the distribution Beta(k, n − k + 1).
    """
    from scipy.special import ndtr
    from scipy.stats import beta

    deviation = np.sqrt(variances[scorer.nodes])
    if scorer.target.share is None:
        mean = float((deviation * math.sqrt(2 / math.pi) / scorer.limit).mean())
        return mean / scorer.target.tolerance
    n, k = len(scorer.nodes), scorer.needed
    proportion = float(beta.ppf(reliability, k, n - k + 1))
    if not deviation.any():
        return 0.0
    low, high = 1e-9, 1e9
    for _ in range(_STEPS):
        middle = math.sqrt(low * high)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(deviation > 0, middle * scorer.limit / deviation, math.inf)
        within = float((2 * ndtr(np.nan_to_num(reach, nan=0.0)) - 1).mean())
        low, high = (low, middle) if within >= proportion else (middle, high)
    return high


def foreseen(bench: Bench, plan: Plan, reliability: float) -> float:
    """Return the largest multiple of its tolerance that any target is predicted to need."""
    known: dict[str, FloatArray] = {}
    worst = 0.0
    for scorer in bench.scorers:
        quantity_id = scorer.target.quantity or bench.table.quantities[0].id
        if quantity_id not in known:
            known[quantity_id] = node_variances(plan, quantity_of(bench.table, quantity_id))
        worst = max(worst, taken(scorer, known[quantity_id], reliability))
    return worst
