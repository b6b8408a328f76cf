"""How each mechanism is run on a table in parts: what travels between the parts and the top.

There are three ways. A mechanism that settles the table from the root down needs nothing from
below: the top is settled first, and every part is the same mechanism on a smaller table whose
root is known. Least squares needs, from each part, the best estimate of its root and its spread.
Other mechanisms need all noisy numbers at once: these are gathered in memory, and nothing else is.

Noise belongs to its cell of the whole table, so each part works out its own, as often as it needs
it, and the numbers are those of the same simulation in memory.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.mechanisms.base import Mechanism, Plan, Questions
from hierdp_core.mechanisms.blue_top_down import BlueTopDown, BlueTopDownSizes
from hierdp_core.mechanisms.counts import Hay, TopDown, TreeDp
from hierdp_core.mechanisms.cumulative import PgsrCDp, PgsrCOpt
from hierdp_core.mechanisms.flow_queries import TotalSplit
from hierdp_core.mechanisms.group_sizes import PgsrHDp, TopDown2018
from hierdp_core.noise import Cells, NoiseSource, SeededNoise
from hierdp_core.privacy import Event
from hierdp_core.scale.partitioned import Part, PartitionedTable
from hierdp_core.solvers.least_squares import (
    Estimates,
    estimates_from_below,
    settle_from_above,
)
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.memory import require_memory
from hierdp_core.util.text import join_and

BYTES_GATHERED = 120  # a number: its noise, its place, its value and the solver, measured

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

    def noise_above(self) -> SeededNoise:
        """Return the noise of the areas down to the level of the cut."""
        return SeededNoise(self.seed, index=self.index)

    def summary(self, part: Part) -> Any:
        """Return what the top needs to know of a part beside the exact numbers of its root."""
        return None

    def require_room(self, table: PartitionedTable) -> None:
        """Check that what travels fits in memory.

        Raises:
            HierdpError: it does not.
        """
        return

    @abstractmethod
    def settle_top(self, upper: Regions, exact: IntArray, summaries: list[Any]) -> "Settled":
        """Settle all areas down to the level of the cut.

        Args:
            upper: those areas.
            exact: their exact numbers, for their measurements.
            summaries: of the parts, in order.
        """

    @abstractmethod
    def settle_part(self, part: Part, given: NumberArray) -> NumberArray:
        """Return the settled values of a part, its root first.

        Args:
            part: its exact numbers, for their measurements.
            given: what `settle_top` has for it.
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
class Settled:
    """The areas above the parts.

    Attributes:
        values: of all areas down to the level of the cut.
        given: for each part, what it needs from above.
    """

    values: NumberArray
    given: Sequence[NumberArray]


@dataclass(frozen=True, kw_only=True)
class FromTheRootDown(Way):
    """For mechanisms in which what lies below never changes what is settled above."""

    def settle_top(self, upper: Regions, exact: IntArray, summaries: list[Any]) -> Settled:
        plan = self.plan_of_top(upper)
        noisy = self.plan.mechanism.measure(exact, plan, self.noise_above())
        values: NumberArray = self.plan.mechanism.estimate(noisy, plan)
        return Settled(values=values, given=list(values[upper.tree.leaves]))

    def settle_part(self, part: Part, given: NumberArray) -> NumberArray:
        root, plan = given, self.plan_of_part(part)
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

    def settle_top(self, upper: Regions, exact: IntArray, summaries: list[Any]) -> Settled:
        plan = self.plan_of_top(upper)
        noisy = self.plan.mechanism.measure(exact, plan, self.noise_above())
        last = Estimates(
            np.array([value for value, _ in summaries]),
            np.array([spread for _, spread in summaries]),
        )
        weights = self.plan.weights[: self.cut + 1]
        below = estimates_from_below(upper.tree, noisy, weights, last=last)
        values = settle_from_above(upper.tree, below, below.values[0])
        return Settled(values=values, given=list(values[upper.tree.leaves]))

    def settle_part(self, part: Part, given: NumberArray) -> NumberArray:
        root = np.asarray(given, dtype=np.float64)
        return settle_from_above(part.tree, self._below(part), root)

    def _below(self, part: Part) -> Estimates:
        plan = self.plan_of_part(part)
        noisy = plan.mechanism.measure(part.values, plan, self.noise(part))
        return estimates_from_below(part.tree, noisy, self.plan.weights[self.cut :])


@dataclass(frozen=True, kw_only=True)
class Gathered(Way):
    """For mechanisms that look at all noisy numbers at once: these, and nothing else, travel."""

    needs_summaries = True

    def require_room(self, table: PartitionedTable) -> None:
        areas, columns = sum(table.level_sizes), table.n_columns
        require_memory(
            areas * columns,
            bytes_a_cell=BYTES_GATHERED,
            what=f"{areas:,} areas × {columns:,} columns, which {self.plan.id} needs at once",
        )

    def summary(self, part: Part) -> tuple[NumberArray, Hierarchy]:
        noisy = self.plan.mechanism.measure(part.values, self.plan_of_part(part), self.noise(part))
        return noisy, part.tree

    def settle_top(self, upper: Regions, exact: IntArray, summaries: list[Any]) -> Settled:
        plan = self.plan_of_top(upper)
        above = self.plan.mechanism.measure(exact, plan, self.noise_above())
        tree, places = joined(upper.tree, [tree for _, tree in summaries])
        noisy = np.empty((tree.n_nodes, *above.shape[1:]), dtype=above.dtype)
        for place, (numbers, _) in zip(places, summaries, strict=True):
            noisy[place] = numbers
        noisy[: upper.tree.n_nodes] = above
        summaries.clear()
        nobody = np.zeros(0, dtype=bool)
        regions = _Unnamed(tree=tree, levels=self.plan.levels, ids=(), names=(), padded=nobody)
        domain = replace(self.plan.domain, regions=regions)
        values = self.plan.mechanism.estimate(noisy, replace(self.plan, domain=domain))
        return Settled(
            values=values[: upper.tree.n_nodes].copy(), given=[values[place] for place in places]
        )

    def settle_part(self, part: Part, given: NumberArray) -> NumberArray:
        return given


def joined(upper: Hierarchy, parts: Sequence[Hierarchy]) -> tuple[Hierarchy, list[IntArray]]:
    """Return the whole hierarchy, and where in it the nodes of each part stand."""
    below = parts[0].n_levels
    rows = np.array([part.level_sizes for part in parts])
    sizes = [*upper.level_sizes[:-1], *rows.sum(axis=0)]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    first = np.concatenate([np.zeros((1, below), np.int64), np.cumsum(rows, axis=0)[:-1]])
    cut = upper.n_levels - 1
    parent = np.empty(int(starts[-1]), dtype=np.int64)
    parent[: upper.n_nodes] = upper.parent
    places = []
    for number, part in enumerate(parts):
        begins = starts[cut : cut + below] + first[number]
        place = np.concatenate(
            [begin + np.arange(n) for begin, n in zip(begins, rows[number], strict=True)]
        )
        parent[place[1:]] = place[part.parent[1:]]
        places.append(place)
    return Hierarchy(parent=parent, level_start=starts), places


@dataclass(frozen=True, eq=False, kw_only=True)
class _Unnamed(Regions):
    """A hierarchy whose areas have their names elsewhere: in the parts."""

    def __post_init__(self) -> None:
        return


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
_GATHERED = (TreeDp, BlueTopDown, BlueTopDownSizes, PgsrHDp, PgsrCDp, PgsrCOpt)


def require_way(mechanism: Mechanism) -> None:
    """Check that a mechanism can be run on a table in parts.

    Raises:
        ChoiceError: it needs the whole table.
    """
    if not isinstance(mechanism, (Hay, *_GATHERED, *_FROM_THE_ROOT_DOWN)):
        known = join_and([one.id for one in (*_FROM_THE_ROOT_DOWN[:2], Hay, *_GATHERED)])
        raise ChoiceError(_NO_WAY.format(id=mechanism.id, known=f"inftda, tda-l2, {known}"))


def gathers(mechanism: Mechanism) -> bool:
    """Return whether a mechanism needs all noisy numbers at once."""
    return isinstance(mechanism, _GATHERED)


def way_for(table: PartitionedTable, plan: Plan, *, seed: int, index: int) -> Way:
    """Return how a plan is simulated on a table in parts.

    Raises:
        ChoiceError: the plan leaves out a level that the mechanism needs.
    """
    mechanism = plan.mechanism
    if isinstance(mechanism, Hay):
        return LeastSquares(plan=plan, cut=table.cut, seed=seed, index=index)
    if gathers(mechanism):
        return Gathered(plan=plan, cut=table.cut, seed=seed, index=index)
    if not isinstance(mechanism, TotalSplit):
        missing = [n for n, v in zip(plan.levels, plan.variances, strict=True) if v is None]
        if missing:
            raise ChoiceError(
                f"{mechanism.id} on a table in parts measures every level; {missing[0]} has no "
                "part of the budget. Give it one."
            )
    return FromTheRootDown(plan=plan, cut=table.cut, seed=seed, index=index)
