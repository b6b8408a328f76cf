"""What is taken away opens again, holds what was released, and runs nowhere."""

import io
import json
import zipfile
from dataclasses import replace

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
from support.simulations import simulated

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import Plane
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.settings import Settings
from hierdp_core.tables import Counts
from hierdp_core.util.marks import CONFIDENTIAL, SEEDED
from hierdp_core.writers.defused import defused
from hierdp_core.writers.exploration import write_errors
from hierdp_core.writers.takeaway import FORMATS, formats_for, package


@pytest.fixture(scope="module")
def taken():
    """A ZIP in every format, of the running example, with the release it holds."""
    settings = Settings(sample="running-example", mechanism="pgsr-h-dp", epsilon=1)
    data = hdp.samples.load(settings.sample)
    simulation = hdp.simulate(data.table, settings.plan(data.table), seed=3)
    packed = package(simulation, settings, formats=list(FORMATS), boundaries=data.boundaries)
    return simulation, settings, zipfile.ZipFile(io.BytesIO(packed))


def test_every_format_of_every_level_is_there(taken):
    _, settings, packed = taken
    names = set(packed.namelist())
    assert {f"simulated-{level}.{f}" for level in ("nation", "state") for f in FORMATS} < names
    assert packed.read("settings.toml").decode() == settings.to_toml()
    statement = json.loads(packed.read("statement.json"))
    assert statement["epsilon"] == 1
    assert "not for publication" in statement["note"]


def test_tables_hold_what_was_released(taken):
    simulation, _, packed = taken
    states = simulation.table.values[simulation.table.tree.level(1)]
    for read, name in ((pd.read_csv, "csv"), (pd.read_parquet, "parquet")):
        frame = read(io.BytesIO(packed.read(f"simulated-state.{name}")))
        assert frame["value"].to_numpy().reshape(states.shape).tolist() == states.tolist()
        assert frame["id"].unique().tolist() == ["GA", "NY"]


def test_maps_hold_every_quantity_and_say_what_plane_they_lie_on(taken, tmp_path):
    simulation, _, packed = taken
    occupied = simulation.table.values[1:, 1:].sum(axis=1).tolist()
    collection = json.loads(packed.read("simulated-state.geojson"))
    assert [f["properties"]["occupied"] for f in collection["features"]] == occupied
    assert "not longitude and latitude" in collection["note"]
    path = tmp_path / "state.gpkg"
    path.write_bytes(packed.read("simulated-state.gpkg"))
    frame = gpd.read_file(path)
    assert frame["occupied"].tolist() == occupied
    assert frame["name"].tolist() == ["Georgia", "New York"]
    assert frame.crs is not None
    assert not frame.crs.is_geographic


def test_a_package_holds_no_true_value(taken):
    """The true table is another one, and nothing in the package is read from it."""
    simulation, _, packed = taken
    true = hdp.samples.load("running-example").table.values
    assert (simulation.table.values != true).any()
    frame = pd.read_csv(io.BytesIO(packed.read("simulated-state.csv")))
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
    simulation = simulated(table, "tree-dp", epsilon=1)
    settings = Settings(mechanism="tree-dp")
    packed = zipfile.ZipFile(io.BytesIO(package(simulation, settings, formats=["csv"], own=True)))
    assert "settings.toml" not in packed.namelist()
    text = packed.read("simulated-cmd-x.csv").decode()
    assert "'=HYPERLINK(1)" in text
    assert "'=cmd|x" in text


def test_unusable_formats_are_reported():
    data = hdp.samples.load("running-example")
    simulation = simulated(data.table, "pgsr-h-dp", epsilon=1)
    settings = Settings(sample="running-example")
    with pytest.raises(ChoiceError, match=r'no format "xls".* csv, parquet'):
        package(simulation, settings, formats=["xls"])
    with pytest.raises(ChoiceError, match="at least one of"):
        package(simulation, settings, formats=[])
    with pytest.raises(ChoiceError, match="have no boundaries"):
        package(simulation, settings, formats=["geojson"])
    own = tile_layout(data.table.regions, label="x")
    assert package(simulation, settings, formats=["geojson"], boundaries=own)


def test_maps_of_places_on_the_earth_are_in_degrees(tmp_path):
    """A square about (10 E, 45 N), drawn on a plane and taken back."""
    data = hdp.samples.load("running-example")
    plane = Plane(
        system="+proj=laea +lat_0=45 +lon_0=10 +datum=WGS84 +units=m", x=0, y=0, factor=1e-5
    )
    tiles = tile_layout(data.table.regions, label="x")
    placed = replace(tiles, plane=plane)
    simulation = simulated(data.table, "pgsr-h-dp", epsilon=1)
    packed = zipfile.ZipFile(
        io.BytesIO(
            package(
                simulation,
                Settings(sample="running-example"),
                formats=["geojson", "gpkg"],
                boundaries=placed,
            )
        )
    )
    assert "longitude and latitude (WGS 84)" in packed.read("READ-ME.txt").decode()
    path = tmp_path / "state.gpkg"
    path.write_bytes(packed.read("simulated-state.gpkg"))
    frame = gpd.read_file(path)
    assert frame.crs.to_epsg() == 4326
    back = frame.to_crs(plane.system)
    drawn = tiles.level(1)["features"]
    for shape, feature in zip(back.geometry, drawn, strict=True):
        x, y = np.array(feature["geometry"]["coordinates"][0]).T
        wanted = abs((x[:-1] * y[1:] - x[1:] * y[:-1]).sum()) / 2 * 1e10
        assert shape.area == pytest.approx(wanted, rel=1e-6)
    collection = json.loads(packed.read("simulated-state.geojson"))
    longitude, latitude = np.array(collection["features"][0]["geometry"]["coordinates"][0]).T
    assert abs(longitude - 10).max() < 90
    assert abs(latitude - 45).max() < 45


def test_flows_are_taken_away_as_lists_of_pairs():
    data = hdp.samples.load("ri-commuting")
    assert formats_for(data.table) == ["csv", "parquet"]
    assert formats_for(hdp.samples.load("running-example").table) == list(FORMATS)
    simulation = simulated(data.table, "inftda", rho=1)
    settings = Settings(sample="ri-commuting", mechanism="inftda")
    packed = zipfile.ZipFile(io.BytesIO(package(simulation, settings, formats=["csv", "parquet"])))
    frame = pd.read_csv(io.BytesIO(packed.read("simulated-county.csv")))
    assert frame["value"].sum() == data.table.total
    assert "without a row has a simulated count of 0" in packed.read("READ-ME.txt").decode()
    with pytest.raises(ChoiceError, match="have no shapes"):
        package(simulation, settings, formats=["gpkg"], boundaries=data.boundaries)


def test_errors_are_marked_only_if_they_were_computed_from_true_counts(tmp_path):
    errors = pd.DataFrame({"size": [0.5], "reached": [0.9]})
    write_errors(tmp_path / "true.csv", errors)
    write_errors(tmp_path / "synthetic.csv", errors, contains_truth=False)
    assert "contains true values" in (tmp_path / "true.csv").read_text(encoding="utf-8")
    assert (tmp_path / "synthetic.csv").read_text(encoding="utf-8") == "size,reached\n0.5,0.9\n"


@pytest.mark.parametrize("confidential", [False, True])
def test_every_file_of_confidential_data_is_marked(tmp_path, confidential):
    data = hdp.samples.load("running-example")
    packed = zipfile.ZipFile(
        io.BytesIO(
            package(
                simulated(data.table, "pgsr-h-dp", epsilon=1),
                Settings(sample="running-example", mechanism="pgsr-h-dp"),
                formats=list(FORMATS),
                boundaries=data.boundaries,
                own=True,
                confidential=confidential,
            )
        )
    )
    path = tmp_path / "state.gpkg"
    path.write_bytes(packed.read("simulated-state.gpkg"))
    collection = json.loads(packed.read("simulated-state.geojson"))
    rows = [
        pd.read_csv(io.BytesIO(packed.read("simulated-state.csv"))),
        pd.read_parquet(io.BytesIO(packed.read("simulated-state.parquet"))),
        gpd.read_file(path),
        pd.DataFrame([feature["properties"] for feature in collection["features"]]),
    ]
    for frame in rows:
        notes = set(frame["note"]) if "note" in frame else set()
        assert notes == ({f"{SEEDED}; {CONFIDENTIAL}"} if confidential else set())
