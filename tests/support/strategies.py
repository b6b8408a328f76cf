"""Trees and tables for property tests: from the root alone to uneven families."""

import numpy as np
from hypothesis import strategies as st

from hierdp_core.hierarchy import Hierarchy, Regions
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


def small_trees():
    """All shapes of up to three levels and four leaves, siblings in descending order."""
    yield Hierarchy(parent=np.array([-1]), level_start=np.array([0, 1]))
    for leaves in (1, 2, 3, 4):
        yield Hierarchy(
            parent=np.array([-1] + [0] * leaves), level_start=np.array([0, 1, 1 + leaves])
        )
    for sizes in [(1,), (2,), (1, 1), (2, 1), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]:
        yield families(*sizes)


def families(*sizes):
    """The root, a region for each of `sizes`, and so many leaves in each."""
    middle = len(sizes)
    below = [1 + i for i, size in enumerate(sizes) for _ in range(size)]
    return Hierarchy(
        parent=np.array([-1] + [0] * middle + below),
        level_start=np.array([0, 1, 1 + middle, 1 + middle + len(below)]),
    )


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
def counts_tables(draw, largest=30, max_nodes=40, least_levels=1):
    tree = draw(hierarchies(max_nodes=max_nodes, least_levels=least_levels))
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
def flow_tables(draw, largest=20, max_levels=3, max_nodes=20, same=None, least_levels=1):
    """Flows over one hierarchy or over two, from none at all to some for every pair."""
    origins = regions_of(draw(hierarchies(max_levels, max_nodes, least_levels)))
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


def binary_places(depth):
    """Places that are cut in two `depth` times, the synthetic geography of [C]."""
    starts = np.cumsum([0, *(2**k for k in range(depth + 1))])
    parent = np.concatenate([[-1], np.arange(2, 2 ** (depth + 1)) // 2 - 1])
    tree = Hierarchy(parent=parent, level_start=starts)
    codes = tuple(f"r{i}" for i in range(tree.n_nodes))
    return Regions(
        tree=tree,
        levels=tuple(f"level {k}" for k in range(depth + 1)),
        ids=codes,
        names=codes,
        padded=np.zeros(tree.n_nodes, dtype=bool),
    )


def lomax_flows(places, share, seed):
    """Flows of 1 to 1000 between a share of all pairs, drawn as [C] draws them."""
    rng, leaves = np.random.default_rng(seed), places.tree.n_leaves
    drawn = rng.pareto(3, leaves**2)
    trips = np.floor(1 + 999 * drawn / drawn.max()).astype(np.int64)
    pairs = rng.permutation(leaves**2)[: round(share * leaves**2)]
    return Flows.from_pairs(places, places, pairs // leaves, pairs % leaves, trips[pairs])
