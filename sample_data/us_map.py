"""The map of the counties, drawn from their centroids within coarse coasts and state borders."""

from dataclasses import replace
from itertools import groupby

import numpy as np
import shapely

from hierdp_core.maps.boundaries import Shapes
from hierdp_core.maps.voronoi import Frame, Ground, framed_cells

Rows = list[dict[str, str]]

_SQUARE_MILE = 2_589_988.11  # square metres

FRAMES = {
    "48": Frame(projection="EPSG:5070"),
    "AK": Frame(projection="EPSG:3338", scale=0.38, centre=(-18.2, -11.6), tolerance=3_000),
    "HI": Frame(
        projection="+proj=aea +lat_1=8 +lat_2=18 +lat_0=13 +lon_0=-157 +datum=NAD83",
        centre=(-8.6, -12.8),
        tolerance=500,
    ),
    "PR": Frame(
        projection="+proj=laea +lat_0=18.2 +lon_0=-66.4 +datum=NAD83",
        centre=(20.0, -13.0),
        scale=1.5,
        tolerance=300,
    ),
}
# What no cell crosses: borders of states; in Hawaii the sea, each island being one county's.
_GROUPED_BY = {"48": "state", "HI": "geoid"}


def county_cells(counties: Rows, outline: Rows, borders: Rows) -> Shapes:
    """A polygon for every county on the display plane, shape (n,)."""
    columns = [[float(row[c]) for row in counties] for c in ("lat", "lon", "land_sq_mi")]
    lat, lon, land = (np.array(column) for column in columns)
    framed = np.array([row["state"] if row["state"] in FRAMES else "48" for row in counties])
    cells = np.empty(len(counties), dtype=object)
    for name, frame in FRAMES.items():
        chosen = framed == name
        rings = _lines([row for row in outline if row["frame"] == name], "part")
        ground = Ground(outline=shapely.MultiPolygon([shapely.Polygon(ring) for ring in rings]))
        if name in _GROUPED_BY:
            lines = shapely.MultiLineString(_lines(borders, "line") if name == "48" else [])
            groups = [counties[i][_GROUPED_BY[name]] for i in np.flatnonzero(chosen)]
            ground = replace(ground, borders=lines, groups=groups)
        areas = land[chosen] * _SQUARE_MILE
        cells[chosen] = framed_cells(frame, lat[chosen], lon[chosen], areas, ground=ground)
    return cells


def _lines(rows: Rows, name: str) -> list[list[tuple[float, float]]]:
    parts = groupby(rows, key=lambda row: row[name])
    return [[(float(row["lon"]), float(row["lat"])) for row in part] for _, part in parts]
