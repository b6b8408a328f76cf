"""Leaf shapes without boundary files: Voronoi cells of centroids, cut to the land.

The land is given as an outline, or is the union of discs around the centroids with gaps closed.
Each disc has about 1.6 times the area of its region.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierdp_core.exceptions import TableError
from hierdp_core.maps.boundaries import METRES_PER_DEGREE, Shapes
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray
from hierdp_core.util.text import counted

_GRID = 1.0  # metres: all border points are put on this grid, so that borders match
_REACH = 1.25  # a disc's radius, in radii of a circle with the area of the region
_APART = 100.0  # metres by which seeds with nearly the same centroid are moved
_STEP = 0.25  # degrees between points of an outline, so that parallels bend as they should


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Projection, scale and position of one part of a map.

    Attributes:
        projection: an equal-area coordinate system, as pyproj reads it.
        scale: relative to the rest of the map, such as 0.5 for half its size.
        centre: the centre of its box on the display plane, in degrees.
        closing: gaps between discs up to twice this many metres are closed.
        tolerance: metres by which borders may be simplified.
        ashore: metres inland to which a centroid in the water is moved, where there is room.
    """

    projection: str
    centre: tuple[float, float] = (0.0, 0.0)
    scale: float = 1.0
    closing: float = 60_000.0
    tolerance: float = 2_500.0
    ashore: float = 8_000.0


def framed_cells(
    frame: Frame,
    lat: FloatArray,
    lon: FloatArray,
    areas: FloatArray,
    *,
    outline: Any = None,
) -> Shapes:
    """Return the cell of every area on the display plane, shape (n,).

    Args:
        frame: projection, scale and position.
        lat: degrees, shape (n,).
        lon: degrees, shape (n,).
        areas: square metres, shape (n,).
        outline: the land to cut cells to, in longitude and latitude, a polygon or several;
            None forms it from discs.
    """
    import shapely
    from pyproj import Transformer

    project = Transformer.from_crs("EPSG:4326", frame.projection, always_xy=True).transform

    def drawn(shape: Any) -> Any:
        return shapely.transform(shapely.segmentize(shape, _STEP), project, interleaved=False)

    points = np.column_stack(project(lon, lat))
    land = disc_land(points, areas, frame.closing) if outline is None else drawn(outline)
    cells = voronoi_cells(points, land, ashore=frame.ashore)
    cells = shapely.coverage_simplify(cells, frame.tolerance)
    x0, y0, x1, y1 = shapely.total_bounds(cells)
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    factor = frame.scale / METRES_PER_DEGREE
    return np.asarray(
        shapely.transform(cells, lambda points: (points - middle) * factor + frame.centre)
    )


def disc_land(points: FloatArray, areas: FloatArray, closing: float) -> Any:
    """Return land formed from discs around `points`, with gaps closed.

    Args:
        points: shape (n, 2), metres on an equal-area plane.
        areas: square metres, shape (n,).
        closing: gaps up to twice this many metres wide are closed.
    """
    import shapely

    radii = _REACH * np.sqrt(areas / np.pi)
    discs = shapely.union_all(shapely.buffer(shapely.points(points), radii, quad_segs=8))
    return discs.buffer(closing, quad_segs=8).buffer(-closing, quad_segs=8)


def voronoi_cells(points: FloatArray, land: Any, *, ashore: float = 8_000.0) -> Shapes:
    """Return a polygon for every point: the land nearer to it than to any other.

    Points in water are first moved ashore. A piece of land that water separates from its point
    goes to the cell with which it shares the longest border, if any.

    Args:
        points: shape (n, 2), metres.
        land: a polygon or several, on the same plane.
        ashore: metres inland to which a point in the water is moved, where there is room.

    Returns:
        polygons, shape (n,), which together cover the land and share their borders.

    Raises:
        TableError: the land is too small to give every point a part of it.
    """
    import shapely

    moved = _apart(_ashore(points, land, ashore))
    cuts = shapely.voronoi_polygons(
        shapely.multipoints(moved), extend_to=shapely.box(*land.bounds), only_edges=True
    )
    edges = [land.boundary, shapely.intersection(cuts, land.buffer(2 * _GRID))]
    faces = _faces(shapely.union_all(edges, grid_size=_GRID), land)

    seeds = shapely.points(moved)
    owner = shapely.STRtree(seeds).nearest(shapely.point_on_surface(faces))
    home = shapely.intersects(faces, seeds[owner])
    _give_to_neighbours(faces, owner, home=home)
    if without := len(seeds) - len(np.unique(owner)):
        raise TableError(
            f"{counted(without, 'point')} of {len(seeds):,} would get no land, because points are "
            "too close to each other for the areas around them. Check the areas, which must be "
            "in square metres."
        )
    return np.array([_joined(faces[owner == i]) for i in range(len(seeds))])


def _faces(lines: Any, land: Any) -> Shapes:
    """Return the pieces into which `lines` divide `land`."""
    import shapely

    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    shapely.prepare(land)
    return np.asarray(faces[shapely.contains(land, shapely.point_on_surface(faces))])


def _joined(faces: Shapes) -> Any:
    import shapely

    return faces[0] if len(faces) == 1 else shapely.coverage_union_all(faces)


def _give_to_neighbours(faces: Shapes, owner: IntArray, *, home: BoolArray) -> None:
    """Give each face that is not at `home` to the owner with the longest shared border, if any."""
    import shapely

    tree = shapely.STRtree(faces)
    for face in np.flatnonzero(~home):
        near = tree.query(faces[face], predicate="intersects")
        near = near[home[near]]
        shared = shapely.length(shapely.intersection(faces[near], faces[face]))
        if len(near) and shared.max() > 0:
            owner[face] = owner[near[int(np.argmax(shared))]]


def _ashore(points: FloatArray, land: Any, inland: float) -> FloatArray:
    """Return `points`, with those in water moved to the nearest piece of land, slightly inland."""
    import shapely

    parts = shapely.get_parts(land)
    inner = shapely.buffer(parts, -inland)
    inner = np.where(shapely.is_empty(inner), shapely.point_on_surface(parts), inner)
    seeds = shapely.points(points)
    lost = np.flatnonzero(~shapely.contains(land, seeds))
    nearest = inner[shapely.STRtree(parts).nearest(seeds[lost])]
    moved = points.copy()
    moved[lost] = shapely.get_coordinates(
        shapely.get_point(shapely.shortest_line(nearest, seeds[lost]), 0)
    )
    return moved


def _apart(points: FloatArray) -> FloatArray:
    """Return `points`; points in the same square of 100 m are moved apart, without randomness."""
    _, group, copies = np.unique(
        np.round(points / _APART), axis=0, return_inverse=True, return_counts=True
    )
    group = group.reshape(-1)
    order = np.argsort(group, kind="stable")
    rank = np.empty(len(points))
    rank[order] = np.arange(len(points)) - np.searchsorted(group[order], group[order])
    angle = 2 * np.pi * rank / copies[group]
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * _APART
    return np.asarray(points + ring * (copies[group] > 1)[:, None])
