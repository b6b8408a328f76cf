"""From the root down, two levels at a time: non-negative least squares, then rounding."""

import numpy as np
from numba import njit

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import IntArray


def split_top_down(tree: Hierarchy, targets: IntArray, *, total: int | None = None) -> IntArray:
    """Return non-negative, consistent integers, each family closest to its targets.

    The root comes first: its sizes are divided in the same way if a total is given. Then each value
    is divided over the children by least squares with the parent fixed, which is a projection
    onto a simplex. Results are rounded so that they keep their sum: those with the largest
    fractions are rounded up, and all others down. Of equal fractions, that of an earlier child is
    rounded up first.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes).
        total: the sum of the root's values over all sizes. None replaces negative targets of the
            root by 0.

    Returns:
        shape (n_nodes, n_sizes).

    Source: the TopDown algorithm as [A] Section 11 describes it.
    """
    columns = np.array(targets.T, order="C", copy=True)
    values = np.empty_like(columns)
    if total is None:
        values[:, 0] = np.maximum(columns[:, 0], 0)
    else:
        root = columns[:, 0].astype(np.float64)
        shared = np.empty(len(root), dtype=np.int64)
        split_one(root, total, shared)
        values[:, 0] = shared
    child_start = np.array(tree.child_start)
    first_leaf = tree.leaves.start
    in_chunks(
        lambda start, stop: _split_columns(start, stop, columns, values, child_start, first_leaf),
        len(columns),
        cells=columns.size,
    )
    return np.ascontiguousarray(values.T)


def split_rows(targets: IntArray, totals: IntArray) -> IntArray:
    """Return rows of non-negative integers near `targets`, each with its total.

    Each row is the closest one in least squares, rounded as in `split_top_down`.

    Args:
        targets: shape (n, m).
        totals: shape (n,), at least 0.

    Returns:
        shape (n, m).
    """
    rows, sums = targets.astype(np.float64), np.array(totals)
    out = np.empty(rows.shape, dtype=np.int64)
    in_chunks(
        lambda start, stop: _split_rows(start, stop, rows, sums, out), len(rows), cells=rows.size
    )
    return out


@njit(cache=True, nogil=True)
def _split_rows(start, stop, rows, totals, out):
    for r in range(start, stop):
        split_one(rows[r], totals[r], out[r])


@njit(cache=True, nogil=True)
def _split_columns(start, stop, columns, values, child_start, first_leaf):
    for s in range(start, stop):
        for node in range(first_leaf):
            a, b = child_start[node], child_start[node + 1]
            split_one(columns[s, a:b].astype(np.float64), values[s, node], values[s, a:b])


@njit(cache=True, nogil=True)
def split_one(targets, total, out):
    """Write into `out` the simplex point closest to `targets`, rounded to the sum `total`."""
    n = len(targets)
    if total == 0:
        out[:] = 0
        return
    descending = np.sort(targets)[::-1]
    running, shift = 0.0, 0.0
    for k in range(n):
        running += descending[k]
        candidate = (total - running) / (k + 1)
        if descending[k] + candidate <= 0:
            break
        shift = candidate
    remainder = total
    fraction = np.empty(n)
    for i in range(n):
        real = max(targets[i] + shift, 0.0)
        down = np.floor(real)
        out[i] = np.int64(down)
        fraction[i] = real - down
        remainder -= out[i]
    if remainder > 0:
        order = np.argsort(-fraction, kind="mergesort")
        for k in range(remainder):
            out[order[k % n]] += 1
    elif remainder < 0:
        # Rounding errors of floats: reduce the largest value.
        while remainder < 0:
            out[np.argmax(out)] -= 1
            remainder += 1
