"""The tree program by cost lists in full: slow, exact for any weights, and easy to see through.

Every node lists what each of its units costs; a region merges the lists of its children in
ascending order, early children first where units cost alike, and adds its own cost.
"""

from fractions import Fraction

import numpy as np


def solve_by_merged_costs(tree, targets, weights, *, total=None, top):
    """The optimum, with its ties: exact where no value needs more than `top` units."""
    exact = [Fraction(float(weight)) for weight in weights]
    n_sizes = targets.shape[1]
    costs, givers = {}, {}
    for size in range(n_sizes):
        for node in reversed(range(tree.n_nodes)):
            target = int(targets[node, size])
            units = [(Fraction(0), -1)] * top
            below = range(tree.n_nodes)[tree.children(node)]
            if below:
                units = sorted((cost, child) for child in below for cost in costs[child, size])[
                    :top
                ]
            own = exact[tree.level_of[node]]
            costs[node, size] = [c + own * (2 * (v - target) + 1) for v, (c, _) in enumerate(units)]
            givers[node, size] = [child for _, child in units]
    values = np.zeros(targets.shape, dtype=np.int64)
    if total is None:
        for size in range(n_sizes):
            values[0, size] = sum(cost < 0 for cost in costs[0, size])
    else:
        root = sorted((cost, size) for size in range(n_sizes) for cost in costs[0, size])
        for _, size in root[:total]:
            values[0, size] += 1
    for size in range(n_sizes):
        for node in range(tree.leaves.start):
            for child in givers[node, size][: values[node, size]]:
                values[child, size] += 1
    return values
