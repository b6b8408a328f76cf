"""Rows chosen by `keep` and `leave_out`, whether a file is read whole or as a stream."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierdp_core.readers import Layout, Limits, Reading
from hierdp_core.readers.reading import read_here

WHOLE, STREAMED = Limits(), Limits(text_bytes=10)


def read_text(folder: Path, text: str, **asked: object) -> Reading:
    path = folder / "t.csv"
    path.write_text(text)
    return read_here([path], **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("limits", [WHOLE, STREAMED])
@pytest.mark.parametrize(
    ("chosen", "sizes"),
    [({}, [0, 0, 0, 2]), ({"leave_out": "sex=M"}, [0, 0, 2]), ({"keep": "sex=F"}, [0, 2])],
)
@pytest.mark.parametrize("prefix", ["", "h"])
def test_members_of_a_group_that_are_left_do_not_part_it(
    tmp_path: Path, prefix: str, chosen: dict[str, str], sizes: list[int], limits: Limits
) -> None:
    rows = [
        f"{town},{prefix}{home},{sex}" for town in ("a", "b") for home in (1, 2) for sex in "FXM"
    ]
    layout = {"kind": "group-sizes", "row": "person", "levels": "town", "group": "home"} | chosen
    reading = read_text(
        tmp_path, "\n".join(["town,home,sex", *rows]), layout=Layout.of(layout), limits=limits
    )
    assert reading.table is not None, reading.report.lines()
    assert reading.table.values[1].tolist() == sizes


def test_a_stated_choice_of_rows_does_not_undo_a_guessed_one(tmp_path: Path) -> None:
    rows = [
        f"{town}ton,{year},{sex},{count + ord(town)}"
        for town in "abcdefgh"
        for year in (2020, 2021)
        for sex, count in (("m", 3), ("f", 4), ("total", 7))
    ]
    text = "\n".join(["region,year,sex,count", *rows])
    reading = read_text(tmp_path, text, stated={"keep": "year=2021"})
    assert reading.layout is not None
    assert reading.layout.keep == ("year=2021", "sex=total")
    assert reading.table is not None, reading.report.lines()


def test_a_long_text_is_streamed_by_the_names_that_its_columns_were_given(tmp_path: Path) -> None:
    text = "my  region,,sex\n" + "".join(f"T{row % 3},C{row % 6},f\n" for row in range(12))
    layout = Layout(row="person", levels=("my region", "column 2"))
    reading = read_text(tmp_path, text, layout=layout, limits=STREAMED)
    assert reading.table is not None, reading.report.lines()
    assert reading.table.values[0] == 12


def test_a_commuting_matrix_of_travellers_abroad_alone_is_told(tmp_path: Path) -> None:
    record = "S 1 001 002  1 2 3 000 000 215 +  + + ND                     9  \n"
    (fault,) = read_text(tmp_path, record * 3).report.faults
    assert fault.id == "no-rows"


def test_short_floating_point_numbers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    counts = pa.array(np.array([1.0, 20.0, 300.0], dtype=np.float16))
    pq.write_table(pa.table({"town": ["a", "b", "c"], "count": counts}), path)
    reading = read_here([path], layout=Layout(levels=("town",), count="count"))
    assert reading.table is not None, reading.report.lines()
    assert reading.table.values[0] == 321


@pytest.mark.parametrize(
    "chosen", [{"leave_out": ("town=a", "town=b")}, {"missing": "left out", "keep": ("town=c",)}]
)
def test_nothing_left_is_a_fault(tmp_path: Path, chosen: dict[str, object]) -> None:
    layout = Layout.of({"kind": "counts", "levels": "town", "count": "n"} | chosen)
    reading = read_text(tmp_path, "town,n\na,1\nb,2\nc,…", layout=layout)
    if "leave_out" in chosen:
        reading = read_text(tmp_path, "town,n\na,1\nb,2", layout=layout)
    assert reading.table is None
    assert [fault.id for fault in reading.report.faults] == ["no-rows"]
    assert not reading.report.usable


def test_places_on_a_grid_are_no_counts(tmp_path: Path) -> None:
    rows = [f"E{k:03},Area {k},{400_000 + 977 * k},{300_000 + 1_013 * k}" for k in range(40)]
    reading = read_text(tmp_path, "\n".join(["code,name,BNG_E,BNG_N", *rows]))
    assert reading.table is None
    assert not reading.report.usable


@pytest.mark.parametrize("limits", [WHOLE, STREAMED])
def test_a_condition_that_leaves_out_no_row_is_noted(tmp_path: Path, limits: Limits) -> None:
    text = "town,sex\na,F\nb,M\nb,F\n"
    layout = Layout(row="person", levels=("town",), leave_out=("sex=M", "sex=Male"))
    reading = read_text(tmp_path, text, layout=layout, limits=limits)
    assert reading.table is not None
    assert reading.table.values[0] == 2
    (note,) = [one for one in reading.report.findings if one.id == "nothing-left-out"]
    assert '"Male" in column "sex"' in note.sentence


def test_no_note_on_a_confidential_table_depends_on_the_rows_left_out(tmp_path: Path) -> None:
    areas = tmp_path / "areas.csv"
    areas.write_text("town\na\nb\n")
    layout = Layout(row="person", levels=("town",), leave_out=("sex=Male",))
    reading = read_text(
        tmp_path, "town,sex\na,F\n", layout=layout, regions=areas, confidential=True
    )
    assert reading.table is not None, reading.report.lines()
    assert "nothing-left-out" not in {one.id for one in reading.report.findings}


@pytest.mark.parametrize(("kind", "noted"), [("OPD", True), ("Ward", False)])
def test_areas_without_a_row_that_is_read_are_named(tmp_path: Path, kind: str, noted: bool) -> None:
    lines = ["facility,service,beds"]
    for k in range(10):
        services = ["Ward", "Laboratory"] if k % 4 == 3 else ["Ward", "OPD", "Laboratory"]
        lines += [f"F{k},{service},{40 + 7 * k + len(service)}" for service in services]
    stated = {"levels": ["facility"], "count": "beds", "keep": [f"service={kind}"]}
    reading = read_text(tmp_path, "\n".join(lines), stated=stated)
    noted_areas = [f.what for f in reading.report.findings if f.id == "areas-without-row"]
    assert bool(noted_areas) == noted
    if noted:
        assert noted_areas[0].startswith("2 of 10 areas of column")
