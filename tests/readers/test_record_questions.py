"""Lists of persons: what is asked about their places, groups, weights and rows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.answers import offered, read_text

from hierdp_core.readers.columns.ends import End, end_of
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.guess import guess
from hierdp_core.readers.columns.record_levels import (
    finer_level_question,
    overlapping_level_question,
    repeated_members_question,
    shared_numbers,
)
from hierdp_core.readers.columns.record_rules import (
    called_weight,
    describes_persons,
    large_or_fractional,
    measures_something_else,
    positive_numbers,
    weights_in,
)
from hierdp_core.readers.columns.repeated_persons import repeated_persons_question
from hierdp_core.readers.columns.two_places import places_of_persons, shared_places_question
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here

_AREAS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel")
_RNG = np.random.default_rng(17)
_HOME = _RNG.integers(0, 6, 240).tolist()
_AWAY = _RNG.integers(0, 6, 240).tolist()
_AGES = _RNG.integers(0, 95, 240).tolist()


def sheet(names: str, rows: Sequence[Sequence[object]]) -> Sheet:
    columns = tuple(pa.array([str(cell) for cell in column]) for column in zip(*rows, strict=True))
    return Sheet(file="t.csv", names=tuple(names.split(",")), columns=columns)


def facts(names: str, rows: Sequence[Sequence[object]]) -> SheetFacts:
    return SheetFacts(sheet(names, rows))


def column(name: str, *cells: object) -> ColumnFacts:
    return ColumnFacts(name, pa.array([str(cell) for cell in cells], pa.string()))


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("residence_district", End(end="residence", rest="district")),
        ("municipio_nacimiento", End(end="nacimiento", rest="municipio")),
        ("Arbeitskreis", End(end="arbeits", rest="kreis")),
        ("county_of_birth", End(end="birth", rest="county")),
        ("hospital", End(end="hospital", rest="")),
        ("district", None),
        ("home_work_county", None),
    ],
)
def test_a_name_says_which_place_it_is(name: str, end: End | None) -> None:
    assert end_of(name) == end


@pytest.mark.parametrize(
    ("name", "place"), [("birth_weight", False), ("birth_year", False), ("birth_district", True)]
)
def test_what_is_known_of_a_birth_is_no_place(name: str, place: bool) -> None:
    end = end_of(name)
    assert end is not None
    assert end.about_a_place == place


def _journeys(names: str) -> SheetFacts:
    return facts(names, [
        [k, "MF"[k % 2], age, _AREAS[a], _AREAS[b]]
        for k, (a, b, age) in enumerate(zip(_HOME, _AWAY, _AGES, strict=True))
    ])  # fmt: skip


@pytest.mark.parametrize(
    "names",
    ["person_id,sex,age,home_town,work_town", "nr,g,a,woongemeente,werkgemeente",
     "id,sex,age,place_a,place_b", "id,sex,age,district_of_residence,hospital"],
)  # fmt: skip
def test_two_places_of_persons_are_found(names: str) -> None:
    found = _journeys(names)
    columns = names.split(",")[3:]
    ends = places_of_persons(found, columns)
    assert {name for end in ends.values() for name in end} == set(columns)


def test_two_places_are_asked_about_with_flows_both_ways() -> None:
    table = _journeys("person_id,sex,age,first_town,second_town").sheet
    question = guess(table).question
    assert question is not None
    kinds = [choice.stated["kind"] for choice in question.choices]
    assert kinds == ["counts", "counts", "flows", "flows"]
    assert question.choices[2].stated["levels"] == ("first_town",)


def test_flows_between_two_places_go_only_the_way_that_both_names_state() -> None:
    question = guess(_journeys("person_id,sex,age,work_town,home_town").sheet).question
    assert question is not None
    flows = [c.stated for c in question.choices if c.stated["kind"] == "flows"]
    assert [(c["levels"], c["destinations"]) for c in flows] == [(("home_town",), ("work_town",))]


def test_a_number_for_each_record_is_no_region() -> None:
    rows = [[f"X{k}", "MF"[k % 2], _AGES[k], _AREAS[a]] for k, a in enumerate(_HOME)]
    found = guess(sheet("ID,Gender,Age,District", rows))
    assert found.question is None
    assert found.layout is not None
    assert found.layout.levels == ("District",)


def test_one_place_is_not_asked_about() -> None:
    rows = [[k, "MF"[k % 2], _AGES[k], _AREAS[a]] for k, a in enumerate(_HOME)]
    assert guess(sheet("person_id,sex,age,home_town", rows)).question is None


def test_a_place_that_shares_codes_with_a_level_is_asked_about() -> None:
    found = _journeys("id,sex,age,district,second")
    assert shared_places_question(found, ("district",), frozenset({"district"})) is not None
    assert shared_places_question(found, ("district",), frozenset({"district", "second"})) is None


def _roster(*, sorted_rows: bool = True) -> SheetFacts:
    rows = [
        [_AREAS[area], block, home, line, (7 * home + 13 * line) % 90]
        for area in range(6) for block in (1, 2)
        for home in (1, 2, 3) for line in range(1, home + 2)
    ]  # fmt: skip
    if not sorted_rows:
        rows = [rows[k] for k in np.random.default_rng(3).permutation(len(rows))]
    return facts("district,block,hhid,line,age", rows)


def test_members_that_are_numbered_anew_are_asked_about() -> None:
    question = repeated_members_question(_roster(sorted_rows=False), ("district",), "hhid")
    assert question is not None
    assert question.choices[0].stated["levels"] == ("district", "block")
    assert repeated_members_question(_roster(), ("district", "block"), "hhid") is None


def test_numbers_of_groups_in_several_regions_are_told() -> None:
    shown = shared_numbers(_roster(), ("district",), "hhid")
    assert "18 in all" in shown  # three numbers in six districts
    once = facts("district,hhid", [[a, k] for k, a in enumerate("aabbcc")])
    assert shared_numbers(once, ("district",), "hhid") == ""


def test_a_finer_column_that_is_not_used_is_asked_about() -> None:
    rows = [[_AREAS[a], f"{_AREAS[a]} {k % 3}", "xy"[k % 2]] for k, a in enumerate(_HOME)]
    found = facts("district,surgery,wing", rows)
    question = finer_level_question(found, ("district",), frozenset({"district"}))
    assert question is not None
    assert question.choices[0].stated == {"levels": ("district", "surgery")}
    assert (
        finer_level_question(found, ("district", "surgery"), frozenset({"district", "surgery"}))
        is None
    )


def test_places_that_cross_are_asked_about() -> None:
    rows = [[_AREAS[a], f"{k % 5}town"] for k, a in enumerate(_HOME)]
    found = facts("district,town", rows)
    question = overlapping_level_question(found, ("district",), frozenset({"district"}))
    assert question is not None
    assert {("district",), ("town",)} <= {choice.stated["levels"] for choice in question.choices}
    named = facts("district,name", rows)
    assert overlapping_level_question(named, ("district",), frozenset({"district"})) is None


def _survey(first: str) -> str:
    """Return households of a survey in columns without words; two zones have one name."""
    lines = [f"hh,{first},q02,q03,q09"]
    zones = [(r, "Shewa" if z == 0 and r < 2 else f"Zone {r}{z}") for r in range(4)
             for z in range(3)]  # fmt: skip
    for k in range(480):
        region, zone = zones[k % 12]
        woreda = f"{zone} w{k // 12 % 3}"
        lines.append(f"{k:06d},Region {'ABCD'[region]},{zone},{woreda},{1 + k * 7 % 9}")
    return "\n".join(lines)


def test_a_column_numbered_before_the_levels_is_asked_about(tmp_path: Path) -> None:
    stated = {"kind": "group-sizes", "row": "group", "size": "q09"}
    answers = offered(read_text(tmp_path, _survey("q01"), **stated))
    assert answers[0] == {"levels": ("q01", "q02", "q03"), "within": True}
    table = read_text(tmp_path, _survey("q01"), **stated, **answers[0]).table
    assert table is not None
    assert table.regions.tree.level_sizes.tolist() == [1, 4, 12, 36]


def test_rows_of_one_person_are_asked_about() -> None:
    waves = [[k, wave, _AREAS[k % 6]] for k in range(60) for wave in (1, 2, 3)]
    question = repeated_persons_question(facts("pid,wave,district", waves))
    assert question is not None
    assert question.choices[0].stated == {"keep": ("wave=3",)}
    once = [[k, 1, _AREAS[k % 6]] for k in range(60)]
    assert repeated_persons_question(facts("pid,wave,district", once)) is None


def test_a_question_on_many_waves_states_how_many_answers_it_lists() -> None:
    waves = [[k, wave, _AREAS[k % 6]] for k in range(60) for wave in range(1, 12)]
    question = repeated_persons_question(facts("pid,wave,district", waves))
    assert question is not None
    assert "The answers list 8 of the 11 values" in question.what
    kept = [choice.stated["keep"] for choice in question.choices if "keep" in choice.stated]
    assert kept == [(f"wave={wave}",) for wave in range(11, 3, -1)]


def test_lines_of_a_household_are_no_numbers_of_persons() -> None:
    rows = [[home, line] for home in range(60) for line in (1, 2, 3)]
    assert repeated_persons_question(facts("hhid,pid", rows)) is None


@pytest.mark.parametrize(
    ("rule", "for_it", "against_it"),
    [
        (called_weight, column("hh_weight", 2.5), column("income", 2.5)),
        (called_weight, column("hochrechnungsfaktor", 812), column("faktura", 812)),
        (positive_numbers, column("x", 1.5, 2.5, 3.5), column("x", -1, 2, 3)),
        (large_or_fractional, column("x", 1.5, 2.25, 3.1), column("x", 1, 2, 3)),
    ],
)
def test_a_rule_speaks_for_weights(rule, for_it: ColumnFacts, against_it: ColumnFacts) -> None:
    assert rule(for_it) > 0 >= rule(against_it)


def test_a_measure_is_no_weight() -> None:
    assert measures_something_else(column("mean_income", 1.5)) < 0
    found = facts("area,perwt,age", [["a", 1.5 + k, k] for k in range(30)])
    assert weights_in(found, found.sheet.names) == ["perwt"]


def test_persons_are_told_from_members_of_groups() -> None:
    rows = [[_AREAS[k % 6], k // 3, _AGES[k], "MF"[k % 2]] for k in range(120)]
    assert describes_persons(facts("district,hhid,age,sex", rows))
    assert not describes_persons(facts("district,hhid,age", [row[:3] for row in rows]))


def test_persons_with_households_are_asked_about(tmp_path: Path) -> None:
    head = "district,hhid,age,sex\n"
    rows = [f"{_AREAS[k % 30 // 5]},{k // 3},{_AGES[k]},{'MF'[k % 2]}\n" for k in range(120)]
    (tmp_path / "t.csv").write_text(head + "".join(rows))
    asked = read_here([tmp_path / "t.csv"])
    assert asked.question is not None
    persons, homes = asked.question.choices
    for choice, kind in ((persons, "counts"), (homes, "group-sizes")):
        reading = read_here([tmp_path / "t.csv"], stated=choice.stated)
        assert reading.table is not None
        assert reading.table.kind == kind


def test_weights_are_added_up_before_they_are_rounded(tmp_path: Path) -> None:
    text = "area,sex,perwt\n" + "".join(f"{a},{s},0.4\n" for a in "xyz" for s in "MFMFM")
    (tmp_path / "t.csv").write_text(text)
    stated = {"kind": "counts", "row": "region", "count": "perwt", "add_up": True, "times": 1}
    reading = read_here([tmp_path / "t.csv"], stated=stated)
    assert reading.table is not None
    assert reading.table.values.tolist() == [6, 2, 2, 2]  # each weight alone is rounded to 0


def test_records_of_several_kinds_are_read_apart(tmp_path: Path) -> None:
    lines = ["RECTYPE,STATE,SERIAL,PERSONS,AGE"]
    for serial in range(40):
        size = 1 + serial % 4
        lines.append(f"H,{1 + serial // 20},{serial},{size},")
        lines += [f"P,{1 + serial // 20},{serial},,{20 + 3 * k}" for k in range(size)]
    text = "\n".join(lines)
    path = tmp_path / "t.csv"
    path.write_text(text)
    (fault,) = read_here([path]).report.faults
    assert [dict(c.stated) for c in fault.choices] == [
        {"keep": ("RECTYPE=H",)}, {"keep": ("RECTYPE=P",)},
    ]  # fmt: skip
    assert "several kinds" not in str(read_here([path], stated={"totals": "none"}).report.lines())


@pytest.mark.parametrize("name", ["", "id"])
def test_numbers_of_persons_in_no_order_are_no_areas(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(34)
    lines = [f"{name},district,sex,age,rooms"]
    lines += [
        f"{1000 + 7 * k % 120},{rng.integers(101, 109)},F,{rng.integers(0, 90)},{1 + k % 6}\n"
        f"{2000 + 7 * k % 120},{rng.integers(101, 109)},M,{rng.integers(0, 90)},{1 + k % 6}"
        for k in range(120)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    (fault,) = read_here([path]).report.faults
    assert {"kind": "counts", "row": "person"} in [dict(c.stated) for c in fault.choices]
