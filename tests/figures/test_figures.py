"""Figures say what the data say, whatever the data are."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from hierdp_core.figures import style
from hierdp_core.figures.errors import levels
from hierdp_core.figures.maps import error_map, region_table, scale
from hierdp_core.figures.maps.scale import ErrorScale
from hierdp_core.figures.program import size_distribution
from hierdp_core.maps.boundaries import MapLayer


def layer(address: str, caption: str = "Boundaries: somebody") -> MapLayer:
    return MapLayer(polygons=address, caption=caption)


SCALE = ErrorScale(low=-4, high=-1)
BOX = (-1.0, 1.0, -0.5, 0.5)


def frame(true: list[float], released: list[float], level: str = "county") -> pd.DataFrame:
    t, r = np.array(true, dtype=float), np.array(released, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(t > 0, np.abs(r - t) / t, np.nan)
    n = len(true)
    return pd.DataFrame(
        {
            "level": [level] * n,
            "id": [f"{level[0]}{i}" for i in range(n)],
            "name": [f"Place {i}" for i in range(n)],
            "parent": ["s0"] * n,
            "padded": [False] * n,
            "true": t,
            "released": r,
            "error": r - t,
            "abs_error": np.abs(r - t),
            "rel_error": relative,
        }
    )


def summary(**columns: list[float]) -> pd.DataFrame:
    quantiles = {q: [4.0, 40.0] for q in ("q2.5", "q10", "q25", "q50", "q75", "q90", "q97.5")}
    base = {"level": ["nation", "county"], "mean": [5.0, 50.0], "draws": [100, 100]}
    return pd.DataFrame(base | quantiles | columns)


class TestMaps:
    def test_every_region_is_drawn_once_and_the_odd_ones_apart(self) -> None:
        rows = frame([100, 100, 0, 0, 50], [110, 100, 3, 0, 49])
        figure = error_map.error_map(rows, layer("/x.geojson"), box=BOX, scale=SCALE, unit="people")
        drawn = [list(trace.locations) for trace in figure.data]
        assert drawn == [["c0", "c4"], ["c1", "c3"], ["c2"]]
        assert figure.data[1].colorscale[0][1] == scale.EXACT
        assert figure.data[2].colorscale[0][1] == scale.UNDEFINED

    def test_the_same_error_has_the_same_colour_on_every_map(self) -> None:
        one = error_map.error_map(frame([100], [110]), layer("u"), box=BOX, scale=SCALE, unit="x")
        two = error_map.error_map(
            frame([100, 10], [110, 20]), layer("u"), box=BOX, scale=SCALE, unit="x"
        )
        assert one.data[0].z[0] == two.data[0].z[0] == -1
        assert (one.data[0].zmin, one.data[0].zmax) == (two.data[0].zmin, two.data[0].zmax)

    def test_errors_beyond_the_scale_take_its_end_and_are_not_dropped(self) -> None:
        rows = frame([1, 10_000_000], [50, 10_000_001])
        figure = error_map.error_map(rows, layer("u"), box=BOX, scale=SCALE, unit="x")
        assert figure.data[0].z.tolist() == [-1, -4]

    def test_borders_vanish_where_regions_are_many(self) -> None:
        def width(n: int) -> float:
            rows = frame([10] * n, [11] * n)
            figure = error_map.error_map(rows, layer("u"), box=BOX, scale=SCALE, unit="x")
            return float(figure.data[0].marker.line.width)

        assert width(50) > width(300) > width(3000) == 0

    def test_a_click_leaves_the_other_regions_readable(self) -> None:
        figure = error_map.error_map(frame([10], [11]), layer("u"), box=BOX, scale=SCALE, unit="x")
        assert figure.data[0].unselected.marker.opacity == 1

    def test_the_region_in_question_has_a_line_around_it(self) -> None:
        rows = frame([10, 10], [11, 12])
        figure = error_map.error_map(rows, layer("u"), box=BOX, scale=SCALE, unit="x", marked="c1")
        assert list(figure.data[-1].locations) == ["c1"]
        assert figure.data[-1].marker.line.width > 1

    def test_no_outline_is_fetched_from_the_network(self) -> None:
        url = style.CONFIG["topojsonURL"]
        assert url.startswith("data:application/json,")
        assert url.endswith("#")
        topology = json.loads(url.removeprefix("data:application/json,").removesuffix("#"))
        assert topology["type"] == "Topology"
        assert topology["arcs"] == []

    def test_text_and_table_name_the_worst_place(self) -> None:
        rows = frame([100, 1000, 0], [110, 1000, 2])
        text = error_map.alt(rows, title="3 counties", unit="people")
        assert "10" in text
        assert "Place 0" in text
        assert "Truly 0" in text
        assert error_map.table(rows)["name"].tolist() == ["Place 0", "Place 1", "Place 2"]

    def test_a_map_keeps_the_shape_of_its_box(self) -> None:
        assert error_map.height_for((0, 2, 0, 1), 400) < error_map.height_for((0, 1, 0, 1), 400)
        assert error_map.height_for((0, 100, 0, 1), 400) >= 130
        assert error_map.height_for((0, 1, 0, 100), 400) <= 440


class TestScale:
    @pytest.mark.parametrize(
        ("largest", "leaves", "low", "high"),
        [(116_716_292, [10_000.0] * 9, -7, -1), (6, [3.0, 3.0], -2, 0), (0, [0.0], -2, 0)],
    )
    def test_it_comes_from_the_truth_alone(
        self, largest: float, leaves: list[float], low: int, high: int
    ) -> None:
        made = ErrorScale.for_truth(np.array([largest, *leaves]), np.array(leaves))
        assert (made.low, made.high) == (low, high)

    def test_labels_are_percentages_with_open_ends(self) -> None:
        labels = [text.replace("\N{NARROW NO-BREAK SPACE}", " ") for text in SCALE.labels()]
        assert labels == ["0.01 % or less", "0.1 %", "1 %", "10 % or more"]
        assert len(scale.table(SCALE)) == 4
        assert labels[0].split()[0] in scale.alt(SCALE)

    def test_the_strip_spans_the_scale(self) -> None:
        figure = scale.bar(SCALE)
        assert list(figure.layout.xaxis.range) == [-4, -1]
        assert list(figure.layout.xaxis.tickvals) == SCALE.ticks


class TestLevels:
    def test_the_axis_starts_at_zero_and_holds_every_bar(self) -> None:
        figure = levels.error_by_level(summary(), unit="people")
        low, high = figure.layout.xaxis.range
        longest = max(max(x for x in trace.x) for trace in figure.data)
        assert low == 0
        assert high > longest

    def test_the_number_stands_beside_the_dot(self) -> None:
        dots = levels.error_by_level(summary(), unit="people").data[-1]
        assert dict(zip(dots.y, dots.text, strict=True)) == {"nation": "5", "county": "50"}

    def test_the_top_level_is_on_top(self) -> None:
        dots = levels.error_by_level(summary(), unit="people").data[-1]
        assert list(dots.y) == ["county", "nation"]

    def test_no_error_at_all_still_has_an_axis(self) -> None:
        still = summary(mean=[0.0, 0.0]).assign(**{"q97.5": 0.0})
        assert levels.axis_end(still) > 0
        assert levels.error_by_level(still, unit="x").layout.xaxis.range[1] > 0

    def test_table_and_text_hold_the_same_numbers(self) -> None:
        table = levels.table(summary())
        assert table["mean"].tolist() == [5, 50]
        text = levels.alt(summary(), unit="people")
        assert "nation: mean 5" in text
        assert "100 draws" in text


class TestSizes:
    def test_few_sizes_stand_one_by_one_and_the_last_may_mean_more(self) -> None:
        table = size_distribution.size_table(
            np.array([5, 3, 1]), np.array([4, 3, 2]), top_coded=True
        )
        assert table["size"].tolist() == ["0", "1", "2+"]
        assert table["error"].tolist() == [-1, 0, 1]

    @pytest.mark.parametrize("n", [2, 21, 22, 51, 100, 101, 1001])
    def test_classes_lose_nothing(self, n: int) -> None:
        true, released = np.arange(n), np.arange(n)[::-1].copy()
        table = size_distribution.size_table(true, released)
        assert table["true"].sum() == true.sum()
        assert table["released"].sum() == released.sum()
        assert table["size"].is_unique
        assert len(table) <= 21

    def test_many_sizes_come_in_classes(self) -> None:
        names = size_distribution.size_table(np.ones(1001), np.ones(1001))["size"].tolist()
        assert names[:11] == [str(i) for i in range(11)]
        assert names[11:] == ["11–20", "21–50", "51–100", "101–200", "201–500", "501–1000"]

    def test_the_difference_has_its_own_axis_and_its_numbers(self) -> None:
        table = size_distribution.size_table(np.array([1000, 5]), np.array([1001, 3]))
        figure = size_distribution.size_histogram(table, group="households")
        assert list(figure.data[2].text) == ["+1", "−2"]
        assert figure.data[2].yaxis != figure.data[0].yaxis
        low, high = figure.layout.yaxis2.range
        assert low < -2
        assert high > 1

    def test_text_names_the_largest_difference(self) -> None:
        table = size_distribution.size_table(np.array([1000, 5]), np.array([1001, 3]))
        assert "−2, at size 1" in size_distribution.alt(table, region="Texas", group="households")


class TestRegions:
    def test_worst_places_leave_out_those_without_a_relative_error(self) -> None:
        rows = frame([100, 0, 10], [101, 5, 20])
        worst = region_table.largest_errors(rows, ("county",))
        assert worst["name"].tolist() == ["Place 2", "Place 0"]

    def test_parents_are_named_where_names_are_not_enough(self) -> None:
        state = frame([20], [20], "state")
        county = frame([10, 10], [11, 12]).assign(name=["Lake", "Lake"])
        worst = region_table.largest_errors(pd.concat([state, county]), ("state", "county"))
        assert worst["above"].tolist() == ["Place 0", "Place 0"]

    def test_small_places_are_the_smallest_tenth(self) -> None:
        rows = frame([*range(1, 21)], [v + 1 for v in range(1, 21)])
        small = region_table.small_places(rows, "county")
        assert (small.regions, small.at_most, small.smallest) == (2, 2, "Place 0")
        assert small.median_rel == pytest.approx(0.75)

    def test_places_that_are_all_empty_have_no_relative_error(self) -> None:
        small = region_table.small_places(frame([0, 0], [1, 2]), "county")
        assert math.isnan(small.median_rel)

    def test_within_follows_parents_down(self) -> None:
        nation = frame([40], [40], "nation")
        state = frame([20, 20], [20, 20], "state").assign(parent="n0")
        county = frame([10, 10, 20], [11, 12, 20]).assign(parent=["s0", "s0", "s1"])
        rows = pd.concat([nation, state, county])
        names = ("nation", "state", "county")
        assert len(region_table.within(rows, names, 0, "n0", wanted=2)) == 3
        assert region_table.within(rows, names, 1, "s1", wanted=2)["id"].tolist() == ["c2"]
        assert region_table.within(rows, names, 2, "c1", wanted=2)["id"].tolist() == ["c1"]
