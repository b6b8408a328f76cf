"""How each mechanism is run on a table in parts: what travels between the parts and the top.

Two ways are enough. A mechanism that settles the table from the root down needs nothing from
below: the top is settled first, and every part is the same mechanism on a smaller table whose
root is known. Least squares needs, from each part, the best estimate of its root and its spread.

Noise belongs to its cell of the whole table, so each part works out its own, as often as it needs
it, and the numbers are those of the same simulation in memory.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms.base import Plan, Questions
from hierdp_core.mechanisms.counts import Hay, TopDown
from hierdp_core.mechanisms.flow_queries import TotalSplit
from hierdp_core.mechanisms.group_sizes import TopDown2018
from hierdp_core.noise import Cells, NoiseSource, SeededNoise
from hierdp_core.privacy import Event
from hierdp_core.scale.partitioned import Part, PartitionedTable
from hierdp_core.solvers.least_squares import (
    Estimates,
    estimates_from_below,
    settle_from_above,
)
from hierdp_core.util.arrays import IntArray, NumberArray

_NO_WAY = (
    "{id} needs the whole table in memory; tables in parts are simulated by {known}. Use one of "
    "them, or load the table whole."
)


@dataclass(frozen=True, kw_only=True)
class Way(ABC):
    """One simulation of a table in parts.

    Attributes:
        plan: for the levels of the whole table.
        cut: the level under whose areas the parts lie.
        seed: of the noise.
        index: of the simulation.
    """

    plan: Plan
    cut: int
    seed: int
    index: int = 0

    needs_summaries = False

    def noise(self, part: Part) -> "PartNoise":
        """Return the noise of a part's cells."""
        source = SeededNoise(self.seed, index=self.index)
        return PartNoise(source=source, part=part, plan=self.plan, cut=self.cut)

    def summary(self, part: Part) -> Any:
        """Return what the top needs to know of a part beside the exact numbers of its root."""
        return None

    @abstractmethod
    def settle_top(self, upper: Regions, exact: IntArray, summaries: list[Any]) -> NumberArray:
        """Return the settled values of all areas down to the level of the cut.

        Args:
            upper: those areas.
            exact: their exact numbers, for their measurements.
            summaries: of the parts, in order.
        """

    @abstractmethod
    def settle_part(self, part: Part, root: NumberArray) -> NumberArray:
        """Return the settled values of a part, its root first.

        Args:
            part: its exact numbers, for their measurements.
            root: the settled values of its root.
        """

    def plan_of_top(self, upper: Regions) -> Plan:
        """Return the plan of the upper levels."""
        events = tuple(e for e in self.plan.events if e.level is None or e.level <= self.cut)
        levels = self.plan.levels[: self.cut + 1]
        domain = replace(self.plan.domain, regions=upper)
        return replace(self.plan, domain=domain, levels=levels, events=events)

    def plan_of_part(self, part: Part) -> Plan:
        """Return the plan of the levels of a part, which count from its root."""
        events = tuple(
            replace(event, level=event.level - self.cut)
            for event in self.plan.events
            if event.level is not None and event.level >= self.cut
        )
        levels = self.plan.levels[self.cut :]
        n = part.tree.n_nodes
        regions = Regions(
            tree=part.tree, levels=levels, ids=part.ids, names=part.ids, padded=np.zeros(n, bool)
        )
        domain = replace(self.plan.domain, regions=regions)
        return replace(self.plan, domain=domain, levels=levels, events=events)


@dataclass(frozen=True, kw_only=True)
class FromTheRootDown(Way):
    """For mechanisms in which what lies below never changes what is settled above."""

    def settle_top(self, upper: Regions, exact: IntArray, summaries: list[Any]) -> NumberArray:
        plan = self.plan_of_top(upper)
        noisy = self.plan.mechanism.measure(exact, plan, SeededNoise(self.seed, index=self.index))
        settled: NumberArray = self.plan.mechanism.estimate(noisy, plan)
        return settled

    def settle_part(self, part: Part, root: NumberArray) -> NumberArray:
        plan = self.plan_of_part(part)
        mechanism = plan.mechanism
        if isinstance(mechanism, TotalSplit):
            # A known root is a public total to everything below it.
            plan = replace(plan, domain=replace(plan.domain, total=int(root)))
        elif plan.domain.groups is not None:
            plan = replace(plan, domain=replace(plan.domain, groups=int(root.sum())))
        noisy = mechanism.measure(part.values, plan, self.noise(part))
        if not isinstance(noisy, Questions):
            noisy[0] = root
        settled: NumberArray = mechanism.estimate(noisy, plan)
        return settled


@dataclass(frozen=True, kw_only=True)
class LeastSquares(Way):
    """For least squares: estimates come up from the parts, and what is left over goes down."""

    needs_summaries = True

    def summary(self, part: Part) -> tuple[NumberArray, float]:
        below = self._below(part)
        return below.values[0], float(below.spread[0])

    def settle_top(self, upper: Regions, exact: IntArray, summaries: list[Any]) -> NumberArray:
        plan = self.plan_of_top(upper)
        noisy = self.plan.mechanism.measure(exact, plan, SeededNoise(self.seed, index=self.index))
        last = Estimates(
            np.array([value for value, _ in summaries]),
            np.array([spread for _, spread in summaries]),
        )
        weights = self.plan.weights[: self.cut + 1]
        below = estimates_from_below(upper.tree, noisy, weights, last=last)
        return settle_from_above(upper.tree, below, below.values[0])

    def settle_part(self, part: Part, root: NumberArray) -> NumberArray:
        return settle_from_above(part.tree, self._below(part), np.asarray(root, dtype=np.float64))

    def _below(self, part: Part) -> Estimates:
        plan = self.plan_of_part(part)
        noisy = plan.mechanism.measure(part.values, plan, self.noise(part))
        return estimates_from_below(part.tree, noisy, self.plan.weights[self.cut :])


@dataclass(frozen=True, kw_only=True)
class PartNoise(NoiseSource):
    """The noise of one part's cells, asked for as if the part were a table of its own.

    Attributes:
        source: of the whole table.
        part: knows where its nodes stand.
        plan: of the whole table.
        cut: the level of the part's root.
    """

    source: SeededNoise
    part: Part
    plan: Plan
    cut: int

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        assert event.level is not None
        own, columns = event.level, int(np.prod(shape[1:]))
        if cells is None:
            # A dense level is one run of cells, row after row.
            cells = Cells.of_region(0, int(np.prod(shape)), first=self.part.first[own] * columns)
        else:
            # Questions name the parents, one level up.
            regions = cells.regions + self.part.first[own - 1]
            cells = Cells(regions=regions, starts=cells.starts, first=cells.first)
        return self.source.draw(replace(event, level=own + self.cut), shape, cells)


_FROM_THE_ROOT_DOWN = (TopDown, TopDown2018, TotalSplit)


def way_for(table: PartitionedTable, plan: Plan, *, seed: int, index: int) -> Way:
    """Return how a plan is simulated on a table in parts.

    Raises:
        ChoiceError: the mechanism needs the whole table, or its plan leaves out a level.
    """
    mechanism = plan.mechanism
    if isinstance(mechanism, Hay):
        return LeastSquares(plan=plan, cut=table.cut, seed=seed, index=index)
    if not isinstance(mechanism, _FROM_THE_ROOT_DOWN):
        known = "hay, topdown, topdown-2018, inftda, tda-l2 and tda-linf"
        raise ChoiceError(_NO_WAY.format(id=mechanism.id, known=known))
    if not isinstance(mechanism, TotalSplit):
        missing = [n for n, v in zip(plan.levels, plan.variances, strict=True) if v is None]
        if missing:
            raise ChoiceError(
                f"{mechanism.id} on a table in parts measures every level; {missing[0]} has no "
                "part of the budget. Give it one."
            )
    return FromTheRootDown(plan=plan, cut=table.cut, seed=seed, index=index)
