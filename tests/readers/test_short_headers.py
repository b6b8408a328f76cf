"""Headers with fewer names than the rows below them have cells."""

from pathlib import Path

from tests.support.answers import offered, read_text, total

_CANDIDATES = (("F", "Alder", 31), ("M", "Birch", 44), ("F", "Cedar", 27))


def _results() -> str:
    rows = []
    for k in range(9):
        votes = [f"{sex};{name};{n + 5 * k}" for sex, name, n in _CANDIDATES]
        rows.append(
            f"0{k // 3 + 1};Shire {k // 3 + 1};{k % 3 + 1};{400 + 29 * k};{';'.join(votes)}"
        )
    return "\n".join(["shire code;shire;ward;electorate;sex;candidate;votes", *rows])


def test_the_last_names_of_a_header_are_repeated_for_further_blocks(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _results())
    assert reading.question is not None
    counts = [str(answer.get("count")) for answer in offered(reading)]
    assert {"electorate", "votes", "votes 2", "votes 3"} <= {*counts}
    assert any("names are repeated" in finding.what for finding in reading.report.findings)
    table = read_text(
        tmp_path, _results(), count="votes 3", levels=("shire code", "ward"), within=True
    )
    assert total(table) == sum(27 + 5 * k for k in range(9))


def test_a_header_that_names_some_columns_is_refused_where_nothing_repeats(tmp_path: Path) -> None:
    rows = [f"Zone {k},{k},north,{k * 7},{k * 3 + 1},south,{k * 5},west,x,y,{k}" for k in range(8)]
    reading = read_text(tmp_path, "\n".join(["zone,people,side,houses", *rows]))
    assert reading.table is None
    assert any("the header has 4 names" in fault.what for fault in reading.report.faults)


def test_titles_above_numbers_are_no_header(tmp_path: Path) -> None:
    rows = [f"Place {k},{30 + k},{20 + 3 * k},{12 + k}" for k in range(8)]
    reading = read_text(tmp_path, "\n".join(["Residents by age,,,", "Table 4,,,", *rows]))
    assert not any("the header has" in fault.what for fault in reading.report.faults)
    assert reading.question is not None or reading.table is not None


def test_numbers_with_leading_zeros_are_no_sizes(tmp_path: Path) -> None:
    rows = [f"{code},Commune {k},{41 + 6 * k}"
            for k, code in enumerate(["01", "2A", "09", "12", "2A", "09", "01", "12"])]  # fmt: skip
    reading = read_text(tmp_path, "\n".join(["departement,commune,inscrits", *rows]))
    answers = offered(reading) if reading.question else [{}]
    assert not any("size" in answer for answer in answers)
    assert reading.table is None or reading.table.kind == "counts"
