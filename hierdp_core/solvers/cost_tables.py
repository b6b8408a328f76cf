"""The published dynamic programs for one size: cost tables over a window of values.

They are slower than `tree_program`, but they show why a solution is optimal. τ is the cost of a
value for a node and all nodes below it, and φ is the lowest cost at which the node's children add
up to the value. A slope is the cost of one more unit, and the price λ is the largest cost at which
units are taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.tree_program import solve_tree_program
from hierdp_core.util.arrays import BoolArray, IntArray, NumberArray

LARGEST_WINDOW = 2**20  # values; merging more takes seconds
_SHOWN = 160  # the most values in a table; wider windows have larger steps
_MARGIN = 3  # values on either side of those that must be shown
_NEVER = 2**62


@dataclass(frozen=True, eq=False, kw_only=True)
class CostTables:
    """The costs of the values 0…top at every node, in squared counts times weight.

    Attributes:
        tau: shape (n_nodes, top + 1), the cost of a value for the node and all nodes below it.
        phi: shape (n_nodes, top + 1), the lowest cost for the children to add up to the value; 0
            for leaves.
    """

    tau: IntArray
    phi: IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class CostTable:
    """The costs of the values of a window at one node, in squared counts times weight.

    Attributes:
        node: the index of the node in the hierarchy.
        target: the noisy value of the node.
        weight: the weight of its level.
        chosen: the value of the node in the solution of the whole program.
        best: the smallest value that minimises τ, which the node would have without its parent.
        price: λ, the cost up to which units of the node are taken; None if the value of its parent
            is 0.
        values: shape (n,), ascending in steps of `step`. `chosen` is one of them. `best` lies
            within the window, and so does `target`, unless it is negative or has weight 0.
        own: shape (n,), weight × (v − target)².
        phi: shape (n,), the lowest cost for the children to add up to v; 0 for leaves.
        split: shape (n, children), the values of the children at this cost. Ties go to early
            children.
    """

    node: int
    target: int
    weight: float
    chosen: int
    best: int
    price: float | None
    values: IntArray
    own: NumberArray
    phi: NumberArray
    split: IntArray

    @property
    def tau(self) -> NumberArray:
        """The cost of each value for the node and all nodes below it, shape (n,)."""
        total: NumberArray = self.own + self.phi
        return total

    @property
    def step(self) -> int:
        """The difference between neighbouring values of the window."""
        return int(self.values[1] - self.values[0]) if len(self.values) > 1 else 1

    @property
    def slopes(self) -> NumberArray:
        """The cost of the step from each value to the next, shape (n − 1,), non-decreasing."""
        return np.diff(self.tau)

    @property
    def merged(self) -> NumberArray:
        """The slopes of the children alone, in ascending order, shape (n − 1,)."""
        return np.diff(self.phi)

    @property
    def taken_from(self) -> IntArray:
        """The child that each unit comes from, counted from 0, shape (n − 1,); −1 for leaves.

        If the window has steps of more than one unit, it is the child with most units of a step.
        """
        if not self.split.shape[1]:
            return np.full(len(self.values) - 1, -1, dtype=np.int64)
        most: IntArray = np.argmax(np.diff(self.split, axis=0), axis=1)
        return most

    @property
    def chosen_at(self) -> int:
        """The index of the chosen value in `values`."""
        return int(np.searchsorted(self.values, self.chosen))


def cost_tables(tree: Hierarchy, targets: IntArray, weights: IntArray, *, top: int) -> CostTables:
    """Return τ and φ of every node, by merging the children's slopes in ascending order.

    The slopes of a convex table are ascending, so the cheapest v units of several children are
    the v smallest of all their slopes. Within 0…top the tables are exact, since no child has a
    larger value than its parent.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes,), the noisy values of one size.
        weights: shape (n_levels,), integers.
        top: the largest value in the tables.

    Raises:
        ValueError: a cost may exceed int64.

    Source: [A] Algorithm 1.
    """
    furthest = top + int(np.abs(targets).max())
    if tree.n_nodes * int(weights.max()) * furthest**2 >= _NEVER:
        raise ValueError("Costs must stay below 2**62. Reduce the targets, the weights or `top`.")
    v = np.arange(top + 1, dtype=np.int64)
    own = weights[tree.level_of][:, None] * (v - targets[:, None]) ** 2
    tau, phi = own.copy(), np.zeros_like(own)
    for node in reversed(range(tree.leaves.start)):
        family = tau[tree.children(node)]
        slopes = np.sort(np.diff(family, axis=1), axis=None)[:top]
        phi[node, 0] = family[:, 0].sum()
        phi[node, 1:] = phi[node, 0] + np.cumsum(slopes)
        tau[node] += phi[node]
    return CostTables(tau=tau, phi=phi)


def cost_table(
    tree: Hierarchy,
    targets: IntArray,
    weights: NumberArray,
    values: IntArray,
    node: int,
    *,
    window: tuple[int, int] | None = None,
    price: float | None = None,
) -> CostTable:
    """Return τ and φ of one node over any window of values.

    The two ends of the window are solved as tree programs. The units between them are merged level
    by level as in `cost_tables`, so that no table has to begin at 0.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes,), the noisy values of one size.
        weights: shape (n_levels,), as in `solve_tree_program`.
        values: shape (n_nodes,), the solution of `solve_tree_program` for this size.
        node: the node of the table.
        window: smallest and largest value. It is widened to contain the chosen value, the best one
            and the target. By default, it contains these and a few values around them.
        price: the price of the root, from `root_price`, used if `node` is the root.

    Raises:
        ValueError: the window contains more than `LARGEST_WINDOW` values.
        SolverError: weights are integers, and one unit may cost 2**60 or more.
    """
    below, nodes = subtree(tree, node)
    node_targets = np.ascontiguousarray(targets[nodes])
    weighing = plain_weights(weights)[int(tree.level_of[node]) :]
    target, chosen = int(targets[node]), int(values[node])
    best = int(solve_tree_program(below, node_targets[:, None], weighing)[0, 0])
    # A level that is not measured has no noisy value, so its target is ignored.
    noisy_value = max(target, 0) if weighing[0] else chosen
    low, high = _window(window, chosen, best, noisy_value)

    start, stop = (
        solve_tree_program(below, node_targets[:, None], weighing, total=end)[:, 0]
        for end in (low, high)
    )
    if costs_fit(node_targets, weighing, np.array([high]))[0] is object:
        raise SolverError(
            "The costs here are too large for a cost table. Choose a larger budget or a more even "
            "allocation, or an area at a lower level."
        )
    costs, givers = _merge(below, node_targets, weighing, start, stop)
    step = -(-(high - low + 1) // _SHOWN)
    shown = _seen(low, high, step, chosen)
    at = shown - low
    split = np.tile(start[below.children(0)], (len(at), 1))
    for child in np.unique(givers):
        split[:, child] += np.concatenate(([0], np.cumsum(givers == child)))[at]
    return CostTable(
        node=node,
        target=target,
        weight=weighing[0].item(),
        chosen=chosen,
        best=best,
        price=price if node == 0 else _family_price(tree, targets, weights, values, node),
        values=shown,
        own=_fitting(weighing[0].item(), shown - target),
        phi=_phi(below, node_targets, weighing, start, costs)[at],
        split=split,
    )


def subtree(tree: Hierarchy, node: int) -> tuple[Hierarchy, IntArray]:
    """Return the hierarchy from `node` down, and the indices of its nodes in the whole tree."""
    slices = [np.arange(node, node + 1)]
    for _ in range(int(tree.level_of[node]), tree.n_levels - 1):
        first, last = int(slices[-1][0]), int(slices[-1][-1])
        slices.append(np.arange(tree.child_start[first], tree.child_start[last + 1]))
    starts = np.cumsum([0, *(len(s) for s in slices)])
    # A level of a subtree is one slice, so all its indices change by the same amount.
    parents = [
        tree.parent[nodes] - above[0] + start
        for nodes, above, start in zip(slices[1:], slices[:-1], starts, strict=False)
    ]
    parent = np.concatenate([np.array([-1]), *parents])
    return Hierarchy(parent=parent, level_start=starts), np.concatenate(slices)


def plain_weights(weights: NumberArray) -> NumberArray:
    """Return the weights as integers if all of them are integers, so that costs are exact."""
    integers: IntArray = np.rint(weights).astype(np.int64)
    return integers if weights.max() < 2.0**62 and (integers == weights).all() else weights


def costs_fit(
    targets: IntArray, weights: NumberArray, values: IntArray
) -> tuple[npt.DTypeLike, float]:
    """Return the type that can hold the cost of any unit, and a cost far above all of them.

    Args:
        targets, values: two arrays of integers of absolute value up to 2**60.
        weights: shape (n_levels,). A unit costs at most about the sum of the weights
            times twice the largest distance.

    Returns:
        int64 and 2**62 for integer weights if costs are below 2**60. For larger costs, object
        (Python's own integers) and a larger cost. For other weights, float64 and infinity.
    """
    if weights.dtype == np.float64:
        return np.float64, np.inf
    largest = sum(max(int(a.max(initial=0)), -int(a.min(initial=0))) for a in (values, targets))
    dearest = sum(weights.tolist()) * (2 * largest + 1)
    return (np.int64, 2**62) if dearest < 2**60 else (object, 4 * dearest)


def unit_costs(
    tree: Hierarchy, targets: IntArray, weights: NumberArray, values: IntArray
) -> tuple[NumberArray, NumberArray]:
    """Return the costs of every node's last unit and of one more, including nodes below.

    Args:
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes).
        weights: shape (n_levels,).
        values: shape (n_nodes, n_sizes), optimal for their root values.

    Returns:
        two arrays of shape (n_nodes, n_sizes); −2**62 or less for the last unit of a value of 0.
        They contain Python's own integers if int64 might be too small, and floats if weights are
        not integers.
    """
    weights = plain_weights(weights)
    kind, never = costs_fit(targets, weights, values)
    weight = weights.astype(kind)[tree.level_of][:, None]
    last = np.where(values > 0, weight * (2 * (values - targets) - 1), -never)
    more = weight * (2 * (values - targets) + 1)
    for level in reversed(range(tree.n_levels - 1)):
        below, nodes = tree.level(level + 1), tree.level(level)
        starts = tree.child_start[nodes] - below.start
        more[nodes] += np.minimum.reduceat(more[below], starts, axis=0)
        dearest = np.maximum.reduceat(last[below], starts, axis=0)
        last[nodes] = np.where(values[nodes] > 0, last[nodes] + dearest, -never)
    return last, more


def root_price(
    tree: Hierarchy,
    targets: IntArray,
    weights: NumberArray,
    values: IntArray,
    *,
    total: int | None,
) -> float | None:
    """Return the price at which all sizes together take `total`: the largest cost of their units.

    With a free total (None), units are taken if they lower the cost, so the price is 0. The result
    is None if the total is 0.
    """
    if total is None:
        return 0
    last, _ = unit_costs(tree, targets, weights, values)
    return _plain(last[0].max()) if total > 0 else None


def _family_price(
    tree: Hierarchy, targets: IntArray, weights: NumberArray, values: IntArray, node: int
) -> float | None:
    parent = int(tree.parent[node])
    if not values[parent]:
        return None
    below, nodes = subtree(tree, parent)
    weighing = weights[int(tree.level_of[parent]) :]
    last, _ = unit_costs(below, targets[nodes][:, None], weighing, values[nodes][:, None])
    return _plain(last[below.children(0)].max())


def _plain(cost: Any) -> float:
    return cost.item() if isinstance(cost, np.generic) else cost  # type: ignore[no-any-return]


def _window(
    window: tuple[int, int] | None, chosen: int, best: int, noisy_value: int
) -> tuple[int, int]:
    low, high = min(chosen, best, noisy_value), max(chosen, best, noisy_value)
    margin = max(_MARGIN, (high - low) // 8)
    limits = (max(0, low - margin), high + margin) if window is None else window
    low, high = max(0, min(low, limits[0])), max(high, limits[1])
    if high - low >= LARGEST_WINDOW:
        raise ValueError(f"A window holds up to {LARGEST_WINDOW:,} values; got {high - low + 1:,}.")
    return low, high


def _seen(low: int, high: int, step: int, chosen: int) -> IntArray:
    """Return values from low to high in steps of `step`, including `chosen`."""
    first = chosen - -(-(chosen - low) // step) * step
    first = first if first >= low else first + step
    return np.arange(first, high + 1, step, dtype=np.int64)


def _merge(
    tree: Hierarchy, targets: IntArray, weights: NumberArray, start: IntArray, stop: IntArray
) -> tuple[NumberArray, IntArray]:
    """Return the costs of the units between two solutions, ascending, and the child of each."""
    leaves = np.arange(tree.leaves.start, tree.leaves.stop)
    owner, unit = _units(leaves, start, stop)
    costs: NumberArray = weights[-1] * (2 * (unit - targets[owner]) + 1)
    givers = np.full(len(owner), -1, dtype=np.int64)
    for level in reversed(range(tree.n_levels - 1)):
        parent = tree.parent[owner]
        # The sort is stable, so of equal costs those of early children come first.
        order = np.lexsort((costs, parent))
        costs, givers = costs[order], owner[order]
        nodes = np.arange(tree.level(level).start, tree.level(level).stop)
        owner, unit = _units(nodes, start, stop)
        if level > 0:
            costs = costs + weights[level] * (2 * (unit - targets[owner]) + 1)
    if tree.n_levels == 1:
        return np.zeros_like(costs), np.empty(0, dtype=np.int64)
    return costs, givers - 1


def _units(nodes: IntArray, start: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for each unit of each node from `start` to `stop`, its node and the value before."""
    counts = stop[nodes] - start[nodes]
    owner = np.repeat(nodes, counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return owner, start[owner] + np.arange(len(owner)) - before


def _phi(
    tree: Hierarchy, targets: IntArray, weights: NumberArray, start: IntArray, costs: NumberArray
) -> NumberArray:
    own = zip(weights[tree.level_of[1:]].tolist(), (start[1:] - targets[1:]).tolist(), strict=True)
    least = sum(weight * distance**2 for weight, distance in own)
    # In floats first: sums of integers might overflow.
    rise = np.concatenate(([0.0], np.cumsum(costs, dtype=np.float64)))
    if least + float(np.abs(rise).max()) < _NEVER:
        rising: NumberArray = least + np.concatenate(([0], np.cumsum(costs)))
        return rising
    return float(least) + rise


def _fitting(weight: float, distance: IntArray) -> NumberArray:
    if isinstance(weight, int) and weight * int(np.abs(distance).max()) ** 2 < _NEVER:
        return weight * distance**2
    return weight * distance.astype(np.float64) ** 2


@dataclass(frozen=True, eq=False, kw_only=True)
class ChainTables:
    """The costs of the values 0…top along a chain.

    Attributes:
        targets: shape (n,), noisy cumulative sums, in the order of the chain.
        tied: shape (n,), whether a sum must equal the one before it.
        own: shape (n, top + 1), the cost of a value for the sum itself.
        phi: shape (n, top + 1), the lowest cost of all sums before it.
        tau: shape (n, top + 1), the sum of both.
        chosen: shape (n,), the values of the optimum.
    """

    targets: IntArray
    tied: BoolArray
    own: IntArray
    phi: IntArray
    tau: IntArray
    chosen: IntArray


def chain_tables(
    targets: Sequence[int] | IntArray,
    tied: Sequence[bool] | BoolArray,
    weights: Sequence[int] | IntArray,
    *,
    top: int,
    end: int | None = None,
) -> ChainTables:
    """Return τ and φ along a chain of cumulative sums, and the values that follow from its end.

    A sum must not be below the one before it, so φ(v) is the smallest τ of the one before at v or
    less. If the two are tied (a parent after its last child), φ(v) is that τ at v itself.

    Args:
        targets: shape (n,), noisy cumulative sums in the order of the chain.
        tied: shape (n,), whether each sum must equal the one before it. The first is not tied.
        weights: shape (n,), integers.
        top: the largest value in the tables.
        end: the value of the last sum; by default the one of lowest cost.

    Raises:
        ValueError: `top` is below `end`, or below the largest target if no end is given.

    Source: [A] Equations (8a) and (8b), Table 6.
    """
    target_values, weigh = np.asarray(targets, dtype=np.int64), np.asarray(weights, dtype=np.int64)
    least = int(target_values.max(initial=0)) if end is None else end
    if top < least:
        limit = "the largest target" if end is None else "`end`"
        raise ValueError(f"`top` is {top}, below {limit} ({least}). Choose a larger `top`.")
    joined = np.asarray(tied, dtype=np.bool_)
    own = weigh[:, None] * (np.arange(top + 1) - target_values[:, None]) ** 2
    phi = np.zeros_like(own)
    tau = own.copy()
    for i in range(1, len(target_values)):
        phi[i] = tau[i - 1] if joined[i] else np.minimum.accumulate(tau[i - 1])
        tau[i] += phi[i]
    chosen = np.empty(len(target_values), dtype=np.int64)
    chosen[-1] = int(tau[-1].argmin()) if end is None else end
    for i in range(len(target_values) - 1, 0, -1):
        most = int(chosen[i])
        chosen[i - 1] = most if joined[i] else int(tau[i - 1, : most + 1].argmin())
    return ChainTables(targets=target_values, tied=joined, own=own, phi=phi, tau=tau, chosen=chosen)


def chain_order(tree: Hierarchy) -> tuple[IntArray, BoolArray]:
    """Return the nodes of one size in post-order, and which of them follow their last child.

    The chain of all sizes repeats this order for each size.
    """
    order: list[int] = []
    waiting = [(0, False)]
    while waiting:
        node, ready = waiting.pop()
        children = range(tree.n_nodes)[tree.children(node)]
        if ready or not children:
            order.append(node)
        else:
            waiting.append((node, True))
            waiting += [(child, False) for child in reversed(children)]
    tied = [int(tree.child_start[n]) < int(tree.child_start[n + 1]) for n in order]
    return np.array(order, dtype=np.int64), np.array(tied)
