"""Shapefiles and GeoPackages, read by GDAL.

GDAL chooses a driver by the content of a file, and some drivers open other files or addresses that
the content names. So GDAL runs only in a process where all other drivers were disabled before.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hierdp_core.readers.formats.features import (
    Features,
    checked_degrees,
    reprojected,
    value_text,
)
from hierdp_core.readers.formats.registry import BoundaryReader
from hierdp_core.readers.formats.sniff import Source, opened_zip, unpacked
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, shown_code

DRIVERS = ("ESRI Shapefile", "GPKG")


def _read_shapefile(source: Source, notes: Notebook, limits: Limits) -> Features:
    with TemporaryDirectory(prefix="hierdp-") as folder:
        with opened_zip(source.path, notes, limits) as archive:
            listed = [i.filename for i in archive.infolist() if not i.is_dir()]
            names = [name for name in listed if PurePosixPath(name).name]
            stems = {
                str(PurePosixPath(n).with_suffix("")) for n in names if n.lower().endswith(".shp")
            }
            if len(stems) > 1:
                raise notes.unreadable(
                    "two-shapefiles",
                    f"holds {len(stems)} shapefiles",
                    "Put only the shapefile to read into the ZIP file.",
                )
            (stem,) = stems
            parts = {PurePosixPath(n).suffix.lower(): n for n in names
                     if str(PurePosixPath(n).with_suffix("")) == stem}  # fmt: skip
            for suffix, why in ((".shx", "the index"), (".dbf", "the attributes")):
                if suffix not in parts:
                    raise notes.unreadable(
                        "shapefile-parts",
                        f"has no {suffix} file with {why} of its shapefile",
                        "Add it to the ZIP file.",
                    )
            for suffix in (".shp", ".shx", ".dbf", ".prj", ".cpg"):
                if suffix in parts:
                    with (Path(folder) / f"shapes{suffix}").open("wb") as file:
                        for piece in unpacked(archive, parts[suffix], notes, limits):
                            file.write(piece)
        if ".prj" not in parts:
            notes.repair("no-crs", "has no coordinate system (.prj), so degrees were assumed")
        _require_whole_shp(Path(folder) / "shapes.shp", notes)
        return _read_with_gdal(Path(folder) / "shapes.shp", notes, limits)


def _read_geopackage(source: Source, notes: Notebook, limits: Limits) -> Features:
    return _read_with_gdal(source.path, notes, limits)


def _require_whole_shp(path: Path, notes: Notebook) -> None:
    """Raise an error if a .shp file is shorter or longer than it states, since GDAL does not."""
    head = path.read_bytes()[:28]
    stated = int.from_bytes(head[24:28], "big") * 2
    if len(head) < 28 or int.from_bytes(head[:4], "big") != 9994:
        raise notes.unreadable(
            "damaged", "contains a .shp file that is not a shapefile", "Save it again."
        )
    if stated != path.stat().st_size:
        raise notes.unreadable(
            "truncated",
            "its .shp file does not have the length that it states",
            "Save or download it again.",
        )


def _read_with_gdal(path: Path, notes: Notebook, limits: Limits) -> Features:
    import shapely

    pyogrio = restricted_gdal()
    try:
        layer = _layer(pyogrio, path, notes)
        about = pyogrio.read_info(path, layer=layer, force_feature_count=True)
        if about["features"] > limits.features:
            raise notes.unreadable(
                "features",
                f"holds more than {limits.features:,} shapes",
                "Leave out the shapes that are not needed.",
            )
        about, _, wkb, columns = pyogrio.raw.read(path, layer=layer, force_2d=True)
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise notes.unreadable(
                "encoding",
                "its attributes are in an unknown encoding",
                "Add a .cpg file that names the encoding.",
            ) from None
        raise notes.unreadable(
            "damaged", "cannot be opened as boundaries", "Save it again."
        ) from None
    if wkb is None:
        raise notes.unreadable("no-features", "holds no shapes", "Save the boundaries again.")
    shapes = shapely.from_wkb(wkb, on_invalid="ignore")
    shapes = np.array([s if s is not None else shapely.Polygon() for s in shapes], dtype=object)
    named = zip(about["fields"].tolist(), columns, strict=True)
    features = {str(name): [value_text(v) for v in column.tolist()] for name, column in named}
    crs = about.get("crs")
    moved = checked_degrees(shapes, notes) if not crs else reprojected(shapes, crs, notes)
    return Features(columns=features, shapes=moved)


def _layer(pyogrio: Any, path: Path, notes: Notebook) -> str:
    layers = [(str(n), str(t)) for n, t in pyogrio.list_layers(path).tolist()]
    drawn = [name for name, kind in layers if "Polygon" in kind or kind == "Unknown"]
    drawn = drawn or [name for name, kind in layers if "Point" in kind]
    if not drawn:
        raise notes.unreadable(
            "no-features", "holds no layer of polygons", "Give a file with polygons."
        )
    if len(drawn) > 1:
        notes.note("layer", f"of {len(drawn)} layers, {shown_code(drawn[0])} was read")
    return drawn[0]


def restricted_gdal() -> Any:
    """Return pyogrio, in a process where GDAL has only the two drivers that are needed.

    Raises:
        RuntimeError: GDAL has other drivers. It must then not open any file.
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
    """Yield the content of files that make an unrestricted GDAL read another file."""
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
    """Return the environment variables that must be set before a process loads GDAL."""
    skipped = ",".join(name for name in drivers if name not in DRIVERS)
    return {
        "GDAL_SKIP": skipped,
        "GDAL_DRIVER_PATH": "disable",
        "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": "{none}",
        "PROJ_NETWORK": "OFF",
    }


def _all_drivers() -> list[str]:
    """Return the names of all drivers, listed by a process that opens no file."""
    ask = "import json, pyogrio; print(json.dumps(sorted(pyogrio.list_drivers())))"
    done = subprocess.run([sys.executable, "-P", "-c", ask], capture_output=True, check=True)
    names: list[str] = json.loads(done.stdout)
    return names


GEOPACKAGE = BoundaryReader(read=_read_geopackage)
SHAPEFILE = BoundaryReader(read=_read_shapefile)
