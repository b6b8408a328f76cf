"""A shape for every region: from a boundary file, from centres, or as tiles."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from hierdp_core.exceptions import HierdpError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import (
    Boundaries,
    Plane,
    Shapes,
    boundaries_from_leaves,
    geometries,
)
from hierdp_core.maps.parts import parts_below
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.readers.build.drawable_shapes import (
    clean_boundaries,
    shapes_above,
    to_display_plane,
    with_squares,
)
from hierdp_core.readers.build.matched_shapes import Match, best_match, report_match
from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.region_columns import is_name
from hierdp_core.readers.columns.vocabulary import plain_name
from hierdp_core.readers.formats.features import Features
from hierdp_core.readers.report import Notebook, Report, shown_code, shown_codes
from hierdp_core.readers.result import Reading
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.text import counted, join_and

_MOST_DRAWN = 60_000  # leaves; a browser cannot show more
MOST_CELLS = 20_000  # leaves whose cells are computed
_OWN_NAMES = 0.75  # of the regions of an upper level
_NAMES = ("name", "namelsad", "label", "comune", "den_com", "nuts_name", "zone", "shapename")


def regions_of(reading: Reading) -> Regions | None:
    """Return the hierarchy of the reading's table, or None; for flows, that of the origins."""
    table = reading.table
    return None if table is None else table.regions


def with_tiles(reading: Reading) -> Reading:
    """Return the reading with one tile per leaf, where there are not too many."""
    regions = regions_of(reading)
    if regions is None:
        return reading
    if regions.tree.n_leaves > _MOST_DRAWN:
        return replace(reading, drawn=f"no map, because there are more than {_MOST_DRAWN:,} areas")
    return replace(
        reading,
        boundaries=tile_layout(regions),
        drawn="tiles, because no boundaries and no centres of areas were given",
    )


def with_boundaries(
    reading: Reading, features: Features, notes: Notebook, *, named: bool = True
) -> Reading:
    """Return the reading with the shapes of a boundary file; mismatches are reported.

    If `named`, regions of which only the codes are known get the names of their shapes.
    """
    regions = regions_of(reading)
    if regions is None or notes.faulty:
        return reading
    features = _with_paths(features, reading)
    match = best_match(features, regions)
    if match is None:
        notes.fault(
            "no-match",
            "no attribute holds the codes or names of a level of the table, such as "
            f"{shown_code(regions.ids[-1])}. Its attributes are "
            f"{shown_codes(list(features.columns), shown=12)}",
            "Use boundaries of the same areas and year, with their codes.",
        )
        return reading
    report_match(match, features, regions, notes)
    if notes.faulty:
        return reading
    if named:
        reading = _named(reading, regions, features, match, notes)
    regions = regions_of(reading) or regions
    if regions.tree.n_leaves > _MOST_DRAWN:
        return replace(reading, drawn=f"no map, because there are more than {_MOST_DRAWN:,} areas")
    if match.level == len(regions.levels) - 1:
        return _drawn(reading, regions, features, match, notes)
    if regions.tree.n_leaves > MOST_CELLS:
        notes.repair(
            "no-parts",
            f"the shapes contain more than {MOST_CELLS:,} areas of the table, too many to draw "
            "inside them, so the map shows a tile for each area",
        )
        return with_tiles(reading)
    return _drawn_above(reading, regions, features, match, notes)


def _with_paths(features: Features, reading: Reading) -> Features:
    """Return the features with the codes of all levels joined, as in the ids of regions."""
    levels = () if reading.layout is None else reading.layout.levels
    regions = regions_of(reading)
    if len(levels) < 2 or regions is None or not all(name in features.columns for name in levels):
        return features
    mark = "/" if any("/" in code for code in regions.ids[regions.tree.leaves]) else ""
    path = list(features.columns[levels[0]])
    joined: dict[str, list[str]] = {}
    for k, name in enumerate(levels[1:], start=2):
        path = [
            f"{above}{mark}{code}" for above, code in zip(path, features.columns[name], strict=True)
        ]
        joined["/".join(levels[:k])] = path
    return replace(features, columns={**features.columns, **joined})


def boundaries_of(regions: Regions, features: Features, notes: Notebook) -> Boundaries | None:
    """Return the shapes of `features` for `regions`; None where no attribute holds their codes.

    Mismatches are reported in `notes`. The result is also None where one of them is an error.
    """
    match = best_match(features, regions)
    if match is None:
        return None
    report_match(match, features, regions, notes)
    if notes.faulty:
        return None
    empty = Reading(report=Report.of((), ()))
    draw = _drawn if match.level == len(regions.levels) - 1 else _drawn_above
    return draw(empty, regions, features, match, notes).boundaries


def _named(
    reading: Reading, regions: Regions, features: Features, match: Match, notes: Notebook
) -> Reading:
    """Return the reading with names from the boundary file where the table has only codes."""
    table = reading.table
    if table is None or table.between_regions:
        return reading
    names = list(regions.names)
    used: list[str] = []
    for level in range(match.level, 0, -1):
        own = regions.tree.level(level)
        if regions.names[own] != regions.ids[own]:
            continue
        region = _regions_of_shapes(regions, match, level)
        column = (
            next((c for c in features.columns if c.lower() in _NAMES), "")
            if level == match.level
            else _names_above(features, region, regions.levels[level], used)
        )
        if not column or column in (match.column, *used):
            continue
        for place, name in zip(region.tolist(), features.columns[column], strict=True):
            if place >= 0 and name:
                names[own.start + place] = name
        if names[own] != list(regions.ids[own]):
            used.append(column)
    if not used:
        return reading
    shown = join_and([shown_code(column) for column in used])
    notes.note("names", f"names of areas come from {shown}")
    return replace(reading, table=table.with_regions(replace(regions, names=tuple(names))))


def _regions_of_shapes(regions: Regions, match: Match, level: int) -> IntArray:
    """Return the position in `level` of the region of each shape, -1 for none, (n_features,)."""
    tree = regions.tree
    node = np.where(match.region >= 0, match.region + tree.level(match.level).start, -1)
    for _ in range(level, match.level):
        node = np.where(node >= 0, tree.parent[np.maximum(node, 0)], -1)
    return np.where(node >= 0, node - tree.level(level).start, -1).astype(np.int64)


def _names_above(features: Features, region: IntArray, level: str, used: Sequence[str]) -> str:
    """Return the attribute that names the regions of an upper level; empty for none.

    Each region must have one name, nearly all names must differ, and the attribute must be named
    like a column of names.
    """
    inside = region >= 0
    n_regions = len(np.unique(region[inside]))
    likely: list[tuple[bool, str]] = []
    for column, cells in features.columns.items():
        if column in used:
            continue
        pairs = {(int(r), name) for r, name, own in zip(region, cells, inside, strict=True)
                 if own and name}  # fmt: skip
        names = {name for _, name in pairs}
        plain = plain_name(column)
        called = is_name(ColumnFacts(column, pa.array(cells, pa.string())))
        after_level = plain_name(level) in plain
        if not (called or after_level) or any(name.isdigit() for name in names):
            continue
        if len(pairs) == n_regions and len(names) >= max(_OWN_NAMES * n_regions, 2):
            likely.append((after_level, column))
    return max(likely, default=(False, ""), key=lambda one: one[0])[1]


def _drawn(
    reading: Reading, regions: Regions, features: Features, match: Match, notes: Notebook
) -> Reading:
    shapes, plane = _shapes_of(regions, features, match, notes)
    words = f"boundaries of {notes.file}"
    caption = f"Boundaries: {notes.file}"
    try:
        boundaries = boundaries_from_leaves(regions, shapes, caption=caption)
    except HierdpError:
        notes.repair("borders", "borders that overlapped or left gaps were cleaned")
        boundaries = clean_boundaries(regions, shapes, caption)
    return replace(reading, boundaries=replace(boundaries, plane=plane), drawn=words)


def _drawn_above(
    reading: Reading, regions: Regions, features: Features, match: Match, notes: Notebook
) -> Reading:
    """Return the reading with the shapes of an upper level, divided for the levels below.

    The boundaries then have no display plane, because the parts are not where the regions lie and
    must not be saved with coordinates.
    """
    shapes, _ = _shapes_of(regions, features, match, notes)
    below = parts_below(regions, match.level, shapes)
    level = regions.levels[match.level]
    parts = f"areas below the level {level} are drawn as equal parts, not where they lie"
    return replace(
        reading,
        boundaries=Boundaries(
            regions=regions,
            shapes=tuple(
                map(geometries, (*shapes_above(regions, match.level, shapes)[:-1], *below))
            ),
            caption=f"Boundaries: {notes.file}; {parts}",
        ),
        drawn=f"boundaries of {notes.file}; {parts}",
    )


def _shapes_of(
    regions: Regions, features: Features, match: Match, notes: Notebook
) -> tuple[Shapes, Plane]:
    """Return a shape on the display plane for each region of the matched level."""
    import shapely

    own = match.region >= 0
    flat, plane = to_display_plane(features.shapes[own])
    region = match.region[own]
    shapes = np.full(int(regions.tree.level_sizes[match.level]), None, dtype=object)
    order = np.argsort(region, kind="stable")
    at, starts = np.unique(region[order], return_index=True)
    several = 0
    for position, members in zip(at, np.split(order, starts[1:]), strict=True):
        several += len(members) > 1
        shapes[position] = (
            flat[members[0]] if len(members) == 1 else shapely.union_all(flat[members])
        )
    if several:
        notes.repair(
            "dissolved", f"{counted(several, 'region')} had several shapes, which were joined"
        )
    return with_squares(shapes), plane
