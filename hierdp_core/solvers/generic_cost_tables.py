"""The tree recursion with every φ(v) found by a generic solver, HiGHS: a slow comparison.

Cost tables are computed from the leaves up, over windows of values around a feasible solution.
Choices are made from the root down. Neither uses that costs are convex: for each node, size and
value, the solver picks one value of every child from its table, so that they add up.

The windows do use convexity. Costs are convex and the constraints are those of a network, so a
solution that no step of one unit improves is optimal. Windows are coarse at first, for example with
every fourth value. Later ones are finer, and the last ones contain every value. Windows are moved
to the best solution found, until it lies inside them or is no better than the one before.
"""

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.solvers.top_down import split_top_down
from hierdp_core.util.arrays import IntArray

# Values on either side of the middle of a window. On tables of 50 to 110 counts at ε = 1, 4 was
# measured to be the fastest of 2, 3, 4, 6 and 8, or close to it. Wide windows cost more than moves.
_REACH = 4
_OPTIMAL, _LIMIT = 0, 1  # how scipy.optimize.milp ended
_LARGEST_COST = 2**61  # twice this still fits into int64


def solve_tree_by_generic_tables(
    tree: Hierarchy,
    targets: IntArray,
    weights: IntArray,
    *,
    total: int,
    seconds: float,
    reach: int = _REACH,
) -> IntArray:
    """Return the consistent, non-negative integers closest to `targets`.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes), any integers.
        weights: shape (n_levels,), integers, 0 for a level that is not measured.
        total: the sum of the root's values over all sizes.
        seconds: the time limit.
        reach: the number of values on either side of the middle of a window, at least 2.

    Returns:
        shape (n_nodes, n_sizes). If there are several optima, any of them.

    Raises:
        SolverError: the time limit was reached, or an optimum could not be proved.

    Source: M_dp^OP of [A] Section 11.
    """
    deadline = _Deadline(seconds)
    weight = weights[tree.level_of][:, None]
    middle = split_top_down(tree, targets, total=total)
    step = 1
    while step * reach < min(int(np.abs(middle - targets).max()), total):
        step *= reach
    while True:
        moves = _best_moves(tree, targets, weight, middle, step, reach, total, deadline)
        best = middle + step * moves
        # As (a − b)(a + b), in Python's own integers: squares may exceed int64.
        gain = int((weight.astype(object) * (middle - best) * (middle + best - 2 * targets)).sum())
        middle = best
        if gain == 0 or np.abs(moves).max() < reach:
            if step == 1:
                return middle
            step //= reach


class _Deadline:
    """The time at which to stop."""

    def __init__(self, seconds: float) -> None:
        self.reached = SolverError(
            f"The cost tables reached their time limit of {seconds:g} seconds before the optimum "
            "was found. Nothing is released. Use a smaller table, or a longer time limit "
            "(time_limit, up to 600)."
        )
        self._end = perf_counter() + seconds

    def left(self) -> float:
        """Return the seconds that are left.

        Raises:
            SolverError: no time is left.
        """
        left = self._end - perf_counter()
        if left <= 0:
            raise self.reached
        return left


def _best_moves(
    tree: Hierarchy,
    targets: IntArray,
    weight: IntArray,
    middle: IntArray,
    step: int,
    reach: int,
    total: int,
    deadline: _Deadline,
) -> IntArray:
    """Return by how many steps each value moves from the middle, by one pass up and one down.

    Args:
        weight: shape (n_nodes, 1).
        middle: feasible values.
        step, reach: a window contains the middle and up to `reach` steps on either side.

    Returns:
        shape (n_nodes, n_sizes).
    """
    low = -np.minimum(reach, middle // step)
    high = np.minimum(reach, (total - middle) // step)
    for level in reversed(range(tree.n_levels - 1)):
        nodes = tree.level(level)
        low[nodes] = np.maximum(low[nodes], child_sums(tree, low, level))
        high[nodes] = np.minimum(high[nodes], child_sums(tree, high, level))

    # By node and size: τ over the window, and the values of its children for each of its own.
    tau: list[list[IntArray]] = [[] for _ in range(tree.n_nodes)]
    choice: list[list[list[IntArray]]] = [[] for _ in range(tree.leaves.start)]
    for node in reversed(range(tree.n_nodes)):
        family = range(tree.n_nodes)[tree.children(node)] if node < tree.leaves.start else ()
        for size in range(targets.shape[1]):
            window = np.arange(low[node, size], high[node, size] + 1)
            off = middle[node, size] + step * window - targets[node, size]
            if int(weight[node, 0]) * int(np.abs(off).max()) ** 2 > _LARGEST_COST:
                raise _too_large_for_highs()
            cost = weight[node] * off**2
            if family:
                tables = [tau[child][size] for child in family]
                lows = low[family, size]
                picks = [_cheapest(tables, int(v - lows.sum()), deadline) for v in window]
                phis = [phi for phi, _ in picks]
                if max(phis) > _LARGEST_COST:
                    raise _too_large_for_highs()
                cost = cost + np.array(phis)
                choice[node].append([lows + pick for _, pick in picks])
            tau[node].append(cost)

    moves = np.empty_like(targets)
    moves[0] = low[0] + _cheapest(tau[0], -int(low[0].sum()), deadline)[1]
    for node in range(tree.leaves.start):
        for size, taken in enumerate(moves[node] - low[node]):
            moves[tree.children(node), size] = choice[node][size][taken]
    return moves


def _cheapest(tables: Sequence[IntArray], total: int, deadline: _Deadline) -> tuple[int, IntArray]:
    """Choose one index per table, with sum `total`, so that the sum of the entries is smallest.

    Returns:
        the smallest sum, and the indices, shape (tables,).
    """
    if len(tables) == 1:
        return int(tables[0][total]), np.array([total])
    lengths = [len(table) for table in tables]
    owner = np.repeat(np.arange(len(tables)), lengths)
    place = np.concatenate([np.arange(length) for length in lengths])
    cost = np.concatenate([table - table.min() for table in tables])
    base = sum(int(table.min()) for table in tables)

    from scipy.optimize import LinearConstraint, milp  # slow to load
    from scipy.sparse import csr_array

    columns = np.arange(len(owner))
    rules = csr_array(
        (
            np.concatenate([np.ones(len(owner)), place]),
            (np.concatenate([owner, np.full(len(owner), len(tables))]), np.tile(columns, 2)),
        )
    )
    totals = np.append(np.ones(len(tables)), total)
    solution = milp(
        cost,
        integrality=np.ones(len(owner)),
        bounds=(0, 1),
        constraints=LinearConstraint(rules, totals, totals),
        options={"mip_rel_gap": 0, "time_limit": deadline.left()},
    )
    if solution.status == _LIMIT:
        raise deadline.reached
    if solution.status != _OPTIMAL:
        raise SolverError(
            f"HiGHS ended without an optimum: {solution.message} Nothing is released. Use a "
            "smaller table."
        )
    chosen = np.flatnonzero(solution.x > 0.5)
    cost_chosen = int(cost[chosen].sum())
    if cost_chosen >= solution.mip_dual_bound + 1:
        raise _too_large_for_highs()
    return base + cost_chosen, place[chosen]


def _too_large_for_highs() -> SolverError:
    return SolverError(
        "HiGHS stopped before it proved an optimum: the numbers are too large for its "
        "precision. Nothing is released. Choose a larger budget or a more even allocation."
    )
