"""A made-up table of the same shape, so that planning need not look at confidential data."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms.base import Plan, Tuning
from hierdp_core.tables import LARGEST_TOTAL, Counts, Domain, Flows, GroupSizes, Table
from hierdp_core.util.arrays import FloatArray, IntArray

EMPTY = 0.1  # share of groups that have size 0
STAYING = 0.5  # share of trips that end where they start
LARGEST_FLOWS = 50_000_000
_SEED = 20_201_123  # of the order of ranks; one for everybody, so that plans can be repeated

ABOUT = (
    "A stand-in has the same hierarchy and columns. Its total is split over the parts of every "
    "region in proportion to 1, 1/2, 1/3 …, in an order drawn once for all. Of the groups of a "
    "region one in ten is empty, and a size s above 0 gets a share in proportion to 1/s². Trips "
    "start and end in places so made; half of them stay where they start. Only "
    "public facts are used; how sizes fall in truth is not known to it."
)


def stand_in(domain: Domain, *, total: int | None = None) -> Table:
    """A table of the shape of `domain`, made from public facts and assumptions alone.

    A region's total is split over its parts in proportion to 1/rank (Zipf), the ranks in an
    order that is drawn once for all. Flows: trips start and end so; half of them stay in their
    leaf where both ends are the same places. Group sizes: the public number of groups, of each
    region where it is public; a tenth of them empty, size s above 0 in proportion to 1/s².

    Args:
        domain: the public facts.
        total: for counts and flows, a public or assumed total; for group sizes only where their
            public number is to be replaced.

    Raises:
        ChoiceError: a total is missing, or cannot be.
    """
    public = domain.total if domain.groups is None else domain.groups
    wanted = public if total is None else total
    if wanted is None:
        raise ChoiceError(
            f"A stand-in needs a total, a public figure or a guess of how many {domain.person}s "
            "there are: say it with --total N."
        )
    if not 1 <= wanted <= LARGEST_TOTAL:
        raise ChoiceError(
            f"The total of a stand-in lies between 1 and {LARGEST_TOTAL:,}; got {wanted}."
        )
    if not domain.n_columns:
        raise ChoiceError("A stand-in needs a largest size; with these options none is public.")
    if domain.region_groups is not None and total is None:
        return _group_sizes(domain, domain.region_groups[domain.tree.leaves])
    return _MAKERS[domain.kind](domain, int(wanted))


def tuned(plan: Plan, *, stand_in: bool) -> Plan:
    """Return a plan that records what it was searched for on: a synthetic table, or the table."""
    return replace(plan, tuned_on=Tuning.SYNTHETIC if stand_in else Tuning.SAME)


def _counts(domain: Domain, total: int) -> Counts:
    return Counts.from_leaves(
        domain.regions,
        _leaves(domain.tree, total),
        unit=f"{domain.person}s",
        person=domain.person,
        taken_from_data=domain.taken_from_data,
    )


def _group_sizes(domain: Domain, groups: IntArray) -> GroupSizes:
    """Groups by size, with so many groups in each leaf."""
    return GroupSizes.from_leaves(
        domain.regions,
        _sizes(groups, domain.n_columns),
        group=domain.group or "groups",
        person=domain.person,
        empty_groups=domain.empty_groups,
        taken_from_data=domain.taken_from_data,
    )


def _flows(domain: Domain, total: int) -> Flows:
    """Trips drawn one by one: from where, whether they stay, and else to where."""
    origins, destinations = domain.regions, domain.destinations or domain.regions
    if total > LARGEST_FLOWS:
        raise ChoiceError(
            f"A stand-in of flows has up to {LARGEST_FLOWS:,} trips; got {total:,}. "
            "Say a smaller total with --total N."
        )
    rng = np.random.default_rng(_SEED)
    away, towards = (_zipf(r.tree)[r.tree.leaves] for r in (origins, destinations))
    origin = np.repeat(np.arange(len(away)), rng.multinomial(total, away / away.sum()))
    # The two ends have orders of their own, unless they are the same places.
    destination = rng.choice(len(towards), size=total, p=towards / towards.sum())
    if origins.ids == destinations.ids:
        destination = np.where(rng.random(total) < STAYING, origin, destination)
    return Flows.from_pairs(
        origins,
        destinations,
        origin,
        destination,
        np.ones(total, int),
        person=domain.person,
        taken_from_data=domain.taken_from_data,
    )


_MAKERS: Mapping[str, Callable[[Domain, int], Table]] = {
    Counts.kind: _counts,
    GroupSizes.kind: lambda domain, total: _group_sizes(domain, _leaves(domain.tree, total)),
    Flows.kind: _flows,
}


def _leaves(tree: Hierarchy, total: int) -> IntArray:
    """The part of the total that every leaf gets."""
    return _whole(total * _zipf(tree)[tree.leaves])


def _zipf(tree: Hierarchy) -> FloatArray:
    """The share of the total that every node gets, shape (n_nodes,)."""
    rng = np.random.default_rng(_SEED)
    shares = np.ones(tree.n_nodes)
    for level in range(tree.n_levels - 1):
        below = tree.level(level + 1)
        parent = tree.parent[below]
        order = np.lexsort((rng.random(len(parent)), parent))
        first = np.searchsorted(parent, parent)  # siblings stand side by side
        rank = np.empty(len(parent))
        rank[order] = np.arange(len(parent)) - first + 1.0
        sums = np.bincount(parent, weights=1 / rank, minlength=tree.n_nodes)
        shares[below] = shares[parent] / rank / sums[parent]
    return shares


def _sizes(groups: IntArray, columns: int) -> IntArray:
    """Every region's groups by size, shape (regions, columns)."""
    sizes = np.arange(1, columns)
    shares = np.concatenate([[EMPTY], (1 - EMPTY) / sizes**2 / (1 / sizes**2).sum()])
    # Cumulative numbers rounded: whole, never negative, and they add up.
    upto = np.rint(np.cumsum(shares) * groups[:, None]).astype(np.int64)
    upto[:, -1] = groups
    return np.diff(upto, axis=1, prepend=0)


def _whole(parts: FloatArray) -> IntArray:
    """The nearest whole numbers with the same sum: the largest remainders are rounded up."""
    whole = np.floor(parts).astype(np.int64)
    missing = round(float(parts.sum())) - int(whole.sum())
    whole[np.argsort(whole - parts, kind="stable")[:missing]] += 1
    return whole
