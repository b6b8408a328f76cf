"""Declared sensitivities of records of several trips, proved by enumeration.

Every set of at most three people's worth of trips over small trees: the numbers of each
level of neighbours must never lie further apart than is declared, and must reach it
wherever the level has room for it.
"""

from collections import Counter
from itertools import combinations, combinations_with_replacement, product

import pytest
from support.strategies import regions_of, small_trees

from hierdp_core.hierarchy import leaf_ancestors
from hierdp_core.mechanisms import MECHANISMS, parse
from hierdp_core.tables import Counts, Flows
from hierdp_core.tables.flow_tree import FlowTree

IDS = [id for id in ("inftda", "tda-l2", "tda-linf") if id in MECHANISMS]


def domain_over(regions, kind):
    if kind == "counts":
        return Counts.from_leaves(regions, [0] * regions.tree.n_leaves).domain
    return Flows.from_pairs(regions, regions, [], [], []).domain


def node_of(regions, kind, tree, level, leaf):
    """The node of a tree level that a leaf lies under, worked out from its ends."""
    if kind == "counts":
        return int(leaf_ancestors(regions.tree, level)[leaf])
    ends = divmod(leaf, regions.tree.n_leaves)
    return tuple(
        int(leaf_ancestors(regions.tree, k)[end])
        for k, end in zip(tree.geographic(level), ends, strict=True)
    )


def records(leaves, m, distinct):
    """All ways in which one person's m trips may fall: what a record can be."""
    choose = combinations if distinct else combinations_with_replacement
    return [trips for k in range(m + 1) for trips in choose(range(leaves), k)]


def largest_distances(regions, kind, tree, n_levels, m, distinct, bounded):
    """Of every level, (L1, squared L2) over all pairs of records that may be exchanged.

    The other people stay as they are and drop out of the difference.
    """
    leaves = regions.tree.n_leaves ** (2 if kind == "flows" else 1)
    all_records = [r for r in records(leaves, m, distinct) if len(r) == m or not bounded]
    exchanges = product(all_records, all_records) if bounded else ((r, ()) for r in all_records)
    largest = [(0, 0)] * n_levels
    for before, after in exchanges:
        for level in range(n_levels):
            apart = Counter()
            for sign, trips in ((1, after), (-1, before)):
                for leaf in trips:
                    apart[node_of(regions, kind, tree, level, leaf)] += sign
            moved = [abs(v) for v in apart.values()]
            found = sum(moved), sum(v * v for v in moved)
            largest[level] = tuple(max(p) for p in zip(largest[level], found, strict=True))
    return largest


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["counts", "flows"])
@pytest.mark.parametrize("neighbours", ["bounded", "unbounded"])
@pytest.mark.parametrize(("m", "distinct"), [(1, "no"), (2, "no"), (2, "yes")])
def test_no_record_moves_a_level_further_than_is_declared(kind, neighbours, m, distinct):
    bounded = neighbours == "bounded"
    reached = set()
    for shape in small_trees():
        pairs = shape.n_leaves ** (2 if kind == "flows" else 1)
        if pairs > 9 or (distinct == "yes" and pairs < m):
            continue
        regions = regions_of(shape)
        domain = domain_over(regions, kind)
        options = {"neighbours": neighbours, "trips": str(m), "distinct": distinct}
        for id in IDS:
            mechanism = parse(id, options)
            levels = mechanism.levels(domain)
            declared = [(s.l1, s.l2_squared) for s in mechanism.sensitivities(domain)]
            tree = FlowTree.of(domain) if kind == "flows" else None
            found = largest_distances(
                regions, kind, tree, len(levels), m, distinct == "yes", bounded
            )
            for level, (most, told) in enumerate(zip(found, declared, strict=True)):
                assert most[0] <= told[0]
                assert most[1] <= told[1]
                if most == told:
                    place = "leaves" if level == len(levels) - 1 else "above"
                    reached.add("root" if level == 0 else place)
    assert reached == {"root", "above", "leaves"}


def test_trips_that_are_all_different_still_share_a_node_above():
    """What [C] prints for m distinct trips, √(2m) on every level, is too little above."""
    regions = regions_of(list(small_trees())[10])
    found = largest_distances(regions, "counts", None, 3, 2, distinct=True, bounded=True)
    assert found[1] == (4, 8)
    assert found[2] == (4, 4)
