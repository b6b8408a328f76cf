"""Hostile files that earlier attacks did not try: each leads to one sentence, and soon."""

import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
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


def test_shapes_that_are_repaired_to_nothing_are_reported(tmp_path: Path) -> None:
    reading = soon(*with_boundaries(tmp_path, [triangle(0)], crs="EPSG:4978"))
    assert faults(reading) <= {"no-polygons", "not-degrees", "crs"}
    flat = [[[0, 0], [1, 1], [0, 0], [0, 0]]]
    shown = soon(*with_boundaries(tmp_path, flat)).report.findings
    assert any(one.id == "not-polygons" and one.what.startswith("1 ") for one in shown)


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


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def cell(place: str, value: object) -> str:
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def row(number: int, *values: object) -> str:
    cells = (cell(f"{column}{abs(number)}", value) for column, value in zip("ABC", values))  # noqa: B905
    return f'<row r="{number}">{"".join(cells)}</row>'


def workbook(folder: Path, more: str = "", *, below: str = "", **parts: str) -> Path:
    """A workbook with a table of five rows, and more rows and parts."""
    rows = [
        row(1, "country", "region", "people"),
        *(row(k, "X", f"r{k}", 37 * k) for k in range(2, 7)),
    ]
    members = {
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{LINKS}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="r1" '
        'Target="sheet.xml"/></Relationships>',
        "xl/sheet.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{"".join(rows)}{more}</sheetData>'
        f"{below}</worksheet>",
        **{f"xl/{name}.xml": content for name, content in parts.items()},
    }
    file = folder / "table.xlsx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file


@pytest.mark.parametrize("number", [-5, 0, 2**63, 10**30])
def test_a_row_that_no_workbook_has_is_reported(tmp_path: Path, number: int) -> None:
    assert faults(soon(workbook(tmp_path, row(number, "X", "q", 3)))) == {"damaged"}


def test_a_sheet_without_a_file_is_reported(tmp_path: Path) -> None:
    file = workbook(tmp_path)
    other = tmp_path / "other.xlsx"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b' r:id="r1"', b""))
    assert faults(soon(other)) == {"empty"}


def test_merged_cells_that_overlap_are_reported(tmp_path: Path) -> None:
    merged = '<mergeCell ref="A2:A9999999"/>' * 20_000
    file = workbook(tmp_path, below=f"<mergeCells>{merged}</mergeCells>")
    assert faults(soon(file)) == {"damaged"}


def test_a_text_with_a_number_below_zero_is_reported(tmp_path: Path) -> None:
    shared = '<row r="7"><c r="A7" t="s"><v>-1</v></c><c r="B7" t="s"><v>-1</v></c></row>'
    texts = f'<sst xmlns="{SHEET}"><si><t>last</t></si></sst>'
    assert faults(soon(workbook(tmp_path, shared, sharedStrings=texts))) == {"damaged"}


@pytest.mark.parametrize(
    "style",
    [
        '<xf numFmtId="0"><alignment indent="2000000000"/></xf>',
        '<xf numFmtId="0"><alignment indent="-7"/></xf>',
    ],
)
def test_a_style_makes_no_cell_long(tmp_path: Path, style: str) -> None:
    styles = f'<styleSheet xmlns="{SHEET}"><cellXfs>{style}</cellXfs></styleSheet>'
    texts = f'<sst xmlns="{SHEET}"><si><t>X</t></si></sst>'
    more = (
        '<row r="7"><c r="A7" t="s" s="0"><v>0</v></c>'
        f'{cell("B7", "q")}<c r="C7" s="0"><v>5</v></c></row>'
    )
    reading = soon(workbook(tmp_path, more, sharedStrings=texts, styles=styles))
    assert faults(reading) == set()
    assert reading.table is not None
    assert sum(reading.table.leaf_arrays()["values"]) == 37 * 20 + 5


def test_a_number_is_shown_with_few_zeros(tmp_path: Path) -> None:
    formats = f'<numFmts><numFmt numFmtId="200" formatCode="{"0" * 2_000_000}"/></numFmts>'
    styles = f'<styleSheet xmlns="{SHEET}">{formats}<cellXfs><xf numFmtId="200"/></cellXfs>'
    more = f'<row r="7">{cell("A7", "X")}{cell("B7", "q")}<c r="C7" s="0"><v>5</v></c></row>'
    reading = soon(workbook(tmp_path, more, styles=f"{styles}</styleSheet>"))
    assert max(len(cell) for row in reading.preview for cell in row) < 200
    assert faults(reading) <= {"unclear"}


def test_a_long_cell_of_a_workbook_is_reported_soon(tmp_path: Path) -> None:
    letters = np.random.default_rng(2).integers(97, 123, 20_000_000, dtype=np.uint8)
    more = row(7, "X", letters.tobytes().decode(), 3)
    assert faults(soon(workbook(tmp_path, more))) == {"long-cell"}


def opendocument(folder: Path, more: str) -> Path:
    def words(*values: object) -> str:
        return "".join(
            f'<table:table-cell office:value-type="float" office:value="{value}"/>'
            if isinstance(value, int)
            else f"<table:table-cell><text:p>{value}</text:p></table:table-cell>"
            for value in values
        )

    rows = [words("country", "region", "people"), *(words("X", f"r{k}", k) for k in range(5))]
    listed = "".join(f"<table:table-row>{one}</table:table-row>" for one in rows)
    file = folder / "table.ods"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/manifest.xml", "<m/>")
        archive.writestr(
            "content.xml",
            '<d xmlns:office="o" xmlns:table="t" xmlns:text="x"><table:table table:name="S">'
            f"{listed}{more}</table:table></d>",
        )
    return file


def in_row(*cells: str, times: int = 1) -> str:
    listed = "".join(
        f'<table:table-cell office:value-type="float" office:value="1" {cell}/>' for cell in cells
    )
    return f'<table:table-row table:number-rows-repeated="{times}">{listed}</table:table-row>'


@pytest.mark.parametrize(
    "more",
    [
        in_row(
            'table:number-columns-repeated="-1000000000"',
            'table:number-columns-repeated="1000000000"',
        ),
        in_row("", times=-9),
        in_row(times=10**40) + in_row(""),
        in_row(f'table:number-columns-repeated="{10**40}"'),
        in_row(f'table:number-rows-spanned="{10**12}"'),
    ],
)
def test_cells_that_no_program_repeats_so_often_are_reported(tmp_path: Path, more: str) -> None:
    assert faults(soon(opendocument(tmp_path, more))) == {"damaged"}


def test_a_px_file_of_many_values_is_read_soon(tmp_path: Path) -> None:
    n = 100_000
    file = tmp_path / "table.px"
    values = ",".join(f'"r{k}"' for k in range(n))
    file.write_text(
        f'CHARSET="ANSI";\nAXIS-VERSION="2010";\nSTUB="region";\nHEADING="year";\n'
        f'VALUES("region")={values};\nVALUES("year")="2020";\nDATA=\n{"1 " * n};\n'
    )
    assert "damaged" not in faults(soon(file))


@pytest.mark.parametrize("place", ["region", "more"])
def test_a_column_without_a_text_is_left_out_and_told(tmp_path: Path, place: str) -> None:
    table = {"country": ["X"] * 3, "region": ["a", "b", "c"], "people": [10, 35, 7]}
    odd = pa.array([1, 2, 3], pa.timestamp("s", "No/Where"))
    file = tmp_path / "table.parquet"
    pq.write_table(pa.table({**table, place: odd}), file)
    reading = soon(file)
    assert "crash" not in faults(reading)
    assert any(one.id == "type" and place in one.what for one in reading.report.findings)


def test_a_zip_with_a_member_called_a_point_is_read(tmp_path: Path) -> None:
    packed = tmp_path / "shapes.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("s.shp", "s.shx", "s.dbf", "."):
            archive.writestr(name, b"")
    table = tmp_path / "table.csv"
    table.write_text(TABLE)
    assert faults(soon(table, packed)) == {"damaged"}
