"""Synthetic tables of the shape of a table, for planning without its confidential data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms.base import Mechanism, Plan, Tuning
from hierdp_core.simulation import require_kind
from hierdp_core.tables import LARGEST_TOTAL, Counts, Domain, Flows, GroupSizes, Table
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.earlier import Arguments, Earlier
from hierdp_core.util.text import plural

EMPTY = 0.1  # proportion of groups of size 0, if empty groups are counted
STAYING = 0.5  # proportion of trips that are made to end where they start
LARGEST_FLOWS = 50_000_000
_SEED = 20_201_123  # the seed of ranks and trips; fixed, so that plans can be repeated

ABOUT = (
    "The synthetic table has the same hierarchy and columns. The total of every area is "
    "divided over its sub-areas in proportion to 1, 1/2, 1/3 …, in a fixed random order. If the "
    "number of groups of every area is public, it is kept, unless a total is given. Sizes s of "
    "groups above 0 occur in proportion to 1/s². If empty groups are counted, one in ten groups of "
    "an area is empty. Origins and destinations of trips are distributed in the same way. "
    "If origins and destinations are the same areas, half of the trips are set to end where they "
    "start. Only public facts are used, so the true counts may be distributed differently."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class SyntheticTable:
    """A synthetic table that replaces a table, generated from its public facts alone.

    Attributes:
        table: a table, of which only the public domain and the names are used.
        total: the number of records, or of groups for group sizes. It is needed if none is public;
            otherwise it replaces the public one.
    """

    table: Table
    total: int | None = None

    def made_for(self, mechanism: Mechanism) -> Table:
        """Return the synthetic table, from the facts that a mechanism treats as public.

        Raises:
            ChoiceError: the mechanism is for other tables, or a total is missing or not possible.
        """
        return synthetic_twin(self.table, mechanism, self.total)


def synthetic_twin(table: Table, mechanism: Mechanism, total: int | None) -> Table:
    """Return a synthetic table for `table`, with its names, from its public facts alone.

    Raises:
        ChoiceError: as `SyntheticTable.made_for`.
    """
    require_kind(table, mechanism)
    domain = mechanism.public_domain(table)
    return table.with_values(synthetic_table(domain, total=total).content)


def table_for(table: Table | SyntheticTable, mechanism: Mechanism) -> Table:
    """Return the table to simulate: the given one, or the synthetic one that replaces it."""
    return table.made_for(mechanism) if isinstance(table, SyntheticTable) else table


def _in_stand_in(arguments: Arguments, old: Arguments) -> Arguments:
    if not old.get("stand_in", False):
        return {}
    return {"table": SyntheticTable(table=arguments["table"], total=old.get("total"))}


STAND_IN = Earlier(
    words=("stand_in", "total"),
    now="table=hdp.SyntheticTable(table=…, total=…)",
    replace=_in_stand_in,
)


def synthetic_table(domain: Domain, *, total: int | None = None) -> Table:
    """Generate a table of the shape of `domain` from public facts and assumptions alone.

    A region's total is divided over its children in proportion to 1/rank (Zipf), with ranks in a
    fixed random order. Trips start and end in these proportions. If origins and destinations are
    the same regions, half of the trips are set to end where they start. Without a total, group
    sizes keep the public number of groups, in each region if that is public. Sizes s above 0 occur
    in proportion to 1/s². If empty groups are counted, a tenth of the groups are empty.

    Args:
        domain: the public facts.
        total: a public or assumed number of records, or of groups for group sizes. It is needed if
            none is public; otherwise it replaces the public one.

    Raises:
        ChoiceError: a total is missing, or not possible.
    """
    public = domain.total if domain.groups is None else domain.groups
    stated_total = public if total is None else total
    if stated_total is None:
        people = "people" if domain.person == "person" else plural(domain.person)
        records = domain.group or people
        raise ChoiceError(
            f"A synthetic table needs a total: a public figure or an estimate of the number of "
            f"{records}. Give it with --total N, or total=N in Python."
        )
    if not 1 <= stated_total <= LARGEST_TOTAL:
        raise ChoiceError(
            f"The total of a synthetic table lies between 1 and {LARGEST_TOTAL:,}; got "
            f"{stated_total:,}. Give one in this range with --total N, or total=N in Python."
        )
    if not domain.n_columns:
        raise ChoiceError(
            "A synthetic table needs a maximum group size, and none is public if “Maximum group "
            "size” (cap) is noisy. Set it to public or to an integer."
        )
    if domain.region_groups is not None and total is None:
        return _group_sizes(domain, domain.region_groups[domain.tree.leaves])
    return _MAKERS[domain.kind](domain, int(stated_total))


def tuned(plan: Plan, *, synthetic: bool) -> Plan:
    """Return a plan that records whether it was tuned on a synthetic table or on the same table."""
    return replace(plan, tuned_on=Tuning.SYNTHETIC if synthetic else Tuning.SAME)


def _counts(domain: Domain, total: int) -> Counts:
    return Counts.from_leaves(
        domain.regions,
        _leaves(domain.tree, total),
        unit=plural(domain.person),
        person=domain.person,
        taken_from_data=domain.taken_from_data,
    )


def _group_sizes(domain: Domain, groups: IntArray) -> GroupSizes:
    """Return group sizes with the given number of groups in each leaf."""
    return GroupSizes.from_leaves(
        domain.regions,
        _sizes(groups, domain.n_columns, EMPTY if domain.empty_groups else 0.0),
        group=domain.group or "groups",
        person=domain.person,
        empty_groups=domain.empty_groups,
        taken_from_data=domain.taken_from_data,
    )


def _flows(domain: Domain, total: int) -> Flows:
    """Sample trips one by one: their origin, whether they stay, and otherwise their destination."""
    origins, destinations = domain.regions, domain.destinations or domain.regions
    if total > LARGEST_FLOWS:
        raise ChoiceError(
            f"A synthetic table of flows has up to {LARGEST_FLOWS:,} trips; got {total:,}. "
            "Give a smaller total with --total N, or total=N in Python."
        )
    rng = np.random.default_rng(_SEED)
    away, towards = (_zipf(r.tree)[r.tree.leaves] for r in (origins, destinations))
    origin = np.repeat(np.arange(len(away)), rng.multinomial(total, away / away.sum()))
    # Origins and destinations have different orders of ranks, unless their hierarchies have the
    # same shape.
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
    """Return the number of records in every leaf, which add up to the total."""
    return _whole(total * _zipf(tree)[tree.leaves])


def _zipf(tree: Hierarchy) -> FloatArray:
    """Return the proportion of the total in every node, shape (n_nodes,)."""
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


def _sizes(groups: IntArray, columns: int, empty: float) -> IntArray:
    """Return every region's groups by size, shape (regions, columns).

    Args:
        groups: shape (regions,).
        columns: the number of sizes, from 0 on.
        empty: the proportion of groups of size 0.
    """
    sizes = np.arange(1, columns)
    shares = np.concatenate([[empty], (1 - empty) / sizes**2 / (1 / sizes**2).sum()])
    # Rounding cumulative counts gives non-negative integers that add up.
    upto = np.rint(np.cumsum(shares) * groups[:, None]).astype(np.int64)
    upto[:, -1] = groups
    return np.diff(upto, axis=1, prepend=0)


def _whole(parts: FloatArray) -> IntArray:
    """Return the nearest integers with the same sum: the largest remainders are rounded up."""
    integers = np.floor(parts).astype(np.int64)
    remainder = round(float(parts.sum())) - int(integers.sum())
    integers[np.argsort(integers - parts, kind="stable")[:remainder]] += 1
    return integers
