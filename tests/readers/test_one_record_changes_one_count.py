"""In a confidential table, one record never decides how other records are read."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hierdp_core.exceptions import ReleaseError
from hierdp_core.privacy import NOT_COVERED
from hierdp_core.readers import Layout, Reading
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
