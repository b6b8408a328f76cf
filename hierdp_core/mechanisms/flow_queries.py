"""What the mechanisms that split a total from the root down have in common: [C] Section 4.

On each level only the children of nodes that are still positive are asked about, so what is
asked hangs on earlier answers. Each level is one noisy vector over all its nodes, of which
the answers to nodes never asked for are thrown away unseen: a level costs the same however
few are asked. A record is one person, with m trips where `trips` says so.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms.base import Mechanism, Option, Plan, Questions
from hierdp_core.mechanisms.neighbours import (
    ALONE,
    AMONG_MANY,
    Pair,
    Person,
    person_counted,
    person_travelling,
)
from hierdp_core.noise import NoiseSource
from hierdp_core.privacy import Allocation, Budget, Event, Invariant, Neighbours, Sensitivity
from hierdp_core.tables import Domain
from hierdp_core.tables.flow_tree import FlowTree, RegionTree
from hierdp_core.tables.flows import sums_by_key
from hierdp_core.util.arrays import IntArray

LARGEST_TRIPS = 10_000
_CELLS_AT_ONCE = 4_000_000

NEIGHBOURS = Option(
    name="neighbours",
    title="Neighbours",
    about=(
        "bounded: one record is replaced and the total is public and exact; unbounded: one is "
        "added or removed, and the total gets noise as well."
    ),
    default="bounded",
    choices=("bounded", "unbounded"),
)
TRIPS = Option(
    name="trips",
    title="Trips a person",
    about=(
        "The most trips that one person has in the table; the noise hides all of them. Where the "
        "total is public, a person is replaced by one with as many."
    ),
    default="1",
    choices=(),
)
DISTINCT = Option(
    name="distinct",
    title="Trips all different",
    about="Whether the trips of one person are between different pairs: less noise at the leaves.",
    default="no",
    choices=("no", "yes"),
)
TREE = Option(
    name="tree",
    title="Tree",
    about=(
        "Which end of a flow is refined first on the way down: where people go (destination) or "
        "where they come from (origin)."
    ),
    default="destination",
    choices=("destination", "origin"),
)
SPLIT = Option(
    name="split",
    title="Split of the budget",
    about=(
        "paper: all of it; reference: half of it, as the authors' code does, and the statement "
        "says the smaller budget that is really spent."
    ),
    default="paper",
    choices=("paper", "reference"),
)


class Records(Mechanism):
    """What mechanisms that count records of one or more trips have in common."""

    query = "numbers"
    sensitivity = Sensitivity(l1=2, l2_squared=2)
    options: ClassVar[tuple[Option, ...]] = (NEIGHBOURS, TRIPS, DISTINCT)

    def check_options(self, options: Mapping[str, str], domain: Domain) -> None:
        trips_of(options, self.id)
        if not domain.between_regions and options.get("tree", TREE.default) != TREE.default:
            raise ChoiceError(f"{self.id}: the option tree is for flows; this table has counts.")

    def neighbours(self, options: Mapping[str, str]) -> Neighbours:
        return (
            Neighbours.REPLACE_ONE
            if options["neighbours"] == "bounded"
            else Neighbours.ADD_OR_REMOVE_ONE
        )

    def worst_neighbours(self, options: Mapping[str, str], budget: Budget) -> tuple[Pair, ...]:
        # Among many others every question is asked whatever the noise; where nobody else is,
        # cells change from empty to not empty.
        person = self.person(options)
        return (
            self.pair("among-many", person, options, person.many_others, AMONG_MANY),
            self.pair("alone", person, options, 0, ALONE),
        )

    def person(self, options: Mapping[str, str]) -> Person:
        """The privacy unit: one person with as many trips as the options allow."""
        return Person(
            trips=trips_of(options, self.id),
            distinct=options["distinct"] == "yes",
            replaced=options["neighbours"] == "bounded",
        )

    def pair(
        self, id: str, person: Person, options: Mapping[str, str], others: int, words: str
    ) -> Pair:
        """Two tables that one person tells apart, with so many other records at each place."""
        title, tree = person.differ(words), options.get("tree", TREE.default)
        if self.kinds[0] == "counts" and tree == TREE.default:
            return person_counted(id, person, others=others, title=title)
        origin = tree == "origin"
        return person_travelling(id, person, others=others, title=title, by_origin=origin)

    def unit(self, domain: Domain, options: Mapping[str, str]) -> str:
        one, m = super().unit(domain, options), trips_of(options, self.id)
        if m == 1:
            return one
        different = " different" if options["distinct"] == "yes" else ""
        return f"{one} with up to {m:,}{different} trips"

    def qualification(self, domain: Domain, options: Mapping[str, str]) -> str:
        if self.neighbours(options) is not Neighbours.REPLACE_ONE:
            return ""
        # The total is public, so the other record has as many trips.
        several = trips_of(options, self.id) > 1
        return " by another with equally many" if several else " by another"

    def levels(self, domain: Domain, options: Mapping[str, str]) -> tuple[str, ...]:
        if not domain.between_regions:
            return domain.regions.levels
        return FlowTree.of(domain, options.get("tree", TREE.default)).levels

    def sensitivities(self, domain: Domain, options: Mapping[str, str]) -> tuple[Sensitivity, ...]:
        # All m trips may pass through one node of a level, leave it, and arrive in another.
        # Trips that are all different still share nodes above the leaves: the level of the
        # leaves alone has them apart.
        m, ways = trips_of(options, self.id), 2 if options["neighbours"] == "bounded" else 1
        above = Sensitivity(l1=ways * m, l2_squared=ways * m * m)
        last = replace(above, l2_squared=ways * m) if options["distinct"] == "yes" else above
        below = len(self.levels(domain, options)) - 1
        if not below:
            return (above,)
        root = Sensitivity(l1=0, l2_squared=0) if ways == 2 else above
        return (root, *(above,) * (below - 1), last)


class TopDown(Records):
    """From the root down: noise on all children of what is positive, then made to add up."""

    kinds = ("counts", "flows")
    consistent = valid = integral = True
    options: ClassVar[tuple[Option, ...]] = (NEIGHBOURS, TREE, TRIPS, DISTINCT, SPLIT)

    @abstractmethod
    def split(
        self, noisy: IntArray, starts: IntArray, totals: IntArray, options: Mapping[str, str]
    ) -> IntArray:
        """Whole numbers from 0 near `noisy`, each family with its total.

        Args:
            noisy: shape (cells,), the families one after the other.
            starts: shape (families + 1,), where each begins.
            totals: shape (families,), above 0.
            options: of the mechanism.
        """

    def needs_total(self, options: Mapping[str, str]) -> bool:
        return options["neighbours"] == "bounded"

    def shared_levels(self, domain: Domain, options: Mapping[str, str]) -> tuple[str, ...]:
        levels = self.levels(domain, options)
        return levels[1:] if self.needs_total(options) else levels

    def allocation(
        self, asked: Sequence[int] | None, domain: Domain, options: Mapping[str, str]
    ) -> Allocation:
        levels, exact_root = self.levels(domain, options), self.needs_total(options)
        shared = self.shared_levels(domain, options)
        if not shared:
            raise ChoiceError(f"{self.id} needs at least one level below the root; there is none.")
        if asked is not None and exact_root and len(asked) == len(levels):
            if asked[0]:
                raise BudgetError(
                    f"The total is public here and takes no share: give {levels[0]} 0, or leave "
                    f"it out; got {asked[0]}."
                )
            asked = asked[1:]
        weights = Allocation.of(asked, shared).weights
        if 0 in weights:
            raise BudgetError(
                f"{shared[weights.index(0)]} needs a share above 0: {self.id} splits every level "
                "by what it measures there."
            )
        return Allocation(weights=(0, *weights) if exact_root else weights)

    def events(
        self, domain: Domain, budget: Budget, allocation: Allocation, options: Mapping[str, str]
    ) -> tuple[Event, ...]:
        spent = halved(budget) if options["split"] == "reference" else budget
        return super().events(domain, spent, allocation, options)

    def states_what_is_spent(self, domain: Domain, options: Mapping[str, str]) -> bool:
        return options["split"] == "reference"

    def invariants(self, domain: Domain, options: Mapping[str, str]) -> tuple[Invariant, ...]:
        public = super().invariants(domain, options)
        if domain.total is None:
            return public
        return (*public, Invariant(text=f"the total, {domain.total:,}"))

    def measure(self, values: Any, plan: Plan, noise: NoiseSource) -> "TopDownQuestions":
        return TopDownQuestions(values, plan, noise)

    def estimate(self, noisy: "Answers", plan: Plan) -> Any:
        tree, options = tree_of(plan), dict(plan.options)
        total = plan.domain.total
        root = max(0, noisy.root()) if total is None else total
        nodes = np.zeros(int(root > 0), dtype=np.int64)
        values = np.array([root] * len(nodes), dtype=np.int64)
        for level in range(1, tree.n_levels):
            found = [(nodes[:0], values[:0])]
            asked = 0
            for some, starts in _batches(tree.family_sizes(level, nodes)):
                cells = noisy.children(level, nodes[some], starts, asked)
                asked += len(cells)
                split = self.split(cells, starts, values[some], options)
                kept = np.flatnonzero(split)
                family = np.searchsorted(starts, kept, side="right") - 1
                rank = kept - starts[family]
                found.append((tree.children(level, nodes[some], family, rank), split[kept]))
            # Families of a tree that refines origins interleave; the sums are of one number.
            nodes, values = sums_by_key(
                np.concatenate([keys for keys, _ in found]),
                np.concatenate([numbers for _, numbers in found]),
            )
        return tree.content(nodes, values)


class Answers(Protocol):
    """Where `estimate` gets its noisy numbers: from the table, or from what was heard of it."""

    def root(self) -> int:
        """The noisy total."""

    def children(self, level: int, nodes: IntArray, starts: IntArray, asked: int) -> IntArray:
        """The noisy numbers of all children, on `level`, of some nodes one level up.

        Args:
            level: from 1.
            nodes: their keys, ascending, above all that this level was asked about before.
            starts: shape (nodes + 1,), where the numbers of each node's children begin.
            asked: how many numbers this level gave before.

        Returns:
            shape (starts[-1],), family by family.
        """


@dataclass(frozen=True, eq=False, kw_only=True)
class Heard:
    """All noisy numbers of one run, in the order in which they were asked for.

    Attributes:
        total: the noisy total; None where it is public.
        levels: for each level from 1, shape (numbers asked for,).
    """

    total: int | None
    levels: tuple[npt.NDArray[np.signedinteger[Any]], ...]

    def root(self) -> int:
        assert self.total is not None
        return self.total

    def children(self, level: int, nodes: IntArray, starts: IntArray, asked: int) -> IntArray:
        return self.levels[level - 1][asked : asked + int(starts[-1])].astype(np.int64)

    @property
    def draws(self) -> tuple[int, ...]:
        """How many numbers got noise on each level, from the root down."""
        return (int(self.total is not None), *(len(level) for level in self.levels))


class TopDownQuestions(Questions):
    """The exact table behind a door through which noisy numbers come, each at most once."""

    def __init__(self, content: Any, plan: Plan, noise: NoiseSource) -> None:
        self._tree, self._events, self._noise = tree_of(plan), plan.by_level, noise
        self._total, self._exact = _exact_children(self._tree, content)
        self._heard_total: int | None = None
        self._heard: list[list[npt.NDArray[np.signedinteger[Any]]]] = [[] for _ in self._exact]
        self._last = [-1] * len(self._exact)
        self._seconds = 0.0

    def root(self) -> int:
        assert self._heard_total is None
        noisy = np.array([self._total]) + self._noise.draw(self._events[0], (1,))
        self._heard_total = int(noisy[0])
        return self._heard_total

    def children(self, level: int, nodes: IntArray, starts: IntArray, asked: int) -> IntArray:
        started = perf_counter()
        place = level - 1
        if len(nodes) and (nodes[0] <= self._last[place] or (np.diff(nodes) <= 0).any()):
            raise RuntimeError("A number that was given already was asked for again.")
        exact = np.zeros(int(starts[-1]), dtype=np.int64)
        parents, ranks, values = self._exact[place]
        if len(nodes):
            self._last[place] = int(nodes[-1])
            near = slice(*np.searchsorted(parents, [nodes[0], nodes[-1] + 1]))
            family = np.searchsorted(nodes, parents[near])
            asked_for = nodes[family] == parents[near]
            exact[(starts[family] + ranks[near])[asked_for]] = values[near][asked_for]
        noisy = exact + self._noise.draw(self._events[level], exact.shape)
        self._heard[place].append(_packed(noisy))
        self._seconds += perf_counter() - started
        return noisy

    def heard(self) -> Heard:
        none = [_packed(np.zeros(0, dtype=np.int64))]
        return Heard(
            total=self._heard_total,
            levels=tuple(np.concatenate(level or none) for level in self._heard),
        )

    @property
    def seconds(self) -> float:
        return self._seconds


def _exact_children(
    tree: FlowTree | RegionTree, content: Any
) -> tuple[int, list[tuple[IntArray, IntArray, IntArray]]]:
    """The total, and for each level from 1 its numbers above 0: parent, rank, value.

    Parents ascend.
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


def _batches(sizes: IntArray) -> Iterator[tuple[slice, IntArray]]:
    """Slices of families with not much more cells than fit, and where each family begins."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(ends[first] - sizes[first])
        last = max(first + 1, int(np.searchsorted(ends, before + _CELLS_AT_ONCE, side="right")))
        yield slice(first, last), np.concatenate([[0], ends[first:last] - before])
        first = last


def _packed(numbers: IntArray) -> npt.NDArray[np.signedinteger[Any]]:
    """The same in half the room where they fit."""
    small = numbers.astype(np.int32)
    return small if (small == numbers).all() else numbers


def tree_of(plan: Plan) -> FlowTree | RegionTree:
    """The tree that a plan's levels are the levels of."""
    if not plan.domain.between_regions:
        return RegionTree(tree=plan.domain.tree)
    return FlowTree.of(plan.domain, dict(plan.options).get("tree", TREE.default))


def trips_of(options: Mapping[str, str], id: str) -> int:
    """The most trips that one person has.

    Raises:
        ChoiceError: not a whole number from 1.
    """
    text = options.get("trips", "1").strip()
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= LARGEST_TRIPS:
        raise ChoiceError(
            f'{id}: trips is how many one person has at most, 1 to {LARGEST_TRIPS:,}; got "{text}".'
        )
    return int(text)


def halved(budget: Budget) -> Budget:
    """Half of a budget, in the unit that is spent: ε, or ρ."""
    if budget.spendable_rho is not None:
        return Budget(rho=budget.spendable_rho / 2)
    assert budget.epsilon is not None
    return Budget(epsilon=budget.epsilon / 2)
