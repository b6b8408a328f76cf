"""The `hierdp` command, called as a function."""

import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from support.simulations import simulated

import hierdp_core as hdp
from hierdp_core import mechanisms, samples
from hierdp_core.cli import app_command, main
from hierdp_core.cli.serving import Serving
from hierdp_core.cli.terminal import let_any_terminal_print, step

RUN = "simulate --sample running-example --mechanism pgsr-h-dp"
TARGET = "--sample running-example --mechanism pgsr-c-dp --target state=all:1"
COMPARE = "compare --sample running-example --mechanisms pgsr-h-dp"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(line: str | list[str]) -> int:
    return main(line.split() if isinstance(line, str) else line)


def test_samples_and_mechanisms_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("samples --json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [sample["id"] for sample in listed] == list(samples.names())
    assert all({"id", "title", "kind"} <= set(sample) for sample in listed)

    assert call("mechanisms --json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [mechanism["id"] for mechanism in listed] == list(mechanisms.names())
    assert all({"id", "title", "kinds"} <= set(mechanism) for mechanism in listed)

    reasons = {mechanism["id"]: mechanism["not_for_release"] for mechanism in listed}
    assert reasons["pgsr-h-relaxed"] == "Its numbers may not add up across levels."
    assert reasons["hay"] == "Its numbers may be negative or fractional."
    assert reasons["vanilla-gauss"] == "Its numbers may be negative."
    assert reasons["tree-dp"] == ""

    assert call("mechanisms") == 0
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    marks = {row[0]: [cell.strip() for cell in row if cell.strip()][2] for row in rows[1:-1]}
    assert marks == {id: "no" if reason else "yes" for id, reason in reasons.items()}

    for words in ("samples", "mechanisms"):
        assert call(words) == 0
        out = capsys.readouterr().out
        assert all(entry in out for entry in getattr(hdp, words).names())


@pytest.mark.parametrize("command", ["simulate", "impact --rule threshold", "budget --target a=1"])
def test_an_unknown_sample_without_a_settings_file_names_no_file(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{command} --sample foo --rho 1") == 2
    assert capsys.readouterr().err.startswith('hierdp: There is no sample "foo". Choose us-house')


@pytest.mark.parametrize(
    "line",
    [
        "compare --sample running-example --mechanisms coc --epsilon 1 --simulations 1",
        "impact --sample running-example --epsilon 1 --rule ranking --simulations 2",
        "fitness --sample running-example --epsilon 1 --simulations 2",
        "simulate --sample running-example --epsilon 1",
        "budget --sample running-example --target state=all:90 --simulations 60",
    ],
)
def test_a_command_names_the_file_that_it_wrote(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert call([*line.split(), "--out", str(out)]) == 0
    assert capsys.readouterr().out.endswith(f"Written to {out}.\n")
    assert out.exists()


def test_fitness_needs_a_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("fitness --epsilon 1") == 2
    assert "arguments are missing: --sample" in capsys.readouterr().err


def test_a_run_says_by_which_account_epsilon_and_delta_became_noise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(f"{RUN} --epsilon 1 --delta 1e-8 --seed 0") == 0
    output = capsys.readouterr().out
    assert (
        "Accounting: ε is the sum of the ε of all measurements, and ρ" in output
    )  # geometric noise gains nothing
    assert "geometric" in output
    assert call(f"{RUN} --epsilon 1 --delta 1e-8 --accounting simple --seed 0 --json") == 0
    privacy = json.loads(capsys.readouterr().out)["privacy"]
    assert (privacy["accounting"], privacy["noise_candidates"]) == ("simple", [])
    assert call(f"{RUN} --rho 0.5 --seed 0") == 0
    assert "At δ = 10⁻⁸ this is ε = " in capsys.readouterr().out
    assert call(f"{RUN} --epsilon 1 --accounting simple") == 2
    assert "accounting applies only to a budget with δ" in capsys.readouterr().err


def test_run_json_has_the_names_that_scripts_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{RUN} --epsilon 1 --seed 0 --json") == 0
    result = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    names = ["mechanism", "sample", "privacy", "counted", "levels", "checks", "seconds", "mark"]
    assert list(result) == names
    assert list(result["privacy"]) == [
        "epsilon", "delta", "rho", "neighbours", "unit", "difference", "invariants",
        "taken_from_data", "conversion", "accounting", "noise_candidates", "at_usual_delta",
    ]  # fmt: skip
    qualified = "adding or removing one person, except the only member of a group"
    assert result["privacy"]["difference"] == qualified
    assert [level["level"] for level in result["levels"]] == ["nation", "state"]
    for level in result["levels"]:
        assert list(level) == [
            "level", "regions", "l1", "mean_abs", "max_abs", "emd", "fdr", "fnr", "violations",
        ]  # fmt: skip
    kept = {"keeps_invariants": True, "faithful": True}  # today's name, and the one before
    assert result["checks"] == {"consistent": True, "valid": True} | kept
    assert list(result["seconds"]) == ["noise", "solve", "total"]


def test_a_run_repeats_itself(capsys: pytest.CaptureFixture[str]) -> None:
    def levels(seed: int) -> object:
        assert call(f"{RUN} --epsilon 0.1 --seed {seed} --json") == 0
        return json.loads(capsys.readouterr().out)["levels"]

    assert levels(3) == levels(3)
    assert any(levels(3) != levels(seed) for seed in range(4, 9))


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["--epsilon 1", "--epsilon 1 --delta 1e-8", "--rho 0.5"])
@pytest.mark.parametrize("mechanism", mechanisms.names())
def test_every_mechanism_runs_with_every_budget(
    mechanism: str, budget: str, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {
        "group-sizes": "running-example",
        "counts": "us-population",
        "flows": "ri-commuting",
    }
    sample = small[mechanisms.describe(mechanism).kinds[0]]
    if mechanism == "stability-histogram" and "delta" not in budget:
        assert call(f"simulate --sample {sample} --mechanism {mechanism} {budget}") == 2
        assert "needs (ε, δ)" in capsys.readouterr().err
        return
    assert call(f"simulate --sample {sample} --mechanism {mechanism} {budget}") == 0
    captured = capsys.readouterr()
    assert "Contains true values: not for publication." in captured.out
    assert captured.err == ""


def test_the_file_of_settings_and_the_flags_over_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "view.toml"
    file.write_text('sample = "running-example"\nmechanism = "pgsr-h-dp"\nepsilon = 0.1\n')

    def epsilon(flags: str) -> object:
        assert call(f"simulate view.toml --json {flags}") == 0
        return json.loads(capsys.readouterr().out)["privacy"]["epsilon"]

    assert epsilon("") == 0.1
    assert epsilon("--epsilon 2") == 2.0
    assert epsilon("--rho 0.5") is None


def test_out_writes_the_release_its_errors_and_its_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"{RUN} --epsilon 0.5 --seed 4 --allocation 1,2"
    assert call(f"{line} --out deep/results --json") == 0
    printed = json.loads(capsys.readouterr().out)
    folder = tmp_path / "deep" / "results"
    assert sorted(path.name for path in folder.iterdir()) == [
        "errors-contains-true-values.csv",
        "settings.toml",
        "simulated-nation.csv",
        "simulated-state.csv",
        "statement.json",
    ]

    data = hdp.samples.load("running-example")
    simulation = simulated(data.table, "pgsr-h-dp", epsilon=0.5, allocation=[1, 2], seed=4)
    states = pd.read_csv(folder / "simulated-state.csv", dtype={"id": str})
    assert list(states.columns) == ["level", "id", "name", "size", "value"]
    tree = data.table.tree
    assert states["value"].tolist() == simulation.table.values[tree.level(1)].reshape(-1).tolist()
    assert states["id"].unique().tolist() == list(data.table.regions.ids[tree.level(1)])

    errors = pd.read_csv(folder / "errors-contains-true-values.csv")
    assert errors["note"].unique().tolist() == ["contains true values: not for publication"]
    assert errors["l1"].tolist() == [level["l1"] for level in printed["levels"]]
    assert errors["quantity"].unique().tolist() == ["every cell"]
    assert errors["counted"].unique().tolist() == ["units of each size"]

    statement = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    assert statement["epsilon"] == 0.5
    assert "not for publication" in statement["note"]
    settings = tomllib.loads((folder / "settings.toml").read_text(encoding="utf-8"))
    assert settings["allocation"] == [1, 2]

    # The settings alone make the same folder.
    assert call(f"simulate {folder / 'settings.toml'} --out again") == 0
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_counts_are_written_without_a_size(tmp_path: Path) -> None:
    line = "simulate --sample us-population --mechanism tree-dp --epsilon 1 --out results"
    assert call(line) == 0
    counties = pd.read_csv(tmp_path / "results" / "simulated-county.csv", dtype={"id": "string"})
    assert list(counties.columns) == ["level", "id", "name", "value"]
    assert len(counties) == 3143


def test_a_claim_that_does_not_hold_is_called_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = "simulate --sample running-example --mechanism pgsr-c-chain --epsilon 1"
    assert call(f"{chain} --option calibration=published --out results") == 0
    assert "claims ε = 1, but its actual guarantee is ε = 1.5 (pure DP)" in capsys.readouterr().out
    statement = json.loads((tmp_path / "results" / "statement.json").read_text(encoding="utf-8"))
    assert (statement["epsilon"], statement["claimed_epsilon"]) == (1.5, 1.0)
    assert call(f"{chain} --option calibration=published --json") == 0
    assert json.loads(capsys.readouterr().out)["privacy"]["epsilon"] == 1.5
    assert call(chain) == 0
    assert "claims" not in capsys.readouterr().out


def test_compare_gives_a_row_per_simulation_and_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"{COMPARE} --epsilon 0.1,1 --allocation 1,1 --allocation 1,2 --simulations 3"
    line += " --out draws.csv"
    assert call(f"{line} --json") == 0
    rows = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert len(rows) == 2 * 2 * 3 * 2  # budgets, splits, draws, levels
    assert {row["allocation"] for row in rows} == {"1,1", "1,2"}
    assert {row["epsilon"] for row in rows} == {0.1, 1.0}
    written = pd.read_csv(tmp_path / "draws.csv")
    assert len(written) == len(rows)
    assert written["note"].unique().tolist() == ["contains true values: not for publication"]

    assert call(line) == 0
    out = capsys.readouterr().out
    assert "county" not in out
    assert "state" in out
    assert "Contains true values" in out


def test_compare_states_what_is_best_and_what_the_budgets_mean(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "compare --sample running-example --mechanisms pgsr-h-dp,coc --epsilon 0.1,1"
    assert call(f"{line} --simulations 10 --option isotonic=l2 --json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"case", "neighbours", "unit", "difference", "spent_epsilon", "emd"} <= set(rows[0])
    assert {row["case"] for row in rows} == {0, 1, 2, 3}
    chosen = {row["options"] for row in rows} - {""}
    assert len(chosen) == 1
    assert chosen.pop().startswith("methods=hc; isotonic=l2; merge=weighted; ")

    assert call(f"{line} --simulations 10 --option isotonic=l2") == 0
    out = capsys.readouterr().out
    for words in (
        "earth mover's",
        "isotonic=l2",
        "Lowest mean absolute error, ε = 0.1 (pure DP), adding or removing one person, except",
        "of resamples of the 10 simulations",
        "Also treated as public by coc:",
        "  the number of groups (units) in every area",
    ):
        assert words in out

    assert call(f"{COMPARE} --epsilon 1 --delta 1e-6 --simulations 2") == 0
    assert (
        "Guarantee of pgsr-h-dp: approximate DP (δ = 10⁻⁶), adding or removing one person, except "
        "the only member of a group." in capsys.readouterr().out
    )


def test_compare_of_one_simulation_states_no_quantiles(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "compare --sample running-example --mechanisms coc --epsilon 1 --simulations"
    assert call(f"{line} 1") == 0
    one = capsys.readouterr().out
    assert "Errors in units of each size, from one simulation." in one
    assert "10%" not in one
    assert "Treated as public:\n" in one
    assert call(f"{line} 2") == 0
    two = capsys.readouterr().out
    assert "means over simulations." in two
    assert "The columns “10%” and “90%” are quantiles" in two


def test_published_flows_with_noise_are_not_called_real(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call("samples") == 0
    (line,) = (row for row in capsys.readouterr().out.splitlines() if "ri-commuting" in row)
    assert "flows contain noise added by the Census Bureau" in line


def test_compare_counts_a_quantity(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{COMPARE} --rho 0.5 --simulations 2 --quantity occupied --json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["quantity"] for row in rows} == {"occupied"}


def test_a_file_of_a_comparison_names_what_is_counted(tmp_path: Path) -> None:
    out = tmp_path / "errors.csv"
    assert call(f"{COMPARE} --rho 0.5 --simulations 2 --out {out}") == 0
    assert set(pd.read_csv(out)["quantity"]) == {"every cell"}


BAD = [
    (f"{RUN} --epsilon 0", "epsilon"),
    (f"{RUN} --epsilon -1", "epsilon"),
    (f"{RUN} --epsilon nan", "epsilon"),
    (f"{RUN} --epsilon -inf", "epsilon"),
    (f"{RUN} --epsilon inf", "epsilon"),
    (f"{RUN} --epsilon lots", "lots"),
    (f"{RUN} --epsilon", "epsilon"),
    (f"{RUN} --rho 0", "rho"),
    (f"{RUN} --rho -0.5", "rho"),
    (f"{RUN} --rho nan", "rho"),
    (f"{RUN} --rho text", "text"),
    (f"{RUN} --epsilon 1 --delta 2", "delta"),
    (f"{RUN} --delta 1e-8", "udget"),
    (f"{RUN} --epsilon 1 --rho 1", "once"),
    (RUN, "--epsilon"),
    (f"{RUN} --epsilon 1 --allocation 1", "nation, state"),
    (f"{RUN} --epsilon 1 --allocation 1,1,1", "nation, state"),
    (f"{RUN} --epsilon 1 --allocation -1,2", "-1"),
    (f"{RUN} --epsilon 1 --allocation 0,0", "above 0"),
    (f"{RUN} --epsilon 1 --allocation a,b", '"a"'),
    (f"{RUN} --epsilon 1 --allocation 1,0.5", '"0.5"'),
    (f"{RUN} --epsilon 1 --seed -3", "seed"),
    (f"{RUN} --epsilon 1 --seed x", "seed"),
    (f"{RUN} --epsilon 1 --option colour=red", "colour"),
    (f"{RUN} --epsilon 1 --option colour", "NAME=VALUE"),
    (f"{RUN} --epsilon 1 --quantity nonsense", "nonsense"),
    (f"{RUN} --epsilon 1 --colour red", "colour"),
    (f"{RUN} --epsilon 1 two.toml three.toml", "three.toml"),
    ("simulate --sample mars --mechanism pgsr-h-dp --epsilon 1", "running-example"),
    ("simulate --sample running-example --mechanism magic --epsilon 1", "pgsr-h-dp"),
    ("simulate --sample running-example --mechanism tree-dp --epsilon 1", "coc-opt or pgsr-c-opt"),
    ("simulate --sample us-population --mechanism pgsr-h-dp --epsilon 1", "tree-dp"),
    ("simulate --mechanism pgsr-h-dp --epsilon 1", "--sample"),
    ("simulate missing.toml", "missing.toml"),
    ("simulate .", "cannot be read"),
    ("simulate tree-dp", "For the mechanism, write --mechanism tree-dp."),
    ("audit us-population", "For the sample, write --sample us-population."),
    ("simulate none.csv", "For a table, write --data before its path."),
    ("simulate README.md", "For a table, write --data before its path."),
    ("compare --sample running-example --epsilon 1", "--mechanisms"),
    (f"{COMPARE} --simulations 3", "--epsilon"),
    (f"{COMPARE} --epsilon 0.1,0", "epsilon"),
    (f"{COMPARE} --epsilon 1,,2", "epsilon"),
    (f"{COMPARE},magic --epsilon 1", "magic"),
    (f"{COMPARE},tree-dp --epsilon 1", "tree-dp"),
    (f"{COMPARE} --epsilon 1 --rho 1", "once"),
    (f"{COMPARE} --epsilon 1 --simulations 0", "--simulations"),
    (f"{COMPARE} --epsilon 1 --simulations many", "--simulations"),
    (f"{COMPARE} --epsilon 1 --workers 0", "--workers"),
    (f"{COMPARE} --epsilon 1 --option colour=red", "colour"),
    (f"{COMPARE} --epsilon 1 --option colour", "NAME=VALUE"),
    (f"{COMPARE} --epsilon 1 --seed x", "seed"),
    (f"{COMPARE} --epsilon 1 --allocation 1,1,1", "nation, state"),
    (f"{COMPARE} --epsilon 1 --allocation a,b", '"a"'),
    (f"{COMPARE} --epsilon {','.join(['1'] * 501)}", "the limit is 500"),
    (f"{COMPARE} --epsilon 1 --quantity nonsense", "nonsense"),
    (f"{COMPARE} --epsilon 1 --simulations 1 --out no/such/folder.csv", "folder"),
    (f"{COMPARE} --epsilon 1 --simulations 1 --out errors.HTML", "ends in .csv"),
    ("fitness --sample running-example --epsilon 1 --out fitness.csv", "ends in .html"),
    ("reproduce accounting --out table.xlsx", "ends in .csv"),
    ("impact --sample us-population --epsilon 1 --rule threshold --out areas.json", "ends in .csv"),
    ("--port 0", "--port"),
    ("--port 99999", "--port"),
    ("--port x", "--port"),
    ("nonsense", "nonsense"),
    ("--colour", "colour"),
]


@pytest.mark.parametrize(("line", "named"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_gives_one_line_and_writes_nothing(
    line: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = " --out results" if line.startswith("simulate") else ""
    assert call(line + out) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("hierdp: ")
    assert captured.err.count("\n") == 1
    assert captured.err.endswith("\n")
    assert named in captured.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"epsilon = ", "TOML"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"colour = 1", "colour"),
        (b'bounderies = "a.geojson"', "options, quantity, data, boundaries"),
        (b'sample = "running-example"\nmechanism = "pgsr-h-dp"\nepsilon = "0"', "epsilon"),
        (b'sample = "running-example"\nmechanism = 1\nepsilon = 1', "mechanism"),
        (b'sample = "running-example"\nmechanism = "fast"\nepsilon = 1', "fast"),
    ],
)
def test_a_bad_file_gives_one_line_that_names_it(
    content: bytes, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "view.toml").write_bytes(content)
    base = "" if b"sample" in content else "--sample running-example --mechanism hay --epsilon 1"
    assert call(f"simulate view.toml {base} --out results") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert named in captured.err
    assert captured.err.startswith("hierdp: view.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["view.toml"]


def test_a_file_is_not_named_where_a_flag_is_at_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "view.toml").write_bytes(b'sample = "running-example"\nepsilon = 1\n')
    assert call("simulate view.toml --mechanism hay --epsilon 0") == 2
    assert capsys.readouterr().err.startswith("hierdp: epsilon must lie")


def test_a_folder_with_files_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "mine.txt").write_text("mine")
    assert call(f"{RUN} --epsilon 1 --out results") == 2
    assert "not empty" in capsys.readouterr().err
    assert call(f"{RUN} --epsilon 1 --out results/mine.txt") == 2
    assert "is a file" in capsys.readouterr().err
    assert call(f"{RUN} --epsilon 1 --out results/mine.txt/deeper") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["mine.txt"]


def test_an_interrupt_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(samples, "names", interrupted)
    assert call("samples") == 130
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_closed_pipe_is_quiet() -> None:
    line = [sys.executable, "-m", "hierdp_core", "samples", "--json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_any_terminal_can_print(encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    for line in (f"{RUN} --epsilon 1", f"{RUN} --epsilon ±∞"):
        done = subprocess.run(
            [sys.executable, "-m", "hierdp_core", *line.split()],
            capture_output=True,
            env=environment,
            check=False,
        )
        assert b"Traceback" not in done.stderr
        assert done.returncode == (2 if "∞" in line else 0)


def test_letters_are_spelled_out_where_a_terminal_has_none() -> None:
    let_any_terminal_print()
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="hierdp-plain")
    stream.write("ε ± ρ 人")
    stream.flush()
    assert stream.buffer.getvalue() == b"epsilon +/- rho ?"  # type: ignore[attr-defined]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_powers_of_ten_are_spelled_out_where_a_terminal_has_none(encoding: str) -> None:
    let_any_terminal_print()
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="hierdp-plain")
    stream.write("10⁻¹⁰, 10⁻⁸ 10⁴³.")
    stream.flush()
    assert stream.buffer.getvalue() == b"10^-10, 10^-8 10^43."  # type: ignore[attr-defined]


def test_the_app_opens_on_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Serving] = []
    monkeypatch.setattr(app_command, "serve", started.append)
    assert call("--no-browser") == 0
    (serving,) = started
    assert serving.script.name == "app.py"
    assert serving.address == f"http://127.0.0.1:{serving.port}/"
    assert serving.options["server.address"] == "127.0.0.1"
    assert serving.options["browser.gatherUsageStats"] is False
    assert serving.entry is not None
    assert not serving.browser
    assert not serving.paths


def test_a_port_in_use_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert call(f"--port {port}") == 2
    assert str(port) in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        call("--version")
    assert left.value.code == 0
    assert capsys.readouterr().out == f"hierdp {hdp.__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        (f"run {RUN[9:]} --epsilon 1 --shares 1,2", f"{RUN} --epsilon 1 --allocation 1,2", 2),
        (
            f"{COMPARE} --epsilon 1 --shares 1,2 --trials 2",
            f"{COMPARE} --epsilon 1 --allocation 1,2 --simulations 2",
            2,
        ),
        (
            f"plan {TARGET} --draws 80",
            f"budget {TARGET} --simulations 80",
            2,
        ),
    ],
)
def test_words_of_the_first_version_work_and_name_todays(
    old: str, new: str, renamed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{new} --json") == 0
    today = capsys.readouterr()
    assert today.err == ""
    assert call(f"{old} --json") == 0
    before = capsys.readouterr()
    assert len(before.err.splitlines()) == renamed
    assert all(" is now " in line for line in before.err.splitlines())
    same = [json.loads(text) for text in (before.out, today.out)]
    for answer in same:
        if isinstance(answer, dict):
            answer.pop("seconds", None)
        else:
            for row in answer:
                row.pop("seconds")
    assert same[0] == same[1]


def test_a_file_with_words_of_the_first_version_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "view.toml"
    file.write_text(
        'sample = "running-example"\nmechanism = "pgsr-h-dp"\nepsilon = 1\nshares = [1, 3]\n'
    )
    assert call(f"simulate {file} --json") == 0
    printed = capsys.readouterr()
    assert printed.err == f"hierdp: `shares` in {file} is now `allocation`.\n"
    # (1/4)²/2 + (3/4)²/2, where equal parts would give 1/4.
    assert json.loads(printed.out)["privacy"]["rho"] == 0.3125
    assert call(f"simulate {file} --allocation 1,1 --json") == 0
    assert json.loads(capsys.readouterr().out)["privacy"]["rho"] == 0.25
    file.write_text(file.read_text() + "allocation = [1, 3]\n")
    assert call(f"simulate {file}") == 2
    assert f'{file}: "shares" is the old name' in capsys.readouterr().err


def test_compare_lists_the_budget_that_is_spent(capsys: pytest.CaptureFixture[str]) -> None:
    line = "compare --sample ri-commuting --mechanisms inftda --option split=reference"
    assert call(f"{line} --epsilon 1 --delta 1e-8 --simulations 1") == 0
    head, first = capsys.readouterr().out.splitlines()[:2]
    shown = dict(zip(head.split(), first.split(), strict=False))
    assert (shown["epsilon"], shown["delta"]) == ("0.5", "10⁻⁸")
    assert call(f"{line} --rho 1 --simulations 1") == 0
    head, first = capsys.readouterr().out.splitlines()[:2]
    assert dict(zip(head.split(), first.split(), strict=False))["rho"] == "0.5"


def test_steps_are_shown_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    step("planning")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    step("planning")
    assert capsys.readouterr().err == "hierdp: planning …\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["parts", "--levl", "county"], "`hierdp parts` has no option --levl. "),
        (["parts", "county"], 'There is no subcommand "county". '),
        (["county"], 'There is no command "county". '),
    ],
)
def test_an_unknown_option_is_named_rather_than_its_value(capsys, line, message) -> None:
    assert main(line) == 2
    assert message in capsys.readouterr().err
