"""Trees and tables for property tests: from the root alone to uneven families."""

import numpy as np
from hypothesis import strategies as st

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.regions import Regions
from hierdp_core.tables import Counts, Flows, GroupSizes

LEVEL_NAMES = ("nation", "region", "state", "county", "tract")


@st.composite
def hierarchies(draw, max_levels=4, max_nodes=40, least_levels=1):
    """The root alone, lone branches, single children and uneven families."""
    n_levels = draw(st.integers(least_levels, max_levels))
    parent, starts = [-1], [0, 1]
    for _ in range(1, n_levels):
        above = range(starts[-2], starts[-1])
        room = max(1, (max_nodes - len(parent)) // len(above))
        families = [draw(st.integers(1, min(4, room))) for _ in above]
        parent += [node for node, size in zip(above, families, strict=True) for _ in range(size)]
        starts.append(len(parent))
    return Hierarchy(parent=np.array(parent), level_start=np.array(starts))


def regions_of(tree):
    codes = tuple(f"r{i}" for i in range(tree.n_nodes))
    return Regions(
        tree=tree,
        levels=LEVEL_NAMES[: tree.n_levels],
        ids=codes,
        names=codes,
        padded=np.zeros(tree.n_nodes, dtype=bool),
    )


@st.composite
def counts_tables(draw, largest=30):
    tree = draw(hierarchies())
    leaves = draw(st.lists(st.integers(0, largest), min_size=tree.n_leaves, max_size=tree.n_leaves))
    return Counts.from_leaves(regions_of(tree), leaves)


@st.composite
def group_size_tables(draw, largest=20, max_nodes=40, max_sizes=5):
    tree = draw(hierarchies(max_nodes=max_nodes))
    n_sizes = draw(st.integers(2, max_sizes))
    cells = tree.n_leaves * n_sizes
    flat = draw(st.lists(st.integers(0, largest), min_size=cells, max_size=cells))
    return GroupSizes.from_leaves(regions_of(tree), np.reshape(flat, (tree.n_leaves, n_sizes)))


@st.composite
def flow_tables(draw, largest=20, max_levels=3, max_nodes=20, same=None):
    """Flows over one hierarchy or over two, from none at all to some for every pair."""
    origins = regions_of(draw(hierarchies(max_levels=max_levels, max_nodes=max_nodes)))
    destinations = origins
    if not (draw(st.booleans()) if same is None else same):
        depth = origins.tree.n_levels
        destinations = regions_of(draw(hierarchies(depth, max_nodes, least_levels=depth)))
    pairs = origins.tree.n_leaves * destinations.tree.n_leaves
    rows = draw(
        st.lists(st.tuples(st.integers(0, pairs - 1), st.integers(0, largest)), max_size=30)
    )
    keys, trips = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    width = destinations.tree.n_leaves
    return Flows.from_pairs(origins, destinations, keys // width, keys % width, trips)
