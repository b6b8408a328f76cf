"""`hierdp budget`: words in, a budget out; nonsense refused in one line."""

import json
from pathlib import Path

import pandas as pd
import pytest

from hierdp_core.cli import main

SAMPLE = ["budget", "--sample", "running-example", "--mechanism", "pgsr-c-dp"]
QUICK = ["--simulations", "80", "--allocation", "1,1"]


def printed(capsys, *arguments):
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


@pytest.mark.slow
def test_json_has_the_names_that_scripts_rely_on(capsys):
    target = ["--target", "state=all:1", "nation=all:2"]
    found = json.loads(printed(capsys, *SAMPLE, *QUICK, *target, "--json"))
    assert {"epsilon", "shares", "levels", "margin", "draws", "reached"} <= set(found)
    assert found["reached"]
    assert found["shares"] == [1, 1]
    assert found["draws"] == 80
    assert found["margin"]["at_least"] >= 0.95
    assert [row["level"] for row in found["levels"]] == ["nation", "state"]
    assert [row["target"] for row in found["margin"]["targets"]] == ["state=all:1", "nation=all:2"]
    assert found["level_budgets_in"] == "ε"
    assert "except the only member of a group" in found["privacy"]["difference"]
    assert found["privacy"]["epsilon"] == found["epsilon"]


@pytest.mark.slow
def test_people_get_a_sentence_its_confidence_and_tables(capsys):
    out = printed(capsys, *SAMPLE, *QUICK, "--target", "state=all:1")
    assert "keeps every state within 1 in at least 95% of simulations (allocation 1 : 1)." in out
    assert "of 80 validation simulations met the target" in out
    assert "Planned on the table's true counts" in out
    assert "mean absolute error" in out
    assert "Noise SD is the standard deviation of the noise in one measured number." in out


@pytest.mark.slow
def test_a_synthetic_table_is_named(capsys):
    out = printed(
        capsys, *SAMPLE, *QUICK, "--target", "state=all:2", "--synthetic", "--total", "900"
    )
    assert "Planned on a synthetic table of the same shape" in out


@pytest.mark.slow
def test_rho_and_the_curve_as_a_file(capsys, tmp_path):
    out = tmp_path / "curve.csv"
    words = ["--target", "state=all:1", "--find", "rho", "--out", str(out)]
    assert "ρ = " in printed(capsys, *SAMPLE, *QUICK, *words)
    rows = pd.read_csv(out)
    assert rows["epsilon"].isna().all()
    assert rows["delta"].isna().all()
    assert rows["rho"].is_monotonic_increasing
    assert set(rows["measure"]) == {"proportion of areas within tolerance"}


@pytest.mark.slow
def test_the_file_names_delta_and_what_is_measured(capsys, tmp_path):
    out = tmp_path / "curve.csv"
    words = ["--target", "state=mean:5", "--delta", "1e-6", "--out", str(out)]
    printed(capsys, *SAMPLE, *QUICK, *words)
    rows = pd.read_csv(out)
    assert set(rows["delta"]) == {1e-6}
    assert rows["rho"].isna().all()
    assert set(rows["measure"]) == {"mean absolute error"}
    page = (Path(__file__).parents[2] / "docs/budgets-and-decisions.md").read_text("utf-8")
    assert all(f"`{column}`" in page for column in rows.columns)


@pytest.mark.slow
def test_weights_give_shares(capsys):
    words = ["--epsilon", "1", "--weights", "1,3", "--simulations", "20"]
    found = json.loads(printed(capsys, *SAMPLE, *words, "--json"))
    assert len(found["shares"]) == 2
    assert found["error"] <= found["even_error"]
    assert found["basis"] == "true counts"
    assert found["saving_interval"][0] <= found["saving"] <= found["saving_interval"][1]
    out = printed(capsys, *SAMPLE, *words)
    assert "equal" in out
    assert found["sentence"] in out
    assert "95% interval" in out
    assert "adding or removing one person" in out
    assert "Planned on the table's true counts" in out
    assert f"{found['fresh_draws']:,} new simulations" in out


@pytest.mark.slow
def test_an_allocation_for_a_synthetic_table_states_it(capsys):
    words = [
        "--epsilon",
        "1",
        "--weights",
        "1,3",
        "--simulations",
        "5",
        "--synthetic",
        "--total",
        "900",
    ]
    found = json.loads(printed(capsys, *SAMPLE, *words, "--json"))
    assert found["basis"] == "stand-in"
    assert "Planned on a synthetic table of the same shape" in printed(capsys, *SAMPLE, *words)


def test_a_target_out_of_reach_is_an_answer(capsys):
    words = ["--target", "state=all:0.5", "--most", "0.01"]
    first, second, *_ = printed(capsys, *SAMPLE, *QUICK, *words).splitlines()
    assert first.startswith("Up to ε = 0.01, no budget was shown to keep")
    assert "of 80 is too few to show that at least" in second
    assert "Allow larger budgets (--most), or" in second
    assert second.endswith("Levels and errors are stated for ε = 0.01.")


@pytest.mark.slow
def test_the_quantity_holds_for_targets_that_name_none(capsys):
    words = ["--target", "state=all:2", "nation/groups=all:2", "--quantity", "members", "--json"]
    found = json.loads(printed(capsys, *SAMPLE, *QUICK, *words))
    targets = [row["target"] for row in found["margin"]["targets"]]
    assert targets == ["state/members=all:2", "nation/groups=all:2"]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([], "A target is needed"),
        (["--target", "county=5%"], 'no level "county"'),
        (["--target", "state=nan%"], "is not a target. Write it as LEVEL"),
        (["--target", "state=-5%"], "above 0"),
        (["--target", "state=0"], "above 0"),
        (["--target", "state=105%:5%"], "up to 100%"),
        (["--target", "state/rooms=5%"], 'has no quantity "rooms"'),
        (["--target", "state=5%", "--epsilon", "1"], "leave out --epsilon"),
        (["--target", "state=5%", "--find", "delta"], "--find; got"),
        (["--target", "state=5%", "--most", "1e9"], "largest budget"),
        (["--target", "state=5%", "--most", "x"], "--most takes a number"),
        (["--target", "state=5%", "--reliability", "0"], "between 0.5 and 0.999"),
        (["--target", "state=5%", "--simulations", "3"], "Use at least 59"),
        (["--target", "state=5%", "--total", "3"], "requires --synthetic"),
        (["--target", "state=5%", "--synthetic", "--total", "-3"], "whole number"),
        (["--target", "state=5%", "--delta", "2"], "delta"),
        (["--target", "state=5%", "--weights", "1,1"], "not both"),
        (["--weights", "1,1"], "requires a budget"),
        (["--weights", "1,x", "--epsilon", "1"], "--weights takes a number"),
        (["--weights", "1", "--epsilon", "1"], "One weight for each level"),
        (["--weights", "1,1", "--epsilon", "1", "--allocation", "1,1"], "leave out --allocation"),
        (["--target", "state=5%", "--out", "/nowhere/at/all.csv"], "cannot be written"),
    ],
)
def test_nonsense_is_refused_in_one_line(capsys, words, shown):
    assert main([*SAMPLE, *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert shown in err
    assert err.count("\n") == 1


def test_a_sample_is_needed(capsys):
    words = ["budget", "--mechanism", "pgsr-c-dp", "--target", "state=5%"]
    assert main(words) == 2
    assert "A table is needed" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["budget", "fitness"])
def test_the_flag_of_the_first_version_works_and_tells_its_name(command, capsys):
    words = [command, "--sample", "running-example", "--stand-in", "--total", "x"]
    words += ["--target", "state=5%"] if command == "budget" else ["--epsilon", "1"]
    assert main(words) == 2
    output = capsys.readouterr().err
    assert output.startswith("hierdp: --stand-in is now --synthetic.\n")
    assert "Give --total a whole number" in output
    assert "--stand-in" not in output.partition("\n")[2]


@pytest.mark.parametrize(
    "flag", ["--find=rho", "--reliability=90%", "--most=3", "--floor=0.5", "--out=curve.csv"]
)
def test_flags_of_targets_are_refused_with_weights(capsys, flag):
    assert main([*SAMPLE, "--weights", "1,1", "--epsilon", "1", flag]) == 2
    name = flag.partition("=")[0]
    assert f"{name} applies to a search with --target" in capsys.readouterr().err
