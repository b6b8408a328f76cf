"""Every choice that a message offers is accepted in the place where it is offered."""

import re
from pathlib import Path

import pytest

from hierdp_core.cli import main

Captured = pytest.CaptureFixture[str]

WRONG = "nonsense"
COUNTS = ["--sample", "us-population", "--epsilon", "1"]
OWN_COUNTS = ["--data", "counts.csv", "--epsilon", "1"]
SIZES = ["--sample", "running-example", "--epsilon", "1"]
FLOWS = ["--sample", "ri-commuting", "--epsilon", "1"]
DELTA = ["--delta", "1e-6"]
TABLES = {
    "counts.csv": "state,county,people\nA,a1,10\nA,a2,20\nB,b1,30\nC,c1,40\n",
}


@pytest.fixture(autouse=True)
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def choices_of(message: str) -> list[str]:
    """Return the choices in "Choose A, B or C."; none if the message offers none."""
    match = re.search(r"[Cc]hoose (?:one of )?(?:these: )?([^.:]+)\.", message)
    return [] if match is None else re.split(r", | or | and ", match[1])


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        pytest.param(
            ["simulate", *OWN_COUNTS, "--mechanism", WRONG], True, marks=pytest.mark.slow
        ),
        (["simulate", *SIZES, "--mechanism", WRONG], True),
        (["simulate", *FLOWS, *DELTA, "--mechanism", WRONG], True),
        pytest.param(
            ["compare", *OWN_COUNTS, "--simulations", "1", "--mechanisms", WRONG], True,
            marks=pytest.mark.slow,
        ),
        (["simulate", *COUNTS, "--noise", WRONG], False),
        (["simulate", *COUNTS, "--accounting", WRONG], False),
        (["simulate", *COUNTS, *DELTA, "--noise", WRONG], True),
        (["simulate", *COUNTS, *DELTA, "--accounting", WRONG], True),
        (["simulate", *COUNTS, *DELTA, "--accounting", "zcdp", "--noise", WRONG], True),
        (["simulate", *COUNTS, *DELTA, "--noise", "geometric", "--accounting", WRONG], True),
        (["simulate", *COUNTS, "--mechanism", "inftda", "--option", f"tree={WRONG}"], False),
        (["simulate", *FLOWS, "--option", f"tree={WRONG}"], True),
        (["simulate", *FLOWS, "--option", f"neighbours={WRONG}"], True),
        (["simulate", *SIZES, "--mechanism", "coc", "--option", f"merge={WRONG}"], True),
        (["simulate", *COUNTS, "--quantity", WRONG], True),
        (["impact", *COUNTS, "--simulations", "1", "--rule", WRONG], True),
        (["impact", *COUNTS, "--simulations", "1", "--preset", WRONG], False),
        (["impact", *COUNTS, "--simulations", "1", "--rule", "threshold", "--level", WRONG], True),
        (
            [
                "impact", *COUNTS, "--simulations", "1", "--rule", "seats", "--parameter",
                f"method={WRONG}",
            ],
            True,
        ),
        (
            ["audit", "--mechanism", "tree-dp", "--epsilon", "1", "--runs", "20", "--pair", WRONG],
            True,
        ),
    ],
)  # fmt: skip
def test_each_choice_is_accepted(line: list[str], offers: bool, capsys: Captured) -> None:
    assert main(line) == 2
    choices = choices_of(capsys.readouterr().err)
    if not offers:
        return
    assert choices
    refused = {}
    for choice in choices:
        if main([part.replace(WRONG, choice) for part in line]) != 0:
            refused[choice] = capsys.readouterr().err
    assert refused == {}


@pytest.mark.parametrize("setting", ["missing", "brackets", "units", "totals", "outline"])
def test_each_value_of_a_column_setting_is_known(setting: str, capsys: Captured) -> None:
    line = ["check", "counts.csv", "--column"]
    assert main([*line, f"{setting}={WRONG}"]) == 2
    choices = choices_of(" ".join(capsys.readouterr().out.split()))
    assert choices
    for choice in choices:
        word = choice.strip('"')
        main([*line, f"{setting}={word}"])
        assert f'cannot be "{word}"' not in capsys.readouterr().out


def test_parts_offer_levels_at_which_a_table_can_be_cut(tmp_path: Path, capsys: Captured) -> None:
    line = ["parts", "write", "--sample", "us-population", "--cut"]
    assert main([*line, WRONG, str(tmp_path / "wrong")]) == 2
    choices = choices_of(capsys.readouterr().err)
    assert choices
    for choice in choices:
        assert main([*line, choice, str(tmp_path / choice)]) == 0


def test_a_share_is_refused_where_it_would_have_no_effect(tmp_path: Path, capsys: Captured) -> None:
    line = ["parts", "write", "--sample", "us-population", "--cut", "state", "--share", "0.5"]
    assert main([*line, str(tmp_path / "parts")]) == 2
    assert "--share is for us-blocks only" in capsys.readouterr().err
