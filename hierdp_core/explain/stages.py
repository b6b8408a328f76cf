"""The effect of each stage of one simulation, from noisy counts to integers.

The tree program makes noisy counts consistent, non-negative and integer. Imposing the three
requirements one at a time shows the effect of each on the error. Consistency keeps unbiased noise
unbiased, but non-negativity raises small counts on average. The errors are computed from the true
table, so they are not for publication.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.simulation import Simulation
from hierdp_core.solvers.least_squares import least_squares_on_tree
from hierdp_core.solvers.tree_program import solve_relaxed_tree_program
from hierdp_core.tables import KINDS, Table
from hierdp_core.util.arrays import FloatArray, NumberArray
from hierdp_core.util.text import join_or

STAGES = ("noisy", "consistent", "not negative", "whole")
TREE_PROGRAMS = tuple(id for id, one in MECHANISMS.items() if one.is_tree_program)
_CLASSES = 10


def fitting_tree_programs(kind: str) -> str:
    """Return a sentence on the tree programs for a kind of table."""
    fitting = [id for id in TREE_PROGRAMS if kind in MECHANISMS[id].kinds]
    if not fitting:
        return f"No tree program is for {KINDS[kind].kind_words}."
    return f"Choose {join_or(fitting)}."


@dataclass(frozen=True, eq=False, kw_only=True)
class Walk:
    """The errors at every stage, means over `n_simulations`.

    Attributes:
        errors: one row per stage and level: stage, level, cells, mean_abs, rmse, bias, below_zero
            (the proportion of cells below 0). Errors are NaN at stage "noisy" of a level that was
            not measured.
        bias: one row per stage and class of cells of the last level, by true count: stage, true
            (in words), least, most, cells, bias. True counts of 0 come first, then up to
            ten classes of the rest, fewer where many are equal.
        n_simulations: the number of simulations.
    """

    errors: pd.DataFrame
    bias: pd.DataFrame
    n_simulations: int


def stages_of(simulation: Simulation) -> dict[str, NumberArray]:
    """Return the counts of a release at every stage, each of the shape of its table.

    "consistent" is the least-squares table, which may be negative and does not keep the public
    number of groups; "not negative" is the relaxed tree program; "whole" is what is released.

    Raises:
        ChoiceError: the mechanism does more than the tree program.
    """
    plan = simulation.plan
    if not plan.mechanism.is_tree_program:
        remedy = fitting_tree_programs(plan.domain.kind)
        raise ChoiceError(
            f"The mechanism {plan.id} has no stages to show, because only the tree program has "
            f"them. {remedy}"
        )
    tree, weights = plan.domain.tree, plan.weights
    noisy = simulation.noisy
    columns = noisy.reshape(tree.n_nodes, -1).astype(np.int64, copy=False)
    total = plan.domain.groups
    return {
        "noisy": noisy,
        "consistent": least_squares_on_tree(tree, noisy, weights),
        "not negative": solve_relaxed_tree_program(tree, columns, weights, total=total).reshape(
            noisy.shape
        ),
        "whole": simulation.table.values,
    }


def walk(table: Table, simulations: Sequence[Simulation], *, column: int | None = None) -> Walk:
    """Return the errors of every stage against the true counts, over simulations of one plan.

    Args:
        table: the exact table.
        simulations: the simulations of the table, under one plan.
        column: one size; all sizes by default.

    Raises:
        ChoiceError: as `stages_of`, or `simulations` is empty.
    """
    if not simulations:
        raise ChoiceError("There is no simulation. Pass at least one to show its stages.")
    plan, tree = simulations[0].plan, table.tree
    which = slice(None) if column is None else slice(column, column + 1)
    real = ~table.regions.padded
    levels = [np.flatnonzero(real & (tree.level_of == k)) for k in range(tree.n_levels)]
    true = table.values.reshape(tree.n_nodes, -1)[:, which]
    classes, class_names = _classes(true[levels[-1]])
    errors: dict[tuple[str, int], list[tuple[float, ...]]] = {}
    bias = {stage: np.zeros(len(class_names)) for stage in STAGES}
    for simulation in simulations:
        for stage, values in stages_of(simulation).items():
            cells = values.reshape(tree.n_nodes, -1)[:, which]
            for level, nodes in enumerate(levels):
                measured = stage != "noisy" or plan.variances[level] is not None
                row = _errors(true[nodes], cells[nodes]) if measured else (np.nan,) * 4
                errors.setdefault((stage, level), []).append(row)
            off = (cells - true)[levels[-1]].ravel().astype(np.float64)
            bias[stage] += (
                np.bincount(classes, weights=off, minlength=len(class_names)) / class_names["cells"]
            )
    return Walk(
        errors=pd.DataFrame(
            [
                (stage, table.regions.levels[k], true[levels[k]].size, *np.mean(rows, axis=0))
                for (stage, k), rows in errors.items()
            ],
            columns=["stage", "level", "cells", "mean_abs", "rmse", "bias", "below_zero"],
        ),
        bias=pd.concat(
            [
                class_names.assign(stage=stage, bias=bias[stage] / len(simulations))
                for stage in STAGES
            ],
            ignore_index=True,
        ),
        n_simulations=len(simulations),
    )


def _errors(true: NumberArray, seen: NumberArray) -> tuple[float, ...]:
    off = (seen - true).astype(np.float64)
    return (
        float(np.abs(off).mean()),
        float(np.sqrt((off**2).mean())),
        float(off.mean()),
        float((seen < 0).mean()),
    )


def _classes(true: NumberArray) -> tuple[NumberArray, pd.DataFrame]:
    """Return the class of every cell, and the classes that are not empty."""
    flat = true.ravel()
    positive = flat[flat > 0]
    edges: FloatArray = np.empty(0)
    if len(positive):
        edges = np.unique(np.quantile(positive, np.arange(1, _CLASSES) / _CLASSES, method="lower"))
    # Equal numbers stay together: a class contains the numbers above one edge, up to the next.
    at = np.where(flat > 0, 1 + np.searchsorted(edges, flat, side="left"), 0)
    names, classes = np.unique(at, return_inverse=True)
    rows = []
    for k in range(len(names)):
        inside = flat[classes == k]
        least, most = int(inside.min()), int(inside.max())
        words = f"{least:,}" if least == most else f"{least:,}–{most:,}"
        if k == len(names) - 1 and least < most:
            words = f"{least:,} or more"
        rows.append((words, least, most, len(inside)))
    return classes, pd.DataFrame(rows, columns=["true", "least", "most", "cells"])
