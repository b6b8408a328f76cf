"""What margins to expect of a plan, before anything is spent and without a look at a count."""

from dataclasses import dataclass, replace

import numpy as np

from hierdp_core.exceptions import HierdpError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.planning.synthetic import synthetic_table
from hierdp_core.releases.margins import LEAST_SIMULATIONS, LEVEL, margins


@dataclass(frozen=True, kw_only=True)
class ExpectedMargin:
    """The margins of one level on a synthetic table.

    Attributes:
        level: its name.
        median: the median of the margins that are known; None where there are none.
    """

    level: str
    median: float | None


def expected_margins(
    plan: Plan, *, total: int | None = None, n_simulations: int = LEAST_SIMULATIONS
) -> tuple[ExpectedMargin, ...]:
    """Return margins at the usual level on a synthetic table of the same shape.

    Empty where nothing public says how many records there are, and no `total` is assumed.

    Args:
        plan: its public facts are all that is used.
        total: an assumed number of records.
        n_simulations: the number of simulations of the mechanism.
    """
    try:
        table = synthetic_table(plan.domain, total=total)
        domain = plan.mechanism.public_domain(table)
    except HierdpError:
        return ()
    estimates = margins(
        table, replace(plan, domain=domain), seed=0, level=LEVEL, n_simulations=n_simulations
    )
    expected = []
    for level, name in enumerate(table.regions.levels):
        half, _ = estimates.at(level)
        margins_of_level = half[~np.isnan(half)]
        median = float(np.median(margins_of_level)) if len(margins_of_level) else None
        expected.append(ExpectedMargin(level=name, median=median))
    return tuple(expected)
