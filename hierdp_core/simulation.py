"""Plan a release by a mechanism, and simulate the plan with seeded noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Mechanism, Plan, Questions
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Budget, Number, PrivacyStatement
from hierdp_core.tables import KINDS, Domain, Table, require_exact
from hierdp_core.tables.checks import Checks, check, count_violations
from hierdp_core.util.argument_types import typed
from hierdp_core.util.arrays import frozen_array
from hierdp_core.util.earlier import Arguments, Earlier, accepts
from hierdp_core.util.late import late
from hierdp_core.util.memory import require_memory
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import counted, join_or

if TYPE_CHECKING:
    from pathlib import Path

    import geopandas as gpd
    import pandas as pd

    from hierdp_core.display.charts import SimulationCharts

__all__ = [
    "Checks",
    "Plan",
    "Simulation",
    "check",
    "count_violations",
    "plan",
    "require_memory_for",
    "require_planned_for",
    "shared_levels",
    "simulate",
]

# Bytes per number beyond the table itself, at the peak: the most that was measured for any
# mechanism. Usual values are 20 to 60.
_BYTES_PER_NUMBER = 110
_BYTES_PER_FLOW = 60  # per level of the tree; mechanisms check their additional memory themselves


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Simulation(Shown):
    """A simulated release of a table, with seeded noise: a demonstration, never a release.

    Attributes:
        table: the simulated table, of the same class as `exact`.
        exact: the exact table, whose release is simulated. It holds true values, so no simulation
            is for publication.
        noisy: the noisy measurements that `table` was made from; for most mechanisms, an array in
            level order.
        plan: the plan of the simulation.
        checks: the results of the checks of the simulated table.
        seconds: the times of the mechanism in seconds: "noise", "solve" and "total". They may
            depend on the exact table, such as on the number of pairs with a flow, so they are not
            published.
        seed: the seed of the noise. Anyone who knows it can reproduce the noise, so it protects
            nobody.
    """

    table: Table
    exact: Table
    noisy: Any
    plan: Plan
    checks: Checks
    seconds: Mapping[str, float]
    seed: int

    @property
    def privacy(self) -> PrivacyStatement:
        """The privacy statement of the plan: the guarantee if the noise had no seed."""
        return self.plan.privacy

    @property
    def chart(self) -> "SimulationCharts":
        """The charts of the simulation, one method each: `simulation.chart.map("county")`."""
        charts: SimulationCharts = late("display.charts", "SimulationCharts")(simulation=self)
        return charts

    def to_frame(self, quantity: str | None = None) -> "pd.DataFrame":
        """Return exact and released numbers, one row per cell, in level order.

        For flows, a row is a pair with an exact or a released flow, in the order of the codes.
        Columns: those of `table.to_frame()` without `count`, then `exact`, `released` and `error`
        (released minus exact). These are in the unit of the quantity, or in that of the table if
        no quantity is given. `DataFrame.attrs` repeats this.

        Args:
            quantity: the id of a quantity, such as "occupied". There is then one row per region,
                and a column `relative_error` (NaN where exact is 0). By default every cell has
                a row.

        Raises:
            ChoiceError: there is no such quantity.
        """
        frame: pd.DataFrame = late("evaluation.frames", "simulation_frame")(self, quantity)
        return frame

    def to_geodataframe(
        self, boundaries: Any, *, level: str | None = None, quantity: str | None = None
    ) -> "gpd.GeoDataFrame":
        """Return the regions of one level with their shapes, for `.plot()` and `.explore()`.

        Columns: `id`, `geometry`, then those of `to_frame(quantity)`.

        Args:
            boundaries: `Boundaries`, or a GeoDataFrame with shapes of at least half of the regions
                of the last level, in any coordinate system.
            level: the name of the level; the last one by default.
            quantity: the id of a quantity; the table's first by default.

        Raises:
            HierdpError: the boundaries, the level or the quantity do not fit the table.
        """
        frame: gpd.GeoDataFrame = late("evaluation.frames", "simulation_geodataframe")(
            self, boundaries, level=level, quantity=quantity
        )
        return frame

    def to_parquet(self, path: "str | Path", *, exact: bool = False) -> None:
        """Write the released table to a Parquet file, with the privacy statement in its metadata.

        The metadata key "hierdp" holds JSON with `statement` and `columns`.

        Args:
            path: the path of the file, which is replaced.
            exact: whether to write exact numbers and errors beside the released ones.

        Raises:
            ChoiceError: the file cannot be written.
        """
        late("evaluation.frames", "write_parquet")(self, path, exact=exact)


def _in_mechanism(arguments: Arguments, old: Arguments) -> Arguments:
    mechanism = arguments.get("mechanism")
    if mechanism is None:
        mechanism = mechanisms.recommended(arguments["table"].kind)
    return {"mechanism": mechanisms.configured(mechanism, old["options"])}


# The argument `options` of the previous version, for every function that takes a mechanism.
OPTIONS = Earlier(words=("options",), now='mechanism="coc: merge=mean"', replace=_in_mechanism)


def _in_budget(arguments: Arguments, old: Arguments) -> Arguments:
    numbers = {name: arguments.get(name) for name in ("epsilon", "rho")}
    return {
        "budget": Budget.stated(arguments.get("budget"), **numbers, **old),
        **dict.fromkeys(numbers),
    }


# Arguments for δ and its accounting method, in functions that now take δ only in a `Budget`.
DELTA_AND_ACCOUNT = Earlier(
    words=("delta", "accounting", "noise"),
    now="budget=hdp.Budget.approximate(…)",
    replace=_in_budget,
)


@accepts(OPTIONS)
@typed
def plan(
    table: Table | Domain,
    mechanism: Mechanism | str | None = None,
    *,
    budget: Budget | None = None,
    allocation: Sequence[int] | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    accounting: str | None = None,
    noise: str | None = None,
) -> Plan:
    """Return the plan of a release by a mechanism, with its privacy cost.

    No count is used, except for totals that the mechanism treats as public.

    Args:
        table: a table, of which only the public domain is used, or a domain.
        mechanism: a mechanism, such as `mechanisms.PgsrCOpt()`, or its id with any options, such
            as "coc: merge=mean". By default, the recommended one for this kind of table.
        budget: the budget to spend. Alternatively, give `epsilon`, `epsilon` with `delta`, or
            `rho`.
        allocation: whole numbers, one per level from the root down; equal by default. For flows,
            the levels are those of the tree over pairs. A mechanism that publishes the total
            exactly, such as `inftda`, measures nothing at the root, whose number must be 0 or be
            left out.
        epsilon: the ε of the budget, in place of `budget`.
        delta: the δ of the budget, with `epsilon`.
        rho: the ρ of the budget, in place of `budget`.
        accounting: the accounting method for `epsilon` with `delta`, as in `Budget.approximate`.
        noise: the kind of noise for `epsilon` with `delta`, as in `Budget.approximate`.

    Raises:
        ChoiceError: the mechanism or an option is unknown, or does not fit the table; or the
            solver that the mechanism needs is not installed.
        BudgetError: no budget or more than one is given, or the budget or the allocation is not
            valid or cannot be used by the mechanism.
    """
    if mechanism is None:
        mechanism = mechanisms.recommended(table.kind)
    require_kind(table, mechanism)
    one = mechanisms.configured(mechanism)
    domain = one.public_domain(table)
    return one.plan(
        domain,
        budget=Budget.stated(
            budget, epsilon=epsilon, delta=delta, rho=rho, accounting=accounting, noise=noise
        ),
        allocation=one.allocation(allocation, domain),
    )


# What to choose instead, by the kind that a mechanism takes and the kind of the table.
_INSTEAD: dict[tuple[str, ...], str] = {
    ("counts", "group-sizes"): (
        "To protect whole groups, read it as counts, with kind=counts and the size as the last "
        "level. To protect one member of a group, choose coc-opt or pgsr-c-opt."
    )
}


def require_kind(table: Table | Domain, mechanism: Mechanism | str) -> None:
    """Check that a mechanism takes tables of this kind.

    Raises:
        ChoiceError: the mechanism takes other tables, or there is no mechanism with this id.
    """
    domain = table if isinstance(table, Domain) else table.domain
    id = mechanisms.read_text(mechanism)[0] if isinstance(mechanism, str) else mechanism.id
    kind = mechanisms.get(id) if isinstance(mechanism, str) else type(mechanism)
    if domain.kind not in kind.kinds:
        accepted = join_or([KINDS[name].kind_words for name in kind.kinds])
        if remedy := _INSTEAD.get((*kind.kinds, domain.kind)):
            held = KINDS[domain.kind].kind_words
            raise ChoiceError(f"{id} is for {accepted}; this table holds {held}. {remedy}")
        fitting = ", ".join(mechanisms.names(domain.kind))
        raise ChoiceError(
            f"{id} is for {accepted}; this table holds {KINDS[domain.kind].kind_words}. "
            f"Choose one that fits: {fitting}."
        )


@accepts(replace(OPTIONS, by_place=True))
def shared_levels(table: Table | Domain, mechanism: Mechanism | str) -> tuple[str, ...]:
    """Return the levels that share a budget; an allocation has one number for each of them.

    Args:
        table: a table or its domain.
        mechanism: a mechanism, or its id with any options.

    Raises:
        ChoiceError: the mechanism or an option is unknown.
    """
    domain = table if isinstance(table, Domain) else table.domain
    return mechanisms.configured(mechanism).shared_levels(domain)


@typed
def simulate(table: Table, plan: Plan, *, seed: int = 0, index: int = 0) -> Simulation:
    """Simulate a release of `table` with seeded noise, for demonstrations only.

    The same seed and index give the same noise on any machine. Anyone who knows them can remove
    the noise, so a simulation protects nobody.

    Args:
        table: the exact table the plan was made for.
        plan: the plan, which determines the budget that is spent.
        seed: a whole number, at least 0.
        index: the number of the simulation, at least 0. Simulations with one seed and different
            numbers are independent.

    Raises:
        TableError: the table is not exact: a number is negative or fractional, or does not add up.
        ChoiceError: the table is not the one the plan was made for, or seed or index is not a
            whole number from 0.
        BudgetError: the budget is so small that its noise is too wide to be sampled.
        SolverError: post-processing stopped before it proved an optimum.
        HierdpError: the table is too large for the memory that is free.
    """
    require_planned_for(table, plan)
    require_exact(table)
    require_memory_for(plan.domain)
    _require_memory_for_flows(table, plan)
    mechanism = plan.mechanism
    noise = SeededNoise(seed, index=index)

    started = perf_counter()
    noisy = mechanism.measure(table.content, plan, noise)
    measuring = perf_counter() - started
    values = mechanism.estimate(noisy, plan)
    total = perf_counter() - started
    if isinstance(noisy, Questions):
        measuring, noisy = measuring + noisy.seconds, noisy.measured()

    return Simulation(
        table=mechanism.released(table.blank(), values, plan),
        exact=table,
        noisy=frozen_array(noisy, noisy.dtype) if isinstance(noisy, np.ndarray) else noisy,
        plan=plan,
        checks=check(plan.domain, values),
        seconds={"noise": measuring, "solve": total - measuring, "total": total},
        seed=seed,
    )


def require_memory_for(domain: Domain) -> None:
    """Require enough free memory for a mechanism on a table with this domain.

    Raises:
        HierdpError: there is not enough free memory.
    """
    if domain.destinations is None:
        regions, columns = domain.tree.n_nodes, domain.n_columns
        require_memory(
            regions * columns,
            bytes_a_cell=_BYTES_PER_NUMBER,
            what=f"{counted(regions, 'area')} × {counted(columns, 'column')}",
        )


def _require_memory_for_flows(table: Table, plan: Plan) -> None:
    """Require memory for the flows themselves; mechanisms do not know their confidential number."""
    if table.between_regions:
        flows, levels = len(table.values), plan.level_tree.n_levels
        require_memory(
            flows * levels,
            bytes_a_cell=_BYTES_PER_FLOW,
            what=f"{counted(flows, 'flow')} × {counted(levels, 'level')}",
        )


def require_planned_for(table: Table, plan: Plan) -> None:
    """Require a table to be the one that a plan was made for.

    Raises:
        ChoiceError: the plan was made for another table.
    """
    if not _is_planned_for(table, plan):
        raise ChoiceError("The plan was made for another table. Plan again for this one.")


def _is_planned_for(table: Table, plan: Plan) -> bool:
    mechanism, domain = plan.mechanism, plan.domain
    if table.kind != domain.kind or table.tree is not domain.tree:
        return False
    if mechanism.known(table.domain) != domain:
        return False
    if table.domain.destinations is not domain.destinations:
        return False
    if domain.total is not None and table.domain_with_total.total != domain.total:
        return False
    by_region = domain.region_groups
    return by_region is None or np.array_equal(table.values.sum(axis=1), by_region)
