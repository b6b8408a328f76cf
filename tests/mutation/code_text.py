"""Source code without what only people read, so that a better comment costs no new run."""

import ast
import io
import tokenize
from functools import cache

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def code_lines(source: str) -> list[str]:
    """Return the lines of a source as they are, but without comments and docstrings.

    A line that holds nothing else is "\\n". There are as many lines as before.
    """
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip() + "\n"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            for row in range(text.lineno, text.end_lineno + 1):
                lines[row - 1] = "\n"
    return [line if line.strip() else "\n" for line in lines]


@cache
def code_text(source: str) -> str:
    """Return the lines that hold code."""
    return "\n".join(line.rstrip() for line in code_lines(source) if line != "\n")
