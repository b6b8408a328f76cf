# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""The tree program in fractions: sweeps up and down the tree, one size after another.

A price is half the cost of one more unit, so that a leaf of weight w has the value
max(0, ñ + y / w) at price y. If the set of leaves above zero is fixed, all children of a region
together take A + ρ y units at price y. The sweep up finds A and ρ, and the sweep down the prices.

All functions take the same arrays, one row per size. `columns` holds the targets of every node, and
`price`, `offset` and `rate` hold y, A and ρ of every region's children. `least` holds, for each
region above leaves, the smallest target of its leaves that are not fixed at zero.
"""

import numpy as np
from numba import njit

_FARTHEST = np.int64(2**62)


@njit(cache=True, nogil=True, error_model="numpy")
def _kept_leaves(column, a, b, bound):
    """Sum, number and smallest of the targets of at least `bound` among leaves a:b."""
    total, count, least = np.int64(0), np.int64(0), _FARTHEST
    for i in range(np.uint64(a), np.uint64(b)):  # never negative: such loops are vectorised
        x = column[i]
        inside = x >= bound
        total += x if inside else 0
        count += 1 if inside else 0
        least = min(least, x if inside else _FARTHEST)
    return total, count, least


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(
    start, stop, columns, parent, child_start, level_start, weights, root_price, first,
    price, offset, rate, least, changed,
):  # fmt: skip
    """Sweep down from `root_price`, unless it is the first sweep, and then up.

    Leaves that become negative are fixed at zero from then on. In each family, this is repeated
    until none does at the price above the family. `changed` counts the regions of each size where
    leaves were fixed.
    """
    n_levels = len(weights)
    first_family, first_leaf = level_start[n_levels - 2], level_start[n_levels - 1]
    leaf = weights[n_levels - 1]
    for s in range(start, stop):
        changed[s] = 0
        if not first:
            own = weights[0]
            free = root_price + own * (columns[s, 0] - offset[s, 0])
            price[s, 0] = free / (1.0 + own * rate[s, 0])
            for level in range(n_levels - 2):
                own = weights[level + 1]
                for node in range(level_start[level], level_start[level + 1]):
                    above = price[s, node]
                    for child in range(child_start[node], child_start[node + 1]):
                        free = above + own * (columns[s, child] - offset[s, child])
                        price[s, child] = free / (1.0 + own * rate[s, child])
        own = weights[n_levels - 2]
        for node in range(first_family, first_leaf):
            f, a, b = node - first_family, child_start[node], child_start[node + 1]
            if first:
                offset[s, node], count, least[s, f] = _kept_leaves(columns[s], a, b, -_FARTHEST)
                rate[s, node] = count / leaf
                continue
            above = price[s, parent[node]] if n_levels > 2 else root_price
            edge = -price[s, node] / leaf
            if rate[s, node] > 0.0 and least[s, f] < edge:
                changed[s] += 1
            while rate[s, node] > 0.0 and least[s, f] < edge:
                bound = np.int64(min(np.ceil(edge), 2.0**60))
                offset[s, node], count, least[s, f] = _kept_leaves(columns[s], a, b, bound)
                rate[s, node] = count / leaf
                free = above + own * (columns[s, node] - offset[s, node])
                edge = -free / (1.0 + own * rate[s, node]) / leaf
        if not first and changed[s] == 0:
            continue
        for level in range(n_levels - 3, -1, -1):
            own = weights[level + 1]
            for node in range(level_start[level], level_start[level + 1]):
                total_offset, total_rate = 0.0, 0.0
                for child in range(child_start[node], child_start[node + 1]):
                    pull = own * rate[s, child]
                    share = 1.0 / (1.0 + pull)
                    total_offset += (offset[s, child] + pull * columns[s, child]) * share
                    total_rate += rate[s, child] * share
                offset[s, node], rate[s, node] = total_offset, total_rate
