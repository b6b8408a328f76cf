"""Many simulations of one or more plans, since a single one says little about a mechanism."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hierdp_core.evaluation.errors import error_rows
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.noise import checked_seed
from hierdp_core.privacy.rounding import float_up
from hierdp_core.simulation import Simulation, simulate
from hierdp_core.tables import Table
from hierdp_core.util.argument_types import typed
from hierdp_core.util.earlier import accepts
from hierdp_core.util.parallel import (
    CLIENT_AND_CANCEL,
    Workers,
    WorkersOption,
    in_parallel,
    require_workers,
)
from hierdp_core.util.progress import ProgressOption, reporting
from hierdp_core.util.text import join_or, several

KEYS = ("mechanism", "epsilon", "delta", "rho", "allocation", "options")
SUMMARY_QUANTILES = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)


@accepts(CLIENT_AND_CANCEL)
@typed
def simulate_many(
    table: Table,
    plans: Plan | Sequence[Plan],
    *,
    n_simulations: int,
    seed: int = 0,
    workers: WorkersOption = None,
    progress: ProgressOption = None,
    quantities: Sequence[str] = (),
    tolerance: float = 0.05,
    first: int = 0,
    distance: bool = False,
) -> pd.DataFrame:
    """Return the errors of many independent simulations of every plan, as a tidy table.

    There is one row per plan, simulation, level and quantity. Simulation i is the same whatever the
    number of workers and of simulations. Columns:
    `mechanism`, `epsilon`, `delta`, `rho`, `allocation`, `options`, `simulation`, `quantity`
    ("" for every cell), then those of `errors`, then `seconds` of the mechanism alone.

    Args:
        table: the exact table.
        plans: one or several plans for `table`.
        n_simulations: the number of simulations of each plan, at least 1.
        seed: the seed of all noise.
        workers: the number of threads, one per core by default; or `Workers`, for a
            `distributed.Client` or a way to cancel. If cancelled, the errors of completed
            simulations are returned.
        progress: True for a progress bar, or a function that is called with the number of
            completed simulations and the total.
        quantities: the ids of the quantities to measure; by default every cell, as with "".
        tolerance: as in `errors`.
        first: the index of the first simulation, to continue after an earlier call.
        distance: as in `errors`.

    Raises:
        ChoiceError: n_simulations, workers, seed, first or tolerance is not valid, or a plan or
            quantity does not fit the table.
        HierdpError: a simulation failed, as in `simulate`.
    """
    plans = [plans] if isinstance(plans, Plan) else plans
    checked_seed(seed)
    who = workers_for(n_simulations, workers)
    require_numbers(n_simulations, first=first)
    indices = range(first, first + n_simulations)
    tasks = [(place, index) for index in indices for place in range(len(plans))]
    work = _Measuring(
        table=table,
        plans=tuple(plans),
        seed=seed,
        quantities=tuple(quantities) or ("",),
        tolerance=tolerance,
        distance=distance,
    )
    with reporting(progress, "simulations") as report:
        results = in_parallel(
            work, tasks, workers=who.threads, client=who.client, progress=report, cancel=who.cancel
        )
    if not results:
        return pd.DataFrame(columns=[*KEYS, "simulation", "quantity", "level"])
    return pd.concat(results, ignore_index=True)


def workers_for(n_simulations: int, workers: WorkersOption) -> Workers:
    """Return the workers for this number of simulations.

    Raises:
        ChoiceError: the number of simulations or of workers is below 1.
    """
    who = Workers.of(workers)
    require_numbers(n_simulations, who.threads)
    return who


def require_numbers(n_simulations: int, threads: int | None = None, first: int = 0) -> None:
    """Require at least one simulation and one thread, and an index from 0.

    Raises:
        ChoiceError: a number is too small.
    """
    if n_simulations < 1:
        raise ChoiceError(
            f"At least one simulation is needed; got {n_simulations}. Give 1 or a larger number."
        )
    require_workers(threads)
    if first < 0:
        raise ChoiceError(
            f"The index of the first simulation must be at least 0; got {first}. Correct it."
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Measuring:
    """A function that returns the errors of one simulation; it can be sent to a cluster."""

    table: Table
    plans: tuple[Plan, ...]
    seed: int
    quantities: tuple[str, ...]
    tolerance: float
    distance: bool

    def __call__(self, task: tuple[int, int]) -> pd.DataFrame:
        place, index = task
        return errors_of_simulation(
            self.table,
            simulate(self.table, self.plans[place], seed=self.seed, index=index),
            index=index,
            quantities=self.quantities,
            tolerance=self.tolerance,
            distance=self.distance,
        )


def require_number_column(frame: pd.DataFrame, column: str) -> None:
    """Check that a frame of errors has a column of numbers called `column`.

    Raises:
        ChoiceError: there is no such column.
    """
    others = (*KEYS, "case", "simulation")
    numeric = [str(name) for name in frame.select_dtypes("number") if name not in others]
    if column not in numeric:
        raise ChoiceError(
            f'The frame has no column of numbers "{column}". Choose {join_or(numeric)}.'
        )


@typed
def summarize(frame: pd.DataFrame, column: str = "mean_abs") -> pd.DataFrame:
    """Return mean, standard deviation and quantiles of `column`, by plan, level and quantity.

    Columns: those of the plan, `level`, `quantity`, `mean`, `sd`, `simulations`, `q2.5` … `q97.5`.
    The quantiles describe the privacy noise, not the sampling error of a survey.

    Args:
        frame: the result of `simulate_many`, with at least one simulation.
        column: a column of errors, such as "mean_abs" or "emd".

    Raises:
        ChoiceError: the frame is not a result of `simulate_many`, or has no such column of numbers.
    """
    missing = [name for name in (*KEYS, "level", "quantity") if name not in frame]
    if missing:
        raise ChoiceError(
            f"summarize takes the result of simulate_many; this frame has no column "
            f'"{missing[0]}". Give the frame as simulate_many returned it. For a comparison, use '
            "hierdp_core.evaluation.comparison.summarize."
        )
    require_number_column(frame, column)
    by = [*KEYS, "level", "quantity"]
    grouped = frame.groupby(by, sort=False, dropna=False)[column]
    table = grouped.agg(mean="mean", sd="std", simulations="count")
    for q in SUMMARY_QUANTILES:
        table[f"q{100 * q:g}"] = grouped.quantile(q)
    return table.reset_index()


def errors_of_simulation(
    table: Table,
    simulation: Simulation,
    *,
    index: int,
    quantities: Sequence[str] = ("",),
    tolerance: float = 0.05,
    distance: bool = False,
    beside: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Return the rows of `simulate_many` for one simulation, one per quantity and level.

    Args:
        table, simulation, quantities, tolerance, distance: as in `errors`.
        index: the index of the simulation.
        beside: further columns, with the same value in all rows.
    """
    plan, budget = simulation.plan, simulation.plan.budget
    keys: dict[str, Any] = {
        "mechanism": plan.id,
        "epsilon": float_up(budget.epsilon) if budget.epsilon is not None else np.nan,
        "delta": float_up(budget.delta) if budget.delta is not None else np.nan,
        "rho": float_up(budget.rho) if budget.rho is not None else np.nan,
        "allocation": plan.allocation.words,
        "options": several(f"{name}={value}" for name, value in plan.options),
        "simulation": index,
    }
    last = {"seconds": simulation.seconds["total"], **(beside or {})}
    # One frame at the end: setting columns one by one takes longer than measuring the errors.
    rows = [
        keys | {"quantity": quantity} | row
        for quantity in quantities
        for row in error_rows(
            table,
            simulation,
            quantity=quantity or None,
            tolerance=tolerance,
            distance=distance,
        )
    ]
    columns = dict.fromkeys(name for row in rows for name in row)
    return pd.DataFrame([row | last for row in rows], columns=[*columns, *last])
