"""Cells cover the land, each its own point, whatever the points are."""

import numpy as np
import pytest

pytest.importorskip("shapely")
import shapely
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.exceptions import TableError
from hierdp_core.maps.voronoi import (
    Frame,
    disc_land,
    framed_cells,
    voronoi_cells,
)

LAND = shapely.box(0, 0, 100_000, 60_000)


def scattered(n, seed=0):
    return np.random.default_rng(seed).uniform([0, 0], [100_000, 60_000], size=(n, 2))


@given(n=st.integers(1, 40), seed=st.integers(0, 2**32))
def test_cells_cover_the_land_without_overlap(n, seed):
    cells = voronoi_cells(scattered(n, seed), LAND)
    assert len(cells) == n
    assert shapely.coverage_is_valid(cells)
    assert shapely.area(cells).sum() == pytest.approx(LAND.area, rel=1e-6)
    assert shapely.area(cells).min() > 0


def test_every_cell_is_what_is_nearest_to_its_point():
    points = scattered(25)
    cells = voronoi_cells(points, LAND)
    probes = scattered(2000, seed=1)
    nearest = np.argmin(np.linalg.norm(probes[:, None] - points, axis=2), axis=1)
    # Borders lie on a grid of one metre, so a probe within a few metres may fall either way.
    assert shapely.distance(cells[nearest], shapely.points(probes)).max() < 5


def test_points_in_the_water_are_moved_ashore():
    points = np.array([[20_000, 30_000], [130_000, 30_000.0]])
    cells = voronoi_cells(points, LAND)
    assert shapely.area(cells).sum() == pytest.approx(LAND.area)
    assert cells[1].bounds[2] == 100_000


def test_points_that_coincide_share_the_place():
    points = np.array([[50_000, 30_000.0]] * 5 + [[10_000, 10_000.0]])
    cells = voronoi_cells(points, LAND)
    assert shapely.area(cells).min() > 0
    assert shapely.coverage_is_valid(cells)
    assert shapely.equals_exact(cells, voronoi_cells(points, LAND)).all()


def test_points_without_room_for_a_cell_are_refused():
    strip = shapely.box(0, 0, 150, 4)
    points = np.array([[0, 2], [20, 2], [50, 2], [100, 2.0]])
    with pytest.raises(TableError, match=r"would get no land.*square metres"):
        voronoi_cells(points, strip)


def test_land_across_the_water_goes_to_its_neighbour():
    """A spit nearer to a point on the far shore stays with the land that it hangs on."""
    spit = shapely.box(45_000, 0, 49_000, 60_000)
    west = shapely.union_all([shapely.box(0, 50_000, 49_000, 60_000), spit])
    land = shapely.union_all([west, shapely.box(51_000, 0, 100_000, 60_000)])
    points = np.array([[10_000, 55_000], [55_000, 5_000.0]])
    cells = voronoi_cells(points, land)
    assert cells[0].equals_exact(west, 1) or shapely.area(
        shapely.symmetric_difference(cells[0], west)
    ) == pytest.approx(0, abs=1)


def test_islands_belong_to_the_nearest_point():
    island = shapely.box(110_000, 0, 115_000, 5_000)
    cells = voronoi_cells(scattered(6), shapely.union_all([LAND, island]))
    assert shapely.area(cells).sum() == pytest.approx(LAND.area + island.area, rel=1e-6)


def test_land_is_made_of_discs_where_there_is_no_outline():
    points = np.array([[0, 0], [30_000, 0], [500_000, 0.0]])
    land = disc_land(points, np.full(3, 1e8), closing=20_000)
    assert len(shapely.get_parts(land)) == 2  # the gap of the first two is closed
    assert all(shapely.contains(land, shapely.points(points)))


SQUARE = shapely.box(9, 45, 11, 47)


@pytest.mark.parametrize("outline", [None, SQUARE])
def test_a_frame_sets_size_and_place(outline):
    rng = np.random.default_rng(0)
    lat, lon = rng.uniform(45.2, 46.8, 30), np.sort(rng.uniform(9.2, 10.8, 30))
    whole = Frame(projection="EPSG:3035", closing=20_000)
    half = Frame(projection="EPSG:3035", closing=20_000, scale=0.5, centre=(5, -3))
    areas = np.full(30, 1e9)
    large = framed_cells(whole, lat, lon, areas, outline=outline)
    small = framed_cells(half, lat, lon, areas, outline=outline)
    assert shapely.area(large).sum() == pytest.approx(4 * shapely.area(small).sum())
    x0, y0, x1, y1 = shapely.total_bounds(small)
    assert ((x0 + x1) / 2, (y0 + y1) / 2) == pytest.approx((5, -3))
    if outline is not None:  # 2 x 2 degrees at 46 degrees north: 34,400 square kilometres
        assert shapely.area(large).sum() == pytest.approx(3.44, rel=0.01)
