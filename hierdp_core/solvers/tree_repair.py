# mypy: disable-error-code="no-untyped-def, untyped-decorator, assignment"
"""Exact optimality: units are moved one by one where floats could not distinguish two costs.

`tree_lists` compares costs that were rounded once. If two differ by less than the rounding, a few
units may be in the wrong place. Each move here lowers the true cost, computed in sums of two
floats. After one sweep from the leaves up, no such move within a size is left.

`costs` holds for each region the cost of one more unit and that of its last unit, each as the sum
of two floats, shape (n_sizes, 4, n_inner).
"""

import numpy as np
from numba import njit

from hierdp_core.solvers.tree_lists import exact_product

_MOST_MOVES = 100_000  # per region; if more are needed, the check rejects the result


@njit(cache=True, nogil=True, error_model="numpy")
def _add(a, a0, b, b0):
    s = a + b
    t = s - a
    e = (a - (s - t)) + (b - t)
    u = a0 + b0
    t = u - a0
    f = (a0 - (u - t)) + (b0 - t)
    e += u
    t = s + e
    f += e - (t - s)
    s = t + f
    return s, f - (s - t)


@njit(cache=True, nogil=True, error_model="numpy")
def _unit_cost(weight, units):
    high = np.float64(units)
    p, e = exact_product(weight, high)
    return _add(p, e, weight * np.float64(units - np.int64(high)), 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _look(column, values, child_start, node, own, leaf, is_family, costs):
    """Set the costs of one more unit of `node` and of its last one.

    Return what a move between two children saves, the child that gives and the one that takes.
    """
    a, b = child_start[node], child_start[node + 1]
    up, up0, down, down0 = np.inf, 0.0, -np.inf, 0.0
    giver, taker = np.int64(-1), a
    if is_family:
        for i in range(a, b):
            off = values[i] - column[i]
            if off < values[taker] - column[taker]:
                taker = i
            if values[i] > 0 and (giver < 0 or off >= values[giver] - column[giver]):
                giver = i
        up, up0 = _unit_cost(leaf, 2 * (values[taker] - column[taker]) + 1)
        if giver >= 0:
            down, down0 = _unit_cost(leaf, 2 * (values[giver] - column[giver]) - 1)
    else:
        for i in range(a, b):
            if costs[0, i] < up or (costs[0, i] == up and costs[1, i] < up0):
                up, up0, taker = costs[0, i], costs[1, i], i
            if costs[2, i] > -np.inf and (
                costs[2, i] > down or (costs[2, i] == down and costs[3, i] >= down0)
            ):
                down, down0, giver = costs[2, i], costs[3, i], i
    gain = 0.0
    if giver >= 0:
        gain, rest = _add(down, down0, -up, -up0)
        gain += rest
        w, w0 = _unit_cost(own, 2 * (values[node] - column[node]) - 1)
        down, down0 = _add(down, down0, w, w0)
    w, w0 = _unit_cost(own, 2 * (values[node] - column[node]) + 1)
    costs[0, node], costs[1, node] = _add(up, up0, w, w0)
    costs[2, node], costs[3, node] = down, down0
    return gain, giver, taker


@njit(cache=True, nogil=True, error_model="numpy")
def move(head, level, unit, column, values, child_start, weights, costs, path):
    """Add a unit to `head` where it costs least, or remove the most expensive one."""
    n_levels = len(weights)
    leaf = weights[n_levels - 1]
    node = head
    for k in range(level, n_levels):
        path[k] = node
        if k < n_levels - 1:
            _, giver, taker = _look(
                column, values, child_start, node, weights[k], leaf, k == n_levels - 2, costs
            )
            values[node] += unit
            node = taker if unit > 0 else giver
    values[node] += unit
    for k in range(n_levels - 2, level - 1, -1):
        _look(column, values, child_start, path[k], weights[k], leaf, k == n_levels - 2, costs)


@njit(cache=True, nogil=True, error_model="numpy")
def repair(start, stop, columns, values, child_start, level_start, weights, costs, path):
    """Move units within each size until no move lowers the cost."""
    n_levels = len(weights)
    leaf = weights[n_levels - 1]
    for s in range(start, stop):
        for level in range(n_levels - 2, -1, -1):
            own, is_family = weights[level], level == n_levels - 2
            for node in range(level_start[level], level_start[level + 1]):
                gain, giver, taker = _look(
                    columns[s], values[s], child_start, node, own, leaf, is_family, costs[s]
                )
                for _ in range(_MOST_MOVES):
                    if gain <= 0.0:
                        break
                    if is_family:
                        values[s, giver] -= 1
                        values[s, taker] += 1
                    else:
                        move(
                            giver, level + 1, -1, columns[s], values[s], child_start, weights,
                            costs[s], path,
                        )  # fmt: skip
                        move(
                            taker, level + 1, 1, columns[s], values[s], child_start, weights,
                            costs[s], path,
                        )  # fmt: skip
                    gain, giver, taker = _look(
                        columns[s], values[s], child_start, node, own, leaf, is_family, costs[s]
                    )
