"""What every mechanism is made of: what to measure, how much noise, how it fits together.

The three are kept apart so that only `measure` ever sees a count: `query` says
what is measured and how far one record moves it, the events of a plan say the
noise, and `estimate` makes noisy answers fit together with nothing else in reach.
`released` fills a blank table, which has no count either.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms.neighbours import Change, Pair, usual_pairs
from hierdp_core.mechanisms.options import (
    Option,
    options_of_class,
    require_choices,
    words_of,
)
from hierdp_core.noise import NoiseSource, variance
from hierdp_core.privacy import (
    Allocation,
    Budget,
    Event,
    Invariant,
    Neighbours,
    PrivacyStatement,
    Sensitivity,
    Spending,
    level_events,
    spending,
    state_privacy,
)
from hierdp_core.solvers.runs import Runs
from hierdp_core.solvers.weights import level_weights, whole_weights
from hierdp_core.tables import Domain, Fact, Table
from hierdp_core.tables.flow_tree import FlowTree, RegionTree
from hierdp_core.util.arrays import FloatArray, IntArray, NumberArray, frozen_array
from hierdp_core.util.shown import Shown

# The table's own largest size, a whole number, or one that is measured.
MaxSize = int | Literal["public", "noisy"]


class Tuning(StrEnum):
    """What a plan was chosen on: no guarantee covers a choice that follows the same table."""

    NOTHING = "nothing"
    PUBLIC = "public data"
    SYNTHETIC = "synthetic data"
    EARLIER = "earlier data"
    SAME = "the same table"


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(Shown):
    """All that is decided before a count is seen: what is measured, with how much noise.

    Attributes:
        mechanism: with its options.
        domain: the public facts of the table.
        levels: the names of what the budget is shared over, from the root down: the levels of
            the hierarchy, or those of a tree over flows.
        budget, allocation: what was asked for.
        spending: the ρ or ε that the noise of the budget spends.
        events: all that will be released: one for each level that is measured, and with
            level None what is released beside them.
        privacy: what that costs.
        tuned_on: the data on which budget or allocation were searched for.
    """

    mechanism: "Mechanism"
    domain: Domain
    levels: tuple[str, ...]
    budget: Budget
    allocation: Allocation
    spending: Spending
    events: tuple[Event, ...]
    privacy: PrivacyStatement
    tuned_on: Tuning = field(default=Tuning.NOTHING, compare=False)

    @property
    def id(self) -> str:
        """The id of the mechanism."""
        return self.mechanism.id

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """Every option of the mechanism with the word of its value."""
        return words_of(self.mechanism)

    @cached_property
    def level_tree(self) -> FlowTree | RegionTree:
        """The tree that `levels` are the levels of."""
        return self.mechanism.level_tree(self.domain)

    @property
    def by_level(self) -> dict[int, Event]:
        """The event of each level that is measured."""
        return {event.level: event for event in self.events if event.level is not None}

    @property
    def beside(self) -> tuple[Event, ...]:
        """What is released beside the levels."""
        return tuple(event for event in self.events if event.level is None)

    @cached_property
    def variances(self) -> tuple[float | None, ...]:
        """The noise variance of each level; None where it is not measured."""
        known = {level: variance(event) for level, event in self.by_level.items()}
        return tuple(known.get(level) for level in range(len(self.levels)))

    @cached_property
    def weights(self) -> FloatArray:
        """What each level weighs in a fit, shape (n_levels,): in proportion to 1/variance.

        0 for a level that is not measured; see `level_weights`.
        """
        weights: FloatArray = frozen_array(level_weights(self.variances), np.float64)
        return weights

    @cached_property
    def whole_weights(self) -> IntArray:
        """The same in whole numbers, within 1 part in 500, for solvers that need them."""
        weights: IntArray = frozen_array(whole_weights(self.variances), np.int64)
        return weights


@dataclass(frozen=True, kw_only=True)
class MechanismInfo:
    """What people need to know to choose a mechanism."""

    id: str
    title: str
    kinds: tuple[str, ...]
    about: str
    paper: str
    neighbours: Neighbours
    consistent: bool
    valid: bool
    integral: bool
    largest_cells: int | None
    options: tuple[Option, ...]
    is_suggested: bool

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON takes it."""
        return {
            "id": self.id,
            "title": self.title,
            "kind": self.kinds[0],
            "kinds": list(self.kinds),
            "about": self.about,
            "paper": self.paper,
            "neighbours": self.neighbours.value,
            "consistent": self.consistent,
            "valid": self.valid,
            "integral": self.integral,
            "largest_cells": self.largest_cells,
            "options": [
                {
                    "name": option.name,
                    "title": option.title,
                    "about": option.about,
                    "default": option.default,
                    "choices": list(option.choices),
                }
                for option in self.options
            ],
        }


class Questions(ABC):
    """What `measure` gives where later questions hang on earlier answers.

    It holds the exact table and gives away noisy answers only, each question once.
    """

    @abstractmethod
    def heard(self) -> Any:
        """All noisy answers given so far: what `estimate` can be run on again."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """The time spent on answering, after `measure` had returned."""


@dataclass(frozen=True, kw_only=True)
class Mechanism(ABC):
    """One way to release a table. A mechanism is its own configuration: its fields are its options.

    Subclasses fill in the class attributes, and declare fields with `option`.

    Attributes:
        query: what is measured in a region, in words.
        sensitivity: of the answers of any one level; see `sensitivities`.
        consistent: children always add up to their parent.
        valid: values are never negative and, if `integral`, whole.
        is_suggested: a comparison starts with it.
        is_tree_program: post-processing is the tree program and nothing else.
        largest_cells: regions × columns of the largest table it takes, or possible pairs of
            leaves; None takes all.
        instead: what to use for a larger one.
        not_for_release: why it simulates only; empty where it can release.

    Raises:
        ChoiceError: an option has a value that it does not take.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    about: ClassVar[str]
    paper: ClassVar[str]
    query: ClassVar[str]
    sensitivity: ClassVar[Sensitivity]
    consistent: ClassVar[bool]
    valid: ClassVar[bool]
    integral: ClassVar[bool]
    is_suggested: ClassVar[bool] = False
    is_tree_program: ClassVar[bool] = False
    largest_cells: ClassVar[int | None] = None
    instead: ClassVar[str] = ""
    not_for_release: ClassVar[str] = ""

    def __post_init__(self) -> None:
        require_choices(self.id, self)

    @classmethod
    def info(cls) -> MechanismInfo:
        return MechanismInfo(
            id=cls.id,
            title=cls.title,
            kinds=cls.kinds,
            about=cls.about,
            paper=cls.paper,
            neighbours=cls().neighbours,
            consistent=cls.consistent,
            valid=cls.valid,
            integral=cls.integral,
            largest_cells=cls.largest_cells,
            options=options_of_class(cls),
            is_suggested=cls.is_suggested,
        )

    def plan(self, domain: Domain, *, budget: Budget, allocation: Allocation) -> Plan:
        """Spend exactly `budget`, level by level; sees public facts only.

        Raises:
            ChoiceError: the table is larger than the mechanism takes.
            BudgetError: budget or allocation cannot be spent.
        """
        self._require_fit(domain)
        self.check_domain(domain)
        levels = self.levels(domain)
        spent = self.spending(domain, budget, allocation)
        events = self.events(domain, spent.budget, allocation)
        privacy = state_privacy(
            events,
            budget=budget,
            spending=spent,
            allocation=allocation,
            levels=levels,
            neighbours=self.neighbours,
            unit=self.unit(domain),
            qualification=self.qualification(domain),
            invariants=self.invariants(domain),
            states_what_is_spent=self.states_what_is_spent(domain),
        )
        return Plan(
            mechanism=self,
            domain=domain,
            levels=levels,
            budget=budget,
            allocation=allocation,
            spending=spent,
            events=events,
            privacy=privacy,
        )

    def spending(self, domain: Domain, budget: Budget, allocation: Allocation) -> Spending:
        """The ρ or ε that the noise may spend: of (ε, δ) by the account that the budget names.

        Raises:
            BudgetError: budget or allocation cannot be spent.
        """
        return spending(budget, lambda spent: self.events_to_cover(domain, spent, allocation))

    def _require_fit(self, domain: Domain) -> None:
        if domain.destinations is None:
            sides = (domain.tree.n_nodes, domain.n_columns)
            words = (
                "{} takes tables of up to {:,} numbers; this one has {:,} areas × {:,} sizes = "
                "{:,}. Use {}."
            )
        else:
            sides = (domain.tree.n_leaves, domain.destinations.tree.n_leaves)
            words = (
                "{} takes up to {:,} possible pairs; here are {:,} origins × {:,} destinations = "
                "{:,}. Use {}."
            )
        cells = sides[0] * sides[1]
        if self.largest_cells is not None and cells > self.largest_cells:
            raise ChoiceError(
                words.format(self.id, self.largest_cells, *sides, cells, self.instead)
            )

    def check_domain(self, domain: Domain) -> None:
        """Check that the options fit a domain.

        Raises:
            ChoiceError: an option does not.
        """
        return

    @property
    def neighbours(self) -> Neighbours:
        """The tables that are hard to tell apart."""
        return Neighbours.ADD_OR_REMOVE_ONE

    @property
    def change(self) -> Change:
        """What may differ between two neighbouring tables."""
        return Change(neighbours=self.neighbours)

    def worst_neighbours(self, budget: Budget) -> tuple[Pair, ...]:
        """Neighbouring tables on which one change moves everything measured as far as it can.

        Each event of the plan is moved by its full sensitivity in at least one of them, so that
        an audit of all of them misses no part of the noise. They have the same levels.

        Args:
            budget: for a mechanism whose worst case depends on the amount of noise.

        Raises:
            ChoiceError: the mechanism knows no such tables.
        """
        return usual_pairs(self.kinds[0], self.neighbours)

    def unit(self, domain: Domain) -> str:
        """The privacy unit in words: what one record is."""
        return f"one {domain.person}"

    def qualification(self, domain: Domain) -> str:
        """Which changes of one unit the guarantee covers, to be put after the unit.

        It starts with a space or a comma; empty where all changes are covered.
        """
        return ""

    @property
    def needs_region_groups(self) -> bool:
        """Whether the number of groups of every region is taken as public."""
        return False

    @property
    def needs_total(self) -> bool:
        """Whether the number of all records together is taken as public."""
        return False

    def public_domain(self, table: Table | Domain) -> Domain:
        """What a plan may know of `table`: its domain, with the totals that are taken as public.

        Raises:
            ChoiceError: `table` is a domain without such totals, or an option does not fit it.
        """
        domain = table if isinstance(table, Domain) else table.domain
        if self.needs_region_groups:
            domain = _with_region_groups(table, self.id)
        if self.needs_total:
            domain = _with_total(table, self.id)
        return self.known(domain)

    def known(self, domain: Domain) -> Domain:
        """What a plan may know of `domain`: less where the options keep some of it private.

        Raises:
            ChoiceError: an option does not fit the domain.
        """
        return domain

    def levels(self, domain: Domain) -> tuple[str, ...]:
        """The names of what the budget is shared over, from the root down."""
        return domain.regions.levels

    def level_tree(self, domain: Domain) -> FlowTree | RegionTree:
        """The tree that these levels are the levels of."""
        if domain.between_regions:
            return FlowTree.of(domain)
        return RegionTree(tree=domain.tree)

    def shared_levels(self, domain: Domain) -> tuple[str, ...]:
        """The levels that take a share; the root does not where it is public."""
        return self.levels(domain)

    def states_what_is_spent(self, domain: Domain) -> bool:
        """Whether the statement says what the noise costs, and not the budget asked for."""
        return self.published_sensitivities(domain) is not None

    def allocation(self, asked: Sequence[int] | None, domain: Domain) -> Allocation:
        """The allocation to spend: the one asked for, else an even one.

        Raises:
            BudgetError: the mechanism cannot spend it so.
        """
        return Allocation.of(asked, self.levels(domain))

    def events(self, domain: Domain, budget: Budget, allocation: Allocation) -> tuple[Event, ...]:
        """All that will be released: one event for each level with a share.

        A mechanism that releases more adds events with level None, and takes what they cost
        from the budget.

        Raises:
            BudgetError: the mechanism cannot spend such a budget.
        """
        return level_events(
            budget,
            allocation,
            query=self.query,
            levels=self.levels(domain),
            sensitivities=self.sensitivities(domain),
            calibrate_to=self.published_sensitivities(domain),
        )

    def events_to_cover(
        self, domain: Domain, budget: Budget, allocation: Allocation
    ) -> tuple[Event, ...]:
        """The events that a budget of ρ or ε is meant to pay for: all that will be released.

        A published calibration that is not right pays for less than is released.

        Raises:
            BudgetError: the mechanism cannot spend such a budget.
        """
        published = self.published_sensitivities(domain)
        if published is None:
            return self.events(domain, budget, allocation)
        return level_events(
            budget,
            allocation,
            query=self.query,
            levels=self.levels(domain),
            sensitivities=published,
        )

    def sensitivities(self, domain: Domain) -> tuple[Sensitivity, ...]:
        """How far one record moves the answers of each level, from the root down."""
        return (self.sensitivity,) * len(self.levels(domain))

    def published_sensitivities(self, domain: Domain) -> tuple[Sensitivity, ...] | None:
        """What a paper calibrates to where that is too little and is asked for; else None."""
        return None

    def invariants(self, domain: Domain) -> tuple[Invariant, ...]:
        """What is published exactly or treated as public, and what of it came from the data."""
        return _hierarchy_facts(domain)

    @property
    def max_size(self) -> MaxSize:
        """The largest size that is counted: the table's own, a chosen one or a measured one."""
        return "public"

    @property
    def room_above(self) -> int:
        """How many sizes a measured largest size adds to a table."""
        return 0

    def error_bounds(
        self, plan: Plan, *, draws: Sequence[int] | None, beta: float
    ) -> tuple[float, ...] | None:
        """For each level of the plan, what no error exceeds except with probability `beta`.

        Args:
            plan: of this mechanism.
            draws: how many numbers got noise on each level; every possible one where None.
            beta: strictly between 0 and 1.

        Returns:
            one number a level; None where no bound is proved.
        """
        return None

    def draws_by_level(self, noisy: Any) -> tuple[int, ...] | None:
        """How many numbers got noise on each level, where earlier noise settles that."""
        return None

    def noisy_cumulative(self, noisy: Any, plan: Plan, node: int) -> NumberArray | None:
        """The noisy numbers of groups of at most each size in one region.

        Returns:
            shape (n_sizes,), or None where something else was measured.
        """
        return None

    @property
    def merging(self) -> Literal["weighted", "mean"] | None:
        """How matched groups of two levels are merged; None where levels are not matched."""
        return None

    def level_estimates(self, noisy: Any, plan: Plan) -> list[Runs] | None:
        """Every level's groups before they are made consistent; None where there are none."""
        return None

    def measure(self, values: Any, plan: Plan, noise: NoiseSource) -> Any:
        """The query's answers with noise; a level without a share stays 0.

        Where later questions hang on earlier answers, a `Questions` instead.

        Args:
            values: the content of the exact table: shape (n_nodes, ...), or `Pairs`.
            plan: says the noise.
            noise: draws it.
        """
        answers = self.answer(values, plan.domain.tree)
        noisy = np.zeros_like(answers)
        for level, event in plan.by_level.items():
            nodes = plan.domain.tree.level(level)
            noisy[nodes] = answers[nodes] + noise.draw(event, answers[nodes].shape)
        return noisy

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        """The query's exact answers; the values themselves unless a mechanism differs.

        Returns:
            shape (n_nodes, ...): one row a region, whatever is in it.
        """
        return values

    def released(self, blank: Table, values: Any, plan: Plan) -> Table:
        """Return the table to release: `blank` filled with `values`.

        Args:
            blank: `table.blank()` of the exact table: its regions and titles, and none of its
                numbers, so nothing confidential is in reach here.
            values: what `estimate` returned.
            plan: how they were made.
        """
        return blank.with_values(values)

    @abstractmethod
    def estimate(self, noisy: Any, plan: Plan) -> Any:
        """The content of the table to release, from what `measure` gave and the plan alone."""


def _with_total(table: Table | Domain, id: str) -> Domain:
    domain = table if isinstance(table, Domain) else table.domain_with_total
    if domain.total is not None:
        return domain
    raise ChoiceError(
        f"{id} takes the total as public. Plan it from a table, or from a domain with a total."
    )


def _with_region_groups(table: Table | Domain, id: str) -> Domain:
    domain = table if isinstance(table, Domain) else table.domain_by_region
    if domain.region_groups is not None:
        return domain
    raise ChoiceError(
        f"{id} takes the number of groups in every area as public. Plan it from a table, "
        "or from a domain with these numbers."
    )


def _hierarchy_facts(domain: Domain) -> tuple[Invariant, ...]:
    taken = domain.taken_from_data
    regions, levels = Fact.REGIONS in taken, Fact.LEVELS in taken
    if regions == levels:
        return (Invariant(text="the list of regions and how they nest", taken_from_data=regions),)
    return (
        Invariant(text=Fact.REGIONS.value, taken_from_data=regions),
        Invariant(text=Fact.LEVELS.value, taken_from_data=levels),
    )
