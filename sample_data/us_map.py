"""Surveyed counties on the display plane: projected, cleaned, rounded, in two levels of detail.

The counties are those of `gz_2010_us_050_00_500k`, a cartographic boundary file of the US
Census Bureau (public domain). The package plotly-geo 1.0.0 carries it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import shapely
from pyproj import Transformer

from hierdp_core.maps.arcs import GRID, Arcs
from hierdp_core.maps.boundaries import METRES_PER_DEGREE, Shapes
from hierdp_core.maps.voronoi import Frame
from hierdp_core.util.arrays import BoolArray

FRAMES = {
    "48": Frame(projection="EPSG:5070"),
    "AK": Frame(projection="EPSG:3338", scale=0.35, centre=(-17.9, -11.6)),
    "HI": Frame(
        projection="+proj=aea +lat_1=8 +lat_2=18 +lat_0=13 +lon_0=-157 +datum=NAD83",
        centre=(-8.0, -12.8),
    ),
    "PR": Frame(
        projection="+proj=laea +lat_0=18.2 +lon_0=-66.4 +datum=NAD83",
        centre=(20.0, -13.0),
        scale=1.5,
    ),
}
FINE = 0.005  # display degrees, half a kilometre: maps of one state
# 5 km, a pixel on a map of the nation 900 pixels wide; then what small counties need.
COARSE = (0.05, 0.025, 0.0125)
LEAST_ISLAND = 0.0005  # square degrees, 5 km²: smaller ones are on maps of one state only
MOST_CHANGE = 0.1  # of a county's area, on maps of the nation: beyond it gets more points

_FILE = "gz_2010_us_050_00_500k.shp"
_DEGREES = "EPSG:4269"
_NARROW = 200.0  # metres: gaps between neighbours that are narrower are closed
_SNAP = 1.0  # metres
# The uninhabited islands northwest of Niihau would make the inset four times as wide.
_WEST_OF_NIIHAU = -161.0


def published_counties() -> dict[str, shapely.Geometry]:
    """The polygon of every county by its code, in degrees, as published.

    Raises:
        SystemExit: plotly-geo is not installed.
    """
    package = find_spec("_plotly_geo")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("The boundaries of counties need: pip install plotly-geo==1.0.0")
    from pyogrio.raw import read

    folder = Path(next(iter(package.submodule_search_locations))) / "package_data"
    _, _, shapes, (ids,) = read(folder / _FILE, columns=["GEO_ID"])
    return {str(id)[-5:]: shapely.from_wkb(shape) for id, shape in zip(ids, shapes, strict=True)}


def county_polygons(states: Mapping[str, str], published: Mapping[str, shapely.Geometry]) -> Shapes:
    """Polygons on the display plane that share the points of their borders, all on one grid.

    Args:
        states: the postal code of each county's state, by the county's code.
        published: polygons in degrees, by the county's code.

    Returns:
        shape (counties,), in the order of `states`.
    """
    framed = np.array([s if s in FRAMES else "48" for s in states.values()])
    degrees = np.array([published[id] for id in states], dtype=object)
    drawn = np.empty(len(states), dtype=object)
    for name, frame in FRAMES.items():
        own = framed == name
        kept = _near_islands(degrees[own]) if name == "HI" else degrees[own]
        drawn[own] = _on_grid(_placed(kept, frame))
    return np.asarray(shapely.coverage_simplify(drawn, FINE))


def in_two_details(counties: Shapes, unions: Sequence[shapely.Geometry]) -> Arcs:
    """Counties, and areas made of whole counties, as arcs whose points of COARSE are marked.

    Args:
        counties: polygons that share the points of their borders.
        unions: unions of some of them.
    """
    arcs = Arcs.of_shapes([*counties, *unions]).without_coarse()
    kept = np.zeros(len(counties), dtype=np.bool_)
    spoilt = ~kept
    for tolerance in COARSE:
        simple = shapely.coverage_simplify(_without_islets(counties), tolerance)
        arcs = arcs.with_coarse(np.flatnonzero(spoilt), shapely.get_coordinates(simple))
        spoilt = _spoilt(arcs, counties)
    while (spoilt & ~kept).any():
        kept |= spoilt
        arcs = arcs.with_coarse(np.flatnonzero(kept), shapely.get_coordinates(counties))
        spoilt = _spoilt(arcs, counties)
    return arcs


def _spoilt(arcs: Arcs, counties: Shapes) -> BoolArray:
    """Which counties the coarse level makes invalid, too different, or apart from neighbours."""
    shapes = arcs.polygons(fine=False)[: len(counties)]
    areas = shapely.area(shapes) / shapely.area(counties)
    spoilt = np.asarray(~shapely.is_valid(shapes) | (np.abs(areas - 1) > MOST_CHANGE))
    if shapely.is_valid(shapes).all():
        spoilt |= ~shapely.is_empty(shapely.coverage_invalid_edges(shapes))
    return spoilt


def _placed(degrees: Shapes, frame: Frame) -> Shapes:
    """Projected, cleaned and moved to their place on the display plane."""
    project = Transformer.from_crs(_DEGREES, frame.projection, always_xy=True).transform
    metres = shapely.transform(degrees, project, interleaved=False)
    clean = shapely.coverage_clean(metres, gap_width=_NARROW, snapping_distance=_SNAP)
    x0, y0, x1, y1 = shapely.total_bounds(clean)
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    factor = frame.scale / METRES_PER_DEGREE
    plane = shapely.transform(clean, lambda points: (points - middle) * factor + frame.centre)
    return np.asarray(shapely.coverage_simplify(plane, GRID))


def _on_grid(shapes: Shapes) -> Shapes:
    """The coverage with every point on the grid: its lines are rounded and parted anew."""
    lines = shapely.union_all(shapely.boundary(shapes), grid_size=GRID)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    inner = shapely.point_on_surface(faces)
    face, owner = shapely.STRtree(shapes).query(inner, predicate="intersects")
    face, first = np.unique(face, return_index=True)
    owner = owner[first]
    unions = (shapely.coverage_union_all(faces[face[owner == k]]) for k in range(len(shapes)))
    return _each_joined(shapely.get_parts(union) for union in unions)


def _near_islands(degrees: Shapes) -> Shapes:
    return _with_parts(degrees, lambda parts: shapely.bounds(parts)[:, 2] > _WEST_OF_NIIHAU)


def _without_islets(shapes: Shapes) -> Shapes:
    def large(parts: Shapes) -> BoolArray:
        areas = shapely.area(parts)
        return np.asarray((areas >= LEAST_ISLAND) | (areas == areas.max()))

    return _with_parts(shapes, large)


def _with_parts(shapes: Shapes, wanted: Callable[[Shapes], BoolArray]) -> Shapes:
    """Each shape with those of its parts that are wanted."""
    split = (shapely.get_parts(shape) for shape in shapes)
    return _each_joined(parts[wanted(parts)] for parts in split)


def _each_joined(shapes: Iterable[Shapes]) -> Shapes:
    joined = [p[0] if len(p) == 1 else shapely.MultiPolygon([*p]) for p in shapes]
    return np.array(joined, dtype=object)
