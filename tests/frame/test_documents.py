"""What the README and the documentation show works, and they name everything there is."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hierdp_core
from hierdp_core import mechanisms, samples
from hierdp_core.cli.entry import command_line_parser
from hierdp_core.settings import Settings
from hierdp_core.settings.own_files import OwnFiles

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MOST_LINES = 150  # of the README, which leads to the documentation and does not replace it


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def all_blocks(language: str) -> list[tuple[str, str]]:
    """Return the name of the document and the text of every block in a language."""
    return [
        (path.relative_to(ROOT).as_posix(), block)
        for path in DOCUMENTS
        for block in blocks(language, path.read_text(encoding="utf-8"))
    ]


def examples(path: Path) -> str:
    """Return all Python of a document, with what comments marked "setup" prepare for it."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```|<!-- setup\n(.*?)-->", text, re.DOTALL)
    return "\n".join(shown or hidden for shown, hidden in found)


@pytest.mark.parametrize("path", [p for p in DOCUMENTS if examples(p)], ids=lambda path: path.name)
def test_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(examples(path), f"examples in {path.name}", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_examples_of_the_readme_print_something(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(blocks("python")[number], "README", "exec"), {})
    assert capsys.readouterr().out


def test_a_first_simulation_takes_ten_lines() -> None:
    lines = [line for line in blocks("python")[0].splitlines() if line.strip()]
    assert len(lines) <= 10


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES


def test_the_page_on_stability_lists_all_earlier_names_of_python_and_flags() -> None:
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    pairs = [(f"hdp.{old}", f"hdp.{new}") for old, new in hierdp_core._OLD_NAMES.items()]
    (commands,) = [a for a in command_line_parser()._actions if isinstance(a.choices, dict)]
    for parser in commands.choices.values():
        pairs += [
            (flag, f"--{action.dest}")
            for action in parser._actions
            for flag in action.option_strings
            if type(action).__name__ == "_OldFlag"
        ]
    assert len(set(pairs)) >= 11
    missing = [pair for pair in pairs if not all(f"`{name}`" in page for name in pair)]
    assert not missing


def test_the_test_command_is_the_one_that_is_checked() -> None:
    command = next(line for line in "\n".join(blocks("sh")).splitlines() if "pytest" in line)
    assert f'bash -c "{command}"' in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert command in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def command_lines() -> list[str]:
    shown = [text for language in ("sh", "console") for _, text in all_blocks(language)]
    return [line for line in "\n".join(shown).splitlines() if line.startswith("hierdp ")]


def test_command_lines_are_understood() -> None:
    lines = command_lines()
    assert len(lines) >= 10
    for line in lines:
        arguments = shlex.split(line, comments=True)[1:]
        command_line_parser().parse_args(arguments)
        if arguments[:2] == ["simulate", "--sample"]:
            Settings.from_shell(line)


def test_files_of_settings_are_understood() -> None:
    files = [tomllib.loads(text) for _, text in all_blocks("toml")]
    assert len(files) >= 3
    for words in files:
        if "sample" in words:
            assert Settings.of(words).sample == words["sample"]
            continue
        if "data" not in words:  # named on the command line
            assert "columns" in words
            continue
        own = OwnFiles.of(words, folder=ROOT)
        assert own.columns.levels == ("state", "county")
        assert own.confidential == words.get("confidential", False)
        assert not own.confidential or own.regions


def test_every_mechanism_has_its_page_and_the_readme_counts_them() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "mechanisms").glob("*.md")} - {"index"}
    assert pages == set(mechanisms.names())
    assert f"**{len(mechanisms.names())} mechanisms**" in README
    assert f"**{len(samples.names())} samples**" in README


@pytest.mark.parametrize("name", mechanisms.names())
def test_every_mechanism_states_what_it_is(name: str) -> None:
    info = mechanisms.describe(name)
    assert info.title
    assert info.about.endswith(".")
    assert info.paper
    made = mechanisms.get(name)
    assert made.__doc__
    assert len((sys.modules[made.__module__].__doc__ or "").split()) > 20


def test_links_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\((?!http)([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path}: {target}"


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


def test_no_message_refers_to_one_that_the_browser_may_have_dropped() -> None:
    words = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert words["global"]["minCachedMessageSize"] > 1e9  # bytes; no message is as large


def test_every_dependency_is_listed_with_its_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    named = {re.split(r"[^A-Za-z0-9_.-]", line)[0].lower() for line in lines}
    listed = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8").lower()
    assert not {name for name in named if f"| {name} |" not in listed and f"`{name}`" not in listed}


@pytest.mark.parametrize("id", mechanisms.MECHANISMS)
def test_the_page_of_a_mechanism_has_its_name(id: str) -> None:
    page = (ROOT / "docs/mechanisms" / f"{id}.md").read_text(encoding="utf-8")
    assert page.splitlines()[0] == f"# {mechanisms.describe(id).title}"
