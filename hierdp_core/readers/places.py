"""Regions from columns: levels side by side, codes with the code above, codes by prefix."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.arrays import BoolArray, IntArray
from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.readers.codes import bare_codes, level_parts, scheme_of_prefix
from hierdp_core.readers.findings import Notebook, shown_code
from hierdp_core.readers.layout import Layout
from hierdp_core.readers.sheets import Sheet, Text, as_mask
from hierdp_core.regions import Regions
from hierdp_core.us_samples import us_regions

_SHOWN = 5
_MOST_LEVELS = 20


@dataclass(frozen=True, eq=False, kw_only=True)
class Places:
    """The regions of a table, and where each row belongs.

    Attributes:
        regions: the hierarchy with its names.
        leaf: shape (n_rows,), the leaf position of each row; -1 for a row of a region that
            has parts.
        node: shape (n_rows,), the node of each row, in level order.
    """

    regions: Regions
    leaf: IntArray = field(repr=False)
    node: IntArray = field(repr=False)


def places_of(
    sheet: Sheet, layout: Layout, notes: Notebook, *, records: bool = False
) -> Places | None:
    """The regions that the sheet's rows name; None where there are faults, all told.

    Args:
        sheet: the table as text.
        layout: which columns hold the codes.
        notes: takes the faults and the repairs.
        records: a row is a record, so that it must lie on the last level.
    """
    if layout.parent:
        return _by_parent(sheet, layout, notes)
    if layout.prefix:
        codes = joined_codes(sheet, layout, notes)
        return _with_state_names(_by_prefix(sheet, layout, codes, notes, records), layout)
    texts = [
        _filled(sheet.column(name), layout.fill, k, layout) for k, name in enumerate(layout.levels)
    ]
    titles = layout.level_names or _titles(layout.levels)
    return _by_levels(sheet, layout, texts, titles, ("all", "all"), notes, records)


def _with_state_names(places: Places | None, layout: Layout) -> Places | None:
    """US states called by their names where the table has their codes only."""
    scheme = scheme_of_prefix(layout.prefix)
    if places is None or scheme is None or scheme.id != "fips":
        return places
    regions, known = places.regions, us_regions()
    states = known.tree.level(known.level_index("state"))
    named = dict(zip(known.ids[states], known.names[states], strict=True))
    named[scheme.root[0]] = known.names[0]
    shown = (
        named.get(i, n) if i == n else n for i, n in zip(regions.ids, regions.names, strict=True)
    )
    return replace(places, regions=replace(regions, names=tuple(shown)))


def joined_codes(sheet: Sheet, layout: Layout, notes: Notebook) -> Text:
    """The codes that a layout with a prefix names, its columns joined."""
    if len(layout.levels) == 1:
        return coded(sheet, layout.levels[0], layout, notes)
    return pc.binary_join_element_wise(*(sheet.column(name) for name in layout.levels), "")


def coded(sheet: Sheet, name: str, layout: Layout, notes: Notebook) -> Text:
    """A column of codes, bare and filled with zeros, both told."""
    text = sheet.column(name)
    bare = bare_codes(text)
    if not bare.equals(text):
        notes.repair("geo-id", f"of codes in column {shown_code(name)} the part after US was taken")
    filled = _filled(bare, layout.fill, 0, layout)
    if not filled.equals(bare):
        changed = int((as_mask(pc.not_equal(filled, bare))).sum())
        notes.repair(
            "zeros",
            f"leading zeros were put back to codes in column {shown_code(name)}, which have "
            f"{layout.fill} digits ({changed:,} rows)",
        )
    return filled


def _filled(text: Text, width: int, level: int, layout: Layout) -> Text:
    if not width or level != len(layout.levels) - 1:
        return text
    digits = pc.match_substring_regex(text, "^[0-9]+$")
    return pc.if_else(digits, pc.utf8_lpad(text, width, padding="0"), text)


def _titles(columns: Sequence[str]) -> tuple[str, ...]:
    titles = tuple(_title(name) for name in columns)
    return titles if len(set(titles)) == len(titles) else tuple(columns)


def _title(name: str) -> str:
    words = " ".join(name.replace("_", " ").split()).lower()
    bare = re.sub("( |^)(code|id|name|fips|geoid|nr)$", "", words)
    return bare or "region"


def _by_prefix(
    sheet: Sheet, layout: Layout, codes: Text, notes: Notebook, records: bool
) -> Places | None:
    lengths = pc.utf8_length(codes)
    known = pc.is_in(lengths, value_set=pa.array(layout.prefix, lengths.type))
    blank = as_mask(pc.equal(codes, ""))
    wrong = ~as_mask(known) & ~blank
    name = layout.levels[0]
    if wrong.any():
        found, count = sheet.places(wrong, name)
        notes.fault(
            "code-length",
            "a code has another length than " + " or ".join(str(n) for n in layout.prefix),
            "Mend the code; leading zeros may have been lost.",
            places=found,
            count=count,
        )
    if blank.any():
        _blank_fault(sheet, blank, name, notes)
    if notes.faulty:
        return None
    used = layout.prefix[: 1 + layout.prefix.index(pc.max(lengths).as_py())]
    scheme = scheme_of_prefix(used)
    titles = layout.level_names or (scheme.levels[: len(used)] if scheme else ())
    titles = titles or tuple(f"level {k + 1}" for k in range(len(used)))
    root = scheme.root if scheme else ("all", "all")
    return _by_levels(
        sheet, layout, level_parts(codes, used), titles, root, notes, records, unique=True
    )


def _blank_fault(sheet: Sheet, blank: BoolArray, name: str, notes: Notebook) -> None:
    found, count = sheet.places(blank, name)
    notes.fault(
        "blank-code",
        "a row does not say its region",
        "Fill the code in, or leave the row out.",
        places=found,
        count=count,
    )


def _by_levels(
    sheet: Sheet,
    layout: Layout,
    texts: Sequence[Text],
    titles: Sequence[str],
    root: tuple[str, str],
    notes: Notebook,
    records: bool,
    unique: bool = False,
) -> Places | None:
    columns = layout.levels if len(layout.levels) == len(texts) else layout.levels * len(texts)
    filled = [as_mask(pc.not_equal(text, "")) for text in texts]
    _check_blanks(sheet, columns, filled, notes, records)
    if notes.faulty:
        return None
    upper = _upper_rows(texts, filled)
    below = ~upper
    if not below.any():
        notes.fault("no-rows", "no row is of the last level", "Add the rows of the regions.")
        return None
    tower = _Tower(
        [text.filter(pa.array(below)) for text in texts] if upper.any() else list(texts),
        [mask[below] for mask in filled],
    )
    if not _codes_are_unique(tower, titles, layout, notes, unique):
        return None
    regions = _tower_regions(
        sheet.take(below) if upper.any() else sheet, tower, layout, titles, root, notes
    )
    if regions is None:
        return None
    first = regions.tree.leaves.start
    leaf = np.full(len(below), -1, dtype=np.int64)
    leaf[below] = tower.position[-1]
    node = leaf + first
    if upper.any():
        node[upper] = _upper_nodes(regions, texts, filled, upper, tower)
    return Places(regions=regions, leaf=leaf, node=node)


def _check_blanks(
    sheet: Sheet,
    columns: Sequence[str],
    filled: Sequence[BoolArray],
    notes: Notebook,
    records: bool,
) -> None:
    top = ~filled[0]
    if top.any():
        _blank_fault(sheet, top, columns[0], notes)
    for level in range(1, len(filled)):
        gap = ~filled[level - 1] & filled[level] & ~top
        if gap.any():
            _blank_fault(sheet, gap, columns[level - 1], notes)
        if records and (filled[level - 1] & ~filled[level]).any():
            _blank_fault(sheet, filled[level - 1] & ~filled[level], columns[level], notes)


def _upper_rows(texts: Sequence[Text], filled: Sequence[BoolArray]) -> BoolArray:
    """Rows that stop above the last level although other rows go on below their region."""
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


class _Tower:
    """The nodes of every level of columns of codes, in level order.

    Attributes:
        position: for each level the node of each row, counted within the level.
        parent: for each level the parent of each node, counted within the level above.
        code: for each level the code of each node.
        first: for each level the first row of each node.
        padded: for each level whether a node is the copy of one above.
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
    tower: _Tower, titles: Sequence[str], layout: Layout, notes: Notebook, unique: bool
) -> bool:
    """Whether each code stands under one region above; where it may not, tells."""
    if unique or layout.within:
        return True
    for level in range(1, len(titles)):
        codes = tower.code[level].filter(pa.array(~tower.padded[level]))
        counts = pc.value_counts(codes)
        several = counts.field("counts").to_numpy(zero_copy_only=False) > 1
        if several.any():
            offenders = counts.field("values").filter(pa.array(several)).to_pylist()
            notes.fault(
                "two-parents",
                f"a {titles[level]} stands under more than one {titles[level - 1]}",
                "Mend the rows that are wrong; if codes repeat from one "
                f"{titles[level - 1]} to the next on purpose, say within = true.",
                places=[f"{titles[level]} {shown_code(code)}" for code in offenders[:_SHOWN]],
                count=len(offenders),
            )
    return not notes.faulty


def _tower_regions(
    sheet: Sheet,
    tower: _Tower,
    layout: Layout,
    titles: Sequence[str],
    root: tuple[str, str],
    notes: Notebook,
) -> Regions | None:
    ids: list[list[str]] = []
    shown: list[list[str]] = []
    for level in range(len(titles)):
        codes = tower.code[level].to_pylist()
        names = _names_at(sheet, tower, layout, level) or codes
        if level:
            above, parent = ids[-1], tower.parent[level].tolist()
            if tower.padded[level].any():
                pad = tower.padded[level].tolist()
                codes = [above[p] if x else c for c, p, x in zip(codes, parent, pad, strict=True)]
                over = shown[-1]
                names = [over[p] if x else n for n, p, x in zip(names, parent, pad, strict=True)]
            if len(set(codes)) < len(codes):
                codes = _within(codes, parent, above, tower.padded[level], titles[level], notes)
        ids.append(codes)
        shown.append([name or code for name, code in zip(names, codes, strict=True)])
    return _assembled(tower, ids, shown, titles, root, notes)


def _assembled(
    tower: _Tower,
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
        ids, shown = [[root[0]], *ids], [["All" if root[0] == "all" else root[0]], *shown]
        name = root[1] if root[1] not in levels else "everything"
        levels, sizes = (name, *levels), [1, *sizes]
    start = np.concatenate([[0], np.cumsum(sizes)])
    parents = [np.full(1, -1, dtype=np.int64)]
    below = tower.parent if rooted else tower.parent[1:]
    parents += [own + start[level] for level, own in enumerate(below)]
    padded = [np.zeros(1, dtype=np.bool_), *(tower.padded if rooted else tower.padded[1:])]
    _tell_padding(int(np.concatenate(padded).sum()), notes)
    if len(set(levels)) < len(levels):
        notes.fault("level-names", "two levels have the same name", "Give level_names = [...].")
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
        notes.fault("hierarchy", str(error).split(". ")[0], "Mend the codes.")
        return None


def _tell_padding(copies: int, notes: Notebook) -> None:
    if copies:
        notes.repair(
            "ragged",
            "some regions end above the last level; each stands for itself on the levels below "
            f"({copies:,} copies)",
        )


def _names_at(sheet: Sheet, tower: _Tower, layout: Layout, level: int) -> list[str]:
    n_levels = len(tower.code)
    if len(layout.names) == n_levels:
        column = layout.names[level]
    else:
        column = layout.names[-1] if layout.names and level == n_levels - 1 else ""
    if not column:
        return []
    names: list[str] = sheet.column(column).take(pa.array(tower.first[level])).to_pylist()
    return names


def _within(
    codes: list[str],
    parent: list[int],
    above: list[str],
    padded: BoolArray,
    title: str,
    notes: Notebook,
) -> list[str]:
    """Codes made unique by the code above: joined where all are digits of one length."""
    digits = all(c.isdigit() for c in codes) and all(a.isdigit() for a in above)
    even = len({len(c) for c in codes}) == 1 and len({len(a) for a in above}) == 1
    mark = "" if digits and even else "/"
    notes.repair(
        "within",
        f"a code of a {title} repeats from one region above to the next, so the code above was "
        "put before it" + (" with a stroke between" if mark else ""),
    )
    return [
        code if pad else f"{above[p]}{mark}{code}"
        for code, p, pad in zip(codes, parent, padded.tolist(), strict=True)
    ]


def _upper_nodes(
    regions: Regions,
    texts: Sequence[Text],
    filled: Sequence[BoolArray],
    upper: BoolArray,
    tower: _Tower,
) -> IntArray:
    """The node of each row that stops above the last level."""
    shift = regions.tree.n_levels - len(texts)
    rows = np.flatnonzero(upper)
    depth = np.sum([mask[rows] for mask in filled], axis=0) - 1
    paths = [text.take(pa.array(rows)).to_pylist() for text in texts]
    children: list[dict[tuple[int, str], int]] = [
        {(int(p), c): i for i, (p, c) in enumerate(zip(parent, code.to_pylist(), strict=True))}
        for parent, code in zip(tower.parent, tower.code, strict=True)
    ]
    nodes = []
    for i, deep in enumerate(depth.tolist()):
        at = 0
        for level in range(deep + 1):
            at = children[level][at, paths[level][i]]
        nodes.append(int(regions.tree.level_start[deep + shift]) + at)
    return np.array(nodes, dtype=np.int64)


def _by_parent(sheet: Sheet, layout: Layout, notes: Notebook) -> Places | None:
    codes = coded(sheet, layout.levels[0], layout, notes).to_pylist()
    parents = _filled(bare_codes(sheet.column(layout.parent)), layout.fill, 0, layout).to_pylist()
    _check_edges(sheet, layout, codes, parents, notes)
    if notes.faulty:
        return None
    above = {code: parent or None for code, parent in zip(codes, parents, strict=True)}
    for code in [code for code, parent in above.items() if parent == code]:
        above[code] = None  # a root that names itself, as some tables write it
    added = dict.fromkeys(p for p in above.values() if p is not None and p not in above)
    roots = [code for code, parent in above.items() if parent is None]
    if added and not roots and len(added) == 1:
        above = {next(iter(added)): None, **above}
        notes.repair(
            "root-added", f"the root {shown_code(next(iter(added)))} has no row of its own"
        )
    elif added:
        orphans = [code for code, parent in above.items() if parent in added]
        notes.fault(
            "orphan",
            "a region's parent has no row",
            "Add a row for the parent, or mend its code.",
            places=[f"region {shown_code(code)}" for code in orphans[:_SHOWN]],
            count=len(orphans),
        )
    elif len(roots) > 1:
        top = "all" if "all" not in above else "everything"
        above = {top: None} | {c: top if p is None else p for c, p in above.items()}
        notes.repair(
            "several-roots", f"{len(roots):,} regions have no parent; a root above them was added"
        )
    depth = _depths(above, notes)
    if notes.faulty or not depth:
        return None
    return _parent_regions(sheet, layout, codes, above, max(depth.values()) + 1, notes)


def _check_edges(
    sheet: Sheet, layout: Layout, codes: list[str], parents: list[str], notes: Notebook
) -> None:
    blank = np.array([not code for code in codes])
    if blank.any():
        _blank_fault(sheet, blank, layout.levels[0], notes)
    seen: dict[str, str] = {}
    two: list[str] = []
    twice: list[str] = []
    for code, parent in zip(codes, parents, strict=True):
        if code in seen and code:
            (twice if seen[code] == parent else two).append(code)
        seen[code] = parent
    for id, found, what in (
        ("two-parents", two, "a region has more than one parent"),
        ("duplicate", twice, "a region has more than one row"),
    ):
        if found:
            counted = list(Counter(found))
            notes.fault(
                id, what, "Remove the rows that are wrong.",
                places=[f"region {shown_code(code)}" for code in counted[:_SHOWN]],
                count=len(counted),
            )  # fmt: skip
    selves = [c for c, p in zip(codes, parents, strict=True) if c and c == p]
    rootless = all(p for p in parents)
    if selves and not (len(selves) == 1 and rootless):
        notes.fault(
            "self-loop", "a region is its own parent", "Mend the parent; leave the root's blank.",
            places=[f"region {shown_code(code)}" for code in selves[:_SHOWN]], count=len(selves),
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
            "cycle", "regions are their own ancestors", "Mend the parent of one of them.",
            places=[f"region {shown_code(code)}" for code in cyclic[:_SHOWN]], count=len(cyclic),
        )  # fmt: skip
    elif depth and max(depth.values()) >= _MOST_LEVELS:
        notes.fault(
            "too-deep", f"the hierarchy has more than {_MOST_LEVELS} levels",
            "Leave out levels, or look for a wrong parent.",
        )  # fmt: skip
    return depth


def _parent_regions(
    sheet: Sheet,
    layout: Layout,
    codes: list[str],
    above: dict[str, str | None],
    n_levels: int,
    notes: Notebook,
) -> Places | None:
    titles = layout.level_names
    if len(titles) != n_levels:
        titles = ("all", *(f"level {k}" for k in range(1, n_levels)))[:n_levels]
    shown = (
        dict(zip(codes, sheet.column(layout.names[-1]).to_pylist(), strict=True))
        if layout.names
        else {}
    )
    names = {code: name for code, name in shown.items() if name}
    try:
        regions = Regions.from_parents(above, levels=titles, names=names)
    except HierarchyError as error:
        notes.fault("hierarchy", str(error).rstrip("."), "Mend the rows.")
        return None
    _tell_padding(int(regions.padded.sum()), notes)
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
