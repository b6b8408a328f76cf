"""Count-of-counts: [B] Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018.

The histogram of every region is estimated separately, each level by its own method. From the root
down, the groups of a parent are then matched with those of its children, and the two estimates of
the size of each group are merged. The number of groups of each region is public unless it is
measured too (`private_totals`). The same holds for the maximum size (`size_cap`).

A person who joins a group of size s changes the three forms of the histogram as follows. One
sorted size increases by one (H_g). The number of groups of at most size s decreases by one (H_c).
One group moves from size s to s + 1 (H).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from hierdp_core.exceptions import BudgetError
from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.mechanisms import private_totals, size_cap
from hierdp_core.mechanisms.base import MaxSize, Mechanism, Plan
from hierdp_core.mechanisms.group_sizes import (
    GroupSizesMechanism,
    group_facts,
    groups_in_words,
    max_size_fact,
)
from hierdp_core.mechanisms.level_answers import (
    SENSITIVITY,
    Measured,
    Method,
    estimated_level,
    groups_of,
    measured_level,
    methods_of,
    require_methods,
)
from hierdp_core.mechanisms.neighbours import (
    Change,
    Pair,
    come,
    joined,
    one_more_in_a_group,
    running_example,
    with_empty_groups,
)
from hierdp_core.mechanisms.options import list_of_words, option
from hierdp_core.mechanisms.private_totals import Totals
from hierdp_core.noise import NoiseSource
from hierdp_core.privacy import (
    Allocation,
    Budget,
    Event,
    FactSource,
    Invariant,
    Sensitivity,
    Spending,
)
from hierdp_core.solvers.matching import match_top_down
from hierdp_core.solvers.runs import Runs, histograms_of, runs_of_parents
from hierdp_core.tables import Domain, GroupSizes, Table
from hierdp_core.tables.top_coding import top_coded
from hierdp_core.util.arrays import IntArray, NumberArray

_PAPER = "[B] Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018"
Isotonic = Literal["l1", "l2"]
Merge = Literal["weighted", "mean"]


def isotonic_option() -> Any:
    """Return the field for how noisy cumulative counts are made non-decreasing."""
    return option(
        "l1",
        title="Isotonic regression",
        about=(
            "How noisy cumulative counts are made non-decreasing. l1: with the least absolute "
            "change (medians, as in the paper). l2: with the least squared change (means)."
        ),
        choices=("l1", "l2"),
        when=("methods", "hc"),
    )


def merge_option() -> Any:
    """Return the field for how the sizes of matched groups are merged."""
    return option(
        "weighted",
        title="Combining matched sizes",
        about=(
            "weighted: the mean of the two estimates, weighted by inverse variance. mean: their "
            "simple mean."
        ),
        choices=("weighted", "mean"),
    )


class CountOfCountsMechanism(GroupSizesMechanism):
    """The base of the mechanisms of [B]. Each declares the options that it offers."""

    paper = f"{_PAPER}, Algorithm 1"
    query = "groups of at most each size, or sizes in order"
    private_query: ClassVar[str] = "groups above each size, or sizes in order"
    sensitivity = SENSITIVITY["hc"]
    consistent = valid = integral = True

    methods: tuple[Method, ...]
    isotonic: Isotonic = "l1"
    hg_variance: Literal["pools", "bound"] = "pools"
    totals: Totals
    totals_share: Fraction
    max_size: MaxSize
    max_size_epsilon: Fraction

    def __post_init__(self) -> None:
        if isinstance(self.methods, str):
            object.__setattr__(self, "methods", list_of_words(self.methods))
        object.__setattr__(self, "methods", tuple(self.methods))
        require_methods(self.methods, self.id)
        super().__post_init__()
        object.__setattr__(self, "totals_share", private_totals.checked_share(self.totals_share))
        size_cap.require_max_size(self.max_size, self.id)
        epsilon = size_cap.checked_epsilon(self.max_size_epsilon)
        object.__setattr__(self, "max_size_epsilon", epsilon)

    def check_domain(self, domain: Domain) -> None:
        self.level_methods(domain.tree.n_levels)

    def level_methods(self, n_levels: int) -> tuple[Method, ...]:
        """Return the method of each level, from the root down.

        Raises:
            ChoiceError: there is neither one method for all levels nor one for each.
        """
        return methods_of(self.methods, n_levels, self.id)

    @property
    def totals_are_private(self) -> bool:
        """Whether the numbers of groups are measured, not treated as public."""
        return self.totals == "private"

    @property
    def change(self) -> Change:
        return Change(neighbours=self.neighbours, groups_come=self.totals_are_private)

    @property
    def room_above(self) -> int:
        return size_cap.room_above(self.max_size_epsilon) if self.max_size == "noisy" else 0

    @property
    def needs_region_groups(self) -> bool:
        return not self.totals_are_private

    def known(self, domain: Domain) -> Domain:
        if self.totals_are_private:
            domain = replace(domain, groups=None, region_groups=None)
        return size_cap.capped_domain(domain, self.max_size, self.max_size_epsilon, self.id)

    def spending(self, domain: Domain, budget: Budget, allocation: Allocation) -> Spending:
        if self.max_size == "noisy":
            size_cap.require_affordable(self.max_size_epsilon, budget)
        return super().spending(domain, budget, allocation)

    def events(self, domain: Domain, budget: Budget, allocation: Allocation) -> tuple[Event, ...]:
        beside: tuple[Event, ...] = ()
        if self.max_size == "noisy":
            beside += (size_cap.cap_event(self.max_size_epsilon),)
            budget = budget.less(self.max_size_epsilon)
        if self.totals_are_private:
            part = self.totals_share
            levels = self.levels(domain)
            totals = budget.times(part)
            beside += private_totals.totals_events(domain, totals, allocation, levels)
            budget = budget.times(1 - part)
        events = super().events(domain, budget, allocation)
        if self.totals_are_private:
            above = self.private_query
            events = tuple(replace(e, query=e.query.replace(self.query, above)) for e in events)
        return events + beside

    def worst_neighbours(self, budget: Budget) -> tuple[Pair, ...]:
        if not self.totals_are_private:
            return (self._someone_joins(),)
        # No change moves the totals and two sizes at once: a group that is added has one size.
        own = come(
            running_example(),
            0,
            1,
            id="own-group",
            title="A person with a household of their own is added",
        )
        empty = come(
            running_example(), 1, 0, id="empty-group", title="An empty housing unit is added"
        )
        return (self._someone_joins(), own, empty)

    def _someone_joins(self) -> Pair:
        """Return a pair with one more member in a group: in a largest one if its size is measured.

        With a maximum size of 1, the group is empty before.
        """
        if self.max_size == "noisy":
            title = "Someone joins the household of three in New York, one of the largest"
            return joined(running_example(), 1, 3, id="grows", title=title)
        if self.max_size == 1:
            title = "One person is added to South, in one of its two empty housing units"
            return joined(with_empty_groups(), 1, 0, id="moves-in", title=title)
        return one_more_in_a_group()[0]

    def qualification(self, domain: Domain) -> str:
        if not self.totals_are_private:
            return super().qualification(domain)
        alone = ", with or without a group of their own"
        return f"{alone}, or one empty group" if domain.empty_groups else alone

    def not_protected(self, domain: Domain) -> str:
        return "" if self.totals_are_private else super().not_protected(domain)

    def sensitivities(self, domain: Domain) -> tuple[Sensitivity, ...]:
        return tuple(SENSITIVITY[m] for m in self.level_methods(domain.tree.n_levels))

    def invariants(self, domain: Domain) -> tuple[Invariant, ...]:
        public = list(Mechanism.invariants(self, domain))
        if not self.totals_are_private:
            groups = groups_in_words(domain)
            counted = f"the number of {groups} in every area, {domain.groups:,} in all"
            public.append(Invariant(text=counted, source=FactSource.FROM_TABLE))
        public += group_facts(domain)
        if self.max_size == "public":
            public.append(max_size_fact(domain))
        elif self.max_size != "noisy":
            largest = f"{domain.n_columns - 1:,}"
            text = f"that groups above size {largest} count as groups of size {largest}"
            public.append(Invariant(text=text))
        return tuple(public)

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        """Return the exact answers of the default method: H_c of every region, with the total."""
        return np.cumsum(values, axis=1)

    def measure(self, values: IntArray, plan: Plan, noise: NoiseSource) -> Measured:
        """Measure the largest size, the totals and each level, as options and plan require.

        For hg, noisy sizes are pooled piece by piece, so that a large table fits into memory. This
        uses nothing but the noisy sizes.
        """
        tree = plan.domain.tree
        methods, events = self.level_methods(tree.n_levels), plan.by_level
        largest = plan.domain.n_columns - 1
        if self.max_size == "noisy":
            largest = size_cap.noisy_cap(values, plan.beside[0], noise)
            size_cap.require_room_for(plan.domain, largest, self.id)
        values = top_coded(values, largest)
        totals = None
        if self.totals_are_private:
            totals = private_totals.noisy_totals(values, plan, noise)
        lengths = None
        if totals is not None and "hg" in methods:
            # The noisy totals, which are safe to use, determine how many sizes are measured.
            lengths = private_totals.consistent_totals(totals, plan)
        return Measured(
            levels=tuple(
                None
                if k not in events
                else measured_level(
                    values[tree.level(k)],
                    methods[k],
                    events[k],
                    noise,
                    private=totals is not None,
                    lengths=None if lengths is None else lengths[tree.level(k)],
                )
                for k in range(tree.n_levels)
            ),
            largest=largest,
            totals=totals,
        )

    def noisy_cumulative(self, noisy: Measured, plan: Plan, node: int) -> NumberArray | None:
        tree = plan.domain.tree
        level = int(tree.level_of[node])
        if self.level_methods(tree.n_levels)[level] != "hc":
            return None
        sums = noisy.levels[level][node - tree.level(level).start]
        groups = groups_of(noisy, plan)[node]
        if noisy.totals is not None:
            sums = groups - sums
        # The last entry is the public or the estimated total, without noise of its own.
        return np.append(sums, groups)

    def released(self, blank: Table, values: IntArray, plan: Plan) -> GroupSizes:
        assert isinstance(blank, GroupSizes)
        # A chosen or measured cap always counts as top-coding, so the flag reveals nothing.
        top_codes = blank.top_coded or self.max_size != "public"
        return replace(blank, values=values, top_coded=top_codes)

    def level_estimates(self, noisy: Measured, plan: Plan) -> list[Runs]:
        tree, groups = plan.domain.tree, groups_of(noisy, plan)
        methods = self.level_methods(tree.n_levels)
        levels: list[Runs | None] = [
            None
            if variance is None
            else estimated_level(
                noisy.levels[k],
                methods[k],
                groups[tree.level(k)],
                variance,
                n_sizes=noisy.largest + 1,
                isotonic=self.isotonic,
                by_pool=self.hg_variance == "pools",
                private=noisy.totals is not None,
                empty_groups=plan.domain.empty_groups,
            )
            for k, variance in enumerate(plan.variances)
        ]
        # A level that is not measured gets the groups of its children.
        found = levels[-1]
        assert found is not None
        for k in reversed(range(tree.n_levels - 1)):
            known = levels[k]
            found = runs_of_parents(tree, k, found) if known is None else known
            levels[k] = found
        return [runs for runs in levels if runs is not None]


class Matched(CountOfCountsMechanism):
    """The groups of each level are matched with those of the next and merged."""

    merge: Merge

    @property
    def merging(self) -> Merge:
        return self.merge

    def estimate(self, noisy: Measured, plan: Plan) -> IntArray:
        levels, weighted = self.level_estimates(noisy, plan), self.merge == "weighted"
        return match_top_down(
            plan.domain.tree, levels, n_sizes=noisy.largest + 1, weighted=weighted
        )


@dataclass(frozen=True, kw_only=True)
class CountOfCounts(Matched):
    """Each level estimated by its own method, then matched groups merged from the root down."""

    id = "coc"
    title = "Count-of-counts, matched"
    about = (
        "Estimates the sizes in every area from noisy cumulative counts (or sorted sizes). Then "
        "matches the groups of each area with those of its sub-areas and combines their sizes by "
        "inverse variance. Unless totals are private, the number of groups in every "
        "area is public and stays exact."
    )
    is_suggested = True

    methods: tuple[Method, ...] = option(
        ("hc",),
        title="Method at each level",
        about=(
            "From the root down: hc (cumulative counts), hg (sorted sizes) or naive (counts by "
            "size). One for all levels or one for each, such as hg,hc,hc."
        ),
        read=list_of_words,
        write=",".join,
        per_level=True,
    )
    isotonic: Isotonic = isotonic_option()
    merge: Merge = merge_option()
    hg_variance: Literal["pools", "bound"] = option(
        "pools",
        name="hg-variance",
        title="Variance of sorted sizes",
        about=(
            "The variance that is assumed for an estimated size when estimates are combined. "
            "pools: as in the paper. It falls with the number of groups that share the estimate, "
            "and is far too low where the true sizes of these groups differ. bound: that of one "
            "noisy size. On average, the actual variance is no larger."
        ),
        choices=("pools", "bound"),
        when=("methods", "hg"),
    )
    totals: Totals = private_totals.totals_option()
    totals_share: Fraction = private_totals.totals_share_option()
    max_size: MaxSize = size_cap.max_size_option()
    max_size_epsilon: Fraction = size_cap.max_size_epsilon_option()


@dataclass(frozen=True, kw_only=True)
class CountOfCountsNaive(Matched):
    """The simplest method: noise on the histogram itself."""

    id = "coc-naive"
    title = "Count-of-counts, naive"
    about = (
        "Adds noise to the number of groups of every size in every area, takes the closest "
        "non-negative integers, then matches groups as coc does. If the numbers are added up over "
        "sizes, their errors add up. For comparison."
    )
    paper = f"{_PAPER}, Section 4.1"
    query = private_query = "groups by size"
    sensitivity = SENSITIVITY["naive"]
    not_for_release = "It is for comparison: its errors accumulate along the sizes."

    methods: tuple[Method, ...] = option(
        ("naive",), title="Method", about="Always counts by size.", choices={"naive": ("naive",)}
    )
    merge: Merge = merge_option()
    totals: Totals = private_totals.totals_option()
    totals_share: Fraction = private_totals.totals_share_option()
    max_size: MaxSize = size_cap.max_size_option()
    max_size_epsilon: Fraction = size_cap.max_size_epsilon_option()

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        return values


@dataclass(frozen=True, kw_only=True)
class CountOfCountsBottomUp(CountOfCountsMechanism):
    """The whole budget on the leaves; all levels above are sums of leaves."""

    id = "coc-bottom-up"
    not_for_release = "It is for comparison: its errors grow with every level above the last."
    title = "Count-of-counts, bottom-up"
    about = (
        "Measures only the last level. The numbers of all other levels are sums. Errors grow with "
        "every level above, because the errors of all sub-areas add up. For comparison."
    )
    paper = f"{_PAPER}, Section 6.2.2"

    methods: tuple[Method, ...] = option(
        ("hc",),
        title="Method at the last level",
        about="hc: cumulative counts. hg: sorted sizes.",
        choices={"hc": ("hc",), "hg": ("hg",)},
    )
    isotonic: Isotonic = isotonic_option()
    totals: Totals = private_totals.totals_option()
    totals_share: Fraction = private_totals.totals_share_option()
    max_size: MaxSize = size_cap.max_size_option()
    max_size_epsilon: Fraction = size_cap.max_size_epsilon_option()

    def allocation(self, asked: Sequence[int] | None, domain: Domain) -> Allocation:
        levels = self.levels(domain)
        all_below = Allocation.of([0] * (len(levels) - 1) + [1], levels)
        if asked is not None and any(Allocation.of(asked, levels).weights[:-1]):
            raise BudgetError(
                f"{self.id} spends the whole budget on the last level, {levels[-1]}. Leave the "
                "allocation out, or give all other levels 0."
            )
        return all_below

    def estimate(self, noisy: Measured, plan: Plan) -> IntArray:
        leaves = self.level_estimates(noisy, plan)[-1]
        return sum_up(plan.domain.tree, histograms_of(leaves, noisy.largest + 1))
