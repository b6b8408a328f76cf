"""Regions from a column of codes and a column with the codes of their parents."""

from collections import Counter

import numpy as np

from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Regions
from hierdp_core.readers.build.region_codes import (
    Places,
    completed_codes,
    filled_codes,
    report_blank_regions,
    report_padding,
)
from hierdp_core.readers.columns.codes import bare_codes
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.text import counted

_SHOWN = 5
_MOST_LEVELS = 20


def places_by_parent(sheet: Sheet, layout: Layout, notes: Notebook) -> Places | None:
    """Return the regions of codes and their parents, adding a missing root.

    The result is None where there are errors, which are reported.
    """
    codes = completed_codes(sheet, layout.levels[0], layout, notes).to_pylist()
    parents = filled_codes(
        bare_codes(sheet.column(layout.parent)), layout.fill, 0, layout
    ).to_pylist()
    _check_edges(sheet, layout, codes, parents, notes)
    if notes.faulty:
        return None
    above = {code: parent or None for code, parent in zip(codes, parents, strict=True)}
    for code in [code for code, parent in above.items() if parent == code]:
        above[code] = None  # some tables write the root as its own parent
    added = dict.fromkeys(p for p in above.values() if p is not None and p not in above)
    roots = [code for code, parent in above.items() if parent is None]
    below = [code for code, parent in above.items() if parent in added]
    if added and not roots and len(below) == 1:
        above[below[0]] = None  # the only region without a row above it is the whole
        added = {}
    if added and not roots and len(added) == 1:
        above = {next(iter(added)): None, **above}
        notes.repair(
            "root-added",
            f"the root {shown_code(next(iter(added)))} has no row of its own, so it was added",
        )
    elif added:
        orphans = [code for code, parent in above.items() if parent in added]
        notes.fault(
            "orphan",
            "the parent of an area has no row",
            "Add a row for the parent, or correct its code.",
            places=[f"area {shown_code(code)}" for code in orphans[:_SHOWN]],
            count=len(orphans),
        )
    elif len(roots) > 1:
        top = "all" if "all" not in above else "everything"
        above = {top: None} | {c: top if p is None else p for c, p in above.items()}
        notes.repair(
            "several-roots",
            f"{len(roots):,} areas have no parent, so a root above them was added",
        )
    if notes.faulty:
        return None
    shown = sheet.column(layout.names[-1]).to_pylist() if layout.names else []
    names = dict(zip(codes, shown, strict=True)) if shown else {}
    return regions_of_parents(codes, above, names, layout, notes)


def _check_edges(
    sheet: Sheet, layout: Layout, codes: list[str], parents: list[str], notes: Notebook
) -> None:
    blank = np.array([not code for code in codes])
    if blank.any():
        report_blank_regions(sheet, blank, layout.levels[0], notes)
    seen: dict[str, str] = {}
    two: list[str] = []
    twice: list[str] = []
    for code, parent in zip(codes, parents, strict=True):
        if code in seen and code:
            (twice if seen[code] == parent else two).append(code)
        seen[code] = parent
    for id, repeated, what in (
        ("two-parents", two, "an area has more than one parent"),
        ("duplicate", twice, "an area has more than one row"),
    ):
        if repeated:
            counted = list(Counter(repeated))
            notes.fault(
                id, what, "Remove the wrong rows.",
                places=[f"area {shown_code(code)}" for code in counted[:_SHOWN]],
                count=len(counted),
            )  # fmt: skip
    selves = [c for c, p in zip(codes, parents, strict=True) if c and c == p]
    rootless = all(p for p in parents)
    if selves and not (len(selves) == 1 and rootless):
        notes.fault(
            "self-loop", "an area is its own parent",
            "Correct the code of its parent. Leave it blank for the root, the area that contains "
            "all others.",
            places=[f"area {shown_code(code)}" for code in selves[:_SHOWN]], count=len(selves),
        )  # fmt: skip


def _depths(above: dict[str, str | None], notes: Notebook) -> dict[str, int]:
    depth: dict[str, int] = {}
    cyclic: list[str] = []
    for code in above:
        path: list[str] = []
        at: str | None = code
        on_path: set[str] = set()
        while at is not None and at not in depth and at not in on_path:
            path.append(at)
            on_path.add(at)
            at = above.get(at)
        if at is not None and at in on_path:
            cyclic += path
            depth |= dict.fromkeys(path, 0)
            continue
        base = -1 if at is None else depth[at]
        for step, each in enumerate(reversed(path), start=1):
            depth[each] = base + step
    if cyclic:
        notes.fault(
            "cycle", "the parents of some areas form a loop", "Correct one of these parents.",
            places=[f"area {shown_code(code)}" for code in cyclic[:_SHOWN]], count=len(cyclic),
        )  # fmt: skip
    elif depth and max(depth.values()) >= _MOST_LEVELS:
        notes.fault(
            "too-deep", f"the hierarchy has more than {_MOST_LEVELS} levels",
            "Remove levels, or correct a wrong parent.",
        )  # fmt: skip
    return depth


def regions_of_parents(
    codes: list[str],
    above: dict[str, str | None],
    names: dict[str, str],
    layout: Layout,
    notes: Notebook,
    *,
    usual: tuple[str, ...] = (),
) -> Places | None:
    """Return the regions of a tree, given the parent of each code; None where it is not a tree.

    Args:
        codes: the codes of the rows, in their order.
        above: the parent of each code, in any order; None for the root.
        names: the name of each code; blank names are ignored.
        layout: what the levels are called.
        notes: receives the findings.
        usual: what levels below the top are called if it is not stated, where their number fits.
    """
    depth = _depths(above, notes)
    if notes.faulty or not depth:
        return None
    n_levels = max(depth.values()) + 1
    titles = layout.level_names or usual
    if layout.level_names and len(titles) not in (n_levels - 1, n_levels):
        notes.fault(
            "level-names",
            f"has {counted(n_levels - 1, 'level')} below the top, and level_names states "
            f"{counted(len(titles), 'name')}",
            "State one name for each level below the top.",
        )
        return None
    if len(titles) == n_levels - 1:
        titles = ("total", *titles)
    elif len(titles) != n_levels:
        titles = ("total", *(f"level {k}" for k in range(1, n_levels)))
    names = {code: name for code, name in names.items() if name}
    try:
        regions = Regions.from_parents(above, levels=titles, names=names)
    except HierarchyError as error:
        notes.fault("hierarchy", str(error).rstrip("."), "Correct the rows.")
        return None
    report_padding(int(regions.padded.sum()), notes)
    tree = regions.tree
    node_of = {regions.ids[i]: i for i in range(tree.n_nodes - 1, -1, -1)}
    leaf_of = {
        regions.ids[i]: i - tree.leaves.start for i in range(tree.leaves.start, tree.n_nodes)
    }
    return Places(
        regions=regions,
        node=np.array([node_of[code] for code in codes], dtype=np.int64),
        leaf=np.array([leaf_of.get(code, -1) for code in codes], dtype=np.int64),
    )
