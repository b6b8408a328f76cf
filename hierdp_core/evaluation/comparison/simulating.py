"""Many simulations of every case, and their errors in one comparison."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hierdp_core.evaluation.comparison.by_size import SizeClasses
from hierdp_core.evaluation.evaluation import ERROR_COLUMNS
from hierdp_core.evaluation.repeated import (
    errors_of_simulation,
    require_number_column,
    workers_for,
)
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.noise import checked_seed
from hierdp_core.simulation import simulate
from hierdp_core.tables import Table
from hierdp_core.util.argument_types import typed
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.earlier import accepts, renamed
from hierdp_core.util.late import late
from hierdp_core.util.parallel import (
    CLIENT_AND_CANCEL,
    Progress,
    WorkersOption,
    in_parallel,
)
from hierdp_core.util.progress import ProgressOption, reporting
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import counted, join_and, join_or

if TYPE_CHECKING:
    from hierdp_core.display.charts import ComparisonCharts

MOST_SIMULATIONS = 200_000
KEY_COLUMNS = {
    "case": "index of the plan in `plans`",
    "mechanism": "id of the mechanism",
    "epsilon": "ε of the budget, rounded up; NaN where it is stated as ρ",
    "delta": "δ of the budget, rounded up; NaN if it has none",
    "rho": "ρ of the budget, rounded up; NaN where it is stated as ε",
    "allocation": "weights of the levels in the budget allocation, from the root down",
    "options": "options of the mechanism, as `--option` takes them",
    "simulation": "number of the simulation, from 0",
    "quantity": "id of the quantity counted in each area; empty if every cell is compared",
    "seconds": "seconds of the mechanism alone",
    "neighbours": "how neighbouring datasets differ",
    "unit": "the privacy unit",
    "difference": "how neighbouring datasets differ, with the privacy unit",
    "spent_epsilon": "ε of the privacy statement, rounded up; NaN where the budget is stated as ρ",
    "spent_rho": "ρ of all measurements, rounded up; NaN if one of them has none",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedCase:
    """The result of one simulation of one case.

    Attributes:
        case, index: the index of the case, and of the simulation.
        errors: the rows as in `simulate_many`, with `case`.
        by_size: the rows of `SizeClasses.errors`, with `case` and `simulation`.
        failure: why there are no errors; empty if the simulation was completed.
    """

    case: int
    index: int
    errors: pd.DataFrame
    by_size: pd.DataFrame
    failure: str = ""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Comparison(Shown):
    """All simulations that are complete so far, of all cases.

    Attributes:
        plans: the cases (configurations).
        n_simulations: the planned number of simulations of each case.
        errors: one row per case, simulation, quantity and level: the columns of `simulate_many`,
            then `case`, `neighbours`, `unit`, `difference`, `spent_epsilon`, `spent_rho`.
        by_size: one row per case, simulation, level and class of areas by true count.
        failures: pairs of the index of a case that failed, and why. A case may have several.
    """

    plans: tuple[Plan, ...]
    n_simulations: int
    errors: pd.DataFrame
    by_size: pd.DataFrame
    failures: tuple[tuple[int, str], ...] = ()

    draws = renamed("draws", "n_simulations")

    @property
    def chart(self) -> "ComparisonCharts":
        """The charts of the comparison, such as `comparison.chart.error("county")`."""
        charts: ComparisonCharts = late("display.charts", "ComparisonCharts")(comparison=self)
        return charts

    def to_frame(self) -> pd.DataFrame:
        """Return `errors`, with every column described in `DataFrame.attrs["columns"]`.

        It has one row per case, simulation, quantity and level.
        """
        frame = self.errors.copy()
        columns = KEY_COLUMNS | ERROR_COLUMNS
        frame.attrs["columns"] = {name: columns[name] for name in frame if name in columns}
        return frame

    @property
    def done(self) -> tuple[int, ...]:
        """The number of simulations that each case has."""
        if self.errors.empty:
            return (0,) * len(self.plans)
        counts = self.errors.groupby("case")["simulation"].nunique()
        return tuple(int(counts.get(place, 0)) for place in range(len(self.plans)))

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of the table, from the root down; empty before the first simulation."""
        return () if self.errors.empty else tuple(dict.fromkeys(self.errors["level"]))

    @property
    def complete(self) -> bool:
        """Whether every case has the planned number of simulations."""
        return all(n >= self.n_simulations for n in self.done)

    def paired(
        self, cases: Sequence[int], *, level: str, column: str, quantity: str = ""
    ) -> FloatArray:
        """Return errors of the simulations that all `cases` have.

        Args:
            cases: the indices of cases.
            level: the name of a level.
            column: a column of errors, such as "mean_abs".
            quantity: the id of a quantity; "" for every cell.

        Returns:
            shape (simulations, cases), in the unit of the column.

        Raises:
            ChoiceError: there is no such case, level, quantity or column of numbers.
        """
        rows = self.errors
        if rows.empty:
            return np.empty((0, len(cases)))
        require_number_column(rows, column)
        n = len(self.plans)
        if not all(0 <= case < n for case in cases):
            given = join_and([str(case) for case in cases])
            raise ChoiceError(f"Cases have indices from 0 to {n - 1}; got {given}. Correct them.")
        for word, name in (("level", level), ("quantity", quantity)):
            names = rows[word].unique().tolist()
            if name not in names:
                choices = join_or([f'"{one}"' for one in names])
                raise ChoiceError(f'The comparison has no {word} "{name}". Choose {choices}.')
        rows = rows[(rows["level"] == level) & (rows["quantity"] == quantity)]
        table = rows.pivot(index="simulation", columns="case", values=column)
        matrix: FloatArray = table.reindex(columns=list(cases)).dropna().to_numpy(float)
        return matrix

    @classmethod
    def of(
        cls, plans: Sequence[Plan], n_simulations: int, found: Sequence[SimulatedCase]
    ) -> "Comparison":
        """Return a comparison of simulations that are given in any order."""
        ordered = sorted(found, key=lambda one: (one.index, one.case))
        return cls(
            plans=tuple(plans),
            n_simulations=n_simulations,
            errors=_together([one.errors for one in ordered]),
            by_size=_together([one.by_size for one in ordered]),
            failures=tuple(sorted({(d.case, d.failure) for d in ordered if d.failure})),
        )


@accepts(CLIENT_AND_CANCEL)
@typed
def compare(
    table: Table,
    plans: Sequence[Plan],
    *,
    n_simulations: int,
    seed: int = 0,
    workers: WorkersOption = None,
    quantities: Sequence[str] = ("",),
    tolerance: float = 0.05,
    progress: ProgressOption = None,
) -> Comparison:
    """Simulate every case `n_simulations` times, in turn.

    If a case fails, for example because a solver runs out of time, its message is in `failures`
    and the other cases continue.

    Args:
        table: the exact table.
        plans: the cases (configurations), made for `table`.
        n_simulations: the number of simulations of each case, at least 1.
        seed, workers, quantities, tolerance: as in `simulate_many`.
        progress: True for a progress bar, or a function that is called with the number of
            completed simulations and the total.

    Raises:
        ChoiceError: there is no case, a plan is for another table, n_simulations, workers, seed
            or tolerance is not valid, more than 200,000 simulations are needed, the table has no
            such quantity, or every case fails.
    """
    if not plans:
        raise ChoiceError("Give at least one plan to compare.")
    cases: list[SimulatedCase] = []
    with reporting(progress, "simulations") as report:
        simulate_cases(
            table,
            plans,
            n_simulations=n_simulations,
            seed=seed,
            workers=workers,
            quantities=quantities,
            tolerance=tolerance,
            progress=report,
            arrived=cases.append,
        )
    comparison = Comparison.of(plans, n_simulations, cases)
    if len({case for case, _ in comparison.failures}) == len(plans):
        raise ChoiceError(comparison.failures[0][1])
    return comparison


def simulate_cases(
    table: Table,
    plans: Sequence[Plan],
    *,
    n_simulations: int,
    arrived: Callable[[SimulatedCase], None],
    have: Sequence[int] | None = None,
    seed: int = 0,
    workers: WorkersOption = None,
    quantities: Sequence[str] = ("",),
    tolerance: float = 0.05,
    progress: Progress | None = None,
) -> None:
    """Simulate every case and pass each result to `arrived` when it is complete, one at a time.

    Args:
        arrived: called with every simulation.
        have: the number of simulations of each case that exist already; they are not repeated.
        table, plans, n_simulations, seed, workers, quantities, tolerance: as in `compare`.
        progress: called with the number of completed simulations and the total.

    Raises:
        ChoiceError: n_simulations, workers, seed or tolerance is not valid, more than 200,000
            simulations are needed, or the table has no such quantity.
    """
    checked_seed(seed)
    who = workers_for(n_simulations, workers)
    if n_simulations * len(plans) > MOST_SIMULATIONS:
        raise ChoiceError(
            f"A comparison has up to {MOST_SIMULATIONS:,} simulations; "
            f"{counted(len(plans), 'configuration')} with {n_simulations:,} each would need "
            f"{n_simulations * len(plans):,}. Reduce the number of simulations or configurations."
        )
    known = have or (0,) * len(plans)
    tasks = [(t, k) for t in range(n_simulations) for k in range(len(plans)) if t >= known[k]]
    failed: set[int] = set()

    def keep(one: SimulatedCase) -> None:
        if one.failure:
            failed.add(one.case)
        arrived(one)

    in_parallel(
        _Simulating(
            table=table,
            plans=tuple(plans),
            seed=seed,
            quantities=tuple(quantities),
            tolerance=tolerance,
            classes=SizeClasses.for_table(table),
        ),
        tasks,
        workers=who.threads,
        client=who.client,
        progress=progress,
        cancel=who.cancel,
        skip=lambda task: task[1] in failed,
        arrived=keep,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Simulating:
    """A function that makes one simulation of one case; it can be sent to a cluster."""

    table: Table
    plans: tuple[Plan, ...]
    seed: int
    quantities: tuple[str, ...]
    tolerance: float
    classes: SizeClasses

    def __call__(self, task: tuple[int, int]) -> SimulatedCase:
        index, place = task
        plan = self.plans[place]
        try:
            simulation = simulate(self.table, plan, seed=self.seed, index=index)
        except HierdpError as error:
            none = pd.DataFrame()
            return SimulatedCase(
                case=place, index=index, errors=none, by_size=none, failure=str(error)
            )
        errors = errors_of_simulation(
            self.table,
            simulation,
            index=index,
            quantities=self.quantities,
            tolerance=self.tolerance,
            beside={"case": place, **_guarantee(plan)},
        )
        by_size = self.classes.errors(simulation).assign(case=place, simulation=index)
        return SimulatedCase(case=place, index=index, errors=errors, by_size=by_size)


def _guarantee(case: Plan) -> dict[str, str | float]:
    privacy = case.privacy
    return {
        "neighbours": privacy.neighbours.value,
        "unit": privacy.unit,
        "difference": privacy.difference,
        "spent_epsilon": float("nan") if privacy.epsilon is None else privacy.epsilon,
        "spent_rho": float("nan") if privacy.rho is None else privacy.rho,
    }


def _together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    non_empty = [frame for frame in frames if len(frame)]
    return pd.concat(non_empty, ignore_index=True) if non_empty else pd.DataFrame()
