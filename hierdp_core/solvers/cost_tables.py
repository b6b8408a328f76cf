"""The published dynamic program for one size: cost tables over a window of values.

Slow beside the prices of `tree_program`, and the way to see why an answer is the
best one: τ is what a value costs a subtree, φ what its children ask to make it.
"""

from dataclasses import dataclass

import numpy as np

from hierdp_core.arrays import IntArray
from hierdp_core.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False, kw_only=True)
class CostTables:
    """Costs of the values 0…top at every node, in squared counts times weight.

    Attributes:
        tau: shape (n_nodes, top + 1), what a value costs the node and all below it.
        phi: shape (n_nodes, top + 1), the cheapest way for its children to add up to it;
            0 for leaves.
    """

    tau: IntArray
    phi: IntArray


def cost_tables(tree: Hierarchy, targets: IntArray, weights: IntArray, *, top: int) -> CostTables:
    """τ and φ of every node, by merging the children's slopes in ascending order.

    The slopes of a convex table rise, so the cheapest v units of several children are
    the v smallest of all their slopes. Within 0…top the tables are exact: no way to make
    v uses more than v of any child.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes,), the noisy values of one size.
        weights: shape (n_levels,), whole.
        top: the largest value in the tables.

    Source: [A] Algorithm 1.
    """
    v = np.arange(top + 1, dtype=np.int64)
    own = weights[tree.level_of][:, None] * (v - targets[:, None]) ** 2
    tau, phi = own.copy(), np.zeros_like(own)
    for node in reversed(range(tree.leaves.start)):
        family = tau[tree.children(node)]
        slopes = np.sort(np.diff(family, axis=1), axis=None)[:top]
        phi[node, 0] = family[:, 0].sum()
        phi[node, 1:] = phi[node, 0] + np.cumsum(slopes)
        tau[node] += phi[node]
    return CostTables(tau=tau, phi=phi)
