"""Export of a simulated release: CSV, Parquet and maps, one file per level, and one ZIP of all.

The files hold post-processed noisy values, and no true values except for facts that are treated as
public, such as a total. Because the noise is seeded, each package is labelled as a demonstration.
"""

import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from hierdp_core.exceptions import ChoiceError
from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.maps.frames import DRAWING_CRS
from hierdp_core.settings import Settings
from hierdp_core.simulation import Simulation
from hierdp_core.tables import Table
from hierdp_core.util.escaping import json_text
from hierdp_core.util.marks import SEEDED, seeded_mark
from hierdp_core.util.text import capital, join_or
from hierdp_core.writers.defused import file_words, write_csv
from hierdp_core.writers.exploration import released_level, with_mark

FORMATS = {
    "csv": "CSV (universal)",
    "parquet": "Parquet (compact, typed)",
    "geojson": "GeoJSON (one map per level)",
    "gpkg": "GeoPackage (one map per level)",
}
_MAPS = {"geojson", "gpkg"}
DRAWING_PLANE = (
    "Coordinates are on the equal-area plane of the map, in units of 100 km. They are not "
    "longitude and latitude."
)
MISSING_FLOWS = "A pair of areas without a row has a simulated count of 0."
WGS_84 = "Coordinates are longitude and latitude (WGS 84). Borders are simplified as on the screen."


def write_tables(
    folder: Path,
    table: Table,
    *,
    formats: Sequence[str],
    boundaries: Boundaries | None = None,
    note: str = "",
) -> list[str]:
    """Write `table` into `folder`, one file per level and format, and return their names.

    Args:
        folder: where the files are written.
        table: the simulated table.
        formats: some of `FORMATS`.
        boundaries: the boundaries, for maps.
        note: a mark for each row, in a column of its own; empty for none.

    Raises:
        ChoiceError: no format is chosen, a format is unknown, or a map is chosen for flows or
            without boundaries.
    """
    makers = _makers(table, checked_formats(formats), boundaries, note)
    names = []
    for name, make in makers:
        make(folder / name)
        names.append(name)
    return names


def package(
    simulation: Simulation,
    settings: Settings,
    *,
    formats: Sequence[str],
    boundaries: Boundaries | None = None,
    own: bool = False,
    confidential: bool = False,
) -> bytes:
    """Return a simulated release as a ZIP file: tables, statement, settings and a description.

    Args:
        simulation: the simulated release.
        settings: its settings. They are not written for a visitor's own data, since they name a
            sample.
        formats: some of `FORMATS`.
        boundaries: the boundaries, for maps.
        own: whether the data are a visitor's own and not a sample.
        confidential: whether the data are confidential. Every file is then marked, because anyone
            who guesses the seed can recover values close to the true ones.

    Raises:
        ChoiceError: as `write_tables`.
    """
    maps = bool(_MAPS & set(formats))
    note = seeded_mark(confidential=confidential)
    statement = {"note": note, "mechanism": settings.mechanism, **simulation.privacy.as_dict()}
    texts = {
        "READ-ME.txt": _note(note, simulation, settings, boundaries if maps else None),
        "statement.json": json_text(statement, indent=2) + "\n",
    }
    if not own:
        texts["settings.toml"] = settings.to_toml()
    buffer = io.BytesIO()
    with TemporaryDirectory() as name, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        folder = Path(name)
        files = write_tables(
            folder,
            simulation.table,
            formats=formats,
            boundaries=boundaries,
            note=note if confidential else "",
        )
        for file in files:
            packed.write(folder / file, file)
        for file, text in texts.items():
            packed.writestr(file, text)
    return buffer.getvalue()


def formats_for(table: Table) -> list[str]:
    """Return the formats for a table of this kind; flows have no shapes, and so no maps."""
    return [name for name in FORMATS if not (table.between_regions and name in _MAPS)]


def checked_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """Return `formats`, each once.

    Raises:
        ChoiceError: none is given, or one is unknown.
    """
    names = join_or(list(FORMATS))
    for name in formats:
        if name not in FORMATS:
            raise ChoiceError(f'There is no format "{name}". Choose from {names}.')
    if not formats:
        raise ChoiceError(f"No format is chosen. Choose at least one of {names}.")
    return tuple(dict.fromkeys(formats))


def _makers(
    table: Table, formats: Sequence[str], boundaries: Boundaries | None, note: str = ""
) -> Iterator[tuple[str, Callable[[Path], None]]]:
    for k, word in enumerate(file_words(table.regions.levels)):
        frame = with_mark(released_level(table, k), note)
        if "csv" in formats:
            yield f"simulated-{word}.csv", _csv(frame)
        if "parquet" in formats:
            yield f"simulated-{word}.parquet", _parquet(frame)
        if _MAPS & set(formats):
            if table.between_regions:
                raise ChoiceError(
                    "Flows have no shapes, so there is no map of them. Choose csv or parquet."
                )
            if boundaries is None:
                raise ChoiceError(
                    "These data have no boundaries, so there is no map of them. Choose csv or "
                    "parquet, or load boundaries with the data."
                )
            features = _features(table, boundaries, k, note)
            if "geojson" in formats:
                yield f"simulated-{word}.geojson", _geojson(features)
            if "gpkg" in formats:
                yield f"simulated-{word}.gpkg", _gpkg(features, word, boundaries)


def _csv(frame: pd.DataFrame) -> Callable[[Path], None]:
    return lambda path: write_csv(frame, path)


def _parquet(frame: pd.DataFrame) -> Callable[[Path], None]:
    return lambda path: frame.to_parquet(path, index=False)


def _geojson(features: dict[str, Any]) -> Callable[[Path], None]:
    text = json_text(features, allow_nan=False)

    def make(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    return make


def _gpkg(features: dict[str, Any], layer: str, boundaries: Boundaries) -> Callable[[Path], None]:
    import geopandas as gpd  # slow to load, and seldom needed
    from shapely.geometry import shape

    rows = [f["properties"] for f in features["features"]]
    shapes = [shape(f["geometry"]) for f in features["features"]]
    # A CRS of its own: without one, programs take degrees for granted.
    system = DRAWING_CRS if boundaries.plane is None else "EPSG:4326"
    frame = gpd.GeoDataFrame(rows, geometry=shapes, crs=system)

    def make(path: Path) -> None:
        frame.to_file(path, layer=layer, driver="GPKG")

    return make


def _features(table: Table, boundaries: Boundaries, level: int, note: str) -> dict[str, Any]:
    """Return a FeatureCollection of one level: id, name, every quantity and `note`, if any."""
    regions, nodes = table.regions, table.tree.level(level)
    columns = {
        quantity.id: table.by_region(quantity)[nodes].tolist() for quantity in table.quantities
    }
    shapes = _on_the_earth(boundaries, level)
    features = [
        feature
        | {
            "properties": {
                "id": regions.ids[node],
                "name": regions.names[node],
                **{name: values[place] for name, values in columns.items()},
                **({"note": note} if note else {}),
            }
        }
        for place, (feature, node) in enumerate(
            zip(shapes["features"], range(nodes.start, nodes.stop), strict=True)
        )
    ]
    return shapes | {"features": features, "note": f"{SEEDED}. {_where(boundaries)}"}


def _on_the_earth(boundaries: Boundaries, level: int) -> dict[str, Any]:
    """Return the shapes of one level in degrees, or on the drawing plane if it has no CRS."""
    level_shapes = boundaries.level(level)
    if boundaries.plane is None:
        return level_shapes
    import shapely

    flat = np.array(
        [shapely.geometry.shape(f["geometry"]) for f in level_shapes["features"]], dtype=object
    )
    shapes = shapely.orient_polygons(boundaries.plane.in_degrees(flat))
    features = [
        feature | {"geometry": shapely.geometry.mapping(shape)}
        for feature, shape in zip(level_shapes["features"], shapes, strict=True)
    ]
    return level_shapes | {"features": features}


def _where(boundaries: Boundaries) -> str:
    return DRAWING_PLANE if boundaries.plane is None else WGS_84


def _note(
    note: str, simulation: Simulation, settings: Settings, boundaries: Boundaries | None
) -> str:
    sentences = " ".join(f"{capital(part)}." for part in note.split("; "))
    lines = [
        f"Simulated with HierDP. {sentences}",
        f"Mechanism: {settings.mechanism}. {simulation.privacy.sentence}",
    ]
    if simulation.privacy.caution:
        lines.append(simulation.privacy.caution)
    if simulation.table.between_regions:
        lines.append(MISSING_FLOWS)
    if boundaries is not None:
        lines.append(_where(boundaries))
    return "\n\n".join(lines) + "\n"
