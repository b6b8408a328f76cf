"""Levels that something hides are found or asked about, and never added up in silence."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.readers import Reading
from hierdp_core.readers.columns.count_rules import totals_of_runs
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.level_rules import without_postal_codes, without_record_numbers
from hierdp_core.readers.columns.no_counts import no_counts
from hierdp_core.readers.columns.outline import names_alike, under_the_whole
from hierdp_core.readers.columns.partitions import months_in, open_ended
from hierdp_core.readers.columns.question import blank_choices
from hierdp_core.readers.columns.region_columns import about_something_else, may_be_region
from hierdp_core.readers.columns.slices import crosses, totals_in
from hierdp_core.readers.columns.sums import nearly_whole, nested_sums, with_hidden_parts
from hierdp_core.readers.formats.encodings import decoding_of
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here


def column(name: str, *cells: str) -> ColumnFacts:
    return ColumnFacts(name, pa.array(cells, pa.string()))


def facts(text: str) -> SheetFacts:
    names, *rows = [line.split(",") for line in text.strip().splitlines()]
    columns = tuple(pa.array(cells, pa.string()) for cells in zip(*rows, strict=True))
    return SheetFacts(Sheet(file="t.csv", names=tuple(names), columns=columns))


def read_text(folder: Path, text: str, **stated: Any) -> Reading:
    (folder / "t.csv").write_text(text)
    return read_here([folder / "t.csv"], stated=stated)


def shown(reading: Reading) -> str:
    return "\n".join(reading.report.lines())


# -------------------------------------------------------------------------------- columns of levels


@pytest.mark.parametrize(
    "cells",
    [("08:56:52", "9:05"), ("26/02/2024", "1.3.2024"), ("2024-03-01T10:00", ""), ("..", "")],
)
def test_times_days_and_flags_are_no_regions(cells: tuple[str, ...]) -> None:
    assert not may_be_region(column("estacion", *cells))
    assert may_be_region(column("estacion", "A1", "B2"))


def test_a_word_for_a_level_in_all_rows_is_no_region() -> None:
    one = facts("Regionalebene,n\nGemeinde,1\nGemeinde,2")
    several = facts("Regionalebene,n\nKreis/krfr. Stadt,1\nGemeinde,2")
    named = facts("Region,n\nAhlen,1\nAhlen,2")
    assert about_something_else(one, "Regionalebene")
    assert several["Regionalebene"].level_of_row
    assert not about_something_else(named, "Region")


def test_numbers_of_records_are_no_level_though_some_are_blank() -> None:
    rows = [f"{'' if k % 5 == 0 else f'c{k}'},A{k % 4}" for k in range(40)]
    table = facts("Crime ID,area\n" + "\n".join(rows))
    assert without_record_numbers(table, ["Crime ID", "area"]) == ["area"]


def test_a_postal_code_yields_to_a_commune_unless_only_it_tells_rows_apart() -> None:
    places = [("Brest", 1), ("Brest", 2), ("Quimper", 1), ("Quimper", 2)]
    rows = [f"{c},2900{z},S{k}" for k, (c, z) in enumerate(places)]
    table = facts("commune,code_postal,school_id\n" + "\n".join(rows))
    assert without_postal_codes(table, ["commune", "code_postal", "school_id"]) == [
        "commune", "school_id",
    ]  # fmt: skip
    assert without_postal_codes(table, ["commune", "code_postal"]) == ["commune", "code_postal"]


# ----------------------------------------------------------------------------------- sums and parts


def test_a_total_with_a_hidden_part_is_found_among_exact_sums() -> None:
    values = np.array([1017, 300, 100, 200, 700, 450, 233, 260, 90, 170])
    values[0] = 300 + 700 + 260 + 17
    nesting = nested_sums(values)
    parent = with_hidden_parts(nesting, values).parent
    assert nesting.parent[5] == -1
    assert parent.tolist() == [-1, 0, 1, 1, 0, 4, 4, 0, 7, 7]
    turned = with_hidden_parts(nested_sums(values[::-1]), values[::-1]).parent
    assert (9 - turned[::-1]).tolist() == [10, *parent.tolist()[1:]]


@pytest.mark.parametrize(
    ("total", "parts", "near"),
    [(1017, 1000, True), (999, 1000, False), (1100, 1000, False), (9, 8, False)],
)
def test_hidden_parts_are_few(total: int, parts: int, *, near: bool) -> None:
    assert nearly_whole(total, parts) == near


def test_lists_without_exact_sums_have_no_hidden_parts() -> None:
    values = np.array([517, 300, 200, 817])
    nesting = nested_sums(values)
    assert with_hidden_parts(nesting, values) is nesting


def test_one_region_that_is_all_others_of_two_kinds_is_asked_about(tmp_path: Path) -> None:
    towns = {f"t{k:02d}": 1000 + 137 * k for k in range(12)}
    regions = {"North": sum([*towns.values()][:6]), "South": sum([*towns.values()][6:])}
    rows = {"Everywhere": sum(towns.values()) + 3} | regions
    shuffled = [*rows.items(), *reversed(towns.items())]
    order = [shuffled[k] for k in (4, 1, 9, 0, 12, 3, 7, 2, 14, 5, 10, 8, 6, 13, 11)]
    text = "area,people\n" + "\n".join(f"{name},{n}" for name, n in order)
    reading = read_text(tmp_path, text)
    assert reading.table is None
    assert "nearly 2 times the number" in shown(reading)
    (fault,) = reading.report.faults
    assert fault.choices[0].stated == {"leave_out": ("area=Everywhere",)}


def test_the_top_region_that_is_nearly_the_others_is_asked_about(tmp_path: Path) -> None:
    rows = "Sum,Sum,517\nNorth,a,100\nNorth,b,200\nSouth,c,150\nSouth,d,x\nEast,e,60\n"
    reading = read_text(tmp_path, "region,district,people\n" + rows, missing="left out")
    assert reading.table is None
    assert "total" in shown(reading)


def test_codes_of_two_lengths_that_count_alike_are_asked_about(tmp_path: Path) -> None:
    small = {f"{k:03d}": 3000 + 90 * k for k in range(1, 9)}
    numbers = [*small.values()]
    large = {f"{k:02d}": sum(numbers[4 * k - 4 : 4 * k]) + 3 for k in (1, 2)}
    mixed = sorted({**small, **large}.items(), key=lambda item: item[1])
    text = "district_code,people\n" + "\n".join(f"{c},{n}" for c, n in mixed)
    reading = read_text(tmp_path, text, outline="none")
    assert reading.table is None
    assert reading.report.faults[0].choices[0].stated["leave_out"] == (
        "district_code=01", "district_code=02",
    )  # fmt: skip
    answered = read_text(
        tmp_path, text, outline="none", **reading.report.faults[0].choices[0].stated
    )
    assert answered.table is not None
    assert int(answered.table.values[0]) == sum(numbers)


# --------------------------------------------------------------------------------------- dimensions


def _by_group(values: dict[str, float]) -> SheetFacts:
    rows = [f"a{k},{v},{round((500 + 37 * k) * n)}" for k in range(8) for v, n in values.items()]
    return facts("area,group,n\n" + "\n".join(rows))


def test_totals_are_known_by_numbers_words_and_nines() -> None:
    near = _by_group({"9": 1.0, "1": 0.49, "2": 0.512})
    overlapping = _by_group({"9999": 1.0, "1": 0.7, "2": 0.4})
    of_which = _by_group({"All": 1.0, "of which citizens": 0.6})
    sexes = _by_group({"m": 0.5, "f": 0.505})
    assert totals_in(near, "group", ["area"], "n") == ["9"]
    assert totals_in(overlapping, "group", ["area"], "n") == ["9999"]
    assert totals_in(of_which, "group", ["area"], "n") == ["All"]
    assert totals_in(sexes, "group", ["area"], "n") == []


def test_numbers_that_differ_by_chance_are_no_dimension(tmp_path: Path) -> None:
    """Two towns of one name: the change of their numbers does not say which is which."""
    text = "town,people,change\nA,12,-1\nA,15,4\nB,70,2\nC,80,9\n"
    table = facts(text)
    assert not crosses(table, ["town"], "change")
    reading = read_text(tmp_path, text, count="people")
    assert "differ in column" not in shown(reading)
    assert crosses(_by_group({"m": 0.5, "f": 0.6}), ["area"], "group")


# ----------------------------------------------------------------------------------------- outlines


def test_the_whole_beside_its_regions_is_set_above_them() -> None:
    parent = np.array([-1, -1, 1, 1, -1, 4, 4])
    values = np.array([100, 60, 40, 20, 40, 30, 10]).reshape(-1, 1)
    assert under_the_whole(parent, values).tolist() == [-1, 0, 1, 1, 0, 4, 4]
    values[0] = 99
    assert under_the_whole(parent, values).tolist() == parent.tolist()


def test_one_name_twice_in_a_region_is_no_repeated_part() -> None:
    names = ("N", "a", "a", "b", "b", "S", "c", "c")
    sheet = Sheet(file="t", names=("x",), columns=(pa.array(names, pa.string()),))
    parent = np.array([-1, 0, 0, 0, 0, -1, 5, 5])
    assert names_alike(sheet, "x", parent) == ()


def test_places_of_one_name_that_nothing_tells_apart_are_a_fault(tmp_path: Path) -> None:
    text = "place,people\nN,30\n  a,10\n  a,20\nS,50\n  b,15\n  c,35\n"
    reading = read_text(tmp_path, text)
    assert reading.table is None
    assert "a name of its own" in shown(reading)


# ----------------------------------------------------------------------- columns that may be counts


def test_totals_of_columns_are_offered_first_and_the_rest_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    parts = rng.integers(1, 90, (6, 15))
    head = ",".join(f"x{k}y" for k in "abcdefghijklmno")
    rows = [f"a{k},{','.join(map(str, p))},{p.sum()}" for k, p in enumerate(parts)]
    text = f"area,{head},zz\n" + "\n".join(rows)
    assert totals_of_runs(facts(text), [*head.split(","), "zz"]) == ["zz"]
    reading = read_text(tmp_path, text)
    assert reading.table is not None
    assert reading.layout is not None
    assert reading.layout.count == "zz"


def test_of_two_series_with_totals_the_totals_are_offered_first(tmp_path: Path) -> None:
    parts = np.random.default_rng(6).integers(1, 90, (6, 6)).tolist()
    rows = [[f"a{k}", *p[:3], sum(p[:3]), *p[3:], sum(p[3:])] for k, p in enumerate(parts)]
    head = ["area", "pa", "pb", "pc", "pq", "ra", "rb", "rc", "rq"]
    text = "\n".join(",".join(map(str, row)) for row in (head, *rows))
    (fault,) = read_text(tmp_path, text).report.faults
    offered = [choice.stated["count"] for choice in fault.choices if "count" in choice.stated]
    assert {*offered[:2]} == {"pq", "rq"}


def test_sizes_and_months_are_told_by_all_of_a_name() -> None:
    assert open_ended(["a_1P", "a_2P", "a_3P", "a_GE4P"], ["a_1P", "a_2P", "a_3P"]) == "a_GE4P"
    assert months_in(["Nov-22", "Feb-23", "May-23", "Aug-23"]) == ()
    assert len(months_in(["Feb-23", "May-23", "Aug-23"])) == 3


def test_a_published_table_is_no_list_of_persons(tmp_path: Path) -> None:
    rows = "".join(f"a{k},{9000 + 31 * k},{8000 + 47 * k}\n" for k in range(24))
    reading = read_text(tmp_path, "area,2022,2023\n" + rows + "Total,1,1\n")
    words = [choice.words for fault in reading.report.faults for choice in fault.choices]
    assert words
    assert "each row is one person" not in words


# -------------------------------------------------------------------------------- lookups and flows


def test_lists_of_codes_and_codebooks_hold_no_counts() -> None:
    rows = [f"E{k:04d},L{k // 5:03d},Wick,{k + 1}" for k in range(30)]
    lookup = facts("oa21cd,lad22cd,lad22nm,ObjectId\n" + "\n".join(rows))
    counted = facts("oa21cd,lad22cd,lad22nm,people\n" + "\n".join(rows))
    assert "Give it together with a table of counts" in no_counts(lookup)
    assert not no_counts(counted)
    assert "explains the columns" in no_counts(facts("variable,label,values\nx,X,1\ny,Y,2"))


def test_codes_of_one_end_may_lack_a_leading_zero(tmp_path: Path) -> None:
    rows = "".join(f"{k},0{j},{k * j}\n" for k in range(11, 15) for j in range(11, 15))
    reading = read_text(
        tmp_path, "home_state,work_state,workers\n" + rows,
        kind="flows", levels=("home_state",), destinations=("work_state",), count="workers",
    )  # fmt: skip
    assert reading.table is not None, shown(reading)
    assert "leading zeros were added" in shown(reading)
    assert {*reading.table.regions.ids[-4:]} == {"011", "012", "013", "014"}


# ---------------------------------------------------------------------------------------- sentences


def test_grouped_rows_without_a_region_are_all_counted(tmp_path: Path) -> None:
    rows = "".join(f"{'' if k % 10 == 9 else f'A{k % 3}'},{20 + k % 40}\n" for k in range(60))
    reading = read_text(tmp_path, "district,age\n" + rows, row="person", levels=("district",))
    assert "and 5 more of this kind" in shown(reading)


def test_one_row_is_no_rows_and_an_area_has_its_article(tmp_path: Path) -> None:
    one = read_text(tmp_path, "town,people\na,10\nb,20\nc,x\n", missing="left out")
    assert "1 row without a number" in shown(one)
    total = read_text(tmp_path, "area,people\n" + "b,900\na,700\nd,800\nc,1300\nx,3700\n")
    assert "an area is exactly" in shown(total)


def test_few_blanks_are_rather_left_out_than_filled() -> None:
    few, many = (blank_choices("state", mostly=mostly) for mostly in (False, True))
    assert few[0].stated == {"leave_out": ("state=",)}
    assert many[0].stated == {"fill_down": ("state",)}


def test_a_name_in_many_rows_says_no_more_than_in_one() -> None:
    cells = ["Málaga", "Vélez-Málaga", "Valencia/València", "València"] * 50
    decoding = decoding_of("\n".join(cells).encode("cp1252"))
    assert decoding is not None
    assert "cp1252" in (decoding.best, *decoding.rivals)
