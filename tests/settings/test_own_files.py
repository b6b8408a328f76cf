"""`hierdp check` and `hierdp run` on files of one's own."""

import json
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from hierdp_core.cli import main

GOOD = "state,county,people\nA,a,50\nA,b,20\nB,c,30\n"
CONFIG = """data = "own.csv"
mechanism = "tree-dp"
epsilon = 1

[columns]
levels = ["state", "county"]
count = "people"
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.csv"
    path.write_text(GOOD)
    return path


def test_check_states_what_it_is(own: Path, capsys: Captured) -> None:
    assert main(["check", str(own)]) == 0
    output = capsys.readouterr().out
    assert "Usable: counts, 100 people" in output
    assert ["state", "2", "0", "70", "A"] in [line.split() for line in output.splitlines()]


def test_check_tells_scripts_the_same(own: Path, capsys: Captured) -> None:
    assert main(["check", str(own), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["usable"]
    assert output["summary"]["total"] == 100
    assert output["layout"]["levels"] == ["state", "county"]


@pytest.mark.slow
def test_check_leaves_with_two_and_names_every_fault(own: Path, capsys: Captured) -> None:
    own.write_text("state,county,people\nA,a,-731946\nA,b,2.5\n,c,1\n")
    assert main(["check", str(own)]) == 2
    output = capsys.readouterr()
    assert output.err == (
        "hierdp: own.csv has 3 problems. Correct them as the report states, and check again.\n"
    )
    lines = output.out.splitlines()
    problems = lines[lines.index("Problems") + 1 : lines.index("Interpretation")]
    for problem in ("A row names no area", "A count is negative", "A count is not a whole number"):
        assert any(line.startswith(f"  {problem} (") for line in problems)
    assert "731946" not in output.out
    assert main(["check", str(own), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert not found["usable"]
    assert {f["id"] for f in found["findings"]} == {"negative", "not-whole", "blank-code"}


def test_columns_can_be_said(own: Path, capsys: Captured) -> None:
    own.write_text("zone,a,b\nx,1,10\ny,2,20\n")
    words = ["--column", "levels=zone", "--column", "count=a"]
    assert main(["check", str(own), "--json", *words]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["total"] == 3
    assert main(["check", str(own), "--column", "colour=a"]) == 2
    assert 'no column setting "colour"' in capsys.readouterr().err


@pytest.mark.slow
def test_what_check_writes_is_what_run_takes(
    own: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "own.csv", "--toml"]) == 0
    words = capsys.readouterr().out
    assert tomllib.loads(words)["data"] == "own.csv"
    config = tmp_path / "view.toml"
    config.write_text(words)
    run = ["simulate", str(config), "--mechanism", "tree-dp", "--epsilon", "1"]
    assert main([*run, "--out", str(tmp_path / "out"), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert [level["regions"] for level in first["levels"]] == [1, 2, 3]
    monkeypatch.chdir("/")
    again = tmp_path / "out" / "settings.toml"
    assert main(["simulate", str(again), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["levels"] == first["levels"]


@pytest.mark.parametrize(
    ("config", "word"),
    [
        (CONFIG.partition("[columns]")[0], "--toml"),
        ('sample = "taxi"\n' + CONFIG, "not both"),
        (CONFIG.replace('"own.csv"', "5"), "path of a file"),
        ('sample = "taxi"\nepsilon = 1\nconfidential = true\n', "belongs to a table of your own"),
        (CONFIG.replace('"people"', '"persons"'), 'no column "persons"'),
        (CONFIG.replace("own.csv", "none.csv"), "cannot be read"),
        (CONFIG.replace('["state", "county"]', "7"), "a list of texts"),
        (CONFIG.replace("own.csv", "http://127.0.0.1:1/own.csv"), "cannot be read"),
    ],
)
def test_a_configuration_that_does_not_fit_is_one_plain_line(
    own: Path, tmp_path: Path, capsys: Captured, config: str, word: str
) -> None:
    path = tmp_path / "view.toml"
    path.write_text(config)
    assert main(["simulate", str(path)]) == 2
    output = capsys.readouterr()
    assert word in output.err
    assert output.err.count("\n") == 1
    assert output.out == ""


def test_run_tells_its_repairs(own: Path, tmp_path: Path, capsys: Captured) -> None:
    own.write_text(GOOD.replace(",50", ",50.0"))
    (tmp_path / "view.toml").write_text(CONFIG)
    assert main(["simulate", str(tmp_path / "view.toml")]) == 0
    output = capsys.readouterr()
    assert "written with decimals" in output.err
    assert output.out.startswith("Your own data: ")


def test_names_of_levels_are_harmless_in_file_names_and_cells(tmp_path):
    from hierdp_core.writers.defused import defused, file_word

    assert file_word("../../etc/passwd") == "etc-passwd"
    assert file_word("///") == "level"
    frame = pd.DataFrame({"name": ["=1", None], "value": [1.5, None]})
    safe = defused(frame)
    assert safe["name"].tolist()[0] == "'=1"
    assert safe["name"].isna().tolist() == [False, True]
    assert safe["value"].tolist()[0] == 1.5
