"""Several blocks of columns of sizes: family households of 2, 3, …, and others of 1, 2, …."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.measure import Measure
from hierdp_core.readers.columns.partitions import year_in
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.vocabulary import NOT_A_COUNT, plain_name, size_in
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.text import join_and

ADDED_UP = "added up"  # stated where columns of one size are added up
_PLACE = re.compile(r" \((row|column) [0-9]+\)$")
_KIND = re.compile(r".*(famil|household|hh|menage|haushalt|hogar|owner|renter).*")
_ROW = re.compile(r" \(row [0-9]+\)$")
_MIN_SIZES = 3  # sizes of a block
_MAX_BLOCKS = 6


@dataclass(frozen=True, kw_only=True)
class _Size:
    """A column of groups of one size: its name, its size, and whether it has larger groups."""

    column: str
    size: int
    more: bool


Block = tuple[_Size, ...]
Blocks = tuple[Block, ...]


def size_blocks(names: Sequence[str]) -> Blocks:
    """Return the blocks of columns that count groups of the same sizes; empty for other columns.

    At least one block begins with size 1, and all end with the same size.

    >>> names = [f"{kind}!!{n} persons" for kind in ("Owners", "Renters") for n in (1, 2, 3)]
    >>> [[one.size for one in block] for block in size_blocks(names)]
    [[1, 2, 3], [1, 2, 3]]
    >>> size_blocks(["1 person", "2 persons", "3 persons"])
    ()
    """
    blocks: list[list[_Size]] = []
    for name in names:
        one = _size_of(name)
        if one is None:
            continue
        if not blocks or one.size != blocks[-1][-1].size + 1:
            blocks.append([])
        blocks[-1].append(one)
    ends = {(block[-1].size, block[-1].more) for block in blocks}
    starts = {block[0].size for block in blocks}
    short = any(len(block) < _MIN_SIZES or any(one.more for one in block[:-1]) for block in blocks)
    if not 1 < len(blocks) <= _MAX_BLOCKS or short or len(ends) > 1 or not starts <= {1, 2}:
        return ()
    return tuple(map(tuple, blocks)) if 1 in starts else ()


def _counts_members(facts: SheetFacts, block: Block, blocks: Sequence[Block]) -> bool:
    """Return whether a block counts the members of the groups that another block counts."""
    for other in blocks:
        pairs = [
            (own.size, facts[own.column].values, facts[whole.column].values)
            for own, whole in zip(block, other, strict=False)
            if own.size == whole.size > 1 and not own.more
        ]
        if pairs and all(
            groups.any() and np.array_equal(members, size * groups)
            for size, members, groups in pairs
        ):
            return True
    return False


def _size_of(name: str) -> _Size | None:
    """Return the size that a column of a block counts; None for other columns and for years."""
    bare = _PLACE.sub("", name)
    *before, last = bare.split("!!")
    if year_in(bare) or any(NOT_A_COUNT.fullmatch(plain_name(part)) for part in before):
        return None
    parsed = size_in(last)
    words = plain_name(bare).split("_")
    for k in range(1, len(words)):
        if parsed is None and not before and _KIND.fullmatch("_".join(words[:k])):
            parsed = size_in("_".join(words[k:]))
    return None if parsed is None else _Size(column=name, size=parsed[0], more=parsed[1])


def blocks_of_sizes(
    facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]
) -> Measure | None:
    """Ask a question if several blocks of columns count groups of the same sizes."""
    blocks = size_blocks([n for n in free if facts[n].numeric])
    members = [block for block in blocks if _counts_members(facts, block, blocks)]
    if not blocks or stated.keys() & {"blocks", "sizes", "count", "parts", "group", "size"}:
        return None
    totals = _totals(facts, free, blocks)
    taken = {one.column for block in blocks for one in block}
    whole = {"kind": "group-sizes", "blocks": ADDED_UP}
    # Rows under the same words are those of several years, whose headings are not in the labels.
    alike = (
        all(_ROW.search(name) for name in taken) and len({block[0].size for block in blocks}) == 1
    )
    summed = Choice(words="columns of the same size are added up", stated=whole)
    apart = alike or bool(members)
    choices = [] if apart else [summed]
    for block in blocks:
        if block[0].size == 1 and block not in members:
            names = tuple(one.column for one in block)
            stated_sizes = {"kind": "group-sizes", "sizes": names, "first_size": 1}
            words = f"only columns {shown_code(names[0])} to {shown_code(names[-1])} are read"
            more = {"top_coded": True} if block[-1].more else {}
            choices.append(Choice(words=words, stated=stated_sizes | more))
    choices += [
        Choice(words=f"column {shown_code(name)} holds the counts",
               stated={"kind": "counts", "count": name})
        for name in totals
    ]  # fmt: skip
    ends = [f"{shown_code(block[0].column)} to {shown_code(block[-1].column)}" for block in blocks]
    first = blocks[0]
    return Measure(
        words={
            "kind": "group-sizes", "row": "region", "sizes": tuple(one.column for one in first),
            "first_size": first[0].size, "top_coded": first[-1].more,
        },
        taken=frozenset({*taken, *totals}),
        question=Question(
            what=f"columns {join_and(ends)} each count groups by size. It is not clear which of "
            "them to read"
            if apart
            else f"columns {join_and(ends)} each count groups by size. It is not clear whether "
            "columns of the same size are added up",
            choices=tuple(choices),
        ),
    )  # fmt: skip


def _totals(facts: SheetFacts, names: Sequence[str], blocks: Blocks) -> list[str]:
    """Return the columns with the sum of all blocks, and then those with the sum of one of them."""
    sums = [np.sum([facts[one.column].values for one in block], axis=0) for block in blocks]
    inside = {one.column for block in blocks for one in block}
    return [
        name for values in (np.sum(sums, axis=0), *sums) for name in names
        if name not in inside and facts[name].numeric
        and np.array_equal(facts[name].values, values, equal_nan=True)
    ]  # fmt: skip


def added_blocks(sheet: Sheet, notes: Notebook) -> Sheet:
    """Return the table with one column for each size, in which the columns of all blocks are added.

    A cell that is not a number replaces the sum. Columns with the sum of one block are left out.

    Raises:
        Unreadable: there are no such blocks.
    """
    facts = SheetFacts(sheet)
    blocks = size_blocks([n for n in sheet.names if facts[n].numeric])
    if not blocks or sheet.partial:
        raise notes.unreadable(
            "no-blocks", "has no two blocks of columns that count groups of the same sizes",
            "Remove the setting blocks.",
        )  # fmt: skip
    columns = {name: ColumnFacts(name, sheet.column(name)) for name in sheet.names}
    inside = {one.column for block in blocks for one in block}
    parts = [np.sum([columns[one.column].values for one in block], axis=0) for block in blocks]
    kept = {
        name: column.text for name, column in columns.items()
        if name not in inside
        and not any(column.numeric and np.array_equal(column.values, part) for part in parts)
    }  # fmt: skip
    first, last = min(block[0].size for block in blocks), blocks[0][-1]
    for size in range(first, last.size + 1):
        same = [columns[one.column] for block in blocks for one in block if one.size == size]
        label = f"{size} or more persons" if size == last.size and last.more else f"{size} persons"
        kept["1 person" if size == 1 else label] = _added(same)
    notes.repair("blocks", f"{len(blocks)} blocks of columns of sizes were added up")
    return Sheet(
        file=sheet.file, names=tuple(kept), columns=tuple(kept.values()), rows=sheet.rows,
        weights=sheet.weights, separator=sheet.separator, heading=sheet.heading,
        indents={name: depth for name, depth in sheet.indents.items() if name in kept},
    )  # fmt: skip


def _added(columns: Sequence[ColumnFacts]) -> pa.Array:
    """Return the sums of columns as text; a cell that is not a number stands for its sum."""
    sums = np.sum([column.values for column in columns], axis=0)
    cells = [f"{value:.0f}" if value % 1 == 0 else str(value) for value in sums.tolist()]
    for column in columns:
        for row in np.flatnonzero(np.isnan(column.values)).tolist():
            cells[row] = column.text[row].as_py()
    return pa.array(cells, pa.string())
