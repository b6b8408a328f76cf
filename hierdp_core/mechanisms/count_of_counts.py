"""Count-of-counts: [B] Kuo, Cho, Kifer, Hay and Machanavajjhala 2018.

Every region's histogram is estimated by itself, each level by its own method; then the
groups of a parent are matched with those of its children and the two estimates of each
group's size are merged, from the root down. How many groups each region has is public
unless that is measured too (`private_totals`), and so is the largest size (`size_cap`).

A person who joins a group of size s makes one sorted size larger by one (H_g), takes one
group from "at most s" (H_c), or moves one group from size s to s + 1 (H).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from hierdp_core.exceptions import BudgetError
from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.mechanisms import private_totals, size_cap
from hierdp_core.mechanisms.base import Mechanism, Option, Plan
from hierdp_core.mechanisms.group_sizes import (
    GroupSizesMechanism,
    group_facts,
    max_size_fact,
)
from hierdp_core.mechanisms.level_answers import (
    SENSITIVITY,
    Measured,
    estimated_level,
    groups_of,
    measured_level,
    methods_of,
)
from hierdp_core.mechanisms.neighbours import (
    Pair,
    come,
    joined,
    one_more_in_a_group,
    running_example,
    with_empty_groups,
)
from hierdp_core.noise import NoiseSource
from hierdp_core.privacy import Allocation, Budget, Event, Invariant, Sensitivity
from hierdp_core.solvers.matching import match_top_down
from hierdp_core.solvers.runs import Runs, histograms_of, runs_of_parents
from hierdp_core.tables import Domain, GroupSizes, Table
from hierdp_core.tables.top_coding import top_coded
from hierdp_core.util.arrays import IntArray

_PAPER = "[B] Kuo, Cho, Kifer, Hay and Machanavajjhala 2018"
ISOTONIC = Option(
    name="isotonic",
    title="Making cumulative numbers rise",
    about="In absolute values (medians, the paper's choice) or in squares (means).",
    default="l1",
    choices=("l1", "l2"),
)


# What may be private besides the sizes, each for a part of the budget.
PRIVATE = (
    private_totals.TOTALS,
    private_totals.TOTALS_SHARE,
    size_cap.CAP,
    size_cap.CAP_EPSILON,
)


class CountOfCounts(GroupSizesMechanism):
    """Each level by its own method, then matched groups merged from the root down."""

    id = "coc"
    title = "Count-of-counts, matched"
    about = (
        "Estimates every region's sizes from noisy cumulative numbers (or sorted sizes), then "
        "matches the groups of each region with those of its parts and merges their sizes by how "
        "sure they are. How many groups every region has is public and stays exact."
    )
    paper = f"{_PAPER}, Algorithm 1"
    query = "groups of at most each size, or sizes in order"
    private_query = "groups above each size, or sizes in order"
    sensitivity = SENSITIVITY["hc"]
    consistent = valid = integral = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            name="methods",
            title="Method of each level",
            about=(
                "From the root down: hc (cumulative numbers), hg (sizes in order) or naive (plain "
                "numbers), one for all or one for each level, as in hg,hc,hc."
            ),
            default="hc",
            choices=(),
        ),
        ISOTONIC,
        Option(
            name="merge",
            title="Merging matched sizes",
            about="By inverse variances, or the plain mean of the two.",
            default="weighted",
            choices=("weighted", "mean"),
        ),
        Option(
            name="hg-variance",
            title="How sure sizes in order are",
            about=(
                "For merging. pools: the more groups share a size, the surer, as in the paper; far "
                "too sure where sizes are few and far between. bound: as sure as one noisy size, "
                "which holds on average for all of them together."
            ),
            default="pools",
            choices=("pools", "bound"),
            when=("methods", "hg"),
        ),
        *PRIVATE,
    )

    def check_options(self, options: Mapping[str, str], domain: Domain) -> None:
        methods_of(options, domain.tree.n_levels, self.id)

    def needs_region_groups(self, options: Mapping[str, str]) -> bool:
        return not private_totals.are_private(options)

    def known(self, domain: Domain, options: Mapping[str, str]) -> Domain:
        if private_totals.are_private(options):
            domain = replace(domain, groups=None, region_groups=None)
        return size_cap.capped_domain(domain, options, self.id)

    def events(
        self, domain: Domain, budget: Budget, allocation: Allocation, options: Mapping[str, str]
    ) -> tuple[Event, ...]:
        beside: tuple[Event, ...] = ()
        if size_cap.is_noisy(options):
            beside += (size_cap.cap_event(options),)
            budget = budget.less(size_cap.cap_epsilon(options))
        part = private_totals.totals_share(options)
        if part:
            levels = self.levels(domain, options)
            totals = budget.times(part)
            beside += private_totals.totals_events(domain, totals, allocation, levels)
            budget = budget.times(1 - part)
        events = super().events(domain, budget, allocation, options)
        if part:
            above = self.private_query
            events = tuple(replace(e, query=e.query.replace(self.query, above)) for e in events)
        return events + beside

    def worst_neighbours(self, options: Mapping[str, str], budget: Budget) -> tuple[Pair, ...]:
        if not private_totals.are_private(options):
            return (self._someone_joins(options),)
        # Nothing moves both the totals and two sizes at once: a group that comes has one size.
        own = come(
            running_example(), 0, 1, id="own-group", title="Someone comes with a unit of their own"
        )
        empty = come(running_example(), 1, 0, id="empty-group", title="An empty unit comes")
        return (self._someone_joins(options), own, empty)

    def _someone_joins(self, options: Mapping[str, str]) -> Pair:
        """The largest group grows where its size is measured; else one below a chosen cap."""
        if size_cap.is_noisy(options):
            title = "The household of three in New York, one of the largest, has a fourth member"
            return joined(running_example(), 1, 3, id="grows", title=title)
        if not size_cap.is_public(options) and size_cap.chosen_cap(options, self.id) == 1:
            title = "The first person moves to South: two empty units"
            return joined(with_empty_groups(), 1, 0, id="moves-in", title=title)
        return one_more_in_a_group()[0]

    def qualification(self, domain: Domain, options: Mapping[str, str]) -> str:
        if not private_totals.are_private(options):
            return super().qualification(domain, options)
        return ", with or without a group of their own, or one empty group"

    def sensitivities(self, domain: Domain, options: Mapping[str, str]) -> tuple[Sensitivity, ...]:
        return tuple(SENSITIVITY[m] for m in methods_of(options, domain.tree.n_levels, self.id))

    def invariants(self, domain: Domain, options: Mapping[str, str]) -> tuple[Invariant, ...]:
        public = list(Mechanism.invariants(self, domain, options))
        if not private_totals.are_private(options):
            counted = f"the number of {domain.group} in every region, {domain.groups:,} in all"
            public += [Invariant(text=counted), *group_facts(domain)]
        if size_cap.is_public(options):
            public.append(max_size_fact(domain))
        elif not size_cap.is_noisy(options):
            public.append(
                Invariant(text=f"that sizes above {domain.n_columns - 1:,} are put at it")
            )
        return tuple(public)

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        """The answers of the usual method, H_c of every region; its end is public."""
        return np.cumsum(values, axis=1)

    def measure(self, values: IntArray, plan: Plan, noise: NoiseSource) -> Measured:
        """The largest size, the totals, then each level, as far as they are measured.

        The sorted sizes of all groups, with noise, are never held at once: they are pooled
        as they are drawn, which sees nothing but the noisy sizes.
        """
        tree, options = plan.domain.tree, dict(plan.options)
        methods, events = methods_of(options, tree.n_levels, self.id), plan.by_level
        largest = plan.domain.n_columns - 1
        if size_cap.is_noisy(options):
            largest = size_cap.noisy_cap(values, plan.beside[0], noise)
            size_cap.require_room_for(plan.domain, largest, self.id)
        values = top_coded(values, largest)
        totals = private_totals.noisy_totals(values, plan, noise)
        lengths = None
        if totals is not None and "hg" in methods:
            # So many sizes in order as the noisy totals say, which hold no secret any more.
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

    def estimate(self, noisy: Measured, plan: Plan) -> IntArray:
        levels = self.estimates(noisy, plan)
        weighted = dict(plan.options).get("merge", "weighted") == "weighted"
        return match_top_down(
            plan.domain.tree, levels, n_sizes=noisy.largest + 1, weighted=weighted
        )

    def released(self, blank: Table, values: IntArray, plan: Plan) -> GroupSizes:
        assert isinstance(blank, GroupSizes)
        # Chosen and measured caps top-code whatever the data are; saying so tells nothing.
        top_codes = blank.top_coded or not size_cap.is_public(dict(plan.options))
        return replace(blank, values=values, top_coded=top_codes)

    def estimates(self, noisy: Measured, plan: Plan) -> list[Runs]:
        """Every level's groups before they are made consistent."""
        tree, options = plan.domain.tree, dict(plan.options)
        methods = methods_of(options, tree.n_levels, self.id)
        groups = groups_of(noisy, plan)
        levels: list[Runs | None] = [
            None
            if variance is None
            else estimated_level(
                noisy.levels[k],
                methods[k],
                groups[tree.level(k)],
                variance,
                n_sizes=noisy.largest + 1,
                isotonic=options.get("isotonic", "l1"),
                by_pool=options.get("hg-variance", "pools") == "pools",
                private=noisy.totals is not None,
            )
            for k, variance in enumerate(plan.variances)
        ]
        # A level that is not measured has what its children have.
        found = levels[-1]
        assert found is not None
        for k in reversed(range(tree.n_levels - 1)):
            known = levels[k]
            found = runs_of_parents(tree, k, found) if known is None else known
            levels[k] = found
        return [runs for runs in levels if runs is not None]


class CountOfCountsNaive(CountOfCounts):
    """The first idea: noise on the histogram itself."""

    id = "coc-naive"
    title = "Count-of-counts, naive"
    about = (
        "Adds noise to the number of groups of every size and takes the nearest histogram, then "
        "matches as the others do. Errors pile up along the sizes; for comparison."
    )
    paper = f"{_PAPER}, Section 4.1"
    query = private_query = "groups by size"
    sensitivity = SENSITIVITY["naive"]
    options = (
        Option(
            name="methods",
            title="Method",
            about="Always plain numbers.",
            default="naive",
            choices=("naive",),
        ),
        CountOfCounts.options[2],
        *PRIVATE,
    )

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        return values


class CountOfCountsBottomUp(CountOfCounts):
    """The whole budget on the leaves; everything above is their sum."""

    id = "coc-bottom-up"
    title = "Count-of-counts, bottom-up"
    about = (
        "Spends the whole budget on the last level and adds up: best there, and worse with every "
        "level above, since the errors of all parts meet."
    )
    paper = f"{_PAPER}, Section 6.2.2"
    options = (
        Option(
            name="methods",
            title="Method of the last level",
            about="hc: cumulative numbers; hg: sizes in order.",
            default="hc",
            choices=("hc", "hg"),
        ),
        ISOTONIC,
        *PRIVATE,
    )

    def allocation(
        self, asked: Sequence[int] | None, domain: Domain, options: Mapping[str, str]
    ) -> Allocation:
        levels = self.levels(domain, options)
        all_below = Allocation.of([0] * (len(levels) - 1) + [1], levels)
        if asked is not None and any(Allocation.of(asked, levels).weights[:-1]):
            raise BudgetError(
                f"{self.id} spends the whole budget on the last level, {levels[-1]}; leave the "
                "shares out, or give all others 0."
            )
        return all_below

    def estimate(self, noisy: Measured, plan: Plan) -> IntArray:
        leaves = self.estimates(noisy, plan)[-1]
        return sum_up(plan.domain.tree, histograms_of(leaves, noisy.largest + 1))
