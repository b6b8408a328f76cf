"""Remedies on the command line name what its reader can write there."""

import ast
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from support.syntax import nodes

import hierdp_core
from hierdp_core.cli import main
from hierdp_core.cli.remedies import as_flags, as_settings, here
from hierdp_core.readers.columns.layout import Layout

Captured = pytest.CaptureFixture[str]

READERS = Path(hierdp_core.__file__).parent / "readers"
SETTING = re.compile(rf"\b({'|'.join(f.name for f in fields(Layout))}) = (?!\{{)")
COUNTS = "state,county,people\nA,a1,10\nA,a2,20\nB,b1,30\n"


def texts_of(path: Path) -> list[str]:
    """Return the texts in a module, with a quoted word in each gap of an f-string."""
    texts = []
    everything = nodes(path.read_text())
    docstrings = {
        id(node.body[0].value) for node in everything
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body and isinstance(node.body[0], ast.Expr)
    }  # fmt: skip
    inside = {
        id(part) for node in everything if isinstance(node, ast.JoinedStr)
        for part in node.values
    }  # fmt: skip
    for node in everything:
        if id(node) in docstrings or id(node) in inside:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        elif isinstance(node, ast.JoinedStr):
            text = ""
            for part in node.values:
                if isinstance(part, ast.Constant):
                    text += str(part.value)
                else:
                    text += "x" if text.count('"') % 2 else '"x"'
            texts.append(text)
    return texts


STATEMENTS = [
    text for path in sorted(READERS.rglob("*.py")) for text in texts_of(path)
    if SETTING.search(text) and "\n" not in text
]  # fmt: skip


def test_readers_state_settings() -> None:
    assert len(STATEMENTS) > 15


@pytest.mark.parametrize("text", STATEMENTS)
def test_each_setting_that_a_reader_states_can_be_a_flag(text: str) -> None:
    rewritten = as_flags(text)
    assert not SETTING.search(rewritten)
    assert "--column " in rewritten
    for flag in re.findall(r"--column ('[^']*'|\S+)", rewritten):
        name, equals, value = shlex.split(flag.rstrip(".,;"))[0].partition("=")
        assert name in {field.name for field in fields(Layout)}
        assert equals
        assert value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Choose (--allow-x, allow_x=True in Python, or the box on the page Release). Go on.",
            "Choose (--allow-x). Go on.",
        ),
        ("Give it with --total N, or total=N in Python.", "Give it with --total N."),
        (
            "Use more (--simulations, or “Simulations” on the page Set a budget), or wait.",
            "Use more (--simulations), or wait.",
        ),
        (
            "State it with --column, or with “Change column settings” on the page Your data.",
            "State it with --column.",
        ),
        (
            "Use set-budget on the command line, or Ledger.set_budget in Python.",
            "Use set-budget.",
        ),
        ("The page Your data shows it.", "The page Your data shows it."),
    ],
)
def test_what_the_reader_cannot_do_there_is_left_out(text: str, words: str) -> None:
    assert here(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "(--column largest=N, or “Maximum” on the page Your data)",
            "(largest = N below [columns])",
        ),
        (
            "State --column levels=state,county.",
            'State levels = ["state", "county"] below [columns].',
        ),
        (
            "State --column 'empty_groups=not counted'.",
            'State empty_groups = "not counted" below [columns].',
        ),
        ("Add --column add_up=true.", "Add add_up = true below [columns]."),
    ],
)  # fmt: skip
def test_flags_become_lines_of_a_settings_file(text: str, words: str) -> None:
    assert as_settings(text) == words


def test_the_remedy_of_a_flag_is_a_flag_that_is_accepted(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "own.csv"
    file.write_text(COUNTS)
    line = ["simulate", "--data", str(file), "--epsilon", "1"]
    assert main([*line, "--column", "row=banana"]) == 2
    message = capsys.readouterr().err
    assert "[columns]" not in message
    flags = re.findall(r"--column row=\w+", message)
    assert flags == ["--column row=region", "--column row=person"]
    assert main([*line, *flags[0].split()]) == 0


def test_the_remedy_of_a_settings_file_is_a_line_of_it(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "own.csv").write_text(COUNTS)
    settings = tmp_path / "own.toml"
    settings.write_text(
        'data = "own.csv"\nepsilon = 1\n[columns]\nrow = "banana"\n'
        'levels = ["state", "county"]\ncount = "people"\n'
    )
    for beside in ([], ["--column", "row=region"]):
        assert main(["simulate", str(settings), *beside]) == 2
        message = capsys.readouterr().err
        assert message.startswith(f"hierdp: {settings}: ")
        assert 'State row = "region" or row = "person".' in message
        assert "--column" not in message


def test_a_name_with_a_backslash_is_kept_as_it_is() -> None:
    assert as_flags(r'State count = "origin \ destination".') == (
        r"State --column 'count=origin \ destination'."
    )
    assert as_flags(r'Give levels = ["a \ b", "c"].') == r"Give --column 'levels=a \ b,c'."


def test_names_with_brackets_and_quotation_marks_end_in_no_error() -> None:
    assert as_flags('Give levels = ["a [b]", "c"].') == "Give --column 'levels=a [b],c'."
    text = 'Give levels = [a "b", "c"].'
    assert as_flags(text) == text
