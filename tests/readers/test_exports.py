"""Exports of programs and portals: Stata files, archives, flat files, row names, marked numbers."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.exports import packed_zip, spss_file

from hierdp_core.readers import Reading
from hierdp_core.readers.build.marked_numbers import unit_choices, word_choices
from hierdp_core.readers.build.thousands import without_thousands
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.slices import _are_parts_of_a_year as parts_of_a_year
from hierdp_core.readers.columns.titles import counts_in_title
from hierdp_core.readers.formats.archives import tables_in
from hierdp_core.readers.formats.header import header_of
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook, Unreadable


def read_text(folder: Path, text: str, **stated: object) -> Reading:
    (folder / "t.csv").write_text(text)
    return read_here([folder / "t.csv"], stated=stated)


def write_stata(path: Path, labels: dict[int, str], version: int = 118) -> Path:
    frame = pd.DataFrame({"zone": np.array([1, 2, 3], np.int8), "people": [5.0, 6.0, 7.0]})
    frame.to_stata(path, write_index=False, version=version, value_labels={"zone": labels})
    return path


@pytest.mark.parametrize("version", [114, 117, 118, 119])
def test_labels_of_stata_files_are_read(tmp_path: Path, version: int) -> None:
    path = write_stata(tmp_path / "t.dta", {1: "North", 2: "South", 3: "East"}, version)
    reading = read_here([path])
    assert reading.table is not None, reading.report.lines()
    leaves = reading.table.regions.tree.leaves
    assert reading.table.regions.ids[leaves] == ("North", "South", "East")
    assert reading.table.values[leaves].tolist() == [5, 6, 7]


@pytest.mark.parametrize("labels", [{1: "North", 2: "North", 3: "East"}, {2: "South"}])
def test_labels_that_repeat_or_are_missing_leave_the_numbers(
    tmp_path: Path, labels: dict[int, str]
) -> None:
    path = write_stata(tmp_path / "t.dta", labels)
    reading = read_here([path])
    assert reading.table is not None, reading.report.lines()
    leaves = reading.table.regions.tree.leaves
    assert reading.table.regions.ids[leaves] == ("1", "2", "3")


def test_a_label_of_one_count_leaves_the_counts(tmp_path: Path) -> None:
    frame = pd.DataFrame({"zone": np.array([1, 2, 3], np.int8), "births": [0.0, 6.0, 0.0]})
    labels = {"zone": {1: "North", 2: "South", 3: "East"}, "births": {0: "none"}}
    frame.to_stata(tmp_path / "t.dta", write_index=False, value_labels=labels)
    reading = read_here([tmp_path / "t.dta"])
    assert reading.table is not None, reading.report.lines()
    leaves = reading.table.regions.tree.leaves
    assert reading.table.regions.ids[leaves] == ("North", "South", "East")
    assert reading.table.values[leaves].tolist() == [0, 6, 0]


def test_a_stata_file_without_rows_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"zone": np.array([], np.int8)}).to_stata(tmp_path / "t.dta", write_index=False)
    assert [fault.id for fault in read_here([tmp_path / "t.dta"]).report.faults] == ["no-rows"]


def labelled_spss(labels: dict[float, str], missing: list[float] | None = None) -> bytes:
    frame = pd.DataFrame({"zone": [1.0, 2.0, 3.0], "people": [5.0, 6.0, 7.0]})
    return spss_file(frame, {"zone": labels}, {} if missing is None else {"zone": missing})


@pytest.mark.parametrize(
    ("labels", "ids"),
    [
        ({1.0: "North", 2.0: "South", 3.0: "East"}, ("North", "South", "East")),
        ({1.0: "North", 2.0: "North", 3.0: "East"}, ("1", "2", "3")),
        ({1.0: "North"}, ("1", "2", "3")),
    ],
)
def test_labels_of_spss_files_are_read_if_each_value_has_its_own(
    tmp_path: Path, labels: dict[float, str], ids: tuple[str, ...]
) -> None:
    (tmp_path / "t.sav").write_bytes(labelled_spss(labels))
    reading = read_here([tmp_path / "t.sav"])
    assert reading.table is not None, reading.report.lines()
    leaves = reading.table.regions.tree.leaves
    assert reading.table.regions.ids[leaves] == ids
    assert reading.table.values[leaves].tolist() == [5, 6, 7]


def test_values_that_a_file_declares_missing_are_blank(tmp_path: Path) -> None:
    labels = {1.0: "North", 2.0: "South", 3.0: "refused"}
    (tmp_path / "t.sav").write_bytes(labelled_spss(labels, [3.0]))
    (fault,) = read_here([tmp_path / "t.sav"]).report.faults
    reading = read_here([tmp_path / "t.sav"], stated={"leave_out": ("zone=",)})
    assert "names no area" in fault.what
    assert reading.table is not None
    assert int(reading.table.values[0]) == 11


def test_large_spss_files_are_grouped_in_pieces_as_a_whole_one(tmp_path: Path) -> None:
    where = np.random.default_rng(5).integers(1, 9, 3_000) * 1.0
    frame = pd.DataFrame({"person": np.arange(3_000.0), "age": where * 9, "district": where})
    named = {float(k): f"District {chr(64 + k)}" for k in range(1, 9)}
    (tmp_path / "t.sav").write_bytes(spss_file(frame, {"district": named}, packed="row_compress"))
    words = {"kind": "counts", "row": "person", "levels": ["district"]}
    readings = [
        read_here([tmp_path / "t.sav"], layout=Layout.of(words), limits=limits)
        for limits in (Limits(), Limits(text_bytes=20_000))
    ]
    whole, parts = (reading.table for reading in readings)
    assert whole is not None, readings[0].report.lines()
    assert parts is not None, readings[1].report.lines()
    assert parts.values.tolist() == whole.values.tolist()
    assert parts.regions.ids == whole.regions.ids


def test_spss_files_name_the_extra_that_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.sav").write_bytes(labelled_spss({1.0: "North"}))
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    (fault,) = read_here([tmp_path / "t.sav"]).report.faults
    assert fault.id == "extra"
    assert 'pip install ".[spss]"' in fault.sentence


def test_texts_about_a_table_are_not_the_table() -> None:
    assert tables_in(["a/README.txt", "a/people.csv"]) == ["a/people.csv"]
    assert tables_in(["people.csv", "people_MetaData.csv"]) == ["people.csv"]
    assert tables_in(["__MACOSX/people.csv", "people.csv"]) == ["people.csv"]
    assert tables_in(["people_2021.csv", "people_2022.csv"]) == [
        "people_2021.csv", "people_2022.csv",
    ]  # fmt: skip
    assert tables_in(["notes.csv"]) == ["notes.csv"]


def test_one_of_several_tables_in_an_archive_is_chosen(tmp_path: Path) -> None:
    one, two = b"area,people\na,1\nb,2\n", b"area,people\na,3\nb,4\n"
    (tmp_path / "t.zip").write_bytes(packed_zip({"x.csv": one, "y.csv": two}))
    asked = read_here([tmp_path / "t.zip"])
    (fault,) = asked.report.faults
    assert [choice.stated for choice in fault.choices] == [{"sheet": "x.csv"}, {"sheet": "y.csv"}]
    chosen = read_here([tmp_path / "t.zip"], stated=fault.choices[1].stated)
    assert chosen.table is not None
    assert int(chosen.table.values[0]) == 7


@pytest.mark.parametrize(
    ("rows", "short"),
    [
        ([["people", "births"], *([f"t{k}", "5", "6"] for k in range(4))], True),
        ([["place", "people"], *([f"t{k}", "5", "6"] for k in range(4))], False),
        ([["people", "births"], *([f"t{k}", "x", "6"] for k in range(4))], False),
        ([["people", "births"], *(["t", "5", "6"] for _ in range(4))], False),
        ([["x", "y"], *([f"t{k}", "5", "6"] for k in range(4))], False),
    ],
)
def test_names_of_rows_need_counts_in_all_columns(rows: list[list[str]], short: bool) -> None:
    notes = Notebook("t.csv")
    if short:
        assert header_of(rows, notes).names == ("row_names", "people", "births")
    else:
        with pytest.raises(Unreadable):
            header_of(rows, notes)


@pytest.mark.parametrize(
    ("heading", "counts"),
    [
        ("Population estimates / 2022", True), ("Bevölkerungsstand (Anzahl)", True),
        ("Population density", False), ("Area in km2", False), ("Table 7", False),
        ("Births per 1,000, rate", False),
    ],
)  # fmt: skip
def test_a_title_says_what_is_counted(heading: str, counts: bool) -> None:
    assert counts_in_title(heading) == counts


def test_a_title_with_a_comma_is_no_header(tmp_path: Path) -> None:
    rows = "".join(f"d{k},{17 * k + 40}\n" for k in range(9))
    reading = read_text(tmp_path, "Population by district, mid-2023\n\nDistrict,2023\n" + rows)
    assert reading.table is not None, reading.report.lines()
    assert reading.columns == ("District", "2023")


def test_a_title_stands_for_one_column_alone(tmp_path: Path) -> None:
    head = "Population of districts\n\n"
    rows = [f"d{k},{17 * k + 40}\n" for k in range(9)]
    assert read_text(tmp_path, head + "district,2022\n" + "".join(rows)).table is not None
    two = [row.replace("\n", f",{k}5\n") for k, row in enumerate(rows)]
    assert read_text(tmp_path, head + "district,2021,2022\n" + "".join(two)).table is None
    assert read_text(tmp_path, "district,2022\n" + "".join(rows)).table is None


@pytest.mark.parametrize(
    ("cells", "plain"),
    [
        (["1,234,567", "2 345 678", "3.456.789", "4'567'890"],
         ["1234567", "2345678", "3456789", "4567890"]),
        (["1,234,567", "12.345"], ["1234567", "12.345"]),  # decimals, perhaps
        (["1,234,567", "1.5"], ["1234567", "1.5"]),
    ],
)  # fmt: skip
def test_each_separator_of_thousands_needs_proof(cells: list[str], plain: list[str]) -> None:
    columns = (pa.array(cells, pa.string()),)
    sheet = Sheet(file="t.csv", names=("n",), columns=columns, separator=";")
    found = without_thousands(sheet, "n", columns[0], Notebook("t.csv"), "")
    assert found.to_pylist() == plain


@pytest.mark.parametrize(
    ("cells", "offered"),
    [
        (["5 hab.", "6 hab."], True), (["5 million", "6 million"], False), (["5k"], False),
        (["5 a1", "6"], False), ([f"5 w{'x' * k}" for k in range(9)], False),
    ],
)  # fmt: skip
def test_words_after_numbers_may_be_left_out(cells: list[str], offered: bool) -> None:
    assert bool(unit_choices(pa.array(cells, pa.string()))) == offered


def test_rows_with_words_may_be_left_out() -> None:
    (choice,) = word_choices("n", pa.array(["closed", "closed", "see note"]))
    assert choice.stated == {"leave_out": ("n=closed", "n=see note")}
    assert word_choices("n", pa.array([f"w{'x' * k}" for k in range(9)])) == ()


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        (["2023-Q1", "2023-Q2"], True), (["Jan 2023", "Feb 2023"], True),
        (["2022-Q4", "2023-Q1"], False), (["2022", "2023"], False), (["a", "b"], False),
    ],
)  # fmt: skip
def test_parts_of_one_year_are_known(values: list[str], parts: bool) -> None:
    assert parts_of_a_year(values) == parts


def test_a_row_called_after_a_region_needs_its_sum(tmp_path: Path) -> None:
    head = "region,town,people\n"
    rows = "Ost,a,110\nOst,b,230\nOst toplami,,340\nWest,c,420\nWest,d,515\n"
    right = read_text(tmp_path, head + rows + "West toplami,,935\n")
    assert right.table is not None
    assert int(right.table.values[0]) == 1275
    wrong = read_text(tmp_path, head + rows + "West toplami,,936\n")
    assert wrong.table is None or int(wrong.table.values[0]) != 1275


def test_the_whole_above_its_districts_is_left_out_where_it_is_their_sum(tmp_path: Path) -> None:
    head = "area,name,people\nUtopia,,1275\n"
    rows = "Ost,a,110\nOst,b,230\nWest,c,420\nWest,d,515\n"
    right = read_text(tmp_path, head + rows)
    assert right.table is not None
    assert int(right.table.values[0]) == 1275
    other = read_text(tmp_path, head.replace("1275", "1276") + rows)
    assert other.table is None or int(other.table.values[0]) == 2551
