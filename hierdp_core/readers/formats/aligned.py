"""Tables of text whose columns are aligned by blanks, without a separator between cells."""

import re
from collections.abc import Sequence

import numpy as np

from hierdp_core.readers.formats.cells import NUMBER

_LEAST_LINES = 4
_MOST_CELLS = 50_000_000  # letters of all lines together, blanks at their ends included
_SEEMS = re.compile(r"\S {2,}[0-9][0-9.,]*( |$)")  # a number in a column of its own


def with_tabs(text: str) -> tuple[str, int]:
    """Return the text with a tab between its columns, and the number of columns.

    The columns must be clear: between two of them stand two blanks or more in every line, or one
    before a column of numbers; each has a name in the first line, and one holds numbers alone.
    Otherwise, the text stays as it is, and the number is 0.

    >>> with_tabs("area    n\\nAsh   120\\nElm     9\\nOak    31\\n")
    ('area\\tn\\nAsh\\t120\\nElm\\t9\\nOak\\t31\\n', 2)
    """
    lines = text.splitlines()
    filled = [line for line in lines if line.strip()]
    width = max(map(len, filled), default=0)
    if len(filled) < _LEAST_LINES or '"' in text or width * len(filled) > _MOST_CELLS:
        return text, 0
    starts = _starts(filled, width)
    if len(starts) < 2:
        return text, 0
    rows = [_cells(line, starts) for line in lines]
    body = [row for row, line in zip(rows, lines, strict=True) if line.strip()][1:]
    header = next(row for row, line in zip(rows, lines, strict=True) if line.strip())
    if not all(header) or not all(row[-1] for row in body):
        return text, 0
    if not any(_numbers(cells) for cells in zip(*body, strict=True)):
        return text, 0
    return "".join("\t".join(row).rstrip("\t") + "\n" for row in rows), len(starts)


def seems_aligned(lines: Sequence[str]) -> bool:
    """Return whether most lines hold numbers after several blanks.

    >>> seems_aligned(["Ash  120", "Elm    9"]), seems_aligned(["Ash 120", "Elm 9"])
    (True, False)
    """
    return 2 * sum(bool(_SEEMS.search(line)) for line in lines) > len(lines) > 1


def _starts(lines: Sequence[str], width: int) -> list[int]:
    """Return the positions at which columns begin."""
    blank = np.ones(width, dtype=np.bool_)
    for line in lines:
        letters = np.frombuffer(line.ljust(width).encode("utf-32-le"), dtype=np.uint32)
        blank &= letters == ord(" ")
    edges = np.flatnonzero(np.diff(np.concatenate([[True], blank, [True]]).astype(np.int8)))
    runs = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
    starts: list[int] = []
    for place, (begin, end) in enumerate(runs):
        gap = begin - runs[place - 1][1] if place else 0
        cells = [line[begin:end].strip() for line in lines[1:]]
        if not place or gap > 1 or _numbers(cells):
            starts.append(begin)
    return [0, *starts[1:]] if starts else []


def _cells(line: str, starts: Sequence[int]) -> list[str]:
    ends = [*starts[1:], len(line)]
    return [line[begin : max(end, begin)].strip() for begin, end in zip(starts, ends, strict=True)]


def _numbers(cells: Sequence[str]) -> bool:
    """Return whether all filled cells are numbers."""
    known = [cell for cell in cells if cell]
    return bool(known) and all(NUMBER.fullmatch(cell) for cell in known)
