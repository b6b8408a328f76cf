"""Every mechanism there is; app, command line, tests and benchmarks read this list."""

from dataclasses import replace

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms.base import Mechanism, MechanismInfo, Option, Plan, checked_options
from hierdp_core.mechanisms.count_of_counts import (
    CountOfCounts,
    CountOfCountsBottomUp,
    CountOfCountsNaive,
)
from hierdp_core.mechanisms.counts import (
    CountsByLeastSquares,
    CountsByTreeProgram,
    CountsTopDown,
)
from hierdp_core.mechanisms.cumulative import (
    CumulativeByRelaxedProgram,
    CumulativeByTreeProgram,
    CumulativeChain,
    CumulativeOptimum,
)
from hierdp_core.mechanisms.generic import (
    CumulativeByIntegerProgram,
    GroupSizesByGenericTables,
    GroupSizesByIntegerProgram,
)
from hierdp_core.mechanisms.group_sizes import (
    GroupSizesByRelaxedProgram,
    GroupSizesByTreeProgram,
    GroupSizesTopDown,
)
from hierdp_core.mechanisms.inftda import InfTda, TdaByIntegerProgram, TdaInSquares
from hierdp_core.mechanisms.leaf_noise import StabilityHistogram, VanillaGauss
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Budget
from hierdp_core.tables import Counts, Flows, GroupSizes, Table

__all__ = [
    "MECHANISMS",
    "Mechanism",
    "MechanismInfo",
    "Option",
    "Plan",
    "describe",
    "get",
    "names",
    "warm_up",
]

MECHANISMS: dict[str, type[Mechanism]] = {
    mechanism.id: mechanism
    for mechanism in (
        GroupSizesByTreeProgram,
        CumulativeByTreeProgram,
        CumulativeOptimum,
        CumulativeChain,
        GroupSizesTopDown,
        GroupSizesByRelaxedProgram,
        CumulativeByRelaxedProgram,
        GroupSizesByIntegerProgram,
        CumulativeByIntegerProgram,
        GroupSizesByGenericTables,
        CountOfCounts,
        CountOfCountsNaive,
        CountOfCountsBottomUp,
        CountsByTreeProgram,
        CountsByLeastSquares,
        CountsTopDown,
        InfTda,
        TdaInSquares,
        TdaByIntegerProgram,
        VanillaGauss,
        StabilityHistogram,
    )
}


def names(kind: str | None = None) -> list[str]:
    """The ids of all mechanisms, or of those for tables of `kind`, the default first."""
    return [id for id, m in MECHANISMS.items() if kind is None or kind in m.kinds]


def get(id: str) -> type[Mechanism]:
    """The mechanism called `id`.

    Raises:
        ChoiceError: there is none.
    """
    if id not in MECHANISMS:
        raise ChoiceError(f'No mechanism "{id}"; there are: {", ".join(MECHANISMS)}.')
    return MECHANISMS[id]


def describe(id: str) -> MechanismInfo:
    """What people need to know about the mechanism called `id`.

    Raises:
        ChoiceError: there is none.
    """
    return get(id).info()


def warm_up(id: str) -> None:
    """Compile what the mechanism called `id` runs, so that no timing includes it.

    Raises:
        ChoiceError: there is none.
    """
    mechanism = get(id)()
    table = _small_table(mechanism.kinds[0])
    domain = replace(table.domain_by_region, total=3)
    options = checked_options(type(mechanism), None)
    plan = mechanism.plan(
        domain,
        budget=Budget.of(epsilon=1, delta=1e-8),
        allocation=mechanism.allocation(None, domain, dict(options)),
        options=options,
    )
    mechanism.estimate(mechanism.measure(table.content, plan, SeededNoise(0)), plan)


def _small_table(kind: str) -> Table:
    levels = ("nation", "state", "county")
    chain: dict[str, str | None] = {"a": None, "b": "a", "c": "b"}
    regions = Regions.from_parents(chain, levels=levels)
    tables: tuple[Table, ...] = (
        GroupSizes.from_leaves(regions, [[1, 1, 1]]),
        Counts.from_leaves(regions, [3]),
        Flows.from_pairs(regions, regions, [0], [0], [3]),
    )
    return next(table for table in tables if table.kind == kind)
