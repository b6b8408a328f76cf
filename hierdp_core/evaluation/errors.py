"""Errors of a release against the exact table. They reveal true values, so do not publish them."""

from typing import Any

import numpy as np
import pandas as pd

from hierdp_core.evaluation.error_bounds import bounds
from hierdp_core.evaluation.flow_errors import flow_errors, levels_of
from hierdp_core.exceptions import ChoiceError
from hierdp_core.simulation import Simulation, count_violations
from hierdp_core.tables import Pairs, Table
from hierdp_core.tables.flow_tree import FlowTree
from hierdp_core.tables.top_coding import in_columns, shared_columns
from hierdp_core.util.argument_types import typed
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray
from hierdp_core.util.tolerance import within

QUANTILES = {"q25_abs": 0.25, "median_abs": 0.5, "q90_abs": 0.9, "q95_abs": 0.95}


@typed
def errors(
    table: Table,
    simulation: Simulation,
    *,
    quantity: str | None = None,
    tolerance: float = 0.05,
    distance: bool = False,
) -> pd.DataFrame:
    """Return the error at every level, one row per level from the root down.

    The columns are:

    - `level`, and the numbers of its `regions` and `cells`. Cells are the numbers of a table, such
      as one for each region and size. Copies that pad short branches are left out.
    - `l1`, `l2`, `mean_abs`, `max_abs`, quantiles of the absolute error and `bias`, in the unit of
      the quantity, or in that of the table if no quantity is given.
    - `mean_rel`, `median_rel` and `q90_rel`: the absolute error divided by the true count, over
      cells with a true count above 0; NaN if there are none. `without_rel` is the number of other
      cells.
    - `within_tolerance`: the proportion of cells with an absolute error of at most `tolerance`
      times the true count (the rule of `hierdp_core.util.tolerance`).
    - `fdr`: of the cells released above 0, the proportion with a true count of 0; 0 if there are
      no such cells.
    - `fnr`: of the cells with a true count above 0, the proportion not released above 0; 0 if there
      are no such cells.
    - `violations`: the number of cells that differ from the sum of their children.
    - `emd`: for group sizes, the mean earth mover's distance over regions, in members of groups.
      With `quantity`, it is only computed if `distance` is set.
    - `bound`: a proved bound on the absolute errors of the level, exceeded with probability 5% at
      most. There is none for some mechanisms, and none with `quantity`.

    For flows without `quantity`, each row is a level of the tree over pairs, and `cells` counts all
    possible pairs of the level. `false_positives` and `false_negatives` are the numbers of pairs
    behind `fdr` and `fnr`.

    Args:
        table: the exact table.
        simulation: a simulated release of this table.
        quantity: the id of a quantity, such as "occupied"; by default errors are over every cell.
        tolerance: a proportion of the true count, finite and at least 0.
        distance: whether to compute `emd` of the whole table even if a quantity is given.

    Raises:
        ChoiceError: the simulation is not of this table, there is no such quantity, or the
            tolerance is not valid.
    """
    return pd.DataFrame(
        error_rows(table, simulation, quantity=quantity, tolerance=tolerance, distance=distance)
    )


def error_rows(
    table: Table,
    simulation: Simulation,
    *,
    quantity: str | None,
    tolerance: float,
    distance: bool,
) -> list[dict[str, Any]]:
    """Return the rows of `errors` as dictionaries, which is faster than a frame per simulation."""
    table, other = paired(table, simulation)
    sizes = table.has_groups and (distance or quantity is None)
    proved = _bounds(simulation) if quantity is None else None
    if table.between_regions and quantity is None:
        return _with_bounds(
            _by_tree_level(table.content, other.content, simulation, tolerance), proved
        )
    true, released, regions = table.values, other.values, table.regions
    violations = simulation.checks.violations
    if quantity is not None:
        selected = table.quantity(quantity)
        true, released = table.by_region(selected), other.by_region(selected)
        regions = table.regions_of(selected)
        none = (0,) * regions.tree.n_levels
        violations = count_violations(regions.tree, released) if selected.additive else none
    rows = []
    for level, name in enumerate(regions.levels):
        nodes = np.arange(regions.tree.n_nodes)[regions.tree.level(level)]
        real = nodes[~regions.padded[nodes]]
        # A slice if possible, which is not copied: a national table is large.
        which = regions.tree.level(level) if len(real) == len(nodes) else real
        row = {"level": name, "regions": len(real), "cells": int(true[which].size)}
        row |= _cell_errors(true[which], released[which], tolerance)
        row["violations"] = violations[level]
        if sizes:
            distances = earth_movers_distance(table.values[which], other.values[which])
            row["emd"] = float(distances.mean())
        rows.append(row)
    return _with_bounds(rows, proved)


def _by_tree_level(
    flows: Pairs, other: Pairs, simulation: Simulation, tolerance: float
) -> list[dict[str, Any]]:
    tree = simulation.plan.level_tree
    assert isinstance(tree, FlowTree)
    pairs = zip(levels_of(tree, flows), levels_of(tree, other), strict=True)
    rows = []
    for level, (true, released) in enumerate(pairs):
        cells = tree.cells(level)
        row = {"level": tree.levels[level], "regions": cells, "cells": cells}
        row |= flow_errors(true, released, cells=cells, tolerance=tolerance, quantiles=QUANTILES)
        row["violations"] = simulation.checks.violations[level]
        rows.append(row)
    return rows


def _bounds(simulation: Simulation) -> tuple[float, ...] | None:
    plan = simulation.plan
    return bounds(plan, n_noisy=plan.mechanism.n_noisy_by_level(simulation.noisy))


def _with_bounds(
    rows: list[dict[str, Any]], proved: tuple[float, ...] | None
) -> list[dict[str, Any]]:
    if proved is None:
        return rows
    return [row | {"bound": bound} for row, bound in zip(rows, proved, strict=True)]


@typed
def by_region_errors(table: Table, simulation: Simulation, quantity: str) -> pd.DataFrame:
    """Return true and released values of one quantity, one row per region in level order.

    Columns: `level`, `id`, `name`, `parent` (an id, empty for the root), `padded`, `true`,
    `released`, `error`, `abs_error`, `rel_error` (NaN where the true count is 0).

    Raises:
        ChoiceError: as in `errors`.
    """
    numbers = region_numbers(table, simulation, quantity)
    regions = table.regions_of(table.quantity(quantity))
    tree = regions.tree
    parents = ["", *(regions.ids[p] for p in tree.parent[1:])]
    return pd.DataFrame(
        {
            "level": [regions.levels[k] for k in tree.level_of],
            "id": list(regions.ids),
            "name": list(regions.names),
            "parent": parents,
            "padded": regions.padded,
            **numbers,
        }
    )


def region_numbers(table: Table, simulation: Simulation, quantity: str) -> dict[str, NumberArray]:
    """Return the numbers of `by_region_errors` without names and ids, each of shape (n_nodes,).

    Raises:
        ChoiceError: as in `errors`.
    """
    table, other = paired(table, simulation)
    selected = table.quantity(quantity)
    true, released = table.by_region(selected), other.by_region(selected)
    error = released - true
    size = np.abs(error)
    relative = np.full(len(true), np.nan)
    np.divide(size, true, out=relative, where=true > 0)
    return {
        "true": true,
        "released": released,
        "error": error,
        "abs_error": size,
        "rel_error": relative,
    }


def earth_movers_distance(true: NumberArray, released: NumberArray) -> FloatArray:
    """Return the number of members who must join or leave groups to turn one row into the other.

    If both rows have equally many groups, this is the L1 distance of the cumulative counts,
    ‖H_c − Ĥ_c‖₁. Otherwise it is the sum over sizes of the absolute difference in the number of
    larger groups. A surplus group then adds its size, and a surplus empty group adds nothing.
    Sizes that one row lacks count as 0 in it. The result has shape (rows,).

    Source: Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018, Section 3.

    >>> one = np.array([[0, 100, 0, 0, 0, 0]])
    >>> five = np.array([[0, 0, 0, 0, 0, 100]])
    >>> earth_movers_distance(one, five)
    array([400.])
    >>> earth_movers_distance(one, one + np.array([7, 0, 0, 0, 0, 0]))
    array([0.])
    """
    wide = shared_columns(true, released)
    true, released = in_columns(true, wide), in_columns(released, wide)
    # One cumulative sum instead of two: the difference of the sums is the sum of the differences.
    gap = np.cumsum(released - true, axis=1)
    gap -= gap[:, -1:]
    np.abs(gap, out=gap)
    distance: FloatArray = gap.sum(axis=1).astype(np.float64)
    return distance


def _cell_errors(true: NumberArray, released: NumberArray, tolerance: float) -> dict[str, Any]:
    true, released = true.ravel(), released.ravel()
    error: IntArray | FloatArray = released - true
    size = np.abs(error)
    positive = true > 0
    relative = size[positive] / true[positive]
    positive_released, spurious = released > 0, (released > 0) & ~positive
    missed = positive & ~positive_released
    row: dict[str, Any] = {
        "l1": float(size.sum()),
        "l2": float(np.sqrt(np.square(error, dtype=np.float64).sum())),
        "mean_abs": float(size.mean()),
        "max_abs": float(size.max()),
    }
    quantiles = np.quantile(size, list(QUANTILES.values()))
    row |= dict(zip(QUANTILES, quantiles.tolist(), strict=True))
    row |= {
        "bias": float(error.mean()),
        "mean_rel": float(relative.mean()) if len(relative) else np.nan,
        "median_rel": float(np.median(relative)) if len(relative) else np.nan,
        "q90_rel": float(np.quantile(relative, 0.9)) if len(relative) else np.nan,
        "without_rel": int(len(true) - len(relative)),
        "within_tolerance": float(within(size, true, tolerance).mean()),
        "fdr": float(spurious.sum() / max(1, positive_released.sum())),
        "fnr": float(missed.sum() / max(1, positive.sum())),
    }
    return row


def paired(table: Table, simulation: Simulation) -> tuple[Table, Table]:
    """Return the table and the released one with the same columns.

    A release may have other sizes than the exact table. Sizes that one of them lacks count as 0.

    Raises:
        ChoiceError: the simulation is of another table.
    """
    other = simulation.table
    alike = other.tree is table.tree and type(other) is type(table)
    if not alike or other.domain.destinations is not table.domain.destinations:
        raise ChoiceError(
            "The simulation is of another table. Compare it with the table that it was made from."
        )
    return table.same_columns(other)
