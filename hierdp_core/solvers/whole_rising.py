# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Monotone, consistent integers near monotone, consistent fractions, from the root down.

The root is rounded cell by cell. Then every family is rounded column by column, so that its rows
do not decrease and sum to their parent's row. Each value is rounded to the nearest integer. The
remaining difference goes to the children where it costs least in squares. A raised value stays
raised until its row reaches it by rounding alone, so its cost includes all columns up to there.

The result is consistent and monotone. It need not be the nearest such table. To find the
nearest one, sums over columns and over children would be constrained at once. That program is not a
network flow.
"""

import numpy as np
from numba import njit

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import FloatArray, IntArray


def whole_rising_tree(tree: Hierarchy, values: FloatArray, highest: IntArray) -> IntArray:
    """Return monotone, consistent integers near `values`.

    Args:
        tree: the hierarchy.
        values: shape (n_nodes, m), non-negative rows that do not decrease, consistent up to
            floating-point error.
        highest: shape (n_nodes,), the upper bound of each row. The bounds must be consistent, or
            no lower than any value of the root.

    Returns:
        shape (n_nodes, m).
    """
    integers = np.empty(values.shape, dtype=np.int64)
    integers[0] = np.clip(np.floor(values[0] + 0.5), 0, highest[0]).astype(np.int64)
    child_start, bound = np.array(tree.child_start), np.array(highest)
    for level in range(tree.n_levels - 1):
        nodes = tree.level(level)

        def work(start: int, stop: int, first: int = nodes.start) -> None:
            _round_families(values, integers, child_start, bound, first + start, first + stop)

        cells = int(tree.level_sizes[level + 1]) * values.shape[1]
        in_chunks(work, nodes.stop - nodes.start, cells=cells)
    return integers


@njit(cache=True, nogil=True)
def _round_families(values, whole, child_start, highest, start, stop):
    for node in range(start, stop):
        a, b = child_start[node], child_start[node + 1]
        if b == a + 1:
            whole[a] = whole[node]
        else:
            _round_family(values[a:b], whole[node], highest[a:b], whole[a:b])


@njit(cache=True, nogil=True)
def _round_family(values, total, highest, out):
    n, m = values.shape
    running = np.zeros((n, m + 1))
    for child in range(n):
        for i in range(m):
            running[child, i + 1] = running[child, i] + values[child, i]
    now = np.zeros(n, dtype=np.int64)
    least = np.zeros(n, dtype=np.int64)
    until = np.zeros(n, dtype=np.int64)
    cost = np.empty(n)
    for i in range(m):
        remainder = total[i]
        for child in range(n):
            least[child] = now[child]
            nearest = np.int64(np.floor(values[child, i] + 0.5))
            now[child] = min(max(least[child], nearest), highest[child])
            remainder -= now[child]
        while remainder > 0:
            _costs_of_more(cost, now, highest, until, values, running, i)
            remainder -= _spend(cost, now, remainder, 1)
        while remainder < 0:
            for child in range(n):
                lower = now[child] > least[child]
                cost[child] = values[child, i] - now[child] if lower else np.inf
            remainder += _spend(cost, now, -remainder, -1)
        out[:, i] = now


@njit(cache=True, nogil=True)
def _costs_of_more(cost, now, highest, until, values, running, i):
    """Fill in the added squared cost of one more for each child, over all changed columns."""
    n, m = values.shape
    for child in range(n):
        if now[child] >= highest[child]:
            cost[child] = np.inf
            continue
        end = max(until[child], i + 1)
        while end < m and np.floor(values[child, end] + 0.5) <= now[child]:
            end += 1
        until[child] = end
        part = running[child, end] - running[child, i]
        cost[child] = (end - i) * (2.0 * now[child] + 1.0) - 2.0 * part


@njit(cache=True, nogil=True)
def _spend(cost, now, most, step):
    """Change up to `most` of the cheapest values by one step each; return how many changed."""
    if most == 1:
        now[np.argmin(cost)] += step
        return 1
    spent = 0
    for child in np.argsort(cost, kind="mergesort"):
        if spent == most or cost[child] == np.inf:
            break
        now[child] += step
        spent += 1
    return spent
