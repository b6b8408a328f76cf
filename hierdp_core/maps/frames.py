"""Boundaries as GeoDataFrames."""

from typing import TYPE_CHECKING

import numpy as np

from hierdp_core.maps.boundaries import Boundaries

if TYPE_CHECKING:
    import geopandas as gpd

DRAWING_CRS = (
    'ENGCRS["Drawing plane, 100 km a unit",EDATUM["Drawing plane"],CS[Cartesian,2],'
    'AXIS["x",east],AXIS["y",north],LENGTHUNIT["100 km",100000]]'
)


def geodataframe(boundaries: Boundaries, level: int) -> "gpd.GeoDataFrame":
    """Return one row per region of level number `level`: `id` and `geometry`.

    Coordinates are degrees (WGS 84) if the position of the boundaries on the earth is known. Maps
    with shifted parts, and tiles, have coordinates on the drawing plane, in units of 100 km.
    """
    import geopandas as gpd  # slow to load, and seldom needed
    import shapely

    shapes = np.array([shapely.geometry.shape(s) for s in boundaries.shapes[level]], dtype=object)
    system = DRAWING_CRS
    if boundaries.plane is not None:
        shapes, system = boundaries.plane.in_degrees(shapes), "EPSG:4326"
    regions = boundaries.regions
    ids = list(regions.ids[regions.tree.level(level)])
    return gpd.GeoDataFrame({"id": ids}, geometry=shapes, crs=system)
