"""Consistent group sizes by matching: each group of a parent with one of its children's.

Two estimates of one group's size, the parent's and the child's, are merged into one,
from the root down. On runs: the cost grows with distinct sizes, not with groups.
Source: [B] Algorithms 1 and 2, SPEC 4.
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
    """The consistent table that merges every level's estimate, from the root down.

    Args:
        tree: the hierarchy.
        levels: the groups of each level's regions; a parent has as many groups as its
            children together.
        n_sizes: columns of the table.
        weighted: merge by inverse variances; else by the plain mean.

    Returns:
        shape (n_nodes, n_sizes): whole, not negative, as many groups in every region as
        before, and parents the sums of their children.
    """
    leaves = matched_down(tree, levels, weighted=weighted)
    return sum_up(tree, histograms_of(leaves, n_sizes))


def matched_down(tree: Hierarchy, levels: Sequence[Runs], *, weighted: bool = True) -> Runs:
    """The merged groups of the last level; for the arguments see `match_top_down`."""
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
    """Return which groups of a parent are matched with which of its children `first:last`.

    The smallest of the parent go with the smallest of the children. Where several children
    have groups of the smallest size and the parent has too few, each gets its proportion,
    the largest fractions rounded up, early children first. That is a matching of least
    total difference in size.

    Returns:
        shape (n_pieces, 4): child (as in `below`), run of the parent, run of the child, how
        many groups.

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
    """The merged groups of pieces that `matched` gave: child, size, count and variance."""
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
        # All groups of the parent's smallest size, and of the children's.
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
