"""Declared sensitivities, proved by enumerating all neighbours of all small tables.

Every table of at most three people over every tree of at most four leaves: the query
vectors of neighbours must reach the declared L1 and squared L2 distance and never exceed it.
Mechanisms that count records of several trips are held the same way in test_flow_sensitivity.py.
"""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from strategies import regions_of, small_trees

from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.mechanisms.base import checked_options
from hierdp_core.mechanisms.top_down import Records
from hierdp_core.privacy import Neighbours
from hierdp_core.tables import Counts, GroupSizes

PEOPLE = 3


def counts_neighbours(tree):
    """(table, the table with one person more), all of up to three people."""
    for people in range(PEOPLE):
        for places in combinations_with_replacement(range(tree.n_leaves), people):
            for more in range(tree.n_leaves):
                yield tuple(
                    Counts.from_leaves(
                        regions_of(tree), np.bincount(where, minlength=tree.n_leaves)
                    )
                    for where in (np.array(places, dtype=int), np.array([*places, more]))
                )


def group_size_neighbours(tree):
    """Two groups in any leaves, up to three people in them, one person joins one of them.

    The groups themselves, empty or not, are public: neighbours have the same.
    """
    n_sizes = PEOPLE + 1

    def table(homes, sizes):
        cells = np.zeros((tree.n_leaves, n_sizes), dtype=np.int64)
        for home, size in zip(homes, sizes, strict=True):
            cells[home, size] += 1
        return GroupSizes.from_leaves(regions_of(tree), cells)

    for homes in combinations_with_replacement(range(tree.n_leaves), 2):
        for sizes in product(range(PEOPLE), repeat=2):
            if sum(sizes) < PEOPLE:
                for joined in (0, 1):
                    after = [size + (i == joined) for i, size in enumerate(sizes)]
                    yield table(homes, sizes), table(homes, after)


NEIGHBOURS = {
    ("counts", Neighbours.ADD_OR_REMOVE_ONE): counts_neighbours,
    ("group-sizes", Neighbours.ADD_OR_REMOVE_ONE): group_size_neighbours,
}


def domain_of(tree, kind="counts"):
    """What is public about a table of `kind` over a tree."""
    _, table = next(iter(NEIGHBOURS[kind, Neighbours.ADD_OR_REMOVE_ONE](tree)))
    return table.domain


def measured_sensitivities(mechanism, kind, tree):
    """The largest distances of each level's answers over all neighbours, (L1, squared L2)."""
    largest = [[0, 0] for _ in range(tree.n_levels)]
    for before, after in NEIGHBOURS[kind, mechanism.neighbours({})](tree):
        apart = mechanism.answer(after.values, tree) - mechanism.answer(before.values, tree)
        for level in range(tree.n_levels):
            moved = apart[tree.level(level)]
            distance = int(np.abs(moved).sum()), int(np.square(moved).sum())
            largest[level] = [max(pair) for pair in zip(largest[level], distance, strict=True)]
    return largest


@pytest.mark.parametrize(
    ("id", "kind"),
    [(id, kind) for id, m in MECHANISMS.items() for kind in m.kinds if not issubclass(m, Records)],
)
def test_declared_sensitivities_are_reached_and_never_exceeded(id, kind):
    mechanism = MECHANISMS[id]()
    for tree in small_trees():
        declared = [
            [s.l1, s.l2_squared]
            for s in mechanism.sensitivities(
                domain_of(tree, kind), dict(checked_options(MECHANISMS[id], None))
            )
        ]
        assert measured_sensitivities(mechanism, kind, tree) == declared


def test_a_wrong_declaration_is_seen():
    """The published calibration of the chain declares 1 where the level has 4 regions."""
    chain = MECHANISMS["pgsr-c-chain"]()
    tree = list(small_trees())[4]
    declared = chain.published_sensitivities(domain_of(tree), {"calibration": "published"})
    measured = measured_sensitivities(chain, "group-sizes", tree)
    assert [s.l1 for s in declared] == [1, 1]
    assert measured == [[1, 1], [4, 4]]
