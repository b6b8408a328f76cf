"""Consistent group sizes by matching each group of a parent with a group of one of its children.

From the root down, the estimate of the size of each group from its parent and that from its child
are merged into one. The algorithms work on runs, so their cost grows with the number of distinct
sizes, not of groups.
Source: [B] Algorithms 1 and 2.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit

from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.solvers.runs import Runs, histograms_of, sorted_runs
from hierdp_core.util.arrays import FloatArray, IntArray

_LEAST_VARIANCE = 1e-12


def match_top_down(
    tree: Hierarchy, levels: Sequence[Runs], *, n_sizes: int, weighted: bool = True
) -> IntArray:
    """Return the consistent table that merges the estimates of all levels, from the root down.

    Args:
        tree: the hierarchy.
        levels: the estimated groups of the regions of each level. A parent must have as many
            groups as its children together.
        n_sizes: the number of columns of the table.
        weighted: whether sizes are merged by inverse variances; else by the simple mean.

    Returns:
        shape (n_nodes, n_sizes), non-negative integers. Every region keeps its number of groups,
        and parents are the sums of their children.
    """
    leaves = matched_down(tree, levels, weighted=weighted)
    return sum_up(tree, histograms_of(leaves, n_sizes))


def matched_down(tree: Hierarchy, levels: Sequence[Runs], *, weighted: bool = True) -> Runs:
    """Return the merged groups of the last level; for the arguments see `match_top_down`."""
    above = levels[0]
    for level in range(1, tree.n_levels):
        parents, below = tree.level(level - 1), levels[level]
        pieces = []
        for r in range(parents.stop - parents.start):
            children = tree.children(parents.start + r)
            first = children.start - tree.level(level).start
            last = children.stop - tree.level(level).start
            pair = matched(above, r, below, first, last)
            pieces.append(merged(above, below, pair, weighted=weighted))
        region, size, count, variance = (np.concatenate(part) for part in zip(*pieces, strict=True))
        above = sorted_runs(region, int(tree.level_sizes[level]), size, count, variance)
    return above


def matched(above: Runs, parent: int, below: Runs, first: int, last: int) -> IntArray:
    """Return the matching of the groups of a parent with the groups of children `first:last`.

    The smallest groups of the parent are matched with the smallest ones of the children. If several
    children have groups of the smallest size and the parent has too few, they get groups in
    proportion to theirs, the largest fractions rounded up, early children first. This matching
    minimises the total difference in size.

    Args:
        above: the groups of the level of the parent.
        parent: the index of the parent within its level.
        below: the groups of the level of the children.
        first, last: the children, by their index within their level; `last` is excluded.

    Returns:
        shape (n_pieces, 4): the index of the child in its level, the run of the parent, the run of
        the child, and the number of matched groups.

    Source: [B] Algorithm 2 and Lemma 5.
    """
    a, b = int(above.start[parent]), int(above.start[parent + 1])
    start, stop = int(below.start[first]), int(below.start[last])
    pieces = _match(
        np.array(above.size[a:b]),
        np.array(above.count[a:b]),
        np.array(below.start[first : last + 1]) - start,
        np.array(below.size[start:stop]),
        np.array(below.count[start:stop]),
    )
    pieces[:, 0] += first
    pieces[:, 1] += a
    pieces[:, 2] += start
    result: IntArray = pieces
    return result


def merged(
    above: Runs, below: Runs, pair: IntArray, *, weighted: bool
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Return child, size, count and variance of the merged groups in the pieces of `matched`."""
    child, top, bottom, count = pair.T
    v_top = np.maximum(above.variance[top], _LEAST_VARIANCE)
    v_bottom = np.maximum(below.variance[bottom], _LEAST_VARIANCE)
    share = v_bottom / (v_top + v_bottom) if weighted else np.full(len(pair), 0.5)
    mean = share * above.size[top] + (1 - share) * below.size[bottom]
    size = np.floor(mean + 0.5).astype(np.int64)
    return child, size, count, 1 / (1 / v_top + 1 / v_bottom)


@njit(cache=True, nogil=True)
def _match(p_size, p_left, starts, c_size, c_left):
    n_children = len(starts) - 1
    at = starts[:-1].copy()
    give = np.zeros(n_children, dtype=np.int64)
    wanted = np.zeros(n_children, dtype=np.int64)
    fraction = np.zeros(n_children, dtype=np.int64)
    out = np.empty((len(p_size) + len(c_left) + n_children, 4), dtype=np.int64)
    n_out, i = 0, 0
    while i < len(p_size):
        # All groups of the smallest size of the parent, and of that of the children.
        top = 0
        j = i
        while j < len(p_size) and p_size[j] == p_size[i]:
            top += p_left[j]
            j += 1
        smallest = np.int64(2**62)
        for c in range(n_children):
            if at[c] < starts[c + 1] and c_size[at[c]] < smallest:
                smallest = c_size[at[c]]
        bottom = 0
        for c in range(n_children):
            wanted[c] = 0
            k = at[c]
            while k < starts[c + 1] and c_size[k] == smallest:
                wanted[c] += c_left[k]
                k += 1
            bottom += wanted[c]
        if top >= bottom:
            give[:] = wanted
        else:
            spare = top
            for c in range(n_children):
                exact = float(top) * wanted[c] / bottom
                give[c] = min(np.int64(exact), wanted[c])
                fraction[c] = np.int64((exact - give[c]) * 2.0**40)
                spare -= give[c]
            order = np.argsort(-fraction, kind="mergesort")
            k = 0
            while spare > 0:
                c = order[k % n_children]
                if give[c] < wanted[c]:
                    give[c] += 1
                    spare -= 1
                k += 1
        for c in range(n_children):
            while give[c] > 0:
                while p_left[i] == 0:
                    i += 1
                while c_left[at[c]] == 0:
                    at[c] += 1
                count = min(give[c], p_left[i], c_left[at[c]])
                if n_out == len(out):
                    longer = np.empty((2 * n_out, 4), dtype=np.int64)
                    longer[:n_out] = out
                    out = longer
                out[n_out] = (c, i, at[c], count)
                n_out += 1
                give[c] -= count
                p_left[i] -= count
                c_left[at[c]] -= count
            while at[c] < starts[c + 1] and c_left[at[c]] == 0:
                at[c] += 1
        while i < len(p_size) and p_left[i] == 0:
            i += 1
    return out[:n_out]
