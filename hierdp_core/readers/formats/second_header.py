"""Tables whose first row belongs to the header: it repeats names, or names levels or units."""

import re
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.vocabulary import COUNT, LABELS, LEVEL_WORDS, plain_name
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask, bare_name
from hierdp_core.readers.report import Notebook, shown_codes

_UNNAMED = re.compile(r"column [0-9]+")
_PLACE = re.compile(r" \(column [0-9]+\)$")
_NUMBER = r"^[+-]?[0-9][0-9.,' ]*%?$"
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[^\W\d_]{2}[^()\[\]]*[)\]]")
_UNITS = COUNT | LABELS | {"units", "percent", "pct", "stuck", "unit"}
_LEAST_REPEATED = 2
_LEAST_NUMERIC = 0.5


def with_second_header(sheet: Sheet, notes: Notebook) -> Sheet:
    """Return the sheet with its first row moved into the header, if it belongs there."""
    if sheet.n_rows < 2 or sheet.partial:
        return sheet
    cells = [column[0].as_py() for column in sheet.columns]
    names = _repeated(sheet, cells) or _of_an_index(sheet, cells) or _of_units(sheet, cells)
    if names is None or len(set(names)) < len(names):
        return sheet
    notes.left_out.append(tuple(cells))
    shown = shown_codes([cell for cell in cells if cell], shown=4)
    notes.repair("second-header", f"the first row ({shown}) was read as part of the header")
    left = sheet.take(np.arange(sheet.n_rows) > 0)
    pairs = zip(sheet.names, names, strict=True)
    renamed = dict(pairs)
    indents = {renamed[name]: depth for name, depth in left.indents.items()}
    return replace(left, names=tuple(names), indents=indents)


def _repeated(sheet: Sheet, cells: list[str]) -> list[str] | None:
    """Return the new names if the first row repeats some names and completes others, else None."""
    bare = [_PLACE.sub("", name) for name in sheet.names]
    same = sum(
        bool(cell) and bare_name(cell) == name for cell, name in zip(cells, bare, strict=True)
    )
    numeric = any(re.match(_NUMBER, cell) for cell in cells)
    if same < _LEAST_REPEATED or numeric:
        return None
    return [
        name if not cell or bare_name(cell) == own else f"{own} {bare_name(cell)}"
        for cell, own, name in zip(cells, bare, sheet.names, strict=True)
    ]


def _of_an_index(sheet: Sheet, cells: list[str]) -> list[str] | None:
    """Return the new names if the first row names columns that have none, else None."""
    filled = [bool(cell) for cell in cells]
    n_named = filled.index(False) if False in filled else len(cells)
    unnamed = any(_UNNAMED.fullmatch(name) for name in sheet.names[:n_named])
    if not 0 < n_named < len(cells) or any(filled[n_named:]) or not unnamed:
        return None
    words = [cell.split()[-1].lower() for cell in cells[:n_named]]
    if not any(word in LEVEL_WORDS for word in words):
        return None
    if not all(map(_holds_numbers, sheet.columns[n_named:])):
        return None
    return [*map(bare_name, cells[:n_named]), *sheet.names[n_named:]]


def _of_units(sheet: Sheet, cells: list[str]) -> list[str] | None:
    """Return the new names if the first row only states levels and units, else None.

    Examples are "(state)" and "(number)", or the same words without brackets. The name of a level
    is added to that of its column.
    """
    filled = [cell for cell in cells if cell]
    bracketed = all(map(_BRACKETS.fullmatch, filled))
    words = [plain_name(cell) for cell in cells]
    if not filled or not (bracketed or {*words} <= _UNITS | LEVEL_WORDS | {""}):
        return None
    numbers = [_holds_numbers(column) for column in sheet.columns]
    known = all(
        not word or word in (_UNITS if number else LEVEL_WORDS | LABELS)
        for word, number in zip(words, numbers, strict=True)
    )
    units = any(word and number for word, number in zip(words, numbers, strict=True))
    levels = any(word in LEVEL_WORDS for word in words)
    if not any(numbers) or not ((bracketed and (units or levels)) or (known and units and levels)):
        return None
    return [
        f"{name} ({cell.strip('()[] ')})" if word in LEVEL_WORDS and not number else name
        for name, cell, word, number in zip(sheet.names, cells, words, numbers, strict=True)
    ]


def _holds_numbers(column: Text) -> bool:
    """Return whether at least half of the filled cells below the first row are numbers."""
    rest = column.slice(1)
    there = as_mask(pc.not_equal(rest, ""))
    numbers = as_mask(pc.match_substring_regex(rest, _NUMBER))
    return bool(there.any()) and float(numbers[there].mean()) >= _LEAST_NUMERIC
