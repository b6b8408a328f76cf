"""The parts of a mechanism: what it measures, how much noise it adds, how it post-processes.

The parts are kept apart, so that only `measure` has access to exact counts. `query` names what is
measured, `sensitivities` state how far one record can change it, and the events of a plan state
the noise. `estimate` post-processes noisy measurements and has access to nothing else but the
plan. `released` fills a blank table, which holds no counts either.
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
from hierdp_core.util.text import counted

# The maximum group size: "public" for that of the table, a chosen integer, or "noisy" if measured.
MaxSize = int | Literal["public", "noisy"]


class Tuning(StrEnum):
    """The data that a plan was tuned on. No guarantee covers tuning on the released table."""

    NOTHING = "nothing"
    PUBLIC = "public data"
    SYNTHETIC = "synthetic data"
    EARLIER = "earlier data"
    SAME = "the same table"


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(Shown):
    """All decisions that are made before any count is seen: the measurements and their noise.

    Attributes:
        mechanism: the mechanism with its options.
        domain: the public facts of the table.
        levels: the names of the levels over which the budget is divided, from the root down. They
            are levels of the hierarchy, or of the tree over flows.
        budget: as requested.
        allocation: the weight of each of `levels`, as requested or by default.
        spending: the ρ or ε to which the noise is calibrated.
        events: all measurements: one event for each measured level, and events with level None
            for further measurements.
        privacy: the privacy statement of these events.
        tuned_on: the data on which the budget or the allocation was tuned.
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
        """The options of the mechanism: each name with the word of its value."""
        return words_of(self.mechanism)

    @cached_property
    def level_tree(self) -> FlowTree | RegionTree:
        """The tree whose levels are `levels`."""
        return self.mechanism.level_tree(self.domain)

    @property
    def by_level(self) -> dict[int, Event]:
        """The events of the measured levels, by level."""
        return {event.level: event for event in self.events if event.level is not None}

    @property
    def beside(self) -> tuple[Event, ...]:
        """The events of the measurements that belong to no level."""
        return tuple(event for event in self.events if event.level is None)

    @cached_property
    def variances(self) -> tuple[float | None, ...]:
        """The noise variance of each level; None for a level that is not measured."""
        known = {level: variance(event) for level, event in self.by_level.items()}
        return tuple(known.get(level) for level in range(len(self.levels)))

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of each level in a fit, shape (n_levels,), in proportion to 1/variance.

        0 for a level that is not measured; see `level_weights`.
        """
        weights: FloatArray = frozen_array(level_weights(self.variances), np.float64)
        return weights

    @cached_property
    def whole_weights(self) -> IntArray:
        """The `weights` scaled to integers, each within 1 part in 500, for some solvers."""
        weights: IntArray = frozen_array(whole_weights(self.variances), np.int64)
        return weights


@dataclass(frozen=True, kw_only=True)
class MechanismInfo:
    """A description of a mechanism, from which people choose one.

    Its attributes are those of `Mechanism`. `neighbours` is the relation under default options,
    and `not_for_release` the result of `Mechanism.reason_against_release`.
    """

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
    not_for_release: str
    options: tuple[Option, ...]
    is_suggested: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the description in values that JSON can hold."""
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
            "not_for_release": self.not_for_release,
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
    """The result of `measure` for mechanisms whose later questions depend on earlier answers.

    It holds the exact table, returns noisy measurements only, and answers each question once.
    """

    @abstractmethod
    def measured(self) -> Any:
        """Return all noisy measurements so far, on which `estimate` can be run again."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """The time spent on answers after `measure` returned, in seconds."""


@dataclass(frozen=True, kw_only=True)
class Mechanism(ABC):
    """One way to release a table. A mechanism is its own configuration: its fields are its options.

    Subclasses fill in the class attributes, and declare fields with `option`.

    Attributes:
        id: the id in files, addresses and commands.
        title, about: its title and description on pages and in commands.
        kinds: the kinds of table that it accepts.
        paper: the source of the algorithm.
        query: what is measured in a region, in words.
        sensitivity: the sensitivity of one level, if it is the same for all; see `sensitivities`.
        consistent: whether children always add up to their parent.
        valid: whether values are never negative.
        integral: whether values are always integers.
        is_suggested: whether a comparison includes it by default.
        is_tree_program: whether post-processing is the tree program alone, which finds the closest
            consistent non-negative integers (`solvers.tree_program`).
        largest_cells: the largest table that it accepts, in regions × columns or, for flows, in
            possible pairs of leaves; None for no limit.
        instead: the mechanism to use for larger tables, as the end of a message.
        not_for_release: why it can only be simulated, for a reason other than the properties
            above; see `reason_against_release`.

    Raises:
        ChoiceError: an option has a value that it does not accept.
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
        """Return the description of the mechanism."""
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
            not_for_release=cls.reason_against_release(),
            options=options_of_class(cls),
            is_suggested=cls.is_suggested,
        )

    @classmethod
    def reason_against_release(cls) -> str:
        """Return a sentence on why it can only be simulated; empty if it can release."""
        if not cls.consistent:
            return "Its numbers may not add up across levels."
        faults = {
            (True, False): "Its numbers may be fractional.",
            (False, True): "Its numbers may be negative.",
            (False, False): "Its numbers may be negative or fractional.",
        }
        return faults.get((cls.valid, cls.integral), cls.not_for_release)

    def plan(self, domain: Domain, *, budget: Budget, allocation: Allocation) -> Plan:
        """Return the plan for `budget`, divided over the levels, from public facts alone.

        Raises:
            ChoiceError: the table is larger than the mechanism accepts, or an option does not fit.
            BudgetError: the mechanism cannot spend this budget or use this allocation.
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
            not_protected=self.not_protected(domain),
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
        """Return the ρ or ε that the noise may spend, for (ε, δ) by the budget's accounting method.

        Raises:
            BudgetError: the mechanism cannot spend this budget or use this allocation.
        """
        return spending(budget, lambda spent: self.events_to_cover(domain, spent, allocation))

    def _require_fit(self, domain: Domain) -> None:
        areas, sizes = domain.tree.n_nodes, domain.n_columns
        cells, accepted = areas * sizes, "tables of up to {:,} counts"
        present = f"this one has {cells:,} ({counted(areas, 'area')} × {sizes:,} sizes)"
        if domain.destinations is not None:
            origins, destinations = domain.tree.n_leaves, domain.destinations.tree.n_leaves
            cells, accepted = origins * destinations, "up to {:,} possible pairs"
            present = (
                f"this table has {cells:,} ({counted(origins, 'origin')} × "
                f"{counted(destinations, 'destination')})"
            )
        elif domain.group is None:
            present = f"this one has {cells:,}"
        if self.largest_cells is not None and cells > self.largest_cells:
            limit = accepted.format(self.largest_cells)
            raise ChoiceError(f"{self.id} takes {limit}; {present}. Use {self.instead}.")

    def check_domain(self, domain: Domain) -> None:
        """Check that the options fit a domain.

        Raises:
            ChoiceError: an option does not fit.
        """
        return

    @property
    def neighbours(self) -> Neighbours:
        """The relation between neighbouring tables that the guarantee refers to."""
        return Neighbours.ADD_OR_REMOVE_ONE

    @property
    def change(self) -> Change:
        """What may differ between two neighbouring tables."""
        return Change(neighbours=self.neighbours)

    def worst_neighbours(self, budget: Budget) -> tuple[Pair, ...]:
        """Return pairs of neighbouring tables that reach the sensitivity of every measurement.

        For each event of the plan, the two tables of at least one pair differ by its full
        sensitivity. An audit of all pairs therefore covers all of the noise. All tables have
        the same levels.

        Args:
            budget: the budget, for mechanisms whose worst case depends on the amount of noise.

        Raises:
            ChoiceError: no such tables are known.
        """
        return usual_pairs(self.kinds[0], self.neighbours)

    def unit(self, domain: Domain) -> str:
        """Return the privacy unit, which is one record, in words."""
        return f"one {domain.person}"

    def qualification(self, domain: Domain) -> str:
        """Return which changes of one unit the guarantee covers, as text that follows the unit.

        It starts with a space or a comma, and is empty if all changes are covered.
        """
        return ""

    def not_protected(self, domain: Domain) -> str:
        """Return a sentence on what its neighbouring datasets leave out of the guarantee, or ""."""
        return ""

    @property
    def needs_region_groups(self) -> bool:
        """Whether the number of groups in every region is treated as public."""
        return False

    @property
    def needs_total(self) -> bool:
        """Whether the total number of records is treated as public."""
        return False

    def public_domain(self, table: Table | Domain) -> Domain:
        """Return the part of `table` that a plan may use: its domain, with public totals.

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
        """Return the part of `domain` that a plan may use; options may keep some of it private.

        Raises:
            ChoiceError: an option does not fit the domain.
        """
        return domain

    def levels(self, domain: Domain) -> tuple[str, ...]:
        """Return the names of the levels over which the budget is divided, from the root down."""
        return domain.regions.levels

    def level_tree(self, domain: Domain) -> FlowTree | RegionTree:
        """Return the tree whose levels `levels` names."""
        if domain.between_regions:
            return FlowTree.of(domain)
        return RegionTree(tree=domain.tree)

    def shared_levels(self, domain: Domain) -> tuple[str, ...]:
        """Return the levels that get a part of the budget; a public root gets none."""
        return self.levels(domain)

    def states_what_is_spent(self, domain: Domain) -> bool:
        """Return whether the privacy statement gives the cost of the noise, not the budget."""
        return self.published_sensitivities(domain) is not None

    def allocation(self, asked: Sequence[int] | None, domain: Domain) -> Allocation:
        """Return the requested allocation, or an equal one if none is requested.

        Raises:
            BudgetError: the mechanism cannot use this allocation.
        """
        return Allocation.of(asked, self.levels(domain))

    def events(self, domain: Domain, budget: Budget, allocation: Allocation) -> tuple[Event, ...]:
        """Return all measurements: one event for each level that gets a part of the budget.

        A mechanism that measures more adds events with level None and pays for them from the
        budget.

        Raises:
            BudgetError: the mechanism cannot spend this budget.
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
        """Return the events that a budget of ρ or ε is calibrated to.

        These are all measurements, unless the calibration of a paper or of its code is wrong: it
        may cover less than is measured, or more.

        Raises:
            BudgetError: the mechanism cannot spend this budget.
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
        """Return the sensitivity of the measurements at each level, from the root down."""
        return (self.sensitivity,) * len(self.levels(domain))

    def published_sensitivities(self, domain: Domain) -> tuple[Sensitivity, ...] | None:
        """Return the sensitivities of a wrong published calibration, if it is chosen; else None."""
        return None

    def invariants(self, domain: Domain) -> tuple[Invariant, ...]:
        """Return the facts that are published exactly or treated as public."""
        return (*_hierarchy_facts(domain), *_reading_facts(domain))

    @property
    def max_size(self) -> MaxSize:
        """The maximum group size: "public" for that of the table, an integer, or "noisy"."""
        return "public"

    @property
    def room_above(self) -> int:
        """The margin added to a measured maximum size, in sizes; 0 if it is not measured."""
        return 0

    def error_bounds(
        self, plan: Plan, *, n_noisy: Sequence[int] | None, beta: float
    ) -> tuple[float, ...] | None:
        """Return upper bounds on the errors of each level, each exceeded with probability ≤ `beta`.

        Args:
            plan: a plan of this mechanism.
            n_noisy: how many cells got noise at each level; None for all possible cells.
            beta: strictly between 0 and 1.

        Returns:
            one bound per level, in records, on the absolute errors of all its areas; None if no
            bound is proved.
        """
        return None

    def n_noisy_by_level(self, noisy: Any) -> tuple[int, ...] | None:
        """Return how many cells got noise at each level, if that depends on noise; else None."""
        return None

    def noisy_cumulative(self, noisy: Any, plan: Plan, node: int) -> NumberArray | None:
        """Return the noisy cumulative counts of one region: groups of at most each size.

        Returns:
            shape (n_sizes,), or None if something else was measured.
        """
        return None

    @property
    def merging(self) -> Literal["weighted", "mean"] | None:
        """How matched groups of two levels are merged; None if levels are not matched."""
        return None

    def level_estimates(self, noisy: Any, plan: Plan) -> list[Runs] | None:
        """Return the estimated groups of every level before they are made consistent, if any."""
        return None

    def measure(self, values: Any, plan: Plan, noise: NoiseSource) -> Any:
        """Return the answers to the query with noise, 0 for levels that are not measured.

        If later questions depend on earlier answers, return a `Questions` instead.

        Args:
            values: the content of the exact table: shape (n_nodes, ...), or `Pairs`.
            plan: gives the noise of each level.
            noise: the source of the noise.
        """
        answers = self.answer(values, plan.domain.tree)
        noisy = np.zeros_like(answers)
        for level, event in plan.by_level.items():
            nodes = plan.domain.tree.level(level)
            noisy[nodes] = answers[nodes] + noise.draw(event, answers[nodes].shape)
        return noisy

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        """Return the exact answers to the query: the values themselves, unless overridden.

        Returns:
            shape (n_nodes, ...), one row per region.
        """
        return values

    def released(self, blank: Table, values: Any, plan: Plan) -> Table:
        """Return the table to release: `blank` filled with `values`.

        Args:
            blank: `table.blank()` of the exact table: its regions and titles, and none of its
                numbers, so nothing confidential is in reach here.
            values: what `estimate` returned.
            plan: the plan from which they were computed.
        """
        return blank.with_values(values)

    @abstractmethod
    def estimate(self, noisy: Any, plan: Plan) -> Any:
        """Return the content of the table to release, from noisy answers and the plan alone."""


def _with_total(table: Table | Domain, id: str) -> Domain:
    domain = table if isinstance(table, Domain) else table.domain_with_total
    if domain.total is not None:
        return domain
    raise ChoiceError(
        f"{id} treats the total as public. Plan it from a table, or from a domain with a total."
    )


def _with_region_groups(table: Table | Domain, id: str) -> Domain:
    domain = table if isinstance(table, Domain) else table.domain_by_region
    if domain.region_groups is not None:
        return domain
    raise ChoiceError(
        f"{id} treats the number of groups in every area as public. Plan it from a table, "
        "or from a domain with these numbers."
    )


def _reading_facts(domain: Domain) -> tuple[Invariant, ...]:
    """Return the facts about reading the counts that were taken from the data."""
    facts = (Fact.COUNTS, Fact.ROUNDING)
    taken = [fact for fact in facts if fact in domain.taken_from_data]
    return tuple(Invariant(text=fact.value, taken_from_data=True) for fact in taken)


def _hierarchy_facts(domain: Domain) -> tuple[Invariant, ...]:
    taken = domain.taken_from_data
    regions, levels = Fact.REGIONS in taken, Fact.LEVELS in taken
    if regions == levels:
        return (Invariant(text="the list of areas and how they nest", taken_from_data=regions),)
    return (
        Invariant(text=Fact.REGIONS.value, taken_from_data=regions),
        Invariant(text=Fact.LEVELS.value, taken_from_data=levels),
    )
