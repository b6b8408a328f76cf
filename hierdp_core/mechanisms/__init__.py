"""Every mechanism there is; app, command line, tests and benchmarks read this list."""

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Mechanism, MechanismInfo, Option, Plan
from hierdp_core.mechanisms.counts import CountsByLeastSquares, CountsByTreeProgram
from hierdp_core.mechanisms.cumulative import (
    CumulativeByRelaxedProgram,
    CumulativeByTreeProgram,
    CumulativeChain,
    CumulativeOptimum,
)
from hierdp_core.mechanisms.group_sizes import (
    GroupSizesByRelaxedProgram,
    GroupSizesByTreeProgram,
    GroupSizesTopDown,
)
from hierdp_core.solvers.tree_program import warm_up

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
