"""The map of Italy, drawn from the centroids of its municipalities within a coarse outline."""

from itertools import groupby

import numpy as np
import shapely

from hierdp_core.maps.boundaries import Shapes
from hierdp_core.maps.voronoi import Frame, framed_cells

Rows = list[dict[str, str]]

FRAME = Frame(
    projection="+proj=laea +lat_0=42 +lon_0=12.5 +datum=WGS84",
    tolerance=400,
    ashore=500,
)
# San Marino is another country; the Vatican would be smaller than a dot.
_HOLES = frozenset({"San Marino"})


def municipality_cells(municipalities: Rows, coasts: Rows) -> Shapes:
    """A polygon for every municipality on the display plane, shape (n,)."""
    lat, lon = (np.array([float(row[c]) for row in municipalities]) for c in ("lat", "lon"))
    parts = {
        part: shapely.Polygon([(float(row["lon"]), float(row["lat"])) for row in rows])
        for part, rows in groupby(coasts, key=lambda row: row["part"])
    }
    land = shapely.union_all([shape for part, shape in parts.items() if part not in _HOLES])
    holes = shapely.union_all([parts[part] for part in _HOLES])
    outline = shapely.difference(land, holes)
    return framed_cells(FRAME, lat, lon, np.zeros(len(lat)), outline=outline)
