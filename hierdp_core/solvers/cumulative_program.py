"""Model 2 without whole numbers: all regions monotone and consistent at once.

    minimise   Σ_r w_r ‖c^r − c̃^r‖²
    such that  every row rises from 0 or more, a region is the sum of its children in
               every column, and the root's row ends at the total.

Two projections are linear in the size of the table: on consistent trees (two sweeps a
column) and on rising rows (pooling). The alternating direction method joins them; the
multipliers of both give the optimality conditions that are tested before it returns.

Sums of rising rows rise, so a level that is not measured adds neither a cost nor a
constraint. It is left out, and its rows are the sums of those below it; only the root stays,
for its total.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.solvers.isotonic import pool_rows
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.arrays import FloatArray, IntArray

# Measured on the national table: of 1, 3, 10 and 30 times the weight, and of level-wise
# mixtures, 3 comes nearest in a given number of steps; over-relaxation by 1.6 likewise.
# The same holds level by level at allocations of 10,000 to 1.
_PENALTY = 3.0
_RELAXATION = 1.6
# Times the weight of its children's sum, for a root that is not measured: likewise, of 1 to 1,000.
_ROOT_PENALTY = 10.0
_LEAST_VARIANCE = 1e-9
_LEAST_DEVIATION = 0.1
_FIXED_STEPS = 500  # the usual tables take up to about 150
_STEPS_A_PENALTY = 25
_BALANCE = 10.0  # residuals further apart than this change the penalty by as much
_OWN_DEVIATIONS = 0.05  # of a level's own noise, where that is far above the least noise
MOST_STEPS = 20_000


@dataclass(frozen=True, eq=False, kw_only=True)
class PgsrCOpt:
    """The solution and how well it meets the optimality conditions.

    Attributes:
        values: shape (n_nodes, n_sizes), in groups, every row rising from 0 or more.
        primal_residual: the largest distance between the rising and the consistent copy,
            in groups.
        dual_residual: the largest change of the rising copy in the last step, in groups.
        steps: how many were taken.
    """

    values: FloatArray
    primal_residual: float
    dual_residual: float
    steps: int


def solve_cumulative_program(
    tree: Hierarchy,
    noisy: IntArray,
    variances: Sequence[float | None],
    *,
    total: int,
    tolerance: float = 0.05,
    most_steps: int = MOST_STEPS,
) -> PgsrCOpt:
    """Return the rising, consistent table nearest to noisy cumulative numbers.

    Args:
        tree: the hierarchy.
        noisy: shape (n_nodes, n_sizes), any whole numbers.
        variances: of each level's noise, in squared groups; None where it was not measured,
            which the last level must be. One below 1e-9 counts as 1e-9.
        total: where the root's row ends, in groups.
        tolerance: both residuals are at most this on every level, in standard deviations of
            the least noise, or in twentieths of those of the level's own noise where that is
            more. A standard deviation below a tenth of a group counts as that. Where the root
            is not measured, its children's noise added up counts as its own.
        most_steps: how many steps it may take.

    Raises:
        SolverError: the residuals are larger than that after `most_steps`.

    Source: SPEC 3.3; Boyd et al. 2011, Section 3 for the method and its residuals.
    """
    kept = [k for k, v in enumerate(variances) if v is not None or k == 0]
    small, nodes = _tree_of_levels(tree, kept)
    spreads = [max(v, _LEAST_VARIANCE) for k in kept if (v := variances[k]) is not None]
    least = min(spreads)
    weights = [least / spread for spread in spreads]
    penalty = [_PENALTY * weight for weight in weights]
    if variances[0] is None:
        below = int(small.level_sizes[1])
        penalty.insert(0, _ROOT_PENALTY * weights[0] / below)
        weights.insert(0, 0.0)
        spreads.insert(0, below * spreads[0])
    deviations = np.maximum(np.sqrt(spreads), _LEAST_DEVIATION)
    allowed = tolerance * np.maximum(deviations.min(), _OWN_DEVIATIONS * deviations)

    def sweep_at(factor: float) -> _Sweep:
        return _Sweep(small, np.array(weights), factor * np.array(penalty), float(total))

    solved = _alternate(sweep_at, small, np.ascontiguousarray(noisy[nodes]), allowed, most_steps)
    if len(kept) == tree.n_levels:
        return solved
    values = np.empty(noisy.shape)
    values[nodes] = solved.values
    for level in reversed(range(tree.n_levels - 1)):
        if variances[level] is None:
            values[tree.level(level)] = child_sums(tree, values, level)
    return PgsrCOpt(
        values=values,
        primal_residual=solved.primal_residual,
        dual_residual=solved.dual_residual,
        steps=solved.steps,
    )


def _alternate(
    sweep_at: Callable[[float], "_Sweep"],
    tree: Hierarchy,
    targets: IntArray,
    allowed: FloatArray,
    most_steps: int,
) -> PgsrCOpt:
    """Solve the program of a tree of which every level but the root is measured.

    Targets far outside what a table can hold need multipliers far from 0, which the usual penalty
    reaches in steps that are too small. After many steps the penalty is therefore balanced: raised
    where the two copies stay apart, lowered where they move together.

    Args:
        sweep_at: the projection on consistent trees, for a factor on the usual penalty.
        tree: the hierarchy.
        targets: shape (n_nodes, n_sizes).
        allowed: shape (n_levels,), the largest residuals, in groups.
        most_steps: how many steps it may take.
    """
    limit, factor, sweep = allowed[tree.level_of][:, None], 1.0, sweep_at(1.0)
    rising = targets.astype(np.float64)
    in_chunks(lambda a, b: _pool_from_zero(rising, a, b), len(rising), cells=rising.size)
    if sweep.own[0] == 0:
        rising[0] = child_sums(tree, rising, 0)[0]
    dual = np.zeros_like(rising)
    consistent = np.empty_like(rising)
    gaps = np.full((len(rising), 2), np.inf)
    steps = 0
    while not (gaps <= limit).all():  # so that what is no number is no success
        if steps == most_steps:
            primal, change = gaps.max(axis=0).tolist()
            raise SolverError(
                f"The cumulative program stopped before its optimum: after {steps:,} steps its "
                f"residuals are {primal:.3g} and {change:.3g} groups, not {allowed.min():.3g} "
                "or less. Nothing is released. Choose a more even budget allocation, or pgsr-c-dp."
            )
        steps += 1
        sweep.project(targets, rising, dual, consistent)
        in_chunks(
            lambda a, b: _rise(consistent, rising, dual, gaps, a, b),
            len(rising),
            cells=rising.size,
        )
        # A change counts as the gradient that it stands for, whatever the penalty.
        gaps[:, 1] *= max(1.0, factor)
        if steps >= _FIXED_STEPS and steps % _STEPS_A_PENALTY == 0:
            more = _balancing(*(gaps / limit).max(axis=0).tolist())
            if more != 1.0:
                factor *= more
                np.divide(dual, more, out=dual)
                sweep = sweep_at(factor)
    primal, change = gaps.max(axis=0).tolist()
    return PgsrCOpt(values=rising, primal_residual=primal, dual_residual=change, steps=steps)


def _balancing(apart: float, moved: float) -> float:
    """Return by how much the penalty should grow for two residuals: 1 where they are alike.

    Source: Boyd et al. 2011, Section 3.4.1.
    """
    if apart > _BALANCE * moved:
        return _BALANCE
    return 1 / _BALANCE if moved > _BALANCE * apart else 1.0


def _tree_of_levels(tree: Hierarchy, levels: Sequence[int]) -> tuple[Hierarchy, IntArray]:
    """Return the hierarchy of some levels alone, and the numbers its nodes have in the whole.

    Args:
        tree: the hierarchy.
        levels: ascending, the first and the last among them.
    """
    of_level = [np.arange(tree.n_nodes)[tree.level(k)] for k in levels]
    starts = np.cumsum([0, *(len(nodes) for nodes in of_level)])
    parents = [np.array([-1])]
    for i in range(1, len(levels)):
        above = of_level[i]
        for _ in range(levels[i] - levels[i - 1]):
            above = tree.parent[above]
        parents.append(above - tree.level(levels[i - 1]).start + starts[i - 1])
    return Hierarchy(parent=np.concatenate(parents), level_start=starts), np.concatenate(of_level)


class _Sweep:
    """Projection on consistent trees in weighted squares, the root's last column fixed."""

    def __init__(
        self, tree: Hierarchy, own_weights: FloatArray, penalty: FloatArray, total: float
    ) -> None:
        weights = own_weights + penalty
        # The root may weigh nothing; what stands in its row then counts for nothing.
        own = np.divide(own_weights, weights, out=np.zeros_like(weights), where=weights > 0)
        self.own = own[tree.level_of]
        self.total = total
        # As in least_squares_on_tree; these depend on the tree and the weights alone.
        spread = np.empty(tree.n_nodes)
        gain = np.zeros(tree.n_nodes)
        spread[tree.leaves] = 1 / weights[-1]
        for level in reversed(range(tree.n_levels - 1)):
            nodes = tree.level(level)
            below = child_sums(tree, spread, level)
            gain[nodes] = 1 / (1 + weights[level] * below)
            spread[nodes] = below * gain[nodes]
        share = np.zeros(tree.n_nodes)
        for level in range(tree.n_levels - 1):
            children = tree.level(level + 1)
            parents = tree.parent[children] - tree.level(level).start
            share[children] = spread[children] / child_sums(tree, spread, level)[parents]
        self.gain, self.share = gain, share
        self.child_start = np.array(tree.child_start)
        self.first_leaf = tree.leaves.start

    def project(
        self, targets: IntArray, rising: FloatArray, dual: FloatArray, out: FloatArray
    ) -> None:
        """The consistent table nearest to targets and to `rising - dual` at once, in `out`."""
        in_chunks(
            lambda a, b: _sweep_columns(
                targets,
                rising,
                dual,
                out,
                self.child_start,
                self.first_leaf,
                self.own,
                self.gain,
                self.share,
                self.total,
                a,
                b,
            ),
            out.shape[1],
            cells=out.size,
        )


@njit(cache=True, nogil=True)
def _sweep_columns(
    targets, rising, dual, out, child_start, first_leaf, own, gain, share, total, start, stop
):
    width = stop - start
    sums = np.zeros((first_leaf, width))
    for node in range(len(out) - 1, -1, -1):
        part = own[node]
        for i in range(start, stop):
            out[node, i] = part * targets[node, i] + (1 - part) * (rising[node, i] - dual[node, i])
        if node < first_leaf:
            for child in range(child_start[node], child_start[node + 1]):
                for i in range(width):
                    sums[node, i] += out[child, start + i]
            for i in range(width):
                out[node, start + i] += gain[node] * (sums[node, i] - out[node, start + i])
    if stop == out.shape[1]:
        out[0, stop - 1] = total
    for node in range(first_leaf):
        for i in range(width):
            sums[node, i] = out[node, start + i] - sums[node, i]  # what is left over
        for child in range(child_start[node], child_start[node + 1]):
            part = share[child]
            for i in range(width):
                out[child, start + i] += part * sums[node, i]


@njit(cache=True, nogil=True)
def _pool_from_zero(rows, start, stop):
    pool_rows(rows, start, stop)
    for r in range(start, stop):
        for i in range(rows.shape[1]):
            if rows[r, i] >= 0:
                break
            rows[r, i] = 0.0


@njit(cache=True, nogil=True)
def _rise(consistent, rising, dual, gaps, start, stop):
    """The rising copy and the multipliers after a step; the residuals of each row."""
    m = rising.shape[1]
    wanted = np.empty((1, m))
    for r in range(start, stop):
        for i in range(m):
            relaxed = _RELAXATION * consistent[r, i] + (1 - _RELAXATION) * rising[r, i]
            wanted[0, i] = relaxed + dual[r, i]
            dual[r, i] = wanted[0, i]
        _pool_from_zero(wanted, 0, 1)
        apart, moved = 0.0, 0.0
        for i in range(m):
            apart = max(apart, abs(consistent[r, i] - wanted[0, i]))
            moved = max(moved, abs(rising[r, i] - wanted[0, i]))
            dual[r, i] -= wanted[0, i]
            rising[r, i] = wanted[0, i]
        gaps[r, 0] = apart
        gaps[r, 1] = moved
