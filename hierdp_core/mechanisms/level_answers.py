"""What count-of-counts asks of one level, and how a level's noisy answers become groups.

Each level has a method of its own: hc, noisy numbers of groups of at most each size, or of
those above it where totals are private; hg, the noisy sizes of all groups in order; naive,
noisy numbers of groups by size. Source: [B] Section 4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import private_totals
from hierdp_core.mechanisms.base import Plan
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
    """All noisy answers of a table.

    Attributes:
        levels: one entry a level, None where it has no share: for hc noisy numbers of at most
            each size, shape (n_regions, largest), or of the groups above each size where totals
            are private; for naive the numbers themselves; for hg a `Pools` a region.
        largest: the last size, K.
        totals: noisy numbers of groups, shape (n_nodes,); None where those are public.
    """

    levels: tuple[Any, ...]
    largest: int
    totals: IntArray | None = None


def require_methods(methods: Sequence[str], id: str) -> None:
    """Check that methods are known.

    Raises:
        ChoiceError: one is not.
    """
    unknown = [method for method in methods if method not in METHODS]
    if unknown:
        raise ChoiceError(
            f'{id}: methods are {", ".join(METHODS)}; got "{unknown[0]}". Name one for all levels, '
            "or one for each from the root down, as in hg,hc,hc."
        )


def methods_of(methods: Sequence[Method], n_levels: int, id: str) -> tuple[Method, ...]:
    """The method of each level, from the root down.

    Raises:
        ChoiceError: their number is wrong.
    """
    if len(methods) not in (1, n_levels):
        raise ChoiceError(
            f"{id}: methods needs one method for all levels or one for each of {n_levels}, from "
            f"the root down; got {len(methods)}."
        )
    return tuple(methods) * n_levels if len(methods) == 1 else tuple(methods)


def groups_of(noisy: Measured, plan: Plan) -> IntArray:
    """How many groups each region is taken to have: the public number, or the measured one."""
    if noisy.totals is not None:
        return private_totals.consistent_totals(noisy.totals, plan)
    assert plan.domain.region_groups is not None
    return plan.domain.region_groups


def measured_level(
    values: IntArray,
    method: str,
    event: Event,
    noise: NoiseSource,
    *,
    private: bool,
    lengths: IntArray | None,
) -> Any:
    """The noisy answers of one level.

    Args:
        values: shape (n_regions, n_sizes, ...), groups by region and size.
        method: of the level.
        event: says the noise.
        noise: draws it.
        private: totals are, so that answers must not move when an empty group comes.
        lengths: for hg with private totals, shape (n_regions,): how many sizes are measured.
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
        # The end of each row is the public number of groups: it needs no noise.
        answers = np.cumsum(values, axis=1)[:, :-1]
    return answers + noise.draw(event, answers.shape)


def _noisy_sizes(
    row: IntArray, event: Event, noise: NoiseSource, *, region: int
) -> Iterator[IntArray]:
    """The sizes of all groups in ascending order, with noise, a piece at a time."""
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
) -> Runs:
    """The groups of one level's regions, from its noisy answers alone.

    Args:
        noisy: of `measured_level`.
        method: of the level.
        groups: shape (n_regions,), how many groups each region is taken to have.
        variance: of the noise.
        n_sizes: sizes go from 0 to the one before.
        isotonic: "l1" or "l2".
        by_pool: for hg, a pool's mean counts as that of so many measurements of one size; else
            as one. A projection onto rising sequences has no larger mean square error than the
            noise, over all sizes together, whatever they are.
        private: as it was in `measured_level`.
    """
    if method == "hg":
        return _runs_of_pools(noisy, variance, n_sizes, by_pool=by_pool)
    if method == "naive":
        found = _of_no_more_than(noisy, groups) if private else split_rows(noisy, groups)
        each = variance
    else:
        if private:
            noisy = groups[:, None] - noisy
        if isotonic == "l1":
            rising = median_isotonic_rows(noisy, groups)
        else:
            means = np.clip(isotonic_rows(noisy.astype(np.float64)), 0, groups[:, None])
            rising = np.rint(means).astype(np.int64)
        found = np.diff(rising, axis=1, prepend=0, append=groups[:, None])
        each = 2 * variance  # a size's number is the difference of two noisy sums
    return runs_of(found, each / np.maximum(found, 1))


def _of_no_more_than(noisy: IntArray, groups: IntArray) -> IntArray:
    """Noisy numbers of size 1 and more made whole groups, with as many empty ones as are left."""
    found = np.maximum(noisy, 0)
    over = found.sum(axis=1) > groups
    found[over] = split_rows(noisy[over], groups[over])
    return private_totals.with_empty(found, groups)


def _runs_of_pools(pools: list[Pools], variance: float, n_sizes: int, *, by_pool: bool) -> Runs:
    region = np.repeat(np.arange(len(pools)), [len(pool.mean) for pool in pools])
    mean = np.concatenate([pool.mean for pool in pools])
    count = np.concatenate([pool.count for pool in pools])
    size = np.clip(np.floor(mean + 0.5), 0, n_sizes - 1).astype(np.int64)
    each = variance / count if by_pool else np.full(len(count), variance)
    return sorted_runs(region, len(pools), size, count, each)
