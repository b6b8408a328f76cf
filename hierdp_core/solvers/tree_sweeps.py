# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""The tree program in fractions: sweeps up and down over one column after another.

Prices are half of what one unit more costs, so that a leaf of weight w has the value
max(0, ñ + y / w) at price y. With the set of leaves above zero fixed, all children of a region
together take A + ρ y at price y; the sweep up finds A and ρ, the sweep down the prices.

All functions take the same arrays, one row per size: `columns`, the targets of every node;
`price`, `offset` and `rate`, y, A and ρ of every region's children; `least`, the smallest target
above zero so far in each region on the level above the leaves.
"""

import numpy as np
from numba import njit

_FARTHEST = np.int64(2**62)


@njit(cache=True, nogil=True, error_model="numpy")
def _kept_leaves(column, a, b, bound):
    """Sum, number and least of the targets from `bound` up among leaves a:b."""
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
    """One sweep down from `root_price`, unless it is the first, and one up.

    Leaves that come out below zero are held there from now on, family by family until none does
    at the price above it. `changed` tells, for each size, of how many regions that was so.
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
