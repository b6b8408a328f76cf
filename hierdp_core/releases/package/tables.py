"""The released numbers of a level as the files that people read."""

import io
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.margins import Margins
from hierdp_core.tables import KINDS, Table
from hierdp_core.writers.defused import csv_text
from hierdp_core.writers.exploration import released_level

if TYPE_CHECKING:
    from pathlib import Path

    from hierdp_core.maps.boundaries import Boundaries

SMALL, NOT_KNOWN = "not above its margin", "margin not known"
NEAR_MARGINS = (
    "Facts that are treated as public have a margin of 0. If all simulations gave the same number "
    "for a count with noise, its margin is not known. A number at or below its margin may be small "
    "only because of noise, and its interval then covers the true count less often than stated. "
    "The tables mark numbers of both kinds. The documentation of HierDP reports how often the "
    "intervals cover the true count."
)
COLUMNS = {
    "level": "Level of the hierarchy.",
    "id": "Code of the area.",
    "name": "Name of the area.",
    "parent": "Code of the area one level up; empty on the first level.",
    "origin": "Code of the origin.",
    "origin_name": "Name of the origin.",
    "destination": "Code of the destination.",
    "destination_name": "Name of the destination.",
    "size": "Number of members of a group.",
    "value": "Released number: an estimate with noise, or a fact that is treated as public.",
    "margin": (
        "Margin of error at the confidence level that the certificate states; empty if not known."
    ),
    "low": "Value minus margin, at least 0; empty where no margin is known.",
    "high": "Value plus margin; empty where no margin is known.",
    "bias": (
        "Mean of the simulated minus the released number, in the simulations behind the margins; "
        "it is not subtracted."
    ),
    "note": (
        "“not above its margin”: the number may be small only because of noise, and its interval "
        "covers the true count less often than stated. “margin not known”: all simulations gave "
        "the same number."
    ),
}

MISSING_FLOWS = "A pair of areas without a row was released as 0 and has no margin."


def meanings(table: Table, columns: Iterable[str]) -> dict[str, str]:
    """Return the meanings of the columns in the released tables of `table`."""
    about = {name: COLUMNS[name] for name in columns}
    if KINDS[table.kind].between_regions:
        about["level"] = "Level of the origin and the destination."
        about["value"] += f" {MISSING_FLOWS}"
    if table.has_groups and table.labels["top_coded"]:
        top = table.values.shape[1] - 1
        about["size"] = f"Number of members of a group; {top} stands for {top} or more."
    return about


def level_frame(margins: Margins, level: int) -> pd.DataFrame:
    """Return the released numbers of a level with margins, one row per number.

    Columns: those of `released_level`, with `parent` after `name` unless rows are flows, then
    `margin`, `low`, `high`, `bias` and `note`.
    """
    frame = _with_parents(released_level(margins.table, level), margins.table, level)
    half, bias = margins.at(level)
    value = frame["value"].to_numpy()
    integers = pd.array(half, dtype="Float64").astype("Int64") if len(half) else half
    notes = np.select(
        [np.isnan(half), (value <= half) & (half > 0)], [NOT_KNOWN, SMALL], default=""
    )
    return frame.assign(
        margin=integers,
        low=pd.array(np.maximum(0, value - half), dtype="Float64").astype("Int64"),
        high=pd.array(value + half, dtype="Float64").astype("Int64"),
        bias=np.round(bias, 3),
        note=notes,
    )


def as_csv(frame: pd.DataFrame) -> bytes:
    """Return a table as CSV in UTF-8, in which no text is a formula for a spreadsheet."""
    text = csv_text(frame)
    return text.encode()


def as_parquet(frame: pd.DataFrame, *, rows_a_group: int | None = None) -> bytes:
    """Return a table as Parquet.

    Args:
        frame: the table.
        rows_a_group: the number of rows that can be read separately; by default that of pyarrow.
    """
    file = io.BytesIO()
    frame.to_parquet(file, index=False, engine="pyarrow", row_group_size=rows_a_group)
    return file.getvalue()


def write_geopackage(
    path: "Path", frame: pd.DataFrame, boundaries: "Boundaries", level: int
) -> None:
    """Write the numbers of a level with the shapes of its areas, one row per area.

    Shapes are in longitude and latitude if their position on the earth is known. An area with
    several numbers has a column for each.

    Raises:
        ReleaseError: the file cannot be written.
    """
    import geopandas as gpd
    import pyogrio
    import shapely

    wide = _one_row_an_area(frame).set_index("id")
    ids = boundaries.regions.ids[boundaries.regions.tree.level(level)]
    drawn = {
        id: shape
        for id, shape in zip(ids, boundaries.shapes[level], strict=True)
        if id in wide.index
    }
    wide = wide.loc[list(drawn)]
    shapes = np.array([shapely.geometry.shape(one) for one in drawn.values()], dtype=object)
    system: Any = None
    if boundaries.plane is not None:
        shapes, system = boundaries.plane.in_degrees(shapes), "EPSG:4326"
    # The file contains the time of its last change, which must not differ for equal contents.
    pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": "1980-01-01T00:00:00.000Z"})
    layer = str(frame["level"].iloc[0])
    try:
        with warnings.catch_warnings():  # a plane with insets has no coordinate system
            warnings.filterwarnings("ignore", message="'crs' was not provided")
            gpd.GeoDataFrame(wide.reset_index(), geometry=shapes, crs=system).to_file(
                path, driver="GPKG", layer=layer, engine="pyogrio"
            )
    except (OSError, RuntimeError) as error:
        raise ReleaseError(
            f"{path.name} cannot be written: {error}. Correct the cause, and repeat the release to "
            "write its package, without new noise and without cost."
        ) from None
    finally:
        pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": None})


def _with_parents(frame: pd.DataFrame, table: Table, level: int) -> pd.DataFrame:
    """Return the rows with the code of the area one level up, unless they are flows."""
    if "id" not in frame:
        return frame
    regions, nodes = table.regions, table.tree.level(level)
    above = table.tree.parent[nodes]
    parents = [regions.ids[parent] for parent in above] if level else [""] * len(above)
    of = dict(zip(regions.ids[nodes], parents, strict=True))
    rows = frame.assign(parent=[of[id] for id in frame["id"]])
    first = ["level", "id", "name", "parent"]
    return rows[[*first, *(column for column in frame if column not in first)]]


def _one_row_an_area(frame: pd.DataFrame) -> pd.DataFrame:
    numbers = ["value", "margin", "low", "high"]
    plain = frame.astype(dict.fromkeys(numbers, "float64"))
    if "size" not in frame:
        return plain[["id", "name", *numbers]]
    wide = plain.pivot(index=["id", "name"], columns="size", values=numbers)
    wide.columns = ["_".join(map(str, pair)) for pair in wide.columns.to_flat_index()]
    return wide.reset_index()
