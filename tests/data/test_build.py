"""What is derived is what the script makes."""

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

shapely = pytest.importorskip("shapely")

SAMPLE_DATA = Path(__file__).parents[2] / "sample_data"


def build(out, *arguments):
    command = [sys.executable, SAMPLE_DATA / "build.py", "--out", out, *arguments]
    subprocess.run(command, check=True)


def geometries(file):
    return json.loads(gzip.decompress(file.read_bytes()))


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
    build(out, "--facts", facts)
    return out


@pytest.mark.parametrize("name", ["us_counties.csv", "us_households.csv"])
def test_tables_are_rebuilt_to_the_byte(rebuilt, name):
    assert (rebuilt / name).read_bytes() == (SAMPLE_DATA / name).read_bytes()


def test_shapes_are_rebuilt(rebuilt):
    """The same places and, but for what another geometry library rounds, the same shapes."""
    name = "us_boundaries.json.gz"
    made, committed = geometries(rebuilt / name), geometries(SAMPLE_DATA / name)
    assert {level: list(shapes) for level, shapes in made.items()} == {
        level: list(shapes) for level, shapes in committed.items()
    }
    for id, shape in committed["county"].items():
        old, new = (shapely.from_geojson(json.dumps(s)) for s in (shape, made["county"][id]))
        assert shapely.area(shapely.symmetric_difference(old, new)) < 0.05 * shapely.area(old)


def test_every_run_makes_the_same_bytes(rebuilt, tmp_path):
    build(tmp_path)
    for name in ("us_households.csv", "us_boundaries.json.gz"):
        assert (tmp_path / name).read_bytes() == (rebuilt / name).read_bytes()


def test_files_are_small():
    sizes = [file.stat().st_size for file in SAMPLE_DATA.iterdir() if file.is_file()]
    assert sum(sizes) < 2_000_000
