"""Simulations of one table at any budget and allocation, scored against targets.

Simulation i starts from the same seed at every budget and allocation (common random numbers).
The random words of a cell do not depend on the scale of its noise (`hierdp_core.noise.laws`). At
two budgets, two-sided geometric noise is therefore almost the same noise, scaled and rounded.
Discrete Gaussian noise is sampled by rejection, so it is similar at similar values of ρ. Common
seeds make a search steadier, but no claim rests on them: see `planning.search` for budgets and
`planning.allocation` for allocations.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.mechanisms import Mechanism
from hierdp_core.planning.targets import Target, quantity_id, regions_for
from hierdp_core.privacy import Budget
from hierdp_core.simulation import Plan, plan, simulate
from hierdp_core.tables import Table, by_region, quantity_regions
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray
from hierdp_core.util.parallel import NamedProgress, Workers, in_parallel
from hierdp_core.util.tolerance import as_written, within

_ABOVE_ONE = math.nextafter(1, 2)
FRESH = 1_000_000  # simulations from this index on only test what a search on earlier ones proposes

Progress = NamedProgress  # (simulations done, simulations expected, their purpose)


class PlanningStopped(HierdpError):
    """The search was cancelled."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetScorer:
    """One target, prepared to score simulations of one table.

    Attributes:
        target: the target.
        nodes: the areas of its level, in level order, without copies that pad short branches. For a
            mean relative error, also without areas whose true count is 0.
        true: their true counts.
        reference: the numbers by which the tolerance is multiplied: the true counts, or 1.
        limit: the largest error allowed for each area; for a mean, the divisor of its error.
        needed: the number of areas that must be within the tolerance; 0 for a mean.
        unit: what is counted, plural.
    """

    target: Target
    nodes: IntArray
    true: NumberArray
    reference: NumberArray
    limit: FloatArray
    needed: int
    unit: str

    @classmethod
    def of(cls, table: Table, target: Target) -> "TargetScorer":
        """Return the scorer of a target on a table.

        Raises:
            ChoiceError: the table has no such quantity, or a mean relative error does not exist
                because every true count is 0.
            HierarchyError: the table has no such level.
        """
        regions = regions_for(table, target)
        level = regions.tree.level(regions.level_index(target.level))
        nodes = np.arange(regions.tree.n_nodes)[level]
        nodes = nodes[~regions.padded[nodes]]
        selected = quantity_of(table, quantity_id(table, target))
        true = by_region(table, selected)[nodes]
        needed = 0
        if target.share is None:
            if target.relative:
                nodes, true = nodes[true > 0], true[true > 0]
                if not len(nodes):
                    raise ChoiceError(
                        f"The true count of every {target.level} is 0, so no mean relative error "
                        "exists. Give an absolute tolerance."
                    )
        else:
            needed = max(1, math.ceil(as_written(target.share) * len(nodes)))
        reference = true if target.relative else np.ones_like(true)
        multiple = 1.0 if target.share is None else target.tolerance
        return cls(
            target=target,
            nodes=nodes,
            true=true,
            reference=reference,
            limit=multiple * reference.astype(np.float64),
            needed=needed,
            unit=selected.title,
        )

    @property
    def words(self) -> str:
        """The target in words, with the quantity if the target names one."""
        unit = "" if self.target.quantity is None else self.unit
        return self.target.words(places=len(self.nodes), unit=unit)

    @property
    def measure(self) -> str:
        """The first number that `score` returns, in words."""
        if self.target.share is not None:
            return "proportion of areas within tolerance"
        return "mean relative error" if self.target.relative else "mean absolute error"

    def score(self, released: NumberArray) -> tuple[float, float]:
        """Return the score of one simulation, and the multiple of the tolerance that it needs.

        Args:
            released: the quantity of every area, shape (n_nodes,).

        Returns:
            the proportion of areas within the tolerance, or the mean error; and the multiple of
            the tolerance at which the target would be met. The target is met if this is at most
            1. For areas, the exact rule of `hierdp_core.util.tolerance` decides on which side of
            1 it lies; a mean error is computed in floats.
        """
        size = np.abs(released[self.nodes] - self.true)
        if self.target.share is None:
            mean = float((size / self.limit).mean())
            return mean, mean / self.target.tolerance
        kept = within(size, self.reference, self.target.tolerance)
        used = np.divide(size, self.limit, out=np.full(len(size), np.inf), where=self.limit > 0)
        used[size == 0] = 0.0
        # The rule decides on which side of 1 an area is, floats only how far from it.
        used = np.where(kept, np.minimum(used, 1.0), np.maximum(used, _ABOVE_ONE))
        return float(kept.mean()), float(np.partition(used, self.needed - 1)[self.needed - 1])


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """Simulations at one budget and allocation.

    Attributes:
        plan: the plan that was simulated.
        values: shape (simulations, targets): the proportion of areas within the tolerance, or the
            mean error.
        taken: shape (simulations, targets): the multiple of the tolerance that each target needs.
        errors: shape (simulations, levels, 2): mean and 95% quantile of the absolute error over
            the areas of a level, for the quantity of `Bench.quantity`.
    """

    plan: Plan
    values: FloatArray
    taken: FloatArray
    errors: FloatArray

    @cached_property
    def worst(self) -> FloatArray:
        """The largest of `taken` in each simulation, ascending; up to 1, all targets are met."""
        return np.sort(self.taken.max(axis=1))

    @property
    def n_simulations(self) -> int:
        """The number of simulations."""
        return len(self.values)

    @property
    def hits(self) -> int:
        """The number of simulations in which every target is met at once."""
        return int((self.worst <= 1).sum())


@dataclass(eq=False, kw_only=True)
class Bench:
    """A table, a mechanism and targets, with the simulations scored so far.

    Attributes:
        table: the exact table, or a synthetic one.
        mechanism: with its options.
        targets: the targets to score.
        quantity: the id of the quantity whose errors are kept.
        seed: the seed of all noise.
        workers: the workers that simulate.
        progress: called after every simulation.
        expected: the total number of simulations that is likely to be needed.
        done: the number of simulations so far.
        words: the purpose of the current simulations, for `progress`.
    """

    table: Table
    mechanism: Mechanism
    targets: tuple[Target, ...]
    quantity: str
    seed: int = 0
    workers: Workers = field(default_factory=Workers)
    progress: Progress | None = None
    expected: int = 0
    done: int = 0
    words: str = ""
    _known: dict[tuple[str, str, int, int], Scores] = field(default_factory=dict)

    @cached_property
    def scorers(self) -> tuple[TargetScorer, ...]:
        """The targets, prepared to score simulations of the table."""
        return tuple(TargetScorer.of(self.table, target) for target in self.targets)

    def finished(self) -> None:
        """Report that no more simulations are needed."""
        if self.progress is not None:
            self.progress(self.done, self.done, self.words)

    def plan(self, budget: Budget, allocation: Sequence[int] | None) -> Plan:
        """Return the plan with this budget and allocation."""
        return plan(self.table, self.mechanism, budget=budget, allocation=allocation)

    def score(
        self, budget: Budget, allocation: Sequence[int] | None, *, n: int, first: int = 0
    ) -> Scores:
        """Return the scores of simulations `first` … `first + n − 1`; scores are cached.

        Raises:
            PlanningStopped: the simulations were cancelled.
        """
        candidate = self.plan(budget, allocation)
        key = (candidate.budget.words, candidate.allocation.words, first, n)
        if key not in self._known:
            rows = in_parallel(
                self._scoring(candidate),
                range(first, first + n),
                workers=self.workers.threads,
                client=self.workers.client,
                cancel=self.workers.cancel,
                arrived=self._count,
            )
            if len(rows) < n:
                raise PlanningStopped(
                    "The search was cancelled before it finished. Start it again."
                )
            self._known[key] = Scores(
                plan=candidate,
                values=np.array([[v for v, _ in scored] for scored, _ in rows]),
                taken=np.array([[t for _, t in scored] for scored, _ in rows]),
                errors=np.array([errors for _, errors in rows]),
            )
        return self._known[key]

    def _count(self, _: object) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, max(self.expected, self.done + 1), self.words)

    def _scoring(self, candidate: Plan) -> "_Scoring":
        return _Scoring(
            table=self.table,
            plan=candidate,
            seed=self.seed,
            quantity=self.quantity,
            scorers=self.scorers,
            places=self.places,
            true=self.true,
        )

    @cached_property
    def places(self) -> list[IntArray]:
        """The areas of each level, without copies that pad short branches."""
        regions = quantity_regions(self.table, quantity_of(self.table, self.quantity))
        tree, padded = regions.tree, regions.padded
        levels = [np.arange(tree.n_nodes)[tree.level(k)] for k in range(tree.n_levels)]
        return [nodes[~padded[nodes]] for nodes in levels]

    @cached_property
    def true(self) -> FloatArray:
        """The true counts of `quantity`, shape (n_nodes,)."""
        selected = quantity_of(self.table, self.quantity)
        return by_region(self.table, selected).astype(np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Scoring:
    """A function that simulates a plan and scores the result; it is sent to workers."""

    table: Table
    plan: Plan
    seed: int
    quantity: str
    scorers: tuple[TargetScorer, ...]
    places: list[IntArray]
    true: FloatArray

    def __call__(self, index: int) -> tuple[list[tuple[float, float]], FloatArray]:
        released = simulate(self.table, self.plan, seed=self.seed, index=index).table
        ids = [quantity_id(self.table, y.target) for y in self.scorers]
        numbers = {
            id: by_region(released, quantity_of(released, id)) for id in {*ids, self.quantity}
        }
        scored = [y.score(numbers[id]) for y, id in zip(self.scorers, ids, strict=True)]
        off = np.abs(numbers[self.quantity] - self.true)
        return scored, np.array([[off[n].mean(), np.quantile(off[n], 0.95)] for n in self.places])
