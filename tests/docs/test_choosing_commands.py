"""The commands of the page on choosing a mechanism run on small confidential tables."""

import itertools
import re
import shlex
from pathlib import Path

import pytest

from hierdp_core.cli import main

pytestmark = pytest.mark.docs

PAGE = (Path(__file__).parents[2] / "docs" / "choosing.md").read_text("utf-8")
COUNTIES = [("North", "Alba"), ("North", "Brix"), ("South", "Cedar"), ("South", "Delta")]
SIZES = [str(size) for size in range(1, 8)]
CLASSES = ["1-9", "10-49", "50-249", "250+"]


def _commands() -> list[str]:
    part = PAGE.partition("### Commands for confidential tables")[2].partition("\n### ")[0]
    return re.findall(r"^hierdp (.*)$", part, re.MULTILINE)


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
    part = PAGE.partition("### Commands for confidential tables")[2].partition("\n### ")[0]
    assert letters == list("ABCDEFGH")
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
