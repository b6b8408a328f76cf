"""Samples of flows: totals, sparsity, places, and the same bytes on every machine."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from hierdp_core import samples
from hierdp_core.samples.chance import Uniforms
from hierdp_core.samples.italy import COMMUTERS, commuting_cells, italy_regions
from hierdp_core.samples.synthetic_flows import (
    BINARY,
    RANDOM,
    binary_regions,
    chosen_pairs,
    lomax_flows,
    random_regions,
)
from hierdp_core.util.data_files import data_rows

README = Path(__file__).parents[2] / "sample_data" / "README.md"

# Of (origin, destination, trips) as little-endian int64.
DIGESTS = {
    "italy-commuting": "8506fdd0e4c6e5fd",
    "ri-commuting": "c0f42d2d991bac1c",
    "od-binary-complete": "49dbd302f42a939d",
    "od-binary-dense": "71a783edf2207911",
    "od-binary-sparse": "18875dce4de0f21a",
    "od-random-complete": "0afb83543d2459b9",
    "od-random-dense": "471d4e56347c400d",
    "od-random-sparse": "120d05e1d68b4cd3",
}


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERDP_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def italy(own_cache):
    return samples.load("italy-commuting")


@pytest.fixture(scope="module")
def shapes(italy):
    shapely = pytest.importorskip("shapely")
    boundaries = italy.boundaries
    return [
        np.array([shapely.from_geojson(json.dumps(shape)) for shape in level])
        for level in boundaries.shapes
    ]


def test_every_sample_of_flows_has_its_digest():
    assert {id for id in samples.names() if samples.describe(id).kind == "flows"} == set(DIGESTS)


@pytest.mark.parametrize("id", DIGESTS)
def test_a_sample_is_the_same_to_the_byte(id):
    table = samples.load(id).table
    rows = np.column_stack([table.origin, table.destination, table.values]).astype("<i8")
    assert hashlib.sha256(rows.tobytes()).hexdigest()[:16] == DIGESTS[id]


class TestItaly:
    def test_total_and_sparsity_are_those_known(self, italy):
        assert italy.table.total == COMMUTERS == 28_871_447
        assert italy.table.values.min() == 1
        assert len(italy.table.values) == pytest.approx(500_000, rel=0.01)
        assert f"{len(italy.table.values):,}" in italy.about
        assert f"{len(italy.table.values):,}" in README.read_text("utf-8")

    def test_levels_and_places(self, italy):
        regions = italy.table.regions
        assert regions.levels == ("country", "region", "province", "municipality")
        assert regions.tree.level_sizes.tolist() == [1, 20, 110, 8092]
        name = dict(zip(regions.ids, regions.names, strict=True))
        assert name["12"] == "Lazio"
        assert name["058"] == name["058091"] == "Roma"
        node = regions.node("058091", 3)
        assert regions.ids[regions.tree.parent[node]] == "058"
        assert regions.ids[regions.tree.parent[regions.tree.parent[node]]] == "12"

    def test_municipalities_that_share_a_name_are_reported_apart(self):
        regions = italy_regions()
        leaves = regions.names[regions.tree.leaves]
        assert len(set(leaves)) == len(leaves)
        assert {"Samone (TO)", "Samone (TN)"} <= set(leaves)

    def test_people_are_those_of_the_facts(self):
        people = [int(row["population"]) for row in data_rows("it_municipalities.csv")]
        assert sum(people) == 59_426_732
        assert max(people) == 2_617_175

    def test_nearly_three_in_five_stay_more_of_them_in_cities(self, italy):
        table = italy.table
        within = table.by_region("within") / table.by_region("departures")
        leaves = table.tree.leaves
        inside = table.values[table.origin == table.destination].sum() / table.total
        assert inside == pytest.approx(0.58, abs=0.005)
        assert within[table.regions.node("058091", 3)] == pytest.approx(0.92, abs=0.01)
        assert np.median(within[leaves]) == pytest.approx(0.36, abs=0.02)

    def test_towns_draw_people_in(self, italy):
        table = italy.table
        milan = table.regions.node("015146", 3)
        assert table.by_region("arrivals")[milan] > 1.3 * table.by_region("departures")[milan]

    @pytest.mark.slow
    def test_it_is_reported_how_far_making_it_has_come(self):
        seen = []
        cells = commuting_cells(lambda *step: seen.append(step))
        assert cells[:, 2].sum() == COMMUTERS
        assert seen[-1] == (8092, 8092, "generating commuters")
        assert 10 < len(seen) < 200

    def test_what_is_made_is_reported(self, italy):
        assert "Partially synthetic" in italy.about
        assert "gravity model" in italy.real
        assert "ISTAT" in italy.source
        assert "CC BY" in italy.licence


class TestMapOfItaly:
    @pytest.mark.slow
    def test_every_level_covers_the_same_ground(self, shapes):
        import shapely

        country = shapely.area(shapes[0]).sum()
        for level in shapes:
            assert shapely.is_valid(level).all()
            assert shapely.coverage_is_valid(level)
            assert shapely.area(level).min() > 0
            assert shapely.area(level).sum() == pytest.approx(country, rel=1e-6)

    def test_areas_are_nearly_the_true_ones(self, italy, shapes):
        """Square kilometres, from general knowledge; a display degree is 100 km."""
        import shapely

        regions = italy.table.regions
        area = dict(zip(regions.ids[regions.tree.level(1)], shapely.area(shapes[1]), strict=True))
        for code, true in (("19", 25_700), ("20", 24_100), ("01", 25_400), ("16", 19_400)):
            assert 10_000 * area[code] == pytest.approx(true, rel=0.06), code
        assert 10_000 * shapely.area(shapes[0])[0] == pytest.approx(302_000, rel=0.03)

    def test_rome_lies_in_its_own_cell(self, italy, shapes):
        import shapely

        regions = italy.table.regions
        cell = shapes[3][regions.node("058091", 3) - regions.tree.leaves.start]
        lazio = shapes[1][regions.node("12", 1) - regions.tree.level(1).start]
        assert shapely.contains(lazio.buffer(0.01), cell)

    def test_files_for_the_browser_are_small(self, italy):
        sizes = [len(text) for text in italy.boundaries.static_files().values()]
        assert max(sizes) < 2_500_000
        assert all("italy-" in name for name in italy.boundaries.static_files())

    def test_the_outline_holds_nearly_all_centroids(self):
        """As sample_data/README.md says."""
        shapely = pytest.importorskip("shapely")
        rings = {}
        for row in data_rows("it_outline.csv"):
            rings.setdefault(row["part"], []).append((float(row["lon"]), float(row["lat"])))
        hole = shapely.Polygon(rings.pop("San Marino"))
        land = shapely.union_all([shapely.Polygon(ring) for ring in rings.values()])
        rows = data_rows("it_municipalities.csv")
        points = shapely.points([(float(row["lon"]), float(row["lat"])) for row in rows])
        outside = ~shapely.covers(shapely.difference(land, hole), points)
        assert f"{int(outside.sum())} centroids fall outside it" in README.read_text("utf-8")
        assert f"with {len(rings) - 1} islands" in README.read_text("utf-8")


def test_rhode_island_is_the_published_table():
    sample = samples.load("ri-commuting")
    table = sample.table
    assert table.total == 412_443
    assert table.regions.tree.level_sizes.tolist() == [1, 5]
    assert table.regions.names[0] == "Rhode Island"
    flow = {
        (table.regions.ids[1 + o], table.regions.ids[1 + d]): v
        for o, d, v in zip(table.origin, table.destination, table.values.tolist(), strict=True)
    }
    assert len(flow) == 25
    assert flow["44007", "44007"] == 188_175
    assert flow["44003", "44007"] == 37_067
    assert flow["44009", "44001"] == 594


class TestSynthetic:
    @pytest.mark.parametrize(
        ("id", "draw", "areas"),
        [(f"od-binary-{name}", draw, 256) for name, draw in BINARY.items()]
        + [(f"od-random-{name}", draw, 435) for name, draw in RANDOM.items()],
    )
    def test_sizes_are_those_told_and_near_the_papers(self, id, draw, areas):
        sample = samples.load(id)
        table = sample.table
        assert (table.total, len(table.values)) == (draw.trips, draw.pairs)
        assert table.total == pytest.approx(draw.published, rel=0.01)
        assert table.tree.n_leaves == areas
        assert table.values.min() >= 1
        assert table.values.max() == 1000
        row = f"| {id} | {areas} | {draw.pairs:,} | {draw.trips:,} | {draw.published:,} |"
        assert row in README.read_text("utf-8")
        assert f"{draw.trips:,} trips" in sample.about
        assert f"{draw.published:,} in the paper" in sample.about

    def test_the_partitions_are_those_of_the_paper(self):
        assert binary_regions().tree.level_sizes.tolist() == [2**k for k in range(9)]
        tree = random_regions().tree
        assert tree.level_sizes.tolist() == [1, 2, 12, 75, 435]
        families = [
            tree.children(node).stop - tree.children(node).start
            for node in range(tree.leaves.start)
        ]
        assert min(families) >= 2
        assert max(families) <= 10

    def test_children_of_another_seed_are_two_to_ten_each_as_often(self):
        uniforms = Uniforms(5)
        parts = 2 + np.floor(9 * uniforms(90_000)).astype(int)
        assert np.bincount(parts)[2:].tolist() == pytest.approx([10_000] * 9, rel=0.05)

    @pytest.mark.parametrize("x", [0.1, 0.5, 1.0, 3.0])
    def test_flows_follow_the_lomax_law(self, x):
        """P(X > x) = (1 + x)⁻³, before scaling: undone here by the known largest."""
        n, uniforms = 200_000, Uniforms(1)
        largest = (1 / Uniforms(1)(3 * n).reshape(n, 3).max(axis=1) - 1).max()
        found = lomax_flows(n, uniforms)
        level = 1 + np.floor(999 * x / largest)
        above = np.count_nonzero(found > level) / n
        low, high = ((1 + (level + k) / 999 * largest) ** -3.0 for k in (0.0, -1.0))
        assert low - 0.005 < above < high + 0.005

    def test_pairs_are_chosen_without_order_and_each_as_likely(self):
        chosen = np.concatenate([chosen_pairs(6, 0.25, Uniforms(seed)) for seed in range(4_000)])
        assert np.bincount(chosen, minlength=36).tolist() == pytest.approx([1000] * 36, rel=0.15)
        pairs = chosen_pairs(20, 0.5, Uniforms(0))
        assert len(pairs) == 200
        assert (np.diff(pairs) > 0).all()
