"""The base of mechanisms that divide a total from the root down.

Source: [C] Boninsegna and Silvestri 2024, Section 4.

At each level, only the children of nodes that are still positive are measured, so the questions
depend on earlier answers. A level can be seen as one noisy vector over all its nodes, of which the
entries that are never asked for are discarded unseen. Its privacy cost is therefore the same,
however few nodes are measured. A *family* is the children of one node. A record is one person, with
up to m trips if the option `trips` is m.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms.base import Mechanism, Plan, Questions
from hierdp_core.mechanisms.neighbours import (
    ALONE,
    AMONG_MANY,
    Change,
    Pair,
    Person,
    person_counted,
    person_travelling,
)
from hierdp_core.mechanisms.options import option, whole_number
from hierdp_core.noise import Cells, NoiseSource
from hierdp_core.privacy import (
    Allocation,
    Budget,
    Event,
    FactSource,
    Invariant,
    Neighbours,
    Sensitivity,
)
from hierdp_core.privacy.shapes import trip_shapes, unit_shape
from hierdp_core.tables import Domain
from hierdp_core.tables.flow_tree import FlowTree, RegionTree
from hierdp_core.tables.flows import sums_by_key
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.memory import require_memory
from hierdp_core.util.text import plural

LARGEST_TRIPS = 10_000
_CELLS_AT_ONCE = 4_000_000
_BYTES_A_NUMBER = 100  # the peak use of memory per noisy count, as measured


@dataclass(frozen=True, kw_only=True)
class Records(Mechanism):
    """A mechanism that counts records of one or more trips."""

    query = "numbers"
    sensitivity = Sensitivity(l1=2, l2_squared=2)

    neighbours: Neighbours = option(
        Neighbours.REPLACE_ONE,
        title="Neighbouring datasets",
        about=(
            "bounded: one record is replaced, and the total is treated as public. unbounded: one "
            "is added or removed, and the total is protected as well."
        ),
        choices={
            "bounded": Neighbours.REPLACE_ONE,
            "unbounded": Neighbours.ADD_OR_REMOVE_ONE,
        },
    )
    tree: Literal["destination", "origin"] = option(
        "destination",
        title="Refined first",
        about=(
            "Which end of a flow becomes finer first at each level: where people go (destination) "
            "or where they come from (origin)."
        ),
        choices=("destination", "origin"),
        kinds=("flows",),
    )
    trips: int = option(
        1,
        title="Maximum trips per person",
        about=(
            "The largest number of trips of one person in the table. The noise covers all of them. "
            "If the total is public, neighbouring datasets replace a person by another one with "
            "equally many trips."
        ),
        read=whole_number,
    )
    distinct: bool = option(
        False,
        title="Trips are distinct",
        about=(
            "yes: at the last level, no number counts two trips of the same person. That level "
            "then needs less Gaussian noise."
        ),
        choices={"no": False, "yes": True},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        whole = isinstance(self.trips, int) and not isinstance(self.trips, bool)
        if not whole or not 1 <= self.trips <= LARGEST_TRIPS:
            raise ChoiceError(
                f"{self.id}: Set trips, the maximum per person, to a whole number from 1 to "
                f'{LARGEST_TRIPS:,}; got "{self.trips}".'
            )

    def check_domain(self, domain: Domain) -> None:
        if not domain.between_regions and self.tree != "destination":
            raise ChoiceError(
                f"{self.id}: the option tree is for flows; this table holds counts. Leave it out."
            )

    @property
    def replaced(self) -> bool:
        """Whether neighbours differ by replacing a record; else by adding or removing one."""
        return self.neighbours is Neighbours.REPLACE_ONE

    @property
    def ways(self) -> int:
        """How many records differ between neighbours: 2 if one is replaced, else 1."""
        return 2 if self.replaced else 1

    @property
    def change(self) -> Change:
        return Change(neighbours=self.neighbours, trips=self.trips, distinct=self.distinct)

    def worst_neighbours(self, budget: Budget) -> tuple[Pair, ...]:
        # Among many others, every question is asked whatever the noise. With nobody else, cells
        # change from empty to not empty.
        person = self.person
        return (
            self.pair("among-many", person.many_others, AMONG_MANY),
            self.pair("alone", 0, ALONE),
        )

    @property
    def person(self) -> Person:
        """The privacy unit: one person with as many trips as the options allow."""
        return Person(trips=self.trips, distinct=self.distinct, replaced=self.replaced)

    def pair(self, id: str, others: int, words: str) -> Pair:
        """Return two tables that differ by one person, with `others` other records in each cell."""
        person, title = self.person, self.person.differ(words)
        if self.kinds[0] == "counts" and self.tree == "destination":
            return person_counted(id, person, others=others, title=title)
        origin = self.tree == "origin"
        return person_travelling(id, person, others=others, title=title, by_origin=origin)

    def unit(self, domain: Domain) -> str:
        if self.trips == 1:
            return super().unit(domain)
        trips = _trips(domain)
        several = f"different {trips}" if self.distinct else trips
        return f"one person with up to {self.trips:,} {several}"

    def qualification(self, domain: Domain) -> str:
        if not self.replaced:
            return ""
        if self.trips == 1:
            return " by another"
        # The total is public, so the other record has as many trips.
        return " by another with equally many"

    def not_protected(self, domain: Domain) -> str:
        if not self.replaced or self.trips == 1:
            return ""
        return f"The number of {_trips(domain)} of one person is not protected."

    def levels(self, domain: Domain) -> tuple[str, ...]:
        if not domain.between_regions:
            return domain.regions.levels
        return FlowTree.of(domain, self.tree).levels

    def level_tree(self, domain: Domain) -> FlowTree | RegionTree:
        if not domain.between_regions:
            return super().level_tree(domain)
        return FlowTree.of(domain, self.tree)

    def sensitivities(self, domain: Domain) -> tuple[Sensitivity, ...]:
        # All m trips may be counted in one node of a level, which they leave for another if the
        # record is replaced. Distinct trips can still share nodes above the leaves. Only at the
        # level of the leaves are they in different nodes.
        m, ways = self.trips, self.ways
        shapes = trip_shapes(m, records=ways)
        above = Sensitivity(l1=ways * m, l2_squared=ways * m * m, shapes=shapes)
        apart = Sensitivity(l1=ways * m, l2_squared=ways * m, shapes=unit_shape(ways * m))
        last = apart if self.distinct else above
        below = len(self.levels(domain)) - 1
        if not below:
            return (above,)
        root = Sensitivity(l1=0, l2_squared=0) if self.replaced else above
        return (root, *(above,) * (below - 1), last)


def _trips(domain: Domain) -> str:
    """Return the word for trips of one person: "trips", or the plural of the table's own word."""
    return "trips" if domain.person == "person" else plural(domain.person)


@dataclass(frozen=True, kw_only=True)
class TotalSplit(Records):
    """Divide a total: noise on the children of positive nodes, then consistent integers."""

    kinds = ("counts", "flows")
    consistent = valid = integral = True

    split: Literal["paper", "reference"] = option(
        "paper",
        title="Budget spent",
        about=(
            "paper: all of it. reference: half of it, as in the authors' code; the statement gives "
            "the smaller budget that is actually spent."
        ),
        choices=("paper", "reference"),
    )

    @abstractmethod
    def fit_families(self, noisy: IntArray, starts: IntArray, totals: IntArray) -> IntArray:
        """Return non-negative integers close to `noisy`, where each family sums to its total.

        Args:
            noisy: shape (cells,), the families one after the other.
            starts: shape (families + 1,), where each family begins.
            totals: shape (families,), above 0.

        Returns:
            shape (cells,).
        """

    @property
    def needs_total(self) -> bool:
        return self.replaced

    def shared_levels(self, domain: Domain) -> tuple[str, ...]:
        levels = self.levels(domain)
        return levels[1:] if self.needs_total else levels

    def allocation(self, asked: Sequence[int] | None, domain: Domain) -> Allocation:
        levels, exact_root = self.levels(domain), self.needs_total
        shared = self.shared_levels(domain)
        if not shared:
            raise ChoiceError(
                f"{self.id} needs at least one level below the root, because the total is public; "
                "this table has none. Set neighbours=unbounded, which measures the total."
            )
        if asked is not None and exact_root and len(asked) == len(levels):
            if asked[0]:
                raise BudgetError(
                    "The total is public here and needs no budget. Set the weight of the first "
                    f"level, {levels[0]}, to 0 or leave it out; got {asked[0]}."
                )
            asked = asked[1:]
        weights = Allocation.of(asked, shared).weights
        if 0 in weights:
            measured = "every level below the root" if exact_root else "every level"
            raise BudgetError(
                f"{shared[weights.index(0)]} has the weight 0, but {self.id} measures {measured}. "
                "Give it a weight above 0."
            )
        return Allocation(weights=(0, *weights) if exact_root else weights)

    def events(self, domain: Domain, budget: Budget, allocation: Allocation) -> tuple[Event, ...]:
        spent = halved(budget) if self.split == "reference" else budget
        return super().events(domain, spent, allocation)

    def events_to_cover(
        self, domain: Domain, budget: Budget, allocation: Allocation
    ) -> tuple[Event, ...]:
        # The authors' code computes the noise for the whole budget, of which it spends half.
        return super().events(domain, budget, allocation)

    def states_what_is_spent(self, domain: Domain) -> bool:
        return self.split == "reference"

    def invariants(self, domain: Domain) -> tuple[Invariant, ...]:
        public = super().invariants(domain)
        if domain.total is None:
            return public
        return (
            *public,
            Invariant(text=f"the total, {domain.total:,}", source=FactSource.FROM_TABLE),
        )

    def measure(self, values: Any, plan: Plan, noise: NoiseSource) -> "TopDownQuestions":
        return TopDownQuestions(values, plan, noise)

    def estimate(self, noisy: "Answers", plan: Plan) -> Any:
        tree, total = plan.level_tree, plan.domain.total
        root = max(0, noisy.root()) if total is None else total
        nodes = np.zeros(int(root > 0), dtype=np.int64)
        values = np.array([root] * len(nodes), dtype=np.int64)
        for level in range(1, tree.n_levels):
            found = [(nodes[:0], values[:0])]
            asked, sizes = 0, tree.family_sizes(level, nodes)
            _require_memory(sizes, plan.levels[level])
            for some, starts in _batches(sizes):
                cells = noisy.children(level, nodes[some], starts, asked)
                asked += len(cells)
                split = self.fit_families(cells, starts, values[some])
                kept = np.flatnonzero(split)
                family = np.searchsorted(starts, kept, side="right") - 1
                rank = kept - starts[family]
                found.append((tree.children(level, nodes[some], family, rank), split[kept]))
            # Families of a tree that refines origins interleave, so this sorts. Each key is unique.
            nodes, values = sums_by_key(
                np.concatenate([keys for keys, _ in found]),
                np.concatenate([numbers for _, numbers in found]),
            )
        return tree.content(nodes, values)

    def n_noisy_by_level(self, noisy: Any) -> tuple[int, ...]:
        assert isinstance(noisy, TopDownMeasured)
        return noisy.n_noisy


class Answers(Protocol):
    """The source of the noisy counts for `estimate`: the exact table, or earlier measurements."""

    def root(self) -> int:
        """Return the noisy total."""

    def children(self, level: int, nodes: IntArray, starts: IntArray, asked: int) -> IntArray:
        """Return the noisy counts of all children, at `level`, of some nodes one level up.

        Args:
            level: the level of the children, 1 or more.
            nodes: the keys of the parents, shape (nodes,), ascending, and above all keys asked
                for before at this level.
            starts: shape (nodes + 1,), where the children of each node begin in the result.
            asked: how many counts of this level were returned before.

        Returns:
            shape (starts[-1],), family by family.
        """


@dataclass(frozen=True, eq=False, kw_only=True)
class TopDownMeasured:
    """All noisy measurements of one simulation or release, in the order in which they were made.

    Attributes:
        total: the noisy total; None if it is public.
        levels: the noisy counts of each level from level 1 on, each of shape (counts,).
    """

    total: int | None
    levels: tuple[npt.NDArray[np.signedinteger[Any]], ...]

    def root(self) -> int:
        assert self.total is not None
        return self.total

    def children(self, level: int, nodes: IntArray, starts: IntArray, asked: int) -> IntArray:
        return self.levels[level - 1][asked : asked + int(starts[-1])].astype(np.int64)

    @property
    def n_noisy(self) -> tuple[int, ...]:
        """How many counts got noise at each level, from the root down."""
        return (int(self.total is not None), *(len(level) for level in self.levels))


class TopDownQuestions(Questions):
    """The exact table, of which only noisy counts can be obtained, each at most once."""

    def __init__(self, content: Any, plan: Plan, noise: NoiseSource) -> None:
        self._tree, self._events, self._noise = plan.level_tree, plan.by_level, noise
        self._total, self._exact = _exact_children(self._tree, content)
        self._noisy_total: int | None = None
        self._noisy: list[list[npt.NDArray[np.signedinteger[Any]]]] = [[] for _ in self._exact]
        self._last = [-1] * len(self._exact)
        self._seconds = 0.0

    def root(self) -> int:
        assert self._noisy_total is None
        noisy = np.array([self._total]) + self._noise.draw(self._events[0], (1,))
        self._noisy_total = int(noisy[0])
        return self._noisy_total

    def children(self, level: int, nodes: IntArray, starts: IntArray, asked: int) -> IntArray:
        started = perf_counter()
        place = level - 1
        if len(nodes) and (nodes[0] <= self._last[place] or (np.diff(nodes) <= 0).any()):
            raise RuntimeError("A count may be measured only once.")
        exact = np.zeros(int(starts[-1]), dtype=np.int64)
        parents, ranks, values = self._exact[place]
        if len(nodes):
            self._last[place] = int(nodes[-1])
            near = slice(*np.searchsorted(parents, [nodes[0], nodes[-1] + 1]))
            family = np.searchsorted(nodes, parents[near])
            asked_for = nodes[family] == parents[near]
            exact[(starts[family] + ranks[near])[asked_for]] = values[near][asked_for]
        cells = Cells(regions=nodes, starts=starts)
        noisy = exact + self._noise.draw(self._events[level], exact.shape, cells)
        self._noisy[place].append(_packed(noisy))
        self._seconds += perf_counter() - started
        return noisy

    def measured(self) -> TopDownMeasured:
        none = [_packed(np.zeros(0, dtype=np.int64))]
        return TopDownMeasured(
            total=self._noisy_total,
            levels=tuple(np.concatenate(level or none) for level in self._noisy),
        )

    @property
    def seconds(self) -> float:
        return self._seconds


def _exact_children(
    tree: FlowTree | RegionTree, content: Any
) -> tuple[int, list[tuple[IntArray, IntArray, IntArray]]]:
    """Return the total, and for levels from 1 on their counts above 0: parent, rank and value.

    Parents ascend. The rank is the position among the children of the parent.
    """
    keys, found = tree.leaf_nodes(content)
    values: IntArray = found.astype(np.int64, copy=False)
    levels = []
    for level in reversed(range(1, tree.n_levels)):
        parents, ranks = tree.parents(level, keys)
        if (np.diff(parents) < 0).any():
            order = np.argsort(parents, kind="stable")
            parents, ranks, values = parents[order], ranks[order], values[order]
        levels.append((parents, ranks, values))
        keys, values = sums_by_key(parents, values)
    return int(values.sum()), levels[::-1]


def _require_memory(sizes: IntArray, level: str) -> None:
    """Require memory for the noisy counts of all families of a level, before any is measured."""
    numbers = int(sizes.sum())
    require_memory(numbers, bytes_a_cell=_BYTES_A_NUMBER, what=f"the noisy counts of {level}")


def _batches(sizes: IntArray) -> Iterator[tuple[slice, IntArray]]:
    """Yield slices of families with a limited total size, and the start of each family in them."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(ends[first] - sizes[first])
        last = max(first + 1, int(np.searchsorted(ends, before + _CELLS_AT_ONCE, side="right")))
        yield slice(first, last), np.concatenate([[0], ends[first:last] - before])
        first = last


def _packed(numbers: IntArray) -> npt.NDArray[np.signedinteger[Any]]:
    """Return the same numbers as 32-bit integers if they all fit, which halves the memory."""
    small = numbers.astype(np.int32)
    return small if (small == numbers).all() else numbers


def halved(budget: Budget) -> Budget:
    """Return half of a budget: of its ρ if noise is calibrated to ρ, else of its ε."""
    if budget.spendable_rho is not None:
        return Budget(rho=budget.spendable_rho / 2)
    assert budget.epsilon is not None
    return Budget(epsilon=budget.epsilon / 2)
