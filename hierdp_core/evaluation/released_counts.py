"""The released numbers of every region in many simulations: the input of decision rules."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from hierdp_core.evaluation.errors import paired
from hierdp_core.evaluation.repeated import require_numbers
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms.base import Plan
from hierdp_core.noise import checked_seed
from hierdp_core.simulation import simulate
from hierdp_core.tables import Quantity, Table
from hierdp_core.util.argument_types import typed
from hierdp_core.util.arrays import IntArray, NumberArray, frozen_array
from hierdp_core.util.parallel import Cancel, in_parallel
from hierdp_core.util.progress import ProgressOption, reporting
from hierdp_core.util.shown import Shown


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LevelSimulations(Shown):
    """True and released numbers of the regions of one level, in the unit of one quantity.

    Attributes:
        level: the name of the level.
        nodes: shape (regions,), the indices of the regions in the hierarchy, in level order,
            without copies that pad short branches.
        ids, names: one code and one name per region.
        true: shape (regions,).
        released: shape (simulations, regions).
    """

    level: str
    nodes: IntArray
    ids: tuple[str, ...]
    names: tuple[str, ...]
    true: NumberArray
    released: NumberArray


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ReleasedCounts(Shown):
    """One quantity in every region and simulation. It holds true values, so do not publish it.

    Attributes:
        quantity: the quantity.
        regions: the hierarchy with its names.
        true: shape (n_nodes,), in level order.
        released: shape (simulations, n_nodes); row i is simulation `first` + i.
        first: the index of the first simulation.
        seconds: how long the mechanism took per simulation, on average; 0 without simulations.
    """

    quantity: Quantity
    regions: Regions
    true: NumberArray
    released: NumberArray
    first: int
    seconds: float

    @property
    def n(self) -> int:
        """The number of simulations."""
        return len(self.released)

    def head(self, n: int) -> Self:
        """Return the first `n` simulations, or all if there are fewer."""
        return self._with(self.released[:n], self.seconds)

    def joined(self, later: "ReleasedCounts") -> Self:
        """Return these simulations together with later ones that directly follow them.

        Raises:
            ChoiceError: the later ones do not directly follow these.
        """
        if later.first != self.first + self.n:
            raise ChoiceError(
                "Simulations must be joined without gaps. The next one must be simulation "
                f"{self.first + self.n}; got simulation {later.first}. Simulate those in between."
            )
        seconds = (self.n * self.seconds + later.n * later.seconds) / max(1, self.n + later.n)
        return self._with(np.concatenate([self.released, later.released]), seconds)

    def of_level(self, level: str) -> LevelSimulations:
        """Return the simulations of the regions of one level.

        Raises:
            HierarchyError: there is no such level.
        """
        regions = self.regions
        every = np.arange(regions.tree.n_nodes)[regions.tree.level(regions.level_index(level))]
        nodes = every[~regions.padded[every]]
        return LevelSimulations(
            level=level,
            nodes=frozen_array(nodes, np.int64),
            ids=tuple(regions.ids[node] for node in nodes),
            names=tuple(regions.names[node] for node in nodes),
            true=self.true[nodes],
            released=self.released[:, nodes],
        )

    def _with(self, released: NumberArray, seconds: float) -> Self:
        return type(self)(
            quantity=self.quantity,
            regions=self.regions,
            true=self.true,
            released=frozen_array(released, released.dtype),
            first=self.first,
            seconds=seconds,
        )


def true_counts(table: Table, quantity: str) -> ReleasedCounts:
    """Return the regions and their true counts, without any simulation.

    Raises:
        ChoiceError: there is no such quantity.
    """
    selected = table.quantity(quantity)
    true = table.by_region(selected)
    return ReleasedCounts(
        quantity=selected,
        regions=table.regions_of(selected),
        true=true,
        released=frozen_array(np.zeros((0, len(true))), true.dtype),
        first=0,
        seconds=0.0,
    )


@typed
def released_counts(
    table: Table,
    plan: Plan,
    quantity: str,
    *,
    n_simulations: int,
    seed: int = 0,
    first: int = 0,
    workers: int | None = None,
    progress: ProgressOption = None,
    cancel: Cancel | None = None,
) -> ReleasedCounts:
    """Return a quantity of every region in independent simulations of `plan`.

    Simulation i is that of `simulate_many` and of `simulate(..., index=i)`, whatever the number
    of workers.

    Args:
        table: the exact table.
        plan: a plan for `table`.
        quantity: the id of the quantity.
        n_simulations: the number of simulations, at least 1.
        seed: the seed of all noise.
        first: the index of the first simulation, to continue after an earlier call.
        workers: the number of threads; one per core by default.
        progress: True for a progress bar, or a function that is called with the number of
            completed simulations and the total.
        cancel: called between simulations; if it returns True, those completed are returned.

    Raises:
        ChoiceError: n_simulations, workers, seed or first is not valid, or plan or quantity does
            not fit the table.
        HierdpError: a simulation failed, as in `simulate`.
    """
    checked_seed(seed)
    require_numbers(n_simulations, workers, first)
    selected = table.quantity(quantity)

    def one(index: int) -> tuple[NumberArray, float]:
        simulation = simulate(table, plan, seed=seed, index=index)
        wide, released = paired(table, simulation)
        return released.by_region(wide.quantity(quantity)), simulation.seconds["total"]

    indices = range(first, first + n_simulations)
    with reporting(progress, "simulations") as report:
        results = in_parallel(one, indices, workers=workers, progress=report, cancel=cancel)
    true = table.by_region(selected)
    rows = np.array([values for values, _ in results]).reshape(len(results), len(true))
    return ReleasedCounts(
        quantity=selected,
        regions=table.regions_of(selected),
        true=true,
        released=frozen_array(rows, rows.dtype if results else np.int64),
        first=first,
        seconds=sum(seconds for _, seconds in results) / max(1, len(results)),
    )
