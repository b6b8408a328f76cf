"""A table as an office abroad saves it: read as it was meant, and every correction is reported."""

import json

import pytest

from hierdp_core.readers import read


@pytest.fixture
def files(tmp_path):
    """28 districts of 4 states, semicolons, points between thousands, codes with zeros."""
    rows, shapes = ["Land;Kreis;Kreisname;Einwohner"], []
    for state in range(1, 5):
        for k in range(1, 8):
            code, people = f"{state:02d}{k:03d}", 1_000 * (13 * k + state) + 7 * k
            text = f"{people:,}".replace(",", ".")
            rows.append(f"{state:02d};{code};Ort {state}-{k};{text}")
            x, y = 8 + 0.5 * k, 50 + 0.5 * state
            ring = [[x, y], [x + 0.5, y], [x + 0.5, y + 0.5], [x, y + 0.5], [x, y]]
            geometry = {"type": "Polygon", "coordinates": [ring]}
            shapes.append({"type": "Feature", "properties": {"AGS": code}, "geometry": geometry})
    table, boundaries = tmp_path / "kreise.csv", tmp_path / "kreise.geojson"
    table.write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    boundaries.write_text(json.dumps({"type": "FeatureCollection", "features": shapes}))
    return table, boundaries


@pytest.mark.slow
def test_it_is_read_as_it_was_meant(files):
    reading = read(*files)
    assert reading.report.usable, reading.report.lines()
    regions = reading.table.regions
    assert regions.levels == ("total", "land", "kreis")
    assert regions.ids[-1] == "04007"
    assert regions.names[-1] == "Ort 4-7"
    assert reading.table.values[-1] == 95_049
    assert any("thousands separator" in line for line in reading.report.lines())
    assert any("matched to 28 of 28" in line for line in reading.report.lines())
    assert reading.boundaries.plane is not None


def test_few_numbers_with_a_point_are_not_guessed_at(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("place;people\na;1.234\nb;2.345\n")
    reading = read(path)
    assert not reading.report.usable
    assert any("not a whole number" in line for line in reading.report.lines())


def test_groups_without_empty_ones_are_told_what_that_means(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("place,household\na,1\na,1\na,2\nb,3\n")
    reading = read(path)
    assert reading.report.usable, reading.report.lines()
    assert any("only member of a group leaves" in line for line in reading.report.lines())
