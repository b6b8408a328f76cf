"""Every error that a person can meet ends with what to do, in every room of the core."""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from support.syntax import nodes, parsed
from support.voice import ROOT

from hierdp_core import exceptions

CORE = ROOT / "hierdp_core"
FILES = sorted(CORE.rglob("*.py"))
KINDS = {name for name, kind in vars(exceptions).items() if inspect.isclass(kind)}
KINDS |= {"PlanningStopped"}
VERBS = (
    "Add", "Allow", "Ask", "Build", "Change", "Check", "Choose", "Close", "Compare", "Convert",
    "Copy", "Correct", "Count", "Create", "Divide", "Download", "Enter", "Exclude", "Fill",
    "Get", "Give", "Group", "Install", "Keep", "Label", "Leave", "Limit", "List", "Load",
    "Look", "Make", "Merge", "Move", "Name", "Open", "Pack", "Pad", "Pass", "Paste", "Plan", "Put",
    "Raise", "Read", "Reduce", "Remove", "Rename", "Repeat", "Report", "Restore", "Round", "Run",
    "Save", "See", "Select", "Set", "Simplify", "Simulate", "Start", "State", "Take", "Try",
    "Unpack", "Upload", "Use", "Write", "Zip",
)  # fmt: skip
# Names and functions whose text ends with a remedy.
FILLED_IN = {
    "remedy", "fault_and_remedy", "same", "_BUILT", "_RESTORE", "_known_options", "no_area",
    "no_column", "_damaged", "lost",
    "_instead",
}  # fmt: skip
# After a sentence, a part of one, or a whole sentence that is filled in ("x").
REMEDY = re.compile(
    r"(?:^ *|[.;:?] +|, so |\bx (?-i:(?=[A-Z])))"
    rf"(?:(?:To|For|If) [^,]*, (?:you can )?|Or )?(?:{'|'.join(VERBS)})\b",
    re.IGNORECASE,
)


def constants_of(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the texts that a module names at its top."""
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def words_in(node: ast.expr, constants: Mapping[str, ast.expr]) -> str:
    """Return the text of an expression, with "x" for what is filled in."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(words_in(value, constants) for value in values)
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name)) if name in FILLED_IN:
            return ". Correct it."
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name)) if name in constants:
            return words_in(constants[name], constants)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in FILLED_IN:
            return ". Correct it."
        case ast.FormattedValue(value=ast.Call(func=ast.Name(id=name))) if name in FILLED_IN:
            return ". Correct it."
        case ast.FormattedValue():
            return "x"
        case ast.Call(func=ast.Attribute(value=text, attr="format")):
            return words_in(text, constants)
        case ast.Call(args=args):
            return " ".join(words_in(arg, constants) for arg in args)
        case ast.IfExp(body=body, orelse=orelse):
            # Both must have a remedy; the one without it decides.
            either = words_in(body, constants), words_in(orelse, constants)
            return min(either, key=lambda text: bool(REMEDY.search(text)))
        case _:
            return ""


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every error, except of those whose text is a variable.

    An error in a file has its remedy in an argument of its own: see `Notebook.fault`.
    """
    tree = parsed(source)
    constants = constants_of(tree)
    for node in nodes(source):
        match node:
            case ast.Call(func=ast.Name(id=name), args=args) if name in KINDS:
                text = " ".join(words_in(arg, constants) for arg in args).strip()
            case ast.Call(func=ast.Attribute(attr="fault" | "unreadable"), args=[_, what, *rest]):
                named = [word.value for word in node.keywords if word.arg == "remedy"]
                text = " ".join(words_in(part, constants) for part in [*rest[:1], *named])
                known = isinstance(what, ast.Constant | ast.JoinedStr)
                if known and not rest and not named:
                    text = words_in(what, constants)
            case _:
                continue
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
        'WRONG = "It is wrong."\nraise ChoiceError(WRONG)',
        'WRONG = "{name} is wrong."\nraise ChoiceError(WRONG.format(name=name))',
        'notes.fault("blank", "a count is blank")',
        'raise notes.unreadable("blank", "is blank", "It has 3.")',
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
        'notes.fault("blank", "a count is blank", "Enter the count.")',
        'notes.fault("blank", what, remedy)',
    ],
)
def test_other_errors_are_left(source: str) -> None:
    assert not without_remedy(source)


@pytest.mark.parametrize(
    "path",
    FILES,
    ids=lambda path: str(path.relative_to(CORE)),
)
def test_every_error_says_how_to_correct_it(path: Path) -> None:
    assert not without_remedy(path.read_text(encoding="utf-8"))


def test_the_walk_sees_most_errors() -> None:
    seen = [m for path in FILES for m in messages(path.read_text(encoding="utf-8"))]
    assert len(seen) > 400
