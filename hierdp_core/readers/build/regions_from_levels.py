"""Regions from levels side by side: one column per level, from the root down."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.readers.build.region_codes import (
    Places,
    report_blank_regions,
    report_padding,
)
from hierdp_core.readers.columns.facts import called_total
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import nesting_choices
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import a

_SHOWN = 5


def places_by_levels(
    sheet: Sheet,
    layout: Layout,
    texts: Sequence[Text],
    titles: Sequence[str],
    root: tuple[str, str],
    notes: Notebook,
    records: bool,
    unique: bool = False,
) -> Places | None:
    """Return the regions of the rows, given the codes of each level from the root down.

    Args:
        sheet: the table as text.
        layout: what its columns mean.
        texts: for each level the codes of the rows, each of shape (n_rows,).
        titles: the names of the levels.
        root: the code and the level name of the root, used if the first level has several regions.
        notes: receives the errors and corrections.
        records: whether a row is a record, which must belong to the last level.
        unique: whether codes contain those of the regions above, so that none is ambiguous.

    Returns:
        The regions; None where there are errors.
    """
    columns = layout.levels if len(layout.levels) == len(texts) else layout.levels * len(texts)
    filled = [as_mask(pc.not_equal(text, "")) for text in texts]
    report_blank_levels(sheet, columns, filled, notes, records=records)
    if notes.faulty:
        return None
    upper = _upper_rows(texts, filled)
    below = ~upper
    if not below.any():
        notes.fault("no-rows", "no row belongs to the last level", "Add the rows of its areas.")
        return None
    nodes_of_levels = _LevelNodes(
        [text.filter(pa.array(below)) for text in texts] if upper.any() else list(texts),
        [mask[below] for mask in filled],
    )
    if not _codes_are_unique(nodes_of_levels, titles, layout, notes, unique):
        return None
    regions = _nodes_of_levels_regions(
        sheet.take(below) if upper.any() else sheet, nodes_of_levels, layout, titles, root, notes
    )
    if regions is None:
        return None
    first = regions.tree.leaves.start
    leaf = np.full(len(below), -1, dtype=np.int64)
    leaf[below] = nodes_of_levels.position[-1]
    node = leaf + first
    if upper.any():
        node[upper] = _upper_nodes(regions, texts, filled, upper, nodes_of_levels)
        regions = _with_names_of_rows(regions, node, upper, sheet, layout)
    return Places(regions=regions, leaf=leaf, node=node)


def report_blank_levels(
    sheet: Sheet,
    columns: Sequence[str],
    filled: Sequence[BoolArray],
    notes: Notebook,
    *,
    records: bool,
) -> None:
    """Report rows whose region lacks the code of a level above, as errors.

    Args:
        sheet: the table as text.
        columns: the columns of the levels from the root down.
        filled: for each level which rows have a code, each of shape (n_rows,).
        notes: receives the errors.
        records: whether a row is a record, which must belong to the last level.
    """
    top = ~filled[0]
    if top.any():
        # Regions whose names repeat cannot do without the level above.
        last = sheet.column(columns[-1]) if columns[-1] else None
        alone = last is not None and len(pc.unique(last)) == len(last)
        below, levels = (columns[-1], columns) if alone or len(columns) > 2 else ("", ())
        report_blank_regions(sheet, top, columns[0], notes, below=below, levels=levels)
    for level in range(1, len(filled)):
        gap = ~filled[level - 1] & filled[level] & ~top
        if gap.any():
            report_blank_regions(sheet, gap, columns[level - 1], notes, levels=columns)
        if not records:
            continue
        ends = filled[level - 1] & ~filled[level]
        for lower in filled[level + 1 : level + 2]:
            ends &= ~lower  # those rows have a gap
        if ends.any():
            report_blank_regions(sheet, ends, columns[level], notes)


def _upper_rows(texts: Sequence[Text], filled: Sequence[BoolArray]) -> BoolArray:
    """Return True for rows of regions above the last level that have children in other rows."""
    upper = np.zeros(len(filled[0]), dtype=np.bool_)
    if all(mask.all() for mask in filled):
        return upper
    parent = np.zeros(len(filled[0]), dtype=np.int64)
    for level, text in enumerate(texts):
        codes = text.dictionary_encode()
        index = codes.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        _, here = np.unique(parent * (len(codes.dictionary) + 1) + index, return_inverse=True)
        if level + 1 < len(texts):
            goes_on = np.zeros(here.max() + 1, dtype=np.bool_)
            goes_on[here[filled[level + 1]]] = True
            upper |= filled[level] & ~filled[level + 1] & goes_on[here]
        parent = here
    return upper


class _LevelNodes:
    """The nodes of each level, built from columns of codes, in level order.

    Attributes:
        position: for each level the node of each row, counted within the level.
        parent: for each level the parent of each node, counted within the level above.
        code: for each level the code of each node.
        first: for each level the first row of each node.
        padded: for each level whether a node is a copy of its parent.
    """

    def __init__(self, texts: Sequence[Text], filled: Sequence[BoolArray]) -> None:
        self.position: list[IntArray] = []
        self.parent: list[IntArray] = []
        self.code: list[Text] = []
        self.first: list[IntArray] = []
        self.padded: list[BoolArray] = []
        above = np.zeros(len(texts[0]), dtype=np.int64)
        for text, mask in zip(texts, filled, strict=True):
            encoded = text.dictionary_encode()
            index = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
            key, first, here = np.unique(
                above * len(encoded.dictionary) + index, return_index=True, return_inverse=True
            )
            self.position.append(here)
            self.parent.append(key // len(encoded.dictionary))
            self.code.append(encoded.dictionary.take(pa.array(key % len(encoded.dictionary))))
            self.first.append(first)
            self.padded.append(~mask[first])
            above = here


def _codes_are_unique(
    nodes_of_levels: _LevelNodes,
    titles: Sequence[str],
    layout: Layout,
    notes: Notebook,
    unique: bool,
) -> bool:
    """Return whether each code has only one parent; report an error where not."""
    if unique or layout.within:
        return True
    for level in range(1, len(titles)):
        codes = nodes_of_levels.code[level].filter(pa.array(~nodes_of_levels.padded[level]))
        counts = pc.value_counts(codes)
        several = counts.field("counts").to_numpy(zero_copy_only=False) > 1
        if several.any():
            offenders = counts.field("values").filter(pa.array(several)).to_pylist()
            n_merged = int(counts.field("counts").to_numpy(zero_copy_only=False)[several].sum())
            notes.fault(
                "two-parents",
                f"{a(titles[level])} occurs under more than one {titles[level - 1]}",
                "Correct these rows. If the same code means different areas in each "
                f"{titles[level - 1]}, set within = true.",
                places=[f"{titles[level]} {shown_code(code)}" for code in offenders[:_SHOWN]],
                count=len(offenders),
                choices=nesting_choices(
                    layout.levels,
                    level,
                    add_up=layout.row == "region",
                    merged=(n_merged, len(offenders)),
                ),
            )
    return not notes.faulty


def _nodes_of_levels_regions(
    sheet: Sheet,
    nodes_of_levels: _LevelNodes,
    layout: Layout,
    titles: Sequence[str],
    root: tuple[str, str],
    notes: Notebook,
) -> Regions | None:
    ids: list[list[str]] = []
    shown: list[list[str]] = []
    for level in range(len(titles)):
        codes = nodes_of_levels.code[level].to_pylist()
        names = _names_at(sheet, nodes_of_levels, layout, level) or codes
        if level:
            above, parent = ids[-1], nodes_of_levels.parent[level].tolist()
            if nodes_of_levels.padded[level].any():
                pad = nodes_of_levels.padded[level].tolist()
                codes = [above[p] if x else c for c, p, x in zip(codes, parent, pad, strict=True)]
                over = shown[-1]
                names = [over[p] if x else n for n, p, x in zip(names, parent, pad, strict=True)]
            if len(set(codes)) < len(codes):
                codes = _within(
                    codes, parent, above, nodes_of_levels.padded[level], titles[level], notes
                )
        ids.append(codes)
        shown.append([name or code for name, code in zip(names, codes, strict=True)])
    return _assembled(nodes_of_levels, ids, shown, titles, root, notes)


def _assembled(
    nodes_of_levels: _LevelNodes,
    ids: list[list[str]],
    shown: list[list[str]],
    titles: Sequence[str],
    root: tuple[str, str],
    notes: Notebook,
) -> Regions | None:
    sizes = [len(level) for level in ids]
    levels = tuple(titles)
    rooted = sizes[0] > 1
    if rooted:
        ids, shown = [[root[0]], *ids], [["All areas" if root[0] == "all" else root[0]], *shown]
        name = root[1] if root[1] not in levels else "everything"
        levels, sizes = (name, *levels), [1, *sizes]
    start = np.concatenate([[0], np.cumsum(sizes)])
    parents = [np.full(1, -1, dtype=np.int64)]
    below = nodes_of_levels.parent if rooted else nodes_of_levels.parent[1:]
    parents += [own + start[level] for level, own in enumerate(below)]
    padded = [
        np.zeros(1, dtype=np.bool_),
        *(nodes_of_levels.padded if rooted else nodes_of_levels.padded[1:]),
    ]
    report_padding(int(np.concatenate(padded).sum()), notes)
    if len(set(levels)) < len(levels):
        notes.fault(
            "level-names",
            "two levels have the same name",
            "Give each level a name of its own in level_names.",
        )
        return None
    try:
        return Regions(
            tree=Hierarchy(parent=np.concatenate(parents), level_start=start),
            levels=levels,
            ids=tuple(code for level in ids for code in level),
            names=tuple(name for level in shown for name in level),
            padded=np.concatenate(padded),
        )
    except HierarchyError as error:
        notes.fault("hierarchy", str(error).split(". ")[0], "Correct the codes.")
        return None


def _names_at(sheet: Sheet, nodes_of_levels: _LevelNodes, layout: Layout, level: int) -> list[str]:
    """Return the first name of each node that is not blank; an empty list without names."""
    n_levels = len(nodes_of_levels.code)
    if len(layout.names) == n_levels:
        column = layout.names[level]
    else:
        column = layout.names[-1] if layout.names and level == n_levels - 1 else ""
    if not column:
        return []
    cells = sheet.column(column)
    first = nodes_of_levels.first[level].copy()
    named = np.flatnonzero(as_mask(pc.not_equal(cells, "")))
    nodes, at = np.unique(nodes_of_levels.position[level][named], return_index=True)
    first[nodes] = named[at]
    names: list[str] = cells.take(pa.array(first)).to_pylist()
    return names


def _within(
    codes: list[str],
    parent: list[int],
    above: list[str],
    padded: BoolArray,
    title: str,
    notes: Notebook,
) -> list[str]:
    """Return codes made unique by putting the code of the parent in front.

    A slash separates the two unless all codes are digits of one length.
    """
    digits = all(c.isdigit() for c in codes) and all(a.isdigit() for a in above)
    even = len({len(c) for c in codes}) == 1 and len({len(a) for a in above}) == 1
    mark = "" if digits and even else "/"
    example = int(np.argmin(padded))
    notes.repair(
        "within",
        f"codes of the level “{title}” repeat below several areas, so each was written with the "
        f"code of the area above, such as {above[parent[example]]}{mark}{codes[example]}",
    )
    return [
        code if pad else f"{above[p]}{mark}{code}"
        for code, p, pad in zip(codes, parent, padded.tolist(), strict=True)
    ]


def _with_names_of_rows(
    regions: Regions, node: IntArray, upper: BoolArray, sheet: Sheet, layout: Layout
) -> Regions:
    """Return the regions with names of upper levels from the last name in their own rows."""
    columns = [name for name in layout.names if name]
    if not columns or layout.destinations or not layout.prefix:
        return regions
    names = list(regions.names)
    for column in reversed(columns):
        cells = sheet.column(column)
        # "Total" in place of a lower name is not a name of the region above.
        named = upper & ~called_total(cells) if len(columns) > 1 else upper
        texts = cells.to_pylist()
        for row in np.flatnonzero(named).tolist():
            at = int(node[row])
            if names[at] == regions.ids[at]:
                names[at] = texts[row] or names[at]
    return replace(regions, names=tuple(names))


def _upper_nodes(
    regions: Regions,
    texts: Sequence[Text],
    filled: Sequence[BoolArray],
    upper: BoolArray,
    nodes_of_levels: _LevelNodes,
) -> IntArray:
    """Return the node of each row of a region above the last level, shape (n_upper_rows,)."""
    shift = regions.tree.n_levels - len(texts)
    rows = np.flatnonzero(upper)
    depth = np.sum([mask[rows] for mask in filled], axis=0) - 1
    paths = [text.take(pa.array(rows)).to_pylist() for text in texts]
    children: list[dict[tuple[int, str], int]] = [
        {(int(p), c): i for i, (p, c) in enumerate(zip(parent, code.to_pylist(), strict=True))}
        for parent, code in zip(nodes_of_levels.parent, nodes_of_levels.code, strict=True)
    ]
    nodes = []
    for i, deep in enumerate(depth.tolist()):
        at = 0
        for level in range(deep + 1):
            at = children[level][at, paths[level][i]]
        nodes.append(int(regions.tree.level_start[deep + shift]) + at)
    return np.array(nodes, dtype=np.int64)
