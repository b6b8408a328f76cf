"""Shapes of every level: whole, without gaps, turned as Plotly needs them."""

import json

import numpy as np
import pytest

from hierdp_core import samples
from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Regions
from hierdp_core.hierarchy.united_states import counties
from hierdp_core.maps.boundaries import APPROXIMATE, Boundaries, boundaries_from_leaves

shapely = pytest.importorskip("shapely")

US = ("us-population", "us-households", "us-households-national")


def polygons(boundaries, level):
    return shapely.from_geojson([json.dumps(shape) for shape in boundaries.shapes[level]])


def rings(shape):
    polygons = [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]
    return [(polygon[0], polygon[1:]) for polygon in polygons]


def turn(ring):
    """Twice the signed area: negative when the ring runs clockwise."""
    x, y = np.array(ring).T
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))


@pytest.mark.parametrize("id", US)
class TestUnitedStates:
    def test_every_level_is_a_coverage_without_empty_shapes(self, id):
        boundaries = samples.load(id).boundaries
        for level in range(len(boundaries.shapes)):
            shapes = polygons(boundaries, level)
            assert shapely.is_valid(shapes).all()
            assert shapely.coverage_is_valid(shapes)
            assert shapely.area(shapes).min() > 0

    def test_a_parent_is_as_large_as_its_children(self, id):
        boundaries = samples.load(id).boundaries
        tree = boundaries.regions.tree
        areas = np.concatenate(
            [shapely.area(polygons(boundaries, k)) for k in range(tree.n_levels)]
        )
        for node in range(tree.n_nodes - tree.n_leaves):
            assert areas[tree.children(node)].sum() == pytest.approx(areas[node], rel=1e-9)

    def test_a_parent_covers_its_children(self, id):
        boundaries = samples.load(id).boundaries
        tree = boundaries.regions.tree
        last = tree.n_levels - 1
        parents, leaves = polygons(boundaries, last - 1), polygons(boundaries, last)
        over = tree.parent[tree.leaves] - tree.level(last - 1).start
        assert shapely.covers(parents[over], shapely.point_on_surface(leaves)).all()

    def test_exterior_rings_run_clockwise(self, id):
        boundaries = samples.load(id).boundaries
        for level in boundaries.shapes:
            for shape in level:
                for outer, inner in rings(shape):
                    assert turn(outer) < 0
                    assert all(turn(hole) > 0 for hole in inner)

    def test_the_nation_has_neither_holes_nor_slivers(self, id):
        boundaries = samples.load(id).boundaries
        (nation,) = boundaries.shapes[0]
        for outer, holes in rings(nation):
            assert not holes
            assert shapely.area(shapely.Polygon(outer)) > 0.0001  # a square kilometre

    def test_it_lies_about_the_middle_of_the_plane(self, id):
        x0, x1, y0, y1 = samples.load(id).boundaries.box
        assert -25 < x0 < -20 < 20 < x1 < 25
        assert -17 < y0 < -12 < 12 < y1 < 17


def test_insets_stand_clear_of_each_other_and_of_the_rest():
    boundaries = samples.load("us-households-national").boundaries
    by_name = dict(
        zip(
            boundaries.regions.names[boundaries.regions.tree.level(1)],
            polygons(boundaries, 1),
            strict=True,
        )
    )
    insets = [by_name.pop(name) for name in ("Alaska", "Hawaii", "Puerto Rico")]
    rest = shapely.union_all(list(by_name.values()))
    for i, inset in enumerate(insets):
        for other in [rest, *insets[i + 1 :]]:
            assert shapely.distance(inset, other) > 0.5  # 50 kilometres on the plane
    alaska, hawaii, puerto_rico = (shapely.centroid(inset) for inset in insets)
    assert alaska.x < hawaii.x < 0 < puerto_rico.x
    assert max(alaska.y, hawaii.y, puerto_rico.y) < -8


def square_kilometres(boundaries, shapes):
    """The area of every county on the earth: insets have scales of their own."""
    scale = {"02": 0.35, "72": 1.5}
    ids = boundaries.regions.ids[boundaries.regions.tree.leaves]
    return shapely.area(shapes) * 1e4 / np.array([scale.get(id[:2], 1.0) ** 2 for id in ids])


@pytest.fixture(scope="module")
def boundaries():
    return samples.load("us-households-national").boundaries


@pytest.fixture(scope="module")
def fine(boundaries):
    """The polygons of every level in fine detail."""
    read = boundaries.read_fine()
    return [shapely.from_geojson([json.dumps(shape) for shape in level]) for level in read]


class TestFineDetail:
    """Both levels of detail are of the same ground."""

    @pytest.mark.slow
    def test_every_level_is_a_coverage_without_empty_shapes(self, fine):
        for shapes in fine:
            assert shapely.is_valid(shapes).all()
            assert shapely.coverage_is_valid(shapes)
            assert shapely.area(shapes).min() > 0

    @pytest.mark.slow
    def test_the_coarse_level_keeps_areas(self, boundaries, fine):
        """Within 10%, small counties too."""
        coarse = shapely.area(polygons(boundaries, 2)) / shapely.area(fine[2])
        assert np.abs(coarse - 1).max() < 0.1 + 1e-9
        assert np.median(np.abs(coarse - 1)) < 0.01

    def test_counties_have_their_published_area(self, boundaries, fine):
        """No smaller than their land, and in the median 1% larger: they have lakes, too."""
        land = {row["geoid"]: float(row["land_sq_mi"]) * 2.589988 for row in counties()}
        ids = boundaries.regions.ids[boundaries.regions.tree.leaves]
        share = square_kilometres(boundaries, fine[2]) / np.array([land[id] for id in ids])
        assert share.min() > 0.95
        assert np.quantile(share, 0.01) > 0.99
        assert 1 <= np.median(share) < 1.02

    @pytest.mark.parametrize("detail", ["coarse", "fine"])
    @pytest.mark.parametrize(
        ("id", "area"),  # land and water, square kilometres
        [("51610", 5.3), ("51678", 6.5), ("51685", 6.6), ("15005", 31), ("11001", 177)],
    )
    def test_the_smallest_counties_stay(self, boundaries, fine, detail, id, area):
        shapes = fine[2] if detail == "fine" else polygons(boundaries, 2)
        at = boundaries.regions.ids[boundaries.regions.tree.leaves].index(id)
        assert square_kilometres(boundaries, shapes)[at] == pytest.approx(area, rel=0.12)

    def test_a_state_is_shown_in_fine_detail_and_alone(self, boundaries, fine):
        layer = boundaries.layer_within(2, 1, "51")
        ids = [feature["id"] for feature in layer.polygons["features"]]
        assert len(ids) == 134
        assert all(id.startswith("51") for id in ids)
        at = boundaries.regions.ids[boundaries.regions.tree.leaves].index(ids[0])
        shape = shapely.from_geojson(json.dumps(layer.polygons["features"][0]["geometry"]))
        assert shape.equals(fine[2][at])
        assert layer.caption == boundaries.caption

    def test_a_large_part_is_shown_as_on_the_whole_map(self):
        boundaries = samples.load("us-population").boundaries
        whole = {feature["id"]: feature for feature in boundaries.level(3)["features"]}
        west = boundaries.layer_within(3, 1, "R4").polygons["features"]
        assert len(west) == 13
        assert all(feature == whole[feature["id"]] for feature in west)

    def test_a_region_within_itself_is_alone(self, boundaries):
        layer = boundaries.layer_within(1, 1, "44")
        assert [feature["id"] for feature in layer.polygons["features"]] == ["44"]


@pytest.mark.parametrize(
    ("state", "area"),  # land, thousand square kilometres
    [("Texas", 677), ("Colorado", 268), ("Florida", 139), ("Maine", 80), ("Kansas", 212)],
)
def test_states_have_their_true_area(state, area):
    boundaries = samples.load("us-households").boundaries
    at = boundaries.regions.names[boundaries.regions.tree.level(1)].index(state)
    shown = shapely.area(polygons(boundaries, 1)[at]) * 10  # a square degree is 10,000 km2
    assert shown == pytest.approx(area, rel=0.1)


def test_files_for_the_browser_are_small_and_named_by_content():
    boundaries = samples.load("us-households").boundaries
    files = boundaries.static_files()
    assert len(files) == 3
    assert files == boundaries.static_files()
    assert max(map(len, files.values())) < 1_000_000
    names = list(files)
    assert names[2].startswith("us-households-county-")
    assert names[2].endswith(".geojson")
    for text, level in zip(files.values(), range(3), strict=True):
        assert json.loads(text) == boundaries.level(level)


def test_a_region_has_its_box():
    boundaries = samples.load("us-households").boundaries
    x0, x1, y0, y1 = boundaries.box_of(1, "12")
    assert 8 < x0 < x1 < 18
    assert -15 < y0 < y1 < -7
    with pytest.raises(HierarchyError, match='No state has the code "99"'):
        boundaries.box_of(1, "99")


def test_has_says_which_levels_there_are():
    boundaries = samples.load("running-example").boundaries
    assert [boundaries.has(level) for level in (-1, 0, 1, 2)] == [False, True, True, False]


# --- boundaries_from_leaves


@pytest.fixture
def family():
    parents = {"all": None, "west": "all", "east": "all", "a": "west", "b": "west", "c": "east"}
    return Regions.from_parents(parents, levels=("nation", "state", "county"))


def squares(*corners):
    return np.array([shapely.box(x, y, x + 1, y + 1) for x, y in corners])


def test_upper_levels_are_dissolved(family):
    boundaries = boundaries_from_leaves(
        family, squares((0, 0), (0, 1), (1, 0)), caption=APPROXIMATE
    )
    nation, west, east = (polygons(boundaries, k)[i] for k, i in ((0, 0), (1, 0), (1, 1)))
    assert west.equals(shapely.box(0, 0, 1, 2))
    assert east.equals(shapely.box(1, 0, 2, 1))
    assert nation.area == 3


def test_parts_that_lie_apart_stay_one_region(family):
    boundaries = boundaries_from_leaves(
        family, squares((0, 0), (5, 5), (1, 0)), caption=APPROXIMATE
    )
    assert boundaries.shapes[1][0]["type"] == "MultiPolygon"
    assert boundaries.box_of(1, "west") == (0.0, 6.0, 0.0, 6.0)


def test_coordinates_are_rounded_and_borders_still_match(family):
    shapes = shapely.transform(squares((0, 0), (0, 1), (1, 0)), lambda p: p / 3)
    boundaries = boundaries_from_leaves(family, shapes, caption=APPROXIMATE, digits=2)
    assert shapely.coverage_is_valid(polygons(boundaries, 2))
    points = shapely.get_coordinates(polygons(boundaries, 2))
    np.testing.assert_array_equal(points, np.round(points, 2))


def test_small_shapes_get_the_decimals_they_need(family):
    shapes = shapely.transform(squares((0, 0), (0, 1), (1, 0)), lambda p: p / 300)
    boundaries = boundaries_from_leaves(family, shapes, caption=APPROXIMATE, digits=2)
    assert shapely.area(polygons(boundaries, 2)).min() > 0


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (squares((0, 0), (0, 1)), "One shape for each county is needed, 3 in all; got 2"),
        (squares((0, 0), (0.5, 0), (3, 0)), "Some shapes overlap"),
        (np.array([*squares((0, 0), (0, 1)), shapely.Polygon()]), "these have none: c"),
        (np.array([*squares((0, 0), (0, 1)), None]), "these have none: c"),
        (
            np.array([*squares((0, 0), (0, 1)), shapely.Polygon([(3, 0), (4, 1), (4, 0), (3, 1)])]),
            "must not cross itself, as it does for c. Correct",
        ),
        (
            np.array([*squares((0, 0), (0, 1)), shapely.box(3, 0, 3 + 1e-9, 1e-9)]),
            "up to 5 decimals, .* smallest is that of c. Merge",
        ),
    ],
)
def test_shapes_that_make_no_map_are_refused(family, shapes, message):
    with pytest.raises(HierarchyError, match=message):
        boundaries_from_leaves(family, shapes, caption=APPROXIMATE)


def test_boundaries_need_a_shape_for_every_region(family):
    with pytest.raises(HierarchyError, match="Every region needs one shape"):
        Boundaries(regions=family, shapes=((), (), ()), caption=APPROXIMATE)


def test_names_of_files_are_known_without_their_texts():
    boundaries = samples.load("us-population").boundaries
    levels = range(len(boundaries.regions.levels))
    assert [boundaries.static_name(k) for k in levels] == list(boundaries.static_files())


@pytest.mark.parametrize("method", ["level", "layer", "centres", "static_name", "static_file"])
@pytest.mark.parametrize("level", [-1, 5])
def test_a_level_that_is_not_there_is_refused_by_every_method(method, level):
    boundaries = samples.load("us-population").boundaries
    with pytest.raises(HierarchyError, match=f"There is no level {level}"):
        getattr(boundaries, method)(level)
