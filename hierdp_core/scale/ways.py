"""How each mechanism is run on a table in parts: what travels between the parts and the top.

There are five ways. A mechanism that settles the table from the root down needs nothing from
below: the top is settled first, and every part is the same mechanism on a smaller table whose
root is known. Where groups are matched, a part starts from the merged groups of its root, and the
numbers above are summed up from the parts. Least squares needs, from each part, the best estimate
of its root and its spread. Other mechanisms need all noisy numbers at once: these are gathered, and
nothing else is. They are in memory, or on disk where sizes are solved one after the other.

The seeded noise of a simulation belongs to its cell of the whole table. So each part works out its
own, as often as it needs it, and the numbers are those of the same simulation in memory. A release
measures each part once and stores what it measured.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy, Regions, sum_up
from hierdp_core.mechanisms.base import Mechanism, Plan, Questions
from hierdp_core.mechanisms.blue_top_down import BlueTopDown, BlueTopDownSizes
from hierdp_core.mechanisms.count_of_counts import CountOfCounts, CountOfCountsNaive
from hierdp_core.mechanisms.counts import Hay, TopDown, TreeDp
from hierdp_core.mechanisms.cumulative import PgsrCDp, PgsrCOpt
from hierdp_core.mechanisms.flow_queries import TotalSplit
from hierdp_core.mechanisms.group_sizes import PgsrHDp, TopDown2018
from hierdp_core.mechanisms.level_answers import Measured
from hierdp_core.noise import Cells, NoiseSource, SeededNoise
from hierdp_core.privacy import Event
from hierdp_core.scale.gathering import GatheredNumbers, NumbersOnDisk, Summaries
from hierdp_core.scale.partitioned import Part, PartitionedTable, PartShape
from hierdp_core.solvers.least_squares import (
    Estimates,
    estimates_from_below,
    settle_from_above,
)
from hierdp_core.solvers.matching import match_top_down, matched_down
from hierdp_core.solvers.runs import Runs
from hierdp_core.solvers.tree_program import solve_rows
from hierdp_core.util.arrays import IntArray, NumberArray
from hierdp_core.util.memory import require_memory
from hierdp_core.util.text import join_and

BYTES_GATHERED = 75  # a number: its noise, its area, its value and the solver, measured

_NO_WAY = (
    "{id} needs the whole table in memory. Use a mechanism that simulates tables in parts "
    "({known}), or load the table whole."
)


@dataclass(frozen=True, kw_only=True)
class Way(ABC):
    """How one plan is carried out on a table in parts.

    Exact numbers are in reach of `measure_top` and `measure_part` alone. No cell is measured
    twice: a part takes the number of its root from the top.

    Attributes:
        plan: for the levels of the whole table.
        cut: the level under whose areas the parts lie.
    """

    plan: Plan
    cut: int

    needs_summaries = False  # the top is settled after the parts were measured
    settles_all_at_once = False  # the parts are settled with the top
    asks_of_parents = False  # cells of its noise are named by the areas one level up
    is_summed_up = False  # the values of the top are the sums of those of the parts

    def measure_top(self, upper: Regions, exact: IntArray, noise: NoiseSource) -> Any:
        """Return the noisy measurements of all areas down to the level of the cut."""
        return answered(self.plan.mechanism, exact, self.plan_of_top(upper), noise)

    def measure_part(self, part: Part, root: NumberArray, noise: NoiseSource) -> Any:
        """Return the noisy measurements of a part.

        Args:
            part: its exact numbers.
            root: the root of the part, from the top: measured, or settled if the top is settled
                first.
            noise: the noise of the cells below its root.
        """
        noisy = answered(self.plan.mechanism, part.values, self.plan_below_root(part), noise)
        noisy[0] = root
        return noisy

    def roots(self, upper: Regions, noisy: Any) -> Sequence[NumberArray]:
        """Return what `measure_part` takes for each part, where the top is settled later."""
        return list(noisy[upper.tree.leaves])

    def summary(self, shape: PartShape, noisy: Any) -> Any:
        """Return what the top needs to know of a part, from its noisy measurements."""
        return None

    def summaries(self, table: PartitionedTable, folder: Path) -> Summaries:
        """Return where the summaries of the parts are put as they arrive.

        Args:
            table: the table of the parts.
            folder: for files without a name, where they do not stay in memory.

        Raises:
            FileError: there is no room for them.
        """
        return Summaries()

    def require_room(self, table: PartitionedTable) -> None:
        """Check that what travels fits in memory.

        Raises:
            HierdpError: it does not fit.
        """
        return

    @abstractmethod
    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> "Settled":
        """Settle all areas down to the level of the cut.

        Args:
            upper: those areas.
            noisy: their measurements.
            summaries: the summaries of all parts, if the way needs them.
        """

    @abstractmethod
    def settle_part(self, shape: PartShape, noisy: Any, given: NumberArray) -> NumberArray:
        """Return the settled values of a part, its root first.

        Args:
            shape: the shape of the part.
            noisy: its measurements; None where `given` has its values.
            given: what `settle_top` has for it.
        """

    def values_above(
        self, upper: Regions, settled: "Settled", roots: Sequence[NumberArray]
    ) -> NumberArray:
        """Return the values of all areas down to the cut, once all parts are settled.

        Args:
            upper: those areas.
            settled: the settled of `settle_top`.
            roots: the settled values of the root of each part.
        """
        return settled.values

    def keeps_public(self, noisy: Any, values: NumberArray) -> bool:
        """Return whether settled values have the public numbers that came with measurements.

        Args:
            noisy: the measurements of a part, or of the top.
            values: the values of the same areas.
        """
        return True

    def plan_of_top(self, upper: Regions) -> Plan:
        """Return the plan of the upper levels."""
        events = tuple(e for e in self.plan.events if e.level is None or e.level <= self.cut)
        levels = self.plan.levels[: self.cut + 1]
        domain = replace(self.plan.domain, regions=upper)
        return replace(self.plan, domain=domain, levels=levels, events=events)

    def plan_of_part(self, shape: PartShape) -> Plan:
        """Return the plan of the levels of a part, which count from its root."""
        events = tuple(
            replace(event, level=event.level - self.cut)
            for event in self.plan.events
            if event.level is not None and event.level >= self.cut
        )
        levels = self.plan.levels[self.cut :]
        domain = replace(self.plan.domain, regions=_unnamed(shape.tree, levels))
        return replace(self.plan, domain=domain, levels=levels, events=events)

    def plan_below_root(self, shape: PartShape) -> Plan:
        """Return the plan of a part without its root, which the top measures."""
        plan = self.plan_of_part(shape)
        return replace(plan, events=tuple(event for event in plan.events if event.level))


@dataclass(frozen=True, kw_only=True)
class Settled:
    """The areas above the parts.

    Attributes:
        values: the values of all areas down to the level of the cut.
        given: for each part, what it needs from above.
    """

    values: NumberArray
    given: Sequence[NumberArray]


def answered(mechanism: Mechanism, exact: IntArray, plan: Plan, noise: NoiseSource) -> Any:
    """Return all noisy measurements of a table.

    Where questions hang on earlier answers, post-processing asks them; what it makes of them is
    thrown away and made again from the answers alone.
    """
    noisy = mechanism.measure(exact, plan, noise)
    if isinstance(noisy, Questions):
        mechanism.estimate(noisy, plan)
        return noisy.heard()
    return noisy


@dataclass(frozen=True, kw_only=True)
class FromTheRootDown(Way):
    """For mechanisms in which what lies below never changes what is settled above."""

    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> Settled:
        values: NumberArray = self.plan.mechanism.estimate(noisy, self.plan_of_top(upper))
        return Settled(values=values, given=list(values[upper.tree.leaves]))

    def settle_part(self, shape: PartShape, noisy: Any, given: NumberArray) -> NumberArray:
        plan = self._known_root(self.plan_of_part(shape), given)
        settled: NumberArray = self.plan.mechanism.estimate(noisy, plan)
        return settled

    def _known_root(self, plan: Plan, root: NumberArray) -> Plan:
        if plan.domain.groups is None:
            return plan
        return replace(plan, domain=replace(plan.domain, groups=int(root.sum())))


@dataclass(frozen=True, kw_only=True)
class QuestionsDown(FromTheRootDown):
    """For mechanisms that ask about the children of what is positive, from the root down."""

    asks_of_parents = True

    def measure_part(self, part: Part, root: NumberArray, noise: NoiseSource) -> Any:
        plan = self._known_root(self.plan_below_root(part), root)
        return answered(self.plan.mechanism, part.values, plan, noise)

    def _known_root(self, plan: Plan, root: NumberArray) -> Plan:
        # A known root is a public total to everything below it.
        return replace(plan, domain=replace(plan.domain, total=int(root)))


@dataclass(frozen=True, kw_only=True)
class Matching(Way):
    """For groups that are matched from the root down, each level estimated by itself.

    What a part needs from above is the merged groups of its root. Its own groups change when they
    are matched further down, so the numbers above are the sums of those of the parts. The number
    of groups of every area is public, and comes with its measurements.
    """

    is_summed_up = True

    def measure_top(self, upper: Regions, exact: IntArray, noise: NoiseSource) -> Any:
        groups = exact.sum(axis=1)
        plan = self._top_with(upper, groups)
        return Counted(noisy=plan.mechanism.measure(exact, plan, noise), groups=groups)

    def measure_part(self, part: Part, root: NumberArray, noise: NoiseSource) -> Any:
        groups = part.values.sum(axis=1)
        plan = self._part_with(part, groups)
        return Counted(noisy=plan.mechanism.measure(part.values, plan, noise), groups=groups)

    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> Settled:
        levels = self._levels(noisy, self._top_with(upper, noisy.groups))
        merged = matched_down(upper.tree, levels, weighted=self._weighted)
        given: list[Any] = [merged.of_region(k) for k in range(upper.tree.n_leaves)]
        return Settled(values=np.zeros(0), given=given)

    def settle_part(self, shape: PartShape, noisy: Any, given: Any) -> NumberArray:
        levels = [given, *self._levels(noisy, self._part_with(shape, noisy.groups))[1:]]
        return match_top_down(
            shape.tree, levels, n_sizes=self.plan.domain.n_columns, weighted=self._weighted
        )

    def values_above(
        self, upper: Regions, settled: "Settled", roots: Sequence[NumberArray]
    ) -> NumberArray:
        return np.asarray(sum_up(upper.tree, np.array(roots)))

    def keeps_public(self, noisy: Any, values: NumberArray) -> bool:
        return bool((values.sum(axis=1) == noisy.groups).all())

    @property
    def _weighted(self) -> bool:
        return self.plan.mechanism.merging == "weighted"

    def _levels(self, noisy: "Counted", plan: Plan) -> list[Runs]:
        levels = plan.mechanism.level_estimates(noisy.noisy, plan)
        assert levels is not None
        return levels

    def _top_with(self, upper: Regions, groups: IntArray) -> Plan:
        return self._with_groups(self.plan_of_top(upper), groups, slice(None, self.cut + 1))

    def _part_with(self, shape: PartShape, groups: IntArray) -> Plan:
        return self._with_groups(self.plan_below_root(shape), groups, slice(self.cut, None))

    def _with_groups(self, plan: Plan, groups: IntArray, levels: slice) -> Plan:
        """A plan of some levels with their public numbers of groups, and their methods alone."""
        mechanism = plan.mechanism
        assert isinstance(mechanism, _MATCHING)
        domain = replace(plan.domain, groups=int(groups[0]), region_groups=groups)
        methods = mechanism.level_methods(len(self.plan.levels))[levels]
        if len(mechanism.methods) > 1:
            mechanism = replace(mechanism, methods=methods)
        return replace(plan, domain=domain, mechanism=mechanism)


@dataclass(frozen=True, eq=False, kw_only=True)
class Counted:
    """Noisy measurements of groups with what is public about them.

    Attributes:
        noisy: the measurements.
        groups: the public number of groups of every area, in level order.
    """

    noisy: Measured
    groups: IntArray


@dataclass(frozen=True, kw_only=True)
class LeastSquares(Way):
    """For least squares: estimates come up from the parts, and what is left over goes down."""

    needs_summaries = True

    def summary(self, shape: PartShape, noisy: Any) -> tuple[NumberArray, float]:
        below = self._below(shape, noisy)
        return below.values[0], float(below.spread[0])

    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> Settled:
        values, spreads = zip(*summaries.in_order(), strict=True)
        last = Estimates(np.array(values), np.array(spreads))
        weights = self.plan.weights[: self.cut + 1]
        below = estimates_from_below(upper.tree, noisy, weights, last=last)
        settled = settle_from_above(upper.tree, below, below.values[0])
        return Settled(values=settled, given=list(settled[upper.tree.leaves]))

    def settle_part(self, shape: PartShape, noisy: Any, given: NumberArray) -> NumberArray:
        root = np.asarray(given, dtype=np.float64)
        return settle_from_above(shape.tree, self._below(shape, noisy), root)

    def _below(self, shape: PartShape, noisy: Any) -> Estimates:
        return estimates_from_below(shape.tree, noisy, self.plan.weights[self.cut :])


@dataclass(frozen=True, kw_only=True)
class Gathered(Way):
    """For mechanisms that look at all noisy numbers at once: these, and nothing else, travel."""

    needs_summaries = settles_all_at_once = True

    def require_room(self, table: PartitionedTable) -> None:
        areas, columns = sum(table.level_sizes), table.n_columns
        require_memory(
            areas * columns,
            bytes_a_cell=BYTES_GATHERED,
            what=f"{areas:,} areas × {columns:,} columns, which {self.plan.id} needs at once",
        )

    def summaries(self, table: PartitionedTable, folder: Path) -> GatheredNumbers:
        return GatheredNumbers(table)

    def summary(self, shape: PartShape, noisy: Any) -> tuple[NumberArray, IntArray]:
        return noisy, shape.tree.parent

    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> Settled:
        assert isinstance(summaries, GatheredNumbers)
        tree, numbers = summaries.whole(noisy)
        domain = replace(self.plan.domain, regions=_unnamed(tree, self.plan.levels))
        values = self.plan.mechanism.estimate(numbers, replace(self.plan, domain=domain))
        above = values[: upper.tree.n_nodes].copy()
        return Settled(values=above, given=summaries.parts_of(values))

    def settle_part(self, shape: PartShape, noisy: Any, given: NumberArray) -> NumberArray:
        return given


@dataclass(frozen=True, kw_only=True)
class SizeBySize(Gathered):
    """For a program whose sizes share nothing but their total: gathered and solved on disk."""

    def require_room(self, table: PartitionedTable) -> None:
        return  # numbers are on disk, and `limits` counts what is in memory

    def summaries(self, table: PartitionedTable, folder: Path) -> NumbersOnDisk:
        return NumbersOnDisk(table, folder)

    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> Settled:
        assert isinstance(summaries, NumbersOnDisk)
        tree, _ = summaries.whole(noisy)
        solve = partial(solve_rows, weights=self.plan.weights, total=self.plan.domain.groups)
        values = summaries.solved(tree, solve)
        above = np.ascontiguousarray(values.rows[:, : upper.tree.n_nodes].T)
        given: Sequence[Any] = summaries.read_later(values)
        return Settled(values=above, given=given)

    def settle_part(self, shape: PartShape, noisy: Any, given: Any) -> NumberArray:
        return np.asarray(given)


@dataclass(frozen=True, kw_only=True)
class CumulativeSizeBySize(SizeBySize):
    """For cumulative numbers that each area makes monotone by itself: its sizes travel."""

    def summary(self, shape: PartShape, noisy: Any) -> tuple[NumberArray, IntArray]:
        return self._sizes(noisy), shape.tree.parent

    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> Settled:
        return SizeBySize.settle_top(self, upper, self._sizes(noisy), summaries)

    def _sizes(self, noisy: Any) -> IntArray:
        assert isinstance(self.plan.mechanism, PgsrCDp)
        return self.plan.mechanism.sizes_by_area(noisy, self.plan)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Unnamed(Regions):
    """A hierarchy whose areas have their names elsewhere: in the parts."""

    def __post_init__(self) -> None:
        return


def _unnamed(tree: Hierarchy, levels: tuple[str, ...]) -> Regions:
    return _Unnamed(tree=tree, levels=levels, ids=(), names=(), padded=np.zeros(0, dtype=bool))


@dataclass(frozen=True, kw_only=True)
class PartNoise(NoiseSource):
    """The seeded noise of one part's cells, asked for as if the part were a table of its own.

    Attributes:
        source: the source of the whole table.
        first: where the nodes of each level of the part stand on that level of the whole table.
        cut: the level of the part's root.
        of_parents: cells are named by the areas one level up, and not by their own.
    """

    source: SeededNoise
    first: tuple[int, ...]
    cut: int
    of_parents: bool = False

    def draw(self, event: Event, shape: tuple[int, ...], cells: Cells | None = None) -> IntArray:
        assert event.level is not None
        own, columns = event.level, int(np.prod(shape[1:]))
        if cells is None:
            # A dense level is one run of cells, row after row.
            cells = Cells.of_region(0, int(np.prod(shape)), first=self.first[own] * columns)
        else:
            regions = cells.regions + self.first[own - self.of_parents]
            cells = Cells(regions=regions, starts=cells.starts, first=cells.first)
        return self.source.draw(replace(event, level=own + self.cut), shape, cells)


_FROM_THE_ROOT_DOWN = (TopDown, TopDown2018, TotalSplit)
_MATCHING = (CountOfCounts, CountOfCountsNaive)
_GATHERED = (TreeDp, BlueTopDown, BlueTopDownSizes, PgsrHDp, PgsrCDp, PgsrCOpt)


def require_way(mechanism: Mechanism) -> None:
    """Check that a mechanism can be run on a table in parts.

    Raises:
        ChoiceError: it needs the whole table.
    """
    if not isinstance(mechanism, (Hay, *_GATHERED, *_MATCHING, *_FROM_THE_ROOT_DOWN)):
        known = [*_FROM_THE_ROOT_DOWN[:2], Hay, *_GATHERED, *_MATCHING]
        ids = ["inftda", "tda-l2", *(one.id for one in known)]
        raise ChoiceError(_NO_WAY.format(id=mechanism.id, known=join_and(ids)))
    if isinstance(mechanism, _MATCHING) and (
        mechanism.totals_are_private or mechanism.max_size == "noisy"
    ):
        raise ChoiceError(
            f"{mechanism.id} on a table in parts takes the numbers of groups as public, and a "
            "maximum size that is public or stated. Private totals and a measured maximum size "
            "need the whole table in memory."
        )


def gathers(mechanism: Mechanism) -> bool:
    """Return whether a mechanism needs all noisy numbers at once."""
    return isinstance(mechanism, _GATHERED)


def goes_by_size(mechanism: Mechanism, variances: Sequence[object]) -> bool:
    """Return whether sizes are solved one after the other, from noisy numbers on disk.

    Args:
        mechanism: one that needs all noisy numbers.
        variances: the variance of each level; None, or an allocation of 0, for a level that is not
            measured.
    """
    return isinstance(mechanism, (PgsrHDp, PgsrCDp)) and all(variances[1:])


def way_for(table: PartitionedTable, plan: Plan) -> Way:
    """Return how a plan is carried out on a table in parts.

    Raises:
        ChoiceError: the mechanism needs the whole table, or the plan leaves out a level that the
            mechanism needs.
    """
    mechanism = plan.mechanism
    require_way(mechanism)
    if isinstance(mechanism, Hay):
        return LeastSquares(plan=plan, cut=table.cut)
    if gathers(mechanism):
        way: type[Gathered] = Gathered
        if goes_by_size(mechanism, plan.variances):
            way = CumulativeSizeBySize if isinstance(mechanism, PgsrCDp) else SizeBySize
        return way(plan=plan, cut=table.cut)
    if isinstance(mechanism, TotalSplit):
        return QuestionsDown(plan=plan, cut=table.cut)
    missing = [n for n, v in zip(plan.levels, plan.variances, strict=True) if v is None]
    if missing:
        raise ChoiceError(
            f"{mechanism.id} on a table in parts measures every level, and {missing[0]} has no "
            "part of the budget. Give it one."
        )
    if isinstance(mechanism, _MATCHING):
        return Matching(plan=plan, cut=table.cut)
    return FromTheRootDown(plan=plan, cut=table.cut)
