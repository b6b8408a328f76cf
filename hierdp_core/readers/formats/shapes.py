"""Boundary files as polygons with attributes: GeoJSON by ourselves, the rest by GDAL.

GDAL reads shapefiles and GeoPackages only, and only in a process where every other driver was
switched off before it started: a driver is chosen by a file's content, and some drivers open
other files or addresses that the content names.
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from hierdp_core.maps.boundaries import Shapes
from hierdp_core.readers.formats.registry import BoundaryReader
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.formats.sniff import Source, opened_zip, unpacked
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import FloatArray

DRIVERS = ("ESRI Shapefile", "GPKG")
_SMALL_SHAPE = 1_000  # points; no tangle of so few takes long
_EDGES_SAMPLED = 100
_TANGLED = 100  # edges whose boxes one edge meets
_ID = "feature id"  # the column of ids that stand on the feature, not among its properties


@dataclass(frozen=True, eq=False, kw_only=True)
class Features:
    """What a boundary file holds.

    Attributes:
        columns: the attributes as text, one list a column.
        shapes: shape (n,), in longitude and latitude (WGS 84).
    """

    columns: dict[str, list[str]] = field(repr=False)
    shapes: Shapes = field(repr=False)


def read_shapes(source: Source, notes: Notebook, limits: Limits) -> Features:
    """The features of a boundary file that have a polygon.

    Raises:
        Unreadable: it is damaged, too large or of no kind that is read.
    """
    return _polygons(source.format.boundary_reader.read(source, notes, limits), notes, limits)


def _numbered(values: list[str]) -> bool:
    """Whether ids are the numbers of the features in their file."""
    first = next(iter(values), "")
    return first in ("0", "1") and values == [str(int(first) + k) for k in range(len(values))]


def attributes_of(features: Features, notes: Notebook, limits: Limits) -> Sheet:
    """The attributes of features as a table, one row each.

    Raises:
        Unreadable: there are none.
    """
    named = {n: v for n, v in features.columns.items() if n != _ID or not _numbered(v)}
    columns = [pa.array(values, pa.string()) for values in named.values()]
    if not columns:
        raise notes.unreadable(
            "no-table", "holds boundaries and no counts", "Name a table beside it."
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
            "not-json", "is no whole JSON, or holds a number that is none", "Save it again."
        ) from None
    listed = _listed_features(content, notes)
    if len(listed) > limits.features:
        raise notes.unreadable(
            "features", f"holds more than {limits.features:,} shapes", "Split it."
        )
    geometries = [json.dumps(f.get("geometry")) for f in listed]
    shapes = shapely.from_geojson(geometries, on_invalid="ignore")
    broken = [i for i, s in enumerate(shapes) if s is None and geometries[i] != "null"]
    if broken:
        notes.fault(
            "broken-shape",
            "a shape is not valid: a ring is open or has too few points",
            "Correct the ring, or save the boundaries again from a map program.",
            places=[f"feature {i + 1:,}" for i in broken],
        )
    shapes = np.array([s if s is not None else shapely.Polygon() for s in shapes], dtype=object)
    return Features(columns=_properties(listed), shapes=_in_degrees(shapes, content, notes))


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def require_shallow(data: bytes, notes: Notebook, limits: Limits) -> None:
    """Hold that brackets nest no deeper than allowed, before a parser recurses into them."""
    marks = np.frombuffer(data, dtype=np.uint8)
    opens = (marks == ord("[")) | (marks == ord("{"))
    closes = (marks == ord("]")) | (marks == ord("}"))
    steps = (opens.astype(np.int8) - closes.astype(np.int8))[opens | closes]
    if len(steps) and int(np.cumsum(steps, dtype=np.int64).max()) > limits.depth:
        raise notes.unreadable(
            "too-deep", f"nests more than {limits.depth} brackets", "Save the boundaries again."
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
            "not-geojson", "is JSON but no GeoJSON with features", "Save it as a FeatureCollection."
        )
    features = [f for f in listed if isinstance(f, dict)]
    if not features:
        raise notes.unreadable("no-features", "holds no shapes", "Save the boundaries again.")
    return features


def _properties(listed: list[dict[str, Any]]) -> dict[str, list[str]]:
    rows = [f["properties"] if isinstance(f.get("properties"), dict) else {} for f in listed]
    names = dict.fromkeys(name for row in rows[:1000] for name in row)
    columns = {name: [_text(row.get(name)) for row in rows] for name in list(names)[:200]}
    ids = [_text(f.get("id")) for f in listed]
    return columns | ({_ID: ids} if any(ids) else {})


def _text(value: object) -> str:
    if value is None or isinstance(value, dict | list | bytes):
        return ""
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
    return str(value).strip()


def _in_degrees(shapes: Shapes, content: Any, notes: Notebook) -> Shapes:
    """GeoJSON is in degrees; an old one may name another system."""
    crs = content.get("crs") if isinstance(content, dict) else None
    about = crs.get("properties") if isinstance(crs, dict) else None
    name = about.get("name") if isinstance(about, dict) else None
    if isinstance(name, str) and "CRS84" not in name and "4326" not in name:
        return _reprojected(shapes, name, notes)
    return _checked_degrees(shapes, notes)


def _checked_degrees(shapes: Shapes, notes: Notebook) -> Shapes:
    import shapely

    if shapely.is_empty(shapes).all():
        return shapes
    x0, y0, x1, y1 = shapely.total_bounds(shapes)
    if not all(map(math.isfinite, (x0, y0, x1, y1))):
        raise notes.unreadable("not-finite", "has coordinates that are no numbers", "Correct them.")
    if x0 < -360 or x1 > 360 or y0 < -90.01 or y1 > 90.01:
        raise notes.unreadable(
            "not-degrees",
            "its coordinates are no longitudes and latitudes, and it names no other system",
            "Save it in WGS 84 (EPSG:4326), or with its coordinate system.",
        )
    return shapes


def _reprojected(shapes: Shapes, crs: str, notes: Notebook) -> Shapes:
    import shapely
    from pyproj import CRS, Transformer
    from pyproj.exceptions import ProjError

    try:
        system = CRS.from_user_input(crs)
        move = Transformer.from_crs(system, "EPSG:4326", always_xy=True).transform
        moved = shapely.transform(shapes, move, interleaved=False)
    except ProjError:
        raise notes.unreadable(
            "crs", "names a coordinate system that is not known", "Save it in WGS 84 (EPSG:4326)."
        ) from None
    if system.to_epsg() != 4326:
        notes.note("crs", f"shapes were taken from {shown_code(system.name)} to degrees")
    return _checked_degrees(np.asarray(moved), notes)


def _read_shapefile(source: Source, notes: Notebook, limits: Limits) -> Features:
    with TemporaryDirectory(prefix="hierdp-") as folder:
        with opened_zip(source.path, notes, limits) as archive:
            names = [i.filename for i in archive.infolist() if not i.is_dir()]
            stems = {
                str(PurePosixPath(n).with_suffix("")) for n in names if n.lower().endswith(".shp")
            }
            if len(stems) > 1:
                raise notes.unreadable(
                    "two-shapefiles",
                    f"holds {len(stems)} shapefiles",
                    "Zip the one that is wanted.",
                )
            (stem,) = stems
            parts = {PurePosixPath(n).suffix.lower(): n for n in names
                     if str(PurePosixPath(n).with_suffix("")) == stem}  # fmt: skip
            for suffix, why in ((".shx", "its index"), (".dbf", "its attributes")):
                if suffix not in parts:
                    raise notes.unreadable(
                        "shapefile-parts", f"lacks the {suffix} of its shapefile, {why}", "Add it."
                    )
            for suffix in (".shp", ".shx", ".dbf", ".prj", ".cpg"):
                if suffix in parts:
                    with (Path(folder) / f"shapes{suffix}").open("wb") as file:
                        for piece in unpacked(archive, parts[suffix], notes, limits):
                            file.write(piece)
        if ".prj" not in parts:
            notes.repair(
                "no-crs", "names no coordinate system (.prj); degrees were taken for granted"
            )
        _require_whole_shp(Path(folder) / "shapes.shp", notes)
        return _read_with_gdal(Path(folder) / "shapes.shp", notes, limits)


def _read_geopackage(source: Source, notes: Notebook, limits: Limits) -> Features:
    return _read_with_gdal(source.path, notes, limits)


def _require_whole_shp(path: Path, notes: Notebook) -> None:
    """A shapefile says its length in 16-bit words; GDAL reads a cut one without a word."""
    head = path.read_bytes()[:28]
    stated = int.from_bytes(head[24:28], "big") * 2
    if len(head) < 28 or int.from_bytes(head[:4], "big") != 9994:
        raise notes.unreadable("damaged", "holds a .shp that is no shapefile", "Save it again.")
    if stated != path.stat().st_size:
        raise notes.unreadable("truncated", "its .shp was cut off", "Save or download it again.")


def _read_with_gdal(path: Path, notes: Notebook, limits: Limits) -> Features:
    import shapely

    pyogrio = restricted_gdal()
    try:
        layer = _layer(pyogrio, path, notes)
        about = pyogrio.read_info(path, layer=layer, force_feature_count=True)
        if about["features"] > limits.features:
            raise notes.unreadable(
                "features", f"holds more than {limits.features:,} shapes", "Split it."
            )
        about, _, wkb, columns = pyogrio.raw.read(path, layer=layer, force_2d=True)
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise notes.unreadable(
                "encoding", "its attributes are in an unknown encoding", "Add a .cpg file."
            ) from None
        raise notes.unreadable(
            "damaged", "cannot be opened as boundaries", "Save it again."
        ) from None
    if wkb is None:
        raise notes.unreadable("no-features", "holds no shapes", "Save the boundaries again.")
    shapes = shapely.from_wkb(wkb, on_invalid="ignore")
    shapes = np.array([s if s is not None else shapely.Polygon() for s in shapes], dtype=object)
    named = zip(about["fields"].tolist(), columns, strict=True)
    features = {str(name): [_text(v) for v in column.tolist()] for name, column in named}
    crs = about.get("crs")
    moved = _checked_degrees(shapes, notes) if not crs else _reprojected(shapes, crs, notes)
    return Features(columns=features, shapes=moved)


def _layer(pyogrio: Any, path: Path, notes: Notebook) -> str:
    layers = [(str(n), str(t)) for n, t in pyogrio.list_layers(path).tolist()]
    drawn = [name for name, kind in layers if "Polygon" in kind or kind == "Unknown"]
    drawn = drawn or [name for name, kind in layers if "Point" in kind]
    if not drawn:
        raise notes.unreadable("no-features", "holds no layer of polygons", "Add one.")
    if len(drawn) > 1:
        notes.note("layer", f"of {len(drawn)} layers, {shown_code(drawn[0])} was read")
    return drawn[0]


def restricted_gdal() -> Any:
    """pyogrio, in a process where GDAL has the two drivers that are needed and no other.

    Raises:
        RuntimeError: GDAL could do more. It must then not be handed any file.
    """
    if "pyogrio" not in sys.modules:
        os.environ.update(gdal_environment(_all_drivers()))
    import pyogrio

    there = set(pyogrio.list_drivers())
    if there != set(DRIVERS):
        raise RuntimeError("GDAL was started with drivers that may open other files.")
    with TemporaryDirectory(prefix="hierdp-") as folder:
        for content in _tricks(folder):
            trick = Path(folder) / "trick.geojson"
            trick.write_text(content, encoding="utf-8")
            try:
                pyogrio.read_info(trick)
            except pyogrio.errors.DataSourceError:
                continue
            raise RuntimeError("GDAL opened a file that names another one.")
    return pyogrio


def _tricks(folder: str) -> Iterator[str]:
    """Files that make an unrestricted GDAL read another file."""
    other = Path(folder) / "other.csv"
    other.write_text("id,WKT\n1,POINT (1 1)\n", encoding="utf-8")
    yield (
        f'<OGRVRTDataSource><OGRVRTLayer name="other"><SrcDataSource>{other}</SrcDataSource>'
        "</OGRVRTLayer></OGRVRTDataSource>"
    )
    yield json.dumps(
        {"type": "gdal_streamed_alg", "command_line": f"gdal vector pipeline read {other}"}
    )


def gdal_environment(drivers: Iterable[str]) -> dict[str, str]:
    """What must stand in the environment before a process loads GDAL."""
    skipped = ",".join(name for name in drivers if name not in DRIVERS)
    return {
        "GDAL_SKIP": skipped,
        "GDAL_DRIVER_PATH": "disable",
        "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": "{none}",
        "PROJ_NETWORK": "OFF",
    }


def _all_drivers() -> list[str]:
    """The names of all drivers, asked of a process that opens nothing."""
    ask = "import json, pyogrio; print(json.dumps(sorted(pyogrio.list_drivers())))"
    done = subprocess.run([sys.executable, "-P", "-c", ask], capture_output=True, check=True)
    names: list[str] = json.loads(done.stdout)
    return names


def _polygons(found: Features, notes: Notebook, limits: Limits) -> Features:
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
            raise notes.unreadable("points", "holds points, not boundaries", "Give polygons.")
        raise notes.unreadable("no-polygons", "holds no polygon", "Give polygons.")
    if not areal.all():
        dropped = int((~areal).sum())
        notes.repair("not-polygons", f"{dropped:,} features without a polygon were left out")
    kept = np.flatnonzero(areal)
    _require_few_overlaps(shapes[kept], notes, limits)
    columns = {name: [column[i] for i in kept] for name, column in found.columns.items()}
    return Features(columns=columns, shapes=_valid(shapes[kept], notes))


def _require_few_overlaps(shapes: Shapes, notes: Notebook, limits: Limits) -> None:
    """Hold that no shape is a tangle, before anything looks for its crossings."""
    import shapely

    for k in np.flatnonzero(shapely.get_num_coordinates(shapes) > _SMALL_SHAPE):
        points = shapely.get_coordinates(shapes[k])
        overlaps = _overlaps_of_an_edge(points)
        if overlaps > _TANGLED and overlaps * len(points) / 2 > limits.overlaps:
            raise notes.unreadable(
                "tangle",
                f"holds a shape, the polygon number {k + 1:,}, whose borders run over each other "
                "too often",
                "Save the boundaries again from a map program, or simplify them.",
            )


def _overlaps_of_an_edge(points: FloatArray) -> float:
    """With about how many edges of a shape one edge shares a part of its box.

    Looking for crossings takes that many steps for each edge. Borders of real places have a few.
    """
    low, high = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    edges = range(0, len(low), max(1, len(low) // _EDGES_SAMPLED))
    met = [int(((low <= high[i]) & (high >= low[i])).all(axis=1).sum()) for i in edges]
    return float(np.mean(met))


def _valid(shapes: Shapes, notes: Notebook) -> Shapes:
    import shapely

    wrong = ~shapely.is_valid(shapes)
    if not wrong.any():
        return shapes
    valid = shapes.copy()
    valid[wrong] = shapely.make_valid(shapes[wrong], method="structure", keep_collapsed=False)
    notes.repair(
        "rings", f"rings of {int(wrong.sum()):,} shapes cross themselves and were repaired"
    )
    return valid


GEOJSON = BoundaryReader(read=_read_geojson)
GEOPACKAGE = BoundaryReader(read=_read_geopackage)
SHAPEFILE = BoundaryReader(read=_read_shapefile)
