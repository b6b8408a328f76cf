"""What is derived is what the script makes."""

import csv
import gzip
import json
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hierdp_core.maps.arcs import Arcs

shapely = pytest.importorskip("shapely")

SAMPLE_DATA = Path(__file__).parents[2] / "sample_data"


def build(out, *arguments):
    command = [sys.executable, SAMPLE_DATA / "build.py", "--out", out, *arguments]
    subprocess.run(command, check=True)


def geometries(file):
    return json.loads(gzip.decompress(file.read_bytes()))


def write_official_municipalities(file):
    official = ("PRO_COM_T", "COMUNE", "COD_PROV", "NUTS3", "POP_2011", "LAT", "LON")
    with (SAMPLE_DATA / "it_municipalities.csv").open(encoding="utf-8") as known:
        _, *rows = csv.reader(known)
    with file.open("w", encoding="utf-8", newline="") as target:
        table = csv.writer(target)
        table.writerow(official)
        for code, name, province, people, lat, lon in rows[::-1]:
            table.writerow([code, name, int(province), "IT", people, f"{lat}0001", f"{lon}0001"])


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    out = tmp_path_factory.mktemp("rebuilt")
    facts = tmp_path_factory.mktemp("facts")
    official = ("GEOID", "USPS", "NAME", "POP10", "HU10", "ALAND_SQMI", "LAT", "LON")
    with (SAMPLE_DATA / "us_counties.csv").open(encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    with (facts / "us_counties_2010.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(official)
        # Official rows come in another order, with more decimals.
        table.writerows([*row[:5], *(f"{value}0001" for value in row[5:])] for row in rows[::-1])
    write_official_municipalities(facts / "italy_municipalities_2011.csv")
    build(out, "--facts", facts)
    return out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["us_counties.csv", "us_households.csv", "it_municipalities.csv"])
def test_tables_are_rebuilt_to_the_byte(rebuilt, name):
    assert (rebuilt / name).read_bytes() == (SAMPLE_DATA / name).read_bytes()


@pytest.mark.slow
def test_shapes_are_rebuilt(rebuilt):
    """The same places and, except for the rounding of another geometry library, the same shapes."""
    name, last = "it_boundaries.json.gz", "municipality"
    made, committed = geometries(rebuilt / name), geometries(SAMPLE_DATA / name)
    assert {level: list(shapes) for level, shapes in made.items()} == {
        level: list(shapes) for level, shapes in committed.items()
    }
    for id, shape in committed[last].items():
        old, new = (shapely.from_geojson(json.dumps(s)) for s in (shape, made[last][id]))
        assert shapely.area(shapely.symmetric_difference(old, new)) < 0.05 * shapely.area(old)


@pytest.mark.slow
def test_every_run_makes_the_same_bytes(rebuilt, tmp_path):
    build(tmp_path)
    for name in ("us_households.csv", "it_boundaries.json.gz"):
        assert (tmp_path / name).read_bytes() == (rebuilt / name).read_bytes()


@pytest.mark.slow
def test_us_boundaries_are_those_of_the_census_bureau(tmp_path):
    """Every county nearly as large as published; the build is not repeated without its package."""
    pytest.importorskip("_plotly_geo", reason="the Census Bureau's file is needed to build only")
    build(tmp_path, "--census")
    name = "us_boundaries.csv"
    assert (tmp_path / name).read_bytes() == (SAMPLE_DATA / name).read_bytes()
    rebuilt, committed = (
        Arcs.read(folder / "us_boundaries.npz").polygons(fine=True)
        for folder in (tmp_path, SAMPLE_DATA)
    )
    apart = shapely.area(shapely.symmetric_difference(rebuilt, committed))
    assert (apart < 0.01 * shapely.area(committed)).all()


def test_files_are_small():
    sizes = [file.stat().st_size for file in SAMPLE_DATA.iterdir() if file.is_file()]
    assert sum(sizes) < 2_000_000


@pytest.mark.slow
def test_the_model_of_occupancy_errs_as_the_readme_says(monkeypatch):
    """In each known county, judged by the model that was chosen without it."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    script = runpy.run_path(str(SAMPLE_DATA / "build.py"))
    counties = script["read"](SAMPLE_DATA / "us_counties.csv")
    found = script["nation_calibrated"]([row for row in counties if row["state"] != "PR"])
    left_out = 100 * np.abs(np.expm1(found.left_out))
    assert left_out.mean() == pytest.approx(1.6, abs=0.05)
    assert left_out.max() == pytest.approx(4.2, abs=0.05)
    assert (np.abs(found.left_out) >= np.abs(found.plain) - 1e-6).all()
    assert "| mean absolute | 1.2 | 1.6 |" in (SAMPLE_DATA / "README.md").read_text("utf-8")
