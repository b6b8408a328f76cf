"""The measurements of count-of-counts at one level, and the estimates of groups from them.

Each level has its own method. hc measures the numbers of groups of at most each size, or of those
above each size if totals are private. hg measures the sizes of all groups in ascending order, and
naive the numbers of groups by size. Source: [B] Kuo, Chiu, Kifer, Hay and Machanavajjhala 2018,
Section 4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import private_totals
from hierdp_core.mechanisms.base import Plan
from hierdp_core.mechanisms.group_sizes import with_no_empty_groups
from hierdp_core.noise import Cells, NoiseSource
from hierdp_core.privacy import Event, Sensitivity
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.median import median_isotonic_rows
from hierdp_core.solvers.pooling import Pools, pool_stream
from hierdp_core.solvers.runs import Runs, runs_of, sorted_runs
from hierdp_core.solvers.top_down import split_rows
from hierdp_core.util.arrays import IntArray

SENSITIVITY = {
    "hc": Sensitivity(l1=1, l2_squared=1),
    "hg": Sensitivity(l1=1, l2_squared=1),
    "naive": Sensitivity(l1=2, l2_squared=2),
}
Method = Literal["hc", "hg", "naive"]
METHODS: tuple[Method, ...] = ("hc", "hg", "naive")
_GROUPS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Measured:
    """All noisy measurements of a table.

    Attributes:
        levels: one entry per level, None for a level that is not measured. For hc, the noisy
            numbers of groups of at most each size, shape (n_regions, largest), or of groups above
            each size if totals are private. For naive, the noisy numbers of groups by size, from
            size 1 on if totals are private. For hg, one `Pools` per region.
        largest: the last size, K.
        totals: noisy numbers of groups, shape (n_nodes,); None if they are public.
    """

    levels: tuple[Any, ...]
    largest: int
    totals: IntArray | None = None


def require_methods(methods: Sequence[str], id: str) -> None:
    """Check that all methods are known.

    Raises:
        ChoiceError: a method is unknown.
    """
    unknown = [method for method in methods if method not in METHODS]
    if unknown:
        raise ChoiceError(
            f'{id}: methods are {", ".join(METHODS)}; got "{unknown[0]}". Name one for all levels, '
            "or one for each from the root down, as in hg,hc,hc."
        )


def methods_of(methods: Sequence[Method], n_levels: int, id: str) -> tuple[Method, ...]:
    """Return the method of each level, from the root down.

    Raises:
        ChoiceError: there is neither one method for all levels nor one for each.
    """
    if len(methods) not in (1, n_levels):
        if n_levels == 1:
            raise ChoiceError(
                f"{id}: a table with one level needs one method; got {len(methods)}. Give one."
            )
        raise ChoiceError(
            f"{id}: methods has {len(methods)} entries, and the table has {n_levels:,} levels. "
            "Give one method for all levels, or one for each from the root down."
        )
    return tuple(methods) * n_levels if len(methods) == 1 else tuple(methods)


def groups_of(noisy: Measured, plan: Plan) -> IntArray:
    """Return the assumed number of groups of each region: the public one, or the estimated one.

    If empty groups are not counted, the groups above size 0 are all groups. Their noisy number is
    then a second measurement of the number of groups, which hc makes at every measured level.
    """
    if noisy.totals is not None:
        above_0 = None
        if not plan.domain.empty_groups and _all_cumulative(plan):
            above_0 = {k: noisy.levels[k][:, 0] for k in plan.by_level}
        return private_totals.consistent_totals(noisy.totals, plan, above_0=above_0)
    assert plan.domain.region_groups is not None
    return plan.domain.region_groups


def _all_cumulative(plan: Plan) -> bool:
    # For hg, the number of measured sizes follows from the noisy totals alone, so it stays.
    methods = getattr(plan.mechanism, "methods", ())
    return set(methods) == {"hc"}


def measured_level(
    values: IntArray,
    method: str,
    event: Event,
    noise: NoiseSource,
    *,
    private: bool,
    lengths: IntArray | None,
) -> Any:
    """Return the noisy measurements of one level, as in `Measured.levels`.

    Args:
        values: shape (n_regions, n_sizes, ...), groups by region and size.
        method: the method of the level.
        event: the noise of the level.
        noise: the source of the noise.
        private: whether totals are private. Measurements must then not change when an empty group
            is added.
        lengths: for hg with private totals, shape (n_regions,), how many sizes are measured in
            each region; else None.
    """
    if method == "hg":
        if lengths is not None:
            pairs = zip(values, lengths, strict=True)
            values = np.array([private_totals.to_length(row, n) for row, n in pairs])
        return [
            pool_stream(_noisy_sizes(row, event, noise, region=region))
            for region, row in enumerate(values)
        ]
    if method == "naive":
        answers = values[:, 1:] if private else values
    elif private:
        answers = private_totals.survivors(values)
    else:
        # The last entry of each row is the public number of groups, which needs no noise.
        answers = np.cumsum(values, axis=1)[:, :-1]
    return answers + noise.draw(event, answers.shape)


def _noisy_sizes(
    row: IntArray, event: Event, noise: NoiseSource, *, region: int
) -> Iterator[IntArray]:
    """Yield the noisy sizes of all groups, in ascending order of exact sizes, piece by piece."""
    ends = np.cumsum(row)
    total = int(ends[-1])
    for start in range(0, total, _GROUPS_AT_ONCE):
        stop = min(total, start + _GROUPS_AT_ONCE)
        inside = np.clip(ends, start, stop) - np.clip(ends - row, start, stop)
        sizes = np.repeat(np.arange(len(row)), inside)
        cells = Cells.of_region(region, len(sizes), first=start)
        yield sizes + noise.draw(event, sizes.shape, cells)


def estimated_level(
    noisy: Any,
    method: str,
    groups: IntArray,
    variance: float,
    *,
    n_sizes: int,
    isotonic: str,
    by_pool: bool,
    private: bool,
    empty_groups: bool = True,
) -> Runs:
    """Return the estimated groups of the regions of one level, from its own measurements alone.

    Args:
        noisy: the result of `measured_level`.
        method: the method of the level.
        groups: shape (n_regions,), the assumed number of groups of each region.
        variance: the variance of the noise.
        n_sizes: the number of sizes, from 0 to n_sizes − 1.
        isotonic: "l1" or "l2", for hc.
        by_pool: for hg, whether the variance assumed for the mean of a pool of n sizes is that of
            one measurement divided by n. Otherwise it is that of one measurement, which holds on
            average: over all sizes together, a projection onto non-decreasing sequences has no
            larger mean squared error than the noise.
        private: as in `measured_level`.
        empty_groups: whether empty groups are counted. If not, no group has size 0.
    """
    least = 0 if empty_groups else 1
    if method == "hg":
        return _runs_of_pools(noisy, variance, n_sizes, by_pool=by_pool, least=least)
    if method == "naive":
        if private and empty_groups:
            found = _of_no_more_than(noisy, groups)
        else:
            possible = noisy if private else noisy[:, least:]
            found = split_rows(np.ascontiguousarray(possible), groups)
        each = variance
    else:
        if private:
            noisy = groups[:, None] - noisy
        noisy = np.ascontiguousarray(noisy[:, least:])
        if isotonic == "l1":
            rising = median_isotonic_rows(noisy, groups)
        else:
            means = np.clip(isotonic_rows(noisy.astype(np.float64)), 0, groups[:, None])
            rising = np.rint(means).astype(np.int64)
        found = np.diff(rising, axis=1, prepend=0, append=groups[:, None])
        each = 2 * variance  # the number of a size is the difference of two noisy sums
    if not empty_groups:
        found = with_no_empty_groups(found)
    return runs_of(found, each / np.maximum(found, 1))


def _of_no_more_than(noisy: IntArray, groups: IntArray) -> IntArray:
    """Return numbers of groups by size from noisy ones from size 1 on; other groups get size 0."""
    found = np.maximum(noisy, 0)
    over = found.sum(axis=1) > groups
    found[over] = split_rows(noisy[over], groups[over])
    return private_totals.with_empty(found, groups)


def _runs_of_pools(
    pools: list[Pools], variance: float, n_sizes: int, *, by_pool: bool, least: int
) -> Runs:
    region = np.repeat(np.arange(len(pools)), [len(pool.mean) for pool in pools])
    mean = np.concatenate([pool.mean for pool in pools])
    count = np.concatenate([pool.count for pool in pools])
    size = np.clip(np.floor(mean + 0.5), least, n_sizes - 1).astype(np.int64)
    each = variance / count if by_pool else np.full(len(count), variance)
    return sorted_runs(region, len(pools), size, count, each)
