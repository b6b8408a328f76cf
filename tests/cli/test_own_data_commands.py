"""--data on every command that takes a sample, `hierdp impact` first."""

import csv
import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from hierdp_core import mechanisms
from hierdp_core.cli import main
from hierdp_core.readers import Layout
from hierdp_core.util.marks import truth_mark
from hierdp_core.util.text import capital

Captured = pytest.CaptureFixture[str]
RULE = "--rule threshold --limit 20000 --parameter side=at-least --simulations 5"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own.csv"
    path.write_text("state,county,people\nA,a,50000\nA,b,20000\nB,c,30000\nB,d,4000\n")
    return path


def untimed(text: str) -> str:
    return re.sub(r'"seconds": \{[^}]*\}', "", text)


def call(line: str) -> int:
    return main(shlex.split(line))


@pytest.mark.slow
@pytest.mark.usefixtures("own")
def test_impact_states_how_often_a_decision_changes(capsys: Captured) -> None:
    assert call(f"impact --data own.csv --mechanism tree-dp --epsilon 0.01 {RULE} --json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["level"] == "county"
    assert found["parameters"] == {"side": "at-least", "limit": "20000"}
    assert [place["id"] for place in found["places"]] == ["a", "b", "c", "d"]
    changed = {place["id"]: place["wrong"] for place in found["places"]}
    assert changed["a"] == 0 < changed["b"]
    assert call(f"impact --data own.csv --mechanism tree-dp --epsilon 0.01 {RULE}") == 0
    output = capsys.readouterr().out
    assert "Contains true values" in output


@pytest.mark.usefixtures("own")
def test_the_settings_that_a_simulation_writes_repeat_it(capsys: Captured) -> None:
    """Also when the columns were guessed."""
    assert call("simulate --data own.csv --epsilon 1 --out first") == 0
    assert call("simulate first/settings.toml --out second") == 0
    for level in ("total", "state", "county"):
        files = (Path(run, f"simulated-{level}.csv") for run in ("first", "second"))
        assert len({file.read_text(encoding="utf-8") for file in files}) == 1


@pytest.mark.usefixtures("own")
@pytest.mark.slow
def test_flags_override_a_configuration_that_names_the_data(
    tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "view.toml").write_text(
        'data = "own.csv"\nmechanism = "tree-dp"\nepsilon = 0.01\n\n[columns]\n'
        'levels = ["state", "county"]\ncount = "people"\n'
    )
    assert call("simulate view.toml --confidential") == 2
    from_file = capsys.readouterr().err
    columns = "--column levels=state,county --column count=people"
    flags = "--mechanism tree-dp --epsilon 0.01 --confidential"
    assert call(f"simulate --data own.csv {columns} {flags}") == 2
    assert "taken from this file" in from_file
    assert capsys.readouterr().err.splitlines()[-1][:60] == from_file.splitlines()[-1][:60]
    (tmp_path / "list.csv").write_text("state,county\nA,a\nA,b\nB,c\n")
    assert call("simulate view.toml --regions list.csv") == 2
    assert "not in the list of areas" in capsys.readouterr().err


def test_an_empty_path_is_refused(capsys: Captured) -> None:
    assert main(["simulate", "--data", "", "--epsilon", "1"]) == 2
    assert "path of a file is empty" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--confidential", "--regions list.csv"])
def test_flags_of_files_require_files(flag: str, capsys: Captured) -> None:
    assert call(f"simulate --sample taxi --mechanism coc --epsilon 1 {flag}") == 2
    assert f"{flag.split()[0]} requires your own files" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.usefixtures("own")
def test_impact_takes_a_configuration(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "view.toml").write_text(
        'data = "own.csv"\nmechanism = "tree-dp"\nepsilon = 0.01\n\n[columns]\n'
        'levels = ["state", "county"]\ncount = "people"\n'
    )
    assert call(f"impact view.toml {RULE} --json") == 0
    from_file = json.loads(capsys.readouterr().out)
    assert call(f"impact --data own.csv --mechanism tree-dp --epsilon 0.01 {RULE} --json") == 0
    assert json.loads(capsys.readouterr().out)["places"] == from_file["places"]


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "line",
    [
        "simulate --data own.csv --epsilon 1 --json",
        f"impact --data own.csv --epsilon 0.5 {RULE}",
    ],
)
def test_the_default_mechanism_is_used_where_none_is_named(line: str, capsys: Captured) -> None:
    assert call(line) == 0
    without = capsys.readouterr()
    id = mechanisms.recommended("counts")
    assert f"using {id}, the default for counts" in without.err
    assert call(f"{line} --mechanism {id}") == 0
    assert untimed(without.out) == untimed(capsys.readouterr().out)
    assert without.err.count("interpreted as follows") == 1  # read once


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("impact --data own.csv --mechanism tree-dp --epsilon 1", "--rule"),
        ("impact --data own.csv --mechanism tree-dp --rule threshold", "budget is needed"),
        ("impact --mechanism tree-dp --epsilon 1 --rule threshold", "--data"),
        ("impact --data own.csv --mechanism tree-dp --epsilon 1 --rule seats --limit 5", "limit"),
        ("compare --data own.csv --sample taxi --mechanisms tree-dp --epsilon 1", "not both"),
        ("simulate --sample taxi --column count=n --mechanism tree-dp --epsilon 1", "--data"),
        ("audit --data own.csv --mechanism tree-dp --epsilon 1 --pair one-of-many", "--pair"),
    ],
)
def test_what_does_not_fit_is_one_plain_line(line: str, word: str, capsys: Captured) -> None:
    assert call(line) == 2
    output = capsys.readouterr().err
    assert word in output.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "line",
    [
        "simulate --mechanism tree-dp --epsilon 1",
        "compare --mechanisms tree-dp --epsilon 1 --simulations 2",
        "budget --mechanism tree-dp --epsilon 1 --weights 1,1,1 --simulations 2",
        "audit --mechanism tree-dp --epsilon 1 --runs 1000",
    ],
)
def test_every_command_takes_data(line: str, capsys: Captured) -> None:
    command, _, rest = line.partition(" ")
    assert call(f"{command} --data own.csv {rest}") == 0
    output = capsys.readouterr()
    assert "interpreted as" in output.err
    assert output.out
    assert call(f"{command} --data own.csv --column count=nobody {rest}") == 2


@pytest.mark.slow
def test_what_is_not_clear_is_not_used(own: Path, capsys: Captured) -> None:
    own.write_text("zone,p2001,p2011\nx,10,30\ny,20,20\nz,7,8\n")
    run = "simulate --data own.csv --mechanism tree-dp --epsilon 1"
    assert call(run) == 2
    assert "2 columns may hold the counts" in capsys.readouterr().err
    assert call(f"{run} --column count=p2011 --json") == 0
    capsys.readouterr()
    assert call("check own.csv") == 2
    assert "--column count=p2011" in capsys.readouterr().out
    assert call("check own.csv --toml") == 2
    output = capsys.readouterr().out
    assert '\nlevels = ["zone"]\n' in output
    # The flag of each answer stands in a comment.
    for year in ("p2001", "p2011"):
        assert f"\n#       --column count={year}\n" in output
        assert call(f"check own.csv --column count={year} --toml") == 0
        chosen = capsys.readouterr().out
        assert Layout.of(tomllib.loads(chosen)["columns"]).count == year


@pytest.mark.slow
def test_every_remedy_of_a_fault_has_its_flags(own: Path, capsys: Captured) -> None:
    own.write_text("area,people\nx,:\ny,5\nz,7\n")
    assert call("check own.csv") == 2
    output = capsys.readouterr().out
    assert "    Leave out rows without a number\n      --column 'missing=left out'\n" in output
    assert call("check own.csv --json") == 2
    (fault,) = [f for f in json.loads(capsys.readouterr().out)["findings"] if f["kind"] == "error"]
    assert "--column missing=zero" in [choice["flags"] for choice in fault["choices"]]


@pytest.mark.slow
def test_the_settings_of_a_faulty_file_say_what_is_known(own: Path, capsys: Captured) -> None:
    own.write_text("state,county,people\nA,a,-1\nA,b,\nB,c,3\n")
    assert call("check own.csv --toml") == 2
    output = capsys.readouterr().out
    columns = tomllib.loads(output)["columns"]
    assert (columns["levels"], columns["count"]) == (["state", "county"], "people")
    assert "\n# Problems\n" in output
    assert "\n#   A count is negative" in output
    assert "\n#       --column missing=zero\n" in output
    own.write_text("")
    assert call("check own.csv --toml") == 2
    assert tomllib.loads(capsys.readouterr().out)["data"] == "own.csv"


@pytest.mark.usefixtures("own")
def test_one_stated_column_keeps_the_other_guesses(own: Path, capsys: Captured) -> None:
    own.write_text("state,county,born,died\nA,a,5,1\nA,b,2,2\nB,c,3,1\n")
    assert call("check own.csv --column count=died --toml") == 0
    columns = tomllib.loads(capsys.readouterr().out)["columns"]
    assert (columns["levels"], columns["count"]) == (["state", "county"], "died")


@pytest.mark.slow
def test_the_examples_of_the_help_run(own: Path, capsys: Captured) -> None:
    folder = own.parent
    own.rename(folder / "counties.csv")
    (folder / "persons.csv").write_text("state,county\nA,a\nA,a\nB,c\n")
    names = "county,county_name\na,Ash\nb,Birch\nc,Cedar\nd,Dale\n"
    (folder / "names-of-counties.csv").write_text(names)
    rings = {
        code: [[k, 0], [k + 1, 0], [k + 1, 1], [k, 1], [k, 0]] for k, code in enumerate("abcd")
    }
    features = [
        {"type": "Feature", "properties": {"code": code},
         "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for code, ring in rings.items()
    ]  # fmt: skip
    shapes = json.dumps({"type": "FeatureCollection", "features": features})
    (folder / "counties.geojson").write_text(shapes)
    with pytest.raises(SystemExit):
        call("check --help")
    _, _, output = capsys.readouterr().out.partition("examples:\n")
    examples = [line.strip() for line in output.splitlines() if line.strip()]
    assert len(examples) >= 5
    for example in examples:
        command, _, out = example.partition(" > ")
        assert call(command.removeprefix("hierdp ")) == 0, example
        written = capsys.readouterr().out
        if out:
            (folder / out).write_text(written)
            assert call(f"simulate {out} --mechanism tree-dp --epsilon 1") == 0


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("command", ["compare", "audit"])
def test_a_budget_of_the_flags_replaces_that_of_the_settings_file(
    command: str, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "view.toml").write_text(
        'data = "own.csv"\nmechanism = "tree-dp"\nepsilon = 1\ndelta = 1e-6\n'
        "allocation = [1, 1, 2]\n\n[columns]\n"
        'levels = ["state", "county"]\ncount = "people"\n'
    )
    number = "--runs 20" if command == "audit" else "--simulations 2"
    assert call(f"{command} view.toml --rho 0.5 {number}") == 0
    out = capsys.readouterr().out
    assert ("ρ = 0.5" if command == "audit" else "zCDP") in out
    assert command == "audit" or "1,1,2" in out


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "line",
    [
        "compare --mechanisms tree-dp --epsilon 1 --simulations 2",
        f"impact --mechanism tree-dp --epsilon 0.01 {RULE}",
        "budget --mechanism tree-dp --target state=10% --most 100 --simulations 60",
    ],
)
@pytest.mark.parametrize("confidential", [False, True])
def test_files_with_true_values_say_whether_the_data_are_confidential(
    line: str, confidential: bool
) -> None:
    Path("list.csv").write_text("state,county\nA,a\nA,b\nB,c\nB,d\n")
    columns = "--column levels=state,county --column count=people"
    flags = f"{columns} --regions list.csv --confidential" if confidential else ""
    assert call(f"{line} --data own.csv {flags} --out out.csv") == 0
    rows = csv.DictReader(Path("out.csv").read_text(encoding="utf-8").splitlines())
    notes = {row["note"] for row in rows}
    assert notes == {truth_mark(confidential=confidential)}


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "line",
    [
        "simulate --mechanism tree-dp --epsilon 1",
        "compare --mechanisms tree-dp --epsilon 1 --simulations 2",
        f"impact --mechanism tree-dp --epsilon 0.01 {RULE}",
        "budget --mechanism tree-dp --target state=10% --most 100 --simulations 60",
        "budget --mechanism tree-dp --weights 1,1,1 --epsilon 1 --simulations 10",
        "audit --mechanism tree-dp --epsilon 1 --runs 20",
    ],
)
@pytest.mark.parametrize("confidential", [False, True])
def test_printed_results_say_whether_the_data_are_confidential(
    line: str, confidential: bool, capsys: Captured
) -> None:
    Path("list.csv").write_text("state,county\nA,a\nA,b\nB,c\nB,d\n")
    columns = "--column levels=state,county --column count=people"
    flags = f"{columns} --regions list.csv --confidential" if confidential else ""
    mark = truth_mark(confidential=confidential)
    assert call(f"{line} --data own.csv {flags}") == 0
    assert f"{capital(mark)}." in capsys.readouterr().out.splitlines()
    assert call(f"{line} --data own.csv {flags} --json") == 0
    found = json.loads(capsys.readouterr().out)
    marks = {row["note"] for row in found} if isinstance(found, list) else {found["mark"]}
    assert marks == {mark}


@pytest.mark.usefixtures("own")
def test_a_budget_for_a_synthetic_table_is_not_marked(capsys: Captured) -> None:
    line = "budget --data own.csv --mechanism tree-dp --target state=50%:90% --synthetic"
    line += " --total 1000 --simulations 60"
    assert call(line) == 0
    assert "true values" not in capsys.readouterr().out
    assert call(f"{line} --json") == 0
    assert json.loads(capsys.readouterr().out)["mark"] == ""


def test_levels_of_flows_have_the_same_names_in_a_settings_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    ends = [("N", "A"), ("N", "B"), ("S", "C")]
    rows = [",".join([*o, *d, "3"]) for o in ends for d in ends]
    header = "from_county,from_mun,to_county,to_mun,people"
    (tmp_path / "flows.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    (tmp_path / "settings.toml").write_text(
        'data = "flows.csv"\nmechanism = "inftda"\nepsilon = 1\n\n[columns]\nkind = "flows"\n'
        'row = "pair"\nlevels = ["from_county", "from_mun"]\n'
        'destinations = ["to_county", "to_mun"]\ncount = "people"\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    assert call("simulate settings.toml") == 0
    shown = capsys.readouterr().out
    assert "mun → mun" in shown
    assert "from mun" not in shown


def test_an_option_beside_the_settings_is_to_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / "settings.toml").write_text(
        'sample = "ri-commuting"\nmechanism = "inftda"\nepsilon = 1\nneighbours = "unbounded"\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    assert call("simulate settings.toml") != 0
    assert "Put it below the line [options]" in capsys.readouterr().err


WEIGHTS, METHODS = "allocation = [1, 2, 3, 4]\n", '[options]\nmethods = "hg,hc,hc,hc"\n'
TARGET = "--target state=mean:1000"
RULES = "--preset one-person-one-vote --simulations 1"
UNFIT = {
    "simulate": (
        ("epsilon = 1\n" + WEIGHTS, "", "--allocation 1,2,3,4"),
        ("epsilon = 1\n" + METHODS, "", "--option methods=hg,hc,hc,hc"),
        ('epsilon = 1\nquantity = "none"\n', "", "--quantity none"),
    ),
    "impact": (
        ("epsilon = 1\n" + WEIGHTS, RULES, "--allocation 1,2,3,4"),
        ("epsilon = 1\n" + METHODS, RULES, "--option methods=hg,hc,hc,hc"),
        ('epsilon = 1\nquantity = "none"\n', RULES, "--quantity none"),
    ),
    "compare": (
        ("epsilon = 1\n" + WEIGHTS, "", "--allocation 1,2,3,4"),
        ("epsilon = 1\n" + METHODS, "", "--option methods=hg,hc,hc,hc"),
        ('epsilon = 1\nquantity = "none"\n', "", "--quantity none"),
        ("epsilon = 1\nseed = -4\n", "", "--seed -4"),
    ),
    "budget": (
        (WEIGHTS, TARGET, "--allocation 1,2,3,4"),
        (METHODS, TARGET, "--option methods=hg,hc,hc,hc"),
        ('quantity = "none"\n', TARGET, "--quantity none"),
        ("seed = -4\n", TARGET, "--seed -4"),
        ('epsilon = 1\nquantity = "none"\n', "--weights 1,1,1", "--quantity none"),
    ),
    "audit": (
        ("epsilon = 1\n" + WEIGHTS, "", "--allocation 1,2,3,4"),
        ("epsilon = 1\n" + METHODS, "", "--option methods=hg,hc,hc,hc"),
        ("epsilon = 1\nseed = -4\n", "", "--seed -4"),
    ),
}


@pytest.mark.parametrize(
    ("command", "settings", "more", "flag"),
    [(command, *case) for command, cases in UNFIT.items() for case in cases],
)
def test_a_setting_that_does_not_fit_is_refused_with_the_name_of_its_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
    command: str,
    settings: str,
    more: str,
    flag: str,
) -> None:
    """The name is that of the file only where the file states the setting."""
    sample = "" if command == "audit" else 'sample = "running-example"\n'
    (tmp_path / "view.toml").write_text(f'{sample}mechanism = "coc"\n{settings}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert call(f"{command} view.toml {more}") == 2
    refused = capsys.readouterr().err.splitlines()[-1]
    assert refused.startswith("hierdp: view.toml: ")
    assert call(f"{command} view.toml {more} {flag}") == 2
    assert capsys.readouterr().err.splitlines()[-1] == refused.replace("view.toml: ", "")
