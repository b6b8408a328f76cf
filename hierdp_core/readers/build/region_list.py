"""A list of areas that does not come from the records: a lookup table, or boundaries."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy import sum_up
from hierdp_core.readers.build.layout_parts import name_columns
from hierdp_core.readers.build.region_codes import Places, completed_codes
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.report import Notebook, shown_codes
from hierdp_core.util.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class RegionList:
    """The rows of a list of areas.

    Attributes:
        sheet: its columns as text, one row per region.
        notes: receives what is wrong with the list.
        path: its file; None for a list in memory.
    """

    sheet: Sheet = field(repr=False)
    notes: Notebook
    path: Path | None = None

    @classmethod
    def of_attributes(
        cls, columns: Mapping[str, list[str]], notes: Notebook, *, path: Path | None = None
    ) -> "RegionList":
        """Return a list of areas from the attributes of a boundary file."""
        texts = tuple(pa.array(values, pa.string()) for values in columns.values())
        rows = np.arange(1, len(texts[0]) + 1) if texts else None
        return cls(
            sheet=Sheet(file=notes.file, names=tuple(columns), columns=texts, rows=rows),
            notes=notes,
            path=path,
        )

    def like(self, layout: Layout) -> Sheet | None:
        """Return the list with the columns that identify regions in `layout`.

        A column is matched by its name alone, or by the name that the layout states for it. A match
        by codes would depend on the records. Names of regions are those of the list, if it has any.

        Returns:
            The list; None if a column is missing, which is reported as a fault.
        """
        expected = _column_in_list(layout, (*layout.levels, layout.parent))
        matches = {name: self._named(column) for name, column in expected.items()}
        missing = [expected[name] for name, match in matches.items() if not match]
        if missing:
            self.notes.fault(
                "no-column",
                f"has no column {shown_codes(missing, shown=5)}, but only "
                f"{shown_codes(self.sheet.names, shown=20)}",
                "If the list names this column differently, state its columns in list_columns "
                "(--column list_columns=…, or “Code columns of the list of areas” on the page Your "
                "data). If it has no such column, add it with all combinations, such as every age "
                "in every area, or leave the column out of levels.",
            )
            return None
        texts = {name: self.sheet.column(match) for name, match in matches.items()}
        blank = pa.array([""] * self.sheet.n_rows, pa.string())
        for name in filter(None, layout.names):
            match = self._named(name)
            texts.setdefault(name, self.sheet.column(match) if match else blank)
        return replace(self.sheet, names=tuple(texts), columns=tuple(texts.values()), weights=None)

    def require_own_rows(self, sheet: Sheet, layout: Layout) -> bool:
        """Report a list with the rows of the table, in any order or format; return whether it is.

        The columns that the table and the list share are compared. A list of areas may agree with a
        table in the columns of regions, but then names each region once. For flows, the list may
        also have been made from the destinations, or from both ends.
        """
        columns = self._named_columns(layout)
        if any(self._has_rows_of(sheet, shared, layout) for shared in columns) or (
            layout.destinations and self._has_both_ends(sheet, columns[0], layout)
        ):
            self.report_records()
            return False
        return True

    def _named_columns(self, layout: Layout) -> list[dict[str, str]]:
        """Return the ways in which columns of the table may be those of the list, by name."""
        expected = [
            _column_in_list(layout, layout.columns),
            {name: name for name in layout.columns},
        ]
        if layout.destinations:
            listed = layout.list_columns or layout.levels
            expected.append(dict(zip(layout.destinations, listed, strict=True)))
        return [
            {name: match for name in used if (match := self._named(used[name]))}
            for used in expected
        ]

    def _has_rows_of(self, sheet: Sheet, shared: Mapping[str, str], layout: Layout) -> bool:
        """Return whether the list has the rows of the table in the columns that they share."""
        n_rows = sheet.n_rows if sheet.weights is None else int(sheet.weights.sum())
        if not shared or n_rows != self.sheet.n_rows:
            return False
        there = _counted_rows([self.sheet.column(match) for match in shared.values()], None)
        here = _counted_rows([sheet.column(name) for name in shared], sheet.weights)
        areas = {*layout.levels, layout.parent, *layout.names}
        once = max(here.values(), default=0) <= 1
        of_areas = shared.keys() <= areas or shared.keys() <= {*layout.destinations}
        return here == there and not (of_areas and once)

    def _has_both_ends(self, sheet: Sheet, origins: Mapping[str, str], layout: Layout) -> bool:
        """Return whether the list has the origins of all flows and their destinations as rows."""
        if not all(name in origins for name in layout.levels):
            return False
        there = _counted_rows([self.sheet.column(origins[name]) for name in layout.levels], None)
        here = Counter[tuple[str, ...]]()
        for names in (layout.levels, layout.destinations):
            here.update(_counted_rows([sheet.column(name) for name in names], sheet.weights))
        return here == there and max(here.values(), default=0) > 1

    def report_records(self) -> None:
        """Report that the list was made from the records."""
        self.notes.fault(
            "list-of-records",
            "has the same rows as the table, so the areas would be taken from its records",
            "Give a list of areas from another source, such as an official list of codes.",
        )

    def _named(self, name: str) -> str:
        alike = [n for n in self.sheet.names if n.casefold() == name.casefold()]
        return name if name in self.sheet.names else next(iter(alike), "")


def _column_in_list(layout: Layout, columns: Iterable[str]) -> dict[str, str]:
    """Return the name that each column of the table should have in the list of areas."""
    stated = dict(zip(layout.levels, layout.list_columns or layout.levels, strict=True))
    return {name: stated.get(name, name) for name in columns if name}


def _counted_rows(columns: Sequence[Any], weights: IntArray | None) -> dict[tuple[str, ...], int]:
    """Return how often each row occurs; zeros before codes are ignored, as formats drop them."""
    ones = np.ones(len(columns[0]), dtype=np.int64) if weights is None else weights
    keys = [str(k) for k in range(len(columns))]
    texts = [pc.utf8_ltrim(column, "0") for column in columns]
    table = pa.table([*texts, pa.array(ones)], names=[*keys, "n"])
    counted = table.group_by(keys).aggregate([("n", "sum")])
    rows = zip(*(counted.column(key).to_pylist() for key in keys), strict=True)
    return dict(zip(rows, counted.column("n_sum").to_pylist(), strict=True))


def stacked(listed: Sheet, sheet: Sheet, layout: Layout) -> Sheet:
    """Return the rows of the list followed by those of the table, in the columns of the list.

    Names in the rows of the table are blank, since the list alone names the regions.
    """
    blank = pa.array([""] * sheet.n_rows, pa.string())
    unused = name_columns(layout)
    rows = (
        None if sheet.rows is None else np.concatenate([np.zeros(listed.n_rows, int), sheet.rows])
    )
    return Sheet(
        file=sheet.file,
        names=listed.names,
        columns=tuple(
            pa.concat_arrays(
                [pa.array(listed.column(n)), blank if n in unused else pa.array(sheet.column(n))]
            )
            for n in listed.names
        ),
        rows=rows,
    )


def places_of_table_rows(
    places: Places, listed: int, sheet: Sheet, notes: Notebook, *, records: bool
) -> Places | None:
    """Return the places of the rows after the first `listed`; their regions must be in the list.

    If rows are `records`, their regions must be on the last level.
    """
    tree = places.regions.tree
    leaves = np.zeros(tree.n_leaves, dtype=np.int64)
    own = places.leaf[:listed]
    leaves[own[own >= 0]] = 1
    known = sum_up(tree, leaves) > 0
    own_rows = replace(places, leaf=places.leaf[listed:], node=places.node[listed:])
    return _within_list(own_rows, known, sheet, notes, records)


def places_by_code(
    places: Places, sheet: Sheet, layout: Layout, notes: Notebook, *, records: bool
) -> Places | None:
    """Return the place of each row of the table among regions listed by code and parent."""
    regions = places.regions
    node_of = {regions.ids[i]: i for i in range(regions.tree.n_nodes - 1, -1, -1)}
    codes = completed_codes(sheet, layout.levels[0], layout, notes).to_pylist()
    node = np.array([node_of.get(code, -1) for code in codes], dtype=np.int64)
    # Padding repeats a code down to the last level, where the counts belong.
    first = regions.tree.leaves.start
    leaf_of = {regions.ids[i]: i - first for i in range(first, regions.tree.n_nodes)}
    leaf = np.array([leaf_of.get(code, -1) for code in codes], dtype=np.int64)
    row_places = Places(regions=regions, leaf=leaf, node=node)
    every = np.ones(regions.tree.n_nodes, dtype=np.bool_)
    return _within_list(row_places, every, sheet, notes, records)


def _within_list(
    places: Places, known: BoolArray, sheet: Sheet, notes: Notebook, records: bool
) -> Places | None:
    unknown = (places.node < 0) | ~known[places.node]
    if unknown.any():
        positions, count = sheet.places(unknown)
        notes.fault(
            "not-listed",
            "a row names an area that is not in the list of areas",
            'Correct its code, or assign it to a listed area, such as "other". Do not complete the '
            "list from the records, because that would reveal an area that a single record names.",
            places=positions,
            count=count,
        )
        return None
    if records and (places.leaf < 0).any():
        positions, count = sheet.places(places.leaf < 0)
        notes.fault(
            "not-last-level",
            "a row names an area that has sub-areas in the list of areas",
            "Enter the code of an area of the last level.",
            places=positions,
            count=count,
        )
        return None
    return places
