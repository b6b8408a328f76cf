"""Many simulations of one plan, with errors by level and one quantity of every area."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from hierdp_core.evaluation.errors import paired
from hierdp_core.evaluation.released_counts import ReleasedCounts, true_counts
from hierdp_core.evaluation.repeated import errors_of_simulation, require_numbers
from hierdp_core.mechanisms.base import Plan
from hierdp_core.simulation import simulate
from hierdp_core.tables import Table
from hierdp_core.util.arrays import FloatArray, NumberArray, frozen_array
from hierdp_core.util.parallel import in_parallel
from hierdp_core.util.shown import Shown


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Exploration(Shown):
    """Simulations of one plan. They contain true values, so do not publish them.

    Attributes:
        errors: rows of `simulate_many`.
        counts: one quantity of every area in every simulation.
    """

    errors: pd.DataFrame
    counts: ReleasedCounts

    @property
    def n(self) -> int:
        """The number of simulations."""
        return self.counts.n

    def joined(self, later: "Exploration") -> Self:
        """Return these simulations together with later ones that directly follow them.

        Raises:
            ChoiceError: the later ones do not directly follow these.
        """
        counts = self.counts.joined(later.counts)
        return type(self)(errors=pd.concat([self.errors, later.errors]), counts=counts)


def explore(
    table: Table,
    plan: Plan,
    quantity: str,
    *,
    n_simulations: int,
    seed: int = 0,
    first: int = 0,
    quantities: Sequence[str] = (),
    workers: int | None = None,
) -> Exploration:
    """Simulate a plan many times, and keep errors by level and one quantity of every area.

    Args:
        table: the exact table.
        plan: a plan for `table`.
        quantity: the id of the quantity to keep for each area.
        n_simulations: the number of simulations, at least 1.
        seed: the seed of all noise.
        first: the index of the first simulation.
        quantities: further quantities whose errors are measured, as in `simulate_many`.
        workers: the number of threads; one per core by default.

    Raises:
        ChoiceError: a number is not valid, or plan or quantity does not fit the table.
        HierdpError: a simulation failed, as in `simulate`.
    """
    require_numbers(n_simulations, workers, first)
    exact = true_counts(table, quantity)

    def one(index: int) -> tuple[pd.DataFrame, NumberArray, float]:
        simulation = simulate(table, plan, seed=seed, index=index)
        frame = errors_of_simulation(
            table, simulation, index=index, quantities=(quantity, *quantities), distance=True
        )
        wide, released = paired(table, simulation)
        numbers = released.by_region(wide.quantity(quantity))
        return frame, numbers, simulation.seconds["total"]

    results = in_parallel(one, range(first, first + n_simulations), workers=workers)
    rows = np.array([numbers for _, numbers, _ in results])
    return Exploration(
        errors=pd.concat([frame for frame, _, _ in results], ignore_index=True),
        counts=ReleasedCounts(
            quantity=exact.quantity,
            regions=exact.regions,
            true=exact.true,
            released=frozen_array(rows, rows.dtype),
            first=first,
            seconds=sum(seconds for *_, seconds in results) / len(results),
        ),
    )


def relative_errors(counts: ReleasedCounts) -> FloatArray:
    """Return the mean absolute error of each area divided by its true count.

    Returns:
        shape (n_nodes,); NaN where the true count is 0.
    """
    mean = np.abs(counts.released - counts.true).mean(axis=0)
    relative: FloatArray = np.full(len(mean), np.nan)
    np.divide(mean, counts.true, out=relative, where=counts.true > 0)
    return relative


def typical_errors(counts: ReleasedCounts) -> pd.DataFrame:
    """Return the error of a typical area of each level, one row per level from the root down.

    The relative error of an area is its mean absolute error divided by its true count, if that is
    above 0. The columns are:

    - `level`, and `areas`: the number of its areas.
    - `typical_rel`: the median of the relative errors; NaN if all true counts are 0.
    - `mean_abs`: the mean over areas of the mean absolute error.
    - `small_areas`: a tenth of the number of areas with a true count above 0, rounded down, and at
      least 1 if there are any. The next two columns describe this number of the smallest such
      areas.
    - `small_at_most`: their largest true count.
    - `small_rel`: the median of their relative errors.

    Args:
        counts: at least one simulation.
    """
    relative = relative_errors(counts)
    rows = []
    for level in counts.regions.levels:
        part = counts.of_level(level)
        of_areas = relative[part.nodes]
        known = np.flatnonzero(part.true > 0)
        small = known[np.argsort(part.true[known], kind="stable")][: max(1, len(known) // 10)]
        rows.append(
            {
                "level": level,
                "areas": len(part.nodes),
                "typical_rel": _median(of_areas[known]),
                "mean_abs": float(np.abs(part.released - part.true).mean()),
                "small_areas": len(small),
                "small_at_most": float(part.true[small].max(initial=0)),
                "small_rel": _median(of_areas[small]),
            }
        )
    return pd.DataFrame(rows)


def _median(values: FloatArray) -> float:
    return float(np.median(values)) if len(values) else float("nan")
