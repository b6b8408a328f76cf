"""Functions take few arguments, and option words become mechanisms where they come in."""

import ast
from collections.abc import Iterator
from pathlib import Path

from support.syntax import nodes

ROOT = Path(__file__).parents[2]
MOST = 11

# Functions with more arguments, each with its reason.
WIDE = {
    "hierdp_core/solvers/": "compiled kernels, which take arrays and no values",
    "hierdp_core/tables/group_sizes.py": "a frame has as many kinds of columns and nouns",
}
# Where option words are read and written.
OPTION_WORDS = {
    "hierdp_core/evaluation/comparison/cases.py",  # `--option` of several mechanisms
    "hierdp_core/mechanisms/registry.py",
    "hierdp_core/mechanisms/texts.py",
    "pages/ui/compare/address.py",
}


def functions(source: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a module, methods and inner functions included."""
    for node in nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """Its arguments, without the object or class of a method."""
    named = function.args
    every = [*named.posonlyargs, *named.args, *named.kwonlyargs]
    return [one for one in every if one.arg not in ("self", "cls")]


def wide(source: str) -> list[str]:
    """The functions with more than `MOST` arguments."""
    return [one.name for one in functions(source) if len(arguments(one)) > MOST]


def takes_option_words(source: str) -> bool:
    """Whether a function takes a mapping called `options`."""
    return any(
        argument.arg == "options"
        and argument.annotation is not None
        and "Mapping" in ast.unparse(argument.annotation)
        for function in functions(source)
        for argument in arguments(function)
    )


def sources() -> dict[str, str]:
    files = [*(ROOT / "hierdp_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    return {f.relative_to(ROOT).as_posix(): f.read_text(encoding="utf-8") for f in sorted(files)}


def test_the_walk_sees_them() -> None:
    named = ", ".join(f"a{k}" for k in range(MOST + 1))
    assert wide(f"class C:\n    def f(self, {named}): ...") == ["f"]
    assert wide("def f(a, *, b): ...") == []
    assert takes_option_words("def f(options: Mapping[str, str] | None = None): ...")
    assert not takes_option_words("def f(options: list[str]): ...")


def test_functions_take_few_arguments() -> None:
    found = {name: wide(source) for name, source in sources().items()}
    long = {name for name, functions in found.items() if functions}
    reasons = {place for place in WIDE if any(name.startswith(place) for name in long)}
    assert {name: found[name] for name in long if not name.startswith(tuple(WIDE))} == {}
    assert reasons == WIDE.keys()


def test_option_words_are_taken_where_they_come_in_and_nowhere_else() -> None:
    assert {n for n, source in sources().items() if takes_option_words(source)} == OPTION_WORDS
