"""Numbers of records among regions, counts of which another one is a part, and printed blocks."""

from pathlib import Path

import pyarrow as pa
import pytest

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.level_columns import nested_beside
from hierdp_core.readers.columns.record_rules import weights_in
from hierdp_core.readers.formats.sheet import Sheet
from tests.support.answers import offered, read_text, total


def test_a_sum_of_parts_is_asked_about_if_a_wider_count_stands_beside(tmp_path: Path) -> None:
    """Ballots add up by party; the electors beside them are no part of the sum."""
    rows = []
    for n in range(40):
        parties = [20 + 5 * (n % 9), 35 + n % 7, 12 + n % 5, 8 + n % 11]
        votes, spoilt = sum(parties), n % 4
        cells = [290 + 7 * (n % 9), *parties, votes, spoilt, votes + spoilt]
        rows.append(f"D{n % 4},S{n:03d},{','.join(map(str, cells))}")
    header = "riding,poll,E.I.,CAQ,PLQ,QS,PQ,B.V.,B.R.,B.D."
    answers = offered(read_text(tmp_path, "\n".join([header, *rows])))
    assert [a for a in answers if a.keys() == {"count"}] == [{"count": "B.D."}, {"count": "E.I."}]


def test_parts_alone_are_read_at_once(tmp_path: Path) -> None:
    rows = [f"D{n % 4},S{n:03d},{60 + n % 9},{75 + n % 7},{135 + n % 9 + n % 7}" for n in range(40)]
    reading = read_text(tmp_path, "\n".join(["riding,poll,men,women,all", *rows]))
    assert total(reading) == sum(135 + n % 9 + n % 7 for n in range(40))


MATRIX = """,
"SA3 (POW)","Brighton","Hobart","Launceston"
{line}
"Brighton",10,20,30
"Hobart",40,50,61
"Launceston",70,80,92"""


@pytest.mark.parametrize("line", ['"SA3 (UR)"', '"Place of residence"'])
def test_a_line_below_the_header_may_name_the_rows(tmp_path: Path, line: str) -> None:
    reading = read_text(tmp_path, MATRIX.format(line=line), matrix="origins")
    assert reading.table is not None
    assert int(reading.table.values.sum()) == 453


def test_a_region_without_its_numbers_is_no_name_of_the_rows(tmp_path: Path) -> None:
    reading = read_text(tmp_path, MATRIX.format(line='"Zone 4"'), matrix="origins")
    assert reading.table is None
    assert "fewer cells" in "\n".join(reading.report.lines())


RECORDS = {"kind": "counts", "row": "person"}
ACCIDENTS = [
    f"{500_000 + 7 * n},{'ABCDE'[n * n % 5]},{'ABCDE'[n * n % 5]}-{n % 3},{1 + n % 4}"
    for n in range(120)
]


def test_rising_numbers_of_records_are_no_regions(tmp_path: Path) -> None:
    text = "\n".join(["id,uf,municipio,pessoas", *ACCIDENTS])
    reading = read_text(tmp_path, text)
    answers = offered(reading)
    assert RECORDS in answers
    assert {"count": "pessoas", "add_up": True} in answers
    assert total(read_text(tmp_path, text, kind="counts", row="person")) == len(ACCIDENTS)


def test_rising_numbers_of_sorted_regions_are_regions(tmp_path: Path) -> None:
    rows = sorted(ACCIDENTS, key=lambda row: row.split(",")[1:3])
    numbered = [f"{500_000 + 7 * k},{row.split(',', 1)[1]}" for k, row in enumerate(rows)]
    answers = offered(read_text(tmp_path, "\n".join(["id,uf,municipio,pessoas", *numbered])))
    assert RECORDS not in answers


def test_columns_beside_the_last_level_are_levels_as_long_as_they_nest() -> None:
    names = ("hub", "RO", "ST", "Locid", "S/L")
    rows = [(f"H{n % 3}", f"R{n // 8}", f"S{n // 4}", f"L{n}", f"C{n // 16}") for n in range(32)]
    columns = [pa.array(cells, pa.string()) for cells in zip(*rows, strict=True)]
    facts = SheetFacts(Sheet(file="t.csv", names=names, columns=tuple(columns)))
    assert nested_beside(facts, names, "Locid") == ("RO", "ST", "Locid")
    assert nested_beside(facts, ("RO", "S/L"), "Locid") == ("Locid",)


def test_a_region_named_only_in_its_subtotal_is_a_level(tmp_path: Path) -> None:
    """The rows below are numbered, and the numbers are blank in the subtotals."""
    parts = [[11, 22, 35], [41, 52], [17, 28, 39, 44]]
    rows, number = [f",ALL,,{sum(map(sum, parts))}"], 0
    for office, numbers in zip(("North", "South", "East"), parts, strict=True):
        rows.append(f",{office},SUB TOTAL,{sum(numbers)}")
        for value in numbers:
            number += 1
            rows.append(f"{number},,House {number},{value}")
    reading = read_text(
        tmp_path, "\n".join(["N°,regional office,house,inmates", *rows]), count="inmates"
    )
    assert total(reading) == sum(map(sum, parts))
    assert reading.layout is not None
    assert reading.layout.levels == ("regional office", "house")


def test_totals_that_are_left_out_are_not_read_twice(tmp_path: Path) -> None:
    rows = [",9,9000"]
    for n in range(9):
        rows.append("SUB TOTAL,9,1000")
        rows += [f"House {n}{k},{k},{200 + 50 * k}" for k in range(2, 4)]
        rows.append(f"House {n}4,4,350")
    stated = {"leave_out": ("house=",), "totals": "left out", "count": "inmates"}
    reading = read_text(tmp_path, "\n".join(["house,cells,inmates", *rows]), **stated)
    assert total(reading) == 9000


NAMES = ("Hill", "Dale", "Ford", "Wick", "Leigh", "Holm", "Mere", "Stead", "Worth", "Beck")


@pytest.mark.parametrize("header", ["Parish,Community,people", "Parish,Town,people"])
def test_names_do_not_turn_over_levels_with_many_areas_below(tmp_path: Path, header: str) -> None:
    """Parishes are above communities and towns in some countries, and below in others."""
    rows = []
    for p in range(6):
        for k in range(16):
            name = NAMES[k] if k < 2 else f"{NAMES[(k + p) % 10]} {'ABCDEF'[p]}{k}"
            rows.append(f"Saint {NAMES[p]},{name},{90 + 7 * p + 3 * k}")
    reading = read_text(tmp_path, "\n".join([header, *rows]))
    assert total(reading) == sum(90 + 7 * p + 3 * k for p in range(6) for k in range(16))
    assert reading.table is not None
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 6, 96]


def test_numbers_of_stations_distinguish_stations_of_one_name(tmp_path: Path) -> None:
    rows = [
        f"P{s // 20},M{s // 10},{39_000_101 + 17 * s},Hall {s - (s % 10 == 9)},{party},{30 + s + k}"
        for s in range(40)
        for k, party in enumerate(("Green", "Red", "Blue"))
    ]
    text = "\n".join(["Province,Municipality,VD_Number,VS_Name,Party_Name,Valid_Votes", *rows])
    reading = read_text(tmp_path, text, count="Valid_Votes", add_up=True)
    assert reading.layout is not None
    assert reading.layout.levels == ("Province", "Municipality", "VD_Number")
    assert reading.table is not None
    assert reading.table.regions.tree.n_leaves == 40


@pytest.mark.parametrize(
    ("name", "weighs"), [("factor de ajuste", True), ("Przeciętna wysokość (zł)", False)]
)
def test_a_mean_is_no_weight(name: str, weighs: bool) -> None:
    numbers = [f"{1800 + 37.25 * n:.2f}" for n in range(30)]
    sheet = Sheet(file="t.csv", names=(name,), columns=(pa.array(numbers, pa.string()),))
    assert weights_in(SheetFacts(sheet), (name,)) == ([name] if weighs else [])


def test_a_remedy_names_no_part_of_the_rows_that_look_like_totals(tmp_path: Path) -> None:
    """Whoever followed a list of twenty rows of twenty-five would keep five totals."""
    rows = []
    for state in range(25):
        numbers = [700 + 31 * state, 900 + 17 * state, 1100 + 13 * state]
        rows += [f"S{state},C{state}{k},{n}" for k, n in enumerate([*numbers, sum(numbers)])]
    reading = read_text(tmp_path, "\n".join(["state,county,people", *rows]))
    (fault,) = [f for f in reading.report.faults if f.id == "hidden-total"]
    assert "leave_out = " not in fault.sentence
    assert "all 25 rows" in fault.sentence
    assert len(fault.choices[0].stated["leave_out"]) == 25


def test_totals_of_some_rows_each_that_add_up_need_no_note(tmp_path: Path) -> None:
    numbers = [[1200, 1350, 1410, 1520, 1650, 1720], [900, 1010, 1130, 1240, 1360, 1480]]
    rows = []
    for part, values in enumerate(numbers):
        rows += [f"T{part}{k},{n}" for k, n in enumerate(values)]
        rows.append(f"Total,{sum(values)}")
    reading = read_text(tmp_path, "\n".join(["town,people", *rows]), totals="left out")
    assert total(reading) == sum(map(sum, numbers))
    assert not [f for f in reading.report.findings if f.id == "other-total"]
