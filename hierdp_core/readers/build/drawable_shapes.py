"""Shapes ready to draw: valid polygons on a plane, simplified to what is visible."""

from contextlib import suppress

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
from hierdp_core.util.arrays import FloatArray

_POINTS = 150_000  # of all borders; more are simplified
_FINENESS = 2_500  # a simplified border deviates by at most the map's width over this number


def clean_boundaries(regions: Regions, shapes: Shapes, caption: str) -> Boundaries:
    import shapely

    clean = np.asarray(shapely.coverage_clean(shapes))
    if not shapely.is_empty(clean).any():
        with suppress(HierdpError):
            return boundaries_from_leaves(regions, clean, caption=caption, digits=4)
    return _unions(regions, shapes, caption)


def _unions(regions: Regions, shapes: Shapes, caption: str) -> Boundaries:
    """Return boundaries with the shapes unchanged and each parent the union of its children."""
    levels = shapes_above(regions, len(regions.levels) - 1, shapes)
    return Boundaries(
        regions=regions,
        shapes=tuple(geometries(level) for level in levels),
        caption=caption,
    )


def shapes_above(regions: Regions, level: int, shapes: Shapes) -> list[Shapes]:
    """Return the shapes of each level from the root down to number `level`, which has `shapes`."""
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
    """Return an equal-area PROJ string centred on the points; a cylindrical one for the world."""
    turn = np.radians(lon)
    middle = float(np.degrees(np.arctan2(np.sin(turn).mean(), np.cos(turn).mean())))
    away = np.abs((lon - middle + 180) % 360 - 180)
    if away.max(initial=0) > 80 or lat.max(initial=0) - lat.min(initial=0) > 120:
        return f"+proj=cea +lat_ts=30 +lon_0={middle:.3f} +datum=WGS84 +units=m"
    centre = (float(lat.min()) + float(lat.max())) / 2
    return f"+proj=laea +lat_0={centre:.3f} +lon_0={middle:.3f} +datum=WGS84 +units=m"


def to_display_plane(shapes: Shapes) -> tuple[Shapes, Plane]:
    """Return shapes in degrees projected to a display plane, and the plane."""
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


def with_squares(shapes: Shapes) -> Shapes:
    """Return the shapes with a square below the map for each missing one."""
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
