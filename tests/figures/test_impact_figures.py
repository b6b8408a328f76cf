"""Figures of Decide: what is drawn is what the tables and the words say."""

import doctest

import numpy as np
import pandas as pd
import pytest

from hierdp_core.decisions import Column, decide
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.evaluation.size_classes import by_size as sizes_of
from hierdp_core.figures.errors import by_size, spread
from hierdp_core.figures.maps import frequency
from hierdp_core.figures.maps.frequency import BANDS, NO_PART, colours
from hierdp_core.maps.boundaries import MapLayer

LAYER = MapLayer(polygons="/app/static/x.geojson", caption="Boundaries: somebody")
BOX = (0.0, 1.0, 0.0, 1.0)
NAMES = ("Ada", "Bow", "Cay", "Puerto Rico")


def places(released):
    return LevelSimulations(
        level="county",
        nodes=np.arange(4),
        ids=tuple("abcd"),
        names=NAMES,
        true=np.array([10, 20, 30, 0]),
        released=np.asarray(released),
    )


PLACES = places([[21, 19, 30, 1], [10, 20, 30, 2], [10, 21, 31, 0], [11, 20, 29, 0]])
OUTCOME = decide("threshold", PLACES, limit=20)


def test_examples_in_the_docstrings() -> None:
    result = doctest.testmod(frequency)
    assert result.attempted >= 2
    assert result.failed == 0


def test_every_place_is_on_the_map_in_the_colour_of_its_band() -> None:
    figure = frequency.picture(OUTCOME, LAYER, box=BOX, unit="people", height=200)
    trace, *keys = figure.data
    assert [key.name for key in keys] == list(BANDS)
    assert [key.marker.color for key in keys] == colours("light")
    assert trace.locations.tolist() == list("abcd")
    assert trace.z.tolist() == [4, 4, 0, 0]  # 1 of 4 draws, 1 of 4, never, never
    assert [colour for _, colour in trace.colorscale] == colours("light")
    assert len(set(colours("light")) | set(colours("dark"))) == 2 * len(BANDS)
    assert (trace.zmin, trace.zmax) == (0, len(BANDS) - 1)
    name, true, share, *details = trace.customdata[0]
    assert (name, true, share) == ("Ada", "10", "25%")
    assert "is misclassified in" in trace.hovertemplate
    for place, (column, text) in enumerate(
        zip(OUTCOME.rule.place_columns, details, strict=True), start=3
    ):
        assert f"<br>{column.title}: %{{customdata[{place}]}}" in trace.hovertemplate
        assert text == frequency.in_words(column, OUTCOME.places[column.id].iloc[0])
    assert "25%" in details


def test_places_that_take_no_part_have_a_colour_and_a_word_of_their_own() -> None:
    outcome = decide("seats", PLACES, seats=9)
    figure = frequency.picture(outcome, LAYER, box=BOX, unit="people", height=200)
    assert [len(t.locations) for t in figure.data[:2]] == [3, 1]
    assert figure.data[1].colorscale[0][1] == NO_PART[0]
    assert frequency.legend(outcome)[-1] == NO_PART
    assert NO_PART not in frequency.legend(OUTCOME)
    assert "of 3 areas." in frequency.alt(outcome, title="4 counties")


def test_the_table_of_the_map_starts_with_those_hit_most_often() -> None:
    table = frequency.table(OUTCOME)
    assert table["county"].tolist() == ["Ada", "Bow", "Cay", "Puerto Rico"]
    assert table["different outcome"].tolist() == [0.25, 0.25, 0, 0]
    assert table["False negative"].tolist() == [0, 0.25, 0, 0]
    shown = frequency.alt(OUTCOME, title="4 counties")
    assert shown.endswith(
        "over 4 simulations. It happens at least once for 2 of 4 areas. It happens most often for "
        "Ada, in 25% of simulations."
    )
    never = decide("threshold", PLACES, limit=500)
    assert frequency.alt(never, title="4 counties").endswith("at least once for 0 of 4 areas.")


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [("flag", True, "yes"), ("count", 3.0, "3"), ("number", 2.34, "2.3"), ("share", 0.5, "50%")],
)
def test_values_are_reported_by_their_kind(kind: str, value: float, text: str) -> None:
    column = Column(id="x", title="X", kind=kind, about="")
    assert frequency.in_words(column, value) == text


def test_a_histogram_holds_every_simulation_whole_numbers_one_by_one() -> None:
    frame = spread.histogram(np.array([3, 5, 5, 4, 5]))
    assert frame["from"].tolist() == frame["to"].tolist() == [3, 4, 5]
    assert frame["simulations"].tolist() == [1, 1, 3]
    many = spread.histogram(np.random.default_rng(0).normal(size=300))
    assert len(many) == 20
    assert many["simulations"].sum() == 300
    one = spread.histogram(np.full(7, 0.25))
    assert one["simulations"].tolist() == [7]


@pytest.mark.parametrize("value", [0.1, 3.3, -1e9 / 3, 1e-300])
def test_numbers_that_differ_by_the_rounding_of_floats_share_a_bar(value: float) -> None:
    values = np.array([value, np.nextafter(value, 2), np.nextafter(value, -2)])
    frame = spread.histogram(values)
    assert frame["simulations"].tolist() == [3]
    assert frame["from"].tolist() == frame["to"].tolist()
    assert spread.picture(values, title="", kind="share").data[0].y.tolist() == [3]


def test_the_spread_shows_its_mean_and_what_the_true_counts_give() -> None:
    values = np.array([0.1, 0.2, 0.3])
    figure = spread.picture(values, title="Deviation", kind="share", exact=0.15)
    assert sum(figure.data[0].y) == 3
    assert figure.data[1].x[0] == pytest.approx(0.2)
    assert [shape.x0 for shape in figure.layout.shapes] == [0.15]
    assert not spread.picture(values, title="Moved", kind="count").layout.shapes
    assert spread.table(values, kind="share")["simulations"].sum() == 3
    shown = spread.alt(values, title="Deviation", kind="share")
    assert shown.startswith(
        "Deviation over 3 simulations: mean 20%, median 20%, 95% of simulations"
    )


def test_bars_by_size_keep_zero_apart_and_leave_nothing_out() -> None:
    frame = sizes_of(PLACES, OUTCOME.places["wrong"].to_numpy())
    names = by_size.labels(frame)
    assert names == ["true count 0", "10", "20", "30"]
    for draw in (by_size.relative, by_size.bias, by_size.wrong):
        bar, numbers = draw(frame).data
        assert len(numbers.text) == 4
        assert list(bar.y) == names
    relative = by_size.relative(frame)
    assert relative.data[1].text[0] == " none "
    assert relative.layout.xaxis.range[0] == 0
    low, high = by_size.bias(frame.assign(bias=[-3.0, 1, 0, 0])).layout.xaxis.range
    assert low < -3
    assert high > 1
    table = by_size.table(frame)
    assert list(table) == list(by_size.KINDS)
    assert table["true count 0, released above 0"][0] == 0.5
    assert table["areas"].sum() == 4
    shown = by_size.alt(frame, "median_rel", title="Error")
    assert "true count 0: –; 10: " in shown


def test_an_empty_interval_of_one_simulation_has_no_whisker() -> None:
    frame = sizes_of(places([[11, 19, 30, 0]]))
    assert by_size.bias(frame).data[0].error_x.array.tolist() == [0, 0, 0, 0]
    assert by_size.wrong(frame).data[1].text[0] == " none "
    assert isinstance(by_size.table(frame), pd.DataFrame)
