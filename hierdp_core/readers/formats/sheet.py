"""Tables as text, with the row of the file for each row."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.vocabulary import heads_parts
from hierdp_core.readers.formats.blocks_beside import below_each_other, in_one_order, period_of
from hierdp_core.readers.formats.unicode import normalized
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, shown_code, shown_codes
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import by_number, counted

Text = Any  # a pyarrow array of strings without nulls

BLANKS = " \t\r\n\u00a0\u2007\u202f\u200b\u3000\ufeff"
_CELLS_SHOWN = 3  # cells that tell a row from others after grouping
PREVIEW = 5
_LISTED = 5  # names in a message
# A cell of decimal digits, some of which are not 0 to 9, with signs between thousands.
_OTHER_DIGITS = (
    r"^[\p{Nd}٬٫,،. \x{00a0}\x{202f}]*[٠-٩۰-۹०-९০-৯๐-๙０-９][\p{Nd}٬٫,،. \x{00a0}\x{202f}]*$"
)
_BETWEEN = {"٬": "", "٫": ".", "،": ",", ",": ",", ".": ".", " ": " ", "\u00a0": " ", "\u202f": " "}


@dataclass(frozen=True, eq=False, kw_only=True)
class Sheet:
    """Columns of text.

    Attributes:
        file: the name of the file.
        names: the names of the columns, all different.
        columns: one string array per column, without nulls; blank cells are "".
        rows: the row of the file for each row, counted from 1, shape (n_rows,); None where rows
            were grouped.
        weights: the number of rows of the file that each row represents, shape (n_rows,); None for
            one each.
        separator: the separator of the cells in the file, "" where there is none.
        partial: whether the file has more rows than the sheet.
        indents: the number of blanks before each cell, shape (n_rows,), for the columns in which
            it varies.
        heading: the lines above the table, joined.
        labels: the descriptions of columns by name, where the file has them.
        listed: the columns of codes that a list of areas names together with the areas above.
    """

    file: str
    names: tuple[str, ...]
    columns: tuple[Text, ...] = field(repr=False)
    rows: IntArray | None = field(default=None, repr=False)
    weights: IntArray | None = field(default=None, repr=False)
    separator: str = ""
    partial: bool = False
    indents: Mapping[str, IntArray] = field(default_factory=dict, repr=False)
    heading: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    listed: frozenset[str] = frozenset()

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> Text:
        return self.columns[self.names.index(name)]

    def has(self, *names: str) -> bool:
        return all(name in self.names for name in names)

    def place(self, row: int, *names: str) -> str:
        """Return the position of a cell, such as 'row 7, column "n"'.

        After grouping, rows have no numbers, so the position is their values, such as 'county "B"'.
        """
        column = "".join(f", column {shown_code(name)}" for name in names)
        if self.rows is None:
            cells = [
                f"{name} {shown_code(self.column(name)[row].as_py())}"
                for name in (names or self.names)[:_CELLS_SHOWN]
            ]
            return ", ".join(cells)
        return f"row {int(self.rows[row]):,}{column}"

    def places(self, wrong: Any, *names: str) -> tuple[list[str], int]:
        """Return the positions of the first rows where `wrong` is True, and their number."""
        rows = np.flatnonzero(as_mask(wrong))
        return [self.place(int(row), *names) for row in rows[:PREVIEW]], len(rows)

    def take(self, kept: Any) -> "Sheet":
        """Return the sheet with only the rows where `kept` is True."""
        mask = as_mask(kept)
        chosen = pa.array(mask)
        return replace(
            self,
            columns=tuple(column.filter(chosen) for column in self.columns),
            rows=None if self.rows is None else self.rows[mask],
            weights=None if self.weights is None else self.weights[mask],
            indents={name: indent[mask] for name, indent in self.indents.items()},
        )

    def rows_where(self, chosen: BoolArray) -> list[tuple[str, ...]]:
        """Return the cells of the rows where `chosen` is True, without repetitions."""
        columns = [column.filter(pa.array(chosen)).to_pylist() for column in self.columns]
        return list(dict.fromkeys(zip(*columns, strict=True)))

    def with_column(self, name: str, values: Text) -> "Sheet":
        """Return the sheet with one column replaced or added."""
        columns = dict(zip(self.names, self.columns, strict=True)) | {name: values}
        return replace(self, names=tuple(columns), columns=tuple(columns.values()))

    def with_first_column(self, name: str, values: Text) -> "Sheet":
        """Return the sheet with a further column, before the others."""
        return replace(self, names=(name, *self.names), columns=(values, *self.columns))

    def without(self, names: Collection[str]) -> "Sheet":
        """Return the sheet without some columns."""
        kept = {n: c for n, c in zip(self.names, self.columns, strict=True) if n not in names}
        return replace(self, names=tuple(kept), columns=tuple(kept.values()))

    def preview(self, rows: int = PREVIEW) -> list[list[str]]:
        """Return the first rows as lists of cells."""
        first = [column.slice(0, rows).to_pylist() for column in self.columns]
        return [list(row) for row in zip(*first, strict=True)]


def as_mask(values: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return a Boolean pyarrow or NumPy array as a NumPy array."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.Array):
        values = values.to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.bool_)


def clean_sheet(
    file: str,
    names: Sequence[str],
    columns: Sequence[Text],
    rows: IntArray | None,
    notes: Notebook,
    limits: Limits,
    *,
    separator: str = "",
    partial: bool = False,
    heading: str = "",
) -> Sheet:
    """Return a sheet of trimmed, composed text without blank rows, and report each change.

    Raises:
        Unreadable: there are no rows or too many columns.
    """
    require_few_columns(len(names), notes, limits)
    names, columns, rows = _one_block(names, columns, rows, notes)
    named, arrays = _named_columns(names, columns, notes)
    sheet = Sheet(
        file=file, names=tuple(named), columns=tuple(arrays), rows=rows, separator=separator,
        partial=partial, heading=heading,
    )  # fmt: skip
    return tidied(sheet, notes, limits)


def _one_block(
    names: Sequence[str], columns: Sequence[Text], rows: IntArray | None, notes: Notebook
) -> tuple[Sequence[str], Sequence[Text], IntArray | None]:
    """Return blocks that stand side by side as one block, and report it.

    Raises:
        Unreadable: the table is confidential, so its records must not decide what is a block.
    """
    bare = [bare_name(name) for name in names]
    if notes.confidential and period_of([name for name in bare if name]):
        raise notes.unreadable(
            "blocks", "repeats all of its column names side by side",
            "Put the blocks of columns below each other, or give every column a different name.",
        )  # fmt: skip
    block = None if notes.confidential else below_each_other(bare, columns, rows)
    if block is None:
        ordered = None if notes.confidential else in_one_order(bare, columns)
        if ordered is None:
            return names, columns, rows
        notes.repair(
            "blocks",
            f"blocks of columns that begin with column {shown_code(ordered[1])} list the same "
            "areas in different orders. Their rows were put into the order of the first block",
        )
        return names, ordered[0], rows
    n_blocks = len(block[1][0]) // len(columns[0])
    notes.repair(
        "blocks",
        f"{n_blocks} blocks of columns with the same names stood side by side and were put below "
        f"each other: {shown_codes(block[0], shown=_LISTED)}",
    )
    return block


def require_few_columns(n_columns: int, notes: Notebook, limits: Limits) -> None:
    """Check the number of columns.

    Raises:
        Unreadable: there are more columns than the limit.
    """
    if n_columns > limits.columns:
        raise notes.unreadable(
            "columns",
            f"has {n_columns:,} columns, but a table may have at most {limits.columns:,}",
            "Leave out the columns that are not needed.",
        )


def tidied(sheet: Sheet, notes: Notebook, limits: Limits) -> Sheet:
    """Return the sheet with trimmed, composed text and without blank rows; report each change.

    Raises:
        Unreadable: there are no rows, or a cell is too long.
    """
    if sheet.n_rows == 0 and not notes.confidential:
        raise notes.unreadable(
            "no-rows", "has a header but no rows", "Save the table with its rows."
        )
    tidy, changed, composed = [], [], []
    indents: dict[str, IntArray] = {}
    for name, column in zip(sheet.names, sheet.columns, strict=True):
        text = _whole_array(column)
        _require_short(name, text, notes, limits)
        trimmed = pc.utf8_trim(text, BLANKS)
        if not trimmed.equals(text):
            changed.append(name)
            indents |= _indent_of(name, text)
        plain = _without_apostrophe(name, _with_plain_digits(name, trimmed, notes), notes)
        normal = normalized(plain, "NFC")
        composed += [name] * (not normal.equals(plain))
        tidy.append(normal)
    columns_with = "column" + "s" * (len(changed) > 1)
    if changed:
        notes.repair("trimmed", f"blanks around cells were removed in {columns_with}",
                     places=[shown_code(name) for name in changed])  # fmt: skip
    if composed:
        notes.repair(
            "composed",
            "letters with accents were encoded in two ways and are now encoded in one",
            places=[f"column {shown_code(name)}" for name in composed],
        )
    return _without_blank_rows(replace(sheet, columns=tuple(tidy), indents=indents), notes)


def plain_text(text: Text) -> Text:
    """Return text as `tidied` returns it: trimmed, composed and with the digits 0 to 9."""
    quiet = Notebook("")
    digits = _with_plain_digits("", pc.utf8_trim(text, BLANKS), quiet)
    return normalized(_without_apostrophe("", digits, quiet), "NFC")


def _with_plain_digits(name: str, text: Text, notes: Notebook) -> Text:
    """Return numbers in Arabic, Indian, full-width or other digits with the digits 0 to 9."""
    if pc.all(pc.string_is_ascii(text)).as_py():
        return text
    other = pc.match_substring_regex(text, _OTHER_DIGITS)
    if not pc.any(other).as_py():
        return text
    encoded = text.dictionary_encode()
    cells = encoded.dictionary.to_pylist()
    plain = pa.array([_plain_digits(cell) for cell in cells], pa.string())
    notes.repair(
        "digits", f"digits of another script in column {shown_code(name)} were read as 0 to 9"
    )
    return plain.take(encoded.indices)


def _without_apostrophe(name: str, text: Text, notes: Notebook) -> Text:
    """Return digits without the apostrophe that spreadsheets write before digits stored as text."""
    if not as_mask(pc.starts_with(text, "'")).any():
        return text
    bare = pc.replace_substring_regex(text, "^'([0-9]+)$", r"\1")
    if not bare.equals(text):
        n_cells = int(as_mask(pc.not_equal(bare, text)).sum())
        notes.repair(
            "apostrophe",
            f"an apostrophe before digits in column {shown_code(name)} was removed "
            f"({counted(n_cells, 'cell')})",
        )
    return bare


def _plain_digits(cell: str) -> str:
    if not all(sign.isdecimal() or sign in _BETWEEN for sign in cell):
        return cell
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else _BETWEEN[sign] for sign in cell
    )


def _indent_of(name: str, text: Text) -> dict[str, IntArray]:
    """Return the number of blanks before each filled cell by column, if it varies."""
    before = pc.subtract(pc.utf8_length(text), pc.utf8_length(pc.utf8_ltrim(text, BLANKS)))
    filled = as_mask(pc.not_equal(pc.utf8_trim(text, BLANKS), ""))
    indent = np.where(filled, np.asarray(before.to_numpy(zero_copy_only=False), np.int64), 0)
    return {name: indent} if len(np.unique(indent[filled])) > 1 else {}


def _named_columns(
    names: Sequence[str], columns: Sequence[Text], notes: Notebook
) -> tuple[list[str], list[Text]]:
    named: list[tuple[str, int]] = []
    kept: list[Text] = []
    for place, (name, column) in enumerate(zip(names, columns, strict=True), start=1):
        name = bare_name(name)
        if not name:
            if _all_blank(column):
                notes.repair("empty-column", f"column {place} is empty and was left out")
                continue
            name = name_of_place(place)
            notes.repair("unnamed-column", f'column {place} has no name and is called "{name}"')
        named.append((name, place))
        kept.append(column)
    if not named:
        raise notes.unreadable("empty", "holds no columns", "Save the table again.")
    return _unique_names(named, notes), kept


def _unique_names(named: Sequence[tuple[str, int]], notes: Notebook) -> list[str]:
    """Return unique names; a name of several columns gets the number of the column."""
    often = Counter(name for name, _ in named)
    twice = [name for name, n in often.items() if n > 1]
    if not twice:
        return [name for name, _ in named]
    notes.repair(
        "duplicate-column",
        "several columns have the same name, so the number of the column was added to it: "
        f"{shown_codes(twice, shown=_LISTED)}",
    )
    numbered = [f"{name} ({name_of_place(place)})" if often[name] > 1 else name
            for name, place in named]  # fmt: skip
    if len(set(numbered)) < len(numbered):
        raise notes.unreadable(
            "duplicate-column", "its column names are not unique",
            "Give every column a different name.",
        )  # fmt: skip
    return numbered


def bare_name(name: str) -> str:
    """Return the name of a column with single blanks between its words and none around."""
    return " ".join(name.strip(BLANKS).split())


def name_of_place(place: int) -> str:
    """Return the name of a column without one, by its position counted from 1."""
    return f"column {place}"


def _all_blank(column: Text) -> bool:
    return not as_mask(pc.not_equal(pc.utf8_trim(column, BLANKS), "")).any()


def _whole_array(column: Text) -> Text:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column


def _require_short(name: str, text: Text, notes: Notebook, limits: Limits) -> None:
    longest = pc.max(pc.binary_length(text)).as_py() or 0
    if longest > limits.letters:
        raise notes.unreadable(
            "long-cell",
            f"a cell of column {shown_code(name)} has {longest:,} bytes, "
            f"but a cell may have at most {limits.letters:,}",
            "Look for a quotation mark that is not closed, or leave the column out.",
        )


def _without_blank_rows(sheet: Sheet, notes: Notebook) -> Sheet:
    n_filled = np.zeros(sheet.n_rows, dtype=np.int32)
    for column in sheet.columns:
        n_filled += as_mask(pc.not_equal(column, ""))
    filled = n_filled > 0
    if not filled.any() and not notes.confidential:
        raise notes.unreadable(
            "no-rows", "has a header but no rows", "Save the table with its rows."
        )
    if not filled.all():
        blank = int((~filled).sum())
        were = by_number(blank, "was", "were")
        notes.repair("blank-rows", f"{counted(blank, 'blank row')} {were} left out")
        sheet = sheet.take(filled)
    return _without_headings_of_parts(sheet, n_filled[filled] == 1, notes)


def _without_headings_of_parts(sheet: Sheet, alone: BoolArray, notes: Notebook) -> Sheet:
    """Return the sheet without rows that only head the rows below, such as "of which:".

    Args:
        sheet: the table.
        alone: the rows with one filled cell, shape (n_rows,).
        notes: receives the correction.
    """
    rows = np.flatnonzero(alone)
    if len(sheet.columns) < 2 or not 0 < 2 * len(rows) < sheet.n_rows:
        return sheet
    heads = np.zeros(sheet.n_rows, dtype=np.bool_)
    for column in sheet.columns:
        cells = column.take(pa.array(rows)).to_pylist()
        heads[rows] |= np.array([bool(cell) and heads_parts(cell) for cell in cells])
    if not heads.any():
        return sheet
    notes.left_out += sheet.rows_where(heads)
    n_heads = int(heads.sum())
    first = sheet.columns[0].filter(pa.array(heads)).to_pylist()
    shown = shown_codes([cell for cell in dict.fromkeys(first) if cell], shown=_LISTED)
    were = by_number(n_heads, "was", "were")
    named = f" ({shown})" if shown else ""
    notes.repair(
        "headings", f"{counted(n_heads, 'heading')} of the rows below{named} {were} left out"
    )
    return sheet.take(~heads)
