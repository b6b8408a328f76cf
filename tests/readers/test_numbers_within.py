"""Numbers that start again in each region, and numbers of rows that are no kinds."""

import json
from pathlib import Path

from hierdp_core.readers.reading import read_here
from tests.support.answers import offered, read_text, total

_SECTIONS = [(d, k, 40 + 7 * k + n) for d, n in (("North", 4), ("East", 24), ("South", 9))
             for k in range(1, n + 1)]  # fmt: skip
_WITHIN = {"levels": ("depto", "seccion"), "within": True}


def _text() -> str:
    rows = [f"{i},{d},{k},{n}" for i, (d, k, n) in enumerate(_SECTIONS, start=1)]
    return "\n".join(["OBJECTID,depto,seccion,poblacion", *rows])


def test_numbers_that_start_again_are_offered_as_a_level(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _text())
    assert reading.table is None
    assert offered(reading) == [_WITHIN, {"add_up": True}]
    table = read_text(tmp_path, _text(), **_WITHIN).table
    assert table is not None
    assert table.regions.tree.level_sizes.tolist() == [1, 3, 37]


def test_a_number_of_the_row_is_never_a_kind_to_keep(tmp_path: Path) -> None:
    text = _text().replace("seccion", "remark")
    rows = [f"{i},{d},{'ab'[k % 2]}{k},{n}" for i, (d, k, n) in enumerate(_SECTIONS, start=1)]
    for body in (text, "\n".join(["OBJECTID,depto,remark,poblacion", *rows])):
        answers = offered(read_text(tmp_path, body))
        assert answers
        assert "OBJECTID" not in str(answers)


def test_numbers_that_all_regions_share_are_no_level(tmp_path: Path) -> None:
    rows = [f"{d},{m},{40 + m}" for d in ("North", "East", "South") for m in range(1, 13)]
    answers = offered(read_text(tmp_path, "\n".join(["depto,month,births", *rows])))
    assert {"levels": ("depto", "month"), "within": True} not in answers


def test_boundaries_of_the_same_file_belong_to_the_numbered_regions(tmp_path: Path) -> None:
    features = [
        {"type": "Feature",
         "properties": {"OBJECTID": i, "depto": d, "seccion": k, "poblacion": n},
         "geometry": {"type": "Polygon", "coordinates": [
             [[i, 0], [i + 1, 0], [i + 1, 1], [i, 1], [i, 0]]]}}
        for i, (d, k, n) in enumerate(_SECTIONS, start=1)
    ]  # fmt: skip
    path = tmp_path / "s.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    assert offered(read_here([path]))[0] == _WITHIN
    reading = read_here([path], stated=_WITHIN)
    assert total(reading) == sum(n for _, _, n in _SECTIONS)
    assert reading.drawn == "boundaries of s.geojson"
    assert reading.boundaries is not None
    assert len(reading.boundaries.shapes[-1]) == 37
