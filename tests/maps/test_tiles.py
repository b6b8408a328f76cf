"""Tiles for regions without a place: equal, whole, and always the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import hierarchies, regions_of

from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout


def boxes(boundaries, level):
    """x0, x1, y0, y1 of every tile, which must be a rectangle, clockwise."""
    found = []
    for shape in boundaries.shapes[level]:
        (ring,) = shape["coordinates"]
        (x0, y0), (x0_, y1), (x1, y1_), (x1_, y0_), end = ring
        assert (x0, x1, y0, y1) == (x0_, x1_, y0_, y1_)
        assert end == ring[0]
        assert x0 < x1
        assert y0 < y1
        found.append((x0, x1, y0, y1))
    return np.array(found)


def areas(rectangles):
    return (rectangles[:, 1] - rectangles[:, 0]) * (rectangles[:, 3] - rectangles[:, 2])


@given(tree=hierarchies())
def test_leaves_are_equal_and_families_whole(tree):
    boundaries = tile_layout(regions_of(tree))
    every = np.concatenate([boxes(boundaries, k) for k in range(tree.n_levels)])
    sizes = areas(every)
    np.testing.assert_allclose(sizes[tree.leaves], 40 / tree.n_leaves, rtol=1e-3)
    for node in range(tree.n_nodes - tree.n_leaves):
        family = every[tree.children(node)]
        assert areas(family).sum() == pytest.approx(sizes[node], rel=1e-3)
        assert (family[:, [0, 2]] >= every[node, [0, 2]] - 1e-9).all()
        assert (family[:, [1, 3]] <= every[node, [1, 3]] + 1e-9).all()


@given(tree=hierarchies())
def test_tiles_do_not_overlap(tree):
    tiles = boxes(tile_layout(regions_of(tree)), tree.n_levels - 1)
    for i, (x0, x1, y0, y1) in enumerate(tiles):
        others = tiles[i + 1 :]
        apart = (others[:, 0] >= x1) | (others[:, 1] <= x0)
        apart |= (others[:, 2] >= y1) | (others[:, 3] <= y0)
        assert apart.all()


@given(tree=hierarchies(), seed=st.integers(0, 2**32))
def test_tiles_follow_sizes(tree, seed):
    sizes = np.random.default_rng(seed).integers(1, 10, tree.n_leaves)
    tiles = areas(boxes(tile_layout(regions_of(tree), sizes), tree.n_levels - 1))
    np.testing.assert_allclose(tiles, 40 * sizes / sizes.sum(), rtol=2e-3)


def test_the_same_tree_gives_the_same_picture():
    regions = Regions.from_parents(
        {"r": None, **{f"c{i}": "r" for i in range(30)}}, levels=("all", "part")
    )
    assert tile_layout(regions).static_files() == tile_layout(regions).static_files()


def test_three_hundred_leaves_keep_a_fair_shape():
    parents = {"r": None, **{f"s{i}": "r" for i in range(12)}}
    parents |= {f"c{i}": f"s{i * i % 12}" for i in range(300)}
    parents |= {f"x{i}": f"s{i}" for i in range(12)}
    regions = Regions.from_parents(parents, levels=("nation", "state", "county"))
    tiles = boxes(tile_layout(regions), 2)
    wide, high = tiles[:, 1] - tiles[:, 0], tiles[:, 3] - tiles[:, 2]
    long = np.maximum(wide / high, high / wide)
    assert np.median(long) < 2
    assert np.quantile(long, 0.95) < 4


def test_a_leaf_of_no_size_is_still_seen():
    regions = Regions.from_parents({"r": None, "a": "r", "b": "r"}, levels=("all", "part"))
    assert areas(boxes(tile_layout(regions, [0, 10]), 1)).min() > 0.1


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([1], "One size for each part"),
        ([1, -1], "at least 0; b has -1"),
        ([float("nan"), 1], "at least 0; a has nan"),
        ([0, 0], "at least one size above 0"),
    ],
)
def test_sizes_that_are_none_are_refused(sizes, message):
    regions = Regions.from_parents({"r": None, "a": "r", "b": "r"}, levels=("all", "part"))
    with pytest.raises(HierarchyError, match=message):
        tile_layout(regions, sizes)
