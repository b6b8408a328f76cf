"""Tables as CSV. Names from users' own files are made harmless in cells and file names."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from hierdp_core.util.escaping import in_cell

_LONGEST_WORD = 40  # characters of up to 4 bytes; file systems allow names of 255 bytes


def csv_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV without formulas. All CSV is written here or by `write_csv`."""
    return str(defused(frame).to_csv(index=False, lineterminator="\n"))


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV without formulas."""
    defused(frame).to_csv(path, index=False)


def defused(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the same table, with texts that no spreadsheet runs as formulas.

    A text that starts like a formula gets an apostrophe before it, as spreadsheets mark text.
    Numbers are not changed.

    >>> defused(pd.DataFrame({"name": ["=1+1", "Ada"], "value": [-1, 2]})).values.tolist()
    [["'=1+1", -1], ['Ada', 2]]
    """
    safe = frame.copy()
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            safe[name] = frame[name].map(_in_cell, na_action="ignore")
    safe.columns = pd.Index([in_cell(str(name)) for name in frame.columns])
    return safe


def _in_cell(value: object) -> object:
    return in_cell(value) if isinstance(value, str) else value


def file_word(level: str) -> str:
    """Return the name of a level as a part of a file name.

    >>> file_word("NUTS 3 region"), file_word("../x")
    ('nuts-3-region', 'x')
    """
    word = "".join(c if c.isalnum() else "-" for c in level.lower()[:_LONGEST_WORD]).strip("-")
    return word or "level"


def file_words(levels: Sequence[str]) -> list[str]:
    """Return a part of a file name for each level, all of them different.

    >>> file_words(("2 x", "x", "x!"))
    ['2-x', 'x', '2-2-x']
    """
    words: list[str] = []
    for level, name in enumerate(levels):
        word = file_word(name)
        while word in words:
            word = f"{level}-{word}"
        words.append(word)
    return words
