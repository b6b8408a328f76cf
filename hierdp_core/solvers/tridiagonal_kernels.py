# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Compiled loops of `rising_interior`: one tridiagonal system for each row of the last level.

The matrix of a row is diag(widths) + Cᵀ diag(stiffness) C, where C takes the differences of
neighbouring cells: cell 0 from 0, and the bound from the last cell. All terms of these recursions
are positive, so that every number is accurate however far the stiffnesses differ. A row whose bound
is 0 is not `free`, and does not move.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def factor_rows(widths, stiffness, free, pivots):
    """Write the pivots of every row, without subtractions."""
    n, m = pivots.shape
    for row in range(n):
        if not free[row]:
            continue
        rest = widths[0] + stiffness[row, 0]
        pivots[row, 0] = rest + stiffness[row, 1]
        for i in range(1, m):
            link = stiffness[row, i]
            rest = widths[i] + link * (rest / (rest + link))
            pivots[row, i] = rest + stiffness[row, i + 1]


@njit(cache=True, nogil=True, error_model="numpy")
def solve_rows(stiffness, pivots, free, right, out):
    """Solve every row's system for `right`; rows that are not free become 0."""
    n, m = pivots.shape
    for row in range(n):
        own, links = out[row], stiffness[row]
        if not free[row]:
            own[:] = 0.0
            continue
        own[0] = right[row, 0]
        for i in range(1, m):
            own[i] = right[row, i] + links[i] / pivots[row, i - 1] * own[i - 1]
        for i in range(m):
            own[i] /= pivots[row, i]
        for i in range(m - 2, -1, -1):
            own[i] += links[i + 1] / pivots[row, i] * own[i + 1]


@njit(cache=True, nogil=True, error_model="numpy")
def add_inverses(stiffness, pivots, free, parent, sums):
    """Add the inverse of every free row's matrix to the matrix of its parent in `sums`."""
    n, m = pivots.shape
    diagonal = np.empty(m)
    for row in range(n):
        if not free[row]:
            continue
        links, out = stiffness[row], sums[parent[row]]
        diagonal[m - 1] = 1.0 / pivots[row, m - 1]
        for i in range(m - 2, -1, -1):
            link = links[i + 1] / pivots[row, i]
            diagonal[i] = 1.0 / pivots[row, i] + link * link * diagonal[i + 1]
        for j in range(m):
            value = diagonal[j]
            out[j, j] += value
            for i in range(j - 1, -1, -1):
                value *= links[i + 1] / pivots[row, i]
                out[i, j] += value
                out[j, i] += value
