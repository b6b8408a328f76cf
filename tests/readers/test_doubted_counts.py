"""Numbers that are no counts by what stands beside them, and numbers that each area repeats."""

from pathlib import Path

from tests.support.answers import offered, read_text, total

_PARTIES = ("Sun", "Moon", "Star", "Sea", "Hill", "Blank")
_TOWNS = [(k, f"Town {k}", 2311 + 977 * k) for k in range(8)]


def _election() -> str:
    rows = [
        f"R{k // 4},{town},{party},{voters},{31 + 7 * k + 5 * p}"
        for k, town, voters in _TOWNS for p, party in enumerate(_PARTIES)
    ]  # fmt: skip
    return "\n".join(["region,town,party,registered voters,votes for the party", *rows])


def test_a_number_that_all_rows_of_an_area_repeat_is_not_added_up(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _election(), count="registered voters")
    assert reading.question is not None
    assert "counted more than once" in reading.question.what
    answers = offered(reading)
    assert not any(answer.get("add_up") for answer in answers)
    kept = next(answer for answer in answers if "keep" in answer)
    once = read_text(tmp_path, _election(), count="registered voters", **kept)
    assert total(once) == sum(voters for _, _, voters in _TOWNS)


def test_adding_them_up_is_cautioned(tmp_path: Path) -> None:
    levels = ("region", "town")
    for count, repeated in (("registered voters", True), ("votes for the party", False)):
        reading = read_text(tmp_path, _election(), count=count, levels=levels, add_up=True)
        notes = [finding.what for finding in reading.report.findings]
        assert any("counted once for each row" in note for note in notes) == repeated


def test_school_years_are_no_counts(tmp_path: Path) -> None:
    rows = [f"202{k % 3}/2{k % 3 + 1},LA{k // 3},{120 + 13 * k}" for k in range(12)]
    for text in (rows, [row.replace("/", "", 1) for row in rows]):
        answers = offered(read_text(tmp_path, "\n".join(["time_period,area,headcount", *text])))
        assert not any(answer.get("count") == "time_period" for answer in answers)


def test_codes_whose_first_digits_are_those_of_the_district_are_doubted(tmp_path: Path) -> None:
    rows = [f"{(k // 4 + 3) * 100 + k % 4 + 1},Place {k},District {k // 4},{40 + 9 * k}"
            for k in range(16)]  # fmt: skip
    text = "\n".join(["register,name,district,boats", *rows])
    reading = read_text(tmp_path, text, count="register", levels=("district", "name"))
    notes = [finding.what for finding in reading.report.findings]
    assert any("begin with one code" in note for note in notes)
    boats = read_text(tmp_path, text, count="boats", levels=("district", "name"))
    assert not any("begin with one code" in finding.what for finding in boats.report.findings)


def test_numbers_of_voters_close_together_are_no_coordinates(tmp_path: Path) -> None:
    rows = [f"C{k:02},Seat {k},{61_000 + 517 * k},{40_000 + 311 * k}" for k in range(24)]
    answers = offered(read_text(tmp_path, "\n".join(["code,seat,electorate,valid votes", *rows])))
    assert [answer.get("count") for answer in answers[:2]] == ["electorate", "valid votes"]
