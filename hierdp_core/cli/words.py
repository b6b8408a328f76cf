"""Helpers of all commands: building a parser, and reading the text of a flag."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings import Parser

NEEDS_MECHANISM = "A mechanism is needed. Give --mechanism ID, which `hierdp mechanisms` lists."
# For each kind of table, what is printed if no mechanism is named.
DEFAULT_MECHANISM = {
    "counts": "using {id}, the default for counts",
    "group-sizes": "using {id}, the default for group sizes, which treats the number of all groups "
    "as public",
    "flows": "using {id}, the default for flows, which treats the total as public unless "
    "neighbours=unbounded is given",
}
NEEDS_BUDGET = "A budget is needed. Give --epsilon, --epsilon with --delta, or --rho."
TABLE_AND_BUDGET = (
    "A table (--sample or --data) and a budget (--epsilon or --rho) are needed, here or in the "
    "settings file."
)
_KINDS_OF_FILES = frozenset(
    {".csv", ".html", ".json", ".md", ".parquet", ".pdf", ".png", ".svg", ".toml", ".tsv"}
    | {".xlsx", ".zip"}
)


class Command(Protocol):
    """Make the parser of one command, with --json.

    `do` runs the command, `old` is an old name, and `more` is added to its description.
    """

    def __call__(
        self,
        name: str,
        do: Callable[[argparse.Namespace], None],
        words: str,
        *,
        old: str = "",
        more: str = "",
    ) -> Parser: ...


def whole(flag: str, text: str, *, least: int, most: int = 1_000_000) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise ChoiceError(
            f'Give {flag} a whole number from {least} to {most:,}, without commas; got "{text}".'
        )
    return int(text)


def total_of(flags: argparse.Namespace) -> int | None:
    """Return the value of --total, which only --synthetic takes; None without it."""
    if flags.total is None:
        return None
    if not flags.synthetic:
        raise ChoiceError("--total requires --synthetic. Add --synthetic, or leave out --total.")
    if not re.fullmatch(r"[0-9]{1,13}", flags.total):
        raise ChoiceError(
            "Give --total a whole number from 0 to 9,999,999,999,999, without commas; got "
            f'"{flags.total[:20]}".'
        )
    return int(flags.total)


def listed(text: str | None) -> list[str]:
    return [] if text is None else [part.strip() for part in text.split(",")]


def given(**words: str | None) -> dict[str, str]:
    return {name: value for name, value in words.items() if value is not None}


def new_file(name: str | None, ending: str) -> Path | None:
    """Return the file of `--out`, if one is named.

    Args:
        name: as given.
        ending: of the kind that is written, such as ".csv".

    Raises:
        ChoiceError: the name ends like another kind of file, or its folder does not exist.
    """
    if name is None:
        return None
    out = Path(name)
    if out.suffix.lower() in _KINDS_OF_FILES - {ending}:
        raise ChoiceError(
            f"{out} ends in {out.suffix}, but this command writes no such file. Give a name that "
            f"ends in {ending}."
        )
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ChoiceError(f"{out} cannot be written. Name a file in a folder that exists.")
    return out
