"""The README does what it says, and every mechanism and sample is in it."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hierdp_core import mechanisms, samples
from hierdp_core.cli.entry import _parser
from hierdp_core.settings import Settings
from hierdp_core.settings.own_files import OwnFiles

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_examples_run(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(blocks("python")[number], f"README example {number}", "exec"), {})
    assert capsys.readouterr().out


def test_a_first_release_takes_ten_lines() -> None:
    lines = [line for line in blocks("python")[0].splitlines() if line.strip()]
    assert len(lines) <= 10


def test_the_test_command_is_the_one_that_is_checked() -> None:
    command = next(line for line in "\n".join(blocks("sh")).splitlines() if "pytest" in line)
    assert f'bash -c "{command}"' in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert command in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_command_lines_are_understood() -> None:
    lines = [line for line in "\n".join(blocks("sh")).splitlines() if line.startswith("hierdp ")]
    assert len(lines) >= 5
    for line in lines:
        arguments = shlex.split(line, comments=True)[1:]
        _parser().parse_args(arguments)
        if arguments[:2] == ["simulate", "--sample"]:
            Settings.from_shell(line)


def test_the_file_of_settings_is_understood() -> None:
    text, own, confidential = blocks("toml")
    assert Settings.from_toml(text).quantity == "occupied"
    files = OwnFiles.of(tomllib.loads(own), folder=ROOT)
    assert files.columns.levels == ("state", "county")
    files = OwnFiles.of(tomllib.loads(confidential), folder=ROOT)
    assert files.confidential
    assert files.regions
    assert files.columns.largest == 10


def test_every_mechanism_and_sample_has_its_row_and_nothing_else_has() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|.+\|.+\|$", README, re.MULTILINE)
    assert sorted(rows) == sorted([*mechanisms.names(), *samples.names()])


@pytest.mark.parametrize("name", mechanisms.names())
def test_every_mechanism_says_what_it_is(name: str) -> None:
    info = mechanisms.describe(name)
    assert info.title
    assert info.about.endswith(".")
    assert info.paper
    made = mechanisms.get(name)
    assert made.__doc__
    assert len((sys.modules[made.__module__].__doc__ or "").split()) > 20


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_app_asks_nothing_of_anyone() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "127.0.0.1"
    assert config["server"]["enableStaticServing"] is True
    assert config["server"]["showEmailPrompt"] is False
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["showErrorDetails"] == "none"


def test_streamlit_knows_every_word_of_its_configuration() -> None:
    line = [sys.executable, "-m", "streamlit", "config", "show"]
    shown = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "not a valid config option" not in shown.stdout + shown.stderr
    assert re.search(r'^address = "127.0.0.1"$', shown.stdout, re.MULTILINE)
