"""Where a table begins: titles above it, its header of one row or more, and notes below it."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

import pyarrow as pa

from hierdp_core.readers.columns.vocabulary import CATEGORY, MISSING, plain_name
from hierdp_core.readers.report import Notebook, Unreadable

Row = Sequence[str]

ROW_NAMES = "row_names"  # what the column is called that R writes without a name
NUMBER = re.compile(r"[+\-−]?[0-9][0-9.,' \u00a0\u202f]*([eE][+-]?[0-9]+)?%?")
_DATE = r"[0-3]?[0-9][./-][0-3]?[0-9][./-](19|20)[0-9]{2}|(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]"
_YEAR = re.compile(rf"(19|20)[0-9]{{2}}|{_DATE}")  # what names a column as a time
_NOTE = re.compile(
    r"(source|sources|note|notes|footnote|quelle|hinweis|anmerkung|stand|fuente|nota|notas|fonte|"
    r"remarque|champ|lecture|bron|kalla|källa|kilde|copyright|©|\*|†|\([0-9a-z]\)|[0-9]\)|:|注|出典|資料|"
    r"last updated?|generated|downloaded|extracted|data from|legend|symbols?)([\s:：.=*)]|$)",
    re.IGNORECASE,
)
_LEGEND = re.compile(r"\S{1,5} ?[=:] ?\w.*")  # a symbol and what it means
_LONG = 40  # letters of a line that is a sentence and no name
_LOOKED_AT = 50  # rows below a header
_MOST_HEADER = 6  # rows of a header
_HEADINGS = 3  # rows without numbers between a header and the first row of numbers
_AXIS_WORDS = 3  # of a name that only says how columns are told apart
_WIDE = 6  # columns, of which a line such as "Headcount, 417" fills two
_LEAST_NUMBERED = 3  # columns that a row may number
_VALUE = re.compile(rf"{NUMBER.pattern}( ?[a-z]{{1,3}}\)?)?")
_MARK = re.compile(
    rf"{MISSING}|\(?[A-Za-z]\)?|confidential|suppressed|withheld|secret|missing|unknown|"
    r"not available|not applicable|no data|geheim|vertraulich|confidentiel|secreto|nicht verfügbar",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Header:
    """The names of the columns, and where they stand.

    Attributes:
        names: of the columns.
        preamble: rows above the table that are left out.
        rows: of the header itself; 0 where there is none.
    """

    names: tuple[str, ...]
    preamble: int
    rows: int = 1


def header_of(rows: Sequence[Row], notes: Notebook) -> Header:
    """The header of a table, given its first rows.

    Raises:
        Unreadable: the header is wider or narrower than the rows below it.
    """
    width = usual_width(rows)
    block = block_of(rows, width)
    trial = Notebook(notes.file)
    try:
        header = _short_header(rows, width, trial)
    except Unreadable:
        if block is None:
            raise
        header = None
    if block is not None and (header is None or block.rows > header.rows):
        header = block
        _tell_preamble(block.preamble, notes)
        if block.rows > 1:
            _tell_several(block.rows, notes)
    else:
        assert header is not None
        notes.findings += trial.findings
    return _without_numbers(header, rows, notes)


def _without_numbers(header: Header, rows: Sequence[Row], notes: Notebook) -> Header:
    """The header with a row below it that numbers the columns, as printed tables have."""
    place = header.preamble + header.rows
    cells = [cell.strip().strip("()[]") for cell in rows[place]] if place < len(rows) else []
    numbers = [str(k) for k in range(1, len(cells) + 1)]
    if (
        header.rows == 0
        or len(cells) < _LEAST_NUMBERED
        or cells not in (numbers, ["A", *numbers[:-1]])
    ):
        return header
    notes.repair("column-numbers", "a row that numbers the columns was left out")
    return replace(header, rows=header.rows + 1)


def _short_header(rows: Sequence[Row], width: int, notes: Notebook) -> Header:
    """A header of one row or two.

    Raises:
        Unreadable: the header is wider or narrower than the rows below it.
    """
    start = _start(rows, width)
    _require_width(rows, start, width, notes)
    body = _cut(rows[start:], width)
    first = body[0]
    if len(first) == width - 1:
        _tell_preamble(start, notes)
        names = tuple(_one_short(first, body, notes))
        return Header(names=names, preamble=start + 1, rows=0)
    if not _is_header(body):
        _tell_preamble(start, notes)
        notes.repair(
            "no-header",
            "the first row holds numbers like those below it, so the columns are called "
            '"column 1", …',
            "If that row is the header, give its columns names that are no numbers.",
        )
        names = tuple(f"column {place + 1}" for place in range(width))
        return Header(names=names, preamble=start, rows=0)
    if start and _spans(rows[start - 1], width):
        _tell_preamble(start - 1, notes)
        _tell_several(2, notes)
        return Header(names=_joined(rows[start - 1], first), preamble=start - 1, rows=2)
    _tell_preamble(start, notes)
    if _second_header(body):
        _tell_several(2, notes)
        spans = any(not cell.strip() for cell in first) or _repeats(first)
        return Header(
            names=_joined(first, body[1]) if spans else tuple(first), preamble=start, rows=2
        )
    return Header(names=tuple(first), preamble=start)


def block_of(rows: Sequence[Row], width: int) -> Header | None:
    """A header of any number of rows above the first row of numbers; None where none is plain.

    Its rows hold words in the columns that hold numbers below. A name goes on over the blanks to
    its right, as merged cells do.
    """
    numeric = _numeric_places(rows, width)
    first = next((k for k, row in enumerate(rows) if _holds_numbers(rows, k, numeric, width)), 0)
    end = first
    while end and not _is_header_row(rows[end - 1], numeric, width):
        end -= 1
    if not numeric or not end or first - end > _HEADINGS:
        return None
    start = end
    while start and end - start < _MOST_HEADER and _is_header_row(rows[start - 1], numeric, width):
        start -= 1
    names = _joined_rows(rows[start:end], width)
    if sum(bool(name) for name in names) < 2 or not any(names[place] for place in numeric):
        return None
    return Header(names=names, preamble=start, rows=end - start)


def _numeric_places(rows: Sequence[Row], width: int) -> list[int]:
    """The columns whose cells are numbers, in the rows that are far enough down to be data."""
    whole = [row for row in rows if len(row) == width and _filled(row) > 1]
    below = whole[len(whole) // 2 :]
    return [
        place for place in range(width)
        if _mostly_numbers([row[place].strip() for row in below if row[place].strip()])
    ]  # fmt: skip


def _mostly_numbers(cells: Sequence[str]) -> bool:
    numbers = sum(bool(_VALUE.fullmatch(cell)) for cell in cells)
    marks = sum(bool(_MARK.fullmatch(cell)) for cell in cells)
    return numbers > 0 and 10 * (numbers + marks) >= 8 * len(cells)


def _holds_numbers(rows: Sequence[Row], place: int, numeric: Sequence[int], width: int) -> bool:
    """Whether a row is one of data: numbers that are neither years nor sizes in a header."""
    row = rows[place]
    if len(row) != width:
        return False
    cells = [row[k].strip() for k in numeric if row[k].strip()]
    numbers = [cell for cell in cells if _VALUE.fullmatch(cell)]
    if not numbers or 2 * len(numbers) < len(cells):
        return False
    named = any(row[k].strip() for k in range(width) if k not in numeric)
    if all(_YEAR.fullmatch(cell) for cell in numbers):
        above = rows[place - 1] if place and len(rows[place - 1]) == width else ()
        spanned = above and all(_is_spanned(above, k) for k in numeric if row[k].strip())
        return place > 0 and named and not spanned
    return named or not _count_up(list(numbers))


def _is_header_row(row: Row, numeric: Sequence[int], width: int) -> bool:
    """Whether a row names columns of numbers: words there, and no marks of missing numbers."""
    if len(row) != width:
        return False
    over = [row[place].strip() for place in numeric if row[place].strip()]
    words = [cell for cell in over if not _MARK.fullmatch(cell)]
    if len(words) < len(over) or not words:
        return False
    return _filled(row) > 1 or (not row[0].strip() and len(words[0]) <= _LONG)


def _joined_rows(rows: Sequence[Row], width: int) -> tuple[str, ...]:
    """Names of several rows in one; a name goes on over the blanks after it, within the one above.

    What only names how columns are told apart, such as "Sex", is left out.
    """
    parts: list[list[str]] = [[] for _ in range(width)]
    over = [""] * width
    for k, row in enumerate(rows):
        below = rows[k + 1 :]
        spread: list[str] = []
        for place, cell in enumerate(row):
            own = cell.strip()
            named_below = any(lower[place].strip() for lower in below)
            inside = place > 0 and over[place] == over[place - 1]
            if not own and named_below and inside and spread:
                own = spread[-1]
            spread.append(own)
        over = [f"{above}\0{own}" for above, own in zip(over, spread, strict=True)]
        for place, own in enumerate(spread):
            axis = _axis(own) and any(lower[place].strip() for lower in below)
            if own and not axis and own not in parts[place]:
                parts[place].append(own)
    return tuple(" ".join(words) for words in parts)


def _axis(name: str) -> bool:
    plain = plain_name(name)
    return bool(CATEGORY.fullmatch(plain)) and len(plain.split("_")) <= _AXIS_WORDS


def heading_of(rows: Sequence[Row]) -> str:
    """The lines above a table, joined.

    >>> heading_of([["Population", ""], ["in thousands"]])
    'Population / in thousands'
    """
    return " / ".join(cell.strip() for row in rows for cell in row if cell.strip())[:1000]


def usual_width(rows: Sequence[Row]) -> int:
    """The width that most rows have; that of the header where a tenth of them share it."""
    widths = [len(row) for row in rows if any(cell.strip() for cell in row)]
    if not widths:
        return max((len(row) for row in rows), default=0)
    common = Counter(widths).most_common(1)[0]
    if common[1] * 10 >= 9 * (len(widths) - 1):
        return common[0]
    if widths[0] > 1 and widths.count(widths[0]) * 10 >= len(widths):
        return widths[0]
    return common[0]


def _filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _start(rows: Sequence[Row], width: int) -> int:
    """The first row that looks like a header or a row of the table, and not like a title."""
    fullest = max((_filled(row) for row in rows[:_LOOKED_AT] if len(row) == width), default=1)
    for place, row in enumerate(rows):
        near = abs(len(row) - width) <= max(1, width // 4) and len(row) > 1
        if (len(row) == width or near) and _filled(row) * 2 > fullest:
            return place
    return 0


def _require_width(rows: Sequence[Row], start: int, width: int, notes: Notebook) -> None:
    """A row of names of another width than all rows is a header, and not to be thrown away."""
    found = len(rows[start])
    below = [row for row in rows[start + 1 :] if _filled(row)]
    if found == width or not below:
        return
    if found == width - 1 and _fits_one_short(below, width):
        return
    raise notes.unreadable(
        "header-width",
        f"the header has {found} names, and the rows below it have {width} cells",
        "Give every column a name, and put a cell that holds the separator in quotes: rows must "
        "have the width of the header.",
    )


def _fits_one_short(below: Sequence[Row], width: int) -> bool:
    """One more cell than names: a separator at the end of each row, or the row names of R."""
    whole = [row for row in below if len(row) == width]
    if all(not row[-1].strip() for row in whole):
        return True
    return len(whole) > 1 and [row[0].strip() for row in whole] == [
        str(number) for number in range(1, len(whole) + 1)
    ]


def _one_short(header: Row, body: Sequence[Row], notes: Notebook) -> list[str]:
    whole = [row for row in body[1:] if len(row) == len(header) + 1]
    if all(not row[-1].strip() for row in whole):
        return [*header, ""]
    notes.repair(
        "row-names",
        "the first column has no name in the header, as R writes row names; it is called "
        f'"{ROW_NAMES}"',
    )
    return [ROW_NAMES, *header]


def _cut(rows: Sequence[Row], width: int) -> list[Row]:
    return [rows[0], *(row for row in rows[1 : _LOOKED_AT + 1] if len(row) == width)]


def _is_header(rows: Sequence[Row]) -> bool:
    first = [cell.strip() for cell in rows[0]]
    below = [row for row in rows[1:] if len(row) == len(first)]
    numbers = [place for place, cell in enumerate(first) if NUMBER.fullmatch(cell)]
    if not numbers or not below:
        return True
    cells = [first[place] for place in numbers]
    if len(numbers) > 1 and _count_up(cells):
        return True  # sizes: 1, 2, 3 …
    texts = [first[place] for place in range(len(first)) if place not in numbers]
    if texts and all(_YEAR.fullmatch(cell) for cell in cells):
        return not _years_below(below, numbers)
    like = [all(NUMBER.fullmatch(row[place].strip() or "0") for row in below) for place in numbers]
    return not any(like)


def _years_below(rows: Sequence[Row], places: Sequence[int]) -> bool:
    return all(_YEAR.fullmatch(row[place].strip()) for row in rows for place in places)


def _count_up(cells: Sequence[str]) -> bool:
    whole = [int(cell) for cell in cells if re.fullmatch("[0-9]{1,6}", cell)]
    return len(whole) == len(cells) and whole == list(range(whole[0], whole[0] + len(whole)))


def _second_header(body: Sequence[Row]) -> bool:
    """Whether the row below the header holds words where all others below it hold numbers."""
    if len(body) < 4:
        return False
    second, below = body[1], [row for row in body[2:] if _filled(row) > 1]
    years = [place for place, cell in enumerate(second) if _is_year(cell)]
    if not all(_is_spanned(body[0], place) for place in years):
        return False  # a record whose count may be a year
    if not below or any(NUMBER.fullmatch(cell.strip()) for cell in second if not _is_year(cell)):
        return False
    numeric = [
        place
        for place in range(len(second))
        if sum(bool(NUMBER.fullmatch(row[place].strip())) for row in below) * 10 >= 9 * len(below)
    ]
    cells = [second[place].strip() for place in numeric]
    if cells and all(_MARK.fullmatch(cell) for cell in cells):
        return False
    worded = [cell for cell in cells if len(cell) > 2]
    return bool(worded) and _filled(second) * 2 > len(second)


def _is_year(cell: str) -> bool:
    return bool(_YEAR.fullmatch(cell.strip()))


def _is_spanned(header: Row, place: int) -> bool:
    """Whether a name of the header stands over several columns, and this is one of them."""
    name = header[place].strip()
    after = header[place + 1].strip() if place + 1 < len(header) else name
    return not name or not after or [cell.strip() for cell in header].count(name) > 1


def _spans(row: Row, width: int) -> bool:
    """Whether a row names several columns with one cell: two names or more, and blanks."""
    return len(row) == width and 2 <= _filled(row) < width


def _repeats(row: Row) -> bool:
    """Whether a name stands over several columns: what tells them apart is below."""
    names = [cell.strip() for cell in row]
    return len(set(names)) < len(names)


def _joined(above: Row, below: Row) -> tuple[str, ...]:
    """Names of two rows in one; a name above goes on over the blanks after it."""
    names: list[str] = []
    over = ""
    if _are_codes(above, below):
        return tuple(below)
    for upper, lower in zip(above, below, strict=True):
        over = upper.strip() or (over if lower.strip() else "")
        names.append(" ".join(dict.fromkeys(filter(None, (over, lower.strip())))))
    return tuple(names)


def _are_codes(above: Row, below: Row) -> bool:
    """Whether a row counts up over the names of columns, as rows of codes do."""
    pairs = [
        (upper.strip(), lower.strip())
        for upper, lower in zip(above, below, strict=True)
        if NUMBER.fullmatch(upper.strip())
    ]
    numbers = [upper for upper, _ in pairs]
    named = all(lower and not NUMBER.fullmatch(lower) for _, lower in pairs)
    return len(numbers) >= _LEAST_NUMBERED and named and _count_up(numbers)


def _tell_preamble(rows: int, notes: Notebook) -> None:
    if rows:
        lines = f"{rows} line{'s' * (rows > 1)}"
        notes.repair(
            "preamble", f"{lines} above the table {'were' if rows > 1 else 'was'} left out"
        )


def _tell_several(rows: int, notes: Notebook) -> None:
    number = {2: "two", 3: "three", 4: "four"}.get(rows, str(rows))
    notes.repair("two-headers", f"the header has {number} rows, which were read as one")


def opens_as_note(text: str) -> bool:
    """Whether a line begins as a source or a footnote does."""
    return bool(_NOTE.match(text.strip()))


def is_note(text: str) -> bool:
    """Whether a line below a table is about it: a source, a footnote, a sentence.

    >>> is_note("Source: Office for Statistics"), is_note("* provisional"), is_note("Sourceton")
    (True, True, False)
    """
    return opens_as_note(text) or len(text.strip()) > _LONG


def without_notes(
    columns: Sequence[pa.Array], notes: Notebook, numbers: Sequence[int] = ()
) -> tuple[int, list[pa.Array]]:
    """The columns without lines about the table at their end, and how many rows are left.

    Args:
        columns: of the rows below the header.
        notes: takes the repair.
        numbers: of the rows in the file, where its blank rows are not among them.
    """
    n_rows = len(columns[0]) if columns else 0
    if len(columns) < 2:
        return n_rows, list(columns)
    tail = min(n_rows, _LOOKED_AT)
    cells = list(zip(*(c.slice(n_rows - tail).to_pylist() for c in columns), strict=True))
    last = len(cells)
    cut = last
    gaps = {k for k in range(1, last) if numbers and numbers[k - last] - numbers[k - last - 1] > 1}
    while last and (not _filled(cells[last - 1]) or _below_the_table(cells, last - 1, gaps)):
        last -= 1
        cut = last if _filled(cells[last]) else cut
    removed = sum(bool(_filled(row)) for row in cells[cut:])
    if not removed:
        return n_rows, list(columns)
    lines = f"{removed} line{'s' * (removed > 1)}"
    notes.repair("notes-below", f"{lines} of notes below the table {_were(removed)} left out")
    kept = n_rows - tail + cut
    return kept, [column.slice(0, kept) for column in columns]


def _were(n: int) -> str:
    return "were" if n > 1 else "was"


def _below_the_table(cells: Sequence[Row], place: int, gaps: Set[int]) -> bool:
    row = cells[place]
    text = row[0]
    if not text.strip():  # a note begins where rows do
        return False
    if _NOTE.match(text.strip()) and not _ends_in_a_count(row):
        return True
    after_blank = place in gaps or (place > 0 and not _filled(cells[place - 1]))
    legend = _filled(row) == 1 and bool(_LEGEND.fullmatch(text.strip()))
    summary = after_blank and _filled(row) == 2 and len(row) >= _WIDE
    return legend or summary or (_filled(row) == 1 and (after_blank or is_note(text)))


def _ends_in_a_count(row: Row) -> bool:
    """A region called "Notes" has its count; a sentence cut at a comma has at most a year."""
    last = row[-1].strip()
    return bool(NUMBER.fullmatch(last)) and not _is_year(last)
