"""Tables of regions for the maps.

All functions take the frame of `by_region_errors`: one row per region in level order, with level,
id, name, parent, padded, true, released, error, abs_error, rel_error.
"""

import pandas as pd


def of_level(frame: pd.DataFrame, level: str) -> pd.DataFrame:
    """Return the rows of one level."""
    return frame[frame["level"] == level]


def within(
    frame: pd.DataFrame, levels: tuple[str, ...], level: int, region: str, *, wanted: int
) -> pd.DataFrame:
    """Return the rows of level number `wanted` inside a region of level number `level`."""
    codes = {region}
    for k in range(level + 1, wanted + 1):
        rows = of_level(frame, levels[k])
        codes = set(rows.loc[rows["parent"].isin(codes), "id"])
    rows = of_level(frame, levels[wanted])
    return rows[rows["id"].isin(codes)]


def parent_names(frame: pd.DataFrame, levels: tuple[str, ...], level: str) -> pd.Series:
    """Return the name of each region's parent, for the rows of `level`."""
    above = of_level(frame, levels[levels.index(level) - 1]).set_index("id")["name"]
    return of_level(frame, level)["parent"].map(above)


def largest_errors(frame: pd.DataFrame, levels: tuple[str, ...], n: int = 10) -> pd.DataFrame:
    """Return the `n` regions of the last level with the largest relative error.

    Regions with a true count of 0 have no relative error and are left out. Ties are in level
    order. If two regions share a name, the column `above` has the name of each parent. The index
    has the codes.
    """
    rows = of_level(frame, levels[-1])
    columns = ["name", "true", "released", "error", "rel_error"]
    if len(levels) > 1 and rows["name"].duplicated().any():
        rows = rows.assign(above=parent_names(frame, levels, levels[-1]))
        columns.insert(1, "above")
    worst = rows.dropna(subset=["rel_error"]).sort_values(
        "rel_error", ascending=False, kind="stable"
    )
    return worst.head(n).set_index("id")[columns]
