"""Tables as tidy data frames: one number per row, every column described.

The descriptions are stored in `DataFrame.attrs["columns"]`, which pandas also writes to Parquet
files.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdp_core.hierarchy import Regions

if TYPE_CHECKING:
    import pandas as pd

    from hierdp_core.tables.base import Table
    from hierdp_core.tables.flows import Flows

REGION_COLUMNS: Mapping[str, str] = {
    "level": "name of the level",
    "id": "code of the area, unique within its level",
    "name": "display name of the area",
    "parent": "code of the area one level up; empty for the root",
}


def described(columns: Mapping[str, Any], about: Mapping[str, str]) -> "pd.DataFrame":
    """Return a data frame of `columns` with `about` in its `attrs`."""
    import pandas as pd  # slow to load, and a table seldom needs it

    frame = pd.DataFrame(dict(columns))
    frame.attrs["columns"] = dict(about)
    return frame


def region_columns(regions: Regions) -> dict[str, Any]:
    """Return the columns `level`, `id`, `name` and `parent` of all regions, in level order."""
    tree = regions.tree
    ids = np.array(regions.ids, dtype=object)
    above = ids[np.maximum(tree.parent, 0)]
    above[0] = ""
    return {
        "level": np.array(regions.levels, dtype=object)[tree.level_of],
        "id": ids,
        "name": np.array(regions.names, dtype=object),
        "parent": above,
    }


def table_frame(table: "Table") -> "pd.DataFrame":
    """Return one row per region, or per region and size, without copies that pad short branches."""
    real = ~table.regions.padded
    columns = {name: values[real] for name, values in region_columns(table.regions).items()}
    values, about = table.values[real], dict(REGION_COLUMNS)
    if values.ndim == 2:
        n_sizes = values.shape[1]
        columns = {name: np.repeat(column, n_sizes) for name, column in columns.items()}
        columns["size"] = np.tile(np.arange(n_sizes), len(values))
        members = f"size of the group: number of {table.labels['people']}"
        top = f"{members}; {n_sizes - 1} stands for {n_sizes - 1} or more"
        about["size"] = top if table.labels["top_coded"] else members
        about["count"] = f"how many {table.labels['group']} have that size"
    else:
        about["count"] = f"{table.labels['unit']} in the area"
    return described(columns | {"count": values.ravel()}, about)


def flows_frame(flows: "Flows") -> "pd.DataFrame":
    """Return one row per pair of leaves with a flow."""
    columns: dict[str, Any] = {}
    about = {}
    for end, regions, places in (
        ("origin", flows.origins, flows.origin),
        ("destination", flows.destinations, flows.destination),
    ):
        leaves = regions.tree.leaves
        columns[end] = np.array(regions.ids[leaves], dtype=object)[places]
        columns[f"{end}_name"] = np.array(regions.names[leaves], dtype=object)[places]
        about[end] = f"code of the {end} {regions.levels[-1]}"
        about[f"{end}_name"] = f"display name of the {end} {regions.levels[-1]}"
    about["count"] = f"{flows.unit} from origin to destination"
    return described(columns | {"count": flows.values}, about)
