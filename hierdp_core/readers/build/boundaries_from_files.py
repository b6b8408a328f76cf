"""A shape for every region: from a boundary file, from centres, or as tiles."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.exceptions import HierdpError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import (
    APPROXIMATE,
    METRES_PER_DEGREE,
    Boundaries,
    Plane,
    Shapes,
    boundaries_from_leaves,
    geometries,
)
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.maps.voronoi import Frame, framed_cells
from hierdp_core.readers.build.regions_from_columns import places_of
from hierdp_core.readers.columns.codes import SCHEMES
from hierdp_core.readers.columns.vocabulary import LATITUDE, LONGITUDE, plain_name
from hierdp_core.readers.formats.shapes import Features, read_shapes
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, Report, Unreadable, shown_code
from hierdp_core.readers.result import Reading
from hierdp_core.util.arrays import FloatArray

_MOST_DRAWN = 60_000  # leaves; a browser cannot show more
_MOST_CELLS = 20_000  # leaves whose cells are computed
_LEAST_SHARE = 0.5  # of the regions that a boundary file must contain
_POINTS = 150_000  # of all borders; more are simplified
_FINENESS = 2_500  # a simplified border deviates by at most the map's width over this number
_SHOWN = 5
_NAMES = ("name", "namelsad", "label", "comune", "den_com", "nuts_name", "zone", "shapename")


@dataclass(frozen=True, eq=False, kw_only=True)
class Centres:
    """Where regions lie, without their borders.

    Attributes:
        codes: of the places.
        lat, lon: degrees, shape (n,).
        areas: square metres, shape (n,); 0 where unknown.
    """

    codes: tuple[str, ...] = field(repr=False)
    lat: FloatArray = field(repr=False)
    lon: FloatArray = field(repr=False)
    areas: FloatArray = field(repr=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class Match:
    """Which feature belongs to which leaf.

    Attributes:
        column: the attribute that was matched.
        rule: how codes were made alike, in words; empty for as they are.
        leaf: shape (features,), the leaf position; -1 for none.
    """

    column: str
    rule: str
    leaf: np.ndarray[tuple[int], np.dtype[np.int64]] = field(repr=False)


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


def with_boundaries(reading: Reading, source: Source, notes: Notebook, limits: Limits) -> Reading:
    """Return the reading with the shapes of a boundary file; mismatches are reported."""
    regions = regions_of(reading)
    try:
        features = read_shapes(source, notes, limits)
    except Unreadable as fault:
        notes.findings.append(fault.finding)
        return reading
    if regions is None or notes.faulty:
        return reading
    match = matched(features, regions)
    if match is None:
        notes.fault(
            "no-match",
            f"no attribute holds the codes of the {regions.levels[-1]}s; its attributes are "
            + ", ".join(shown_code(name) for name in list(features.columns)[:12]),
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
    return _drawn(reading, regions, features, match, notes)


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
    return _drawn(empty, regions, features, match, notes).boundaries


def _named(
    reading: Reading, regions: Regions, features: Features, match: Match, notes: Notebook
) -> Reading:
    """The reading with the boundary file's names where the table has codes only."""
    leaves = regions.tree.leaves
    table = reading.table
    if table is None or table.between_regions or regions.names[leaves] != regions.ids[leaves]:
        return reading
    column = next((c for c in features.columns if c.lower() in _NAMES), "")
    if not column or column == match.column:
        return reading
    names = list(regions.names)
    for leaf, name in zip(match.leaf.tolist(), features.columns[column], strict=True):
        if leaf >= 0 and name:
            names[leaves.start + leaf] = name
    notes.note("names", f"names of regions were taken from {shown_code(column)}")
    return replace(reading, table=table.with_regions(replace(regions, names=tuple(names))))


def matched(features: Features, regions: Regions) -> Match | None:
    """Return the attribute that matches the most leaves, by code, corrected code or name."""
    tree = regions.tree
    ids = regions.ids[tree.leaves]
    by_code = {code: i for i, code in enumerate(ids)}
    names = [name.casefold() for name in regions.names[tree.leaves]]
    unique = (
        {name: i for i, name in enumerate(names) if names.count(name) == 1}
        if len(names) < 5000
        else {}
    )
    best: tuple[int, Match] | None = None
    width = len(ids[0]) if len({len(code) for code in ids}) == 1 and ids[0].isdigit() else 0
    for column, values in features.columns.items():
        for rule, codes, known in (
            ("", values, by_code),
            ("the part after US", [v.rpartition("US")[2] for v in values], by_code),
            (f"leading zeros added, to {width} digits",
             [v.zfill(width) if v.isdigit() else v for v in values], by_code),
            ("by name", [v.casefold() for v in values], unique),
        ):  # fmt: skip
            leaf = np.array([known.get(code, -1) for code in codes], dtype=np.int64)
            found = len(set(leaf.tolist()) - {-1})
            if found and (best is None or found > best[0]):
                best = (found, Match(column=column, rule=rule, leaf=leaf))
    return None if best is None else best[1]


def _tell_match(match: Match, features: Features, regions: Regions, notes: Notebook) -> None:
    tree = regions.tree
    level = regions.levels[-1]
    found = np.zeros(tree.n_leaves, dtype=np.bool_)
    found[match.leaf[match.leaf >= 0]] = True
    rule = f" ({match.rule})" if match.rule else ""
    scheme = next((s for s in SCHEMES if any(h in match.column.lower() for h in s.hints)), None)
    kind = f", {scheme.title}" if scheme else ""
    notes.note(
        "match",
        f"shapes were matched to {int(found.sum()):,} of {tree.n_leaves:,} regions by "
        f"{shown_code(match.column)}{rule}{kind}",
    )
    lost = np.flatnonzero(~found)
    first = tree.leaves.start
    if len(lost):
        places = [f"{level} {shown_code(regions.ids[first + int(i)])}" for i in lost[:_SHOWN]]
        tell = notes.fault if found.mean() < _LEAST_SHARE else notes.repair
        tell(
            "no-shape",
            "a region has no shape"
            + ("" if notes.faulty else "; it is drawn as a square below the map"),
            "Use boundaries of the same year.",
            places=places,
            count=len(lost),
        )
    spare = np.flatnonzero(match.leaf < 0)
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
    import shapely

    own = match.leaf >= 0
    flat, plane = _on_the_plane(features.shapes[own])
    leaf = match.leaf[own]
    n_leaves = regions.tree.n_leaves
    shapes = np.full(n_leaves, None, dtype=object)
    order = np.argsort(leaf, kind="stable")
    at, starts = np.unique(leaf[order], return_index=True)
    several = 0
    for position, members in zip(at, np.split(order, starts[1:]), strict=True):
        several += len(members) > 1
        shapes[position] = (
            flat[members[0]] if len(members) == 1 else shapely.union_all(flat[members])
        )
    if several:
        notes.repair("dissolved", f"{several:,} regions had several shapes, which were joined")
    shapes = _with_squares(shapes)
    words = f"boundaries of {notes.file}"
    caption = f"Boundaries: {notes.file}"
    try:
        found = boundaries_from_leaves(regions, shapes, caption=caption)
    except HierdpError:
        notes.repair("borders", "borders overlap or leave gaps; they were cleaned")
        found = _cleaned(regions, shapes, caption)
    return replace(reading, boundaries=replace(found, plane=plane), drawn=words)


def _cleaned(regions: Regions, shapes: Shapes, caption: str) -> Boundaries:
    import shapely

    if hasattr(shapely, "coverage_clean"):
        clean = np.asarray(shapely.coverage_clean(shapes))
        if not shapely.is_empty(clean).any():
            try:
                return boundaries_from_leaves(regions, clean, caption=caption, digits=4)
            except HierdpError:
                pass
    return _unions(regions, shapes, caption)


def _unions(regions: Regions, shapes: Shapes, caption: str) -> Boundaries:
    """Shapes as they are, each parent the union of its children, where borders do not meet."""
    import shapely

    tree = regions.tree
    levels = [shapes]
    for level in reversed(range(tree.n_levels - 1)):
        start = tree.level(level + 1).start
        nodes = range(*tree.level(level).indices(tree.n_nodes))
        families = [tree.children(node) for node in nodes]
        unions = [shapely.union_all(levels[0][f.start - start : f.stop - start]) for f in families]
        levels.insert(0, np.array([_areal(union) for union in unions], dtype=object))
    return Boundaries(
        regions=regions,
        shapes=tuple(geometries(level) for level in levels),
        caption=caption,
    )


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


def _projection(lat: FloatArray, lon: FloatArray) -> str:
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
    system = _projection(sample[:, 1], sample[:, 0])
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


def has_centres(sheet: Sheet) -> bool:
    """Whether a table has columns of latitude and longitude."""
    plain = {plain_name(name) for name in sheet.names}
    return bool(plain & LATITUDE) and bool(plain & LONGITUDE)


def centres_of(sheet: Sheet, reading: Reading) -> Centres | None:
    """The centres in a table beside the counts: its column of codes is the one that fits best."""
    regions = regions_of(reading)
    if regions is None:
        return None
    leaves = pa.array(regions.ids[regions.tree.leaves])
    width = _code_width(regions)

    def shared(name: str) -> int:
        codes = pc.unique(sheet.column(name))
        whole = pc.utf8_lpad(codes, width, padding="0") if width else codes
        return int(as_mask(pc.is_in(whole, value_set=leaves)).sum())

    code = max(sheet.names, key=shared)
    return _centres(sheet, tuple(sheet.column(code).to_pylist()))


def centres_of_rows(sheet: Sheet, reading: Reading) -> Centres | None:
    """The centres in the table of counts itself, by the region of each row."""
    layout, regions = reading.layout, regions_of(reading)
    if layout is None or regions is None or sheet.weights is not None or not has_centres(sheet):
        return None
    if not sheet.has(*layout.levels) or layout.has_destinations:
        return None
    places = places_of(sheet, layout, Notebook(sheet.file))
    if places is None:
        return None
    codes = tuple(places.regions.ids[node] for node in places.node.tolist())
    return _centres(sheet, codes)


def _code_width(regions: Regions) -> int:
    ids = regions.ids[regions.tree.leaves]
    return len(ids[0]) if ids[0].isdigit() else 0


def _centres(sheet: Sheet, codes: tuple[str, ...]) -> Centres | None:
    plain = {plain_name(name): name for name in reversed(sheet.names)}
    lat, lon, land = (
        next((plain[word] for word in sorted(known & plain.keys())), "")
        for known in (LATITUDE, LONGITUDE, {"aland", "aland10", "area"})
    )
    if not lat or not lon or sheet.weights is not None:
        return None
    try:
        values = [_floats(sheet, name) for name in (lat, lon)]
        areas = _floats(sheet, land) if land else np.zeros(sheet.n_rows)
    except ValueError:
        return None
    if not (np.abs(values[0]) <= 90).all() or not (np.abs(values[1]) <= 360).all():
        return None
    return Centres(codes=codes, lat=values[0], lon=values[1], areas=areas)


def _floats(sheet: Sheet, name: str) -> FloatArray:
    return np.array([float(text) for text in sheet.column(name).to_pylist()], dtype=np.float64)


def with_centres(reading: Reading, centres: Centres, notes: Notebook) -> Reading:
    """The reading with a cell about each leaf's centre, where every leaf has one."""
    regions = regions_of(reading)
    if regions is None:
        return reading
    ids = regions.ids[regions.tree.leaves]
    width = _code_width(regions)
    at: dict[str, int] = {}
    for row, code in enumerate(centres.codes):
        at.setdefault(code.zfill(width) if code.isdigit() else code, row)
    missing = [code for code in ids if code not in at]
    if missing or len(ids) > _MOST_CELLS:
        if missing:
            notes.repair(
                "no-centre", "a region has no centre, so that tiles are drawn",
                places=_quoted(missing), count=len(missing),
            )  # fmt: skip
        return reading
    rows = np.array([at[code] for code in ids])
    lat, lon, areas = centres.lat[rows], centres.lon[rows], centres.areas[rows]
    try:
        shapes = framed_cells(_frame(lat, lon), lat, lon, _known_areas(lat, lon, areas))
        drawn = boundaries_from_leaves(regions, shapes, caption=APPROXIMATE)
    except (HierdpError, ValueError):
        notes.repair("no-cells", "areas around the centres cannot be formed, so tiles are shown")
        return reading
    return replace(reading, boundaries=drawn, drawn="approximate boundaries around the centres")


def _quoted(codes: Sequence[str]) -> list[str]:
    return [shown_code(code) for code in codes[:_SHOWN]]


def _frame(lat: FloatArray, lon: FloatArray) -> Frame:
    size = float(max(np.ptp(lat), np.ptp(lon), 0.01)) * 111_000
    return Frame(
        projection=_projection(lat, lon), closing=size / 40, tolerance=min(size / 1000, 2_500.0)
    )


def _known_areas(lat: FloatArray, lon: FloatArray, areas: FloatArray) -> FloatArray:
    """Areas, those unknown taken as an even part of the box of all places."""
    box = np.ptp(lat) * np.ptp(lon) * np.cos(np.radians(lat.mean())) * 111_000.0**2
    even = max(box / len(lat), 1e6)
    return np.where(areas > 0, areas, even)
