"""Pictures of flows hold what they are given, and say it in words and tables too."""

import numpy as np
import pandas as pd
import pytest

from hierdp_core.explain import flows as flow_views
from hierdp_core.figures.flows import arcs_and_matrix, by_level
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import MapLayer
from hierdp_core.tables import Flows, Pairs
from hierdp_core.tables.flow_tree import FlowTree

HERE = Regions.from_parents(
    {"land": None, "N": "land", "S": "land", "W": "land"},
    levels=("land", "region"),
    names={"N": "North", "S": "South", "W": "West"},
)
POINTS = np.array([[0.0, 2.0], [0.0, 0.0], [-1.0, 1.0]])
LAYER = MapLayer(polygons="/app/static/regions.geojson", caption="Boundaries: somebody")
AREAS = pd.DataFrame({"id": ["N", "S", "W"], "name": ["North", "South", "West"]})
TRUE = [[50, 9, 4], [0, 30, 0], [1, 0, 20]]
RELEASED = [[48, 12, 4], [3, 30, 0], [0, 0, 21]]


def table(cells):
    o, d = np.indices((3, 3)).reshape(2, -1)
    return Pairs.summed(o, d, np.array(cells).ravel())


@pytest.fixture
def known():
    o, d = np.indices((3, 3)).reshape(2, -1)
    return Flows.from_pairs(HERE, HERE, o, d, np.array(TRUE).ravel())


@pytest.fixture
def seen(known):
    return flow_views.at_level(known, known.with_values(table(RELEASED)), 1)


def drawn(view, shown, marked=None):
    return arcs_and_matrix.flow_map(
        view,
        AREAS,
        LAYER,
        starts=POINTS,
        ends=POINTS,
        box=(-2, 1, -1, 3),
        shown=shown,
        unit="trips",
        height=300,
        marked=marked,
    )


def lines(figure):
    return [t for t in figure.data if t.type == "scattergeo" and t.mode == "lines"]


def heads(figure):
    return next(t for t in figure.data if t.type == "scattergeo" and t.mode == "markers")


class TestArcs:
    def test_every_pair_with_different_ends_is_one_arc(self, seen):
        figure = drawn(seen.strongest(9, "released"), "released")
        arcs = sum(int(np.isnan(t.lon).sum()) for t in lines(figure))
        assert arcs == len(heads(figure).lon) == 3  # N → S, N → W, S → N
        assert not any("North → North" in text for text in heads(figure).text)

    def test_arcs_start_and_end_at_the_middles(self, seen):
        view = seen.kept((seen.origin == 0) & (seen.destination == 1))
        (line,) = lines(drawn(view, "released"))
        assert (line.lon[0], line.lat[0]) == tuple(POINTS[0])
        assert (line.lon[-2], line.lat[-2]) == tuple(POINTS[1])

    def test_they_bend_to_the_right_and_the_head_points_along(self, seen):
        """From the north to the south: right is west, and the head points down."""
        south = heads(drawn(seen.kept((seen.origin == 0) & (seen.destination == 1)), "released"))
        north = heads(drawn(seen.kept((seen.origin == 1) & (seen.destination == 0)), "released"))
        assert south.lon[0] < 0 < north.lon[0]
        assert abs(south.marker.angle[0]) == 180
        assert north.marker.angle[0] == 0

    def test_wider_is_more_and_colours_tell_what_is_wrong(self, seen):
        figure = drawn(seen.strongest(9, "error"), "error")
        colour = dict(zip(heads(figure).text, heads(figure).marker.color, strict=True))
        stated = {text.split("<br>")[0]: c for text, c in colour.items()}
        assert stated["<b>North → South</b>"] == arcs_and_matrix.MEANINGS["many"][0]
        assert stated["<b>South → North</b>"] == arcs_and_matrix.MEANINGS["false_positives"][0]
        assert stated["<b>West → North</b>"] == arcs_and_matrix.MEANINGS["few"][0]
        assert {m[0] for m in arcs_and_matrix.meanings("error")} == set(stated.values())

    def test_wider_is_more(self, seen):
        width = {}
        for line in lines(drawn(seen, "true")):
            starts = zip(
                line.lon[:: arcs_and_matrix._STEPS + 1],
                line.lat[:: arcs_and_matrix._STEPS + 1],
                strict=True,
            )
            ends = line.lon[arcs_and_matrix._STEPS - 1 :: arcs_and_matrix._STEPS + 1]
            width |= dict.fromkeys(zip(starts, ends, strict=True), line.line.width)
        north_south, west_north = ((0.0, 2.0), 0.0), ((-1.0, 1.0), 0.0)
        assert width[north_south] > width[west_north]

    def test_few_traces_whatever_the_number_of_arcs(self):
        n = 40
        places = Regions.from_parents(
            {"land": None} | {f"t{k}": "land" for k in range(n)}, levels=("land", "town")
        )
        o, d = np.indices((n, n)).reshape(2, -1)
        values = np.random.default_rng(0).integers(1, 900, n * n)
        big = Flows.from_pairs(places, places, o, d, values)
        view = flow_views.at_level(big, big, 1).between()
        points = np.random.default_rng(1).uniform(-3, 3, (n, 2))
        figure = arcs_and_matrix.flow_map(
            view,
            AREAS,
            LAYER,
            starts=points,
            ends=points,
            box=(-3, 3, -3, 3),
            shown="true",
            unit="trips",
            height=300,
        )
        assert len(view) == 1560
        assert len(figure.data) <= 8

    def test_a_map_without_flows_is_a_map(self, seen):
        figure = drawn(seen.kept(np.zeros(0, dtype=np.int64)), "released", marked="N")
        assert [t.type for t in figure.data] == ["choropleth", "choropleth"]

    def test_the_text_names_the_largest_flows_and_counts_false_positives(self, seen):
        view = seen.between().strongest(9, "released")
        text = arcs_and_matrix.arcs_alt(view, level="region", shown="released", unit="trips")
        assert "North to South: true 9, released 12" in text
        assert "False positives among them: 1" in text


class TestBoxes:
    def test_a_box_holds_its_place_and_nearly_all_points(self):
        points = np.column_stack([np.linspace(0, 1, 99), np.linspace(0, 1, 99)])
        points = np.concatenate([points, [[50.0, 50.0]]])
        x0, x1, y0, y1 = arcs_and_matrix.around(points, (0.4, 0.6, -0.5, 0.6))
        assert x0 < 0.06
        assert x1 < 1.2
        assert y0 < -0.5
        assert y1 < 1.2

    def test_a_small_place_is_not_blown_up(self):
        _, _, y0, y1 = arcs_and_matrix.around(np.zeros((0, 2)), (0, 0.01, 0, 0.01))
        assert y1 - y0 >= 0.6

    def test_points_far_from_a_box_are_left_out(self):
        inside = arcs_and_matrix.in_box(
            np.array([[0.5, 0.5], [1.2, 0.5], [9.0, 0.5]]), (0, 1, 0, 1)
        )
        assert inside.tolist() == [True, True, False]

    @pytest.mark.parametrize("box", [(0, 1, 0, 50), (0, 50, 0, 1)])
    def test_heights_stay_within_reason(self, box):
        assert 320 <= arcs_and_matrix.height_for(box) <= 680


class TestMatrix:
    def test_numbers_are_logarithmic_and_empty_cells_empty(self, seen):
        figure = arcs_and_matrix.heat_map(flow_views.matrix(seen, 5), shown="true", unit="trips")
        z = np.array(figure.data[0].z, dtype=float)
        assert z[0, 0] == pytest.approx(np.log10(50), abs=1e-3)
        assert np.isnan(z[1, 0])
        assert list(figure.data[0].y) == ["North", "South", "West"]

    def test_errors_lie_about_zero(self, seen):
        heat = arcs_and_matrix.heat_map(
            flow_views.matrix(seen, 5), shown="error", unit="trips"
        ).data[0]
        assert heat.zmin == -heat.zmax == -3
        assert np.array(heat.z).tolist() == [[-2, 3, 0], [3, 0, 0], [-1, 0, 1]]

    def test_long_names_that_begin_alike_stay_apart(self):
        cut = arcs_and_matrix._short(
            ["A very long name of a place, one", "A very long name of a place, two"]
        )
        assert len(set(cut)) == 2
        assert cut[0].startswith("A very long name of…")

    def test_it_says_its_largest(self, seen):
        text = arcs_and_matrix.heat_map_alt(
            flow_views.matrix(seen, 5), level="region", shown="released", unit="trips"
        )
        assert "3 origins by 3 destinations" in text
        assert "Largest: North to North, 48" in text


class TestLevels:
    @pytest.fixture
    def summary(self):
        return pd.DataFrame(
            {
                "level": ["all → all", "all → region", "region → region"],
                "mean": [0.0, 12.0, 30.0],
                "q2.5": [0.0, 8.0, 21.0],
                "q97.5": [0.0, 15.0, 44.0],
                "simulations": [10, 10, 10],
            }
        )

    @pytest.fixture
    def bound(self):
        return pd.Series({"all → region": 90.0, "region → region": 210.0})

    def test_errors_and_bound_stand_on_one_axis_from_zero(self, summary, bound):
        figure = by_level.accuracy(summary, summary, bound, unit="trips")
        assert figure.layout.xaxis.range[0] == 0
        assert figure.layout.xaxis.range[1] > 210
        (line,) = (t for t in figure.data if t.name == "bound")
        assert dict(zip(line.y, line.x, strict=True)) == bound.to_dict()

    def test_without_a_bound_there_is_none(self, summary):
        nothing = pd.Series(dtype=float)
        figure = by_level.accuracy(summary, summary, nothing, unit="trips")
        assert not [t for t in figure.data if t.name == "bound"]
        assert figure.layout.xaxis.range[1] < 60
        assert "bound" not in by_level.accuracy_alt(summary, nothing, unit="trips")
        assert by_level.accuracy_table(summary, summary, nothing)["bound"].isna().all()

    def test_table_and_words_hold_the_numbers(self, summary, bound):
        found = by_level.accuracy_table(summary, summary, bound)
        assert found["largest error"].tolist() == [0, 12, 30]
        assert found["bound"].tolist()[1:] == [90, 210]
        above = by_level.accuracy_table(summary, summary, bound + 0.0001)["bound"]
        assert above.tolist()[1:] == [90.1, 211]
        text = by_level.accuracy_alt(summary, bound, unit="trips")
        assert "region → region: 30, at most 210 with probability at least 95%" in text
        assert "10 simulations" in text

    def test_false_positives_and_negatives(self, known):
        stated = known.with_values(table(RELEASED))
        rows = flow_views.false_flows(known, stated, FlowTree.of(known.domain))
        figure = by_level.false_flow_bars(rows, unit="trips")
        bars = {bar.name: dict(zip(bar.y, bar.x, strict=True)) for bar in figure.data}
        assert bars["false positives"]["region → region"] == 3
        assert bars["false negatives"]["region → region"] == 1
        assert "region → region: 3 in 1 false positive, 1 in 1 false negative" in (
            by_level.false_flow_alt(rows, unit="trips")
        )
        last = by_level.false_flow_table(rows).iloc[-1]
        assert (
            last["true pairs"],
            last["released pairs"],
            last["released count of false positives"],
            last["true count of false negatives"],
        ) == (
            6,
            6,
            3,
            1,
        )
