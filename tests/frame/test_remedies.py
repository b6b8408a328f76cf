"""Every error about wrong input ends with what to do, in the rooms that are listed here."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.voice import ROOT

from hierdp_core import exceptions

CORE = ROOT / "hierdp_core"
ROOMS = (
    "audits", "decisions", "display", "evaluation", "explain", "figures", "hierarchy", "lessons",
    "maps", "planning", "reproduce", "samples", "scale", "tables", "writers",
)  # fmt: skip
KINDS = {name for name, kind in vars(exceptions).items() if inspect.isclass(kind)}
KINDS |= {"PlanningStopped"}
VERBS = (
    "Add", "Allow", "Ask", "Build", "Choose", "Close", "Compare", "Convert", "Copy", "Correct",
    "Count", "Exclude", "Give", "Install", "Keep", "Leave", "Limit", "Load", "Make", "Merge",
    "Name", "Pad", "Pass", "Plan", "Put", "Reduce", "Remove", "Round", "Run", "See", "Set",
    "Simulate", "Start", "State", "Take", "Try", "Use", "Write",
)  # fmt: skip
FILLED_IN = {"remedy", "fault_and_remedy", "_BUILT"}  # from elsewhere in the same module
REMEDY = re.compile(rf"(?:^|[.;:] |, so )(?:To [^,]*, )?(?:{'|'.join(VERBS)})\b", re.IGNORECASE)


def words_in(node: ast.expr) -> str:
    """Return the text of an expression, with "x" for what is filled in."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(map(words_in, values))
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name)) if name in FILLED_IN:
            return "Correct it."
        case ast.FormattedValue():
            return "x"
        case ast.Call(args=args):
            return " ".join(map(words_in, args))
        case ast.IfExp(body=body, orelse=orelse):
            # Both must have a remedy; the one without it decides.
            return min(words_in(body), words_in(orelse), key=lambda text: bool(REMEDY.search(text)))
        case _:
            return ""


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every error, except of those whose text is a variable."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
            text = " ".join(map(words_in, node.args)).strip()
            if re.search(r"\w{3}", text):
                yield node.lineno, text


def without_remedy(source: str) -> list[str]:
    return [f"{line}: {text}" for line, text in messages(source) if not REMEDY.search(text)]


@pytest.mark.parametrize(
    "source",
    [
        'raise TableError("Counts must be numbers.")',
        'raise TableError(f"No {leaf} has the code {code}.")',
        'raise ChoiceError(paragraph("It is wrong.", "It has 3."))',
        'raise ChoiceError("It is wrong." if one else "It is wrong. Correct it.")',
    ],
)
def test_an_error_without_a_remedy_is_seen(source: str) -> None:
    assert without_remedy(source)


@pytest.mark.parametrize(
    "source",
    [
        'raise TableError("Counts must be numbers. Correct the row.")',
        'raise TableError(f"{rule}; {region} has {value}. {remedy}")',
        'raise ChoiceError(paragraph("It is wrong.", "Give another one."))',
        "raise ChoiceError(message)",
    ],
)
def test_other_errors_are_left(source: str) -> None:
    assert not without_remedy(source)


@pytest.mark.parametrize(
    "path",
    [path for room in ROOMS for path in sorted((CORE / room).rglob("*.py"))],
    ids=lambda path: str(path.relative_to(CORE)),
)
def test_every_error_says_how_to_correct_it(path: Path) -> None:
    assert not without_remedy(path.read_text(encoding="utf-8"))


def test_the_walk_sees_most_errors() -> None:
    seen = [
        m
        for room in ROOMS
        for p in (CORE / room).rglob("*.py")
        for m in messages(p.read_text(encoding="utf-8"))
    ]
    assert len(seen) > 100
