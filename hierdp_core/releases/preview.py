"""Margins to expect from a plan, before anything is spent and without any confidential count."""

import math
from dataclasses import dataclass, replace

import numpy as np

from hierdp_core.exceptions import HierdpError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.planning.synthetic import synthetic_table
from hierdp_core.releases.margins import LEAST_SIMULATIONS, LEVEL, margins
from hierdp_core.tables.flow_tree import FlowTree


@dataclass(frozen=True, kw_only=True)
class ExpectedMargin:
    """The median margin of one level on a synthetic table.

    Attributes:
        level: the name of the level; of flows, that of both ends, such as "state → state".
        median: the median of the margins that are known; None if none is known.
    """

    level: str
    median: float | None

    @property
    def median_up(self) -> int | None:
        """The median rounded up, as it is shown."""
        return None if self.median is None else math.ceil(self.median)


def expected_margins(
    plan: Plan, *, total: int | None = None, n_simulations: int = LEAST_SIMULATIONS
) -> tuple[ExpectedMargin, ...]:
    """Return the median margin of each level on a synthetic table of the same shape.

    Margins have a confidence of 90%.

    The result is empty if no synthetic table can be generated, such as when the number of records
    is not public and no `total` is assumed.

    Args:
        plan: the plan, of which only public facts are used.
        total: an assumed number of records; of groups, for group sizes.
        n_simulations: the number of simulations of the mechanism, at least 10.

    Raises:
        ChoiceError: `n_simulations` is below 10; not checked if the result is empty.
        HierdpError: a simulation failed, as in `simulate`.
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
    names = FlowTree.of(domain).levels[::2] if domain.between_regions else table.regions.levels
    for level, name in enumerate(names):
        half, _ = estimates.at(level)
        margins_of_level = half[~np.isnan(half)]
        median = float(np.median(margins_of_level)) if len(margins_of_level) else None
        expected.append(ExpectedMargin(level=name, median=median))
    return tuple(expected)
