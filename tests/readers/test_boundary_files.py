"""Boundary files: found, matched, corrected, drawn; and the process that GDAL is confined to."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
import shapely

from hierdp_core.exceptions import TableError
from hierdp_core.maps.boundaries import APPROXIMATE, Boundaries
from hierdp_core.readers import Layout, Reading, read
from hierdp_core.readers.formats import shapes
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook

CODES = [f"{state:02d}{county:03d}" for state in (1, 2) for county in (1, 3, 5)]


def squares(crs: str = "EPSG:4326", codes: list[str] = CODES) -> geopandas.GeoDataFrame:
    """One square a county, side by side in the middle of the United States."""
    boxes = [shapely.box(-90 + i % 3, 40 - i // 3, -89 + i % 3, 41 - i // 3) for i in range(6)]
    frame = geopandas.GeoDataFrame(
        {"GEOID": codes, "NAME": [f"County {c}" for c in codes]}, geometry=boxes, crs="EPSG:4326"
    )
    return frame.to_crs(crs)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("fips,n\n" + "".join(f"{code},{i + 1}\n" for i, code in enumerate(CODES)))
    return path


def zipped_shapefile(frame: geopandas.GeoDataFrame, folder: Path, drop: str = "") -> Path:
    inner = folder / "inner"
    inner.mkdir()
    frame.to_file(inner / "counties.shp")
    path = folder / "counties.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for part in sorted(inner.iterdir()):
            if part.suffix != drop:
                archive.write(part, f"folder/{part.name}")
    return path


def geojson(path: Path, frame: geopandas.GeoDataFrame, **change: Any) -> Path:
    content = json.loads(frame.to_json(to_wgs84=False)) | change
    path.write_text(json.dumps(content))
    return path


def found(reading: Reading, kind: str) -> set[str]:
    return {f.id for f in reading.report.findings if f.kind == kind}


def areas(reading: Reading, level: int) -> np.ndarray[Any, Any]:
    assert reading.boundaries is not None, reading.report.lines()
    shapes = [shapely.from_geojson(json.dumps(s)) for s in reading.boundaries.shapes[level]]
    return np.asarray(shapely.area(shapes))


def test_geojson_is_matched_and_dissolved(tmp_path: Path, table: Path) -> None:
    reading = read_here([table, geojson(tmp_path / "b.geojson", squares())])
    assert reading.report.usable, reading.report.lines()
    assert reading.drawn == "boundaries of b.geojson"
    assert {"match", "names"} <= found(reading, "note")
    assert reading.table is not None
    assert reading.table.regions.names[-1] == "County 02005"
    counties, states, nation = (areas(reading, level) for level in (2, 1, 0))
    assert states.sum() == pytest.approx(counties.sum(), rel=1e-6)
    assert nation.sum() == pytest.approx(counties.sum(), rel=1e-6)
    # One degree by one degree about 40° north, on an equal-area plane of 100 km a degree.
    assert counties[0] == pytest.approx(1.111 * 0.854, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("crs", ["EPSG:4269", "EPSG:3857", "EPSG:32616"])
def test_a_zipped_shapefile_in_any_system_gives_the_same_map(
    tmp_path: Path, table: Path, crs: str
) -> None:
    reading = read(table, zipped_shapefile(squares(crs), tmp_path))
    assert reading.report.usable, reading.report.lines()
    assert areas(reading, 2)[0] == pytest.approx(1.111 * 0.854, rel=0.02)


@pytest.mark.slow
def test_a_geopackage_is_read(tmp_path: Path, table: Path) -> None:
    path = tmp_path / "b.gpkg"
    squares().to_file(path, layer="counties")
    reading = read(table, path)
    assert reading.report.usable, reading.report.lines()
    assert reading.boundaries is not None


def test_what_does_not_match_is_listed_on_both_sides(tmp_path: Path, table: Path) -> None:
    codes = [*CODES[:-1], "99999"]
    reading = read_here([table, geojson(tmp_path / "b.geojson", squares(codes=codes))])
    shown = {f.id: f for f in reading.report.corrections}
    assert shown["no-shape"].places == ('county "02005"',)
    assert shown["no-region"].places == ('"99999"',)
    assert len(areas(reading, 2)) == 6
    none = read_here([table, geojson(tmp_path / "c.geojson", squares(codes=list("abcdef")))])
    assert found(none, "error") == {"no-match"}
    few = [*CODES[:1], *"abcde"]
    assert "no-shape" in found(
        read_here([table, geojson(tmp_path / "d.geojson", squares(codes=few))]), "error"
    )


@pytest.mark.parametrize(
    ("codes", "rule"),
    [
        ([c.lstrip("0") for c in CODES], "leading zeros added"),
        ([f"0500000US{c}" for c in CODES], "after US"),
    ],
)
def test_codes_are_made_alike(tmp_path: Path, table: Path, codes: list[str], rule: str) -> None:
    frame = squares(codes=codes).drop(columns="NAME")
    reading = read_here([table, geojson(tmp_path / "b.geojson", frame)])
    (note,) = [f for f in reading.report.findings if f.id == "match"]
    assert rule in note.what
    assert reading.boundaries is not None


STATES = ("01", "02")


def states(codes: tuple[str, ...] = STATES, **columns: list[str]) -> geopandas.GeoDataFrame:
    """A triangle and an L, side by side."""
    outlines = [
        [(-90, 40), (-88, 43), (-88, 40)],
        [(-88, 40), (-88, 43), (-87, 43), (-87, 41), (-84, 41), (-84, 40)],
    ]
    shapes = [shapely.Polygon(outline) for outline in outlines]
    frame = {"STATEFP": list(codes), **columns}
    return geopandas.GeoDataFrame(frame, geometry=shapes, crs="EPSG:4326")


@pytest.mark.parametrize("codes", [STATES, ("1", "2"), ("0400000US01", "0400000US02")])
def test_boundaries_of_an_upper_level_alone_draw_that_level(
    tmp_path: Path, table: Path, codes: tuple[str, ...]
) -> None:
    shapes = geojson(tmp_path / "states.geojson", states(codes, NAME=["Alta", "Baja"]))
    reading = read_here([table, shapes])
    assert reading.report.usable, reading.report.lines()
    assert reading.table is not None
    assert reading.boundaries is not None
    assert reading.drawn.startswith("boundaries of states.geojson; areas below the level state")
    assert reading.table.regions.names[1:3] == ("Alabama", "Alaska")
    counties, drawn, nation = (areas(reading, level) for level in (2, 1, 0))
    # A triangle of 3 square degrees and an L of 6, about 41° north.
    assert drawn[1] / drawn[0] == pytest.approx(2, rel=0.03)
    assert nation.sum() == pytest.approx(drawn.sum(), rel=1e-6)
    # Parts of a state are equal, lie in it and fill it.
    for state in (0, 1):
        parts = counties[3 * state : 3 * state + 3]
        assert parts == pytest.approx(drawn[state] / 3, rel=2e-3)
        outline = shapely.from_geojson(json.dumps(reading.boundaries.shapes[1][state]))
        inside = [
            shapely.from_geojson(json.dumps(shape))
            for shape in reading.boundaries.shapes[2][3 * state : 3 * state + 3]
        ]
        union = shapely.union_all(inside)
        assert union.difference(outline.buffer(1e-3)).is_empty
        assert union.area == pytest.approx(outline.area, rel=1e-3)
    assert "equal parts" in reading.boundaries.caption
    assert reading.boundaries.plane is None


def test_boundaries_of_a_level_between_draw_what_is_above_and_below(tmp_path: Path) -> None:
    rows = ["region,district,ward,people"]
    for r, d, w in [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (1, 2, 3), (2, 3, 1), (2, 3, 2)]:
        rows.append(f"R{r},D{d},D{d}W{w},{10 * d + w}")
    table = tmp_path / "wards.csv"
    table.write_text("\n".join(rows) + "\n")
    boxes = [shapely.box(k, 50, k + 1, 51) for k in range(3)]
    named = geopandas.GeoDataFrame(
        {"ID": ["d1", "D2", "D3"], "LABEL": ["Aston", "Barton", "Corby"]},
        geometry=boxes,
        crs="EPSG:4326",
    )
    reading = read_here([table, geojson(tmp_path / "districts.geojson", named)])
    assert reading.report.usable, reading.report.lines()
    assert reading.table is not None
    own = reading.table.regions
    assert own.names[own.tree.level(2)] == ("Aston", "Barton", "Corby")
    wards, districts, regions = (areas(reading, level) for level in (3, 2, 1))
    assert regions[0] == pytest.approx(districts[:2].sum(), rel=1e-6)
    assert wards[2:5] == pytest.approx(districts[1] / 3, rel=2e-3)


def test_boundaries_of_the_last_level_come_before_those_of_an_upper_one(
    tmp_path: Path, table: Path
) -> None:
    frame = squares()
    frame["STATEFP"] = [code[:2] for code in CODES]
    reading = read_here([table, geojson(tmp_path / "b.geojson", frame)])
    assert reading.drawn == "boundaries of b.geojson"


@pytest.mark.parametrize(("name", "first"), [("index", 0), ("FID", 0), ("OBJECTID", 1)])
def test_numbers_of_shapes_are_no_codes(tmp_path: Path, table: Path, name: str, first: int) -> None:
    frame = states(("x", "y"), **{name: [str(first), str(first + 1)]})
    reading = read_here([table, geojson(tmp_path / "b.geojson", frame)])
    assert found(reading, "error") == {"no-match"}


def test_an_upper_level_of_a_geodataframe_is_taken_too(table: Path) -> None:
    reading = read_here([table])
    assert reading.table is not None
    made = Boundaries.from_geodataframe(states(), reading.table.regions)
    assert [len(level) for level in made.shapes] == [1, 2, 6]


def test_only_the_column_that_was_named_is_said_to_lack_the_codes(table: Path) -> None:
    reading = read_here([table])
    assert reading.table is not None
    regions, level = reading.table.regions, reading.table.regions.levels[-1]
    frame = squares().assign(other="x")
    with pytest.raises(TableError, match=f'^Column "other" does not hold .* {level}, such as "'):
        Boundaries.from_geodataframe(frame, regions, id="other")
    without = squares()[["geometry"]].assign(other="x")
    with pytest.raises(TableError, match=r"^No column of the .*\. Add such a column\."):
        Boundaries.from_geodataframe(without, regions)


def test_ids_may_stand_on_the_feature(tmp_path: Path, table: Path) -> None:
    content = json.loads(squares().to_json())
    for feature, code in zip(content["features"], CODES, strict=True):
        feature["id"], feature["properties"] = int(code), {}
    path = tmp_path / "b.geojson"
    path.write_text(json.dumps(content))
    assert read_here([table, path]).boundaries is not None


def test_rings_that_cross_are_repaired_and_several_shapes_joined(
    tmp_path: Path, table: Path
) -> None:
    frame = squares()
    shapes = frame.geometry.to_numpy()
    shapes[0] = shapely.Polygon([(-90, 40), (-89, 41), (-89, 40), (-90, 41)])
    frame = frame.set_geometry(shapes, crs="EPSG:4326")
    twice = frame.iloc[[0, 1, 2, 3, 4, 5, 5]].copy()
    reading = read_here([table, geojson(tmp_path / "b.geojson", twice)])
    assert {"rings", "dissolved"} <= found(reading, "correction")
    assert reading.boundaries is not None


def test_borders_that_overlap_are_cleaned(tmp_path: Path, table: Path) -> None:
    frame = squares()
    wider = shapely.buffer(frame.geometry.to_numpy(), 0.01, join_style="mitre")
    frame = frame.set_geometry(wider, crs="EPSG:4326")
    reading = read_here([table, geojson(tmp_path / "b.geojson", frame)])
    assert "borders" in found(reading, "correction")
    assert areas(reading, 1).sum() == pytest.approx(areas(reading, 2).sum(), rel=1e-3)


FAULTY: list[tuple[str, dict[str, Any], str]] = [
    ("metres", {"scale": 1e5}, "not-degrees"),
    ("empty", {"features": []}, "no-features"),
    ("no shapes", {"geometry": None}, "no-polygons"),
    ("points", {"geometry": {"type": "Point", "coordinates": [1, 1]}}, "points"),
    ("open ring", {"geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1]]]}},
     "broken-shape"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "fault"), FAULTY, ids=[case[0] for case in FAULTY])
def test_boundaries_that_cannot_be_drawn_are_faults(
    tmp_path: Path, table: Path, name: str, change: dict[str, Any], fault: str
) -> None:
    content = json.loads(squares().to_json())
    if "features" in change:
        content["features"] = []
    for feature in content["features"]:
        if "geometry" in change:
            feature["geometry"] = change["geometry"]
        if "scale" in change:
            rings = feature["geometry"]["coordinates"]
            feature["geometry"]["coordinates"] = [[[x * 1e5, y * 1e5] for x, y in r] for r in rings]
    path = tmp_path / "b.geojson"
    path.write_text(json.dumps(content))
    reading = read_here([table, path])
    assert fault in found(reading, "error"), reading.report.lines()
    assert reading.boundaries is None


@pytest.mark.parametrize("drop", [".shx", ".dbf"])
def test_a_shapefile_needs_its_parts(tmp_path: Path, table: Path, drop: str) -> None:
    reading = read(table, zipped_shapefile(squares(), tmp_path, drop))
    assert found(reading, "error") == {"shapefile-parts"}


@pytest.mark.slow
def test_a_shapefile_without_its_system_is_told_and_a_cut_one_refused(
    tmp_path: Path, table: Path
) -> None:
    path = zipped_shapefile(squares(), tmp_path, ".prj")
    assert "no-crs" in found(read(table, path), "correction")
    whole = {i.filename: zipfile.ZipFile(path).read(i) for i in zipfile.ZipFile(path).infolist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in whole.items():
            archive.writestr(name, data[:-40] if name.endswith(".shp") else data)
    assert found(read(table, path), "error") == {"truncated"}


def test_two_shapefiles_in_one_zip_are_refused(tmp_path: Path, table: Path) -> None:
    path = zipped_shapefile(squares(), tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("other.shp", b"1")
    assert found(read(table, path), "error") == {"two-shapefiles"}


@pytest.mark.slow
def test_gdal_has_two_drivers_or_does_not_run() -> None:
    drivers = "from hierdp_core.readers.formats.gdal import restricted_gdal as g; "
    free = subprocess.run(
        [sys.executable, "-c", "import pyogrio; " + drivers + "g()"],
        check=False,
        capture_output=True,
    )
    assert b"GDAL was started with drivers" in free.stderr
    ask = drivers + "print(sorted(g().list_drivers()))"
    held = subprocess.run([sys.executable, "-c", ask], capture_output=True, check=True)
    assert held.stdout.decode().strip() == "['ESRI Shapefile', 'GPKG']"


def test_centres_give_cells_and_nothing_gives_tiles(tmp_path: Path, table: Path) -> None:
    tiles = read_here([table])
    assert tiles.drawn.startswith("tiles")
    assert tiles.boundaries is not None
    gazetteer = tmp_path / "gaz.txt"
    head = "USPS\tGEOID\tNAME\tALAND\tAWATER\tALAND_SQMI\tAWATER_SQMI\tINTPTLAT\tINTPTLONG   \n"
    rows = [f"AL\t{c}\tDoña {c}\t1000000000\t0\t386\t0\t{40 + i % 2}\t{-90 + i}    \n"
            for i, c in enumerate(CODES)]  # fmt: skip
    gazetteer.write_bytes((head + "".join(rows)).encode("latin-1"))
    cells = read_here([table, gazetteer])
    assert cells.report.usable, cells.report.lines()
    assert cells.drawn == "approximate boundaries around the centres"
    assert cells.boundaries is not None
    assert cells.boundaries.caption == APPROXIMATE
    assert len(areas(cells, 2)) == 6


def test_the_stated_columns_say_which_file_is_the_table(tmp_path: Path) -> None:
    counts, centres = tmp_path / "a.csv", tmp_path / "b.csv"
    counts.write_text("where,n\nx,4\ny,5\n")
    centres.write_text("code,people,lat,lon\nx,1,40,-90\ny,2,41,-91\n")
    layout = Layout(kind="counts", row="region", levels=("where",), count="n")
    for files in ((counts, centres), (centres, counts)):
        reading = read_here(files, layout=layout)
        assert reading.report.usable, reading.report.lines()
        assert reading.table is not None
        assert reading.table.total == 9
        assert reading.drawn.startswith("approximate boundaries")


def test_boundaries_alone_are_no_table(tmp_path: Path) -> None:
    reading = read_here([geojson(tmp_path / "b.geojson", squares())])
    assert found(reading, "error") == {"no-table"}


def test_what_the_child_sends_is_what_was_read(tmp_path: Path, table: Path) -> None:
    path = geojson(tmp_path / "b.geojson", squares())
    here, there = read_here([table, path]), read(table, path)
    assert here.report == there.report
    assert here.layout == there.layout
    assert here.preview == there.preview
    assert here.table is not None
    assert there.table is not None
    assert here.table.regions.ids == there.table.regions.ids
    assert here.table.values.tolist() == there.table.values.tolist()
    assert areas(here, 1).tolist() == areas(there, 1).tolist()
    assert here.boundaries is not None
    assert there.boundaries is not None
    assert here.boundaries.caption == there.boundaries.caption == "Boundaries: b.geojson"


def test_boundaries_that_hold_the_counts_are_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    whole = shapes.read_features

    def counted(source: Source, notes: Notebook, limits: Limits) -> shapes.Features:
        parsed.append(source.name)
        return whole(source, notes, limits)

    monkeypatch.setattr(shapes, "read_features", counted)
    features = [
        {"type": "Feature", "properties": {"district": name, "population": 100 * k},
         "geometry": {"type": "Polygon", "coordinates": [
             [[k, 0], [k + 1, 0], [k + 1, 1], [k, 1], [k, 0]]]}}
        for k, name in enumerate(("North", "South", "East"), start=1)
    ]  # fmt: skip
    file = tmp_path / "districts.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    reading = read_here([file])
    assert reading.boundaries is not None
    assert parsed == ["districts.geojson"]


def test_too_few_shapes_are_an_error_that_does_not_promise_a_map(
    tmp_path: Path, table: Path
) -> None:
    codes = [CODES[0], *(f"9999{k}" for k in range(5))]
    reading = read_here([table, geojson(tmp_path / "b.geojson", squares(codes=codes))])
    fault = next(f for f in reading.report.faults if f.id == "no-shape")
    assert "fewer than half of the areas" in fault.what
    assert "square" not in fault.what


@pytest.mark.parametrize("unit", [1e6, 1e4, 1.0])
def test_areas_in_another_unit_do_not_keep_cells_from_being_formed(
    tmp_path: Path, unit: float
) -> None:
    rows = [
        f"{k:02d},{40 + k // 5 / 10:.1f},{5 + k % 5 / 10:.1f},{(50 + 7 * k) * 1e6 / unit:.0f},{k}"
        for k in range(25)
    ]
    path = tmp_path / "towns.csv"
    path.write_text("town,lat,lon,area,people\n" + "\n".join(rows), encoding="utf-8")
    reading = read_here([path], stated={"count": "people"})
    assert reading.boundaries is not None
    assert "centres" in reading.drawn


def _points(*properties: dict[str, Any]) -> str:
    features = [
        {"type": "Feature", "properties": own,
         "geometry": {"type": "Point", "coordinates": [31 + k % 5 / 10, 3 + k // 5 / 10]}}
        for k, own in enumerate(properties)
    ]  # fmt: skip
    return json.dumps({"type": "FeatureCollection", "features": features})


def test_points_with_counts_are_a_table_with_centres(tmp_path: Path) -> None:
    path = tmp_path / "settlements.geojson"
    rows = [{"district": f"D{k // 5}", "settlement": f"S{k}", "people": 900 + 7 * k * k}
            for k in range(15)]  # fmt: skip
    path.write_text(_points(*rows), encoding="utf-8")
    reading = read_here([path])
    assert reading.table is not None
    assert reading.table.regions.levels[-2:] == ("district", "settlement")
    assert int(reading.table.values[0].sum()) == sum(int(row["people"]) for row in rows)
    assert "centres" in reading.drawn


def test_points_without_counts_are_asked_about_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "stations.geojson"
    path.write_text(_points(*({"name": f"Station {k}"} for k in range(9))), encoding="utf-8")
    assert read_here([path]).table is None
    path.write_text(_points(*({"height": 1.5 + k} for k in range(9))), encoding="utf-8")
    assert read_here([path]).table is None


def test_points_whose_table_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "settlements.geojson"
    path.write_text(_points(*({"people": 900 + k, "note": "x" * 99} for k in range(9))))
    reading = read_here([path], limits=Limits(letters=50))
    assert reading.table is None
    assert found(reading, "error") == {"long-cell"}
