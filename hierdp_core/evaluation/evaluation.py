"""The errors of one simulated release: by level, and as charts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from hierdp_core.evaluation.errors import errors
from hierdp_core.simulation import Simulation
from hierdp_core.tables import Table
from hierdp_core.util.argument_types import typed
from hierdp_core.util.late import late
from hierdp_core.util.shown import Shown

if TYPE_CHECKING:
    from hierdp_core.display.charts import SimulationCharts

# The meanings of the columns of `errors`.
ERROR_COLUMNS = {
    "level": "name of the level",
    "regions": "number of areas of the level, or of possible pairs if pairs are compared",
    "cells": "number of cells whose errors are counted",
    "l1": "sum of absolute errors, in the unit of the counts",
    "l2": "square root of the sum of squared errors, in the unit of the counts",
    "mean_abs": "mean absolute error, in the unit of the counts",
    "max_abs": "largest absolute error, in the unit of the counts",
    "q25_abs": "25% quantile of absolute errors, in the unit of the counts",
    "median_abs": "median absolute error, in the unit of the counts",
    "q90_abs": "90% quantile of absolute errors, in the unit of the counts",
    "q95_abs": "95% quantile of absolute errors, in the unit of the counts",
    "bias": "mean of released minus true counts, in the unit of the counts",
    "mean_rel": "mean relative error of cells with a true count above 0",
    "median_rel": "median relative error of cells with a true count above 0",
    "q90_rel": "90% quantile of relative errors of cells with a true count above 0",
    "without_rel": "number of cells with a true count of 0",
    "within_tolerance": "proportion of cells with an error of at most the tolerance",
    "fdr": "of the cells released above 0, the proportion with a true count of 0",
    "fnr": "of the cells with a true count above 0, the proportion not released above 0",
    "false_positives": "number of pairs released above 0 with a true count of 0",
    "false_negatives": "number of pairs not released above 0 with a true count above 0",
    "violations": "number of cells that differ from the sum of their children",
    "emd": "mean earth mover's distance of an area, in members of groups",
    "bound": "bound on the absolute errors of the level, exceeded with probability 5% at most",
}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Evaluation(Shown):
    """The errors of one simulated release. They reveal true counts, so do not publish them.

    Attributes:
        simulation: the simulation that was evaluated.
        quantity: the id of a quantity; None if errors are over every cell.
        by_level: one row per level, from the root down, with the columns of `errors`.
    """

    simulation: Simulation
    quantity: str | None
    by_level: pd.DataFrame

    @property
    def counted(self) -> str:
        """The quantity that the errors refer to, in words."""
        table = self.simulation.exact
        return "every number of the table" if self.quantity is None else (
            table.quantity(self.quantity).title
        )  # fmt: skip

    @property
    def chart(self) -> "SimulationCharts":
        """The charts of the simulation, for this quantity."""
        charts: SimulationCharts = late("display.charts", "SimulationCharts")(
            simulation=self.simulation, quantity=self.quantity
        )
        return charts

    def to_frame(self) -> pd.DataFrame:
        """Return `by_level`, with every column described in `DataFrame.attrs["columns"]`."""
        frame = self.by_level.copy()
        frame.attrs["columns"] = {n: ERROR_COLUMNS[n] for n in frame if n in ERROR_COLUMNS}
        return frame


@typed
def evaluate(
    table: Table, simulation: Simulation, *, quantity: str | None = None, tolerance: float = 0.05
) -> Evaluation:
    """Return the errors of a simulated release at every level.

    Args:
        table: the exact table.
        simulation: a simulation of `table`.
        quantity: the id of a quantity, such as "occupied"; by default errors are over every cell.
        tolerance: a proportion of the true count, as in `errors`.

    Raises:
        ChoiceError: the simulation is not of this table, there is no such quantity, or the
            tolerance is not valid.
    """
    return Evaluation(
        simulation=simulation,
        quantity=quantity,
        by_level=errors(table, simulation, quantity=quantity, tolerance=tolerance),
    )
