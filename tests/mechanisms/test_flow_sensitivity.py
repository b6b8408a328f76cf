"""Declared sensitivities of records with several trips, proved by enumeration.

For every set of trips of at most three people over small trees, the counts of each level of
neighbours must differ by no more than is declared. They must reach it wherever the level has enough
cells.
"""

from collections import Counter
from itertools import combinations, combinations_with_replacement, product

import pytest
from support.strategies import regions_of, small_trees

from hierdp_core.hierarchy import leaf_ancestors
from hierdp_core.mechanisms import MECHANISMS, parse
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts, Flows
from hierdp_core.tables.flow_tree import FlowTree

IDS = [id for id in ("inftda", "tda-l2", "tda-linf") if id in MECHANISMS]


def domain_over(regions, kind):
    if kind == "counts":
        return Counts.from_leaves(regions, [0] * regions.tree.n_leaves).domain
    return Flows.from_pairs(regions, regions, [], [], []).domain


def node_of(regions, kind, tree, level, leaf):
    """The node of a tree level above a leaf, computed from the ends of the leaf."""
    if kind == "counts":
        return int(leaf_ancestors(regions.tree, level)[leaf])
    ends = divmod(leaf, regions.tree.n_leaves)
    return tuple(
        int(leaf_ancestors(regions.tree, k)[end])
        for k, end in zip(tree.geographic(level), ends, strict=True)
    )


def records(leaves, m, distinct):
    """All possible records: all ways in which the m trips of a person may be placed."""
    choose = combinations if distinct else combinations_with_replacement
    return [trips for k in range(m + 1) for trips in choose(range(leaves), k)]


def largest_distances(regions, kind, tree, n_levels, m, distinct, bounded):
    """The largest (L1, squared L2) at every level over all pairs of records that may be exchanged.

    The other people stay the same and cancel in the difference.
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
def test_no_record_changes_a_level_by_more_than_is_declared(kind, neighbours, m, distinct):
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
            for level, (most, shown) in enumerate(zip(found, declared, strict=True)):
                assert most[0] <= shown[0]
                assert most[1] <= shown[1]
                if most == shown:
                    place = "leaves" if level == len(levels) - 1 else "above"
                    reached.add("root" if level == 0 else place)
    assert reached == {"root", "above", "leaves"}


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("kind", ["counts", "flows"])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_all_trips_of_a_person_move_a_total_that_is_not_public_together(id, kind, m):
    """The total moves by m, so it costs m in L1 and m² in squared L2, distinct or not."""
    regions = regions_of(list(small_trees())[4])
    table = (
        Counts.from_leaves(regions, [9, 1, 0, 2])
        if kind == "counts"
        else Flows.from_pairs(regions, regions, [0, 1], [2, 3], [9, 4])
    )
    for distinct in ("no", "yes"):
        mechanism = parse(id, {"neighbours": "unbounded", "trips": str(m), "distinct": distinct})
        moved = largest_distances(regions, "counts", None, 1, m, distinct == "yes", bounded=False)
        assert moved == [(m, m**2)]
        geometric = plan(table, mechanism, epsilon=1).by_level[0]
        assert geometric.l1_sensitivity == m
        gaussian = plan(table, mechanism, rho=1).by_level[0]
        assert gaussian.l2_sensitivity_squared == m**2


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("kind", ["counts", "flows"])
@pytest.mark.parametrize("m", [1, 3])
def test_no_trip_of_a_person_who_is_replaced_moves_the_total(id, kind, m):
    regions = regions_of(list(small_trees())[4])
    moved = largest_distances(regions, "counts", None, 1, m, distinct=False, bounded=True)
    assert moved == [(0, 0)]
    mechanism = parse(id, {"neighbours": "bounded", "trips": str(m)})
    root = mechanism.sensitivities(domain_over(regions, kind))[0]
    assert (root.l1, root.l2_squared) == (0, 0)


def test_distinct_trips_still_share_a_node_above_the_leaves():
    """What [C] prints for m distinct trips, √(2m) on every level, is too little above."""
    regions = regions_of(list(small_trees())[10])
    found = largest_distances(regions, "counts", None, 3, 2, distinct=True, bounded=True)
    assert found[1] == (4, 8)
    assert found[2] == (4, 4)
