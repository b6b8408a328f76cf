"""Group sizes before the release: noisy cumulative counts, estimates by level, the matching.

These functions recompute intermediate results of one simulation. None of them is released, and
comparisons with the exact table are for exploration only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hierdp_core.evaluation.errors import earth_movers_distance
from hierdp_core.privacy import Allocation, Budget
from hierdp_core.simulation import Simulation
from hierdp_core.solvers.matching import matched, merged
from hierdp_core.solvers.runs import Runs, histograms_of, sorted_runs
from hierdp_core.tables import Table
from hierdp_core.tables.top_coding import in_columns, shared_columns
from hierdp_core.util.arrays import FloatArray, NumberArray
from hierdp_core.util.text import by_number, percent


@dataclass(frozen=True, eq=False, kw_only=True)
class Matching:
    """The groups of a region matched with those of its children.

    Attributes:
        parent: the region's number in the hierarchy.
        rows: one row per child and combination of sizes. `child` is the child's number in the
            hierarchy, and `groups` the number of matched groups. Their size is `above` in the
            parent before the matching, `below` in the child's own estimate, and `merged` after the
            matching.
    """

    parent: int
    rows: pd.DataFrame


def noisy_cumulative(simulation: Simulation, node: int) -> NumberArray | None:
    """Return the noisy cumulative counts of groups by size, for one region.

    Returns:
        shape (n_sizes,), or None if the level was not measured or the mechanism measures
        something else.
    """
    plan = simulation.plan
    if plan.variances[int(plan.domain.tree.level_of[node])] is None:
        return None
    return plan.mechanism.noisy_cumulative(simulation.noisy, plan, node)


def omniscient(table: Table, budget: Budget, allocation: Allocation) -> FloatArray:
    """Return the earth mover's distance to expect if the occurring sizes were public, by level.

    It is a mean over regions. Suppose that, for each region, the set of its sizes were public. Then
    only the number of groups of each size needs noise: one count per different size. The error of
    each is the standard deviation of the noise: √2/ε or 1/√(2ρ), where ε or ρ is the level's part
    of the budget. This is a benchmark, not a mechanism: the set of sizes is itself confidential.

    Args:
        table: the exact table.
        budget: the budget of the whole release.
        allocation: the allocation of the budget to levels.

    Returns:
        shape (n_levels,), in members; NaN at a level without budget. Copies that pad short branches
        are left out of the means.

    Source: Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018, Section 6.2, "Interpreting error".
    """
    tree, rho = table.tree, budget.spendable_rho
    expected = np.full(tree.n_levels, np.nan)
    for k, share in enumerate(allocation.fractions):
        if not share:
            continue
        part = float(share * (budget.epsilon or 0)) if rho is None else float(share * rho)
        each = np.sqrt(2) / part if rho is None else np.sqrt(1 / (2 * part))
        nodes = tree.level(k)
        distinct = np.count_nonzero(table.values[nodes], axis=1)[~table.regions.padded[nodes]]
        expected[k] = distinct.mean() * each
    return expected


def groups_above(table: Table, simulation: Simulation) -> int:
    """Return the number of true groups that are larger than the largest released size.

    They are counted at that size. The number is as confidential as the table, so no release
    contains it.
    """
    return int(table.values[0, simulation.table.values.shape[1] :].sum())


def top_coding(table: Table, simulation: Simulation) -> str:
    """Return the maximum size that was counted, and how many groups are larger, in words.

    Empty if the table's own maximum size is used. The text reveals confidential counts.
    """
    max_size = simulation.plan.mechanism.max_size
    if not table.has_groups or max_size == "public":
        return ""
    last, above = simulation.table.values.shape[1] - 1, groups_above(table, simulation)
    groups = table.domain.group
    limit = f"Sizes are counted up to {last:,}."
    if max_size == "noisy":
        limit = f"Sizes are counted up to {last:,}, a limit that was measured with noise."
    if not above:
        return f"{limit} None of the {groups} is larger."
    share = percent(above / max(1, int(table.values[0].sum())))
    larger = by_number(above, "is larger and is counted", "are larger and are counted")
    return f"{limit} {above:,} of the {groups} ({share}) {larger} at {last:,}."


def rows_of(table: Table, simulation: Simulation, node: int) -> tuple[NumberArray, NumberArray]:
    """Return the true and the released groups by size of one region, with equally many sizes."""
    n_sizes = shared_columns(table.values, simulation.table.values)
    true, released = table.values[node : node + 1], simulation.table.values[node : node + 1]
    return in_columns(true, n_sizes)[0], in_columns(released, n_sizes)[0]


def is_matched(simulation: Simulation) -> bool:
    """Return whether the mechanism estimates each level alone and then matches the groups."""
    return simulation.plan.mechanism.merging is not None


def consistency(table: Table, simulation: Simulation) -> pd.DataFrame:
    """Return the effect of making the levels consistent, one row per level.

    Columns: `level`, `regions`, `measured` (a level without budget has the sums of its children),
    and the mean over regions of the earth mover's distance to the true sizes: `before`, of the
    level's own estimate, and `after`, as released. Copies that pad short branches are left out.

    Args:
        table: the exact table.
        simulation: one for which `is_matched` is True.
    """
    tree, padded = table.tree, table.regions.padded
    n_sizes = shared_columns(table.values, simulation.table.values)
    rows = []
    for k, own in enumerate(_estimates(simulation)):
        nodes = tree.level(k)
        real = ~padded[nodes]
        wide = max(n_sizes, int(own.size.max(initial=0)) + 1)
        true = in_columns(table.values[nodes], wide)
        released = in_columns(simulation.table.values[nodes], n_sizes)
        estimate = histograms_of(own, wide)
        before = earth_movers_distance(true, estimate)[real]
        after = earth_movers_distance(true[:, :n_sizes], released)[real]
        rows.append(
            {
                "level": table.regions.levels[k],
                "regions": int(real.sum()),
                "measured": simulation.plan.variances[k] is not None,
                "before": float(before.mean()),
                "after": float(after.mean()),
            }
        )
    return pd.DataFrame(rows)


def matching(simulation: Simulation, parent: int) -> Matching:
    """Return the matching of the groups of `parent` with those of its children.

    The groups of `parent` are taken after it was matched with its own parent.

    Args:
        simulation: one for which `is_matched` is True.
        parent: the number in the hierarchy of a region with children.
    """
    tree = simulation.plan.domain.tree
    weighted = simulation.plan.mechanism.merging == "weighted"
    levels = _estimates(simulation)
    way = [parent]
    while way[0] != 0:
        way.insert(0, int(tree.parent[way[0]]))
    above, row = levels[0], 0
    for k, node in enumerate(way):
        start = tree.level(k + 1).start
        children = tree.children(node)
        first, last = children.start - start, children.stop - start
        pair = matched(above, row, levels[k + 1], first, last)
        child, size, count, variance = merged(above, levels[k + 1], pair, weighted=weighted)
        if node != parent:
            here = child == way[k + 1] - start
            only = np.zeros(int(here.sum()), dtype=np.int64)
            above = sorted_runs(only, 1, size[here], count[here], variance[here])
            row = 0
    rows = pd.DataFrame(
        {
            "child": child + start,
            "above": above.size[pair[:, 1]],
            "below": levels[k + 1].size[pair[:, 2]],
            "merged": size,
            "groups": count,
        }
    )
    summed = rows.groupby(["child", "above", "below", "merged"], as_index=False).sum()
    return Matching(parent=parent, rows=summed)


def largest_children(simulation: Simulation, parent: int) -> list[int]:
    """Return the children of a region, those with the most released groups first."""
    children = simulation.plan.domain.tree.children(parent)
    nodes = np.arange(children.start, children.stop)
    groups = simulation.table.values[nodes].sum(axis=1)
    largest: list[int] = nodes[np.argsort(-groups, kind="stable")].tolist()
    return largest


def size_pairs(matching: Matching, children: Sequence[int], *, most_sizes: int) -> pd.DataFrame:
    """Return the rows to show, with at most `most_sizes` different sizes for each child.

    If the children together have no more sizes than that, all rows are shown. Otherwise the limit
    applies to each child: the rows with the most groups come first, and a row that would exceed the
    limit is left out.

    Returns:
        rows as in `Matching.rows`, in the same order, with the additional column `kept`.
    """
    rows = matching.rows[matching.rows["child"].isin(children)].reset_index(drop=True)
    sizes = rows[["above", "below", "merged"]].to_numpy()
    if len(np.unique(sizes)) <= most_sizes:
        return rows.assign(kept=True)
    child = rows["child"].to_numpy()
    sizes_shown: dict[int, set[int]] = {}
    kept = np.zeros(len(rows), dtype=np.bool_)
    for i in np.argsort(-rows["groups"].to_numpy(), kind="stable"):
        pair_sizes = sizes_shown.get(child[i], set()) | {int(s) for s in sizes[i]}
        if len(pair_sizes) <= most_sizes:
            sizes_shown[child[i]], kept[i] = pair_sizes, True
    return rows.assign(kept=kept)


def _estimates(simulation: Simulation) -> list[Runs]:
    estimates = simulation.plan.mechanism.level_estimates(simulation.noisy, simulation.plan)
    assert estimates is not None
    return estimates
