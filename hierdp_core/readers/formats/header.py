"""The start of a table: the titles above it, and its header of one or more rows."""

import re
from collections.abc import Sequence
from dataclasses import replace

from hierdp_core.readers.columns.vocabulary import size_in
from hierdp_core.readers.formats.cells import (
    LOOKED_AT,
    MARK,
    NUMBER,
    YEAR,
    Row,
    count_up,
    filled,
    in_brackets,
    is_year,
    usual_width,
    years_below,
)
from hierdp_core.readers.formats.column_numbers import numbering_place
from hierdp_core.readers.formats.header_block import (
    Header,
    block_of,
    from_the_left,
    is_spanned,
    states_places,
)
from hierdp_core.readers.formats.pivot_filters import n_filter_rows
from hierdp_core.readers.formats.row_names import names_of_rows
from hierdp_core.readers.report import Notebook, Unreadable
from hierdp_core.util.text import by_number, counted

ROW_NAMES = "row_names"  # what the column is called that R writes without a name
_LEAST_SIZES = 2  # columns of sizes, of which labels state at least so many
# What stands before the names of categories at the end of a title, and between the last two.
_BY = re.compile(
    r"\b(?:by|muuttujina|efter|etter|fordelt på|nach|par|por|per|door|naar|według|podle|wg)\s+"
    r"([^:;.()]{3,200})$",
    re.IGNORECASE,
)
_AND = re.compile(r",\s+(?:and\s+)?|\s+(?:and|ja|och|og|und|et|y|e|en|i|a|oraz)\s+")
_LEAST_NAMES = 3  # cells of a header that has fewer cells than the rows below it
_LEAST_BLOCK = 2  # columns that are repeated
_LEAST_NUMBERED = 3  # columns that a row may number


def header_of(rows: Sequence[Row], notes: Notebook, lines: Sequence[int] = ()) -> Header:
    """Return the header of a table, given its first rows.

    Args:
        rows: the first rows.
        notes: receives the corrections.
        lines: the numbers of the rows in the file, if blank rows are not among them.

    Raises:
        Unreadable: the header has more or fewer cells than the rows below it.
    """
    n_filters = n_filter_rows(rows, lines)
    header = _below_titles(rows[n_filters:], notes)
    end = n_filters + header.preamble + header.rows
    own = [row for row in rows[n_filters + header.preamble : end] if filled(row)]
    notes.left_out += map(tuple, own[1:])
    if not n_filters:
        return replace(header, names=_named_by_title(rows[: header.preamble], header.names))
    n_lines = sum(bool(filled(row)) for row in rows[:n_filters])
    were = by_number(n_lines, "was", "were")
    notes.repair(
        "filters", f"{counted(n_lines, 'line')} with filters above the table {were} left out"
    )
    return replace(header, preamble=header.preamble + n_filters)


def _named_by_title(above: Sequence[Row], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of columns, of which the first may stand only in the title.

    An example is "Households by Area, Year and Size" above three columns without a name.

    >>> _named_by_title([["Dwellings by Area, Year and Size"]], ("", "", "", "Dwellings"))
    ('Area', 'Year', 'Size', 'Dwellings')
    """
    n_blank = next((k for k, name in enumerate(names) if name.strip()), 0)
    for row in above if n_blank > 1 else ():
        for cell in row:
            match = _BY.search(cell)
            listed = [part.strip() for part in _AND.split(match[1])] if match else []
            taken = {*listed} & {*names}
            if len({*listed}) == len(listed) == n_blank and all(listed) and not taken:
                return (*listed, *names[n_blank:])
    return names


def _below_titles(rows: Sequence[Row], notes: Notebook) -> Header:
    numbers = numbering_place(rows)
    if numbers is None:
        return _header_of(rows, notes)
    trial = Notebook(notes.file, confidential=notes.confidential)
    header = _header_of([*rows[:numbers], *rows[numbers + 1 :]], trial)
    end = header.preamble + header.rows
    between = rows[end:numbers] if end <= numbers else ()
    if header.rows == 0 or header.preamble >= numbers or any(map(filled, between)):
        return _header_of(rows, notes)
    notes.findings += trial.findings
    notes.repair("column-numbers", "a row with the numbers of the columns was left out")
    return replace(header, rows=max(end, numbers) + 1 - header.preamble)


def _header_of(rows: Sequence[Row], notes: Notebook) -> Header:
    width = usual_width(rows)
    block = None if notes.confidential and _names_all(rows, width) else block_of(rows, width)
    trial = Notebook(notes.file, confidential=notes.confidential)
    try:
        header = _short_header(rows, width, trial)
    except Unreadable:
        if block is None:
            raise
        header = None
    if block is not None and header is not None and _is_a_record(rows, block):
        block = None
    below = block is not None and header is not None and _after_a_blank(rows, header, block)
    if block is not None and (header is None or below or _is_longer(block, header)):
        _report_preamble(block.preamble, notes)
        if block.rows > 1:
            _report_header_rows(block.rows, notes)
        return block
    assert header is not None
    notes.findings += trial.findings
    return header


def _names_all(rows: Sequence[Row], width: int) -> bool:
    """Return whether the first row has another name for each column.

    It is then the header of a confidential table. Records that look alike are not rows of it.
    """
    first = [cell.strip() for cell in rows[0]]
    names = {cell.casefold() for cell in first if cell and not NUMBER.fullmatch(cell)}
    return len(names) == len(first) == width > 1


def _is_longer(block: Header, header: Header) -> bool:
    """Return whether a header has more rows than another, or begins below its title and ends lower.

    The second applies where both have as many rows.
    """
    lower = block.preamble + block.rows > header.preamble + header.rows
    return block.rows > header.rows or (block.rows == header.rows and lower)


def _after_a_blank(rows: Sequence[Row], header: Header, block: Header) -> bool:
    """Return whether a blank row lies between two headers, so that the upper one is a title."""
    return any(not filled(row) for row in rows[header.preamble + 1 : block.preamble])


def _is_a_record(rows: Sequence[Row], block: Header) -> bool:
    """Return whether the second row of a header is a region with a word such as "closed".

    Then the first row names all columns, and the second has one lower-case word above numbers.
    """
    if block.rows != 2:
        return False
    first, second = rows[block.preamble], rows[block.preamble + 1]
    if not all(cell.strip() for cell in first) or _repeats(first):
        return False
    below = [row for row in rows[block.preamble + 2 :] if len(row) == len(first)]
    numeric = [
        place for place in range(len(first))
        if all(NUMBER.fullmatch(row[place].strip() or "0") for row in below)
    ]  # fmt: skip
    return _one_small_word([second[place].strip() for place in numeric])


def _one_small_word(cells: Sequence[str]) -> bool:
    return len(cells) == 1 and cells[0].isalpha() and cells[0].islower()


def _short_header(rows: Sequence[Row], width: int, notes: Notebook) -> Header:
    """Return a header of one or two rows.

    Raises:
        Unreadable: the header has more or fewer cells than the rows below it.
    """
    start = _start(rows, width)
    _require_width(rows, start, width, notes)
    body = _cut(rows[start:], width)
    first = body[0]
    if len(first) == width - 1:
        _report_preamble(start, notes)
        names = tuple(_one_short(first, body, notes))
        return Header(names=names, preamble=start + 1, rows=0)
    if not _is_header(body) and start and _names_fewer_columns(rows[start - 1]):
        _report_preamble(start - 1, notes)
        names = tuple(_repeated_names(rows[start - 1], body, notes))
        return Header(names=names, preamble=start, rows=0)
    if not _is_header(body):
        _report_preamble(start, notes)
        notes.repair(
            "no-header",
            "the first row holds numbers like those below it, so the columns are called "
            '"column 1", …',
            "If that row is the header, give its columns names that are not numbers.",
        )
        names = tuple(f"column {place + 1}" for place in range(width))
        return Header(names=names, preamble=start, rows=0)
    if start and _spans(rows[start - 1], width):
        _report_preamble(start - 1, notes)
        _report_header_rows(2, notes)
        return Header(names=_joined(rows[start - 1], first), preamble=start - 1, rows=2)
    _report_preamble(start, notes)
    if _second_header(body):
        _report_header_rows(2, notes)
        spans = any(not cell.strip() for cell in first) or _repeats(first) or _sizes_below(body[1])
        return Header(
            names=_joined(first, body[1]) if spans else tuple(first), preamble=start, rows=2
        )
    return Header(names=tuple(first), preamble=start)


def heading_of(rows: Sequence[Row]) -> str:
    """Return the lines above a table, joined.

    >>> heading_of([["Population", ""], ["in thousands"]])
    'Population / in thousands'
    """
    return " / ".join(cell.strip() for row in rows for cell in row if cell.strip())[:1000]


def _start(rows: Sequence[Row], width: int) -> int:
    """Return the position of the first row that is not a title above the table."""
    fullest = max((filled(row) for row in rows[:LOOKED_AT] if len(row) == width), default=1)
    for place, row in enumerate(rows):
        near = abs(len(row) - width) <= max(1, width // 4) and len(row) > 1
        if (len(row) == width or near) and filled(row) * 2 > fullest:
            return place
    return 0


def _require_width(rows: Sequence[Row], start: int, width: int, notes: Notebook) -> None:
    """Raise an error if the header has another number of cells than the rows below it."""
    n_names = len(rows[start])
    below = [row for row in rows[start + 1 :] if filled(row)]
    if n_names == width or not below:
        return
    short = _fits_one_short(below, width) or names_of_rows(rows[start], below, width)
    if n_names == width - 1 and short:
        return
    raise _wrong_width(n_names, width, notes)


def _wrong_width(n_names: int, width: int, notes: Notebook) -> Unreadable:
    return notes.unreadable(
        "header-width",
        f"the header has {n_names} names, but the rows below it have {width} cells",
        "Give every column a name, and put cells that contain the separator in quotes. "
        "Every row must have as many cells as the header.",
    )


def _names_fewer_columns(row: Row) -> bool:
    """Return whether a row above numbers is a header, not a title: several names in words."""
    names = [cell.strip() for cell in row if cell.strip()]
    return len({*names}) == len(names) >= _LEAST_NAMES and not any(map(NUMBER.fullmatch, names))


def _repeated_names(header: Row, below: Sequence[Row], notes: Notebook) -> list[str]:
    """Return a name for every column, where the last names of a header stand for several blocks.

    Results of elections name the columns of one candidate, and the rows have those of all.

    Raises:
        Unreadable: the columns without a name do not repeat the kinds of cells of the last ones.
    """
    named = list(header[: max(k for k, cell in enumerate(header) if cell.strip()) + 1])
    n_names, width = len(named), len(below[0])
    numeric = [
        all(NUMBER.fullmatch(row[k].strip() or "0") for row in below) for k in range(width)
    ]  # fmt: skip
    for period in range(_LEAST_BLOCK, n_names):
        again = all(numeric[k] == numeric[k - period] for k in range(n_names, width))
        differ = len({*numeric[n_names - period : n_names]}) > 1
        if (width - n_names) % period == 0 and again and differ:
            notes.repair(
                "repeated-names",
                f"the header names {n_names} of {width} columns, and the last {period} names are "
                "repeated for the others",
            )
            more = range(width - n_names)
            last = named[-period:]
            return [*named, *(f"{last[k % period]} {k // period + 2}" for k in more)]
    raise _wrong_width(n_names, width, notes)


def _fits_one_short(below: Sequence[Row], width: int) -> bool:
    """Return whether the extra cell of each row is blank, or a row number as R writes it."""
    whole = [row for row in below if len(row) == width]
    if all(not row[-1].strip() for row in whole):
        return True
    first = [row[0].strip() for row in whole]
    return len(whole) > 1 and first == [str(number) for number in range(1, len(whole) + 1)]


def _one_short(header: Row, body: Sequence[Row], notes: Notebook) -> list[str]:
    """Return the names of columns whose header has one cell fewer than the rows.

    Raises:
        Unreadable: the data are confidential, and the rows do not end in a blank cell.
    """
    whole = [row for row in body[1:] if len(row) == len(header) + 1]
    if all(not row[-1].strip() for row in whole):
        return [*header, ""]
    if notes.confidential:  # a last cell of one record would move the names of all columns
        raise _wrong_width(len(header), len(header) + 1, notes)
    notes.repair(
        "row-names",
        "the first column has no name in the header, as R writes row names, so it is called "
        f'"{ROW_NAMES}"',
    )
    return [ROW_NAMES, *header]


def _cut(rows: Sequence[Row], width: int) -> list[Row]:
    return [rows[0], *(row for row in rows[1 : LOOKED_AT + 1] if len(row) == width)]


def _is_header(rows: Sequence[Row]) -> bool:
    first = [cell.strip() for cell in rows[0]]
    below = [row for row in rows[1:] if len(row) == len(first)]
    numbers = [place for place, cell in enumerate(first) if NUMBER.fullmatch(cell)]
    if not numbers or not below:
        return True
    cells = [first[place] for place in numbers]
    if len(numbers) > 1 and count_up(cells):
        return True  # sizes: 1, 2, 3 …
    texts = [first[place] for place in range(len(first)) if place not in numbers]
    if texts and all(YEAR.fullmatch(cell) for cell in cells):
        return not years_below(below, numbers)
    like = [all(NUMBER.fullmatch(row[place].strip() or "0") for row in below) for place in numbers]
    return not any(like)


def _second_header(body: Sequence[Row]) -> bool:
    """Return whether the row below the header has words where the rows below it have numbers."""
    if len(body) < 4:
        return False
    second, below = body[1], [row for row in body[2:] if filled(row) > 1]
    years = [place for place, cell in enumerate(second) if is_year(cell)]
    if not all(is_spanned(body[0], place) for place in years):
        return False  # a record whose count may be a year
    if not below or any(NUMBER.fullmatch(cell.strip()) for cell in second if not is_year(cell)):
        return False
    numeric = [
        place
        for place in range(len(second))
        if sum(bool(NUMBER.fullmatch(row[place].strip())) for row in below) * 10 >= 9 * len(below)
    ]
    cells = [second[place].strip() for place in numeric]
    if cells and all(MARK.fullmatch(cell) for cell in cells):
        return False
    others = [second[place].strip() for place in range(len(second)) if place not in numeric]
    if any(others) and cells and all(in_brackets(cell) for cell in cells):
        return any(in_brackets(cell) for cell in others)  # else a record with a marked count
    if all(cell.strip() for cell in body[0]) and not _repeats(body[0]) and _one_small_word(cells):
        return False
    worded = [cell for cell in cells if len(cell) > 2]
    return bool(worded) and filled(second) * 2 > len(second)


def _spans(row: Row, width: int) -> bool:
    """Return whether cells of a row name several columns: it has two or more names, and blanks."""
    return len(row) == width and 2 <= filled(row) < width and not states_places(row)


def _repeats(row: Row) -> bool:
    """Return whether a name repeats, so that a second row must distinguish the columns."""
    names = [cell.strip() for cell in row]
    return len(set(names)) < len(names)


def _sizes_below(labels: Row) -> bool:
    """Return whether labels of the US census state sizes, which the codes above do not."""
    parts = [cell.split("!!")[-1] for cell in labels if "!!" in cell]
    return sum(size_in(part) is not None for part in parts) >= _LEAST_SIZES


def _joined(above: Row, below: Row) -> tuple[str, ...]:
    """Return the joined names of two rows; a name above also applies to the blanks after it."""
    names: list[str] = []
    over = ""
    if _are_codes(above, below):
        return tuple(below)
    above = from_the_left(above, below)
    for upper, lower in zip(above, below, strict=True):
        over = upper.strip() or (over if lower.strip() else "")
        names.append(" ".join(dict.fromkeys(filter(None, (over, lower.strip())))))
    return tuple(names)


def _are_codes(above: Row, below: Row) -> bool:
    """Return whether the upper row numbers the names below it."""
    pairs = [
        (upper.strip(), lower.strip())
        for upper, lower in zip(above, below, strict=True)
        if NUMBER.fullmatch(upper.strip())
    ]
    numbers = [upper for upper, _ in pairs]
    named = all(lower and not NUMBER.fullmatch(lower) for _, lower in pairs)
    return len(numbers) >= _LEAST_NUMBERED and named and count_up(numbers)


def _report_preamble(rows: int, notes: Notebook) -> None:
    if rows:
        lines = f"{rows} line{'s' * (rows > 1)}"
        notes.repair(
            "preamble", f"{lines} above the table {'were' if rows > 1 else 'was'} left out"
        )


def _report_header_rows(rows: int, notes: Notebook) -> None:
    number = {2: "two", 3: "three", 4: "four"}.get(rows, str(rows))
    notes.repair("two-headers", f"the header has {number} rows, which were joined")
