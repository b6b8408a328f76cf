"""Rows of several kinds with equal sums, such as states and counties in one column of regions."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.outline import NONE
from hierdp_core.readers.columns.question import KEEP_CHOICE, Choice
from hierdp_core.readers.columns.sums import CERTAIN
from hierdp_core.readers.columns.vocabulary import LEVEL_WORDS, plain_name
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code, shown_codes
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import counted, join_and

_MOST_KINDS = 12
_MOST_ROWS = 50_000  # rows of which further columns are read
_LEAST_ROWS = 2  # of a kind
_LARGEST_EXACT = 2**53  # of a sum; floats represent all integers up to it
_NEARLY = 0.001  # of a sum
_MOST_OUT = 400  # codes that an answer leaves out
_MOST_SUMMED = 5_000  # rows of which sums are tried
_MOST_SUMS = 12  # rows that are sums of all others
_LEAST_SUMMED = 4  # rows before them
_LEAST_EACH = 2  # rows before them for each
_DEVIATIONS = 4  # of the error of sums of rounded numbers
_BY_CHANCE = 0.01  # probability of such sums in a list of other numbers, at most
_SHOWN = 4
_LEAST_SUM = 10_000  # a smaller common sum may be chance
_LEAST_BLOCKS = 6  # rows of a list that may have blocks
_NEARLY_NAMED = 0.005  # relative difference of sums, where names contain a word for the level


def check_equal_kinds(
    sheet: Sheet, values: IntArray, own: BoolArray, layout: Layout, notes: Notebook
) -> None:
    """Report an error where two kinds of rows, such as states and counties, have equal sums.

    Args:
        sheet: the table.
        values: the counts, shape (n_rows,) or (n_rows, n_columns).
        own: True for rows of regions on the last level, shape (n_rows,).
        layout: what the columns mean.
        notes: receives the error.
    """
    if layout.totals == "none" or not len(values):
        return
    columns = values.reshape(len(values), -1)
    values = columns.sum(axis=1)
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
    if _check_other_numbers(sheet, own, layout, notes):
        return
    _check_code_lengths(sheet, values, own, layout, notes)
    if _is_flat(layout) and not notes.faulty:
        _check_blocks(sheet, columns, own, layout, notes)
    if _is_flat(layout) and not notes.faulty:
        _check_summary_rows(sheet, values, own, layout, notes)
    if _is_flat(layout) and not notes.faulty:
        _check_named_kinds(sheet, values, own, layout, notes)


def _check_other_numbers(sheet: Sheet, own: BoolArray, layout: Layout, notes: Notebook) -> bool:
    """Report an error where two kinds of rows have equal sums in a column that is not used.

    The counts themselves may be withheld or rounded in some rows. Return whether there is an error.
    """
    facts = SheetFacts(sheet.take(own)) if sheet.n_rows <= _MOST_ROWS else None
    if facts is None:
        return False
    free = [facts[n] for n in sheet.names if n not in layout.columns]
    kinds = [c for c in free if 2 <= c.distinct_filled <= _MOST_KINDS]
    numbers = [c for c in free if c.numeric and c.whole == 1.0 and not c.leading_zeros]
    for column in numbers if kinds else ():
        if np.isnan(column.values).any() or (column.values < 0).any():
            continue
        if column.values.sum() > _LARGEST_EXACT:  # identifiers, or sums that floats would round
            continue
        for kind in kinds:
            sums = np.bincount(kind.index, weights=column.values).astype(np.int64)
            equal = _equal_kinds(sums, np.bincount(kind.index))
            if equal and kind is not column:
                cells = [kind.cell(k) for k in equal]
                _report(sheet, kind.name, cells, own, notes, of=column.name)
                return True
    return False


def _is_flat(layout: Layout) -> bool:
    """Return whether one column holds all regions, and each row is a region of the same level."""
    return len(layout.levels) == 1 and not layout.prefix and layout.outline in ("", NONE)


def _check_blocks(
    sheet: Sheet, columns: IntArray, own: BoolArray, layout: Layout, notes: Notebook
) -> None:
    """Report an error where the list has two or three blocks of rows with exactly equal sums.

    An example is a list of areas with all municipalities below the last region. By chance, a
    block ends at such a sum with a probability of about one over the mean of its rows.
    """
    rows = np.flatnonzero(own)
    sums = columns[rows].cumsum(axis=0)
    if len(rows) < _LEAST_BLOCKS or sums[-1].sum() < _LEAST_SUM:
        return
    for times in (2, 3):
        if (sums[-1] % times).any():
            continue
        part = sums[-1] // times
        ends = [np.flatnonzero((sums == k * part).all(axis=1)) for k in range(1, times)]
        if not all(len(end) for end in ends):
            continue
        starts = [0, *(int(end[-1]) + 1 for end in ends), len(rows)]
        blocks = [rows[a:b] for a, b in pairwise(starts)]
        if len({len(block) for block in blocks}) < times or min(map(len, blocks)) < _LEAST_ROWS:
            continue
        means = np.maximum(columns[rows].mean(axis=0), 1.0)
        certain = float(np.prod(1 / means)) * times <= CERTAIN
        _report_blocks(sheet, blocks, layout, notes, certain=certain)
        return


def _check_summary_rows(
    sheet: Sheet, values: IntArray, own: BoolArray, layout: Layout, notes: Notebook
) -> None:
    """Report an error where a few rows are nearly the sums of all rows before or after them.

    An example is the list of New Zealand's islands below all of its districts, where every number
    is rounded to a multiple of 3.
    """
    rows = np.flatnonzero(own)
    if not _LEAST_BLOCKS <= len(rows) <= _MOST_SUMMED:
        return
    counts = values[rows]
    span = summary_rows(counts)
    if span is None and (turned := summary_rows(counts[::-1])) is not None:
        span = (len(rows) - turned[1], len(rows) - turned[0])
    if span is None:
        return
    name = layout.levels[0]
    cells = sheet.column(name).take(pa.array(rows[slice(*span)])).to_pylist()
    notes.fault(
        "equal-kinds",
        f"the rows {shown_codes(cells, shown=_SHOWN)} in column {shown_code(name)} are nearly the "
        "sums of all other rows, in the same order, so the same people would be counted twice",
        "If they are totals, leave them out with leave_out.",
        choices=(
            Choice(
                words="These rows are totals: leave them out",
                stated={"leave_out": tuple(f"{name}={cell}" for cell in cells)},
            ),
            KEEP_CHOICE,
        ),
    )


def summary_rows(counts: IntArray) -> tuple[int, int] | None:
    """Return the first and the next row after a run of sums of all rows before; None by chance.

    The rows before are divided into as many groups of neighbours as the run has rows, and each row
    is nearly the sum of one group, in their order. Rounded numbers may differ by chance from these
    sums by about their step times the root of the number of rows.

    >>> counts = np.array([12033, 24066, 36099, 9933, 40020, 21000, 15000, 72195, 85956, 300])
    >>> summary_rows(counts)
    (7, 9)
    """
    n, step = len(counts), max(int(np.gcd.reduce(counts)), 1)
    partial = np.concatenate([[0], counts.cumsum()])
    before = np.arange(n + 1)
    near = _DEVIATIONS * step * np.sqrt(before)
    mean = np.maximum(partial / np.maximum(before, 1), 1.0)
    for length in range(2, min(_MOST_SUMS, n - _LEAST_SUMMED) + 1):
        starts = before[_LEAST_SUMMED : n - length + 1]
        starts = starts[starts >= _LEAST_EACH * length]
        sums = partial[starts + length] - partial[starts]
        for start in starts[np.abs(sums - partial[starts]) <= near[starts]].tolist():
            ends = partial[start + 1 : start + length + 1] - partial[start]
            place = np.searchsorted(partial[: start + 1], ends - near[start])
            misses = np.abs(partial[np.minimum(place, start)] - ends)
            chance = float(
                np.prod(np.minimum(2 * near[start] / mean[start], 1.0) * np.ones(length))
            )
            rising = (np.diff(place) > 1).all()
            if (misses <= near[start]).all() and rising and chance * n * length <= _BY_CHANCE:
                return start, start + length
    return None


def _report_blocks(
    sheet: Sheet, blocks: Sequence[IntArray], layout: Layout, notes: Notebook, *, certain: bool
) -> None:
    """Report blocks of rows with equal sums, with an answer for each that reads it alone."""
    name = layout.levels[0]
    codes = sheet.column(name)
    ordered = sorted(blocks, key=len, reverse=True)
    choices = [
        Choice(
            words=f"Only the {counted(len(block), 'row')} from "
            f"{shown_code(codes[int(block[0])].as_py())} to "
            f"{shown_code(codes[int(block[-1])].as_py())} are read",
            stated={"leave_out": pairs},
        )
        for block in ordered
        if len(pairs := _pairs(name, _others(codes, blocks, block))) <= _MOST_OUT
    ]
    notes.fault(
        "equal-kinds",
        f"{len(blocks)} blocks of rows in column {shown_code(name)} have the same sum, as lists "
        "of upper and lower areas have, so the same people would be counted more than once",
        "Read only one of them, and leave out the others with leave_out.",
        places=[sheet.place(int(block[0])) for block in blocks],
        count=len(blocks),
        choices=(*choices, *(() if certain else (KEEP_CHOICE,))),
    )


def _others(codes: Text, blocks: Sequence[IntArray], block: IntArray) -> Text:
    """Return the codes of the rows of all other blocks."""
    rows = np.concatenate([other for other in blocks if other is not block])
    return codes.take(pa.array(rows))


def _check_named_kinds(
    sheet: Sheet, values: IntArray, own: BoolArray, layout: Layout, notes: Notebook
) -> None:
    """Report an error where regions named by a word for a level have the sum of all others.

    An example is "Region North" among municipalities. Their sums may differ slightly, because parts
    of an upper region may be unpublished.
    """
    rows = np.flatnonzero(own)
    for name in dict.fromkeys((*layout.levels, *filter(None, layout.names))):
        cells = sheet.column(name).to_pylist()
        called = [_level_word(cells[row]) for row in rows.tolist()]
        for word, often in Counter(filter(None, called)).most_common(_MOST_KINDS):
            inside = np.array([own_word == word for own_word in called], dtype=np.bool_)
            upper, lower = int(values[rows[inside]].sum()), int(values[rows[~inside]].sum())
            if often < _LEAST_ROWS or often == len(rows) or min(upper, lower) < _LEAST_SUM:
                continue
            if abs(upper - lower) > _NEARLY_NAMED * max(upper, lower):
                continue
            codes = sheet.column(layout.levels[0])
            kinds = [rows[~inside], rows[inside]]
            near = "exactly" if upper == lower else "nearly"
            texts = (f"Rows that are called {shown_code(word)} are left out",
                     f"Only rows that are called {shown_code(word)} are read")  # fmt: skip
            notes.fault(
                "equal-kinds",
                f"{often} rows whose names contain {shown_code(word)} add up to {near} the same "
                "number as all other rows, so the same people would be counted twice",
                "Read only one kind of rows, and leave out the others with leave_out.",
                places=[sheet.place(int(rows[inside][0]))],
                count=often,
                choices=(
                    *(
                        Choice(words=text, stated={"leave_out": pairs})
                        for text, kind in zip(texts, kinds, strict=True)
                        if len(pairs := _pairs(layout.levels[0], _others(codes, kinds, kind)))
                        <= _MOST_OUT
                    ),
                    *(() if upper == lower else (KEEP_CHOICE,)),
                ),
            )
            return


def _level_word(cell: str) -> str:
    """Return the word for a level with which a name of several words begins or ends, else empty.

    >>> _level_word("Region Hovedstaden"), _level_word("Los Lagos region"), _level_word("Odense")
    ('region', 'region', '')
    """
    parts = plain_name(cell).split("_")
    ends = (parts[0], parts[-1]) if len(parts) > 1 else ()
    return next((part for part in ends if part in LEVEL_WORDS), "")


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
    if not _is_flat(layout) or not are_codes:
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


def _report(
    sheet: Sheet, name: str, kinds: list[str], own: BoolArray, notes: Notebook, *, of: str = ""
) -> None:
    """Report kinds of rows with equal sums, of the counts or of another column of numbers."""
    first = np.asarray(own & np.asarray(pc.equal(sheet.column(name), kinds[-1])), dtype=np.bool_)
    places, count = sheet.places(first)
    notes.fault(
        "equal-kinds",
        f"rows with {shown_code(kinds[0])} and with {shown_code(kinds[-1])} in column "
        f"{shown_code(name)} have the same sum, so the same people are counted twice"
        if not of
        else f"in column {shown_code(of)}, rows with {shown_code(kinds[0])} and with "
        f"{shown_code(kinds[-1])} in column {shown_code(name)} have the same sum. The same people "
        "are probably counted twice",
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
