"""Bounds on the errors of each level, which hold except with probability β.

Source: [C] Boninsegna and Silvestri 2024.

These are the bounds of Theorem 4 and Proposition 1 for the given tree. They are worst cases:
measured errors are usually far smaller.

From the root down, the error of a node is at most that of its parent plus twice the largest noise
among its siblings and itself. This is because the true counts of a family (the children of one
node), shifted by the error of the parent, are one of the points that may be chosen. The chosen
point has no larger maximum distance from the noisy counts. The error of a node below a parent that
was released as 0 is its true count, which is at most the error of the parent. On tree level ℓ,
every error is thus at most 2 Σ_{1 ≤ j ≤ ℓ} max |noise on level j|, plus |noise of the root|.

How many nodes of level j get noise depends on the noise above. Let this number be n_j, and let m be
the number of levels with noise down to level ℓ. Choose t_j so that n_j · P(|noise| > t_j) ≤ β/m.
Then some noise of level j exceeds t_j with probability at most β/m, and this happens on any of
these levels with probability at most β. (The proof in the paper divides β over all nodes at
once, which requires their number beforehand.) For the discrete Gaussian, t = σ √(2 ln(2 n m/β)):
Canonne, Kamath and Steinke 2020, Corollary 9. For two-sided geometric noise of scale s,
P(|X| > t) ≤ 2 exp(−t/s), so t = s ln(2 n m/β).

With noise on the leaves, the error of a node over k leaves is the sum of theirs. The sum of
Gaussian noises has variance kσ². For other noise, the bound is k times that on the largest noise.
A flow that is dropped below a threshold has an error below the threshold plus the size of its
noise.
"""

import math
from collections.abc import Sequence

import numpy as np

from hierdp_core.hierarchy import leaf_ancestors
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import Event, GaussianEvent, ThresholdEvent
from hierdp_core.tables.flow_tree import FlowTree


def largest_noise(event: Event, n_noisy: int, beta: float) -> float:
    """Return a bound on the size of `n_noisy` noises that holds except with probability `beta`."""
    log = math.log(2 * max(1, n_noisy) / beta)
    if isinstance(event, GaussianEvent):
        return math.sqrt(2 * float(event.sigma2) * log)
    return float(event.scale) * log


def top_down_bounds(plan: Plan, *, n_noisy: Sequence[int] | None, beta: float) -> tuple[float, ...]:
    """Return the bounds for mechanisms that go from the root down; see `Mechanism.error_bounds`."""
    tree = plan.level_tree
    known = [tree.cells(level) for level in range(tree.n_levels)] if n_noisy is None else n_noisy
    return tuple(_top_down(plan, known, level, beta) for level in range(tree.n_levels))


def _top_down(plan: Plan, n_noisy: Sequence[int], level: int, beta: float) -> float:
    measured = [j for j in range(level + 1) if j in plan.by_level]
    return sum(
        (2 if j else 1) * largest_noise(plan.by_level[j], n_noisy[j], beta / len(measured))
        for j in measured
    )


def leaf_noise_bounds(plan: Plan, beta: float) -> tuple[float, ...]:
    """Return the bounds for noise on the leaves alone; see `Mechanism.error_bounds`."""
    tree, (event,) = plan.level_tree, plan.events
    assert isinstance(tree, FlowTree)
    found = []
    for level in range(tree.n_levels):
        leaves, nodes = _most_leaves(tree, level), tree.cells(level)
        if isinstance(event, GaussianEvent):
            found.append(math.sqrt(leaves) * largest_noise(event, nodes, beta))
            continue
        # Which pairs have a flow is not public, so all possible ones are counted.
        each = largest_noise(event, tree.cells(tree.n_levels - 1), beta)
        lost = event.threshold if isinstance(event, ThresholdEvent) else 0
        found.append(leaves * (each + lost))
    return tuple(found)


def _most_leaves(tree: FlowTree, level: int) -> int:
    """Return the largest number of leaf pairs under one node of a level."""
    most = [
        int(np.bincount(leaf_ancestors(hierarchy, k)).max())
        for hierarchy, k in zip(tree.trees, tree.geographic(level), strict=True)
    ]
    return most[0] * most[1]
