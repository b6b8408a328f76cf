"""Hostile files that earlier attacks did not try: each is told in a sentence, and soon."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading

TABLE = "country,region,people\nX,r0,1\nX,r1,2\n"
MOST_SECONDS = 5.0  # of processor time


def faults(reading: Reading) -> set[str]:
    return {finding.id for finding in reading.report.faults}


def soon(*files: Path) -> Reading:
    """The reading of some files, which takes little time."""
    start = time.process_time()
    reading = read_here(files)
    assert time.process_time() - start < MOST_SECONDS
    return reading


def triangle(x: float) -> list[list[float]]:
    return [[x, 0], [x + 1, 0], [x + 1, 1], [x, 0]]


def with_boundaries(folder: Path, first: list[Any], *, crs: str = "") -> list[Path]:
    table, shapes = folder / "table.csv", folder / "shapes.geojson"
    table.write_text(TABLE)
    features = [
        {"type": "Feature", "properties": {"code": code}, "geometry": geometry}
        for code, geometry in (
            ("r0", {"type": "Polygon", "coordinates": first}),
            ("r1", {"type": "Polygon", "coordinates": [triangle(2)]}),
        )
    ]
    about = {"type": "FeatureCollection", "features": features}
    shapes.write_text(json.dumps(about | ({"crs": {"properties": {"name": crs}}} if crs else {})))
    return [table, shapes]


def square(half: float) -> list[list[float]]:
    return [[-half, -half], [half, -half], [half, half], [-half, half], [-half, -half]]


def rings_within_each_other() -> list[Any]:
    return [square(10 / (1 + k / 2000)) for k in range(8_000)]


def holes_outside() -> list[Any]:
    places = [k * 1e-4 for k in range(8_000)]
    return [[[x, 0], [x + 5e-5, 0], [x + 5e-5, 5e-5], [x, 0]] for x in places]


@pytest.mark.parametrize("rings", [rings_within_each_other, holes_outside])
def test_a_shape_of_too_many_rings_is_refused(
    tmp_path: Path, rings: Callable[[], list[Any]]
) -> None:
    assert faults(soon(*with_boundaries(tmp_path, rings()))) == {"tangle"}


def test_a_shape_with_many_lakes_is_read(tmp_path: Path) -> None:
    lakes = [
        [[x, y], [x + 0.004, y], [x + 0.004, y + 0.004], [x, y]]
        for x in np.arange(-0.9, 0.9, 0.02)
        for y in np.arange(-0.9, 0.9, 0.02)
    ]
    assert "tangle" not in faults(soon(*with_boundaries(tmp_path, [square(1), *lakes])))


def test_many_small_tangles_count_together(tmp_path: Path) -> None:
    points = np.random.default_rng(1).random((900, 2))
    rings = [[[*p] for p in (points + k).tolist()] for k in range(40)]
    table, shapes = with_boundaries(tmp_path, [triangle(0)])
    about = json.loads(shapes.read_text(encoding="utf-8"))
    about["features"] += [
        {
            "type": "Feature",
            "properties": {"code": f"s{k}"},
            "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
        }
        for k, ring in enumerate(rings)
    ]
    shapes.write_text(json.dumps(about))
    assert faults(soon(table, shapes)) == {"tangle"}


def test_shapes_that_are_repaired_to_nothing_are_told(tmp_path: Path) -> None:
    reading = soon(*with_boundaries(tmp_path, [triangle(0)], crs="EPSG:4978"))
    assert faults(reading) <= {"no-polygons", "not-degrees", "crs"}
    flat = [[[0, 0], [1, 1], [0, 0], [0, 0]]]
    told = soon(*with_boundaries(tmp_path, flat)).report.findings
    assert any(one.id == "not-polygons" and one.what.startswith("1 ") for one in told)


def test_half_a_letter_in_json_becomes_a_question_mark(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    rows = [{"country": "X", "region": f"r{k}", "people": k} for k in range(3)]
    file.write_text(json.dumps([*rows, {"country": "X", "region": "a\ud800", "people": 4}]))
    assert "a?" in "".join(map(str, soon(file).preview))
    file.write_text(json.dumps([*rows, {"country": "X", "region": "\U0001f600", "people": 4}]))
    assert "\U0001f600" in "".join(map(str, soon(file).preview))


def test_records_with_names_of_their_own_are_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps([{f"k{k}": k} for k in range(20_000)]))
    assert faults(soon(file)) == {"columns"}


def test_json_stat_may_have_any_number_of_dimensions(tmp_path: Path) -> None:
    names = ["region", *(f"d{k}" for k in range(99))]
    sizes = [3, *[1] * 99]
    dimension = {
        name: {"category": {"index": [f"{name}{k}" for k in range(size)]}}
        for name, size in zip(names, sizes, strict=True)
    }
    file = tmp_path / "table.json"
    file.write_text(
        json.dumps({"version": "2.0", "id": names, "dimension": dimension, "value": [1, 2, 3]})
    )
    assert "crash" not in faults(soon(file))
