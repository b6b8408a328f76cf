"""The names of a hierarchy's nodes, and the checks of trees given as codes of parents."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy.tree import Hierarchy
from hierdp_core.util.arrays import BoolArray, frozen_array
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import by_number, counted, join_or, some

_SHOWN = 5  # a message names at most this many codes


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Regions(Shown):
    """A hierarchy whose levels and nodes have names.

    Attributes:
        tree: the hierarchy.
        levels: the name of each level, singular, from the root down: ("nation", "state").
        ids: one code per node, in level order; unique within a level.
        names: one display name per node, in level order.
        padded: shape (n_nodes,). True where a node only pads a short branch: it is a copy of a
            region without sub-areas that lies above the last level, and an only child.

    Raises:
        HierarchyError: a length does not fit the tree, two levels have the same name, or a code
            occurs twice on a level.
    """

    tree: Hierarchy
    levels: tuple[str, ...]
    ids: tuple[str, ...]
    names: tuple[str, ...]
    padded: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "ids", tuple(self.ids))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "padded", frozen_array(self.padded, np.bool_))
        _check_labels(self)

    def upper_levels(self, n_levels: int) -> Self:
        """Return the hierarchy without the levels below the first `n_levels`.

        Args:
            n_levels: the number of levels to keep, from 1 to all.

        Raises:
            HierarchyError: the hierarchy does not have that many levels, or none would be left.
        """
        tree = self.tree
        if not 1 <= n_levels <= tree.n_levels:
            raise HierarchyError(
                f"The hierarchy has {counted(tree.n_levels, 'level')}, so the number of levels to "
                f"keep lies between 1 and {tree.n_levels}; got {n_levels}. Correct the number."
            )
        stop = int(tree.level_start[n_levels])
        return replace(
            self,
            tree=Hierarchy(parent=tree.parent[:stop], level_start=tree.level_start[: n_levels + 1]),
            levels=self.levels[:n_levels],
            ids=self.ids[:stop],
            names=self.names[:stop],
            padded=self.padded[:stop],
        )

    def level_index(self, level: str) -> int:
        """Return the number of the level called `level`, from 0 for the root.

        Raises:
            HierarchyError: there is no such level.
        """
        if level not in self.levels:
            raise HierarchyError(
                f'There is no level "{level}" in this table. Choose {join_or(self.levels)}.'
            )
        return self.levels.index(level)

    @cached_property
    def _position(self) -> tuple[dict[str, int], ...]:
        tree = self.tree
        slices = [tree.level(k) for k in range(tree.n_levels)]
        return tuple({self.ids[i]: i for i in range(s.start, s.stop)} for s in slices)

    def node(self, id: str, level: int) -> int:
        """Return the index of the region with code `id` on level number `level`.

        Raises:
            HierarchyError: there is no such level, or no such region on it.
        """
        self.tree.level(level)  # raises an error if there is no such level
        position = self._position[level].get(id)
        if position is None:
            raise HierarchyError(
                f'No {self.levels[level]} has the code "{id}". Correct the code or the level.'
            )
        return position

    def full_name(self, node: int) -> str:
        """Return the name of the region with index `node`.

        If other regions of its level have the same name, the name of its parent follows.
        """
        level, name = int(self.tree.level_of[node]), self.names[node]
        if name not in self._shared_names[level]:
            return name
        return f"{name}, {self.names[int(self.tree.parent[node])]}"

    @cached_property
    def _shared_names(self) -> tuple[frozenset[str], ...]:
        """For each level, the names that several of its nodes share."""
        slices = [self.tree.level(k) for k in range(self.tree.n_levels)]
        counts = [Counter(self.names[s.start : s.stop]) for s in slices]
        return tuple(frozenset(name for name, n in c.items() if n > 1) for c in counts)

    @classmethod
    def from_parents(
        cls,
        parents: Mapping[str, str | None],
        *,
        levels: Sequence[str],
        names: Mapping[str, str] | None = None,
    ) -> "Regions":
        """Return regions from a mapping of codes to parents' codes; the root's parent is None.

        Siblings keep the order of the mapping. A branch that ends above the last level is padded:
        its last region becomes its own only child on each lower level.

        Raises:
            HierarchyError: there is no root or more than one, a parent is missing, regions form a
                cycle, the tree is deeper than `levels`, or two levels have the same name.
        """
        _check_roots_and_orphans(parents)
        children: dict[str, list[str]] = {code: [] for code in parents}
        root = ""
        for code, parent in parents.items():
            if parent is None:
                root = code
            else:
                children[parent].append(code)

        ids, padded, parent_of, starts = [root], [False], [-1], [0, 1]
        reached = 1
        while len(starts) <= len(levels):
            above = range(starts[-2], starts[-1])
            for node in above:
                family = [] if padded[node] else children[ids[node]]
                for code in family or [ids[node]]:
                    ids.append(code)
                    padded.append(not family)
                    parent_of.append(node)
                reached += len(family)
            starts.append(len(ids))
        _check_depth(parents, children, root, reached, levels)
        tree = Hierarchy(
            parent=np.array(parent_of, dtype=np.int64),
            level_start=np.array(starts[: len(levels) + 1], dtype=np.int64),
        )
        display_names = names or {}
        return cls(
            tree=tree,
            levels=tuple(levels),
            ids=tuple(ids),
            names=tuple(display_names.get(code, code) for code in ids),
            padded=np.array(padded),
        )

    @classmethod
    def from_edges(
        cls,
        edges: Sequence[tuple[str, str | None]],
        *,
        levels: Sequence[str],
        names: Mapping[str, str] | None = None,
    ) -> "Regions":
        """Return regions from pairs of a code and its parent's code, which may contain mistakes.

        Raises:
            HierarchyError: as in `from_parents`, or a code has two parents.
        """
        parents: dict[str, str | None] = {}
        for code, parent in edges:
            if code in parents and parents[code] != parent:
                one, other = (
                    "none" if above is None else f'"{above}"' for above in (parents[code], parent)
                )
                raise HierarchyError(
                    f'Every area has one parent; "{code}" has two rows, with parents {one} and '
                    f"{other}. Remove one of the two rows."
                )
            parents[code] = parent
        return cls.from_parents(parents, levels=levels, names=names)


def _check_labels(regions: Regions) -> None:
    tree = regions.tree
    if len(regions.levels) != tree.n_levels or len(set(regions.levels)) != tree.n_levels:
        raise HierarchyError(
            f"The tree has {counted(tree.n_levels, 'level')}, each of which needs a name of its "
            f"own; got: {', '.join(regions.levels) or 'none'}. Give one name per level."
        )
    for what, labels in (("codes", regions.ids), ("names", regions.names)):
        if len(labels) != tree.n_nodes:
            need = by_number(tree.n_nodes, "needs", "need")
            raise HierarchyError(
                f"{counted(tree.n_nodes, 'area')} {need} as many {what}; got {len(labels):,}. "
                "Give one for each area of every level."
            )
    if regions.padded.shape != (tree.n_nodes,):
        raise HierarchyError(
            f"padded must have shape ({tree.n_nodes},); it has shape {regions.padded.shape}. "
            "Leave it out for a tree without padding."
        )
    for level in range(tree.n_levels):
        ids = regions.ids[tree.level(level)]
        if len(set(ids)) < len(ids):
            twice = sorted({code for code in ids if ids.count(code) > 1})[:_SHOWN]
            raise HierarchyError(
                f"A code must name only one area of a level; on level {regions.levels[level]} "
                f"these occur more than once: {', '.join(twice)}. Give each area its own code."
            )


def _quoted(codes: Sequence[str]) -> str:
    return some([f'"{code}"' for code in codes], shown=_SHOWN)


def _check_roots_and_orphans(parents: Mapping[str, str | None]) -> None:
    orphans = [c for c, p in parents.items() if p is not None and p not in parents]
    if orphans:
        raise HierarchyError(
            f"Every area's parent must be an area itself; it is missing for {_quoted(orphans)}. "
            "Add a row for each missing parent, or correct its code."
        )
    if not parents:
        raise HierarchyError(
            "A hierarchy needs at least one area, its root; there is none. Add an area."
        )
    roots = [code for code, parent in parents.items() if parent is None]
    if len(roots) > 1:
        raise HierarchyError(
            f"A hierarchy has one root; {_quoted(roots)} have no parent. Put them under one area."
        )
    if not roots:
        raise HierarchyError(
            "A hierarchy needs one area without a parent, the root; every area has a parent, "
            "so some are their own ancestors. Leave the parent of the topmost area empty."
        )


def _check_depth(
    parents: Mapping[str, str | None],
    children: Mapping[str, Sequence[str]],
    root: str,
    reached: int,
    levels: Sequence[str],
) -> None:
    if reached == len(parents):
        return
    # The regions that were not reached lie below the last named level, or on or below a cycle.
    reachable, frontier, depth = {root}, [root], 0
    while frontier:
        frontier = [child for code in frontier for child in children[code]]
        reachable.update(frontier)
        depth += bool(frontier)
    unreachable = [code for code in parents if code not in reachable]
    if unreachable:
        raise HierarchyError(
            f"Areas must not be their own ancestors; {_quoted(unreachable)} lie on a cycle or "
            "below one. Correct a parent on the cycle."
        )
    raise HierarchyError(
        f"The tree has {depth + 1} levels but {counted(len(levels), 'level name')}: "
        f"{', '.join(levels)}. "
        "Name every level, from the root down."
    )
