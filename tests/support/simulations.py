"""Plan and simulate in one call."""

from typing import Any

from hierdp_core.simulation import Simulation, plan, simulate
from hierdp_core.tables import Table


def simulated(table: Table, mechanism: str, *, seed: int = 0, **budget: Any) -> Simulation:
    """Return one simulation of `mechanism` on `table`; `budget` holds the words of `plan`."""
    return simulate(table, plan(table, mechanism, **budget), seed=seed)
