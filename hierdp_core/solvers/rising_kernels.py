# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Compiled loops of `rising_tree`: regressions of families, and steps on their pools.

Nodes above the last level are numbered as in the tree, and rows of the last level from 0. A family
is the children of a node on the level above the last. A pool is a run of equal values in a row.
Only pools strictly between 0 and the bound of the row are kept, since only these can move.
Column i weighs edges[i + 1] − edges[i] in every row.
"""

import numpy as np
from numba import njit

_MOST_CG_STEPS = 500


@njit(cache=True, nogil=True)
def sum_of_ancestors(values, parent, start, stop):
    """Add the rows of all its ancestors to every row, in columns start:stop."""
    for node in range(1, len(values)):
        above = parent[node]
        for i in range(start, stop):
            values[node, i] += values[above, i]


@njit(cache=True, nogil=True)
def sum_up_rows(values, parent, start, stop):
    """Add every row to the rows of all its ancestors, in columns start:stop."""
    for node in range(len(values) - 1, 0, -1):
        above = parent[node]
        for i in range(start, stop):
            values[above, i] += values[node, i]


@njit(cache=True, nogil=True)
def regress_families(
    below,
    edges,
    paths,
    child_start,
    first_family,
    highest,
    sums,
    pool_start,
    pool_stop,
    n_pools,
    leaves,
    start,
    stop,
):
    """Regress the rows of families start:stop, less `paths`; add them to `sums` of their parent."""
    first_leaf, m = len(paths), below.shape[1]
    total, width = np.empty(m), np.empty(m)
    end = np.empty(m, dtype=np.int64)
    for node in range(first_family + start, first_family + stop):
        for leaf in range(child_start[node] - first_leaf, child_start[node + 1] - first_leaf):
            pools = 0
            for i in range(m):
                size = edges[i + 1] - edges[i]
                added = (below[leaf, i] - paths[node, i]) * size
                # The mean before is at least the new one; without a division.
                while pools > 0 and total[pools - 1] * size >= added * width[pools - 1]:
                    pools -= 1
                    added += total[pools]
                    size += width[pools]
                total[pools] = added
                width[pools] = size
                end[pools] = i + 1
                pools += 1
            begin, free = 0, 0
            for k in range(pools):
                mean = total[k] / width[k]
                value = min(max(mean, 0.0), highest[leaf])
                if 0.0 < mean < highest[leaf]:
                    pool_start[leaf, free] = begin
                    pool_stop[leaf, free] = end[k]
                    free += 1
                for i in range(begin, end[k]):
                    sums[node, i] += value
                if len(leaves) > 0:
                    leaves[leaf, begin : end[k]] = value
                begin = end[k]
            n_pools[leaf] = free


@njit(cache=True, nogil=True)
def _average_families(
    paths, edges, child_start, first_family, sums, pool_start, pool_stop, n_pools
):
    """For every row the averages of its parent's `paths` over its pools, added up in `sums`.

    Rows of a family share their parent's running sums, so a pool costs the same however long.
    """
    first_leaf, m = paths.shape
    running = np.zeros(m + 1)
    change = np.zeros(m + 1)
    for node in range(first_family, first_leaf):
        for i in range(m):
            running[i + 1] = running[i] + paths[node, i] * (edges[i + 1] - edges[i])
            change[i] = 0.0
        for leaf in range(child_start[node] - first_leaf, child_start[node + 1] - first_leaf):
            for k in range(n_pools[leaf]):
                begin, end = pool_start[leaf, k], pool_stop[leaf, k]
                if end == begin + 1:
                    sums[node, begin] += paths[node, begin]
                else:
                    average = (running[end] - running[begin]) / (edges[end] - edges[begin])
                    change[begin] += average
                    change[end] -= average
        level = 0.0
        for i in range(m):
            level += change[i]
            sums[node, i] += level


@njit(cache=True, nogil=True)
def add_slopes_of_pools(slopes, edges, child_start, first_family, pool_start, pool_stop, n_pools):
    """Add to each family's parent how much its rows move with the multipliers above them.

    A cell of a pool counts its own part in the average: the diagonal of the slope.
    """
    first_leaf = len(slopes)
    for node in range(first_family, first_leaf):
        for leaf in range(child_start[node] - first_leaf, child_start[node + 1] - first_leaf):
            for k in range(n_pools[leaf]):
                begin, end = pool_start[leaf, k], pool_stop[leaf, k]
                length = edges[end] - edges[begin]
                for i in range(begin, end):
                    slopes[node, i] += (edges[i + 1] - edges[i]) / length


@njit(cache=True, nogil=True)
def pass_slopes_up(slopes, slack, targeted, parent):
    """Add every node's slope to its parent's.

    A node with a target of its own gives way in proportion to its slack.
    """
    for node in range(len(slopes) - 1, 0, -1):
        above = parent[node]
        for i in range(slopes.shape[1]):
            through = slopes[node, i]
            if targeted[node, i]:
                through *= slack[node, i] / (slack[node, i] + through)
            slopes[above, i] += through


@njit(cache=True, nogil=True)
def precondition(residual, out, slopes, slack, targeted, parent):
    """Solve for a step in two sweeps, as if columns were independent; written to `out`."""
    n, m = residual.shape
    out[:] = 0.0
    for node in range(n - 1, 0, -1):
        above = parent[node]
        for i in range(m):
            known = out[node, i]
            if targeted[node, i]:
                part = slopes[node, i] / (slack[node, i] + slopes[node, i])
                known += part * (residual[node, i] - known)
            out[above, i] += known
    for node in range(n):
        for i in range(m):
            path = out[parent[node], i] if node > 0 else 0.0
            own = 0.0
            if targeted[node, i]:
                left = residual[node, i] - out[node, i] - slopes[node, i] * path
                own = left / (slack[node, i] + slopes[node, i])
            out[node, i] = path + own
    for node in range(n - 1, 0, -1):
        above = parent[node]
        for i in range(m):
            out[node, i] -= out[above, i]


@njit(cache=True, nogil=True)
def conjugate_gradients(
    residual,
    step,
    precision,
    edges,
    slack,
    slopes,
    targeted,
    parent,
    child_start,
    first_family,
    pool_start,
    pool_stop,
    n_pools,
):
    """Solve for the Newton step, until its residual is `precision` of what it was."""
    n, m = residual.shape
    direction = np.empty_like(residual)
    precondition(residual, direction, slopes, slack, targeted, parent)
    better = direction.copy()
    moved = np.empty_like(residual)
    paths = np.empty_like(residual)
    size = _dot(residual, better, edges)
    goal = precision * precision * size
    for _ in range(_MOST_CG_STEPS):
        if not size > goal:
            return
        paths[:] = direction
        sum_of_ancestors(paths, parent, 0, m)
        moved[:] = 0.0
        _average_families(
            paths, edges, child_start, first_family, moved, pool_start, pool_stop, n_pools
        )
        sum_up_rows(moved, parent, 0, m)
        for node in range(n):
            for i in range(m):
                if targeted[node, i]:
                    moved[node, i] += slack[node, i] * direction[node, i]
                else:
                    moved[node, i] = 0.0
        length = size / _dot(direction, moved, edges)
        for node in range(n):
            for i in range(m):
                step[node, i] += length * direction[node, i]
                residual[node, i] -= length * moved[node, i]
        precondition(residual, better, slopes, slack, targeted, parent)
        before, size = size, _dot(residual, better, edges)
        for node in range(n):
            for i in range(m):
                direction[node, i] = better[node, i] + size / before * direction[node, i]


@njit(cache=True, nogil=True)
def _dot(one, other, edges):
    total = 0.0
    for node in range(one.shape[0]):
        for i in range(one.shape[1]):
            total += one[node, i] * other[node, i] * (edges[i + 1] - edges[i])
    return total
