"""Simulations and their exact tables as tidy data frames, GeoDataFrames and Parquet files."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hierdp_core.evaluation.errors import by_region_errors, paired
from hierdp_core.exceptions import ChoiceError
from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.maps.frames import geodataframe
from hierdp_core.simulation import Simulation
from hierdp_core.tables import Table
from hierdp_core.tables.frames import REGION_COLUMNS, described
from hierdp_core.util.marks import CONTAINS_TRUTH, SEEDED

if TYPE_CHECKING:
    import geopandas as gpd


def simulation_frame(simulation: Simulation, quantity: str | None = None) -> pd.DataFrame:
    """Return exact and released numbers side by side: see `Simulation.to_frame`."""
    exact, released = paired(simulation.exact, simulation)
    if quantity is None:
        return _every_cell(exact, released)
    rows = by_region_errors(exact, simulation, quantity)
    rows = rows[~rows["padded"].to_numpy()].reset_index(drop=True)
    columns = {
        "level": rows["level"],
        "id": rows["id"],
        "name": rows["name"],
        "parent": rows["parent"],
        "exact": rows["true"],
        "released": rows["released"],
        "error": rows["error"],
        "relative_error": rows["rel_error"],
    }
    title = exact.quantity(quantity).title
    return _marked(described(columns, dict(REGION_COLUMNS) | _about(title)))


def simulation_geodataframe(
    simulation: Simulation, boundaries: Any, *, level: str | None, quantity: str | None
) -> "gpd.GeoDataFrame":
    """Return the regions of one level with shapes: see `Simulation.to_geodataframe`."""
    table = simulation.exact
    selected = table.quantity(quantity) if quantity else table.quantities[0]
    regions = table.regions_of(selected)
    if not isinstance(boundaries, Boundaries):
        boundaries = Boundaries.from_geodataframe(boundaries, regions)
    name = level or regions.levels[-1]
    place = regions.level_index(name)
    if boundaries.regions.ids != regions.ids:
        raise ChoiceError(
            "The boundaries belong to other areas than those of the table. Use the boundaries that "
            "were read with it."
        )
    rows = simulation_frame(simulation, selected.id)
    shapes = geodataframe(boundaries, place)
    joined = shapes.merge(rows[rows["level"] == name], on="id")
    joined.attrs.update(rows.attrs)
    return joined


def write_parquet(simulation: Simulation, path: str | Path, *, exact: bool) -> None:
    """Write a simulation to a Parquet file: see `Simulation.to_parquet`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = simulation.to_frame() if exact else simulation.table.to_frame()
    note = f"{SEEDED}; {CONTAINS_TRUTH}" if exact else SEEDED
    statement = {"note": note, "mechanism": simulation.plan.id, **simulation.privacy.as_dict()}
    about = {"statement": statement, "columns": frame.attrs["columns"]}
    content = pa.Table.from_pandas(frame, preserve_index=False)
    metadata = {b"hierdp": json.dumps(about, ensure_ascii=False).encode()}
    content = content.replace_schema_metadata({**(content.schema.metadata or {}), **metadata})
    try:
        pq.write_table(content, path)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise ChoiceError(
            f"The file {path} cannot be written: {reason}. Name a file in a folder that exists and "
            "that you may write to."
        ) from None


def _every_cell(exact: Table, released: Table) -> pd.DataFrame:
    left, right = exact.to_frame(), released.to_frame()
    about = dict(left.attrs["columns"])
    unit = about.pop("count")
    if exact.between_regions:
        keys = [name for name in left.columns if name != "count"]
        left = left.merge(right, on=keys, how="outer", suffixes=("", "_released"), sort=True)
        left = left.fillna({"count": 0, "count_released": 0})
        numbers = left.pop("count"), left.pop("count_released")
        are_whole = all(np.array_equal(column, np.round(column)) for column in numbers)
        one, other = (column.astype("int64") if are_whole else column for column in numbers)
    else:
        one, other = left.pop("count"), right["count"]
    columns = {name: left[name] for name in left.columns} | {"exact": one, "released": other}
    return _marked(described(columns | {"error": other - one}, about | _about(unit, cells=True)))


def _about(unit: str, *, cells: bool = False) -> dict[str, str]:
    words = {
        "exact": f"{unit}, exact",
        "released": f"{unit}, as released in this simulation",
        "error": f"released minus exact, {unit}",
    }
    relative = {"relative_error": "absolute error divided by exact; NaN where exact is 0"}
    return words if cells else words | relative


def _marked(frame: pd.DataFrame) -> pd.DataFrame:
    frame.attrs["note"] = CONTAINS_TRUTH
    return frame
