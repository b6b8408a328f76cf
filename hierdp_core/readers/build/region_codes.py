"""The codes of regions in rows: complete codes, and reports on missing ones."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy import Regions
from hierdp_core.readers.columns.codes import bare_codes
from hierdp_core.readers.columns.facts import called_total
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import blank_choices
from hierdp_core.readers.columns.subtotals import contradicted_fill
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import by_number, counted

_NEARLY_ALL = 0.9  # of the ids that begin with a code of their own


@dataclass(frozen=True, eq=False, kw_only=True)
class Places:
    """The regions of a table, and the region of each row.

    Attributes:
        regions: the hierarchy with its names.
        leaf: shape (n_rows,), the leaf position of each row; -1 for a row of a region that
            has children.
        node: shape (n_rows,), the node of each row, in level order.
    """

    regions: Regions
    leaf: IntArray = field(repr=False)
    node: IntArray = field(repr=False)


def joined_codes(sheet: Sheet, layout: Layout, notes: Notebook) -> Text:
    """Return the codes of a layout with prefixes, with its columns joined, shape (n_rows,)."""
    if len(layout.levels) == 1:
        return completed_codes(sheet, layout.levels[0], layout, notes)
    return pc.binary_join_element_wise(*(sheet.column(name) for name in layout.levels), "")


def completed_codes(sheet: Sheet, name: str, layout: Layout, notes: Notebook) -> Text:
    """Return a column of codes without their geographic prefixes and with their leading zeros.

    Each change is reported as a correction.
    """
    text = sheet.column(name)
    bare = bare_codes(text)
    if not bare.equals(text):
        notes.repair(
            "geo-id",
            f"in codes of column {shown_code(name)}, the beginning that states the level was left "
            "out",
        )
    filled = filled_codes(bare, layout.fill, 0, layout)
    if not filled.equals(bare):
        changed = int((as_mask(pc.not_equal(filled, bare))).sum())
        notes.repair(
            "zeros",
            f"leading zeros were restored in codes of column {shown_code(name)}, which have "
            f"{layout.fill} digits ({counted(changed, 'row')})",
        )
    return filled


def filled_codes(text: Text, width: int, level: int, layout: Layout) -> Text:
    """Return the codes with leading zeros up to `width`, if they are digits of the last level."""
    if not width or level != len(layout.levels) - 1:
        return text
    digits = pc.match_substring_regex(text, "^[0-9]+$")
    return pc.if_else(digits, pc.utf8_lpad(text, width, padding="0"), text)


def report_blank_regions(
    sheet: Sheet,
    blank: BoolArray,
    name: str,
    notes: Notebook,
    *,
    below: str = "",
    levels: Sequence[str] = (),
    records: bool = False,
) -> None:
    """Report the rows without a region as an error.

    Args:
        sheet: the table as text.
        blank: True for rows without a region, shape (n_rows,).
        name: the column of codes that is blank there.
        notes: receives the error.
        below: the column of the last level, if regions can be identified by it alone.
        levels: all columns of levels, if the table can be read without this one.
        records: rows are records, of which one repeats no cell of another unless most are blank.
    """
    positions, count = sheet.places(blank, name)
    if sheet.weights is not None:
        count = int(sheet.weights[blank].sum())  # rows that were grouped
    mostly = 2 * int(blank.sum()) > sheet.n_rows
    choices = blank_choices(
        name,
        below,
        in_order=sheet.weights is None
        and _below_others(blank)
        and _opens_block(sheet, blank)
        and (mostly or not records)
        and not contradicted_fill(sheet, name)[0],
        mostly=mostly,
        levels=levels,
    )
    if blank.all() or (mostly and not records and len(choices) > 1 and blank[0]):
        choices = tuple(choice for choice in choices if "leave_out" not in choice.stated)
    notes.fault(
        "blank-code",
        "a row names no area",
        "Enter the code or name of the area, or leave the row out.",
        places=positions,
        count=count,
        choices=choices,
    )


def _below_others(blank: BoolArray) -> bool:
    """Return whether some blank cell is below a filled one, whose value it may repeat.

    If all are blank, the filled ones were in rows that were left out, such as headings.
    """
    return bool(blank[int(np.argmin(blank)) :].any())


def _opens_block(sheet: Sheet, blank: BoolArray) -> bool:
    """Return whether the first row may open a block, so that it is filled or that of a total.

    Where it is blank, a name may stand in the middle of its block.
    """
    if not blank[0] or blank.all():
        return True
    first = pa.array([text[0].as_py() for text in sheet.columns], pa.string())
    return bool(called_total(first).any())


def report_padding(copies: int, notes: Notebook) -> None:
    """Report that regions without children were repeated on the levels below them."""
    if copies:
        notes.repair(
            "ragged",
            "some areas have no sub-areas, so each of them was repeated on the levels below it "
            f"({by_number(copies, '1 copy', f'{copies:,} copies')})",
        )


def leading_codes(ids: Sequence[str]) -> list[str]:
    """Return the code at the beginning of each id such as "X01: Ash".

    All codes are blank if fewer than nine tenths of the ids begin with a code of their own.

    >>> leading_codes(["X01: Ash", "X02: Elm"]), leading_codes(["Ash", "X02: Elm"])
    (['X01', 'X02'], ['', ''])
    """
    starts = [re.match("([A-Za-z]*[0-9]+|[A-Z]{2,4})(:| -)? ", code) for code in ids]
    codes = [start[1] if start else "" for start in starts]
    return codes if len(set(codes) - {""}) >= _NEARLY_ALL * len(ids) else [""] * len(ids)
