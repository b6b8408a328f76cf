"""Every map says what its boundaries are."""

import importlib
import inspect
import pkgutil

import numpy as np
import pandas as pd
import pytest

from hierdp_core import figures, samples
from hierdp_core.decisions import decide
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.explain import flows as flow_views
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.flows import arcs_and_matrix
from hierdp_core.figures.maps import error_map, frequency
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import APPROXIMATE, MapLayer
from hierdp_core.tables import Flows

BOX = (0.0, 1.0, 0.0, 1.0)
LAYER = MapLayer(polygons="/app/static/x.geojson", caption="Boundaries: R&D, 2010")
ROWS = pd.DataFrame(
    {
        "id": ["a", "b"],
        "name": ["Ada", "Bow"],
        "true": [10.0, 20.0],
        "released": [11.0, 20.0],
        "error": [1.0, 0.0],
        "abs_error": [1.0, 0.0],
        "rel_error": [0.1, 0.0],
    }
)
OUTCOME = decide(
    "threshold",
    LevelSimulations(
        level="county",
        nodes=np.arange(2),
        ids=("a", "b"),
        names=("Ada", "Bow"),
        true=np.array([10, 20]),
        released=np.array([[21, 19], [10, 20]]),
    ),
    limit=20,
)
ERRORS = {"box": BOX, "unit": "people"}


def flow_map():
    here = Regions.from_parents({"all": None, "a": "all", "b": "all"}, levels=("all", "town"))
    table = Flows.from_pairs(here, here, [0, 1], [1, 0], [5, 7])
    points = np.array([[0.1, 0.1], [0.9, 0.9]])
    return arcs_and_matrix.flow_map(
        flow_views.at_level(table, table, 1),
        ROWS[["id", "name"]],
        LAYER,
        starts=points,
        ends=points,
        box=BOX,
        shown="true",
        unit="trips",
        height=300,
    )


MAPS = {
    error_map.error_map: lambda: error_map.error_map(ROWS, LAYER, **ERRORS),
    error_map.chart: lambda: error_map.chart(ROWS, LAYER, title="t", height=200, **ERRORS),
    frequency.picture: lambda: frequency.picture(
        OUTCOME, LAYER, box=BOX, unit="people", height=200
    ),
    frequency.chart: lambda: frequency.chart(
        OUTCOME, LAYER, title="t", regions="2 counties", box=BOX, unit="people", height=200
    ),
    arcs_and_matrix.flow_map: flow_map,
}


def drawing_functions():
    """Every public function of the figures that makes a figure of polygons."""
    for module in pkgutil.walk_packages(figures.__path__, figures.__name__ + "."):
        for name, function in inspect.getmembers(
            importlib.import_module(module.name), inspect.isfunction
        ):
            own = function.__module__ == module.name and not name.startswith("_")
            takes = inspect.signature(function).parameters
            if own and "layer" in takes and "figure" not in takes:
                yield function


def test_no_map_is_left_out():
    assert set(drawing_functions()) == set(MAPS)


def test_polygons_are_drawn_from_layers_only():
    for module in pkgutil.walk_packages(figures.__path__, figures.__name__ + "."):
        source = inspect.getsource(importlib.import_module(module.name))
        assert source.count("geojson=") == source.count("geojson=layer.polygons"), module.name


@pytest.mark.parametrize("function", MAPS, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_every_map_has_the_caption_of_its_boundaries(function):
    made = MAPS[function]()
    figure = made.figure if isinstance(made, Chart) else made
    (caption,) = [a for a in figure.layout.annotations if a.text == "Boundaries: R&amp;D, 2010"]
    assert caption.visible is not False
    assert figure.layout.margin.b >= 13  # room for a line


def test_a_long_caption_is_broken_into_lines_that_have_room():
    long = MapLayer(polygons="x", caption="Boundaries: " + "a rather long name " * 6)
    figure = error_map.error_map(ROWS, long, height=150, **ERRORS)
    (caption,) = figure.layout.annotations
    lines = caption.text.split("<br>")
    assert max(map(len, lines)) <= 38
    assert figure.layout.margin.b >= 13 * len(lines)


@pytest.mark.slow
@pytest.mark.parametrize("id", samples.names())
def test_a_sample_states_what_its_boundaries_are(id):
    boundaries = samples.load(id).boundaries
    if id.startswith(("us-", "ri-")):
        assert boundaries.caption in samples.describe(id).source
        assert "US Census Bureau, cartographic boundary files 2010" in boundaries.caption
    elif id == "italy-commuting":
        assert boundaries.caption == APPROXIMATE == "Approximate boundaries"
    else:
        assert boundaries.caption == "Tiles in place of a map"
    for level in range(len(boundaries.shapes)):
        assert boundaries.layer(level).caption == boundaries.caption
