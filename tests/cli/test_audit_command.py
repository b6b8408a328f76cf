"""`hierdp audit`: two plain sentences, JSON for scripts, one line for what cannot be."""

import json
import shlex

import pytest

from hierdp_core.cli import main


def call(line: str) -> int:
    return main(["audit", *shlex.split(line)])


@pytest.mark.slow
def test_a_leak_is_reported_in_two_sentences_and_is_no_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "--mechanism pgsr-c-chain --epsilon 1 --option calibration=published --pair one-of-many"
    assert call(f"{line} --runs 4000") == 0
    captured = capsys.readouterr()
    found, means = captured.out.splitlines()
    assert "Its option in effect is calibration=published." in found
    assert "4,000" in found
    assert found.endswith("The claim is ε = 1.")
    assert means.startswith("That is a leak")
    assert "ε = 6.5" in means
    assert captured.err == ""


def test_only_options_in_effect_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--mechanism coc --epsilon 1 --runs 200") == 0
    found = capsys.readouterr().out.splitlines()[0]
    options = "methods=hc, isotonic=l1, merge=weighted, totals=public and cap=public"
    assert f"Its options in effect are {options}." in found
    assert call("--mechanism coc --epsilon 1 --runs 200 --option totals=private") == 0
    found = capsys.readouterr().out.splitlines()[0]
    assert "totals=private, totals-share=0.1 and cap=public." in found


def test_json_has_the_names_that_scripts_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--mechanism hay --epsilon 1 --runs 400 --confidence 90% --seed 3 --json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["claim"] == 1
    assert 0 <= found["epsilon_lower"] <= 1
    assert found["confidence"] == 0.9
    assert found["runs"] == 400
    assert found["leaks"] is False
    assert found["event"] in (found["released"]["event"], found["measured"]["event"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "budget", ["--rho 0.5", "--epsilon 1 --delta 1e-6 --noise gaussian --allocation 1,2"]
)
def test_gaussian_claims_are_points_on_a_curve(
    budget: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"--mechanism pgsr-h-dp {budget} --runs 400 --json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["measured"]["points"][0].keys() == {"epsilon", "delta_lower", "delta_claimed"}
    assert found["rho"] > 0


def test_so_few_runs_say_what_they_can_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--mechanism hay --epsilon 3 --runs 20") == 0
    assert "With so few runs, an audit can show ε =" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--epsilon 1", "A mechanism is needed"),
        ("--mechanism hay", "A claimed budget is needed"),
        ("--mechanism laplace --epsilon 1", 'no mechanism "laplace"'),
        ("--mechanism hay --epsilon 1 --runs 5", "at least 20 runs"),
        ("--mechanism hay --epsilon 1 --runs lots", "Give --runs a whole number"),
        ("--mechanism hay --epsilon 1 --confidence sure", "Give --confidence a level"),
        ("--mechanism hay --epsilon 1 --confidence 100%", "between 0 and 1"),
        ("--mechanism hay --epsilon 1 --pair moon", "Choose one-more, first"),
        ("--mechanism hay --epsilon 1 --allocation 1,2,3", "The allocation has 3 weights"),
        ("--mechanism hay --epsilon 1 --option speed", "NAME=VALUE"),
        ("--mechanism hay --epsilon -1", "epsilon"),
        ("--mechanism hay --epsilon 1 --rho 1", "State the budget once"),
    ],
)
def test_what_cannot_be_is_one_line(
    line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(line) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""
