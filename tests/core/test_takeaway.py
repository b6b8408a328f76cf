"""What is taken away opens again, holds what was released, and runs nowhere."""

import io
import json
import zipfile

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError
from hierdp_core.regions import Regions
from hierdp_core.settings import Settings
from hierdp_core.tables import Counts
from hierdp_core.tiles import tile_layout
from hierdp_core.writers.takeaway import FORMATS, defused, package


@pytest.fixture(scope="module")
def taken():
    """A ZIP in every format, of the running example, with the release it holds."""
    settings = Settings(sample="running-example", mechanism="pgsr-h-dp", epsilon=1)
    data = hdp.samples.load(settings.sample)
    release = hdp.run(data.table, settings.plan(data.table), seed=3)
    packed = package(release, settings, formats=list(FORMATS), boundaries=data.boundaries)
    return release, settings, zipfile.ZipFile(io.BytesIO(packed))


def test_every_format_of_every_level_is_there(taken):
    _, settings, packed = taken
    names = set(packed.namelist())
    assert {f"released-{level}.{f}" for level in ("nation", "state") for f in FORMATS} < names
    assert packed.read("settings.toml").decode() == settings.to_toml()
    statement = json.loads(packed.read("statement.json"))
    assert statement["epsilon"] == 1
    assert "not a private release" in statement["note"]


def test_tables_hold_what_was_released(taken):
    release, _, packed = taken
    states = release.table.values[release.table.tree.level(1)]
    for read, name in ((pd.read_csv, "csv"), (pd.read_parquet, "parquet")):
        frame = read(io.BytesIO(packed.read(f"released-state.{name}")))
        assert frame["value"].to_numpy().reshape(states.shape).tolist() == states.tolist()
        assert frame["id"].unique().tolist() == ["GA", "NY"]


def test_maps_hold_every_quantity_and_say_what_plane_they_lie_on(taken, tmp_path):
    release, _, packed = taken
    occupied = release.table.values[1:, 1:].sum(axis=1).tolist()
    collection = json.loads(packed.read("released-state.geojson"))
    assert [f["properties"]["occupied"] for f in collection["features"]] == occupied
    assert "not longitude and latitude" in collection["note"]
    path = tmp_path / "state.gpkg"
    path.write_bytes(packed.read("released-state.gpkg"))
    frame = gpd.read_file(path)
    assert frame["occupied"].tolist() == occupied
    assert frame["name"].tolist() == ["Georgia", "New York"]
    assert frame.crs is not None
    assert not frame.crs.is_geographic


def test_a_package_holds_no_true_value(taken):
    """The true table is another one, and nothing in the package is read from it."""
    release, _, packed = taken
    true = hdp.samples.load("running-example").table.values
    assert (release.table.values != true).any()
    frame = pd.read_csv(io.BytesIO(packed.read("released-state.csv")))
    assert list(frame.columns) == ["level", "id", "name", "size", "value"]


@pytest.mark.parametrize("text", ["=1+1", "+A1", "-2", "@SUM(A1)", "\t=1", " =1", "|x", "\r=1"])
def test_no_text_runs_as_a_formula(text):
    frame = defused(pd.DataFrame({"name": [text, "plain"], text: [1, 2]}))
    assert frame["name"].tolist() == [f"'{text}", "plain"]
    assert all(not str(c).startswith(("=", "+", "-", "@", "\t", "|", "\r")) for c in frame.columns)


def test_negative_numbers_stay_numbers():
    assert defused(pd.DataFrame({"value": [-1.5, 2]}))["value"].tolist() == [-1.5, 2]


def test_hostile_names_are_defused_in_the_package():
    regions = Regions.from_parents(
        {"all": None, "x": "all"}, levels=("country", "=cmd|x"), names={"x": "=HYPERLINK(1)"}
    )
    table = Counts.from_leaves(regions, np.array([5]))
    release = hdp.release(table, "tree-dp", epsilon=1)
    settings = Settings(mechanism="tree-dp")
    packed = zipfile.ZipFile(io.BytesIO(package(release, settings, formats=["csv"], own=True)))
    assert "settings.toml" not in packed.namelist()
    text = packed.read("released-cmd-x.csv").decode()
    assert "'=HYPERLINK(1)" in text
    assert "'=cmd|x" in text


def test_unusable_formats_are_said():
    data = hdp.samples.load("running-example")
    release = hdp.release(data.table, "pgsr-h-dp", epsilon=1)
    settings = Settings(sample="running-example")
    with pytest.raises(ChoiceError, match='No format "xls"; there are: csv, parquet'):
        package(release, settings, formats=["xls"])
    with pytest.raises(ChoiceError, match="at least one format"):
        package(release, settings, formats=[])
    with pytest.raises(ChoiceError, match="needs boundaries"):
        package(release, settings, formats=["geojson"])
    own = tile_layout(data.table.regions, label="x")
    assert package(release, settings, formats=["geojson"], boundaries=own)
