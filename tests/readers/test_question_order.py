"""Which answer stands first, and readings that need no question."""

from pathlib import Path

import pytest

from hierdp_core.readers.build.regions_from_columns import _title
from hierdp_core.readers.columns.things import counted_unit
from hierdp_core.tables import Flows
from tests.support.answers import offered, read_text

_UP = ("North", "East", "South", "West")


def _towns(*, blank: bool = False) -> str:
    rows = [
        [up, "Centre" if k == 0 and up in ("North", "East") else f"{up} {k}", str(90 + 7 * k)]
        for up in _UP
        for k in range(8)
    ]
    if blank:
        rows[3][0] = ""
    return "\n".join(["province,town,people", *map(",".join, rows)])


def test_one_name_in_two_regions_is_two_places(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _towns())
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.level_sizes.tolist() == [1, 4, 32]
    assert any(f.id == "within" for f in reading.report.corrections)
    assert any("stands for a different area in each" in line for line in reading.guesses)


def test_one_name_below_an_unknown_region_is_asked_about(tmp_path: Path) -> None:
    assert read_text(tmp_path, _towns(blank=True)).table is None


def test_codes_in_two_regions_are_faults(tmp_path: Path) -> None:
    rows = [f"{up},{'X100' if k == 0 and i < 2 else f'X{i}{k:02}'},{90 + 7 * k}"
            for i, up in enumerate(_UP) for k in range(8)]  # fmt: skip
    reading = read_text(tmp_path, "\n".join(["province,town_code,people", *rows]))
    assert reading.table is None


def test_previous_and_current_places_are_directions(tmp_path: Path) -> None:
    for header in ("provincia_residencia_anterior,provincia_residencia_actual",
                   "previous_province,current_province"):  # fmt: skip
        rows = [f"{a},{b},{30 + i * 7 + j}" for i, a in enumerate(_UP) for j, b in enumerate(_UP)
                if a != b]  # fmt: skip
        reading = read_text(tmp_path, "\n".join([f"{header},poblacion", *rows]))
        assert isinstance(reading.table, Flows), reading.report.lines()
        assert reading.layout is not None
        assert reading.layout.levels == (header.split(",")[0],)


def test_columns_of_decimals_alone_are_first_taken_for_no_counts(tmp_path: Path) -> None:
    rows = [f"{up},Station {up}{k},2023-01-0{k + 1},{51.25 + 3.17 * k},{20.41 + k / 3:.2f}"
            for up in _UP for k in range(7)]  # fmt: skip
    text = "\n".join(["state,station,date,pm2_5,no2", *rows])
    answers = offered(read_text(tmp_path, text))
    assert answers[0] == {"kind": "none"}


def test_columns_of_years_stand_before_one_person_a_row(tmp_path: Path) -> None:
    rows = [f"A,F,NR,TOTAL,AT1{i}{k},{9000 + 31 * k},{9100 + 37 * k}"
            for i in range(3) for k in range(4)]  # fmt: skip
    text = "\n".join(["freq,sex,unit,age,geo,2021,2022", *rows, rows[-1]])
    answers = offered(read_text(tmp_path, text))
    assert answers[0] != {"row": "person"}


@pytest.mark.parametrize(
    ("name", "thing"),
    [("votes", "votes"), ("antal_kvaeg", "cattle"), ("Attendances", "attendances"), ("TEU", "TEU")],
)
def test_a_column_says_what_it_counts(name: str, thing: str) -> None:
    assert counted_unit(name)[0] == thing


def test_capital_letters_with_a_dot_lose_none_in_titles() -> None:
    assert _title("İL") == "il"


def _suppressed() -> str:
    rows = [f"{up},{up} {k},{'Suppressed' if k % 3 == 0 else 20 + 3 * k},{9000 + 71 * k}"
            for up in _UP for k in range(8)]  # fmt: skip
    return "\n".join(["state,county,Deaths,Population", *rows])


def test_counts_of_which_some_are_suppressed_are_offered(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _suppressed())
    assert {"count": "Deaths"} in offered(reading)
    again = read_text(tmp_path, _suppressed(), count="Deaths")
    assert {"missing": "left out"} in offered(again)


def test_rows_that_an_answer_names_need_no_advice(tmp_path: Path) -> None:
    rows = [f"{up},{90 + 7 * k}" for k, up in enumerate(_UP)]
    text = "\n".join(["province,people", *rows, "All of the rest,700"])
    reading = read_text(tmp_path, text, leave_out=("province=All of the rest",))
    (shown,) = [f for f in reading.report.corrections if f.id == "much-left-out"]
    assert shown.remedy == ""


def test_the_number_of_a_record_is_not_offered_as_counts(tmp_path: Path) -> None:
    rows = [f"{60_087_322 + 104_729 * k},{_UP[k % 4]},Kind {k % 5}" for k in range(40)]
    reading = read_text(tmp_path, "\n".join(["Unique Key,Borough,Complaint Type", *rows]))
    answers = offered(reading)
    assert {"row": "person"} in answers
    assert {"count": "Unique Key"} not in answers
    assert "may be one record" in reading.report.faults[0].what
