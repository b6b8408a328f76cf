"""Thousands separators in a column of counts, removed where they can be nothing else."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import BoolArray
from hierdp_core.util.text import join_and

THOUSANDS = {",": "comma", ".": "point", " ": "blank", "'": "apostrophe", "_": "underscore"}
_MANY = 10
_INDIAN = r"^[0-9]{1,2}(,[0-9]{2})+,[0-9]{3}([.]0+)?$"


def without_thousands(sheet: Sheet, name: str, text: Any, notes: Notebook, stated: str) -> Any:
    """Return `text` without thousands separators, where they can only be such.

    A column may hold several separators, if files of several offices were combined. After the
    first separator, a comma or a point is one only if it occurs twice in some number, which a
    decimal mark never does.
    """
    text = pc.replace_substring_regex(text, "[\u00a0\u202f\u2009\u2007’]", " ")
    found: list[str] = []
    for mark in [stated] if stated else THOUSANDS:
        grouped = _grouped(text, mark)
        if not grouped.any():
            continue
        if not stated and not _surely_thousands(sheet, text, grouped, mark):
            continue
        if found and mark in ",." and not _twice(text, mark).any():
            continue
        found.append(mark)
        text = pc.if_else(pa.array(grouped), pc.replace_substring(text, mark, ""), text)
    if found:
        marks = join_and([f"a {THOUSANDS.get(mark, mark)}" for mark in found])
        notes.repair(
            "thousands",
            f"in column {shown_code(name)} {marks} between digits was read as a thousands "
            "separator",
        )
    return text


def _grouped(text: Any, mark: str) -> BoolArray:
    pattern = rf"^[0-9]{{1,3}}([{mark}][0-9]{{3}})+([.,]0+)?$"
    grouped = as_mask(pc.match_substring_regex(text, pattern))
    return grouped | (_indian(text) if mark == "," else False)


def _twice(text: Any, mark: str) -> BoolArray:
    """Return where a mark stands twice between the digits of a number, as in 1,234,567."""
    twice = as_mask(pc.match_substring_regex(text, rf"[{mark}][0-9]{{3}}[{mark}]"))
    return twice | (_indian(text) if mark == "," else False)


def _indian(text: Any) -> BoolArray:
    """Return where lakhs are set off, as in 12,34,567: no decimal comma is written so."""
    return as_mask(pc.match_substring_regex(text, _INDIAN))


def _surely_thousands(sheet: Sheet, text: Any, grouped: BoolArray, mark: str) -> bool:
    """Return whether `mark` cannot be a decimal mark, by its kind or since a number has two."""
    others = ~grouped & ~as_mask(pc.match_substring_regex(text, r"^[0-9]*$"))
    if others.any():  # the same mark splits off other than three digits somewhere
        fraction = as_mask(pc.match_substring_regex(text, rf"^[0-9]*[{mark}][0-9]+$"))
        if (others & fraction).any():
            return False
    if mark in " '_" or _twice(text, mark).any():
        return True
    if as_mask(pc.match_substring_regex(text, rf"^[0-9]{{1,3}}[{mark}]000$"))[grouped].all():
        return False  # 5.000 may be 5, as programs write it with three decimals
    # One comma in a file of commas stood in quotes, as a thousands comma does. A file of
    # semicolons leaves the comma to decimals; many numbers with three digits after the point
    # are thousands there.
    if mark == "," and sheet.separator in (",", "\t", "|"):
        return True
    return mark == "." and sheet.separator == ";" and int(grouped.sum()) >= _MANY
