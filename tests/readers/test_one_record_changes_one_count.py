"""In a confidential table, one record never decides how other records are read."""

import io
import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.printed_tables import workbook_of

from hierdp_core.exceptions import ReleaseError
from hierdp_core.privacy import NOT_COVERED
from hierdp_core.readers import Layout, Reading
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.process import read_table
from hierdp_core.readers.reading import read_here
from hierdp_core.releases.checks import releasable
from hierdp_core.simulation import plan

AREAS = [("1", "2"), ("1", "3"), ("1", "4"), ("5", "6"), ("5", "7")]
TWELVE = [("A", f"A{k}") for k in range(12)]
LEVELS = ("state", "county")


def read(folder: Path, head: list[str], rows: list[tuple[str, ...]], areas, sep=",", **words):
    """Read rows as a confidential table with a list of its areas."""
    lines = [head, *rows]
    (folder / "table.csv").write_text("".join(sep.join(line) + "\n" for line in lines))
    columns = words.pop("list_head", LEVELS)
    listed = [columns, *areas]
    (folder / "list.csv").write_text("".join(",".join(line) + "\n" for line in listed))
    layout = Layout.of({"kind": "counts", "row": "region", "levels": LEVELS, **words})
    return read_here(
        [folder / "table.csv"], layout=layout, regions=folder / "list.csv", confidential=True
    )


def faults(reading: Reading) -> set[str]:
    return {finding.id for finding in reading.report.findings if finding.kind == "error"}


def leaves(reading: Reading) -> list[int]:
    assert reading.table is not None
    return reading.table.values[reading.table.tree.leaves].tolist()


def counted(areas, numbers):
    return [(*area, number) for area, number in zip(areas, numbers, strict=True)]


@pytest.mark.parametrize("first", [2, 3, 4])
def test_a_record_that_reads_as_the_numbers_of_columns_is_not_left_out(tmp_path, first):
    """1, 2, 3 is county 2 of state 1 with three people."""
    rows = counted(AREAS, map(str, (first, 30, 55, 20, 99)))
    reading = read(tmp_path, [*LEVELS, "n"], rows, AREAS, count="n")
    if first == 3:
        assert faults(reading) == {"area-left-out"}
    else:
        assert leaves(reading) == [first, 30, 55, 20, 99]


@pytest.mark.parametrize("last", [1899, 1900, 2101])
def test_a_record_that_reads_as_a_note_is_not_left_out(tmp_path, last):
    """Champ is a word before notes in French, and 1900 is no count but a year there."""
    areas = [("Ash",), ("Elm",), ("Champ",)]
    rows = counted(areas, ("1000", "2345", str(last)))
    words = {"levels": ("area",), "list_head": ("area",), "count": "n"}
    reading = read(tmp_path, ["area", "n"], rows, areas, **words)
    if last == 1900:
        assert faults(reading) == {"area-left-out"}
    else:
        assert leaves(reading) == [1000, 2345, last]


def test_persons_of_an_area_called_like_a_note_are_not_left_out(tmp_path):
    """Without the last one, whose comment is a number, they would all be notes."""
    areas = [("Ash",), ("Nota",)]
    persons = [("Ash", "a b"), ("Ash", "c d"), *[("Nota", "x")] * 5]
    words = {"row": "person", "levels": ("area",), "list_head": ("area",)}
    reading = read(tmp_path, ["area", "comment"], persons, areas, **words)
    assert faults(reading) == {"area-left-out"}
    reading = read(tmp_path, ["area", "comment"], [*persons, ("Nota", "7")], areas, **words)
    assert leaves(reading) == [2, 6]


def test_persons_with_codes_like_numbers_of_columns_are_all_read(tmp_path):
    """Several persons aged 3 live in county 2 of state 1."""
    persons = [("1", "2", "3"), ("1", "2", "1"), ("1", "2", "3"), ("5", "7", "40"), ("1", "2", "2")]
    words = {"row": "person"}
    reading = read(tmp_path, [*LEVELS, "age"], [*persons, *persons], AREAS, **words)
    assert leaves(reading) == [8, 0, 0, 0, 2]


def test_notes_that_name_no_area_are_still_left_out(tmp_path):
    rows = [*counted(AREAS, map(str, (8, 30, 55, 20, 99))), ("Source: our office", "", "")]
    reading = read(tmp_path, [*LEVELS, "n"], rows, AREAS, count="n")
    assert leaves(reading) == [8, 30, 55, 20, 99]


@pytest.mark.parametrize("last", [999, 1000])
def test_three_zeros_behind_a_point_are_not_taken_for_thousands(tmp_path, last):
    """A count of 1000 alone showed that 5.000 is 5."""
    numbers = [f"{n}.000" for n in (5, 12, 30, 7, 1, 2, 3, 44, 55, 66, 77, last)]
    rows = counted(TWELVE, numbers)
    reading = read(tmp_path, [*LEVELS, "n"], rows, TWELVE, ";", count="n")
    if last == 999:
        assert faults(reading) == {"ambiguous"}
    else:
        assert leaves(reading) == [5, 12, 30, 7, 1, 2, 3, 44, 55, 66, 77, 1000]


@pytest.mark.parametrize("last", ["1,250", "1,3"])
@pytest.mark.parametrize("add_up", [False, True])
@pytest.mark.parametrize("thousands", ["", " ", "'"])
def test_another_number_does_not_decide_what_a_comma_is(tmp_path, last, add_up, thousands):
    numbers = [*(f"{n},125" for n in range(1, 12)), last]
    rows, head = counted(TWELVE, numbers), [*LEVELS, "n"]
    words = {"count": "n", "times": 1, "add_up": add_up}
    reading = read(tmp_path, head, rows, TWELVE, ";", **words, thousands=thousands)
    assert faults(reading) == {"ambiguous"}
    reading = read(tmp_path, head, rows, TWELVE, ";", **words, thousands=".")
    assert leaves(reading) == [*range(1, 12), 1]


@pytest.mark.parametrize("last", ["1,250", "1,3"])
@pytest.mark.parametrize("total", ["Total", ""])
def test_a_grand_total_does_not_hide_that_a_comma_is_unclear(tmp_path, last, total):
    """The rows were read with the total first, which took every comma as the others showed."""
    numbers = [*(f"{n},125" for n in range(1, 12)), last]
    rows = [*counted(TWELVE, numbers), (total, "", "68,625")]
    reading = read(tmp_path, [*LEVELS, "n"], rows, TWELVE, ";", count="n", times=1)
    assert faults(reading) == {"ambiguous"}


def test_numbers_in_thousands_are_refused(tmp_path):
    """One person more can make 5.3 thousand of 5.2 thousand."""
    rows = counted(AREAS, ("5.2", "30.5", "5.5", "2.1", "9.9"))
    reading = read(tmp_path, [*LEVELS, "n"], rows, AREAS, count="n", times=1000)
    assert faults(reading) == {"rounded-counts"}


@pytest.mark.parametrize("times", [1, 1000])
def test_a_list_alone_does_not_cover_numbers_in_thousands(tmp_path, times):
    """The file need not be called confidential for the guarantee to be stated."""
    rows = counted(AREAS, ("5.2", "30.5", "5.5", "2.1", "9.9"))
    words = {"kind": "counts", "row": "region", "levels": LEVELS, "count": "n", "times": times}
    lines = [",".join([*LEVELS, "n"]), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    (tmp_path / "list.csv").write_text("\n".join([",".join(LEVELS), *map(",".join, AREAS)]))
    reading = read_table(tmp_path / "table.csv", layout=words, regions=tmp_path / "list.csv")
    planned = plan(reading.table, "tree-dp", epsilon=1)
    if times == 1:
        assert planned.privacy.taken_from_data == ()
        return
    assert "rounded-counts" in {finding.id for finding in reading.report.findings}
    rounded = "how the counts were rounded (taken from the data)"
    assert planned.privacy.taken_from_data == (rounded,)
    assert planned.privacy.sentence.endswith(NOT_COVERED)
    with pytest.raises(ReleaseError, match="how the counts were rounded"):
        releasable(planned)


MATRIX = {
    "Ash": (1, 0, 0, 0, 1),
    "Elm": (0, 2, 0, 0, 2),
    "Oak": (0, 1, 0, 0, 1),
    "Fir": (1, 0, 0, 0, 1),
    "Yew": (0, 0, 0, 0, 0),
}


def read_matrix(folder: Path, rows: dict[str, tuple[int, ...]]) -> Reading:
    lines = [f"home,{','.join(MATRIX)}", *(f"{k},{','.join(map(str, v))}" for k, v in rows.items())]
    (folder / "matrix.csv").write_text("\n".join(lines))
    (folder / "list.csv").write_text("\n".join(["area", *MATRIX]))
    words = {"kind": "flows", "row": "pair", "levels": ["origin"], "destinations": ["destination"]}
    layout = Layout.of({**words, "count": "flow", "matrix": "origins", "list_columns": ["area"]})
    listed = folder / "list.csv"
    return read_here([folder / "matrix.csv"], layout=layout, regions=listed, confidential=True)


def test_an_area_of_a_matrix_is_not_left_out_as_a_total(tmp_path):
    """One more trip to Yew, and it is no sum of the other columns."""
    assert faults(read_matrix(tmp_path, MATRIX)) == {"area-left-out"}
    more = read_matrix(tmp_path, {**MATRIX, "Fir": (1, 0, 0, 0, 2)})
    assert more.table is not None
    assert sum(more.table.at(1).values) == 11


def test_an_area_of_a_matrix_is_not_left_out_without_a_row(tmp_path):
    """The first trip from Yew adds its row, and would add all trips to it."""
    rows = {**MATRIX, "Fir": (1, 0, 0, 0, 2)}
    assert read_matrix(tmp_path, rows).table is not None
    rows.pop("Yew")
    assert faults(read_matrix(tmp_path, rows)) == {"area-left-out"}


@pytest.mark.parametrize("cell", ["15", "1.5"])
def test_what_is_counted_is_stated(tmp_path, cell):
    """A cell with decimals made the other column the one of counts."""
    lines = ["state,county,people,households", *(f"A,A{k},{k + 20},{k + 7}" for k in range(11))]
    (tmp_path / "table.csv").write_text("\n".join([*lines, f"A,A11,{cell},18"]))
    (tmp_path / "list.csv").write_text("\n".join(["state,county", *map(",".join, TWELVE)]))
    files = {"regions": tmp_path / "list.csv", "confidential": True}
    stated = {"levels": LEVELS}
    reading = read_here([tmp_path / "table.csv"], stated=stated, **files)
    assert faults(reading) == ({"unclear"} if cell == "15" else {"counts-from-data"})
    counts = stated | {"count": "households"}
    reading = read_here([tmp_path / "table.csv"], stated=counts, **files)
    assert leaves(reading) == list(range(7, 19))


@pytest.mark.parametrize("stated", [False, True])
def test_a_guess_of_what_is_counted_is_not_covered(tmp_path, stated):
    """With 15 in place of 1.5 in one row, the file asks which column holds the counts."""
    lines = ["state,county,people,households", *(f"A,A{k},{k + 20},{k + 7}" for k in range(11))]
    (tmp_path / "table.csv").write_text("\n".join([*lines, "A,A11,1.5,18"]))
    (tmp_path / "list.csv").write_text("\n".join(["state,county", *map(",".join, TWELVE)]))
    words = {"levels": LEVELS} | ({"count": "households"} if stated else {})
    table, listed = tmp_path / "table.csv", tmp_path / "list.csv"
    reading = read_here([table], stated=words, regions=listed)
    assert leaves(reading) == list(range(7, 19))
    planned = plan(reading.table, "tree-dp", epsilon=1)
    taken = () if stated else ("what is counted (taken from the data)",)
    assert planned.privacy.taken_from_data == taken
    assert ("counts-from-data" in {f.id for f in reading.report.findings}) == (not stated)
    if not stated:
        with pytest.raises(ReleaseError, match="what is counted"):
            releasable(planned)


def test_rows_that_are_counted_are_stated(tmp_path):
    """Without two persons in one area, their ages would be counts."""
    (tmp_path / "table.csv").write_text("state,county,age\nA,A1,30\nA,A2,40\nA,A3,50\n")
    (tmp_path / "list.csv").write_text("\n".join(["state,county", *map(",".join, TWELVE)]))
    files = {"regions": tmp_path / "list.csv", "confidential": True}
    reading = read_here([tmp_path / "table.csv"], stated={"levels": LEVELS}, **files)
    assert "counts-from-data" in faults(reading)
    stated = {"levels": LEVELS, "row": "person"}
    reading = read_here([tmp_path / "table.csv"], stated=stated, **files)
    assert leaves(reading) == [0, 1, 1, 1, *[0] * 8]


def test_a_list_of_areas_is_enough_for_strict_reading(tmp_path):
    """The areas are public then, so that the table can be released."""
    (tmp_path / "table.csv").write_text("area,n\nAsh,1000\nElm,2345\nChamp,1900\n")
    (tmp_path / "list.csv").write_text("area\nAsh\nElm\nChamp\n")
    layout = Layout.of({"kind": "counts", "row": "region", "levels": ["area"], "count": "n"})
    listed = {"regions": tmp_path / "list.csv"}
    assert faults(read_here([tmp_path / "table.csv"], layout=layout, **listed)) == {"area-left-out"}
    assert read_here([tmp_path / "table.csv"], layout=layout).table is not None


NAMES = ("1", "2", "3", "Note", "Champ", "Total", "a", "b", "Ash", "(1)", "*", "Source", "Elm")


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_one_person_more_changes_one_count_by_one(tmp_path, data):
    """Whatever areas are called, and at counts that readers look at."""
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=6, unique=True))
    states = data.draw(st.lists(st.sampled_from("12A"), min_size=len(names), max_size=len(names)))
    areas = list(zip(states, names, strict=True))
    numbers = data.draw(
        st.lists(st.sampled_from((0, 1, 2, 3, 40, 1899, 2000)), min_size=len(names))
    )[: len(names)]
    place = data.draw(st.sampled_from(range(len(names))))
    more = [n + (k == place) for k, n in enumerate(numbers)]
    one, other = (
        read(tmp_path, [*LEVELS, "n"], counted(areas, map(str, chosen)), areas, count="n")
        for chosen in (numbers, more)
    )
    if one.table is not None and other.table is not None:
        pairs = zip(leaves(one), leaves(other), strict=True)
        assert sum(abs(a - b) for a, b in pairs) == 1


PERSONS = {"kind": "counts", "row": "person", "levels": ["area"]}


def read_bytes(folder: Path, name: str, content: bytes, **words) -> Reading:
    """Read persons of the areas Ash, Elm and Oak from a confidential file."""
    (folder / name).write_bytes(content)
    (folder / "list.csv").write_text("area\nAsh\nElm\nOak\n")
    limits = words.pop("limits", None) or Limits()
    layout = Layout.of(PERSONS | words)
    return read_here(
        [folder / name], layout=layout, regions=folder / "list.csv", confidential=True,
        limits=limits,
    )  # fmt: skip


@pytest.mark.parametrize("others", [2, 3, 4])
@pytest.mark.parametrize("inside", [False, True])
def test_the_length_of_a_list_does_not_decide_what_is_counted(tmp_path, others, inside):
    """The longest list of a JSON file was read."""
    lists = {"residents": [{"area": "Ash"}] * 3, "visitors": [{"area": "Elm"}] * others}
    content = {name: {"rows": rows} for name, rows in lists.items()} if inside else lists
    if inside:
        content["about"] = "two lists"
    reading = read_bytes(tmp_path, "persons.json", json.dumps(content).encode())
    assert faults(reading) == {"several-lists"}
    one = json.dumps({"residents": lists["residents"], "about": {"year": 2026}}).encode()
    assert leaves(read_bytes(tmp_path, "persons.json", one)) == [3, 0, 0]


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_a_record_is_not_counted_again_for_records_within_it(tmp_path, jobs):
    """Each job of a person was a row of its own, with the area of the person."""
    persons = [{"area": "Ash", "jobs": [{"title": "baker"}] * jobs}, {"area": "Elm"}]
    reading = read_bytes(tmp_path, "persons.json", json.dumps(persons).encode())
    if jobs:
        assert faults(reading) == {"nested-records"}
    else:
        assert leaves(reading) == [1, 1, 0]


@pytest.mark.parametrize("others", [2, 3, 4])
def test_the_length_of_a_sheet_does_not_decide_what_is_counted(tmp_path, others):
    """Without numbers, the longest sheet of a workbook was read."""
    head = ("area", "sex")
    sheets = {"one": [head, *[("Ash", "f")] * 3], "two": [head, *[("Elm", "m")] * others]}
    reading = read_bytes(tmp_path, "persons.xlsx", workbook_of(sheets))
    assert faults(reading) == {"sheets"}
    reading = read_bytes(tmp_path, "persons.xlsx", workbook_of(sheets), sheet="two")
    assert leaves(reading) == [0, others, 0]


@pytest.mark.parametrize("others", [0, 1, 2, 3])
def test_small_sheets_are_read_with_all_others(tmp_path, others):
    """A sheet of two rows was no table, so the third person added all three."""
    head = ("area", "age")
    sheets = {"one": [head, *[("Ash", 30)] * 5], "two": [head, *[("Elm", 40)] * others]}
    reading = read_bytes(tmp_path, "persons.xlsx", workbook_of(sheets), sheet="*")
    assert leaves(reading) == [5, others, 0]


def test_all_sheets_of_a_workbook_are_read(tmp_path):
    """Those after the fortieth were left out."""
    sheets = {f"sheet {k}": [("area", "age"), *[("Ash", 30)] * 3] for k in range(45)}
    reading = read_bytes(tmp_path, "persons.xlsx", workbook_of(sheets), sheet="*")
    assert leaves(reading) == [135, 0, 0]


@pytest.mark.parametrize("text_bytes", [5, 10**6])
@pytest.mark.parametrize("first", ['Ash,y","x', 'Ash,z,"x', "Ash,z,x"])
def test_a_quotation_mark_does_not_hide_other_records(tmp_path, first, text_bytes):
    """A cell that it opened went on until the next one."""
    last = "Oak,z,6" + ('"' if first == 'Ash,z,"x' else "")
    lines = ["area,one,two", first, *["Elm,a,b"] * 3, last]
    limits = Limits(text_bytes=text_bytes)
    content = "".join(f"{line}\n" for line in lines).encode()
    reading = read_bytes(tmp_path, "persons.csv", content, limits=limits)
    if '"' in first:
        assert faults(reading) == {"line-break"}
    else:
        assert leaves(reading) == [1, 3, 1]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("text_bytes", [5, 10**6])
def test_blank_lines_are_no_line_breaks_in_cells(tmp_path, ends, text_bytes):
    lines = ["area,one", "Ash,a", "", 'Elm,"b, c"', "", ""]
    content = ends.join(lines).encode()
    limits = Limits(text_bytes=text_bytes)
    assert leaves(read_bytes(tmp_path, "persons.csv", content, limits=limits)) == [1, 1, 0]


@pytest.mark.parametrize("people", [2, 3])
def test_a_record_with_a_key_of_a_lookup_is_not_left_out(tmp_path, people):
    """1, 2, 3 is the area with the key 1, although no area is called 1."""
    rows = [f"1,2,{people}", "7,30,55", "9,20,99", "14,30,40"]
    (tmp_path / "table.csv").write_text("\n".join(["id,households,people", *rows]))
    (tmp_path / "keys.csv").write_text("id,area\n1,Ash\n7,Elm\n9,Oak\n14,Yew\n")
    (tmp_path / "list.csv").write_text("area\nAsh\nElm\nOak\nYew\n")
    layout = Layout.of({"kind": "counts", "row": "region", "levels": ["area"], "count": "people"})
    reading = read_here(
        [tmp_path / "table.csv", tmp_path / "keys.csv"], layout=layout,
        regions=tmp_path / "list.csv", confidential=True,
    )  # fmt: skip
    if people == 3:
        assert faults(reading) == {"area-left-out"}
    else:
        assert leaves(reading) == [2, 55, 99, 40]


def test_rows_that_are_counted_are_stated_as_well(tmp_path):
    """The value of another column that was kept followed from the rows, and so did the fill."""
    rows = [("A", name, kind, "5") for _, name in TWELVE for kind in ("Total", "f", "m")]
    lines = ["state,county,sex,n", *map(",".join, rows)]
    (tmp_path / "table.csv").write_text(
        "\n".join(lines).replace("f,5", "f,2").replace("m,5", "m,3")
    )
    (tmp_path / "list.csv").write_text("\n".join(["state,county", *map(",".join, TWELVE)]))
    files = {"regions": tmp_path / "list.csv", "confidential": True}
    stated = {"levels": LEVELS, "count": "n"}
    reading = read_here([tmp_path / "table.csv"], stated=stated, **files)
    assert faults(reading) == {"counts-from-data"}
    kept = stated | {"keep": ["sex=Total"]}
    assert leaves(read_here([tmp_path / "table.csv"], stated=kept, **files)) == [5] * 12


@pytest.mark.parametrize("last", ["", "moved"])
def test_a_last_cell_does_not_move_the_names_of_columns(tmp_path, last):
    """With it, the first column had no name, as R writes row names, and work was home."""
    content = f"area,work\nAsh,Oak,\nElm,Ash,\nOak,Oak,{last}\n"
    numbered = content.replace("Ash", "1").replace("Elm", "2").replace("Oak", "3")
    (tmp_path / "list.csv").write_text("area\n1\n2\n3\n")
    (tmp_path / "persons.csv").write_text(numbered)
    reading = read_here(
        [tmp_path / "persons.csv"], layout=Layout.of(PERSONS), regions=tmp_path / "list.csv",
        confidential=True,
    )  # fmt: skip
    if last:
        assert faults(reading) == {"header-width"}
    else:
        assert leaves(reading) == [1, 1, 1]


@pytest.mark.parametrize("count", ["5", "<5"])
def test_an_area_in_a_column_is_not_left_out_for_a_mark(tmp_path, count):
    """A small count is written as <5 by one person less, and its column was no area then."""
    content = f"what,Ash,Elm,Oak\npeople,{count},20,30\nhouses,3,4,5\n"
    words = {"row": "region", "count": "people", "areas": "columns"}
    reading = read_bytes(tmp_path, "turned.csv", content.encode(), **words)
    if count == "5":
        assert leaves(reading) == [5, 20, 30]
    else:
        assert faults(reading) == {"area-left-out"}


@pytest.mark.parametrize("last", [9_998, 9_999])
def test_other_counts_do_not_decide_what_is_a_code_for_a_missing_number(tmp_path, last):
    """A count of nines alone was refused where all others were a tenth of it or less."""
    counts = [*range(10, 70), last]
    areas = [f"area {k:02}" for k in range(len(counts))]
    rows = "".join(f"{area},{n}\n" for area, n in zip(areas, counts, strict=True))
    (tmp_path / "counts.csv").write_text(f"area,people\n{rows}")
    (tmp_path / "list.csv").write_text("\n".join(["area", *areas]))
    layout = Layout(kind="counts", row="region", levels=("area",), count="people")
    reading = read_here(
        [tmp_path / "counts.csv"], layout=layout, regions=tmp_path / "list.csv", confidential=True
    )
    assert leaves(reading) == counts


@pytest.mark.parametrize("last", ["Oak", "Ash"])
def test_areas_do_not_decide_what_blocks_below_each_other_are(tmp_path, last):
    """Blocks with the same areas got a column of titles, and others are pages of one table."""
    content = f"area,sex\nAsh,m\nElm,f\nOak,m\narea,sex\nAsh,m\nElm,f\n{last},m\n"
    reading = read_bytes(tmp_path, "blocks.csv", content.encode())
    assert leaves(reading) == [2 + (last == "Ash"), 2, 1 + (last == "Oak")]
    assert not any(finding.id == "blocks-below" for finding in reading.report.findings)
    kept = read_bytes(tmp_path, "blocks.csv", content.encode(), keep=("indicator=block 1",))
    assert faults(kept) == {"no-column"}


@pytest.mark.parametrize("age", ["40", "unknown"])
def test_ages_do_not_decide_which_file_of_an_archive_is_the_table(tmp_path, age):
    """With an unknown age, the other file was the only one with numbers."""
    files = {
        "persons.csv": f"area,age\nAsh,30\nElm,20\nOak,{age}\n",
        "areas.csv": "area,size\nAsh,1\nElm,2\nOak,3\n",
        "names.csv": "area,name\nAsh,a\nElm,b\nOak,c\n",
    }
    for left_out in ("", "areas.csv"):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in files.keys() - {left_out}:
                archive.writestr(name, files[name])
        reading = read_bytes(tmp_path, "persons.zip", buffer.getvalue())
        assert faults(reading) == {"archive-content"}
        reading = read_bytes(tmp_path, "persons.zip", buffer.getvalue(), sheet="persons.csv")
        assert leaves(reading) == [1, 1, 1]


STATUS = {1: "known", 9: "missing"}  # the labels of values


def write_labelled(file: Path, rows: list[tuple[str, int]]) -> None:
    frame = pd.DataFrame(rows, columns=["area", "status"])
    if file.suffix == ".dta":
        frame.to_stata(file, write_index=False, value_labels={"status": STATUS})
    else:
        pyreadstat = pytest.importorskip("pyreadstat")
        pyreadstat.write_sav(frame, file, variable_value_labels={"status": STATUS})


@pytest.mark.parametrize("suffix", [".dta", ".sav"])
@pytest.mark.parametrize("last", [1, 5])
@pytest.mark.parametrize("text_bytes", [1, 10**6])  # the first row alone, or all
def test_a_value_without_a_label_does_not_change_which_rows_are_left_out(
    tmp_path, suffix, last, text_bytes
):
    """With it, the column held numbers, and no row was missing by its label."""
    rows = [("Oak", last), ("Ash", 1), ("Ash", 9), ("Ash", 9), ("Elm", 1), ("Elm", 9)]
    file = tmp_path / f"persons{suffix}"
    write_labelled(file, rows)
    limits = Limits(text_bytes=text_bytes)
    content, words = file.read_bytes(), {"leave_out": ["status=missing"]}
    reading = read_bytes(tmp_path, file.name, content, limits=limits, **words)
    if last == 1:
        assert leaves(reading) == [1, 1, 1]
    else:
        assert faults(reading) == {"partly-labelled"}
    assert leaves(read_bytes(tmp_path, file.name, content, limits=limits)) == [3, 2, 1]


@pytest.mark.parametrize("area", ["Elm", "Elm ", "E\u0301lm", "\u00c9lm"])
@pytest.mark.parametrize("household", ["2", "two"])
@pytest.mark.parametrize("text_bytes", [5, 10**6])
def test_a_number_in_letters_does_not_join_or_split_other_groups(
    tmp_path, area, household, text_bytes
):
    """Groups with whole numbers were counted by the cells of their areas as they stand."""
    first = area.replace("E\u0301", "\u00c9").strip()
    lines = ["area,household", f"{first},1", f"{area},1", f"{area},1", f"Ash,{household}"]
    (tmp_path / "persons.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "list.csv").write_text(f"area\nAsh\n{first}\n", encoding="utf-8")
    words = {"kind": "group-sizes", "row": "person", "levels": ["area"], "group": "household"}
    layout = Layout.of(words | {"largest": 3})
    reading = read_here(
        [tmp_path / "persons.csv"], layout=layout, regions=tmp_path / "list.csv",
        confidential=True, limits=Limits(text_bytes=text_bytes),
    )  # fmt: skip
    assert leaves(reading) == [[0, 1, 0, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize("cell", ["1000.000", "5.0", "5.5"])
@pytest.mark.parametrize("times", [0, 1])
@pytest.mark.parametrize(("thousands", "other"), [(".", ","), (",", ".")])
def test_a_number_that_contradicts_the_separator_of_thousands_is_refused(
    tmp_path, cell, times, thousands, other
):
    """One person more made 1,000 of 999.000, which was read as 999,000."""
    words = {"levels": ("area",), "list_head": ("area",), "count": "n", "times": times}
    for written in (cell.replace(".", thousands), f"1{thousands}250", f"1{thousands}250{other}0"):
        reading = read(
            tmp_path, ["area", "n"], [("Ash", written), ("Elm", "7")], [("Ash",), ("Elm",)], ";",
            **words, thousands=thousands,
        )  # fmt: skip
        if written.startswith("1" + thousands):
            assert leaves(reading) == [1250, 7]
        else:
            assert faults(reading) == {"not-whole"}


@pytest.mark.parametrize("people", [99, 100, 101])
@pytest.mark.parametrize("name", ["Capital", "Total"])
@pytest.mark.parametrize("listed", [True, False])
def test_an_area_without_sub_areas_is_not_left_out_as_a_total(tmp_path, people, name, listed):
    """With as many people as all others together, it was read as the whole country."""
    areas = [("A", "A1"), ("A", "A2"), ("B", "B1"), ("B", "B2")]
    rows = counted([*areas, (name, "")], ("30", "30", "20", "20", str(people)))
    places = [*areas, (name, "")] if listed else areas
    reading = read(tmp_path, [*LEVELS, "n"], rows, places, count="n")
    if listed and people != 100 and name == "Capital":
        assert leaves(reading) == [30, 30, 20, 20, people]
    elif listed and people == 100:
        assert faults(reading) == {"area-left-out"}
    elif people == 100:
        assert leaves(reading) == [30, 30, 20, 20]
    else:
        assert faults(reading)


@pytest.mark.parametrize("people", [5, 6])
def test_an_area_that_is_called_like_a_total_is_not_left_out(tmp_path, people):
    areas = [("A", "A1"), ("A", "A2"), ("A", "All")]
    rows = counted(areas, ("2", "3", str(people)))
    reading = read(tmp_path, [*LEVELS, "n"], rows, areas, count="n")
    assert faults(reading) == {"area-left-out" if people == 5 else "total-differs"}


@pytest.mark.parametrize("text_bytes", [10, 10**6])
@pytest.mark.parametrize(
    ("head", "layout"),
    [
        ("state,county", {"kind": "counts", "row": "person"}),
        ("state,county,n", {"kind": "counts", "count": "n"}),
        ("state,county,n,other", {"kind": "counts", "count": "n"}),
        ("state,county,home", {"kind": "group-sizes", "row": "person", "group": "home"}),
        ("state,county,size", {"kind": "group-sizes", "row": "group", "size": "size"}),
        ("state,county,size,n", {"kind": "group-sizes", "size": "size", "count": "n"}),
        ("state,county,one,2", {"kind": "group-sizes", "sizes": ("one", "2")}),
        ("state,county,a,b,n", {"kind": "flows", "destinations": ("a", "b"), "count": "n"}),
        ("state,county,a,b", {"kind": "flows", "destinations": ("a", "b"), "row": "trip"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_record_is_read_as_zero_everywhere(tmp_path, head, layout, text_bytes):
    """A release is not refused where no row is left, which a single record could change."""
    (tmp_path / "list.csv").write_text("state,county\n1,2\n1,3\n5,6\n")
    if layout["kind"] == "group-sizes":
        layout = layout | {"largest": 3, "empty_groups": "not counted"}
    if layout["kind"] == "flows":
        layout = layout | {"list_columns": ("state", "county")}
    if text_bytes == 10 and "row" not in layout:
        return  # a long table of other rows is not read
    other = ",".join(["2020", "1", "2", "1", "2", "3"][: 1 + len(head.split(","))])
    cases = [((other,), {"keep": "year=2021"}), ((other,), {"leave_out": "year=2020"})]
    if text_bytes > 10:  # a file without records is never long
        cases.append(((), {}))
    for rows, chosen in cases:
        lines = [f"year,{head}", *rows, ""]
        (tmp_path / "table.csv").write_text("\n".join(lines))
        reading = read_here(
            [tmp_path / "table.csv"],
            layout=Layout.of({"levels": LEVELS, **layout, **chosen}),
            regions=tmp_path / "list.csv",
            confidential=True,
            limits=Limits(text_bytes=text_bytes),
        )
        assert reading.table is not None, (chosen, reading.report.lines())
        assert sum(map(int, reading.table.values.ravel())) == 0


PARTLY_STATED = [
    ("state,county", {"row": "person"}),
    ("county", {"row": "person", "levels": ("county",)}),
    ("state,county,n", {"count": "n"}),
    ("state,county,one,2", {"sizes": ("one", "2")}),
    ("state,county,size", {"row": "group", "size": "size"}),
    ("state,county,home", {"row": "person", "group": "home", "kind": "group-sizes"}),
    ("state,county,a,b", {"row": "trip", "destinations": ("a", "b")}),
    ("state,county,a,b,n", {"count": "n", "destinations": ("a", "b")}),
]


@pytest.mark.parametrize(
    ("head", "stated"),
    PARTLY_STATED,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_record_is_read_like_one_where_some_settings_are_guessed(tmp_path, head, stated):
    """The options --column state some settings, and a list of areas takes the place of records."""
    stated = {"levels": LEVELS} | stated
    if {"group", "size", "sizes"} & stated.keys():
        stated |= {"largest": 3, "empty_groups": "not counted"}
    if "destinations" in stated:
        stated |= {"list_columns": LEVELS}
    (tmp_path / "list.csv").write_text("state,county\n1,2\n1,3\n5,6\n")
    values = {"state": "1", "county": "2", "a": "1", "b": "3", "n": "1", "size": "1"}
    record = ",".join(values.get(name, "1") for name in head.split(","))
    tables = []
    for records in ((), (record,)):
        (tmp_path / "table.csv").write_text("\n".join([head, *records, ""]))
        for confidential in (True, False):
            reading = read_here(
                [tmp_path / "table.csv"],
                stated=stated,
                regions=tmp_path / "list.csv",
                confidential=confidential,
            )
            assert reading.table is not None, reading.report.lines()
            assert (sum(map(int, reading.table.values.ravel())) > 0) == bool(records)
            tables.append(reading.table)
    assert len({(type(t), t.regions.ids, t.values.shape[1:]) for t in tables}) == 1


@pytest.mark.parametrize("suffix", ["dta", "sav", "parquet"])
@pytest.mark.parametrize("n_records", [0, 1])
def test_no_record_is_read_in_every_format_that_has_columns_without_one(
    tmp_path, suffix, n_records
):
    (tmp_path / "list.csv").write_text("state,county\n1,2\n1,3\n")
    frame = pd.DataFrame({"state": ["1"] * n_records, "county": ["2"] * n_records}, dtype="str")
    path = tmp_path / f"table.{suffix}"
    if suffix == "dta":
        frame.astype(object).to_stata(path, write_index=False)
    elif suffix == "sav":
        pytest.importorskip("pyreadstat").write_sav(frame.astype(object), str(path))
    else:
        frame.to_parquet(path)
    layout = Layout.of({"kind": "counts", "row": "person", "levels": LEVELS})
    reading = read_here([path], layout=layout, regions=tmp_path / "list.csv", confidential=True)
    assert leaves(reading) == [n_records, 0], reading.report.lines()


RECORD = {"state": "1", "county": "2"}


@pytest.mark.parametrize("n_records", [1, 2, 3])
@pytest.mark.parametrize(
    "more",
    [{}, {"note": None}, {"job": {"of": "1"}}, {"tags": ["a"]}, {"note": "a\u2028b\x85c"}],
    ids=["flat", "blank", "inner", "list", "separators"],
)
def test_a_single_record_a_line_is_read_as_one_of_several(tmp_path, more, n_records):
    line = json.dumps(RECORD | more, ensure_ascii=False)
    assert _lines_of_json(tmp_path, [line] * n_records) == n_records


@pytest.mark.parametrize(
    "record", [{"where": RECORD, "job": {"of": "1"}}, RECORD | {"jobs": [{"of": "1"}]}]
)
def test_lines_that_could_each_be_a_document_are_refused(tmp_path, record):
    assert _lines_of_json(tmp_path, [json.dumps(record)] * 2) == {"unlike-records"}


def _lines_of_json(folder: Path, lines: list[str]) -> int | set[str]:
    (folder / "table.json").write_text("\n".join(lines), encoding="utf-8")
    (folder / "list.csv").write_text("state,county\n1,2\n1,3\n")
    layout = Layout.of({"kind": "counts", "row": "person", "levels": LEVELS})
    reading = read_here(
        [folder / "table.json"], layout=layout, regions=folder / "list.csv", confidential=True
    )
    return faults(reading) or int(reading.table.values[0])


@pytest.mark.parametrize("more", [[], ["Oak"], ["Ölk"]])
@pytest.mark.parametrize("encoding", ["cp1252", "cp1250", "utf-8"])
def test_letters_of_a_record_do_not_decide_how_a_long_text_is_read(tmp_path, more, encoding):
    """A long text with a stated encoding was refused only if a record had other letters."""
    text = "\n".join(["area,note", *["Ash,x"] * 5, *(f"Elm,{word}" for word in more), ""])
    reading = read_bytes(
        tmp_path, "table.csv", text.encode(encoding), encoding=encoding, limits=Limits(text_bytes=9)
    )
    if encoding == "utf-8":
        assert leaves(reading) == [5, len(more), 0]
    else:
        assert faults(reading) == {"encoding"}


@pytest.mark.parametrize("place", range(13))
def test_records_do_not_become_rows_of_the_header(tmp_path, place):
    """Four further records above a long one were read as a header, and the file was refused."""
    words = "c d", "NA", "null", "a", "n", "c d", "c d", "a", "2", "a", "b", "12,5"
    codes = "2", "2", "3", "3", "5", "1", "4", "4", "2", "5", "5", "3"
    rows = [*zip(codes, words, strict=True)]
    listed = [(code,) for code in "12345"]
    words = {"row": "person", "levels": ("county",), "list_head": ("county",)}
    reading = read(
        tmp_path, ["county", "note"], [*rows[:place], ("3", "b"), *rows[place:]], listed, "|",
        **words,
    )  # fmt: skip
    assert leaves(reading) == [1, 3, 4, 2, 3]


@pytest.mark.parametrize("more", [[], [("North",)]])
def test_a_record_does_not_move_those_of_an_area_called_like_a_further_page(tmp_path, more):
    """Otherwise, a record in North would make "North (cont.)" the same area."""
    areas = [("North",), ("North (cont.)",), ("South",)]
    words = {"row": "person", "levels": ("area",), "list_head": ("area",)}
    persons = [("North (cont.)",)] * 5 + [("South",)] * 2
    reading = read(tmp_path, ["area"], [*persons, *more], areas, **words)
    assert leaves(reading) == [len(more), 5, 2]


SHAPES = {
    "point": {"type": "Point", "coordinates": [3, 4]},
    "polygon": {"type": "Polygon", "coordinates": [[[3, 4], [4, 4], [4, 5], [3, 5], [3, 4]]]},
    "line": {"type": "LineString", "coordinates": [[3, 4], [5, 6]]},
    "none": None,
}


@pytest.mark.parametrize("others", ["point", "polygon"])
@pytest.mark.parametrize("own", SHAPES)
@pytest.mark.parametrize("place", [0, 9])
def test_the_shape_of_a_record_does_not_decide_which_others_are_read(
    tmp_path: Path, others: str, own: str, place: int
) -> None:
    def values(shapes: list[str], towns: list[str]) -> list[int]:
        features = [
            {"type": "Feature", "geometry": SHAPES[shape],
             "properties": {"state": "A", "town": town, "visits": 1}}
            for shape, town in zip(shapes, towns, strict=True)
        ]  # fmt: skip
        file, areas = tmp_path / "visits.geojson", tmp_path / "areas.csv"
        file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        areas.write_text("state,town\nA,x\nA,y\nA,z\n")
        stated = {"kind": "counts", "row": "region", "levels": ("state", "town"),
                  "count": "visits", "add_up": True}  # fmt: skip
        reading = read_here([file], stated=stated, regions=areas, confidential=True)
        assert reading.table is not None, reading.report
        assert "not-polygons" not in {finding.id for finding in reading.report.findings}
        return [int(n) for n in reading.table.values[reading.table.tree.leaves]]

    shapes, towns = [others] * 9, ["x", "x", "x", "y", "y", "y", "y", "y", "z"]
    before = values(shapes, towns)
    shapes.insert(place, own)
    towns.insert(place, "z")
    assert before == [3, 5, 1]
    assert values(shapes, towns) == [3, 5, 2]


def test_polygons_hide_no_points_of_a_table_with_a_list_of_areas(tmp_path: Path) -> None:
    def total(*shapes: str) -> int:
        features = [
            {"type": "Feature", "geometry": SHAPES[shape], "properties": {"town": town, "n": 1}}
            for shape, town in zip(shapes, ["x", "y", "z", "x"], strict=True)
        ]
        file, areas = tmp_path / "visits.geojson", tmp_path / "areas.csv"
        file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        areas.write_text("town\nx\ny\nz\n")
        stated = {"kind": "counts", "row": "region", "levels": ("town",), "count": "n",
                  "add_up": True}  # fmt: skip
        reading = read_here([file], stated=stated, regions=areas)
        assert reading.table is not None, reading.report
        return int(reading.table.values[0])

    assert total("point", "point", "point", "point") == 4
    assert total("polygon", "polygon", "point", "point") == 4


AS_LIST, AS_OBJECT = ["Elm", 3], {"area": "Elm", "age": 3}
AS_LISTS, AS_OBJECTS = [["Ash", 3]] * 4, [{"area": "Ash", "age": 3}] * 4
OF_COLUMNS = ["area", "age"]
AS_CUBE = {"id": ["area"], "value": [3], "dimension": {"area": {"category": {"index": ["Elm"]}}}}


@pytest.mark.parametrize(
    "content",
    [
        [OF_COLUMNS, *AS_LISTS, AS_OBJECT],
        [OF_COLUMNS, AS_OBJECT, *AS_LISTS],
        [*AS_OBJECTS, AS_LIST],
        [*AS_OBJECTS, None],
        {"columns": OF_COLUMNS, "data": [*AS_LISTS, AS_OBJECT]},
        {"persons": [OF_COLUMNS, *AS_LISTS, AS_OBJECT]},
        {"area": ["Ash", "Ash", AS_OBJECT], "age": [1, 2, 3]},
        {"a": AS_OBJECTS[0], "b": AS_OBJECTS[0], "c": [AS_OBJECT]},
        {"a": AS_OBJECTS[0], "b": AS_OBJECTS[0], "c": [OF_COLUMNS, AS_LIST]},
        {"a": AS_OBJECTS[0], "b": AS_CUBE},
    ],
)
def test_a_record_of_another_kind_does_not_hide_others(tmp_path, content):
    """A single object among lists was read alone."""
    reading = read_bytes(tmp_path, "persons.json", json.dumps(content).encode())
    assert reading.table is None
    assert faults(reading) == {"unlike-records"}


@pytest.mark.parametrize(
    "content",
    [
        AS_OBJECTS,
        [OF_COLUMNS, *AS_LISTS],
        {"columns": OF_COLUMNS, "data": AS_LISTS},
        {"area": ["Ash"] * 4, "age": [1, 2, 3, 4]},
        dict(enumerate(AS_OBJECTS)),
        {"about": {"year": 2026}, "rows": [{"persons": 4}], "data": AS_OBJECTS},
    ],
)
def test_records_of_one_kind_are_read_in_every_form(tmp_path, content):
    reading = read_bytes(tmp_path, "persons.json", json.dumps(content).encode())
    assert faults(reading) <= {"several-lists"}
    assert reading.table is None or leaves(reading) == [4, 0, 0]
    assert (reading.table is None) == ("rows" in content)


@pytest.mark.parametrize(
    ("more", "expected"), [([], [2, 1, 0]), ([",Elm"], [3, 1, 0]), ([",Abroad"], [2, 2, 0])]
)
def test_the_last_record_does_not_decide_in_which_area_the_one_before_is(tmp_path, more, expected):
    """A last row called "Abroad" was in no area above, but in one if another record followed."""
    (tmp_path / "list.csv").write_text("state,town\nNorth,Elm\nNorth,Abroad\nAbroad,Abroad\n")
    rows = ["state,town", "North,Elm", ",Elm", ",Abroad", *more]
    (tmp_path / "persons.csv").write_text("\n".join(rows) + "\n")
    stated = {"kind": "counts", "row": "person", "levels": ("state", "town"),
              "fill_down": ("state",), "within": True}  # fmt: skip
    reading = read_here(
        [tmp_path / "persons.csv"], stated=stated, regions=tmp_path / "list.csv", confidential=True
    )
    assert leaves(reading) == expected
