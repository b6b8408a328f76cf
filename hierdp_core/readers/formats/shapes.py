"""Boundary files as polygons with attributes. This module reads GeoJSON, and `gdal` the others."""

import json
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from hierdp_core.maps.boundaries import Shapes
from hierdp_core.readers.columns.vocabulary import LATITUDE, LONGITUDE, plain_name
from hierdp_core.readers.formats.features import (
    Features,
    in_degrees,
    value_text,
)
from hierdp_core.readers.formats.registry import BoundaryReader
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook
from hierdp_core.util.arrays import FloatArray

_SMALL_SHAPE = 1_000  # points or rings; so few never take long
_BOXES_SAMPLED = 100
_RING_PAIRS = 50  # pairs of rings that are compared in the time of one pair of edges
_TANGLED = 100  # boxes of edges or rings that one of them meets
_ID = "feature id"  # the column of ids that stand on the feature, not among its properties


def read_shapes(source: Source, notes: Notebook, limits: Limits) -> Features:
    """Return the features of a boundary file that have a polygon.

    Raises:
        Unreadable: the file is damaged, too large or has no polygons.
    """
    return polygons_of(read_features(source, notes, limits), notes, limits)


def read_features(source: Source, notes: Notebook, limits: Limits) -> Features:
    """Return all features of a boundary file, whatever their shapes.

    Raises:
        Unreadable: the file is damaged or too large.
    """
    return source.format.boundary_reader.read(source, notes, limits)


def read_points(source: Source, notes: Notebook, limits: Limits) -> Features | None:
    """Return the features of a file of points, with latitude and longitude as attributes.

    The result is None if some features have another shape or several points.

    Raises:
        Unreadable: the file is damaged or too large.
    """
    import shapely

    features = read_features(source, notes, limits)
    shapes = features.shapes
    if not len(shapes) or not (shapely.get_type_id(shapes) == 0).all():
        return None
    if shapely.is_empty(shapes).any():
        return None
    known = {plain_name(name) for name in features.columns}
    columns = dict(features.columns)
    if not (known & LATITUDE and known & LONGITUDE):
        columns["latitude"] = [str(value) for value in shapely.get_y(shapes)]
        columns["longitude"] = [str(value) for value in shapely.get_x(shapes)]
    return Features(columns=columns, shapes=shapes)


def _numbered(values: list[str]) -> bool:
    """Return whether ids only number the features of their file."""
    first = next(iter(values), "")
    return first in ("0", "1") and values == [str(int(first) + k) for k in range(len(values))]


def attributes_of(features: Features, notes: Notebook, limits: Limits) -> Sheet:
    """Return the attributes of features as a table with one row for each.

    Raises:
        Unreadable: there are none.
    """
    named = {n: v for n, v in features.columns.items() if n != _ID or not _numbered(v)}
    columns = [pa.array(values, pa.string()) for values in named.values()]
    if not columns:
        raise notes.unreadable(
            "no-table", "holds boundaries and no counts", "Give a table of counts with it."
        )
    rows = np.arange(1, len(columns[0]) + 1, dtype=np.int64)
    return clean_sheet(notes.file, list(named), columns, rows, notes, limits)


def _read_geojson(source: Source, notes: Notebook, limits: Limits) -> Features:
    import shapely

    if source.size > limits.text_bytes:
        raise notes.unreadable(
            "too-large", f"has more than {limits.text_bytes:,} bytes",
            "Simplify the boundaries, or save them as GeoPackage.",
        )  # fmt: skip
    data = source.path.read_bytes()
    require_shallow(data, notes, limits)
    try:
        content = json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise notes.unreadable(
            "not-json", "is not complete JSON, or contains an invalid number", "Save it again."
        ) from None
    listed = _listed_features(content, notes)
    if len(listed) > limits.features:
        raise notes.unreadable(
            "features",
            f"holds more than {limits.features:,} shapes",
            "Leave out the shapes that are not needed.",
        )
    geometries = [json.dumps(f.get("geometry")) for f in listed]
    shapes = shapely.from_geojson(geometries, on_invalid="ignore")
    broken = [i for i, s in enumerate(shapes) if s is None and geometries[i] != "null"]
    if broken:
        notes.fault(
            "broken-shape",
            "a shape is not valid, because a ring is open or has too few points",
            "Correct the ring, or save the boundaries again from a map program.",
            places=[f"feature {i + 1:,}" for i in broken],
        )
    shapes = np.array([s if s is not None else shapely.Polygon() for s in shapes], dtype=object)
    return Features(columns=_properties(listed), shapes=in_degrees(shapes, content, notes))


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def require_shallow(data: bytes, notes: Notebook, limits: Limits) -> None:
    """Raise an error if brackets nest too deeply, before a parser recurses into them."""
    marks = np.frombuffer(data, dtype=np.uint8)
    opens = (marks == ord("[")) | (marks == ord("{"))
    closes = (marks == ord("]")) | (marks == ord("}"))
    steps = (opens.astype(np.int8) - closes.astype(np.int8))[opens | closes]
    if len(steps) and int(np.cumsum(steps, dtype=np.int64).max()) > limits.depth:
        raise notes.unreadable(
            "too-deep",
            f"has brackets nested more than {limits.depth} deep",
            "Save the file again with a simpler structure.",
        )


def _listed_features(content: Any, notes: Notebook) -> list[dict[str, Any]]:
    kind = content.get("type") if isinstance(content, dict) else None
    if kind == "Topology":
        raise notes.unreadable("topojson", "is TopoJSON", "Save it as GeoJSON.")
    if kind == "Feature":
        content = {"features": [content]}
    listed = content.get("features") if isinstance(content, dict) else None
    if kind not in ("FeatureCollection", "Feature") or not isinstance(listed, list):
        raise notes.unreadable(
            "not-geojson",
            "is JSON but not GeoJSON with features",
            "Save it as a FeatureCollection.",
        )
    features = [f for f in listed if isinstance(f, dict)]
    if not features:
        raise notes.unreadable("no-features", "holds no shapes", "Save the boundaries again.")
    return features


def _properties(listed: list[dict[str, Any]]) -> dict[str, list[str]]:
    rows = [f["properties"] if isinstance(f.get("properties"), dict) else {} for f in listed]
    names = dict.fromkeys(name for row in rows[:1000] for name in row)
    columns = {name: [value_text(row.get(name)) for row in rows] for name in list(names)[:200]}
    ids = [value_text(f.get("id")) for f in listed]
    return columns | ({_ID: ids} if any(ids) else {})


def polygons_of(found: Features, notes: Notebook, limits: Limits) -> Features:
    """Return the features that have a polygon.

    Raises:
        Unreadable: there are none, or they take too long to check.
    """
    import shapely

    shapes = found.shapes
    vertices = int(shapely.get_num_coordinates(shapes).sum())
    if vertices > limits.vertices:
        raise notes.unreadable(
            "vertices", f"its shapes have more than {limits.vertices:,} points",
            "Simplify the boundaries.",
        )  # fmt: skip
    kinds = shapely.get_type_id(shapes)
    empty = shapely.is_empty(shapes)
    areal = np.isin(kinds, (3, 6, 7)) & ~empty
    if not areal.any():
        if (np.isin(kinds, (0, 4)) & ~empty).all():
            raise notes.unreadable(
                "points",
                "holds points, not boundaries",
                "Give a file with polygons. A file of points with counts is read alone.",
            )
        raise notes.unreadable("no-polygons", "holds no polygon", "Give a file with polygons.")
    kept = np.flatnonzero(areal)
    _require_few_overlaps(shapes[kept], _SMALL_SHAPE, notes, limits)
    valid = _valid(shapes[kept], notes, limits)
    there = ~shapely.is_empty(valid)  # a polygon without an area is repaired to nothing
    if not there.any():
        raise notes.unreadable("no-polygons", "holds no polygon", "Give a file with polygons.")
    kept, valid = kept[there], valid[there]
    if dropped := len(shapes) - len(kept):
        notes.repair("not-polygons", f"{dropped:,} features without a polygon were left out")
    columns = {name: [column[i] for i in kept] for name, column in found.columns.items()}
    return Features(columns=columns, shapes=valid)


def _require_few_overlaps(shapes: Shapes, least: int, notes: Notebook, limits: Limits) -> None:
    """Raise an error if borders overlap too often, before crossings are searched.

    The overlaps of all shapes are added up. Shapes of up to `least` points are not checked.
    """
    import shapely

    total = 0.0
    for k in np.flatnonzero(shapely.get_num_coordinates(shapes) > least):
        points = shapely.get_coordinates(shapes[k])
        total += _overlaps(np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:]))
        rings = shapely.get_rings(shapes[k])
        if len(rings) > _SMALL_SHAPE:
            boxes = shapely.bounds(rings)
            total += _overlaps(boxes[:, :2], boxes[:, 2:])
        if total > limits.overlaps:
            raise _tangle(shapes[k], notes)


def _overlaps(low: FloatArray, high: FloatArray) -> float:
    """Return an estimate of the number of overlapping pairs of boxes; 0 if it is usual for borders.

    A search for crossings takes that many steps. An edge of a real border meets few others.

    Args:
        low, high: shape (n, 2), two corners of each box.
    """
    boxes = range(0, len(low), max(1, len(low) // _BOXES_SAMPLED))
    met = [int(((low <= high[i]) & (high >= low[i])).all(axis=1).sum()) for i in boxes]
    mean = float(np.mean(met))
    return mean * len(low) / 2 if mean > _TANGLED else 0.0


def _require_few_rings(shapes: Shapes, notes: Notebook, limits: Limits) -> None:
    """Raise an error if shapes to be repaired have too many rings, which are compared in pairs."""
    import shapely

    _, owner = shapely.get_rings(shapes, return_index=True)
    n_rings = np.bincount(owner, minlength=len(shapes)).astype(np.float64)
    if (n_rings**2).sum() > _RING_PAIRS * limits.overlaps:
        raise _tangle(shapes[int(n_rings.argmax())], notes)


def _tangle(shape: object, notes: Notebook) -> Exception:
    import shapely

    n_points = int(shapely.get_num_coordinates(shape))
    return notes.unreadable(
        "tangle",
        f"holds a shape of {n_points:,} points, whose borders cross each other too often",
        "Save the boundaries again from a map program, or simplify them.",
    )


def _valid(shapes: Shapes, notes: Notebook, limits: Limits) -> Shapes:
    import shapely

    wrong = ~shapely.is_valid(shapes)
    if not wrong.any():
        return shapes
    _require_few_overlaps(shapes[wrong], _TANGLED, notes, limits)
    _require_few_rings(shapes[wrong], notes, limits)
    valid = shapes.copy()
    valid[wrong] = shapely.make_valid(shapes[wrong], method="structure", keep_collapsed=False)
    notes.repair(
        "rings", f"the borders of {int(wrong.sum()):,} shapes crossed themselves and were repaired"
    )
    return valid


GEOJSON = BoundaryReader(read=_read_geojson)
