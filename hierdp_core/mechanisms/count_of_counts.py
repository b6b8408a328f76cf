"""Count-of-counts: [B] Kuo, Cho, Kifer, Hay and Machanavajjhala 2018.

Every region's histogram is estimated by itself, each level by its own method; then the
groups of a parent are matched with those of its children and the two estimates of each
group's size are merged, from the root down. How many groups each region has is public.

A person who joins a group of size s makes one sorted size larger by one (H_g), takes one
group from "at most s" (H_c), or moves one group from size s to s + 1 (H).
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hierdp_core.arrays import IntArray
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.mechanisms.base import Option, Plan
from hierdp_core.mechanisms.group_sizes import GroupSizesMechanism
from hierdp_core.noise import NoiseSource
from hierdp_core.privacy import Event, Sensitivity, Shares
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.matching import match_top_down
from hierdp_core.solvers.median import median_isotonic_rows
from hierdp_core.solvers.pooling import Pools, pool_stream
from hierdp_core.solvers.runs import Runs, histograms_of, runs_of, runs_of_parents, sorted_runs
from hierdp_core.solvers.top_down import split_rows
from hierdp_core.tables import Domain

_PAPER = "[B] Kuo, Cho, Kifer, Hay and Machanavajjhala 2018"
_SENSITIVITY = {
    "hc": Sensitivity(l1=1, l2_squared=1),
    "hg": Sensitivity(l1=1, l2_squared=1),
    "naive": Sensitivity(l1=2, l2_squared=2),
}
METHODS = ("hc", "hg", "naive")
_GROUPS_AT_ONCE = 4_000_000

ISOTONIC = Option(
    name="isotonic",
    title="Making H_c rise",
    about="In absolute values (medians, the paper's choice) or in squares (means).",
    default="l1",
    choices=("l1", "l2"),
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
    sensitivity = _SENSITIVITY["hc"]
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
    )

    def check_options(self, options: Mapping[str, str], domain: Domain) -> None:
        methods_of(options, domain.tree.n_levels, self.id)

    def needs_region_groups(self, options: Mapping[str, str]) -> bool:
        return True

    def sensitivities(self, domain: Domain, options: Mapping[str, str]) -> tuple[Sensitivity, ...]:
        return tuple(_SENSITIVITY[m] for m in methods_of(options, domain.tree.n_levels, self.id))

    def invariants(self, domain: Domain, options: Mapping[str, str]) -> tuple[str, ...]:
        return (
            "the list of regions and how they nest",
            f"the number of {domain.group} in every region, {domain.groups:,} in all",
            f"the largest size, {domain.n_columns - 1}",
        )

    def answer(self, values: IntArray, tree: Hierarchy) -> IntArray:
        """The answers of the usual method, H_c of every region; its end is public."""
        return np.cumsum(values, axis=1)

    def measure(self, values: IntArray, plan: Plan, noise: NoiseSource) -> Any:
        """One entry a level: noisy rows, or for hg the pooled noisy sizes of each region.

        The sorted sizes of all groups, with noise, are never held at once: they are pooled
        as they are drawn, which sees nothing but the noisy sizes.
        """
        tree = plan.domain.tree
        methods = methods_of(dict(plan.options), tree.n_levels, self.id)
        events = plan.by_level
        return tuple(
            _measured(values[tree.level(k)], methods[k], events.get(k), noise)
            for k in range(tree.n_levels)
        )

    def estimate(self, noisy: Any, plan: Plan) -> IntArray:
        tree, n_sizes = plan.domain.tree, plan.domain.n_columns
        levels = self.estimates(noisy, plan)
        weighted = dict(plan.options).get("merge", "weighted") == "weighted"
        return match_top_down(tree, levels, n_sizes=n_sizes, weighted=weighted)

    def estimates(self, noisy: Any, plan: Plan) -> list[Runs]:
        """Every level's groups before they are made consistent."""
        tree, options = plan.domain.tree, dict(plan.options)
        methods = methods_of(options, tree.n_levels, self.id)
        groups = region_groups(plan.domain)
        levels: list[Runs | None] = [
            None
            if variance is None
            else _estimated(
                noisy[k],
                methods[k],
                groups[tree.level(k)],
                variance,
                n_sizes=plan.domain.n_columns,
                isotonic=options.get("isotonic", "l1"),
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
    query = "groups by size"
    sensitivity = _SENSITIVITY["naive"]
    options = (
        Option(
            name="methods",
            title="Method",
            about="Always plain numbers.",
            default="naive",
            choices=("naive",),
        ),
        *CountOfCounts.options[2:],
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
    )

    def shares(
        self, asked: Sequence[int] | None, domain: Domain, options: Mapping[str, str]
    ) -> Shares:
        levels = self.levels(domain, options)
        all_below = Shares.of([0] * (len(levels) - 1) + [1], levels)
        if asked is not None and any(Shares.of(asked, levels).weights[:-1]):
            raise BudgetError(
                f"{self.id} spends the whole budget on the last level, {levels[-1]}; leave the "
                "shares out, or give all others 0."
            )
        return all_below

    def estimate(self, noisy: Any, plan: Plan) -> IntArray:
        leaves = self.estimates(noisy, plan)[-1]
        return sum_up(plan.domain.tree, histograms_of(leaves, plan.domain.n_columns))


def methods_of(options: Mapping[str, str], n_levels: int, id: str) -> tuple[str, ...]:
    """The method of each level, from the root down.

    Raises:
        ChoiceError: their number is wrong, or one is unknown.
    """
    given = [part.strip() for part in options.get("methods", "hc").split(",")]
    unknown = [part for part in given if part not in METHODS]
    if unknown:
        raise ChoiceError(
            f'{id}: methods are {", ".join(METHODS)}; got "{unknown[0]}". Name one for all levels, '
            "or one for each from the root down, as in hg,hc,hc."
        )
    if len(given) not in (1, n_levels):
        raise ChoiceError(
            f"{id}: methods needs one word for all levels or one for each of {n_levels}, from the "
            f"root down; got {len(given)}."
        )
    return tuple(given * n_levels if len(given) == 1 else given)


def region_groups(domain: Domain) -> IntArray:
    """How many groups each region has; a plan for these mechanisms knows it."""
    assert domain.region_groups is not None
    return domain.region_groups


def _measured(values: IntArray, method: str, event: Event | None, noise: NoiseSource) -> Any:
    if event is None:
        return None
    if method == "naive":
        return values + noise.draw(event, values.shape)
    if method == "hc":
        # The end of each row is the public number of groups: it needs no noise.
        sums = np.cumsum(values, axis=1)[:, :-1]
        return sums + noise.draw(event, sums.shape)
    return [pool_stream(_noisy_sizes(row, event, noise)) for row in values]


def _noisy_sizes(row: IntArray, event: Event, noise: NoiseSource) -> Any:
    """The sizes of all groups in ascending order, with noise, a piece at a time."""
    ends = np.cumsum(row)
    total = int(ends[-1])
    for start in range(0, total, _GROUPS_AT_ONCE):
        stop = min(total, start + _GROUPS_AT_ONCE)
        inside = np.clip(ends, start, stop) - np.clip(ends - row, start, stop)
        sizes = np.repeat(np.arange(len(row)), inside)
        yield sizes + noise.draw(event, sizes.shape)


def _estimated(
    noisy: Any, method: str, groups: IntArray, variance: float, *, n_sizes: int, isotonic: str
) -> Runs:
    if method == "hg":
        return _runs_of_pools(noisy, variance, n_sizes)
    if method == "naive":
        found = split_rows(noisy, groups)
        each = variance
    else:
        if isotonic == "l1":
            rising = median_isotonic_rows(noisy, groups)
        else:
            means = np.clip(isotonic_rows(noisy.astype(np.float64)), 0, groups[:, None])
            rising = np.rint(means).astype(np.int64)
        found = np.diff(rising, axis=1, prepend=0, append=groups[:, None])
        each = 2 * variance  # a size's number is the difference of two noisy sums
    return runs_of(found, each / np.maximum(found, 1))


def _runs_of_pools(pools: list[Pools], variance: float, n_sizes: int) -> Runs:
    region = np.repeat(np.arange(len(pools)), [len(pool.mean) for pool in pools])
    mean = np.concatenate([pool.mean for pool in pools])
    count = np.concatenate([pool.count for pool in pools])
    size = np.clip(np.floor(mean + 0.5), 0, n_sizes - 1).astype(np.int64)
    return sorted_runs(region, len(pools), size, count, variance / count)
