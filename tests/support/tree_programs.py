"""Tree programs at random: shapes, targets, weights and totals of every kind."""

import numpy as np

from hierdp_core.hierarchy import Hierarchy, sum_up

WHOLE = [[1], [0, 1], [1, 2, 7], [0, 1, 7, 100, 5_000, 65_536], [1, 10**6, 10**12], [0, 3, 2**50]]
FLOATS = [[0.1, 0.3], [1 / 3, 1, 1e-9], [3, 3 - 2**-51, 0, 1.3], [1e-12, 1, 0.7], [2.0**57, 1.1]]


def random_tree(rng, most_nodes, deepest):
    """Lone branches, binary trees, wide and uneven families, of up to 18 levels."""
    widest, parent, starts = int(rng.choice([1, 2, 3, 8, 40])), [-1], [0, 1]
    for _ in range(min(deepest, int(rng.choice([0, 1, 2, 3, 5, 8, 17])))):
        above = range(starts[-2], starts[-1])
        room = max(1, (most_nodes - len(parent)) // len(above))
        sizes = rng.integers(1, min(widest, room) + 1, len(above))
        parent += np.repeat(above, sizes).tolist()
        starts.append(len(parent))
    return Hierarchy(parent=np.array(parent), level_start=np.array(starts))


def random_program(seed, weights, *, most_nodes, largest, deepest=17):
    rng = np.random.default_rng(seed)
    tree, n_sizes = random_tree(rng, most_nodes, deepest), int(rng.choice([1, 1, 2, 3, 9]))
    own = rng.choice(weights[rng.integers(len(weights))], tree.n_levels).astype(np.float64)
    own[-1] = own[-1] or 1
    leaves = rng.pareto(1, (tree.n_leaves, n_sizes)) * rng.choice([0, 0.3, 3, largest])
    true = sum_up(tree, np.minimum(leaves, largest).astype(np.int64))
    spread = int(rng.choice([0, 1, 3, largest]))
    noise = rng.integers(-spread, spread + 1, true.shape)
    targets = noise if rng.random() < 0.2 else true + noise
    totals = [None, None, 1, 7, int(true[0].sum()), 2 * int(true[0].sum()) + 3]
    return tree, targets, own, totals[rng.integers(len(totals))]
