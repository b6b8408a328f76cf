"""What every mechanism is made of: what to measure, how much noise, how it fits together.

The three are kept apart so that only `measure` ever sees a count: `query` says
what is measured and how far one record moves it, the events of a plan say the
noise, and `estimate` makes noisy answers fit together with nothing else in reach.
`released` fills a blank table, which has no count either.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms.neighbours import Pair, usual_pairs
from hierdp_core.noise import NoiseSource, variance
from hierdp_core.privacy import (
    Allocation,
    Budget,
    Event,
    Invariant,
    Neighbours,
    PrivacyStatement,
    Sensitivity,
    level_events,
    state_privacy,
)
from hierdp_core.solvers.tree_program import LEAST_VARIANCE, whole_weights
from hierdp_core.tables import Domain, Fact, Table
from hierdp_core.util.arrays import FloatArray, IntArray, frozen_array


@dataclass(frozen=True, kw_only=True)
class Option:
    """A choice a mechanism offers besides budget and shares.

    Attributes:
        name: in files and addresses.
        title, about: for people.
        default: its value where nothing is said.
        choices: the values it takes; empty for any word that `check_options` lets pass.
        when: another option and a word in its value that gives this one a meaning; None where
            it always has one.
    """

    name: str
    title: str
    about: str
    default: str
    choices: tuple[str, ...]
    when: tuple[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that is decided before a count is seen: what is measured, with how much noise.

    Attributes:
        mechanism: its id.
        domain: the public facts of the table.
        levels: the names of what the budget is shared over, from the root down: the levels of
            the hierarchy, or those of a tree over flows.
        budget, shares, options: what was asked for.
        events: all that will be released: one for each level that is measured, and with
            level None what is released beside them.
        privacy: what that costs.
    """

    mechanism: str
    domain: Domain
    levels: tuple[str, ...]
    budget: Budget
    allocation: Allocation
    options: tuple[tuple[str, str], ...]
    events: tuple[Event, ...]
    privacy: PrivacyStatement

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
    def weights(self) -> IntArray:
        """What each level weighs in a fit by whole numbers, shape (n_levels,).

        In proportion to 1/variance, within 1 part in 500; see `whole_weights`.
        """
        weights: IntArray = frozen_array(whole_weights(self.variances), np.int64)
        return weights

    @cached_property
    def precisions(self) -> FloatArray:
        """What each level weighs in a fit by fractions, shape (n_levels,): 1/variance.

        In units of the largest, so that they stay finite where the noise is nearly none: a
        variance below 1e-9 counts as that. 0 for a level that is not measured.
        """
        known = [None if v is None else max(v, LEAST_VARIANCE) for v in self.variances]
        least = min(v for v in known if v is not None)
        weights: FloatArray = frozen_array(
            np.array([0.0 if v is None else least / v for v in known]), np.float64
        )
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


class Mechanism(ABC):
    """One way to release a table. Subclasses fill in the class attributes.

    Attributes:
        query: what is measured in a region, in words.
        sensitivity: of the answers of any one level; see `sensitivities`.
        consistent: children always add up to their parent.
        valid: values are never negative and, if `integral`, whole.
        largest_cells: regions × columns of the largest table it takes, or possible pairs of
            leaves; None takes all.
        instead: what to use for a larger one.
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
    options: ClassVar[tuple[Option, ...]] = ()
    largest_cells: ClassVar[int | None] = None
    instead: ClassVar[str] = ""

    @classmethod
    def info(cls) -> MechanismInfo:
        return MechanismInfo(
            id=cls.id,
            title=cls.title,
            kinds=cls.kinds,
            about=cls.about,
            paper=cls.paper,
            neighbours=cls().neighbours(dict(checked_options(cls, None))),
            consistent=cls.consistent,
            valid=cls.valid,
            integral=cls.integral,
            largest_cells=cls.largest_cells,
            options=cls.options,
        )

    def plan(
        self,
        domain: Domain,
        *,
        budget: Budget,
        allocation: Allocation,
        options: tuple[tuple[str, str], ...] = (),
    ) -> Plan:
        """Spend exactly `budget`, level by level; sees public facts only.

        Raises:
            ChoiceError: the table is larger than the mechanism takes.
            BudgetError: budget or shares cannot be spent.
        """
        self._require_fit(domain)
        chosen = dict(options)
        self.check_options(chosen, domain)
        levels = self.levels(domain, chosen)
        events = self.events(domain, budget, allocation, chosen)
        privacy = state_privacy(
            events,
            budget=budget,
            allocation=allocation,
            levels=levels,
            neighbours=self.neighbours(chosen),
            unit=self.unit(domain, chosen),
            qualification=self.qualification(domain, chosen),
            invariants=self.invariants(domain, chosen),
            states_what_is_spent=self.states_what_is_spent(domain, chosen),
        )
        return Plan(
            mechanism=self.id,
            domain=domain,
            levels=levels,
            budget=budget,
            allocation=allocation,
            options=options,
            events=events,
            privacy=privacy,
        )

    def _require_fit(self, domain: Domain) -> None:
        if domain.destinations is None:
            sides = (domain.tree.n_nodes, domain.n_columns)
            words = "takes tables of up to {:,} numbers; this one has {:,} regions × {:,} sizes"
        else:
            sides = (domain.tree.n_leaves, domain.destinations.tree.n_leaves)
            words = "takes up to {:,} possible pairs; here are {:,} origins × {:,} destinations"
        cells = sides[0] * sides[1]
        if self.largest_cells is not None and cells > self.largest_cells:
            told = words.format(self.largest_cells, *sides)
            raise ChoiceError(f"{self.id} {told} = {cells:,}. Use {self.instead}.")

    def check_options(self, options: Mapping[str, str], domain: Domain) -> None:
        """Hold what cannot be said by a list of choices.

        Raises:
            ChoiceError: an option does not fit the domain.
        """
        return

    def neighbours(self, options: Mapping[str, str]) -> Neighbours:
        """The tables that are hard to tell apart."""
        return Neighbours.ADD_OR_REMOVE_ONE

    def worst_neighbours(self, options: Mapping[str, str], budget: Budget) -> tuple[Pair, ...]:
        """Neighbouring tables on which one change moves everything measured as far as it can.

        Each event of the plan is moved by its full sensitivity in at least one of them, so that
        an audit of all of them misses no part of the noise. They have the same levels.

        Args:
            options: every option with its value.
            budget: for a mechanism whose worst case hangs on the amount of noise.

        Raises:
            ChoiceError: an option is wrong, or the mechanism knows no such tables.
        """
        return usual_pairs(self.kinds[0], self.neighbours(options))

    def unit(self, domain: Domain, options: Mapping[str, str]) -> str:
        """The privacy unit in words: what one record is."""
        return f"one {domain.person}"

    def qualification(self, domain: Domain, options: Mapping[str, str]) -> str:
        """Which changes of one unit the guarantee covers, to be put after the unit.

        It starts with a space or a comma; empty where all changes are covered.
        """
        return ""

    def known(self, domain: Domain, options: Mapping[str, str]) -> Domain:
        """What a plan may know of `domain`: less where the options keep some of it private.

        Raises:
            ChoiceError: an option does not fit the domain.
        """
        return domain

    def needs_region_groups(self, options: Mapping[str, str]) -> bool:
        """Whether the number of groups of every region is taken as public."""
        return False

    def needs_total(self, options: Mapping[str, str]) -> bool:
        """Whether the number of all records together is taken as public."""
        return False

    def levels(self, domain: Domain, options: Mapping[str, str]) -> tuple[str, ...]:
        """The names of what the budget is shared over, from the root down."""
        return domain.regions.levels

    def shared_levels(self, domain: Domain, options: Mapping[str, str]) -> tuple[str, ...]:
        """The levels that take a share; the root does not where it is public."""
        return self.levels(domain, options)

    def states_what_is_spent(self, domain: Domain, options: Mapping[str, str]) -> bool:
        """Whether the statement says what the noise costs, and not the budget asked for."""
        return self.published_sensitivities(domain, options) is not None

    def allocation(
        self, asked: Sequence[int] | None, domain: Domain, options: Mapping[str, str]
    ) -> Allocation:
        """The shares to spend: those asked for, else even ones.

        Raises:
            BudgetError: the mechanism cannot spend them so.
        """
        return Allocation.of(asked, self.levels(domain, options))

    def events(
        self, domain: Domain, budget: Budget, allocation: Allocation, options: Mapping[str, str]
    ) -> tuple[Event, ...]:
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
            levels=self.levels(domain, options),
            sensitivities=self.sensitivities(domain, options),
            calibrate_to=self.published_sensitivities(domain, options),
        )

    def sensitivities(self, domain: Domain, options: Mapping[str, str]) -> tuple[Sensitivity, ...]:
        """How far one record moves the answers of each level, from the root down."""
        return (self.sensitivity,) * len(self.levels(domain, options))

    def published_sensitivities(
        self, domain: Domain, options: Mapping[str, str]
    ) -> tuple[Sensitivity, ...] | None:
        """What a paper calibrates to where that is too little and is asked for; else None."""
        return None

    def invariants(self, domain: Domain, options: Mapping[str, str]) -> tuple[Invariant, ...]:
        """What is published exactly or treated as public, and what of it came from the data."""
        return _hierarchy_facts(domain)

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


def _hierarchy_facts(domain: Domain) -> tuple[Invariant, ...]:
    taken = domain.taken_from_data
    regions, levels = Fact.REGIONS in taken, Fact.LEVELS in taken
    if regions == levels:
        return (Invariant(text="the list of regions and how they nest", taken_from_data=regions),)
    return (
        Invariant(text=Fact.REGIONS.value, taken_from_data=regions),
        Invariant(text=Fact.LEVELS.value, taken_from_data=levels),
    )


def checked_options(
    mechanism: type[Mechanism], given: dict[str, Any] | None
) -> tuple[tuple[str, str], ...]:
    """Every option of `mechanism` with its value, in the order of its list.

    A list of words is the same as the words with commas between.

    Raises:
        ChoiceError: an option or a value is not known.
    """
    chosen = {option.name: option.default for option in mechanism.options}
    for name, value in (given or {}).items():
        option = next((o for o in mechanism.options if o.name == name), None)
        if option is None:
            known = ", ".join(chosen) or "none"
            raise ChoiceError(
                f'{mechanism.id} has no option "{name}"; the options it has: {known}.'
            )
        said = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if option.choices and said not in option.choices:
            raise ChoiceError(
                f'{mechanism.id}: option {name} takes {", ".join(option.choices)}; got "{said}".'
            )
        chosen[name] = said
    return tuple(chosen.items())
