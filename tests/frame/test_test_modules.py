"""Tests depend on nothing that another test has changed."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.syntax import nodes, parsed

TESTS = Path(__file__).parents[1]
MODULES = sorted(TESTS.rglob("test_*.py"))


def shared_generators(source: str) -> Iterator[str]:
    """Random generators of a module that functions use: each result depends on those before."""
    tree = parsed(source)
    shared = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if ast.unparse(node.value.func).endswith("default_rng")
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for function in nodes(source):
        if isinstance(function, ast.FunctionDef):
            used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            yield from sorted(f"{function.name}: {name}" for name in used & shared)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("def test_a():\n    assert rng.integers(2) < 2", ["test_a: rng"]),
        ("VALUES = rng.integers(2, size=9)\ndef test_a():\n    assert VALUES.size == 9", []),
        ("def test_a():\n    rng = 1\n    assert rng", ["test_a: rng"]),
    ],
)
def test_the_walk_sees_shared_generators(body: str, found: list[str]) -> None:
    source = f"rng = np.random.default_rng(3)\n{body}"
    assert [*shared_generators(source)] == found


def test_no_test_uses_a_generator_that_other_tests_use() -> None:
    found = [
        f"{path.relative_to(TESTS)}: {use}"
        for path in MODULES
        for use in shared_generators(path.read_text(encoding="utf-8"))
    ]
    assert not found
