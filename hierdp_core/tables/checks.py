"""Checks of a table's content, from public facts alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.tables.domain import Domain
from hierdp_core.tables.flows import Pairs
from hierdp_core.util.arrays import NumberArray
from hierdp_core.util.earlier import renamed

_ROUNDING = 1e-6  # sums of floats count as equal to a value within this proportion of it


@dataclass(frozen=True, kw_only=True)
class Checks:
    """The properties that a released table has.

    Attributes:
        consistent: children add up to their parent, in every column. Flows always do, since only
            those between leaves are released.
        valid: all values are non-negative integers.
        keeps_invariants: every level has the public number of groups or of records (every region,
            if the numbers of all regions are public); None if the mechanism publishes no total
            exactly.
        violations: for each level, how many numbers differ from the sum of their children. For
            flows, the levels are those of the tree over pairs.
    """

    consistent: bool
    valid: bool
    keeps_invariants: bool | None
    violations: tuple[int, ...]

    faithful = renamed("faithful", "keeps_invariants")


def totals_kept(kept: bool | None) -> str:
    """Return whether public totals are kept, in words.

    None is also the value if a total is treated as public but still gets noise.

    >>> [totals_kept(kept) for kept in (True, False, None)]
    ['yes', 'no', 'not applicable (the mechanism publishes no exact total)']
    """
    return {
        True: "yes",
        False: "no",
        None: "not applicable (the mechanism publishes no exact total)",
    }[kept]


def check(domain: Domain, values: Any) -> Checks:
    """Return the properties of the content of a table; only public facts are used."""
    if isinstance(values, Pairs):
        return _check_flows(domain, values)
    tree = domain.tree
    violations = count_violations(tree, values)
    public, keeps = domain.groups if domain.total is None else domain.total, None
    if public is not None:
        totals = [int(values[tree.level(k)].sum()) for k in range(tree.n_levels)]
        keeps = all(total == public for total in totals)
        if domain.region_groups is not None:
            keeps = bool((values.sum(axis=1) == domain.region_groups).all())
    return Checks(
        consistent=not any(violations),
        valid=_whole(values) and bool((values >= 0).all()),
        keeps_invariants=keeps,
        violations=violations,
    )


def _check_flows(domain: Domain, pairs: Pairs) -> Checks:
    # Only pairs of leaves are released; all numbers above are sums of them.
    public = domain.total
    return Checks(
        consistent=True,
        valid=_whole(pairs.values) and bool((pairs.values >= 0).all()),
        keeps_invariants=None if public is None else int(pairs.values.sum()) == public,
        violations=(0,) * (2 * domain.tree.n_levels - 1),
    )


def _whole(values: NumberArray) -> bool:
    return values.dtype == np.int64 or bool((values == np.floor(values)).all())


def count_violations(tree: Hierarchy, values: NumberArray) -> tuple[int, ...]:
    """Return for each level how many of its values differ from their children's sum."""
    counts = []
    for level in range(tree.n_levels - 1):
        sums, own = child_sums(tree, values, level), values[tree.level(level)]
        if values.dtype == np.int64:
            off = sums != own
        else:
            off = np.abs(sums - own) > _ROUNDING * np.maximum(1, np.abs(own))
        counts.append(int(off.sum()))
    return (*counts, 0)
