"""Characters that act without being seen: no door lets one out, and no name turns what follows."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.pages import ROOT

from hierdp_core.cli import main
from hierdp_core.hierarchy import Regions
from hierdp_core.settings.own_files import toml_lines
from hierdp_core.tables import Counts
from hierdp_core.util import html
from hierdp_core.util.escaping import (
    FileText,
    in_cell,
    in_figure_json,
    in_html,
    in_json,
    in_markdown,
    in_plotly,
    visible,
    without_links,
)
from hierdp_core.writers.defused import csv_text
from hierdp_core.writers.report import Section, report

DIRECTIONS = [chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]
OTHERS = ["\x00", "\x07", "\x1b", "\x7f", "\x9b", "\u180e", "\u3164", "\ufff9", "\U000e0041"]
UNSEEN = [*DIRECTIONS, *OTHERS]
HEBREW = "\u05d9\u05e8\u05d5\u05e9\u05dc\u05d9\u05dd"
DOORS: dict[str, Callable[[str], str]] = {
    "Markdown": in_markdown,
    "our own Markdown": without_links,
    "HTML": in_html,
    "figure": in_plotly,
    "figure as JSON": lambda text: in_figure_json(json.dumps(text, ensure_ascii=False)),
    "figure as JSON of codes": lambda text: in_figure_json(json.dumps(text)),
    "cell": in_cell,
    "CSV": lambda text: csv_text(pd.DataFrame({text: [text]})),
    "box": lambda text: html.box(text, html.facts([(text, text)]), html.note(text)),
    "report": lambda text: report(text, [Section(title=text, sentence=text)], summary=[text]),
}


@pytest.mark.parametrize("mark", UNSEEN)
@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_it_out_and_each_shows_it(door: str, mark: str) -> None:
    shown = DOORS[door](f"Ada{mark} 12")
    assert mark not in shown
    assert json.dumps(mark)[1:-1] not in shown
    assert f"‹U+{ord(mark):04X}›" in shown


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["Newton", HEBREW, "می\u200cخواهم", "soft\u00adly", "a\u200bb"])
def test_letters_that_scripts_need_stay(door: str, name: str) -> None:
    shown = DOORS[door](name)
    assert "‹U+" not in shown
    assert name in shown or json.dumps(name)[1:-1] in shown


def test_names_that_differ_unseen_differ_when_shown() -> None:
    assert len({visible(f"a{mark}") for mark in UNSEEN}) == len(UNSEEN)


@pytest.mark.parametrize("mark", UNSEEN)
def test_json_and_settings_keep_the_value_and_show_its_code(mark: str) -> None:
    text = in_json(json.dumps({"name": f"a{mark}"}, ensure_ascii=False))
    assert json.loads(text) == {"name": f"a{mark}"}
    (line,) = toml_lines({"count": f"a{mark}"})
    assert tomllib.loads(line) == {"count": f"a{mark}"}
    if mark < "\U00010000":
        assert mark not in text + line


def test_a_figure_keeps_backslashes_that_are_no_codes() -> None:
    spec = json.dumps({"a": r"C:\u202e and \\u0000", "b": "tab\tline\n", "c": "\u03b5"})
    assert json.loads(in_figure_json(spec)) == json.loads(spec)


def test_a_name_written_to_the_left_keeps_to_itself() -> None:
    text = FileText(strings=[HEBREW, "Newton"])
    once = text.in_markdown(f"{HEBREW} 12 – 34, Newton 5")
    assert once == f"\u2068{HEBREW}\u2069 12 – 34, Newton 5"
    assert without_links(once) == once
    assert without_links(text.in_markdown(once)) == once


@pytest.mark.parametrize(
    "text", ["\u2068a", "a\u2069", "\u2069a\u2068", "\u2068a\u2069\u2069", "\u2068\u202ea\u2069"]
)
def test_isolates_that_are_not_closed_are_shown(text: str) -> None:
    left = visible(text)
    depth = 0
    for letter in left:
        depth += (letter == "\u2068") - (letter == "\u2069")
        assert depth >= 0
    assert depth == 0
    assert "‹U+20" in left


def test_html_is_escaped_by_one_function() -> None:
    code = [*Path(ROOT, "pages").rglob("*.py"), *Path(ROOT, "hierdp_core").rglob("*.py")]
    own = [p for p in code if "import escape\n" in p.read_text(encoding="utf-8")]
    assert [p.name for p in own] == ["escaping.py"]


def hostile_table() -> Counts:
    parents: dict[str, str | None] = {"root": None, "a": "root", "b": "root"}
    names = {"root": "x\u202ey", "a": "\x1b[2J", "b": HEBREW}
    regions = Regions.from_parents(parents, levels=("na\u202etion", "state"), names=names)
    return Counts.from_leaves(regions, np.array([3, 4]))


def test_the_text_of_a_value_shows_it() -> None:
    assert "\u202e" not in repr(hostile_table())
    assert "‹U+202E›" in repr(hostile_table())
    assert "\u202e" not in hostile_table()._repr_html_()


def test_the_command_line_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a\u202eb.csv"
    file.write_text("na\u202etion,state\x1b[2J,people\nX,a,30\nX,b,41\n", encoding="utf-8")
    assert main(["check", str(file)]) in (0, 2)
    output = "".join(capsys.readouterr())
    assert "‹U+202E›" in output or "�" in output
    assert not any(mark in output for mark in UNSEEN)
    assert main(["check", "no-such\u202efile\x1b[2J.csv"]) == 2
    output = "".join(capsys.readouterr())
    assert not any(mark in output for mark in UNSEEN)
    assert main(["simulate", "--mechanism", "a\u202e\x1b[2J"]) == 2
    output = "".join(capsys.readouterr())
    assert not any(mark in output for mark in UNSEEN)
