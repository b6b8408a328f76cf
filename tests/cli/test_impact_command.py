"""`hierdp impact` and `hierdp fitness`."""

import json
import re

import pytest

from hierdp_core.cli import main
from hierdp_core.cli.terminal import print_table
from hierdp_core.util.marks import CONTAINS_TRUTH

COMMON = ["--sample", "running-example", "--mechanism", "pgsr-h-dp", "--epsilon", "1"]


def test_impact_prints_the_same_as_its_json(capsys):
    asked = [*COMMON, "--rule", "threshold", "--limit", "3", "--simulations", "10"]
    assert main(["impact", *asked]) == 0
    text = capsys.readouterr().out
    assert main(["impact", *asked, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["parameters"] == {"side": "at-least", "limit": "3"}
    assert printed["privacy"]["difference"] in text
    assert {"unit", "invariants", "conversion"} <= set(printed["privacy"])
    assert "different outcome" in text
    assert "Eligible if the count is: at least\nThreshold: 3\n" in text
    assert all(area["name"] in text for area in printed["places"] if area["wrong"])
    assert {"affected", "mean", "low", "high"} <= set(printed["summary"])
    assert "contains true values" in text.lower()


def test_impact_takes_a_preset_and_its_level(capsys):
    asked = [*COMMON, "--preset", "house", "--parameter", "seats=2", "--simulations", "3"]
    assert main(["impact", *asked, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["rule"], printed["level"], printed["parameters"]["seats"]) == (
        "seats",
        "state",
        "2",
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Neither a rule nor a preset is given. Give --rule or --preset."),
        (["--rule", "seats", "--preset", "house"], "cannot be combined. Give one of them."),
        (
            ["--rule", "threshold", "--limit", "100", "--parameter", "limit=200"],
            'limit has two values, "200" and "100"',
        ),
        (["--preset", "tax"], 'no preset "tax"'),
        (["--rule", "threshold", "--parameter", "limit"], "NAME=VALUE"),
        (["--rule", "threshold", "--level", "county"], "county"),
        (["--rule", "threshold", "--simulations", "0"], "--simulations"),
    ],
)
def test_impact_states_what_is_wrong(capsys, words, message):
    assert main(["impact", *COMMON, *words]) == 2
    assert message in capsys.readouterr().err


def test_a_preset_for_other_levels_names_the_flag_for_the_level(capsys):
    line = ["impact", "--sample", "ri-commuting", "--preset", "italy-mayors", "--epsilon", "1"]
    assert main([*line, "--simulations", "2"]) == 2
    message = capsys.readouterr().err
    assert "Name a level with --level: state or county." in message
    assert main([*line, "--simulations", "2", "--level", "county"]) == 0


def test_fitness_writes_one_page(capsys, tmp_path):
    out = tmp_path / "fitness.html"
    asked = ["--simulations", "3", "--out", str(out)]
    assert main(["fitness", *COMMON, *asked]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Fitness for use: Worked example of the papers. Mechanism: ")
    assert "mean absolute error" in printed
    page = out.read_text(encoding="utf-8")
    assert "hierdp fitness --sample running-example" in page
    assert "Contains true values" in page
    assert main(["fitness", *COMMON, *asked, "--synthetic"]) == 0
    assert "Contains true values" not in out.read_text(encoding="utf-8")
    capsys.readouterr()
    for more, mark in (([], CONTAINS_TRUTH), (["--synthetic"], "")):
        assert main(["fitness", *COMMON, "--simulations", "3", "--json", *more]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert {"by_level", "by_size", "decisions"} <= set(printed)
        assert printed["mark"] == mark


def test_fitness_counts_one_simulation(capsys):
    assert main(["fitness", *COMMON, "--simulations", "1"]) == 0
    assert "means over 1 simulation.\n" in capsys.readouterr().out


def test_fitness_states_its_assumed_total(capsys, tmp_path):
    out = tmp_path / "fitness.html"
    asked = ["--sample", "us-population", "--epsilon", "1", "--simulations", "1"]
    assert main(["fitness", *asked, "--synthetic", "--total", "300000000", "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert "--synthetic --total 300000000" in page
    assert "No confidential count was used" in page
    capsys.readouterr()
    assert main(["fitness", *asked, "--total", "300000000"]) == 2
    assert "--total requires --synthetic" in capsys.readouterr().err


def test_fitness_states_a_bias_with_its_interval(capsys, tmp_path):
    out = tmp_path / "fitness.html"
    assert main(["fitness", *COMMON, "--simulations", "5", "--out", str(out)]) == 0
    assert re.search(
        r"<td class=\"figure\">−?\d[\d.]* ± \d[\d.]*</td>", out.read_text(encoding="utf-8")
    )


def test_areas_that_a_rule_excludes_are_not_counted(capsys):
    asked = ["--sample", "us-population", "--epsilon", "1", "--simulations", "2"]
    assert main(["impact", *asked, "--preset", "house"]) == 0
    output = capsys.readouterr().out
    assert "On average over 2 simulations, 0 of 50 states have a different outcome" in output
    assert "Exclude areas: District of Columbia (11)" in output
    assert "Source: 2 U.S.C. § 2a." in output
    assert "Illustration" not in output
    assert main(["impact", *asked, "--preset", "title-i"]) == 0
    output = capsys.readouterr().out
    assert (
        "Illustration: the law counts children in low-income families in school districts" in output
    )
    assert "An area has a different outcome if it loses more than the tolerance." in output


def test_tables_on_the_terminal_have_no_powers_of_ten(capsys):
    print_table(["error"], [{"error": 0.0000123456}, {"error": -0.00002}, {"error": 0.25}])
    assert capsys.readouterr().out.split() == ["error", "0.0000123", "-0.00002", "0.25"]


def test_percentages_of_fitness_have_no_powers_of_ten(capsys):
    asked = ["--sample", "us-population", "--mechanism", "tree-dp", "--epsilon", "1"]
    assert main(["fitness", *asked, "--simulations", "1"]) == 0
    text = capsys.readouterr().out
    assert "nation" in text
    assert not re.search("[0-9]e-", text)


@pytest.mark.parametrize(
    "command", [["impact", "--rule", "threshold", "--limit", "3"], ["fitness"]]
)
def test_a_published_calibration_is_marked(capsys, command):
    asked = ["--sample", "running-example", "--mechanism", "pgsr-c-chain", "--epsilon", "1"]
    more = ["--option", "calibration=published", "--simulations", "2"]
    assert main([*command, *asked, *more]) == 0
    text = capsys.readouterr().out
    assert "ε = 1.5 (pure DP). Neighbouring datasets differ by" in text
    assert "Warning: this published noise claims ε = 1, but" in text
    assert main([*command, *asked, *more, "--json"]) == 0
    assert "claims ε = 1" in json.loads(capsys.readouterr().out)["privacy"]["caution"]


def test_fitness_states_whether_true_counts_were_used(capsys):
    for more, mark in (
        ([], "Contains true values"),
        (["--synthetic"], "No confidential count was used"),
    ):
        assert main(["fitness", *COMMON, "--simulations", "2", *more]) == 0
        text = capsys.readouterr().out
        assert mark in text
        assert ("Contains true values" in text) == (not more)
