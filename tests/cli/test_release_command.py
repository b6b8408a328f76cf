"""`hierdp release` and `hierdp ledger`: from a table to a package, by the commands alone."""

import json
import os
import shutil
from unittest import mock

import pytest

import hierdp_core as hdp
from hierdp_core.cli import main
from hierdp_core.desktop import offered
from hierdp_core.noise import ExactNoise
from hierdp_core.releases import Ledger

SETTINGS = """
mechanism = "tree-dp"
epsilon = 0.5
title = "Parishes"
tuned_on = "public data"

[columns]
kind = "counts"
row = "region"
levels = ["district", "parish"]
count = "people"
"""
TABLE = "district,parish,people\na,a1,40\na,a2,17\nb,b1,230\n"
REGIONS = "district,parish\na,a1\na,a2\nb,b1\nb,b2\n"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a table, a list of areas, settings and a ledger."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "regions.csv").write_text(REGIONS)
    (tmp_path / "settings.toml").write_text(SETTINGS)
    assert main(["ledger", "agency.db", "add-dataset", "pop", "--epsilon", "1"]) == 0
    return tmp_path


def release(*more, out="package", settings="settings.toml"):
    words = ["release", settings, "--data", "table.csv", "--regions", "regions.csv"]
    words += ["--ledger", "agency.db", "--dataset", "pop", "--out", out, "--simulations", "10"]
    return main([*words, *more])


def test_from_a_table_to_a_package_that_the_ledger_accounts_for(desk, capsys):
    capsys.readouterr()
    assert release("--yes") == 0
    output = capsys.readouterr().out
    assert (
        "ε = 0.5 (pure DP). Neighbouring datasets differ by adding or removing one person" in output
    )
    assert "The budget of “pop” is ε = 1. ε = 0 is spent and ε = 1 is left." in output
    assert "After this release, ε = 0.5 is spent and ε = 0.5 is left." in output
    package = hdp.open_release(desk / "package")
    assert list(package.tables) == ["total", "district", "parish"]
    assert len(package.tables["parish"]) == 4
    assert main(["ledger", "agency.db"]) == 0
    listed = capsys.readouterr().out
    assert "packaged" in listed
    assert "The ledger has 4 records. The hash of the last one is " in listed
    assert main(["ledger", "agency.db", "verify", "--against", "package"]) == 0
    assert main(["ledger", "agency.db", "export"]) == 0
    records = json.loads(capsys.readouterr().out.split("\n", 2)[2])["records"]
    assert [record["kind"] for record in records] == [
        "dataset added",
        "reserved",
        "noise added",
        "packaged",
    ]


@pytest.mark.slow
def test_json_tells_the_package_and_the_account(desk, capsys):
    capsys.readouterr()
    assert release("--yes", "--json", out="package.zip") == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["account"]["spent"], printed["account"]["left"]) == ("1/2", "1/2")
    assert hdp.open_release(desk / "package.zip").certificate["release"] == printed["release"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "flags", "why"),
    [
        (("epsilon", "seed = 3\nepsilon"), (), "the noise of a release has none"),
        (("epsilon = 0.5", "epsilon = 2"), (), "Nothing was spent"),
        (("epsilon = 0.5", "rho = 0.5"), (), "no ε without δ"),
        (('tuned_on = "public data"', ""), (), "State the data that the plan was chosen on"),
        (("public data", "the same table"), (), "tuned on the table"),
        (("tree-dp", "hay"), (), "cannot be used for a release"),
        (("", ""), ("--dataset", "homes"), "no dataset “homes”"),
        (("", ""), ("--out", "table.csv"), "already exists"),
        (("", ""), ("--ledger", "none.db"), "There is no ledger"),
        (("", ""), ("--regions", "none.csv"), "none.csv"),
    ],
)
def test_what_cannot_be_released_is_reported_in_one_line_and_costs_nothing(
    desk, capsys, change, flags, why
):
    (desk / "settings.toml").write_text(SETTINGS.replace(*change, 1))
    before = Ledger("agency.db").head()
    capsys.readouterr()
    assert release("--yes", *flags) == 2
    output = capsys.readouterr().err
    assert why in output
    assert output.count("\n") == 1
    assert Ledger("agency.db").head() == before
    assert not (desk / "package").exists()


@pytest.mark.parametrize(
    ("change", "flags", "why"),
    [
        (("", ""), ("--tuned-on", "a hunch"), 'cannot be tuned on "a hunch"'),
        (("", ""), ("--tuned-on", "the same table"), "tuned on the table"),
        (("Parishes", "P" * 201), (), "settings.toml: The title is too long"),
        (("public data", "a hunch"), (), 'settings.toml: A plan cannot be tuned on "a hunch"'),
        (("epsilon", "seed = 3\nepsilon"), (), "settings.toml: The settings have a seed"),
        (("epsilon", 'data = "t.csv"\nepsilon'), (), "settings.toml: The settings name the table"),
        (
            ("epsilon", "bounderies = 1\nepsilon"),
            (),
            'settings.toml: There is no setting "bounderies". Choose mechanism, epsilon',
        ),
    ],
)
def test_what_the_settings_cannot_state_is_refused_before_the_table_is_read(
    desk, capsys, change, flags, why
):
    (desk / "settings.toml").write_text(SETTINGS.replace(*change, 1))
    (desk / "table.csv").unlink()
    capsys.readouterr()
    assert release("--yes", *flags) == 2
    assert why in capsys.readouterr().err


def test_regions_read_off_the_records_are_not_public(desk, capsys):
    words = ["release", "settings.toml", "--data", "table.csv", "--ledger", "agency.db"]
    assert main([*words, "--dataset", "pop", "--out", "package", "--yes"]) == 2
    assert "taken from this file" in capsys.readouterr().err
    assert Ledger("agency.db").account("pop").spent == 0


def test_lookups_in_the_settings_are_read(desk, capsys):
    """As `hierdp check --toml` writes them."""
    (desk / "table.csv").write_text("parish,people\na1,40\na2,17\nb1,230\n")
    settings = SETTINGS.replace("\n[columns]", 'lookups = ["regions.csv"]\n\n[columns]')
    (desk / "settings.toml").write_text(settings)
    assert release("--yes") == 0
    assert len(hdp.open_release(desk / "package").tables["parish"]) == 4
    words = ["--data", "table.csv", "regions.csv", "regions.csv"]
    capsys.readouterr()
    assert release("--yes", *words, out="again") == 2
    assert "3 files were given. Give a table and at most one other file" in capsys.readouterr().err


def test_paths_in_the_settings_start_at_their_folder(desk, capsys):
    (desk / "plans").mkdir()
    text = f'data = "../table.csv"\nregions = "regions.csv"\n{SETTINGS}'
    (desk / "plans" / "settings.toml").write_text(text)
    (desk / "regions.csv").rename(desk / "plans" / "regions.csv")
    words = ["release", "plans/settings.toml", "--data", "table.csv", "--ledger", "agency.db"]
    words += ["--dataset", "pop", "--out", "package", "--simulations", "10", "--yes"]
    assert main(words) == 0, capsys.readouterr().err


def test_nobody_there_to_confirm_costs_nothing(desk, capsys):
    assert release() == 2
    assert "Add --yes" in capsys.readouterr().err
    assert Ledger("agency.db").account("pop").spent == 0


@pytest.mark.parametrize(("typed", "released"), [("pop", True), ("y", False)])
def test_the_confirmation_names_the_dataset(desk, capsys, monkeypatch, typed, released):
    asked = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda words: asked.append(words) or typed)
    assert (release() == 0) is released
    assert "Type the name of the dataset, pop," in asked[0]
    assert Ledger("agency.db").account("pop").spent == (0.5 if released else 0)


def test_a_release_without_a_package_is_completed_when_the_budget_is_spent(
    desk, capsys, monkeypatch
):
    (desk / "settings.toml").write_text(SETTINGS.replace("epsilon = 0.5", "epsilon = 1"))

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("hierdp_core.releases.package.writing.write_files", full)
        assert release("--yes") == 2
    assert "Repeat the release to write its package" in capsys.readouterr().err
    assert release("--yes") == 0
    output = capsys.readouterr().out
    assert "was paid for and has no package yet" in output
    assert "After this release" not in output
    (entry,) = Ledger("agency.db").entries()
    assert hdp.open_release(desk / "package").certificate["release"] == entry.release
    assert release("--yes", out="again") == 2
    assert "ε = 0 is left" in capsys.readouterr().err


def test_stored_noise_without_its_record_is_completed_when_the_budget_is_spent(desk, capsys):
    (desk / "settings.toml").write_text(SETTINGS.replace("epsilon = 0.5", "epsilon = 1"))
    with mock.patch.object(Ledger, "noise_added", side_effect=KeyboardInterrupt):
        assert release("--yes") == 130
    capsys.readouterr()
    assert release("--yes") == 0
    output = capsys.readouterr().out
    assert "was paid for and has no package yet" in output
    assert "Otherwise nothing is released, since the budget does not suffice." in output
    (entry,) = Ledger("agency.db").entries()
    assert hdp.open_release(desk / "package").certificate["release"] == entry.release


def test_interrupted_noise_that_was_not_stored_is_not_promised_to_be_completed(desk, capsys):
    with mock.patch.object(ExactNoise, "draw", side_effect=KeyboardInterrupt):
        assert release("--yes") == 130
    capsys.readouterr()
    assert release("--yes") == 2
    output = capsys.readouterr()
    assert "no package yet" not in output.out
    assert "was interrupted before its noise was stored" in output.err


def test_the_cost_of_a_new_release_is_stated_if_one_without_a_package_is_of_another_table(
    desk, capsys, monkeypatch
):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("hierdp_core.releases.package.writing.write_files", full)
        assert release("--yes") == 2
    (desk / "table.csv").write_text(TABLE.replace("230", "231"))
    capsys.readouterr()
    assert release("--yes") == 0
    output = capsys.readouterr().out
    assert "was paid for and has no package yet" in output
    assert (
        "Otherwise this is a new release. After this release, ε = 1 is spent and ε = 0 is left."
        in output
    )
    assert len(Ledger("agency.db").entries()) == 2


def test_an_end_of_input_confirms_nothing(desk, capsys, monkeypatch):
    def ended(words):
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ended)
    assert release() == 2
    assert "Nothing was spent" in capsys.readouterr().err
    assert Ledger("agency.db").account("pop").spent == 0


@pytest.mark.slow
def test_a_rolled_back_ledger_contradicts_a_published_package(desk, capsys):
    assert main(["ledger", "agency.db", "backup", "old.db"]) == 0
    assert release("--yes") == 0
    assert main(["ledger", "old.db", "verify"]) == 0
    capsys.readouterr()
    assert main(["ledger", "old.db", "verify", "--against", "package"]) == 2
    assert "rolled back" in capsys.readouterr().err


@pytest.mark.slow
def test_a_ledger_that_went_another_way_contradicts_a_published_package(desk, capsys):
    shutil.copytree(desk, desk / "copy")
    assert release("--yes") == 0
    shutil.copy(desk / "copy" / "agency.db", desk / "other.db")
    other = ["ledger", "other.db"]
    for name in ("b", "c", "d"):
        assert main([*other, "add-dataset", name, "--epsilon", "1"]) == 0
    capsys.readouterr()
    assert main([*other, "verify", "--against", "package"]) == 2
    assert "is not that of this release" in capsys.readouterr().err


@pytest.mark.slow
def test_a_changed_package_is_reported(desk, capsys):
    assert release("--yes") == 0
    file = desk / "package" / "tables" / "total.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("total", "TOTAL"))
    capsys.readouterr()
    assert main(["ledger", "agency.db", "verify", "--against", "package"]) == 2
    assert "total.csv was changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["shrink"], "There is no action"),
        (["add-dataset"], "needs a name"),
        (["list", "pop"], "takes no name"),
        (["list", "--epsilon", "1"], "--epsilon requires add-dataset or set-budget"),
        (["verify", "--rho", "1"], "--rho requires add-dataset or set-budget"),
        (["add-dataset", "pop", "--epsilon", "1", "--reason", "x"], "--reason requires set-budget"),
        (["add-dataset", "homes"], "A total budget is needed"),
        (["add-dataset", "pop", "--epsilon", "1"], "already"),
        (["set-budget", "pop", "--epsilon", "2"], "reason"),
        (["list", "--against", "x"], "requires the action verify"),
        (["verify", "--against", "none"], 'no package "none"'),
        (["backup", "table.csv"], "already"),
        (["backup", "none/copy.db"], "Name a file in a folder that exists"),
    ],
)
def test_wrong_words_are_reported_in_one_line(desk, capsys, words, why):
    capsys.readouterr()
    assert main(["ledger", "agency.db", *words]) == 2
    output = capsys.readouterr().err
    assert why in output
    assert output.count("\n") == 1


def test_a_file_of_another_program_is_no_ledger(desk, capsys):
    assert main(["ledger", "table.csv"]) == 2
    assert "table.csv is not a ledger, or it is damaged" in capsys.readouterr().err


def test_a_backup_names_what_else_to_copy(desk, capsys):
    capsys.readouterr()
    assert main(["ledger", "agency.db", "backup", "first.db"]) == 0
    assert "Also copy" not in capsys.readouterr().out
    assert release("--yes") == 0
    capsys.readouterr()
    assert main(["ledger", "agency.db", "backup", "second.db", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"copy": "second.db", "copy_also": ["agency.db.key", "agency.db.releases"]}


def test_a_changed_budget_is_listed(desk, capsys):
    assert (
        main(["ledger", "agency.db", "set-budget", "pop", "--epsilon", "2", "--reason", "board"])
        == 0
    )
    capsys.readouterr()
    assert main(["ledger", "agency.db", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["datasets"][0]["budget"] == {"epsilon": "2"}


def test_a_package_is_verified_before_the_app_starts(desk, capsys, monkeypatch):
    served = []
    monkeypatch.setattr("hierdp_core.cli.app_command.serve", served.append)
    monkeypatch.setattr("hierdp_core.desktop.server.end_with_input", lambda: None)
    for name in ("HIERDP_PACKAGE", "HIERDP_PUBLIC_KEY"):
        monkeypatch.setenv(name, "")  # put back afterwards
    assert release("--yes") == 0
    assert main(["--package", "package", "--no-browser"]) == 0
    (serving,) = served
    assert serving.page == "package"
    assert os.environ["HIERDP_PACKAGE"] == str(desk / "package")
    capsys.readouterr()
    (desk / "package" / "more.csv").write_text("x")
    for words, why in (
        (["--package", "package"], "not as it was released"),
        (["--package", "none"], 'There is no package "none"'),
        (["--public-key", "agency.pub"], "requires --package"),
    ):
        assert main([*words, "--no-browser"]) == 2
        assert why in capsys.readouterr().err
    assert len(served) == 1


@pytest.mark.slow
def test_a_table_in_parts_is_released_by_one_more_option(desk, capsys):
    assert main(["parts", "write", "t", "--sample", "us-population", "--cut", "division"]) == 0
    (desk / "settings.toml").write_text(
        'mechanism = "topdown"\nepsilon = 0.5\ntuned_on = "public data"\n'
    )
    line = ["release", "settings.toml", "--ledger", "agency.db", "--dataset", "pop"]
    line += ["--out", "package", "--simulations", "10", "--yes"]
    for words, why in (
        ([*line, "--parts", "t", "--data", "table.csv"], "Leave out --data"),
        ([*line, "--data", "table.csv", "--scheduler", "tcp://h:1"], "requires --parts"),
        ([*line, "--parts", "none"], "There is no folder none"),
        ([*line, "--parts", "t", "--out", "package.zip"], "does not end in .zip"),
    ):
        assert main(words) == 2
        assert why in capsys.readouterr().err
    assert Ledger("agency.db").account("pop").spent == 0
    assert main([*line, "--parts", "t", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["account"]["spent"] == "1/2"
    package = hdp.open_release(desk / "package")
    assert list(package.tables) == ["nation", "region", "division"]
    assert len(package.parts) == 9
    assert {*package.part(0)["level"]} == {"state", "county"}
    assert main(["ledger", "agency.db", "verify", "--against", "package"]) == 0


def test_a_simulation_in_parts_is_opened_before_the_app_starts(desk, capsys, monkeypatch):
    served = []
    monkeypatch.setattr("hierdp_core.cli.app_command.serve", served.append)
    monkeypatch.setattr("hierdp_core.desktop.server.end_with_input", lambda: None)
    for name in (offered.RESULT, offered.RESULT_TABLE):
        monkeypatch.setenv(name, "")  # put back afterwards
    assert main(["parts", "write", "t", "--sample", "us-population", "--cut", "division"]) == 0
    line = ["parts", "simulate", "t", "--mechanism", "topdown", "--epsilon", "1", "--out", "o"]
    assert main(line) == 0
    assert main(["--result", "o", "--table", "t", "--no-browser"]) == 0
    (serving,) = served
    assert serving.page == "result"
    assert os.environ[offered.RESULT] == str(desk / "o")
    assert os.environ[offered.RESULT_TABLE] == str(desk / "t")
    capsys.readouterr()
    for words, why in (
        (["--result", "t"], "holds neither a simulation in parts"),
        (["--result", "o", "--table", "o"], "holds no table in parts"),
        (["--result", "o", "--host", "0.0.0.0"], "for the owner of the file on this machine"),
        (["--result", "o", "--no-token"], "for the owner of the file on this machine"),
        (["--table", "t"], "--table requires --result"),
    ):
        assert main([*words, "--no-browser"]) == 2
        assert why in capsys.readouterr().err
    assert len(served) == 1


def test_an_allocation_that_does_not_fit_is_refused_with_the_name_of_the_settings(desk, capsys):
    wrong = SETTINGS.replace("epsilon", "allocation = [1, 1]\nepsilon", 1)
    (desk / "settings.toml").write_text(wrong)
    assert release("--yes") != 0
    assert "hierdp: settings.toml: The allocation has 2 weights." in capsys.readouterr().err
    (desk / "simulated.toml").write_text(
        'sample = "running-example"\nmechanism = "pgsr-h-dp"\nepsilon = 1\nallocation = [1]\n'
    )
    for command in ("simulate", "impact"):
        more = ["--rule", "threshold"] if command == "impact" else []
        assert main([command, "simulated.toml", *more]) != 0
        assert "hierdp: simulated.toml: The allocation has 1 weight." in capsys.readouterr().err
