"""Released numbers with margins: what is drawn is what the package says."""

import numpy as np
import pandas as pd
import pytest

from hierdp_core.figures import published

geopandas = pytest.importorskip("geopandas")

ROWS = pd.DataFrame(
    {
        "id": ["a", "b", "c"],
        "name": ["Ash", "Beech", "Cedar"],
        "value": [200.0, 0.0, 50.0],
        "margin": [20.0, 7.0, np.nan],
        "low": [180.0, 0.0, np.nan],
        "high": [220.0, 7.0, np.nan],
    }
)


def squares(**how):
    from shapely import box

    shapes = [box(x, 60, x + 1, 61) for x in range(3)]
    return geopandas.GeoDataFrame(ROWS, geometry=shapes, **how)


def test_a_dot_stands_on_its_interval():
    chart = published.intervals(ROWS.assign(label=ROWS["name"]), title="Parishes", level=0.9)
    (dots,) = chart.figure.data
    assert list(dots.x) == [200, 0, 50]
    assert list(dots.error_x.array) == [20, 7, 0]
    assert list(dots.error_x.arrayminus) == [20, 0, 0]
    assert list(chart.figure.layout.yaxis.ticktext) == ["Ash", "Beech", "Cedar"]
    assert "90%" in chart.alt
    assert list(chart.table["from"].dropna()) == [180, 0]


def test_a_map_has_every_area_once_and_those_without_a_share_apart():
    chart = published.margin_map(squares(), title="Margins")
    drawn = [trace for trace in chart.figure.data if trace.type == "choropleth"]
    assert [list(trace.locations) for trace in drawn] == [["a"], ["b", "c"]]
    assert "largest 10% in Ash" in chart.alt
    assert "Without a relative margin: 2" in chart.alt
    assert published.NO_SHARE in [trace.name for trace in chart.figure.data]


def test_degrees_are_drawn_with_the_proportions_of_their_latitude():
    """At 60 degrees north a degree east is half as long as one north."""
    for system, width in (("EPSG:4326", 0.5), (None, 1.0)):
        chart = published.margin_map(squares(crs=system), title="Margins")
        first = chart.figure.data[0].geojson["features"][0]["geometry"]["coordinates"][0]
        x, y = np.array(first).T
        assert np.ptp(x) / np.ptp(y) == pytest.approx(width, abs=0.02)
