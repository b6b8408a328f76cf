"""The text of `hierdp check`: what it leads with, and that its flags do what it says."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from hierdp_core.cli import check_report, main
from hierdp_core.util.marks import CONFIDENTIAL

Captured = pytest.CaptureFixture[str]

YEARS = "province,town,2021,2022\nN,a,10,11\nN,b,20,22\nS,c,30,33\n"
FAULTY = "state,county,people\nN,a,12.5\nN,b,860\nS,c,-145\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own.csv"


def report(arguments: list[str], capsys: Captured) -> tuple[int, list[str], str]:
    """Return the exit code, the lines of the report and the message."""
    code = main(["check", *arguments])
    output = capsys.readouterr()
    return code, output.out.splitlines(), output.err


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("state,county,people\nN,a,1\nS,c,0\n", "Usable: counts, 1 person"),
        ("home,work,trips\nA,B,1\nB,A,0\n", "Usable: flows, 1 trip"),
        ("state,size,households\nA,1,1\nB,1,0\n", "Usable: group sizes, 1 occupied group"),
    ],
)
def test_one_of_a_thing_is_in_the_singular(
    file: Path, content: str, title: str, capsys: Captured
) -> None:
    file.write_text(content)
    assert report([str(file)], capsys)[1][0] == title


def test_a_usable_file_begins_with_its_numbers(file: Path, capsys: Captured) -> None:
    file.write_text("state,county,people\nN,a,10\nN,b,20\nS,c,0\n")
    code, lines, message = report([str(file)], capsys)
    assert (code, message) == (0, "")
    assert lines[0] == "Usable: counts, 30 people"
    assert [line.split() for line in lines[3:5]] == [
        ["state", "2", "1", "30", "N"],
        ["county", "3", "1", "20", "b"],
    ]
    assert lines[5] == "Above these levels, the level “total” is all areas together."
    assert "Question" not in lines
    assert "Problems" not in lines


def test_the_report_on_confidential_data_says_how_to_keep_it(
    file: Path, tmp_path: Path, capsys: Captured
) -> None:
    file.write_text("state,county,people\nN,a,10\nN,b,20\nS,c,0\n")
    listed = tmp_path / "list.csv"
    listed.write_text("state,county\nN,a\nN,b\nS,c\nS,d\n")
    columns = ["--column", "levels=state,county", "--column", "count=people"]
    words = [str(file), "--regions", str(listed), *columns]
    _, lines, _ = report(words, capsys)
    assert "not for publication" not in "\n".join(lines)
    kept = "Contains true values: not for publication; made from confidential data: store it under"
    for wrong in ([], ["--column", "count=none"]):
        _, lines, _ = report([*words, "--confidential", *wrong], capsys)
        assert " ".join(line.strip() for line in lines[-2:]).startswith(kept)
        assert main(["check", *words, "--confidential", *wrong, "--json"]) == (2 if wrong else 0)
        mark = json.loads(capsys.readouterr().out)["mark"]
        assert mark == "contains true values: not for publication; " + CONFIDENTIAL


def test_a_single_answer_may_be_wrong(file: Path, capsys: Captured) -> None:
    file.write_text("q1,people\n0.5,10\n")
    _, lines, _ = report([str(file)], capsys)
    text = " ".join(line.strip() for line in lines)
    assert "If this answer is right, choose it. Otherwise, correct the file." in text


@pytest.mark.slow
def test_each_answer_to_a_question_is_a_flag_that_can_be_copied(
    file: Path, capsys: Captured
) -> None:
    file.write_text(YEARS)
    code, lines, message = report([str(file)], capsys)
    assert code == 2
    assert "own.csv is not read yet. Add the option of one of the answers" in message
    assert lines[0] == "Question"
    assert lines[1] == "  2 columns may hold the counts. Choose one of these answers."
    flags = [line for line in lines if line.startswith("      --column")]
    assert len(flags) == 3
    code, lines, _ = report([str(file), *shlex.split(flags[0])], capsys)
    assert code == 0
    assert lines[0] == "Usable: counts, 66 people"


def test_each_problem_states_what_where_and_a_remedy(file: Path, capsys: Captured) -> None:
    file.write_text(FAULTY)
    code, lines, message = report([str(file)], capsys)
    assert code == 2
    assert message.startswith("hierdp: own.csv has 2 problems.")
    text = re.sub(r"\s+", " ", " ".join(lines))
    assert 'A count is negative (row 4, column "people"). Counts must be 0 or greater.' in text
    assert (
        'A count is not a whole number (row 2, column "people"). Round it, or all numbers' in text
    )
    assert "--column times=1" in [line.strip() for line in lines]


def test_the_report_states_how_many_problems_it_leaves_out(
    file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_report, "_MOST_LISTED", 1)
    file.write_text(FAULTY)
    _, lines, _ = report([str(file)], capsys)
    assert "  1 more is in the JSON output (--json)." in lines


def test_files_are_named_where_there_are_several(file: Path, capsys: Captured) -> None:
    file.write_text(FAULTY)
    other = file.with_name("lookup.csv")
    other.write_text("county,title\na,Alder\nb,Birch\nc,Cedar\n")
    _, lines, _ = report([str(file), str(other)], capsys)
    assert any(line.startswith("  own.csv: a count is negative") for line in lines)


def test_the_message_names_the_file_that_has_the_problem(file: Path, capsys: Captured) -> None:
    file.write_text("state,county,people\nN,a,10\nN,b,20\nS,c,0\n")
    other = file.with_name("lookup.csv")
    other.write_text("nothing,that,fits\nx,y,z\n")
    code, _, message = report([str(file), str(other)], capsys)
    assert code == 2
    assert message.startswith("hierdp: lookup.csv has 1 problem. Correct it as the report states")


@pytest.mark.parametrize(
    ("text", "asks"),
    [(YEARS, True), ("state,county,people\nN,a,1\nS,b,2\n", False), ("x\ty\nN\t1\nS\t2\n", True)],
)
def test_the_advice_of_check_as_a_settings_file_works_when_followed(
    text: str, asks: bool, file: Path, capsys: Captured
) -> None:
    """Add a flag that the comments name until the files are usable, then simulate with the file."""
    file.write_text(text)
    flags: list[str] = []
    for _ in range(4):
        code, lines, message = report([str(file), *flags, "--toml"], capsys)
        if code == 0:
            break
        assert "Add the option of one of the answers, and check again." in message
        answers = [line[1:].strip() for line in lines if line.startswith("#       --column")]
        assert answers
        tomllib.loads("\n".join(lines))
        flags += shlex.split(next(answer for answer in answers if "kind=none" not in answer))
    assert code == 0
    assert bool(flags) == asks
    settings = file.with_suffix(".toml")
    settings.write_text("\n".join(lines), encoding="utf-8")
    words = ["simulate", str(settings), "--mechanism", "tree-dp", "--epsilon", "1"]
    assert main(words) == 0


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ([], "The privacy unit is one row, called “person”."),
        (["--column", "person=stay"], "The privacy unit is one row, called “stay”."),
        (
            ["--column", "kind=group-sizes", "--column", "group=home", "--column", "largest=4"],
            "Each row is treated as one member of a group. The privacy unit is one member",
        ),
    ],
)
def test_a_list_of_records_states_what_each_row_is(
    file: Path, capsys: Captured, flags: list[str], text: str
) -> None:
    file.write_text("state,county,home\nN,a,1\nN,a,1\nN,b,2\nS,c,3\n")
    flags = ["--column", "row=person", "--column", "levels=state,county", *flags]
    code, lines, _ = report([str(file), *flags], capsys)
    assert code == 0
    place = lines.index("Privacy unit")
    assert text in " ".join(line.strip() for line in lines[place:])


def test_a_table_of_counts_states_no_unit_of_its_rows(file: Path, capsys: Captured) -> None:
    file.write_text("state,county,people\nN,a,10\nN,b,20\nS,c,0\n")
    _, lines, _ = report([str(file)], capsys)
    assert "Privacy unit" not in lines


def test_json_names_the_kind_of_a_finding_and_keeps_the_earlier_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.csv"
    own.write_text("state,county,people\nA,a ,10\nA,b,20\nB,c,5\n", encoding="utf-8")
    assert main(["check", str(own), "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert ("correction", "repair") in {(f["kind"], f["sort"]) for f in findings}
    own.write_text("state,county,people\nA,a,-1\nA,b,2\n", encoding="utf-8")
    assert main(["check", str(own), "--json"]) == 2
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert ("error", "fault") in {(f["kind"], f["sort"]) for f in findings}


def test_json_refers_to_the_answers_of_an_open_question_and_guesses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.csv"
    rows = [f"{k},{k % 3},{k % 2},{(k + 1) % 3},{(k + 1) % 2}\n" for k in range(60)]
    names = "person,home_state,home_county,work_state,work_county\n"
    own.write_text(names + "".join(rows), encoding="utf-8")
    assert main(["check", str(own), "--json"]) == 2
    printed = json.loads(capsys.readouterr().out)
    (asked,) = [f for f in printed["findings"] if f["id"] == "unclear"]
    assert asked["remedy"] == "Choose one of `choices`, and add its `flags`."
    assert asked["places"] == []
    assert len(asked["choices"]) > 1
    assert (printed["guesses"], printed["unused"], printed["layout"]) == ([], [], None)
    assert main(["check", str(own)]) == 2
    assert "Interpretation" not in capsys.readouterr().out
