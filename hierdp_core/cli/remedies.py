"""Remedies in messages, as the reader of a terminal can follow them.

Messages of the core state column settings as in a settings file, and may name a control of the
app or an argument in Python beside a flag. Here they are rewritten for the place where the setting
is given: with --column, or in a settings file.
"""

import argparse
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from hierdp_core.util.escaping import json_text
from hierdp_core.util.text import join_or

_TEXT = r'"(?:[^"\\]|\\.)*"'
_VALUE = rf'{_TEXT}|\[(?:{_TEXT}|[^\]"])*\]|true\b|false\b|\d+\b'
_BACKSLASH = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})?')
_FLAG = re.compile(r"--column (?:'(\w+)=([^']*)'|(\w+)=((?:[^\s,;()]|,(?=\S))*[^\s,;().]))")
# What a message names beside a flag, for readers of the app or of Python.
_ELSEWHERE = (
    (r"\((--[^()]*?)(?:, \w+=\w+ in Python)?, or (?:“[^”]*”|the box) on the page [^().]+\)",
     r"(\1)"),
    (r", or with “[^”]*” on the page [A-Z][a-z ]+", ""),
    (r"(--[\w-]+(?: [A-Z]+)?|set-budget on the command line), or [\w.]+(?:=\w+)? in Python", r"\1"),
    (r" on the command line", ""),
)  # fmt: skip


def here(text: str) -> str:
    """Return a message without the controls of the app and the arguments in Python.

    >>> here("Give a list (--regions FILE, or “List of areas” on the page Your data).")
    'Give a list (--regions FILE).'
    """
    for pattern, words in _ELSEWHERE:
        text = re.sub(pattern, words, text)
    return text


def as_flags(text: str) -> str:
    """Return a message with its column settings as flags of the command line.

    >>> as_flags('You can set missing = "zero" or "left out".')
    "You can set --column missing=zero or --column 'missing=left out'."
    >>> as_flags('Give levels = ["state", "county"].')
    'Give --column levels=state,county.'
    """
    return _rewritten(here(text), lambda name, values: join_or(_flags(name, values)))


def as_settings(text: str) -> str:
    """Return a message with its column settings as lines of a settings file.

    >>> as_settings("State one (--column largest=N).")
    'State one (largest = N below [columns]).'
    """
    return _FLAG.sub(_line, here(text))


def remedies_of(flags: argparse.Namespace) -> Callable[[str], str]:
    """Return the function that rewrites messages for the place where these flags state columns."""
    file = getattr(flags, "config", None) or getattr(flags, "settings", None)
    with_flags = getattr(flags, "column", None)

    def rewritten(text: str) -> str:
        in_file = file and (text.startswith(f"{file}: ") or not with_flags)
        return as_settings(text) if in_file else as_flags(text)

    return rewritten


def _names() -> Mapping[str, object]:
    from dataclasses import fields

    from hierdp_core.readers.columns.layout import Layout

    return {field.name: field.default for field in fields(Layout)}


def _rewritten(text: str, written: Callable[[str, list[str]], str]) -> str:
    if " = " not in text:
        return text
    statement = re.compile(
        rf"\b({'|'.join(_names())}) = ({_VALUE})((?: or (?:{_VALUE})(?! = ))*)", re.DOTALL
    )

    def one(match: re.Match[str]) -> str:
        try:
            return written(match[1], [match[2], *re.findall(_VALUE, match[3])])
        except json.JSONDecodeError:  # a name with a quotation mark
            return match[0]

    return statement.sub(one, text)


def _flags(name: str, values: list[str]) -> list[str]:
    from hierdp_core.readers.columns.question import Choice

    flags = []
    for value in values:
        if "…" in value or "..." in value:
            flags.append(f"--column {name}=…")
            continue
        flag = Choice(words="", stated={name: _parsed(value)}).flags
        # A sentence may go on with a full stop or a comma.
        clear = flag[-1].isalnum() or flag.endswith("'")
        flags.append(flag if clear else flag.replace(f"{name}=", f"'{name}=", 1) + "'")
    return flags


def _parsed(value: str) -> Any:
    # A name in a file may hold a backslash that begins no escape.
    escaped = _BACKSLASH.sub(lambda match: match[0] if match[1] else "\\\\", value)
    parsed = json.loads(escaped, strict=False)
    return tuple(parsed) if isinstance(parsed, list) else parsed


def _line(match: re.Match[str]) -> str:
    name, value = (match[1], match[2]) if match[1] else (match[3], match[4])
    default = _names().get(name, "")
    plain = value == "…" or isinstance(default, bool | int)
    if isinstance(default, tuple) and not plain:
        stated = "[" + ", ".join(json_text(part) for part in value.split(",")) + "]"
    else:
        stated = value if plain else json_text(value)
    return f"{name} = {stated} below [columns]"
