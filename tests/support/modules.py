"""Modules for processes of the reader to run instead of it."""

import textwrap
from pathlib import Path


def written_module(folder: Path, code: str) -> str:
    """Write a module with `code` in its function, and return the function, "module:function"."""
    file = folder / f"instead{len(list(folder.glob('instead*.py')))}.py"
    file.write_text("def run():\n" + textwrap.indent(code, "    "), encoding="utf-8")
    return f"{file.stem}:run"
