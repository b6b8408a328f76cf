"""The content of a boundary file: shapes with attributes, in degrees."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierdp_core.maps.boundaries import Shapes
from hierdp_core.readers.report import Notebook, shown_code


@dataclass(frozen=True, eq=False, kw_only=True)
class Features:
    """The content of a boundary file.

    Attributes:
        columns: the attributes as text, one list per column.
        shapes: shape (n_features,), in longitude and latitude (WGS 84).
    """

    columns: dict[str, list[str]] = field(repr=False)
    shapes: Shapes = field(repr=False)


def value_text(value: object) -> str:
    if value is None or isinstance(value, dict | list | bytes):
        return ""
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
    return str(value).strip()


def in_degrees(shapes: Shapes, content: Any, notes: Notebook) -> Shapes:
    """Return the shapes of GeoJSON in degrees; old files may state another coordinate system."""
    crs = content.get("crs") if isinstance(content, dict) else None
    about = crs.get("properties") if isinstance(crs, dict) else None
    name = about.get("name") if isinstance(about, dict) else None
    if isinstance(name, str) and "CRS84" not in name and "4326" not in name:
        return reprojected(shapes, name, notes)
    return checked_degrees(shapes, notes)


def checked_degrees(shapes: Shapes, notes: Notebook) -> Shapes:
    import shapely

    if shapely.is_empty(shapes).all():
        return shapes
    x0, y0, x1, y1 = shapely.total_bounds(shapes)
    if not all(map(math.isfinite, (x0, y0, x1, y1))):
        raise notes.unreadable(
            "not-finite",
            "has coordinates that are not finite numbers",
            "Correct or export it again.",
        )
    if x0 < -360 or x1 > 360 or y0 < -90.01 or y1 > 90.01:
        raise notes.unreadable(
            "not-degrees",
            "its coordinates are not longitudes and latitudes, and it states no coordinate system",
            "Save it in WGS 84 (EPSG:4326), or state its coordinate system in the file.",
        )
    return shapes


def reprojected(shapes: Shapes, crs: str, notes: Notebook) -> Shapes:
    import shapely
    from pyproj import CRS, Transformer
    from pyproj.exceptions import ProjError

    try:
        system = CRS.from_user_input(crs)
        move = Transformer.from_crs(system, "EPSG:4326", always_xy=True).transform
        moved = shapely.transform(shapes, move, interleaved=False)
    except ProjError:
        raise notes.unreadable(
            "crs", "states an unknown coordinate system", "Save it in WGS 84 (EPSG:4326)."
        ) from None
    if system.to_epsg() != 4326:
        notes.note("crs", f"shapes were converted from {shown_code(system.name)} to degrees")
    return checked_degrees(np.asarray(moved), notes)
