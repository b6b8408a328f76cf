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
def gather_pools(
    child_start,
    first_family,
    pool_start,
    pool_stop,
    n_pools,
    first,
    last,
    begin,
    end,
    rows,
    m,
    start,
    stop,
):
    """List the pools of families start:stop, equal ones once.

    Those of a family stand from its place in `first` on: where they start and stop, and how many
    rows have them. Where they end is written to `last`.
    """
    n = len(child_start) - 1  # which is also the first leaf
    most = 0
    for family in range(start, stop):
        most = max(most, first[family + 1] - first[family])
    # For each start the pools that begin there, as a chain of places in `stops` and `counts`.
    head = np.empty(m, dtype=np.int64)
    after = np.empty(most, dtype=np.int64)
    stops = np.empty(most, dtype=np.int32)
    counts = np.empty(most, dtype=np.float64)
    for family in range(start, stop):
        node = first_family + family
        head[:] = -1
        known = 0
        for leaf in range(child_start[node] - n, child_start[node + 1] - n):
            for k in range(n_pools[leaf]):
                at, until = pool_start[leaf, k], pool_stop[leaf, k]
                place = head[at]
                while place >= 0 and stops[place] != until:
                    place = after[place]
                if place >= 0:
                    counts[place] += 1.0
                else:
                    stops[known], counts[known] = until, 1.0
                    after[known], head[at] = head[at], known
                    known += 1
        listed = first[family]
        for at in range(m):
            place = head[at]
            while place >= 0:
                begin[listed], end[listed], rows[listed] = at, stops[place], counts[place]
                listed += 1
                place = after[place]
        last[family] = listed


@njit(cache=True, nogil=True)
def _add_averages(paths, edges, first_family, first, last, begin, end, rows, sums):
    """For every row the averages of its parent's `paths` over its pools, added up in `sums`.

    Rows of a family share their parent's running sums, so a pool costs the same however long.
    """
    m = paths.shape[1]
    running = np.zeros(m + 1)
    change = np.zeros(m + 1)
    for node in range(first_family, len(paths)):
        for i in range(m):
            running[i + 1] = running[i] + paths[node, i] * (edges[i + 1] - edges[i])
            change[i] = 0.0
        for k in range(first[node - first_family], last[node - first_family]):
            start, stop = begin[k], end[k]
            if stop == start + 1:
                sums[node, start] += rows[k] * paths[node, start]
            else:
                length = edges[stop] - edges[start]
                average = rows[k] * (running[stop] - running[start]) / length
                change[start] += average
                change[stop] -= average
        level = 0.0
        for i in range(m):
            level += change[i]
            sums[node, i] += level


@njit(cache=True, nogil=True)
def add_slopes_of_pools(slopes, free, edges, first_family, first, last, begin, end, rows):
    """Add to each family's parent how much its rows move with the multipliers above them.

    A cell of a pool counts its own part in the average: the diagonal of the slope.
    Alone it would count as one: `free`.
    """
    m = slopes.shape[1]
    change, cells = np.empty(m + 1), np.empty(m + 1)
    for node in range(first_family, len(slopes)):
        change[:] = 0.0
        cells[:] = 0.0
        for k in range(first[node - first_family], last[node - first_family]):
            part = rows[k] / (edges[end[k]] - edges[begin[k]])
            change[begin[k]] += part
            change[end[k]] -= part
            cells[begin[k]] += rows[k]
            cells[end[k]] -= rows[k]
        level, count = 0.0, 0.0
        for i in range(m):
            count += cells[i]
            level = level + change[i] if count > 0 else 0.0
            slopes[node, i] += level * (edges[i + 1] - edges[i])
            free[node, i] += count


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
    first_family,
    first,
    last,
    begin,
    end,
    rows,
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
        _add_averages(paths, edges, first_family, first, last, begin, end, rows, moved)
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
