"""Rules for layouts that are no plain lists, each by itself."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers import Layout, Reading
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.guess import guess
from hierdp_core.readers.columns.matrix import find_matrix
from hierdp_core.readers.columns.question import Choice, combined_choice
from hierdp_core.readers.columns.turned import AREA, may_be_transposed, transposed
from hierdp_core.readers.formats.header import header_of
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook, Unreadable
from tests.support.answers import offered, total


def sheet(text: str) -> Sheet:
    names, *rows = [line.split(",") for line in text.strip().splitlines()]
    columns = tuple(pa.array(cells, pa.string()) for cells in zip(*rows, strict=True))
    return Sheet(file="t.csv", names=tuple(names), columns=columns)


def read_text(folder: Path, text: str, **stated: object) -> Reading:
    (folder / "t.csv").write_text(text)
    return read_here([folder / "t.csv"], stated=stated)


def ids(reading: Reading) -> set[str]:
    return {finding.id for finding in reading.report.findings}


def test_a_table_with_a_column_for_each_region_is_turned() -> None:
    wide = sheet("label,North,South,East,West\nmen,1,2,3,4\nwomen,5,6,7,8\nmen,9,9,9,9")
    wide = replace(wide, rows=np.arange(2, 5))
    assert may_be_transposed(SheetFacts(wide))
    tall = transposed(wide, Notebook("t.csv"))
    assert tall.names[0] == AREA
    assert len(set(tall.names)) == 4  # rows with one name are distinguished
    assert tall.column(AREA).to_pylist() == ["North", "South", "East", "West"]
    assert tall.column("women").to_pylist() == ["5", "6", "7", "8"]
    assert not may_be_transposed(SheetFacts(tall))


@pytest.mark.parametrize(
    "names", ["2019,2020,2021,2022", "1,2,3,4", "area_km2,density,rate,income"]
)
def test_years_sizes_and_measures_are_no_regions(names: str) -> None:
    assert not may_be_transposed(SheetFacts(sheet(f"label,{names}\na,1,2,3,4\nb,5,6,7,8")))


def test_what_cannot_be_turned_is_said() -> None:
    with pytest.raises(Unreadable, match="columns of numbers"):
        transposed(sheet("a,b\nx,y\nz,w"), Notebook("t.csv"))


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        (["County", "Municipality"], True),
        (["Land", "Stadtkreis/Landkreis", "Gemeinde"], True),
        (["Leeds", "York"], False),
        (["County", "County"], False),  # one level tells no rows apart
        (["County", "Leeds"], False),
    ],
)
def test_a_column_names_levels_by_all_of_its_cells(cells: list[str], named: bool) -> None:
    assert ColumnFacts("kind", pa.array(cells, pa.string())).level_of_row == named


def test_sexes_are_no_level_above_the_regions() -> None:
    rows = "\n".join(f"{s},{c},{k + 10}" for s in ("män", "kvinnor") for k, c in enumerate("abcde"))
    found = guess(sheet("grupp,ort,antal\n" + rows))
    assert found.question is not None
    assert found.layout is not None
    assert found.layout.levels == ("ort",)


def test_what_comes_with_every_region_is_asked_about() -> None:
    rows = "\n".join(f"{s},{c},{k + 10}" for s in ("x1", "x2") for k, c in enumerate("abcde"))
    found = guess(sheet("wave,ort,antal\n" + rows))
    assert found.question is not None


def test_a_total_by_its_sums_needs_every_region(tmp_path: Path) -> None:
    ages = [(area, age, 10 * k + age) for k, area in enumerate("abcd") for age in range(5)]
    rows = [f"{area},{age},{n}" for area, age, n in ages]
    sums = {area: sum(n for a, _, n in ages if a == area) for area in "abcd"}
    whole = [*rows, *(f"{area},999,{n}" for area, n in sums.items())]
    head = "district,age,people\n"
    right = read_text(tmp_path, head + "\n".join(whole))
    assert right.table is not None
    assert int(right.table.values[0]) == sum(sums.values())
    wrong = [*rows, *(f"{area},999,{n + (area == 'c')}" for area, n in sums.items())]
    assert read_text(tmp_path, head + "\n".join(wrong)).table is None


def test_added_up_rows_are_checked_for_totals(tmp_path: Path) -> None:
    below = [("a1", 2000, 2101), ("a2", 3000, 3303), ("b1", 4000, 4007), ("b2", 5000, 5011)]
    upper = {"A": (5000, 5404), "B": (9000, 9018)}
    rows = [("A", *upper["A"]), *below[:2], ("B", *upper["B"]), *below[2:]]
    text = "area,sex,people\n" + "".join(f"{a},m,{m}\n{a},f,{f}\n" for a, m, f in rows)
    asked = read_text(tmp_path, text, add_up=True)
    assert asked.table is None
    assert "outline" in ids(asked)
    right = read_text(tmp_path, text, add_up=True, outline="sums")
    assert right.table is not None
    assert int(right.table.values[0]) == 5000 + 5404 + 9000 + 9018


def test_a_district_called_like_a_total_is_a_region(tmp_path: Path) -> None:
    text = "province,district,people\nKarnali,,300\nKarnali,Dolpa,100\nKarnali,Jumla,200\n"
    reading = read_text(tmp_path, text + "Koshi,,70\nKoshi,Ilam,30\nKoshi,Jhapa,40\n")
    assert reading.table is not None
    regions = reading.table.regions
    assert "Jumla" in list(regions.names[regions.tree.leaves])


def test_a_total_that_was_left_out_and_nearly_agrees_is_told(tmp_path: Path) -> None:
    text = "area,people\nWhole,10000\nx,5000\ny,3000\nz,2050\n"
    assert "near-total" in ids(read_text(tmp_path, text, leave_out=("area=Whole",)))
    exact = text.replace("2050", "2000")
    assert "near-total" not in ids(read_text(tmp_path, exact, leave_out=("area=Whole",)))


def test_columns_of_a_matrix_end_alike() -> None:
    head = "from,a Estimate,a MOE,b Estimate,b MOE,c Estimate,c MOE"
    square = find_matrix(sheet(head + "\na,1,9,2,9,3,9\nb,4,9,5,9,6,9\nc,7,9,8,9,9,9"))
    assert square is not None
    assert square.columns == ("a Estimate", "b Estimate", "c Estimate")


def test_a_row_of_codes_over_the_names_is_left_out() -> None:
    rows = [["", "code", "0", "1", "2"], ["key", "area", "all", "one", "two"]]
    rows += [[f"k{k}", f"n{k}", str(k + 5), str(k + 2), "3"] for k in range(9)]
    assert header_of(rows, Notebook("t.csv")).names == ("key", "area", "all", "one", "two")


def test_dates_below_a_name_that_repeats_belong_to_the_header() -> None:
    rows = [["Kreise", "", "Stichtag", "Stichtag"], ["", "", "31.12.2021", "31.12.2022"]]
    rows += [[f"0{k}", f"n{k}", str(k + 5), str(k + 2)] for k in range(9)]
    assert header_of(rows, Notebook("t.csv")).names[2:] == (
        "Stichtag 31.12.2021", "Stichtag 31.12.2022",
    )  # fmt: skip


def test_an_answer_does_not_undo_another() -> None:
    out = Choice(words="…", stated={"leave_out": ("area=Whole",), "outline": "none"})
    assert combined_choice(out, {"leave_out": ("area=Other",)}).stated == {
        "leave_out": ("area=Other", "area=Whole"), "outline": "none",
    }  # fmt: skip
    assert combined_choice(out, {}).stated == out.stated


def test_single_years_of_age_are_no_sizes_of_groups(tmp_path: Path) -> None:
    head = "area," + ",".join(map(str, range(30))) + ",30+\n"
    text = head + "".join(
        f"a{k}," + ",".join(str(k + n) for n in range(31)) + "\n" for k in range(5)
    )
    assert read_text(tmp_path, text).table is None


@pytest.mark.parametrize(
    "more",
    [
        {"largest": 7},
        {"top_coded": True},
        {"size": "n"},
        {"destinations": "b"},
        {"matrix": "origins"},
    ],
)
def test_settings_of_another_kind_are_refused_or_named(more: dict[str, object]) -> None:
    words = {"kind": "counts", "levels": "a", "count": "people"} | more
    with pytest.raises(ChoiceError, match=r'With kind = "counts", .* has no effect'):
        Layout.of(words)
    found = guess(sheet("a,b,n,people\nx,y,1,20\ny,x,2,41\nz,x,5,9"), words)
    assert found.layout is not None
    assert found.layout.words.keys() & more.keys() == set()
    (caution,) = [one for one in found.cautions if "has no effect" in one]
    assert caution.startswith('with kind = "counts" and row = "region", ')


def test_an_answer_for_another_kind_drops_earlier_settings(tmp_path: Path) -> None:
    rows = [f"p{k},{'' if k % 50 == 7 else f'H{k // 3}'},T{k // 30}" for k in range(120)]
    text = "\n".join(["person_id,household,town", *rows])
    households = {"kind": "group-sizes", "row": "person", "group": "household", "levels": "town"}
    reading = read_text(tmp_path, text, **households)
    persons = next(one for one in offered(reading) if one.get("kind") == "counts")
    assert total(read_text(tmp_path, text, **{**households, **persons})) == len(rows)
    assert reading.layout is not None
    assert "group" not in reading.layout.changed(persons).words


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ({"row": "person", "levels": "a", "count": "people"}, "count"),
        ({"row": "person", "levels": "a", "parts": "men,women"}, "parts"),
        (
            {"kind": "group-sizes", "row": "person", "levels": "a", "group": "b", "size": "n"},
            "size",
        ),
        (
            {"kind": "group-sizes", "row": "group", "levels": "a", "size": "n", "group": "b"},
            "group",
        ),
        (
            {"kind": "group-sizes", "row": "group", "levels": "a", "size": "n", "first_size": 2},
            "first_size",
        ),
        (
            {"kind": "flows", "row": "trip", "levels": "a", "destinations": "b", "count": "n"},
            "count",
        ),
    ],
)
def test_settings_of_another_row_are_refused(words: dict[str, object], named: str) -> None:
    with pytest.raises(ChoiceError, match=f", {named} has no effect. Remove it, or state row = "):
        Layout.of(words)
