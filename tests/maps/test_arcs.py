"""Shapes come back from arcs as they were, and the coarse level keeps them together."""

import numpy as np
import pytest

from hierdp_core.maps.arcs import Arcs

shapely = pytest.importorskip("shapely")


def jagged_halves():
    """Two halves of a square with a wavy border between, an island, and an enclave."""
    border = [(1.0 + 0.05 * (k % 2), k / 10) for k in range(11)]
    hole = [(0.3, 0.3), (0.3, 0.5), (0.5, 0.5), (0.5, 0.3)]
    west = shapely.Polygon([(0, 0), *border, (0, 1)], holes=[hole])
    island = shapely.box(3, 0, 3.4, 0.4)
    east = shapely.Polygon([(2, 0), *border, (2, 1)])
    return np.array([west, shapely.MultiPolygon([east, island]), shapely.Polygon(hole)])


@pytest.fixture(scope="module")
def shapes():
    return jagged_halves()


@pytest.fixture(scope="module")
def arcs(shapes):
    return Arcs.of_shapes([*shapes, shapely.union_all(shapes)])


@pytest.mark.parametrize("fine", [True, False])
def test_shapes_come_back(shapes, arcs, fine):
    back = arcs.polygons(fine=fine)
    assert len(back) == 4
    for shape, again in zip([*shapes, shapely.union_all(shapes)], back, strict=True):
        assert shapely.equals(shape, again)


def test_a_border_is_stored_once(arcs):
    """The wavy border, the coasts of west and east, the island, the enclave."""
    assert len(arcs.arc_start) - 1 == 5


def test_exterior_rings_run_clockwise(arcs):
    for polygon in shapely.get_parts(arcs.polygons(fine=True)):
        assert not polygon.exterior.is_ccw
        assert all(hole.is_ccw for hole in polygon.interiors)


def test_the_coarse_level_has_the_points_it_was_given_and_all_ends(shapes, arcs):
    corners = np.array([(0, 0), (0, 1), (2, 0), (2, 1), (0.3, 0.3), (0.3, 0.5), (0.5, 0.5)])
    coarse = arcs.without_coarse().with_coarse(np.arange(4), corners)
    back = coarse.polygons(fine=False)
    assert shapely.coverage_is_valid(back[:3])
    np.testing.assert_array_equal(shapely.get_num_coordinates(back[:3]), [5 + 4, 5, 4])
    assert shapely.equals(back[3], shapely.box(0, 0, 2, 1)) is np.True_  # without the island
    assert shapely.equals(coarse.polygons(fine=True)[0], shapes[0])


def test_points_are_added_for_chosen_shapes_only(shapes, arcs):
    bare = arcs.without_coarse()
    west = bare.with_coarse(np.array([0]), shapely.get_coordinates(shapes))
    assert shapely.equals(west.polygons(fine=False)[0], shapes[0])
    assert not west.coarse.all()


def test_what_is_written_is_read(arcs, tmp_path):
    for name in ("one.npz", "two.npz"):
        arcs.write(tmp_path / name)
    again = Arcs.read(tmp_path / "one.npz")
    for name in ("points", "coarse", "arc_start", "refs", "ring_start", "ring_shape"):
        np.testing.assert_array_equal(getattr(again, name), getattr(arcs, name))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
