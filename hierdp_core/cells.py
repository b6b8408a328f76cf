"""Leaf shapes without boundary files: Voronoi cells of centroids, cut to the land.

The land is the union of discs about the centroids, each a little larger than its place's
own area, with gaps closed. It needs no file and keeps the look of a country.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierdp_core.arrays import FloatArray
from hierdp_core.geography import METRES_PER_DEGREE, Shapes

_GRID = 1.0  # metres: all border points are put on this grid, so that borders match


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Where part of a map is drawn: its own projection, its place on the display plane.

    Attributes:
        projection: an equal-area coordinate system, as pyproj reads it.
        scale: 1 draws it at the size of the rest, 0.5 at half that.
        centre: where the middle of its box comes to lie, in display degrees.
        closing: gaps up to twice this many metres are closed.
        tolerance: metres by which borders may be simplified.
    """

    projection: str
    centre: tuple[float, float] = (0.0, 0.0)
    scale: float = 1.0
    closing: float = 60_000.0
    tolerance: float = 2_500.0


def framed_cells(
    frame: Frame, lat: FloatArray, lon: FloatArray, areas: FloatArray, *, land: Any = None
) -> Shapes:
    """The cell of every place on the display plane, shape (n,).

    Args:
        frame: where and how they are drawn.
        lat, lon: degrees, shape (n,).
        areas: square metres, shape (n,).
        land: what to cut cells to, longitude and latitude; None makes it from discs.
    """
    import shapely
    from pyproj import Transformer

    project = Transformer.from_crs("EPSG:4326", frame.projection, always_xy=True).transform
    x, y = project(lon, lat)
    if land is not None:
        land = shapely.transform(land, project, interleaved=False)
    cells = voronoi_cells(np.column_stack([x, y]), areas, closing=frame.closing, land=land)
    cells = shapely.coverage_simplify(cells, frame.tolerance)
    x0, y0, x1, y1 = shapely.total_bounds(cells)
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    factor = frame.scale / METRES_PER_DEGREE
    return np.asarray(
        shapely.transform(cells, lambda points: (points - middle) * factor + frame.centre)
    )


def voronoi_cells(
    points: FloatArray, areas: FloatArray, *, closing: float, land: Any = None
) -> Shapes:
    """A polygon for every point: the land nearer to it than to any other.

    Args:
        points: shape (n, 2), metres on an equal-area plane.
        areas: square metres, shape (n,).
        closing: gaps in the discs up to twice this wide are closed.
        land: what to cut cells to; None makes it from discs.

    Returns:
        Polygons, shape (n,); together they cover the land, with shared borders.
    """
    import shapely

    seeds = shapely.points(_apart(points))
    ground = _land(seeds, areas, closing) if land is None else land
    edges = shapely.voronoi_polygons(
        shapely.multipoints(seeds),
        extend_to=shapely.box(*ground.buffer(closing).bounds),
        only_edges=True,
    )
    lines = shapely.union_all([edges, ground.boundary], grid_size=_GRID)
    faces = shapely.get_parts(shapely.polygonize([lines]))
    faces = faces[shapely.contains(ground, shapely.point_on_surface(faces))]
    nearest = shapely.STRtree(seeds).nearest(shapely.point_on_surface(faces))
    return np.array([_joined(faces[nearest == i], seed) for i, seed in enumerate(seeds)])


def _joined(faces: Shapes, seed: Any) -> Any:
    import shapely

    del seed
    return faces[0] if len(faces) == 1 else shapely.coverage_union_all(faces)


def _land(seeds: Shapes, areas: FloatArray, closing: float) -> Any:
    import shapely

    radii = 1.25 * np.sqrt(areas / np.pi)
    discs = shapely.union_all(shapely.buffer(seeds, radii, quad_segs=8))
    return discs.buffer(closing, quad_segs=8).buffer(-closing, quad_segs=8)


def _apart(points: FloatArray) -> FloatArray:
    """`points`, those that coincide moved apart by a few grid steps, always the same way."""
    _, index, copies = np.unique(
        np.round(points / _GRID), axis=0, return_inverse=True, return_counts=True
    )
    order = np.zeros(len(points))
    seen: dict[int, int] = {}
    for i, group in enumerate(index.reshape(-1).tolist()):
        order[i] = seen.get(group, 0)
        seen[group] = int(order[i]) + 1
    angle = 2 * np.pi * order / copies[index.reshape(-1)]
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * 100 * _GRID
    return np.asarray(points + ring * (copies[index.reshape(-1)] > 1)[:, None])
