"""Figures say what the data say, whatever the data are."""

import html
import json
import math
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.figures import style
from hierdp_core.figures.errors import levels
from hierdp_core.figures.maps import error_map, region_table, scale
from hierdp_core.figures.maps.frames import class_digits
from hierdp_core.figures.program import size_distribution
from hierdp_core.maps.boundaries import MapLayer


def layer(address: str, caption: str = "Boundaries: somebody") -> MapLayer:
    return MapLayer(polygons=address, caption=caption)


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
    base = {"level": ["nation", "county"], "mean": [5.0, 50.0], "simulations": [100, 100]}
    return pd.DataFrame(base | quantiles | columns)


class TestMaps:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_every_region_is_drawn_once_and_the_odd_ones_apart(self, theme: scale.Theme) -> None:
        rows = frame([100, 100, 0, 0, 50], [110, 100, 3, 0, 49])
        figure = error_map.error_map(rows, layer("/x.geojson"), box=BOX, unit="people", theme=theme)
        drawn = [list(trace.locations) for trace in figure.data]
        assert drawn == [["c0", "c1", "c4"], ["c2", "c3"]]
        assert {colour for _, colour in figure.data[1].colorscale} == {scale.UNDEFINED[theme]}
        assert figure.data[0].z.tolist() == [5, 0, 3]

    def test_the_same_error_has_the_same_colour_on_every_map(self) -> None:
        one = error_map.error_map(frame([100], [110]), layer("u"), box=BOX, unit="x")
        two = error_map.error_map(frame([100, 10], [110, 20]), layer("u"), box=BOX, unit="x")
        assert one.data[0].z[0] == two.data[0].z[0] == 5
        assert (one.data[0].zmin, one.data[0].zmax) == (two.data[0].zmin, two.data[0].zmax)
        assert one.data[0].colorscale == two.data[0].colorscale

    def test_borders_vanish_where_regions_are_many(self) -> None:
        def width(n: int) -> float:
            rows = frame([10] * n, [11] * n)
            figure = error_map.error_map(rows, layer("u"), box=BOX, unit="x")
            return float(figure.data[0].marker.line.width)

        assert width(50) > width(300) > width(3000) == 0

    def test_a_click_leaves_the_other_regions_readable(self) -> None:
        figure = error_map.error_map(frame([10], [11]), layer("u"), box=BOX, unit="x")
        assert figure.data[0].unselected.marker.opacity == 1

    def test_the_region_in_question_has_a_line_around_it(self) -> None:
        rows = frame([10, 10], [11, 12])
        figure = error_map.error_map(rows, layer("u"), box=BOX, unit="x", marked="c1")
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
        assert "true count of 0" in text
        counts = error_map.class_counts(rows).set_index("relative error")["areas"]
        assert counts["10–50%"] == counts["< 0.01%"] == 1
        assert counts.sum() == 2
        assert error_map.table(rows)["name"].tolist() == ["Place 0", "Place 1", "Place 2"]

    def test_text_names_no_worst_place_without_errors(self) -> None:
        text = error_map.alt(frame([100, 1000], [100, 1000]), title="2 counties", unit="people")
        assert "All relative errors are 0%." in text
        assert "Place" not in text

    def test_a_map_keeps_the_shape_of_its_box(self) -> None:
        assert error_map.height_for((0, 2, 0, 1), 400) < error_map.height_for((0, 1, 0, 1), 400)
        assert error_map.height_for((0, 100, 0, 1), 400) >= 130
        assert error_map.height_for((0, 1, 0, 100), 400) <= 440


class TestScale:
    def test_classes_are_half_open_and_hold_everything(self) -> None:
        for k, (low, high) in enumerate(pairwise((1e-4, 1e-3, 0.01, 0.05, 0.1))):
            inside = np.array([low, (low + high) / 2, math.nextafter(high, 0)])
            assert scale.SHARED.classes(inside).tolist() == [k + 1] * 3
        assert scale.SHARED.classes(np.array([0.0, 9e-5])).tolist() == [0, 0]
        assert scale.SHARED.classes(np.array([0.1, 0.5, 0.5001, 1e9])).tolist() == [5, 5, 6, 6]

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_colours_go_away_from_the_page_step_by_step(self, theme: scale.Theme) -> None:
        page = {"light": 1.0, "dark": 0.0}[theme]
        away = [abs(luminance(colour) - page) for colour in scale.RAMPS[theme]]
        assert away == sorted(away)
        assert min(np.diff(away)) > 0.01

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_plotly_paints_each_class_in_its_colour(self, theme: scale.Theme) -> None:
        steps = scale.SHARED.colour_scale(theme)
        n = len(scale.LABELS)
        for k, colour in enumerate(scale.RAMPS[theme]):
            middle = (k + 0.5) / n  # of class k between -0.5 and n - 0.5
            below = [c for edge, c in steps if edge <= middle][-1]
            above = next(c for edge, c in steps if edge >= middle)
            assert below == above == colour

    def test_the_legend_names_every_class_and_what_has_none(self) -> None:
        for label in scale.LABELS:
            assert label.replace("<", "&lt;").replace(">", "&gt;") in scale.SHARED.legend(
                "light", undefined=False
            )
            assert label in scale.SHARED.alt(undefined=False)
        assert "true count 0" in scale.SHARED.legend("dark", undefined=True)
        assert "true count 0" not in scale.SHARED.legend("dark", undefined=False)
        assert scale.SHARED.alt(undefined=True) in html.unescape(
            scale.SHARED.legend("dark", undefined=True)
        )


class TestLocalScale:
    def test_its_classes_part_the_areas_of_one_map(self) -> None:
        relative = np.random.default_rng(0).lognormal(-7, 1, 300)
        few = scale.local(relative)
        counts = np.bincount(few.classes(relative), minlength=len(few.labels))
        assert counts.max() < 0.5 * counts.sum() < counts[counts > 0.04 * counts.sum()].sum()
        assert len(few.labels) == len(few.colours("light")) <= len(scale.RAMPS["light"])
        assert list(few.edges) == sorted(set(few.edges))

    def test_the_shared_classes_are_named_as_they_always_were(self) -> None:
        assert scale.LABELS == (
            "< 0.01%",
            "0.01–0.1%",
            "0.1–1%",
            "1–5%",
            "5–10%",
            "10–50%",
            "> 50%",
        )

    @pytest.mark.parametrize("relative", [[], [0.0, 0.0], [math.nan, 0.0]])
    def test_areas_without_an_error_have_one_colour(self, relative: list[float]) -> None:
        alone = scale.local(np.array(relative, dtype=float))
        assert alone.colours("dark") == scale.RAMPS["dark"][:1]
        assert set(alone.classes(np.array([0.0, 1.0])).tolist()) == {0}
        assert "Relative error: 0%." in alone.legend("dark", undefined=False)

    def test_a_map_is_painted_by_its_own_scale(self) -> None:
        rows = frame([100, 100, 1000], [110, 101, 1001])
        alone = scale.local(rows["rel_error"].to_numpy(float))
        figure = error_map.error_map(rows, layer("u"), box=BOX, unit="people", scale=alone)
        assert figure.data[0].zmax == len(alone.labels) - 0.5

    def test_a_large_map_can_be_dragged(self) -> None:
        rows = frame([100, 100], [110, 101])
        still = error_map.chart(rows, layer("u"), title="x", box=BOX, unit="people", height=200)
        moved = error_map.movable(still, name="48")
        assert (still.figure.layout.dragmode, moved.figure.layout.dragmode) == (False, "pan")
        assert moved.figure.layout.uirevision == "48"


class TestFrames:
    def test_a_digit_for_the_class_of_every_area_in_every_simulation(self) -> None:
        areas = LevelSimulations(
            level="county",
            nodes=np.arange(3),
            ids=("a", "b", "c"),
            names=("a", "b", "c"),
            true=np.array([100, 0, 1000]),
            released=np.array([[100, 3, 1600], [102, 0, 1000], [0, 0, 0]]),
        )
        assert class_digits(areas, most=2) == ["076", "370"]
        assert len(class_digits(areas, most=9)) == 3


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


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
        assert "100 simulations" in text


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

    def test_within_follows_parents_down(self) -> None:
        nation = frame([40], [40], "nation")
        state = frame([20, 20], [20, 20], "state").assign(parent="n0")
        county = frame([10, 10, 20], [11, 12, 20]).assign(parent=["s0", "s0", "s1"])
        rows = pd.concat([nation, state, county])
        names = ("nation", "state", "county")
        assert len(region_table.within(rows, names, 0, "n0", wanted=2)) == 3
        assert region_table.within(rows, names, 1, "s1", wanted=2)["id"].tolist() == ["c2"]
        assert region_table.within(rows, names, 2, "c1", wanted=2)["id"].tolist() == ["c1"]


def test_a_value_in_a_box_does_not_touch_the_word_before_it() -> None:
    folder = Path(style.__file__).parent
    touching = {
        path.name: found
        for path in sorted(folder.rglob("*.py"))
        if (found := re.findall(r"[\w}]%\{\{?\w+", path.read_text(encoding="utf-8")))
    }
    assert not touching
