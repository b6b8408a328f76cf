"""Lines below a table that are notes and not rows."""

import re
from collections.abc import Sequence, Set

import pyarrow as pa

from hierdp_core.readers.formats.cells import (
    LONG,
    LOOKED_AT,
    NUMBER,
    Row,
    filled,
    is_year,
)
from hierdp_core.readers.report import Notebook

_NOTE = re.compile(
    r"[(（\[【〔]?(source|sources|note|notes|footnote|quelle|hinweis|anmerkung|stand|fuente|nota|notas|fonte|"
    r"remarque|champ|lecture|bron|kalla|källa|kilde|copyright|©|\*|†|\([0-9a-z]\)|[0-9]\)|:|注|出典|資料|"
    r"prepared|compiled|produced|last updated?|generated|downloaded|extracted|data from|legend|"
    r"catatan|sumber|keterangan|dipnot|kaynak|zrodlo|źródło|uwaga|uwagi|zdroj|poznámka|poznamka|"
    r"lähde|huom|bemærk|merknad|anm|opmerking|forrás|megjegyzés|sursa|notă|извор|источник|"
    r"примечание|джерело|примітка|πηγή|σημείωση|nguồn|ghi chú|ที่มา|หมายเหตุ|자료|자료출처|주|출처|"
    r"المصدر|ملاحظة|ملاحظات|chanzo|symbols?)([\s:：.=*)）\]】〕]|$)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://|www[.]", re.IGNORECASE)
_LEGEND = re.compile(r"\S{1,5} ?[=:] ?\w.*")  # a symbol and what it means
_LABELLED = re.compile(r"[^\W\d_][^:：]{1,24}[:：] ?[^\W\d_].*")  # "Data from: the census"
_COUNTED = re.compile(r"[^\W\d_][^:：]{1,40}[:：] ?[0-9][0-9.,' ]*")  # "Number of persons: 172"
_SENTENCE = re.compile(r"\S+(\s+\S+){2,}[.。]")
_WIDE = 6  # columns, of which a line such as "Headcount, 417" fills two


def opens_as_note(text: str) -> bool:
    """Return whether a line begins like a source or a footnote."""
    return bool(_NOTE.match(text.strip()))


def is_note(text: str) -> bool:
    """Return whether a line below a table is a source, a footnote or a sentence.

    >>> is_note("Source: Office for Statistics"), is_note("（注）暫定値"), is_note("Sourceton")
    (True, True, False)
    """
    return opens_as_note(text) or len(text.strip()) > LONG


def without_notes(
    columns: Sequence[pa.Array], notes: Notebook, numbers: Sequence[int] = ()
) -> tuple[int, list[pa.Array]]:
    """Return the number of rows without the notes at the end, and the columns of these rows.

    Args:
        columns: the columns below the header, each of shape (n_rows,).
        notes: receives the correction.
        numbers: the numbers of the rows in the file, if blank rows were skipped.
    """
    n_rows = len(columns[0]) if columns else 0
    if len(columns) < 2:
        return n_rows, list(columns)
    tail = min(n_rows, LOOKED_AT)
    cells = list(zip(*(c.slice(n_rows - tail).to_pylist() for c in columns), strict=True))
    last = len(cells)
    cut = last
    gaps = {k for k in range(1, last) if numbers and numbers[k - last] - numbers[k - last - 1] > 1}
    while last and (not filled(cells[last - 1]) or _below_the_table(cells, last - 1, gaps)):
        last -= 1
        cut = last if filled(cells[last]) else cut
    if not notes.confidential:  # one record would decide what those before it are
        cut = min(cut, _after_the_last_gap(cells, gaps))
    removed = sum(bool(filled(row)) for row in cells[cut:])
    if not removed:
        return n_rows, list(columns)
    notes.left_out += cells[cut:]
    lines = f"{removed} line{'s' * (removed > 1)}"
    notes.repair("notes-below", f"{lines} of notes below the table {_were(removed)} left out")
    kept = n_rows - tail + cut
    return kept, [column.slice(0, kept) for column in columns]


def _follows_a_gap(cells: Sequence[Row], place: int, gaps: Set[int]) -> bool:
    return place in gaps or (place > 0 and not filled(cells[place - 1]))


def _after_the_last_gap(cells: Sequence[Row], gaps: Set[int]) -> int:
    """Return where lines of one text each begin after a blank row, if one of them is a note."""
    start = len(cells)
    while start and filled(cells[start - 1]) == 1 and cells[start - 1][0].strip():
        start -= 1
        if _follows_a_gap(cells, start, gaps):
            notes = [row[0].strip() for row in cells[start:]]
            return (
                start
                if any(is_note(text) or _ADDRESS.match(text) for text in notes)
                else len(cells)
            )
    return len(cells)


def _were(n: int) -> str:
    return "were" if n > 1 else "was"


def _below_the_table(cells: Sequence[Row], place: int, gaps: Set[int]) -> bool:
    row = cells[place]
    text = row[0]
    if not text.strip():  # a note begins where rows do
        return False
    if _NOTE.match(text.strip()) and not _ends_in_a_count(row):
        return True
    after_blank = _follows_a_gap(cells, place, gaps)
    if after_blank and filled(row) == 2 and len(row) >= _WIDE:
        return True
    return filled(row) == 1 and (after_blank or is_note(text) or _unlike_names(cells, text))


def _unlike_names(cells: Sequence[Row], text: str) -> bool:
    """Return whether a text is a legend or a sentence, or has a label with a colon."""
    names = [row[0].strip() for row in cells if filled(row) > 1]
    return any(
        pattern.fullmatch(text.strip()) and not any(map(pattern.fullmatch, names))
        for pattern in (_LEGEND, _LABELLED, _COUNTED, _SENTENCE)
    )


def _ends_in_a_count(row: Row) -> bool:
    """Return whether the last cell is a count, such as that of a region "Notes", not a year."""
    last = row[-1].strip()
    return bool(NUMBER.fullmatch(last)) and not is_year(last)
