# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Compiled loops of `rising_tree`: regressions of families, and steps on their pools.

Nodes above the last level are numbered as in the tree, and rows of the last level from 0. A family
is the children of a node on the level above the last. A pool is a run of equal values in a row.
Pools strictly between 0 and the bound of the row are free: only these can move. Since the values
of a row do not decrease, its free pools are consecutive.
Column i has the weight edges[i + 1] − edges[i] in every row.

Loops over cells have unsigned indices, because a loop whose index may be negative is not
vectorised.
"""

import numpy as np
from numba import njit

_MOST_CG_STEPS = 500


@njit(cache=True, nogil=True, error_model="numpy")
def sum_of_ancestors(values, parent, start, stop):
    """Add the rows of all its ancestors to every row, in columns start:stop."""
    for node in range(1, len(values)):
        own, above = values[node], values[parent[node]]
        for i in range(np.uint64(start), np.uint64(stop)):
            own[i] += above[i]


@njit(cache=True, nogil=True, error_model="numpy")
def sum_up_rows(values, parent, start, stop):
    """Add every row to the rows of all its ancestors, in columns start:stop."""
    for node in range(len(values) - 1, 0, -1):
        own, above = values[node], values[parent[node]]
        for i in range(np.uint64(start), np.uint64(stop)):
            above[i] += own[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _is_one_pool(row, path, edges, begin, end, running):
    """Return whether no initial part of cells begin:end has a lower mean than all of them.

    The sum of the cells is returned as well.
    """
    total = 0.0
    for i in range(begin, end):
        total += (row[i] - path[i]) * (edges[i + np.uint64(1)] - edges[i])
        running[i] = total
    start, broken = edges[begin], 0
    width = edges[end] - start
    for i in range(begin, end - np.uint64(1)):
        lower = running[i] * width < total * (edges[i + np.uint64(1)] - start)
        broken += 1 if lower else 0
    return broken == 0, total


@njit(cache=True, nogil=True, error_model="numpy")
def regress_families(
    below,
    edges,
    paths,
    child_start,
    first_family,
    highest,
    sums,
    pool_end,
    n_pools,
    free,
    leaves,
    start,
    stop,
):
    """Fit monotone rows to families start:stop less `paths`; add them to the parents' `sums`.

    Rows change little between calls. The pools of the previous call are therefore tried first, and
    only those that break up are computed again cell by cell. Except for rounding, the result does
    not depend on them: cells that form one pool separately also do so in the whole row.
    """
    first_leaf, m = len(paths), below.shape[1]
    total, width, running = np.empty(m), np.empty(m), np.empty(m)
    end = np.empty(m, dtype=np.int32)
    for node in range(first_family + start, first_family + stop):
        path = paths[node]
        for leaf in range(child_start[node] - first_leaf, child_start[node + 1] - first_leaf):
            row = below[leaf]
            pools = np.uint64(0)
            begin = np.uint64(0)
            known = n_pools[leaf]
            for k in range(max(known, 1)):
                until = np.uint64(pool_end[leaf, k] if known > 0 else m)
                whole = known > 0 and until - begin > 1
                if whole:
                    whole, added = _is_one_pool(row, path, edges, begin, until, running)
                next_end = until if whole else begin + np.uint64(1)
                while next_end <= until:
                    size = edges[next_end] - edges[begin]
                    if not whole:
                        added = (row[begin] - path[begin]) * size
                    # While the previous mean is at least the new one, compared without a division.
                    while pools > 0 and (
                        total[pools - np.uint64(1)] * size >= added * width[pools - np.uint64(1)]
                    ):
                        pools -= np.uint64(1)
                        added += total[pools]
                        size += width[pools]
                    total[pools] = added
                    width[pools] = size
                    end[pools] = next_end
                    pools += np.uint64(1)
                    begin = next_end
                    next_end += np.uint64(1)
            n_pools[leaf] = pools
            free[leaf, 0], free[leaf, 1] = 0, 0
            begin = np.uint64(0)
            for k in range(pools):
                mean, until = total[k] / width[k], np.uint64(end[k])
                value = min(max(mean, 0.0), highest[leaf])
                if mean <= 0.0:
                    free[leaf, 0], free[leaf, 1] = k + 1, k + 1
                elif mean < highest[leaf]:
                    free[leaf, 1] = k + 1
                pool_end[leaf, k] = end[k]
                for i in range(begin, until):
                    sums[node, i] += value
                if len(leaves) > 0:
                    leaves[leaf, begin:until] = value
                begin = until


@njit(cache=True, nogil=True, error_model="numpy")
def gather_pools(
    child_start,
    first_family,
    pool_end,
    free,
    first,
    last,
    begin,
    end,
    rows,
    m,
    start,
    stop,
):
    """List the distinct pools of families start:stop.

    The list of a family begins at its position in `first`. It gives the start and the end of each
    pool, and the number of rows that have it. The end of the list is written to `last`.
    """
    n = len(child_start) - 1  # which is also the first leaf
    most = 0
    for family in range(start, stop):
        most = max(most, first[family + 1] - first[family])
    # For each start, a linked list of the pools that begin there: places in `stops` and `counts`.
    head = np.empty(m, dtype=np.int64)
    after = np.empty(most, dtype=np.int64)
    stops = np.empty(most, dtype=np.int32)
    counts = np.empty(most, dtype=np.float64)
    for family in range(start, stop):
        node = first_family + family
        head[:] = -1
        known = 0
        for leaf in range(child_start[node] - n, child_start[node + 1] - n):
            until = pool_end[leaf, free[leaf, 0] - 1] if free[leaf, 0] > 0 else np.int32(0)
            for k in range(free[leaf, 0], free[leaf, 1]):
                at, until = until, pool_end[leaf, k]
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


@njit(cache=True, nogil=True, error_model="numpy")
def _split_pools(edges, first, last, begin, end, rows, alone, starts, stops, shares):
    """Separate pools of one cell from longer ones.

    `alone` receives the number of rows in which each cell is a pool of its own, by family. Longer
    pools are written family by family to `starts`, `stops` and `shares`, the number of rows over
    the width of the pool. Return the start of each family in these.
    """
    listed = np.zeros(len(last) + 1, dtype=np.int64)
    known = 0
    for family in range(len(last)):
        for k in range(first[family], last[family]):
            if end[k] == begin[k] + 1:
                alone[family, begin[k]] += rows[k]
            else:
                starts[known], stops[known] = begin[k], end[k]
                shares[known] = rows[k] / (edges[end[k]] - edges[begin[k]])
                known += 1
        listed[family + 1] = known
    return listed


@njit(cache=True, nogil=True, error_model="numpy")
def _add_averages(paths, widths, first_family, alone, pool_start, starts, stops, shares, sums):
    """Add to `sums`, for every row, the averages of its parent's `paths` over its pools.

    Rows of a family share the running sums of their parent, so the cost of a pool does not depend
    on its length.
    """
    m, one = np.uint64(paths.shape[1]), np.uint64(1)
    running, change = np.zeros(m + one), np.zeros(m + one)
    for node in range(first_family, len(paths)):
        path, out, single = paths[node], sums[node], alone[node - first_family]
        total = 0.0
        for i in range(m):
            total += path[i] * widths[i]
            running[i + one] = total
            change[i] = 0.0
        family = node - first_family
        for k in range(np.uint64(pool_start[family]), np.uint64(pool_start[family + 1])):
            start, stop = np.uint64(starts[k]), np.uint64(stops[k])
            average = shares[k] * (running[stop] - running[start])
            change[start] += average
            change[stop] -= average
        level = 0.0
        for i in range(m):
            level += change[i]
            out[i] += level + single[i] * path[i]


@njit(cache=True, nogil=True, error_model="numpy")
def add_slopes_of_pools(slopes, free, edges, first_family, first, last, begin, end, rows):
    """Add to each family's parent how far its rows move with the multipliers above them.

    Each cell of a pool adds its part in the average, the diagonal of the slope, to `slopes`. It
    adds 1 to `free`, as if it were a pool of its own.
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


@njit(cache=True, nogil=True, error_model="numpy")
def pass_slopes_up(slopes, slack, targeted, parent):
    """Add the slope of every node to that of its parent.

    The slope of a node with a target of its own is reduced according to its slack.
    """
    for node in range(len(slopes) - 1, 0, -1):
        above = parent[node]
        for i in range(slopes.shape[1]):
            through = slopes[node, i]
            if targeted[node, i]:
                through *= slack[node, i] / (slack[node, i] + through)
            slopes[above, i] += through


@njit(cache=True, nogil=True, error_model="numpy")
def precondition(residual, out, slopes, slack, targeted, parent):
    """Solve for a step in two sweeps, as if columns were independent; written to `out`."""
    part, inverse = np.empty_like(slopes), np.empty_like(slopes)
    _parts(slopes, slack, targeted, part, inverse)
    _solve_columns(residual, out, slopes, part, inverse, parent)


@njit(cache=True, nogil=True, error_model="numpy")
def _parts(slopes, slack, targeted, part, inverse):
    """Write slope / (slack + slope) and 1 / (slack + slope) of each cell; 0 without a target."""
    for node in range(len(slopes)):
        for i in range(np.uint64(slopes.shape[1])):
            if targeted[node, i]:
                both = slack[node, i] + slopes[node, i]
                part[node, i], inverse[node, i] = slopes[node, i] / both, 1.0 / both
            else:
                part[node, i], inverse[node, i] = 0.0, 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _solve_columns(residual, out, slopes, part, inverse, parent):
    n, m = residual.shape[0], np.uint64(residual.shape[1])
    out[:] = 0.0
    for node in range(n - 1, 0, -1):
        known, above, wanted, share = out[node], out[parent[node]], residual[node], part[node]
        for i in range(m):
            above[i] += known[i] + share[i] * (wanted[i] - known[i])
    for node in range(n):
        own, wanted, slope, scale = out[node], residual[node], slopes[node], inverse[node]
        if node == 0:
            for i in range(m):
                own[i] = (wanted[i] - own[i]) * scale[i]
        else:
            path = out[parent[node]]
            for i in range(m):
                own[i] = path[i] + (wanted[i] - own[i] - slope[i] * path[i]) * scale[i]
    for node in range(n - 1, 0, -1):
        own, path = out[node], out[parent[node]]
        for i in range(m):
            own[i] -= path[i]


@njit(cache=True, nogil=True, error_model="numpy")
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
    """Solve for the Newton step, until the residual has fallen by the factor `precision`."""
    n, m = residual.shape[0], np.uint64(residual.shape[1])
    widths = edges[1:] - edges[:-1]
    alone, shares = np.zeros((len(last), m)), np.empty(len(rows))
    starts, stops = np.empty(len(rows), dtype=np.int32), np.empty(len(rows), dtype=np.int32)
    listed = _split_pools(edges, first, last, begin, end, rows, alone, starts, stops, shares)
    part, inverse = np.empty_like(slopes), np.empty_like(slopes)
    _parts(slopes, slack, targeted, part, inverse)
    direction = np.empty_like(residual)
    _solve_columns(residual, direction, slopes, part, inverse, parent)
    better = direction.copy()
    moved = np.empty_like(residual)
    paths = np.empty_like(residual)
    size = _dot(residual, better, widths)
    goal = precision * precision * size
    for _ in range(_MOST_CG_STEPS):
        if not size > goal:
            return
        paths[:] = direction
        sum_of_ancestors(paths, parent, 0, m)
        moved[:] = 0.0
        _add_averages(paths, widths, first_family, alone, listed, starts, stops, shares, moved)
        sum_up_rows(moved, parent, 0, m)
        for node in range(n):
            out, own, give, counts = moved[node], direction[node], slack[node], targeted[node]
            for i in range(m):
                out[i] = out[i] + give[i] * own[i] if counts[i] else 0.0
        length = size / _dot(direction, moved, widths)
        for node in range(n):
            out, left, own, change = step[node], residual[node], direction[node], moved[node]
            for i in range(m):
                out[i] += length * own[i]
                left[i] -= length * change[i]
        _solve_columns(residual, better, slopes, part, inverse, parent)
        before, size = size, _dot(residual, better, widths)
        ratio = size / before
        for node in range(n):
            own, new = direction[node], better[node]
            for i in range(m):
                own[i] = new[i] + ratio * own[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _dot(one, other, widths):
    """Return the inner product weighted by the widths, in four independent sums per row."""
    m, four = np.uint64(len(widths)), np.uint64(4)
    whole = m - m % four
    total = 0.0
    for node in range(one.shape[0]):
        x, y = one[node], other[node]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(np.uint64(0), whole, four):
            j, k, last = i + np.uint64(1), i + np.uint64(2), i + np.uint64(3)
            a += x[i] * y[i] * widths[i]
            b += x[j] * y[j] * widths[j]
            c += x[k] * y[k] * widths[k]
            d += x[last] * y[last] * widths[last]
        for i in range(whole, m):
            a += x[i] * y[i] * widths[i]
        total += (a + b) + (c + d)
    return total
