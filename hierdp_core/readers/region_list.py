"""A list of regions that does not come from the records: a lookup file, or boundaries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy import sum_up
from hierdp_core.readers.findings import Notebook, shown_code
from hierdp_core.readers.layout import Layout
from hierdp_core.readers.place_codes import Places, coded
from hierdp_core.readers.sheets import Sheet

_LEAST_FOUND = 0.5  # of a column's codes that another must hold to stand for it


@dataclass(frozen=True, eq=False, kw_only=True)
class RegionList:
    """The rows of a list of regions.

    Attributes:
        sheet: its columns as text, one row a region.
        notes: takes what is wrong with the list.
    """

    sheet: Sheet = field(repr=False)
    notes: Notebook

    @classmethod
    def of_attributes(cls, columns: Mapping[str, list[str]], notes: Notebook) -> "RegionList":
        """The attributes of a boundary file as a list."""
        texts = tuple(pa.array(values, pa.string()) for values in columns.values())
        rows = np.arange(1, len(texts[0]) + 1) if texts else None
        return cls(
            sheet=Sheet(file=notes.file, names=tuple(columns), columns=texts, rows=rows),
            notes=notes,
        )

    def like(self, sheet: Sheet, layout: Layout) -> Sheet | None:
        """The list with the columns by which `layout` finds the regions of `sheet`.

        A column is found by its name; failing that, by the codes it shares with that of `sheet`.
        Names of regions are taken from the list alone, where it has them.

        Returns:
            None where a column is missing, which is reported.
        """
        columns: dict[str, str] = {}
        for name in filter(None, (*layout.levels, layout.parent)):
            match = self._named(name) or self._sharing_codes(sheet, name, columns.values())
            if not match:
                self.notes.fault(
                    "no-column",
                    f"has no column {shown_code(name)}; its columns are "
                    + ", ".join(shown_code(n) for n in self.sheet.names[:12]),
                    "Name the columns of the list as those of the table.",
                )
                return None
            columns[name] = match
        texts = {name: self.sheet.column(match) for name, match in columns.items()}
        blank = pa.array([""] * self.sheet.n_rows, pa.string())
        for name in layout.names:
            match = self._named(name)
            texts.setdefault(name, self.sheet.column(match) if match else blank)
        return replace(self.sheet, names=tuple(texts), columns=tuple(texts.values()), weights=None)

    def _named(self, name: str) -> str:
        alike = [n for n in self.sheet.names if n.casefold() == name.casefold()]
        return name if name in self.sheet.names else next(iter(alike), "")

    def _sharing_codes(self, sheet: Sheet, name: str, taken: Iterable[str]) -> str:
        codes = pc.unique(sheet.column(name))
        found = {
            other: int(
                pc.sum(pc.is_in(codes, value_set=pc.unique(self.sheet.column(other)))).as_py()
            )
            for other in self.sheet.names
            if other not in set(taken)
        }
        best = max(found, key=found.__getitem__, default="")
        if not best or found[best] < _LEAST_FOUND * len(codes):
            return ""
        self.notes.note(
            "list-column",
            f"column {shown_code(best)} of the list was matched to {shown_code(name)} of the table",
        )
        return best


def stacked(listed: Sheet, sheet: Sheet) -> Sheet:
    """The rows of the list, then those of the table, in the columns of the list."""
    rows = (
        None if sheet.rows is None else np.concatenate([np.zeros(listed.n_rows, int), sheet.rows])
    )
    return Sheet(
        file=sheet.file,
        names=listed.names,
        columns=tuple(
            pa.concat_arrays([pa.array(listed.column(n)), pa.array(sheet.column(n))])
            for n in listed.names
        ),
        rows=rows,
    )


def of_the_table(places: Places, listed: int, sheet: Sheet, notes: Notebook) -> Places | None:
    """The places of the rows after the first `listed`, all of whose regions the list must hold."""
    tree = places.regions.tree
    leaves = np.zeros(tree.n_leaves, dtype=np.int64)
    own = places.leaf[:listed]
    leaves[own[own >= 0]] = 1
    known = sum_up(tree, leaves) > 0
    return _within_list(
        replace(places, leaf=places.leaf[listed:], node=places.node[listed:]), known, sheet, notes
    )


def by_code(places: Places, sheet: Sheet, layout: Layout, notes: Notebook) -> Places | None:
    """Where each row of the table lies among regions that were listed by code and parent."""
    regions = places.regions
    node_of = {regions.ids[i]: i for i in range(regions.tree.n_nodes - 1, -1, -1)}
    codes = coded(sheet, layout.levels[0], layout, notes).to_pylist()
    node = np.array([node_of.get(code, -1) for code in codes], dtype=np.int64)
    # Padding repeats a code down to the last level, where the counts belong.
    first = regions.tree.leaves.start
    leaf_of = {regions.ids[i]: i - first for i in range(first, regions.tree.n_nodes)}
    leaf = np.array([leaf_of.get(code, -1) for code in codes], dtype=np.int64)
    found = Places(regions=regions, leaf=leaf, node=node)
    return _within_list(found, np.ones(regions.tree.n_nodes, dtype=np.bool_), sheet, notes)


def _within_list(
    places: Places, known: np.ndarray[tuple[int], np.dtype[np.bool_]], sheet: Sheet, notes: Notebook
) -> Places | None:
    unknown = (places.node < 0) | ~known[places.node]
    if unknown.any():
        found, count = sheet.places(unknown)
        notes.fault(
            "not-listed",
            "a row names a region that is not in the list of regions",
            "Correct its code, or add the region to the list.",
            places=found,
            count=count,
        )
        return None
    return places
