"""How far a release is from the truth. Needs the true table: never for publication."""

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
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray
from hierdp_core.util.tolerance import within

QUANTILES = {"q25_abs": 0.25, "median_abs": 0.5, "q90_abs": 0.9, "q95_abs": 0.95}


def errors(
    table: Table,
    simulation: Simulation,
    *,
    quantity: str | None = None,
    tolerance: float = 0.05,
    distance: bool = False,
) -> pd.DataFrame:
    """The error at every level, a row a level from the root down.

    Columns: `level`, `regions`, `cells`; `l1`, `l2`, `mean_abs`, `max_abs`, quantiles of the
    absolute error and `bias`, in the table's unit; `mean_rel`, `median_rel`, `q90_rel`, relative
    to the truth, over the cells whose truth is not 0 (`without_rel` says how many are left out;
    NaN where none is left); `within_tolerance`, the proportion of cells with an absolute error of
    at most `tolerance` times the true count (the rule of `hierdp_core.util.tolerance`); `fdr` and
    `fnr`, the shares of spurious and of missed positive cells; `violations`, cells that differ from
    the sum of their children; `emd`, the mean over regions of the earth mover's distance (group
    sizes; whole table only unless `distance` is set); `bound`, what no error of a level exceeds
    except with probability 5%, where one is proved. Only-child copies of ragged trees are left out.

    Of flows as a whole, a row is a level of the tree over pairs, and `cells` are all possible pairs
    of it. `false_positives` and `false_negatives` count the pairs that `fdr` and `fnr` are the
    shares of.
    Source: SPEC 7.

    Args:
        table: the true table.
        release: what was released of it.
        quantity: one number a region, such as "occupied"; every cell where not given.
        tolerance: a proportion of the true count, finite and at least 0.
        distance: give `emd`, which is of the whole table, beside a quantity too.

    Raises:
        ChoiceError: the tables do not belong together, there is no such quantity, or the
            tolerance is negative or not a number.
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
    """The rows of `errors`; a frame for each of many simulations would take longer than these."""
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
        wanted = table.quantity(quantity)
        true, released = table.by_region(wanted), other.by_region(wanted)
        regions = table.regions_of(wanted)
        none = (0,) * regions.tree.n_levels
        violations = count_violations(regions.tree, released) if wanted.additive else none
    rows = []
    for level, name in enumerate(regions.levels):
        nodes = np.arange(regions.tree.n_nodes)[regions.tree.level(level)]
        real = nodes[~regions.padded[nodes]]
        # Slices where they do: a national table is large.
        which = regions.tree.level(level) if len(real) == len(nodes) else real
        row = {"level": name, "regions": len(real), "cells": int(true[which].size)}
        row |= _cell_errors(true[which], released[which], tolerance)
        row["violations"] = violations[level]
        if sizes:
            apart = earth_movers_distance(table.values[which], other.values[which])
            row["emd"] = float(apart.mean())
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
    return bounds(plan, draws=plan.mechanism.draws_by_level(simulation.noisy))


def _with_bounds(
    rows: list[dict[str, Any]], proved: tuple[float, ...] | None
) -> list[dict[str, Any]]:
    if proved is None:
        return rows
    return [row | {"bound": bound} for row, bound in zip(rows, proved, strict=True)]


def by_region_errors(table: Table, simulation: Simulation, quantity: str) -> pd.DataFrame:
    """What was true and what was released of one quantity, a row a region in level order.

    Columns: `level`, `id`, `name`, `parent` (an id, empty for the root), `padded`, `true`,
    `released`, `error`, `abs_error`, `rel_error` (NaN where the truth is 0).

    Raises:
        ChoiceError: as `errors`.
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
    """The numbers of `by_region_errors` without who they are of, each of shape (n_nodes,).

    Raises:
        ChoiceError: as `errors`.
    """
    table, other = paired(table, simulation)
    wanted = table.quantity(quantity)
    true, released = table.by_region(wanted), other.by_region(wanted)
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
    """How many members must join or leave groups to make one row the other. Shape (rows,).

    The sum over sizes of how far the numbers of larger groups are apart: ‖H_c − Ĥ_c‖₁ where
    both rows have as many groups, and where they have not, a group too many counts its size,
    not once at every larger one: an empty group comes or goes for nothing. Sizes that only one
    of them has are empty in the other. Source: [B] Section 3, SPEC 4.

    >>> one = np.array([[0, 100, 0, 0, 0, 0]])
    >>> five = np.array([[0, 0, 0, 0, 0, 100]])
    >>> earth_movers_distance(one, five)
    array([400.])
    >>> earth_movers_distance(one, one + np.array([7, 0, 0, 0, 0, 0]))
    array([0.])
    """
    wide = shared_columns(true, released)
    true, released = in_columns(true, wide), in_columns(released, wide)
    # One running sum instead of two: what is summed up is the same.
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
    found, spurious = released > 0, (released > 0) & ~positive
    missed = positive & ~found
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
        "fdr": float(spurious.sum() / max(1, found.sum())),
        "fnr": float(missed.sum() / max(1, positive.sum())),
    }
    return row


def paired(table: Table, simulation: Simulation) -> tuple[Table, Table]:
    """The table and the released one with as many columns each.

    A release may have other sizes than the truth: what one of them does not have is 0.

    Raises:
        ChoiceError: the release is of another table.
    """
    other = simulation.table
    alike = other.tree is table.tree and type(other) is type(table)
    if not alike or other.domain.destinations is not table.domain.destinations:
        raise ChoiceError(
            "The release is of another table. Compare it with the table it came from."
        )
    return table.same_columns(other)
