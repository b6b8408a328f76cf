"""How each mechanism works on a table in parts: what the parts and the areas above them exchange.

The areas down to the level of the cut are called the top. Settling areas means computing their
released values from noisy measurements. These are the strategies:

- `FromTheRootDown`: the top is post-processed first. Each part is then a smaller table whose root
  has a known value.
- `AdaptiveTopDown`: the same for mechanisms whose measurements depend on earlier results.
- `Matching`: a part starts from the merged groups of its root. The values of the top are the sums
  of those of the parts.
- `LeastSquares`: the top needs, from each part, the best estimate of its root and its variance.
- `Gathered`: post-processing needs all noisy numbers at once. They are collected in memory.
- `SizeBySize` and `CumulativeSizeBySize`: the same for programs whose sizes can be solved one after
  the other. The noisy numbers are collected on disk.

The seeded noise of a simulation belongs to a cell of the whole table. Each part therefore generates
its own noise whenever it needs it, and the numbers are those of the same simulation in memory. A
release measures each part once and stores the measurements.
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
from hierdp_core.mechanisms.group_sizes import (
    PgsrHDp,
    TopDown2018,
    with_no_empty_groups,
    without_size_0,
)
from hierdp_core.mechanisms.inftda import InfTda, TdaL2
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
from hierdp_core.util.text import counted, join_or

BYTES_GATHERED = 75  # per number, as measured: its noise, its area, its value and the solver

_WHOLE_TABLE = (
    "{id} needs the whole table in memory. Use {known}, which work on tables in parts, or load the "
    "whole table into memory."
)


@dataclass(frozen=True, kw_only=True)
class PartStrategy(ABC):
    """How one plan is carried out on a table in parts.

    Only `measure_top` and `measure_part` read exact numbers. No cell is measured twice: the root
    of each part is measured with the top.

    Attributes:
        plan: the plan, for the levels of the whole table.
        cut: the level of the roots of the parts.
    """

    plan: Plan
    cut: int

    needs_summaries = False  # whether the top is settled after the parts were measured
    settles_all_at_once = False  # whether the parts are settled together with the top
    asks_of_parents = False  # whether a cell of noise is identified by the area one level up
    is_summed_up = False  # whether the values of the top are the sums of those of the parts

    def measure_top(self, upper: Regions, exact: IntArray, noise: NoiseSource) -> Any:
        """Return the noisy measurements of the top: all areas down to the level of the cut."""
        return noisy_measurements(self.plan.mechanism, exact, self.plan_of_top(upper), noise)

    def measure_part(self, part: Part, root: NumberArray, noise: NoiseSource) -> Any:
        """Return the noisy measurements of a part.

        Args:
            part: its exact numbers.
            root: the root of the part, from the top: measured, or settled if the top is settled
                first.
            noise: the noise of the cells below its root.
        """
        noisy = noisy_measurements(
            self.plan.mechanism, part.values, self.plan_below_root(part), noise
        )
        noisy[0] = root
        return noisy

    def roots(self, upper: Regions, noisy: Any) -> Sequence[NumberArray]:
        """Return the argument `root` of `measure_part`, by part, if the top is settled later."""
        return list(noisy[upper.tree.leaves])

    def summary(self, shape: PartShape, noisy: Any) -> Any:
        """Return the summary of the noisy measurements of a part that settling the top requires."""
        return None

    def summaries(self, table: PartitionedTable, folder: Path) -> Summaries:
        """Return an empty collection for the summaries of all parts.

        Args:
            table: the table of the parts.
            folder: the folder for temporary files, if summaries are kept on disk.

        Raises:
            FileError: the disk has no room for them.
        """
        return Summaries()

    def require_room(self, table: PartitionedTable) -> None:
        """Check that the summaries of all parts fit in memory.

        Raises:
            HierdpError: they do not fit.
        """
        return

    @abstractmethod
    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> "Settled":
        """Compute the values of all areas down to the level of the cut.

        Args:
            upper: those areas.
            noisy: their measurements.
            summaries: the summaries of all parts, if the strategy needs them.
        """

    @abstractmethod
    def settle_part(self, shape: PartShape, noisy: Any, given: NumberArray) -> NumberArray:
        """Return the post-processed values of a part, its root first.

        Args:
            shape: the shape of the part.
            noisy: its measurements; None if `given` has its values.
            given: the entry of this part in `Settled.given`.
        """

    def values_above(
        self, upper: Regions, settled: "Settled", roots: Sequence[NumberArray]
    ) -> NumberArray:
        """Return the values of all areas down to the cut, once all parts are settled.

        Args:
            upper: those areas.
            settled: the result of `settle_top`.
            roots: the settled values of the root of each part.
        """
        return settled.values

    def keeps_public(self, noisy: Any, values: NumberArray) -> bool:
        """Return whether post-processed values keep the public totals.

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
        """Return the plan of the levels of a part, numbered from its root."""
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
    """The result of settling the top.

    Attributes:
        values: the values of all areas down to the level of the cut.
        given: for each part, what it needs from above.
    """

    values: NumberArray
    given: Sequence[NumberArray]


def noisy_measurements(
    mechanism: Mechanism, exact: IntArray, plan: Plan, noise: NoiseSource
) -> Any:
    """Return all noisy measurements of a table.

    If later measurements depend on earlier ones, post-processing requests them. Its result is
    discarded here and computed again later, from the measurements alone.
    """
    noisy = mechanism.measure(exact, plan, noise)
    if isinstance(noisy, Questions):
        mechanism.estimate(noisy, plan)
        return noisy.measured()
    return noisy


@dataclass(frozen=True, kw_only=True)
class FromTheRootDown(PartStrategy):
    """The strategy for mechanisms in which lower levels never change the values of upper ones."""

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
class AdaptiveTopDown(FromTheRootDown):
    """The strategy for mechanisms that measure only the children of areas released as positive."""

    asks_of_parents = True

    def measure_part(self, part: Part, root: NumberArray, noise: NoiseSource) -> Any:
        plan = self._known_root(self.plan_below_root(part), root)
        return noisy_measurements(self.plan.mechanism, part.values, plan, noise)

    def _known_root(self, plan: Plan, root: NumberArray) -> Plan:
        # To the levels below it, a known root is a public total.
        return replace(plan, domain=replace(plan.domain, total=int(root)))


@dataclass(frozen=True, kw_only=True)
class Matching(PartStrategy):
    """The strategy for groups that are matched from the root down, each level estimated separately.

    A part needs the merged groups of its root from the top. Matching at lower levels changes the
    groups of a part, so the values of the top are the sums of those of the parts. The number of
    groups of every area is public and stored with its measurements.
    """

    is_summed_up = True

    def measure_top(self, upper: Regions, exact: IntArray, noise: NoiseSource) -> Any:
        groups = exact.sum(axis=1)
        plan = self._top_with(upper, groups)
        return MeasuredGroups(noisy=plan.mechanism.measure(exact, plan, noise), groups=groups)

    def measure_part(self, part: Part, root: NumberArray, noise: NoiseSource) -> Any:
        groups = part.values.sum(axis=1)
        plan = self._part_with(part, groups)
        return MeasuredGroups(noisy=plan.mechanism.measure(part.values, plan, noise), groups=groups)

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

    def _levels(self, noisy: "MeasuredGroups", plan: Plan) -> list[Runs]:
        levels = plan.mechanism.level_estimates(noisy.noisy, plan)
        assert levels is not None
        return levels

    def _top_with(self, upper: Regions, groups: IntArray) -> Plan:
        return self._with_groups(self.plan_of_top(upper), groups, slice(None, self.cut + 1))

    def _part_with(self, shape: PartShape, groups: IntArray) -> Plan:
        return self._with_groups(self.plan_below_root(shape), groups, slice(self.cut, None))

    def _with_groups(self, plan: Plan, groups: IntArray, levels: slice) -> Plan:
        """Return a plan for some levels with their public numbers of groups and their methods."""
        mechanism = plan.mechanism
        assert isinstance(mechanism, _MATCHING)
        domain = replace(plan.domain, groups=int(groups[0]), region_groups=groups)
        methods = mechanism.level_methods(len(self.plan.levels))[levels]
        if len(mechanism.methods) > 1:
            mechanism = replace(mechanism, methods=methods)
        return replace(plan, domain=domain, mechanism=mechanism)


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredGroups:
    """Noisy measurements of groups, with the public numbers of groups.

    Attributes:
        noisy: the noisy measurements.
        groups: the public number of groups of every area, in level order.
    """

    noisy: Measured
    groups: IntArray


@dataclass(frozen=True, kw_only=True)
class LeastSquares(PartStrategy):
    """The strategy for least squares: one sweep from the parts to the root, and one back."""

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
class Gathered(PartStrategy):
    """The strategy for mechanisms that need all noisy numbers at once; nothing else is gathered."""

    needs_summaries = settles_all_at_once = True

    def require_room(self, table: PartitionedTable) -> None:
        areas, columns = sum(table.level_sizes), table.n_columns
        require_memory(
            areas * columns,
            bytes_a_cell=BYTES_GATHERED,
            what=(
                f"{self.plan.id} needs all numbers of the table at once, and {areas:,} areas × "
                f"{counted(columns, 'column')}"
            ),
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
    """The strategy for programs whose sizes share only their total: solved size by size on disk."""

    def require_room(self, table: PartitionedTable) -> None:
        return  # the numbers are on disk; `limits` counts what is in memory

    def summaries(self, table: PartitionedTable, folder: Path) -> NumbersOnDisk:
        return NumbersOnDisk(table, folder)

    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> Settled:
        assert isinstance(summaries, NumbersOnDisk)
        tree, _ = summaries.whole(noisy)
        solve = partial(solve_rows, weights=self.plan.weights, total=self.plan.domain.groups)
        least = 0 if self.plan.domain.empty_groups else 1
        values = summaries.solved(tree, solve, first=least)
        above = np.ascontiguousarray(values.rows[:, : upper.tree.n_nodes].T)
        given: Sequence[Any] = summaries.read_later(values)
        return Settled(values=above, given=given)

    def settle_part(self, shape: PartShape, noisy: Any, given: Any) -> NumberArray:
        return np.asarray(given)


@dataclass(frozen=True, kw_only=True)
class CumulativeSizeBySize(SizeBySize):
    """`SizeBySize` for cumulative counts, made non-decreasing by area, then gathered."""

    def summary(self, shape: PartShape, noisy: Any) -> tuple[NumberArray, IntArray]:
        return self._sizes(noisy), shape.tree.parent

    def settle_top(self, upper: Regions, noisy: Any, summaries: Summaries) -> Settled:
        return SizeBySize.settle_top(self, upper, self._sizes(noisy), summaries)

    def _sizes(self, noisy: Any) -> IntArray:
        assert isinstance(self.plan.mechanism, PgsrCDp)
        if self.plan.domain.empty_groups:
            return self.plan.mechanism.sizes_by_area(noisy, self.plan)
        sizes = self.plan.mechanism.sizes_by_area(without_size_0(noisy), self.plan)
        return with_no_empty_groups(sizes)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Unnamed(Regions):
    """A hierarchy without names; the parts hold the names of their areas."""

    def __post_init__(self) -> None:
        return


def _unnamed(tree: Hierarchy, levels: tuple[str, ...]) -> Regions:
    return _Unnamed(tree=tree, levels=levels, ids=(), names=(), padded=np.zeros(0, dtype=bool))


@dataclass(frozen=True, kw_only=True)
class PartNoise(NoiseSource):
    """The seeded noise of one part, with the levels and cells numbered as in the part.

    Attributes:
        source: the source of the whole table.
        first: for each level of the part, the position of its first node on this level of the
            whole table.
        cut: the level of the part's root.
        of_parents: whether a cell is identified by the area one level up.
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


_FROM_THE_ROOT_DOWN = (InfTda, TdaL2, TopDown, TopDown2018)
_MATCHING = (CountOfCounts, CountOfCountsNaive)
_GATHERED = (TreeDp, BlueTopDown, BlueTopDownSizes, PgsrHDp, PgsrCDp, PgsrCOpt)
_IN_PARTS: tuple[type[Mechanism], ...] = (*_FROM_THE_ROOT_DOWN, Hay, *_GATHERED, *_MATCHING)


def names_in_parts(kind: str) -> list[str]:
    """Return the ids of the mechanisms that work on tables in parts of this kind."""
    return [one.id for one in _IN_PARTS if kind in one.kinds]


def require_strategy(mechanism: Mechanism, kind: str) -> None:
    """Check that a mechanism works on tables in parts.

    Args:
        mechanism: the mechanism.
        kind: the kind of the table. The error names the mechanisms that accept it.

    Raises:
        ChoiceError: it needs the whole table in memory.
    """
    if not isinstance(mechanism, _IN_PARTS):
        known = join_or(names_in_parts(kind))
        raise ChoiceError(_WHOLE_TABLE.format(id=mechanism.id, known=known))
    if isinstance(mechanism, _MATCHING) and (
        mechanism.totals_are_private or mechanism.max_size == "noisy"
    ):
        raise ChoiceError(
            f"On a table in parts, {mechanism.id} treats the numbers of groups as public and needs "
            "a maximum group size that is public or stated. Set totals=public, and cap=public or "
            "an integer, or load the whole table into memory."
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


def strategy_for(table: PartitionedTable, plan: Plan) -> PartStrategy:
    """Return the strategy that carries out a plan on a table in parts.

    Raises:
        ChoiceError: the mechanism needs the whole table in memory, or the plan does not measure a
            level that the mechanism needs.
    """
    mechanism = plan.mechanism
    require_strategy(mechanism, table.kind)
    if isinstance(mechanism, Hay):
        return LeastSquares(plan=plan, cut=table.cut)
    if gathers(mechanism):
        strategy: type[Gathered] = Gathered
        if goes_by_size(mechanism, plan.variances):
            strategy = CumulativeSizeBySize if isinstance(mechanism, PgsrCDp) else SizeBySize
        return strategy(plan=plan, cut=table.cut)
    if isinstance(mechanism, TotalSplit):
        return AdaptiveTopDown(plan=plan, cut=table.cut)
    missing = [n for n, v in zip(plan.levels, plan.variances, strict=True) if v is None]
    if missing:
        raise ChoiceError(
            f"On a table in parts, {mechanism.id} measures every level, but the weight of "
            f"{missing[0]} in the allocation is 0. Give it a weight above 0."
        )
    if isinstance(mechanism, _MATCHING):
        return Matching(plan=plan, cut=table.cut)
    return FromTheRootDown(plan=plan, cut=table.cut)
