"""Bounds of [C] on the error of each level that hold except with probability β.

The bounds of Theorem 4 and Proposition 1 for the tree at hand. They are worst cases: what is
measured is usually far below.

On the way from the root down, a node's error is at most its parent's plus twice the largest noise
among its siblings. For the family's true numbers, moved by the parent's error, are a candidate,
and the nearest point must beat it in its largest change. A node that is dropped errs by its
true number, which is at most its parent's error.
So on tree level ℓ every error is at most 2 Σ_{j ≤ ℓ} max |noise on level j|, plus the root's.

How many numbers get noise on level j is settled by the noise above it. Given that, n_j of them
stay below a t_j with n_j · P(|noise| > t_j) ≤ β/ℓ except with probability β/ℓ, and ℓ such
events make β. (The proof in the paper shares β over all of them at once, which needs their
number beforehand.) For the discrete Gaussian t = σ √(2 ln(2 n ℓ/β)), Canonne, Kamath and
Steinke 2020, Corollary 9; for two-sided geometric noise P(|X| > t) ≤ 2 exp(−t/s),
so t = s ln(2 n ℓ/β).

Of noise on the leaves, a node over k leaves errs by the sum of theirs. Gaussian noises add up
to one of variance kσ²; of others k times the largest is taken. A flow that a threshold drops
errs by less than the threshold and its noise together.
"""

import math
from collections.abc import Sequence

import numpy as np

from hierdp_core.hierarchy import leaf_ancestors
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import Event, GaussianEvent, ThresholdEvent
from hierdp_core.tables.flow_tree import FlowTree


def largest_noise(event: Event, draws: int, beta: float) -> float:
    """What none of `draws` noises exceeds in size, except with probability `beta`."""
    log = math.log(2 * max(1, draws) / beta)
    if isinstance(event, GaussianEvent):
        return math.sqrt(2 * float(event.sigma2) * log)
    return float(event.scale) * log


def top_down_bounds(plan: Plan, *, draws: Sequence[int] | None, beta: float) -> tuple[float, ...]:
    """The bounds of a release from the root down; see `Mechanism.error_bounds`."""
    tree = plan.level_tree
    known = [tree.cells(level) for level in range(tree.n_levels)] if draws is None else draws
    return tuple(_top_down(plan, known, level, beta) for level in range(tree.n_levels))


def _top_down(plan: Plan, draws: Sequence[int], level: int, beta: float) -> float:
    measured = [j for j in range(level + 1) if j in plan.by_level]
    return sum(
        (2 if j else 1) * largest_noise(plan.by_level[j], draws[j], beta / len(measured))
        for j in measured
    )


def leaf_noise_bounds(plan: Plan, beta: float) -> tuple[float, ...]:
    """The bounds of noise on the leaves; see `Mechanism.error_bounds`."""
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
    """The most pairs of leaves under one node of a level."""
    most = [
        int(np.bincount(leaf_ancestors(hierarchy, k)).max())
        for hierarchy, k in zip(tree.trees, tree.geographic(level), strict=True)
    ]
    return most[0] * most[1]
