# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Best linear unbiased estimates on the whole tree, then integers from the root down.

Two sweeps compute the best linear unbiased estimate b of every value from all measurements. On the
way down, the value x of a parent is final. Given x, the best estimates of its children are

    argmin Σ_c (x_c − b_c)² / s_c    such that Σ_c x_c = x,

where s_c is the variance of the best estimate of child c from its own subtree; see
`docs/blue-topdown.md`. Here, x_c ≥ 0 is required as well, and the solution is rounded. If no
estimate is near 0, the result differs from b only by rounding.
"""

import numpy as np
from numba import njit

from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.solvers.least_squares import least_squares_on_tree
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.solvers.top_down import split_one
from hierdp_core.util.arrays import FloatArray, IntArray


def blue_top_down(
    tree: Hierarchy, noisy: IntArray, precisions: FloatArray, *, total: int | None = None
) -> IntArray:
    """Return consistent, non-negative integers near the best linear unbiased estimates.

    Args:
        tree: the hierarchy.
        noisy: shape (n_nodes, n_sizes).
        precisions: shape (n_levels,), 1/variance; 0 for a level not measured, above 0 for the
            last. Any common factor gives the same values.
        total: the sum of the root's values over all sizes. None rounds each of them separately.

    Returns:
        shape (n_nodes, n_sizes).
    """
    best = np.ascontiguousarray(least_squares_on_tree(tree, noisy, precisions).T)
    values = np.empty(best.shape, dtype=np.int64)
    if total is None:
        values[:, 0] = np.maximum(np.rint(best[:, 0]), 0)
    else:
        root = np.empty(len(best), dtype=np.int64)
        split_one(np.array(best[:, 0]), total, root)
        values[:, 0] = root
    variances = subtree_variances(tree, precisions)
    child_start = np.array(tree.child_start[: tree.leaves.start + 1])
    in_chunks(
        lambda start, stop: _split_columns(best, values, variances, child_start, start, stop),
        len(best),
        cells=best.size,
    )
    return np.ascontiguousarray(values.T)


def subtree_variances(tree: Hierarchy, precisions: FloatArray) -> FloatArray:
    """Return the variance of the best estimate of every node from measurements in its subtree.

    Args:
        tree: the hierarchy.
        precisions: shape (n_levels,), as in `blue_top_down`.

    Returns:
        shape (n_nodes,), in the unit of 1/precisions.

    Source: Hay, Rastogi, Miklau and Suciu 2010, Theorem 3, for nodes with different
    numbers of children.
    """
    spread = np.empty(tree.n_nodes)
    spread[tree.leaves] = 1 / precisions[-1]
    for level in reversed(range(tree.n_levels - 1)):
        below = child_sums(tree, spread, level)
        spread[tree.level(level)] = below / (1 + precisions[level] * below)
    return spread


@njit(cache=True, nogil=True)
def _split_columns(best, values, variances, child_start, start, stop):
    for s in range(start, stop):
        for node in range(len(child_start) - 1):
            a, b = child_start[node], child_start[node + 1]
            split_by_variance(best[s, a:b], variances[a:b], values[s, node], values[s, a:b])


@njit(cache=True, nogil=True)
def split_by_variance(best, variances, total, out):
    """Write into `out` integers with sum `total` near `best`, in squares divided by variances.

    The closest real numbers are max(0, b + s θ) for one θ, found by going through the points where
    a child reaches 0. All are rounded down, except those with the largest fractions, early
    children first.
    """
    n = len(best)
    if total == 0:
        out[:] = 0
        return
    reach = best / variances  # a child is above 0 if θ > −reach
    order = np.argsort(-reach, kind="mergesort")
    shift, known, spread = 0.0, 0.0, 0.0
    for k in range(n):
        child = order[k]
        known += best[child]
        spread += variances[child]
        candidate = (total - known) / spread
        if k > 0 and reach[child] + candidate <= 0:
            break
        shift = candidate
    remainder = total
    fraction = np.empty(n)
    for i in range(n):
        real = max(best[i] + variances[i] * shift, 0.0)
        down = np.floor(real)
        out[i] = np.int64(down)
        fraction[i] = real - down
        remainder -= out[i]
    if remainder > 0:
        first = np.argsort(-fraction, kind="mergesort")
        for k in range(remainder):
            out[first[k % n]] += 1
    while remainder < 0:
        # Rounding errors of floats: reduce the largest value.
        out[np.argmax(out)] -= 1
        remainder += 1
