"""The syntax of source texts, parsed once for all tests that read the project's own code."""

import ast
from functools import cache


@cache
def parsed(source: str) -> ast.Module:
    """Return the tree of a source text. Tests share it, so they must leave it as it is."""
    return ast.parse(source)


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a source text, in the order of `ast.walk`."""
    return tuple(ast.walk(parsed(source)))
