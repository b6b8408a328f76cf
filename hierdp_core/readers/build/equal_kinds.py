"""Rows of several kinds with equal sums, such as states and counties in one column of regions."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.outline import NONE
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import counted, join_and

_MOST_KINDS = 12
_LEAST_ROWS = 2  # of a kind
_NEARLY = 0.001  # of a sum
_MOST_OUT = 400  # codes that an answer leaves out
_LEAST_SUM = 10_000  # a smaller common sum may be chance


def check_equal_kinds(
    sheet: Sheet, values: IntArray, own: BoolArray, layout: Layout, notes: Notebook
) -> None:
    """Report an error where two kinds of rows, such as states and counties, have equal sums.

    Args:
        sheet: the table.
        values: the counts, shape (n_rows,).
        own: True for rows of regions on the last level, shape (n_rows,).
        layout: what the columns mean.
        notes: receives the error.
    """
    if layout.totals == "none":
        return
    chosen = pa.array(own)
    for name in sheet.names:
        if name in layout.columns:
            continue
        encoded = sheet.column(name).filter(chosen).dictionary_encode()
        if not 2 <= len(encoded.dictionary) <= _MOST_KINDS:
            continue
        index = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
        sums = np.zeros(len(encoded.dictionary), dtype=np.int64)
        np.add.at(sums, index, values[own])
        rows = np.bincount(index, minlength=len(sums))
        equal = _equal_kinds(sums, rows)
        if equal:
            _report(sheet, name, [encoded.dictionary[k].as_py() for k in equal], own, notes)
            return
    _check_code_lengths(sheet, values, own, layout, notes)


def _check_code_lengths(
    sheet: Sheet, values: IntArray, own: BoolArray, layout: Layout, notes: Notebook
) -> None:
    """Report an error where rows with codes of different lengths have nearly equal sums.

    Offices round the counts of each level separately, so the sums may differ slightly.
    """
    name = layout.levels[-1]
    codes = sheet.column(name)
    lengths = np.asarray(pc.utf8_length(codes).to_numpy(zero_copy_only=False), dtype=np.int64)
    are_codes = as_mask(pc.match_substring_regex(codes, "^[A-Z]{0,3}[0-9]+$"))[own].all()
    flat = len(layout.levels) == 1 and not layout.prefix and layout.outline in ("", NONE)
    if not flat or not are_codes:
        return
    sums = {kind: int(values[own & (lengths == kind)].sum()) for kind in set(lengths[own].tolist())}
    whole = max(sums.values())
    equal = sorted(k for k, total in sums.items() if whole - total <= _NEARLY * whole)
    if len(equal) < 2 or whole < _LEAST_SUM or len(codes) > _MOST_OUT:
        return
    equal.sort(key=lambda kind: -int((own & (lengths == kind)).sum()))
    shown = join_and([counted(kind, "character") for kind in equal])
    notes.fault(
        "equal-kinds",
        f"rows whose codes in column {shown_code(name)} have {shown} add up to nearly the same "
        "number, so the same people are counted more than once",
        "Keep the rows with codes of one length, and leave out the others with leave_out.",
        choices=tuple(
            Choice(
                words=f"Only codes with {kind} characters are read",
                stated={"leave_out": _pairs(name, codes.filter(pa.array(own & (lengths != kind))))},
            )
            for kind in equal
        ),
    )


def _pairs(name: str, codes: Text) -> tuple[str, ...]:
    return tuple(f"{name}={code}" for code in pc.unique(codes).to_pylist())


def _equal_kinds(sums: IntArray, rows: IntArray) -> list[int]:
    """Return kinds with the same large sum and different numbers of rows, most rows first."""
    large = (sums >= _LEAST_SUM) & (rows >= _LEAST_ROWS)
    for total in np.unique(sums[large])[::-1].tolist():
        same = np.flatnonzero(large & (sums == total))
        if len(set(rows[same].tolist())) > 1:
            return sorted(same.tolist(), key=lambda k: -int(rows[k]))
    return []


def _report(sheet: Sheet, name: str, kinds: list[str], own: BoolArray, notes: Notebook) -> None:
    first = np.asarray(own & np.asarray(pc.equal(sheet.column(name), kinds[-1])), dtype=np.bool_)
    places, count = sheet.places(first)
    notes.fault(
        "equal-kinds",
        f"rows with {shown_code(kinds[0])} and with {shown_code(kinds[-1])} in column "
        f"{shown_code(name)} have the same sum, so the same people are counted twice",
        f'Keep only one of them, such as keep = "{name}={kinds[0]}".',
        places=places,
        count=count,
        choices=tuple(
            Choice(
                words=f"Only rows with {shown_code(kind)} in column {shown_code(name)} are read",
                stated={"keep": (f"{name}={kind}",)},
            )
            for kind in kinds
        ),
    )
