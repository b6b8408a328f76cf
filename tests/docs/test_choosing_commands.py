"""The commands of the page on choosing a mechanism run on small confidential tables."""

import itertools
import json
import math
import re
import shlex
from pathlib import Path

import pytest

import hierdp_core as hdp
from hierdp_core.cli import main
from hierdp_core.noise.seeded import variance

pytestmark = pytest.mark.docs

PAGE = (Path(__file__).parents[2] / "docs" / "choosing.md").read_text("utf-8")
COUNTIES = [("North", "Alba"), ("North", "Brix"), ("South", "Cedar"), ("South", "Delta")]
SIZES = [str(size) for size in range(1, 8)]
CLASSES = ["1-9", "10-49", "50-249", "250+"]
PEOPLE = [[age, sex] for age in ("0-17", "18-64", "65+") for sex in ("f", "m")]


def _commands() -> list[str]:
    part = PAGE.partition("## Commands for confidential tables")[2].partition("\n## ")[0]
    return re.findall(r"^hierdp (.*)$", part, re.MULTILINE)


def _command_of(letter: str) -> str:
    part = PAGE.partition("## Commands for confidential tables")[2]
    return re.findall(r"^hierdp (.*)$", part.partition(f"**{letter}**")[2], re.MULTILINE)[0]


def _write(file: Path, header: str, rows: list[list[str]]) -> None:
    file.write_text("\n".join([header, *map(",".join, rows)]) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every file that the commands name."""
    at = tmp_path_factory.mktemp("tables")
    cells = itertools.product(COUNTIES, SIZES)
    pairs = [[*home, *work] for home, work in itertools.product(COUNTIES, COUNTIES)]
    _write(at / "county_list.csv", "state,county", [list(one) for one in COUNTIES])
    _write(
        at / "county_size_list.csv",
        "state,county,size",
        [[*county, size] for county, size in itertools.product(COUNTIES, SIZES)],
    )
    _write(
        at / "city_class_list.csv",
        "state,city,class",
        [[*city, size] for city, size in itertools.product(COUNTIES, CLASSES)],
    )
    _write(
        at / "counties.csv",
        "state,county,people",
        [[*county, str(310 * k)] for k, county in enumerate(COUNTIES, start=1)],
    )
    _write(
        at / "population_list.csv",
        "state,county,age,sex",
        [[*county, *group] for county, group in itertools.product(COUNTIES, PEOPLE)],
    )
    _write(
        at / "population.csv",
        "state,county,age,sex,people",
        [
            [*county, *group, str(20 + n)]
            for n, (county, group) in enumerate(itertools.product(COUNTIES, PEOPLE))
        ],
    )
    _write(at / "city_list.csv", "state,city", [list(one) for one in COUNTIES])
    _write(
        at / "employees.csv",
        "firm,state,city,employees",
        [[f"F{n}", *city, str(1 + 40 * n % 250)] for n, city in enumerate(COUNTIES * 9)],
    )
    _write(
        at / "persons.csv",
        "person,household,state,county",
        [
            [str(n), f"{county}{n % 7}", state, county]
            for n, (state, county) in enumerate(COUNTIES * 9)
        ],
    )
    _write(
        at / "stays.csv",
        "stay,state,county",
        [[str(n), *county] for n, county in enumerate(COUNTIES * 9)],
    )
    _write(
        at / "households.csv",
        "state,county,size,households",
        [[*county, size, str(90 // int(size))] for county, size in cells],
    )
    _write(
        at / "dwellings.csv",
        "state,county,size,dwellings",
        [
            [*county, size, str(90 // (1 + int(size)))]
            for county, size in itertools.product(COUNTIES, ["0", *SIZES])
        ],
    )
    _write(
        at / "firms.csv",
        "firm,state,city,class",
        [[f"F{n // 3}", *city, CLASSES[n % 4]] for n, city in enumerate(COUNTIES * 9)],
    )
    _write(
        at / "commuters.csv",
        "home_state,home_county,work_state,work_county,commuters",
        [[*pair, str(n)] for n, pair in enumerate(pairs, start=1)],
    )
    _write(
        at / "trips.csv",
        "trip,home_state,home_county,work_state,work_county",
        [[str(n), *pair] for n, pair in enumerate(pairs * 3)],
    )
    return at


def test_every_row_of_the_page_has_its_command() -> None:
    letters = re.findall(r"^\| ([A-Z]) \|", PAGE, re.MULTILINE)
    part = PAGE.partition("## Commands for confidential tables")[2].partition("\n## ")[0]
    assert letters == list("ABCDEFGHI")
    assert re.findall(r"\*\*([A-Z])\*\*", part) == letters


@pytest.mark.parametrize("command", _commands())
def test_the_command_runs(
    command: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert main(shlex.split(command)) == 0
    shown = capsys.readouterr().out
    assert "taken from the data" not in shown
    assert "Non-negative integers: yes" in shown


def test_one_year_of_a_list_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [[str(n), *county, str(2021 + n % 2)] for n, county in enumerate(COUNTIES[:3] * 7)]
    _write(folder / "years.csv", "stay,state,county,year", rows)
    keep = "--column keep=year=2022"
    assert f"`{keep}`" in PAGE
    monkeypatch.chdir(folder)
    command = _command_of("B").replace("--data stays.csv", f"--data years.csv {keep}")
    check = command.partition(" --mechanism")[0].replace("simulate --data", "check")
    assert main(shlex.split(check)) == 0
    assert "counts, 10 stays" in capsys.readouterr().out


def test_counting_vacant_units_protects_the_only_member_of_a_household(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    shown = {}
    for letter in "FG":
        assert main(shlex.split(_command_of(letter))) == 0
        shown[letter] = capsys.readouterr().out
    assert "except the only member of a" in shown["F"]
    assert "except" not in shown["G"]
    assert "the number of groups (dwellings) in every area" in shown["G"]


def test_a_budget_is_found_from_the_list_of_areas_alone(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    part = PAGE.partition("## Step 6")[2].partition("\n## ")[0]
    (command,) = re.findall(r"^hierdp (.*)$", part, re.MULTILINE)
    (tmp_path / "county_list.csv").write_bytes((folder / "county_list.csv").read_bytes())
    monkeypatch.chdir(tmp_path)  # with no other file
    assert main([*shlex.split(command), "--simulations", "100"]) == 0
    shown = capsys.readouterr().out
    assert "No confidential counts were used" in shown
    assert "taken from the data" not in shown


def test_only_the_total_of_dwellings_or_no_number_of_them_may_be_public(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    command = _command_of("G")
    assert main([*shlex.split(command), "--option", "totals=private"]) == 0
    assert "the number of groups" not in capsys.readouterr().out
    assert main(shlex.split(command.replace("coc-opt", "pgsr-c-opt"))) == 0
    shown = capsys.readouterr().out
    assert "the number of groups (dwellings), " in shown
    assert "that empty groups are counted" in shown


def _chain(n: int, kind: str) -> hdp.Counts | hdp.GroupSizes:
    """Return a table with one area on each of `n` levels."""
    levels = [f"level {k}" for k in range(n)]
    parents = {name: levels[k - 1] if k else None for k, name in enumerate(levels)}
    regions = hdp.Regions.from_parents(parents, levels=levels)
    if kind == "counts":
        return hdp.Counts.from_leaves(regions, [500])
    return hdp.GroupSizes.from_leaves(regions, [[5, 300, 200]])


def test_the_page_words_the_neighbouring_datasets_of_its_commands(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part = PAGE.partition("### Which tables share a dataset")[2].partition("\n###")[0]
    rows = re.findall(r"^\| rows? ([A-Z][^|]*) \| ([^|]+) \|$", part, re.MULTILINE)
    assert [letters for letters, _ in rows] == [
        "A (persons), G, H", "D", "G with `totals=private`", "E, F",
    ]  # fmt: skip
    monkeypatch.chdir(folder)
    for letters, wording in rows:
        for letter in re.findall(r"\b[A-Z]\b", letters):
            private = ["--option", "totals=private"] * ("totals=private" in letters)
            assert main([*shlex.split(_command_of(letter)), *private, "--json"]) == 0
            privacy = json.loads(capsys.readouterr().out)["privacy"]
            assert privacy["difference"] == wording


@pytest.mark.parametrize(("epsilon", "least"), [(1, 14), (5, 17), (10, 20)])
def test_more_measurements_are_needed_for_gaussian_noise_at_a_larger_epsilon(
    epsilon: float, least: int
) -> None:
    assert f"{least} for ε = {epsilon}" in PAGE
    for n in (least - 1, least):
        plan = hdp.plan(_chain(n, "counts"), "tree-dp", epsilon=epsilon, delta=1e-8)
        (chosen,) = [one.noise for one in plan.spending.candidates if one.chosen]
        assert chosen == ("gaussian" if n == least else "geometric")


def _thresholds() -> list[tuple[str, str, float, int]]:
    """Return mechanism, kind of budget, δ and number of measurements from the page's table."""
    rows = re.findall(
        r"^\| (.+) \| (ρ|\(ε, δ\)) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE
    )
    small, public = ["tree-dp", "pgsr-c-opt"], ["inftda", "pgsr-h-dp"]
    return [
        (mechanism, budget, delta, int(least))
        for mechanisms, (_, budget, *least_of) in zip([small] * 2 + [public] * 2, rows, strict=True)
        for delta, least in zip([1e-6, 1e-8, 1e-10], least_of, strict=True)
        for mechanism in mechanisms
    ]


@pytest.mark.parametrize(("mechanism", "kind", "delta", "least"), _thresholds())
def test_gaussian_noise_is_smaller_from_the_stated_number_of_measurements_on(
    mechanism: str, kind: str, delta: float, least: int
) -> None:
    for n in (least - 1, least):
        levels = n + 1 if mechanism == "inftda" else n  # a public total is not measured
        table = _chain(levels, "group-sizes" if mechanism.startswith("pgsr") else "counts")
        geometric = hdp.plan(table, mechanism, epsilon=1)
        accounting = "zcdp" if kind == "ρ" else "tight"
        gaussian = hdp.plan(
            table, mechanism, epsilon=1, delta=delta, accounting=accounting, noise="gaussian"
        )
        assert len(geometric.events) == len(gaussian.events) == n
        smaller = variance(gaussian.events[0]) < variance(geometric.events[0])
        assert smaller == (n == least)


def test_the_page_names_the_rho_of_a_target_epsilon(capsys: pytest.CaptureFixture[str]) -> None:
    part = PAGE.partition("**From a target ε to ρ.**")[2]
    command = re.findall(r"^hierdp (.*)$", part, re.MULTILINE)[0]
    assert main(shlex.split(command)) == 0
    rho = json.loads(capsys.readouterr().out)["privacy"]["rho"]
    assert f"It is {math.floor(100 * rho) / 100}, rounded down" in part
