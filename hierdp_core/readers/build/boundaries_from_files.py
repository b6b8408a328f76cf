"""A shape for every region: from a boundary file, from centres, or as tiles."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from hierdp_core.exceptions import HierdpError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import (
    METRES_PER_DEGREE,
    Boundaries,
    Plane,
    Shapes,
    boundaries_from_leaves,
    geometries,
)
from hierdp_core.maps.parts import parts_below
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.readers.columns.codes import SCHEMES
from hierdp_core.readers.columns.vocabulary import (
    ROW_NUMBER,
    plain_name,
)
from hierdp_core.readers.formats.shapes import Features
from hierdp_core.readers.report import Notebook, Report, shown_code, shown_codes
from hierdp_core.readers.result import Reading
from hierdp_core.util.arrays import FloatArray

_MOST_DRAWN = 60_000  # leaves; a browser cannot show more
MOST_CELLS = 20_000  # leaves whose cells are computed
_LEAST_SHARE = 0.5  # of the regions that a boundary file must contain
_POINTS = 150_000  # of all borders; more are simplified
_FINENESS = 2_500  # a simplified border deviates by at most the map's width over this number
_SHOWN = 5
_NAMES = ("name", "namelsad", "label", "comune", "den_com", "nuts_name", "zone", "shapename")


@dataclass(frozen=True, eq=False, kw_only=True)
class Match:
    """Which feature belongs to which region of a level.

    Attributes:
        level: the number of the level.
        column: the attribute that was matched.
        rule: how codes were made alike, in words; empty for as they are.
        region: shape (features,), the position in the level; -1 for none.
    """

    level: int
    column: str
    rule: str
    region: np.ndarray[tuple[int], np.dtype[np.int64]] = field(repr=False)

    @property
    def n_regions(self) -> int:
        """How many regions have a shape."""
        return len(set(self.region.tolist()) - {-1})


def regions_of(reading: Reading) -> Regions | None:
    """The hierarchy of the reading's table; of flows, that of their origins."""
    table = reading.table
    return None if table is None else table.regions


def with_tiles(reading: Reading) -> Reading:
    """Return the reading with one tile per leaf, where there are not too many."""
    regions = regions_of(reading)
    if regions is None:
        return reading
    if regions.tree.n_leaves > _MOST_DRAWN:
        return replace(reading, drawn=f"not drawn: more than {_MOST_DRAWN:,} regions")
    return replace(
        reading,
        boundaries=tile_layout(regions),
        drawn="tiles: no boundaries and no centres were given",
    )


def with_boundaries(reading: Reading, features: Features, notes: Notebook) -> Reading:
    """Return the reading with the shapes of a boundary file; mismatches are reported."""
    regions = regions_of(reading)
    if regions is None or notes.faulty:
        return reading
    match = matched(features, regions)
    if match is None:
        notes.fault(
            "no-match",
            "no attribute holds the codes or names of a level of the table, such as "
            f"{shown_code(regions.ids[-1])}. Its attributes are "
            f"{shown_codes(list(features.columns), shown=12)}",
            "Use boundaries of the same regions and year, with their codes.",
        )
        return reading
    _tell_match(match, features, regions, notes)
    if notes.faulty:
        return reading
    reading = _named(reading, regions, features, match, notes)
    regions = regions_of(reading) or regions
    if regions.tree.n_leaves > _MOST_DRAWN:
        return replace(reading, drawn=f"not drawn: more than {_MOST_DRAWN:,} regions")
    if match.level == len(regions.levels) - 1:
        return _drawn(reading, regions, features, match, notes)
    if regions.tree.n_leaves > MOST_CELLS:
        notes.repair("no-parts", f"more than {MOST_CELLS:,} regions lie in these shapes, so that "
                     "tiles are drawn")  # fmt: skip
        return with_tiles(reading)
    return _drawn_above(reading, regions, features, match, notes)


def boundaries_of(regions: Regions, features: Features, notes: Notebook) -> Boundaries | None:
    """The shapes of `features` for `regions`; None where no attribute holds their codes.

    What does not match is told in `notes`; with a fault in it the result is None as well.
    """
    match = matched(features, regions)
    if match is None:
        return None
    _tell_match(match, features, regions, notes)
    if notes.faulty:
        return None
    empty = Reading(report=Report.of((), ()))
    draw = _drawn if match.level == len(regions.levels) - 1 else _drawn_above
    return draw(empty, regions, features, match, notes).boundaries


def _named(
    reading: Reading, regions: Regions, features: Features, match: Match, notes: Notebook
) -> Reading:
    """The reading with the boundary file's names where the table has codes only."""
    own = regions.tree.level(match.level)
    table = reading.table
    if table is None or table.between_regions or regions.names[own] != regions.ids[own]:
        return reading
    column = next((c for c in features.columns if c.lower() in _NAMES), "")
    if not column or column == match.column:
        return reading
    names = list(regions.names)
    for region, name in zip(match.region.tolist(), features.columns[column], strict=True):
        if region >= 0 and name:
            names[own.start + region] = name
    notes.note("names", f"names of regions were taken from {shown_code(column)}")
    return replace(reading, table=table.with_regions(replace(regions, names=tuple(names))))


def matched(features: Features, regions: Regions) -> Match | None:
    """Return the attribute that matches the most regions of the last level, or of one above it.

    Boundaries belong to the lowest level of which they have half of the regions. Most shapes must
    belong to an upper level, as codes of few digits agree by chance. Where they belong to none,
    the result is what there is of the last level.
    """
    last = len(regions.levels) - 1
    lowest = _matched(features, regions, last)
    sizes = regions.tree.level_sizes
    for level in range(last, 0, -1):
        match = lowest if level == last else _matched(features, regions, level)
        if match is None or match.n_regions < _LEAST_SHARE * sizes[level]:
            continue
        if level == last or (match.region >= 0).mean() >= _LEAST_SHARE:
            return match
    return lowest


def _matched(features: Features, regions: Regions, level: int) -> Match | None:
    """Return the attribute that matches the most regions of a level, by code or name."""
    own = regions.tree.level(level)
    ids = regions.ids[own]
    by_code = {code: i for i, code in enumerate(ids)}
    names = [name.casefold() for name in regions.names[own]]
    often = Counter(names)
    unique = {name: i for i, name in enumerate(names) if often[name] == 1}
    best: Match | None = None
    width = len(ids[0]) if len({len(code) for code in ids}) == 1 and ids[0].isdigit() else 0
    for column, values in features.columns.items():
        if _numbers_shapes(column, values):
            continue
        for rule, codes, known in (
            ("", values, by_code),
            ("the part after US", [v.rpartition("US")[2] for v in values], by_code),
            (f"leading zeros added, to {width} digits",
             [v.zfill(width) if v.isdigit() else v for v in values], by_code),
            ("by name", [v.casefold() for v in values], unique),
        ):  # fmt: skip
            region = np.array([known.get(code, -1) for code in codes], dtype=np.int64)
            match = Match(level=level, column=column, rule=rule, region=region)
            if match.n_regions > (best.n_regions if best else 0):
                best = match
    return best


def _numbers_shapes(column: str, values: Sequence[str]) -> bool:
    """Whether an attribute is the number of a shape in its file, as programs write it."""
    numbers = [str(k) for k in range(len(values) + 1)]
    own = plain_name(column)
    return len(values) > 1 and (
        list(values) == numbers[:-1]
        or (list(values) == numbers[1:] and own != "id" and bool(ROW_NUMBER.fullmatch(own)))
    )


def _tell_match(match: Match, features: Features, regions: Regions, notes: Notebook) -> None:
    own = regions.tree.level(match.level)
    ids = regions.ids[own]
    level = regions.levels[match.level]
    found = np.zeros(len(ids), dtype=np.bool_)
    found[match.region[match.region >= 0]] = True
    rule = f" ({match.rule})" if match.rule else ""
    scheme = next((s for s in SCHEMES if any(h in match.column.lower() for h in s.hints)), None)
    kind = f", {scheme.title}" if scheme else ""
    notes.note(
        "match",
        f"shapes were matched to {int(found.sum()):,} of {len(ids):,} regions of the level "
        f"{level} by {shown_code(match.column)}{rule}{kind}",
    )
    lost = np.flatnonzero(~found)
    if len(lost):
        places = [f"{level} {shown_code(ids[int(i)])}" for i in lost[:_SHOWN]]
        tell = notes.fault if found.mean() < _LEAST_SHARE else notes.repair
        tell(
            "no-shape",
            "a region has no shape"
            if notes.faulty
            else "a region has no shape and is drawn as a square below the map",
            "Use boundaries of the same year.",
            places=places,
            count=len(lost),
        )
    spare = np.flatnonzero(match.region < 0)
    if len(spare):
        values = features.columns[match.column]
        notes.repair(
            "no-region",
            "a shape belongs to no region of the table and was left out",
            places=[shown_code(values[i]) for i in spare[:_SHOWN]],
            count=len(spare),
        )


def _drawn(
    reading: Reading, regions: Regions, features: Features, match: Match, notes: Notebook
) -> Reading:
    shapes, plane = _shapes_of(regions, features, match, notes)
    words = f"boundaries of {notes.file}"
    caption = f"Boundaries: {notes.file}"
    try:
        found = boundaries_from_leaves(regions, shapes, caption=caption)
    except HierdpError:
        notes.repair("borders", "borders overlap or leave gaps; they were cleaned")
        found = _cleaned(regions, shapes, caption)
    return replace(reading, boundaries=replace(found, plane=plane), drawn=words)


def _drawn_above(
    reading: Reading, regions: Regions, features: Features, match: Match, notes: Notebook
) -> Reading:
    """The reading with the shapes of an upper level, and parts of them for the levels below.

    The display plane has no place on the earth then: the parts are drawings, which must not be
    saved as if the regions lay there.
    """
    shapes, _ = _shapes_of(regions, features, match, notes)
    below = parts_below(regions, match.level, shapes)
    level = regions.levels[match.level]
    parts = f"regions below the level {level} are drawn as equal parts, not where they lie"
    return replace(
        reading,
        boundaries=Boundaries(
            regions=regions,
            shapes=tuple(map(geometries, (*_above(regions, match.level, shapes)[:-1], *below))),
            caption=f"Boundaries: {notes.file}; {parts}",
        ),
        drawn=f"boundaries of {notes.file}; {parts}",
    )


def _shapes_of(
    regions: Regions, features: Features, match: Match, notes: Notebook
) -> tuple[Shapes, Plane]:
    """A shape on the display plane for each region of the level that was matched."""
    import shapely

    own = match.region >= 0
    flat, plane = _on_the_plane(features.shapes[own])
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
        notes.repair("dissolved", f"{several:,} regions had several shapes, which were joined")
    return _with_squares(shapes), plane


def _cleaned(regions: Regions, shapes: Shapes, caption: str) -> Boundaries:
    import shapely

    clean = np.asarray(shapely.coverage_clean(shapes))
    if not shapely.is_empty(clean).any():
        with suppress(HierdpError):
            return boundaries_from_leaves(regions, clean, caption=caption, digits=4)
    return _unions(regions, shapes, caption)


def _unions(regions: Regions, shapes: Shapes, caption: str) -> Boundaries:
    """Shapes as they are, each parent the union of its children, where borders do not meet."""
    levels = _above(regions, len(regions.levels) - 1, shapes)
    return Boundaries(
        regions=regions,
        shapes=tuple(geometries(level) for level in levels),
        caption=caption,
    )


def _above(regions: Regions, level: int, shapes: Shapes) -> list[Shapes]:
    """The shapes of each level from the root down to number `level`, which has `shapes`."""
    import shapely

    tree = regions.tree
    levels = [shapes]
    for upper in reversed(range(level)):
        start = tree.level(upper + 1).start
        nodes = range(*tree.level(upper).indices(tree.n_nodes))
        families = [tree.children(node) for node in nodes]
        unions = [shapely.union_all(levels[0][f.start - start : f.stop - start]) for f in families]
        levels.insert(0, np.array([_areal(union) for union in unions], dtype=object))
    return levels


def _areal(shape: object) -> object:
    import shapely

    parts = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def _simple_enough(shapes: Shapes) -> Shapes:
    import shapely

    if int(shapely.get_num_coordinates(shapes).sum()) <= _POINTS:
        return shapes
    x0, y0, x1, y1 = shapely.total_bounds(shapes)
    simple = shapely.coverage_simplify(shapes, max(x1 - x0, y1 - y0) / _FINENESS)
    small = shapely.is_empty(simple)
    return np.where(small, shapes, simple)


def projection(lat: FloatArray, lon: FloatArray) -> str:
    """An equal-area system about the middle of the points; of the whole world a cylinder."""
    turn = np.radians(lon)
    middle = float(np.degrees(np.arctan2(np.sin(turn).mean(), np.cos(turn).mean())))
    away = np.abs((lon - middle + 180) % 360 - 180)
    if away.max(initial=0) > 80 or lat.max(initial=0) - lat.min(initial=0) > 120:
        return f"+proj=cea +lat_ts=30 +lon_0={middle:.3f} +datum=WGS84 +units=m"
    centre = (float(lat.min()) + float(lat.max())) / 2
    return f"+proj=laea +lat_0={centre:.3f} +lon_0={middle:.3f} +datum=WGS84 +units=m"


def _on_the_plane(shapes: Shapes) -> tuple[Shapes, Plane]:
    """Shapes in degrees, moved to a display plane, and where that lies."""
    import shapely
    from pyproj import Transformer

    points = shapely.get_coordinates(shapes)
    sample = points[:: max(len(points) // 50_000, 1)]
    system = projection(sample[:, 1], sample[:, 0])
    project = Transformer.from_crs("EPSG:4326", system, always_xy=True).transform
    flat = shapely.transform(shapes, project, interleaved=False)
    flat = np.array([_areal(s) for s in shapely.make_valid(flat)], dtype=object)
    flat = _simple_enough(flat)
    x0, y0, x1, y1 = shapely.total_bounds(flat)
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    factor = 1 / max(METRES_PER_DEGREE, (x1 - x0) / 160, (y1 - y0) / 80)
    moved = np.asarray(shapely.transform(flat, lambda p: (p - middle) * factor))
    return moved, Plane(system=system, x=float(middle[0]), y=float(middle[1]), factor=factor)


def _with_squares(shapes: Shapes) -> Shapes:
    """Shapes where those that are missing stand as squares in rows below the map."""
    import shapely

    missing = np.flatnonzero([shape is None for shape in shapes])
    if not len(missing):
        return shapes
    there = shapes[[shape is not None for shape in shapes]]
    x0, y0, x1, _ = shapely.total_bounds(there)
    side = (x1 - x0) / max(20, np.sqrt(len(missing) * 10))
    across = max(int((x1 - x0) / (1.5 * side)), 1)
    done = shapes.copy()
    for place, leaf in enumerate(missing):
        left = x0 + (place % across) * 1.5 * side
        top = y0 - (place // across + 1) * 1.5 * side
        done[leaf] = shapely.box(left, top - side, left + side, top)
    return done
