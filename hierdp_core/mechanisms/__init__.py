"""Every mechanism there is; app, command line, tests and benchmarks read this list."""

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Mechanism, MechanismInfo, Option, Plan, checked_options
from hierdp_core.mechanisms.count_of_counts import (
    CountOfCounts,
    CountOfCountsBottomUp,
    CountOfCountsNaive,
)
from hierdp_core.mechanisms.counts import CountsByLeastSquares, CountsByTreeProgram
from hierdp_core.mechanisms.cumulative import (
    CumulativeByRelaxedProgram,
    CumulativeByTreeProgram,
    CumulativeChain,
    CumulativeOptimum,
)
from hierdp_core.mechanisms.exact import (
    CumulativeByIntegerProgram,
    GroupSizesByGenericTables,
    GroupSizesByIntegerProgram,
)
from hierdp_core.mechanisms.group_sizes import (
    GroupSizesByRelaxedProgram,
    GroupSizesByTreeProgram,
    GroupSizesTopDown,
)
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Budget
from hierdp_core.regions import Regions
from hierdp_core.tables import Domain

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
    levels = ("nation", "state", "county")
    chain: dict[str, str | None] = {"a": None, "b": "a", "c": "b"}
    grouped = mechanism.kinds[0] == "group-sizes"
    domain = Domain(
        kind=mechanism.kinds[0],
        regions=Regions.from_parents(chain, levels=levels),
        n_columns=3 if grouped else 1,
        person="person",
        groups=3 if grouped else None,
        group="groups" if grouped else None,
        region_groups=np.full(3, 3) if grouped else None,
    )
    options = checked_options(type(mechanism), None)
    plan = mechanism.plan(
        domain,
        budget=Budget.of(epsilon=1),
        shares=mechanism.shares(None, domain, dict(options)),
        options=options,
    )
    values = np.ones((3, 3) if grouped else 3, dtype=np.int64)
    mechanism.estimate(mechanism.measure(values, plan, SeededNoise(0)), plan)
