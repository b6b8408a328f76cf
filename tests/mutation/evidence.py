"""What one test rests on: its own code, and the code in `tests` that it names.

A result then outlives changes to other tests of the same file, and to helpers that its test does
not use. Names are followed without regard to scope, so a test has rather too much code than too
little.
"""

import ast
import hashlib
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from mutation.code_text import code_lines

Read: TypeAlias = Callable[[str], str | None]  # the text of a file of the repository, if it exists
WHOLE = "*"


class Evidence:
    """Identifies the code behind a test: `key` returns twelve digits for it.

    Args:
        read: returns the text of a file, given its path from the root of the repository, or None
            if there is no such file.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._module = cache(self._parsed)
        self.key = cache(self._key)

    def _key(self, test: str) -> str | None:
        """Return twelve digits for a test such as "tests/noise/test_noise.py::test_sum[3]".

        None if the test no longer exists. For a doctest they stand for its text.
        """
        file, _, name = test.partition("::")
        if not file.startswith("tests/"):
            text = self._doctest(file, name)
            return None if text is None else _digits([text])
        module = self._module(file)
        name = name.partition("[")[0].partition("::")[0]
        if module is None or name not in module.definitions:
            return None
        return _digits(sorted({f"{part}\0{text}" for part, text in self._behind(file, name)}))

    def _behind(self, file: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield the file and the text of each statement that belongs to the test."""
        shared = {(f"{folder}/conftest.py", "") for folder in PurePosixPath(file).parents}
        seen, new = set(), {(file, name), *shared}
        while new:
            here = new.pop()
            seen.add(here)
            module = self._module(here[0])
            if module is None:
                continue
            for statement in module.statements(here[1]):
                yield here[0], module.text(statement)
                for word in _words(statement):
                    new |= self._places(here[0], module, word) - seen

    def _places(self, file: str, module: "_Module", word: str) -> set[tuple[str, str]]:
        """Return where a name in a file may come from, among the files of `tests`."""
        found = {(file, word)} if word in module.definitions else set()
        for dotted, name in module.imports.get(word, ()):
            path = f"tests/{dotted.replace('.', '/')}"
            if self._module(f"{path}.py"):
                found.add((f"{path}.py", name))
            elif self._module(f"{path}/{name}.py"):
                found.add((f"{path}/{name}.py", WHOLE))
            else:
                found.add((f"{path}/__init__.py", name))
        for folder in PurePosixPath(file).parents:
            shared = self._module(f"{folder}/conftest.py")
            if shared and word in shared.definitions:
                found.add((f"{folder}/conftest.py", word))
        return found

    def _doctest(self, file: str, name: str) -> str | None:
        source = self._read(file)
        if source is None:
            return None
        node: ast.AST = ast.parse(source)
        dotted = ".".join(PurePosixPath(file).with_suffix("").parts).removesuffix(".__init__")
        for step in filter(None, name.removeprefix(dotted).split(".")):
            inside = [
                child
                for child in ast.walk(node)
                if isinstance(child, ast.ClassDef | ast.FunctionDef) and child.name == step
            ]
            if not inside:
                return None
            node = inside[0]
        return ast.get_docstring(node)

    def _parsed(self, file: str) -> "_Module | None":
        source = self._read(file)
        return None if source is None else _Module(source)


def evidence_in(root: Path) -> Evidence:
    """Return what identifies the code behind tests as it is on disk now."""

    def read(file: str) -> str | None:
        path = root / file
        return path.read_text(encoding="utf-8") if path.is_file() else None

    return Evidence(read)


class _Module:
    """The top-level statements of a file.

    Attributes:
        definitions: those that define a name.
        imports: the modules and the names in them that an imported name may stand for.
    """

    def __init__(self, source: str) -> None:
        self._lines = code_lines(source)
        self.definitions: dict[str, list[ast.stmt]] = {}
        self.imports: dict[str, list[tuple[str, str]]] = {}
        self._always: list[ast.stmt] = []
        self._all: list[ast.stmt] = []
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._add_imports(node)
        for statement in tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                continue
            self._all.append(statement)
            names = _defined(statement)
            for name in names:
                self.definitions.setdefault(name, []).append(statement)
            if not names or "pytestmark" in names or _acts_unasked(statement):
                self._always.append(statement)

    def statements(self, name: str) -> list[ast.stmt]:
        """Return what defines a name, and what takes effect whenever the file is used."""
        if name == WHOLE:
            return self._all
        return [*self.definitions.get(name, ()), *self._always]

    def text(self, statement: ast.stmt) -> str:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(node.lineno for node in decorators)])
        kept = [line.rstrip() for line in self._lines[first - 1 : statement.end_lineno]]
        return textwrap.dedent("\n".join(filter(None, kept)))

    def _add_imports(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                bound, origin = alias.asname or alias.name.partition(".")[0], (alias.name, WHOLE)
            else:
                bound, origin = alias.asname or alias.name, (statement.module or "", alias.name)
            self.imports.setdefault(bound, []).append(origin)


def _defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds outside functions and classes."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _acts_unasked(statement: ast.stmt) -> bool:
    """Return whether pytest calls a function without a test that names it."""
    if not isinstance(statement, ast.FunctionDef):
        return False
    marks = " ".join(ast.unparse(node) for node in statement.decorator_list)
    return "autouse=True" in marks or statement.name.startswith(("pytest_", "setup_", "teardown_"))


def _words(statement: ast.stmt) -> set[str]:
    """Return names, parameters, and strings, which may name fixtures, in a statement."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def _digits(texts: list[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
