"""Tables of regions that stand under the maps, and the few facts read off them.

All take the frame of `metrics.by_region_errors`: a row a region in level order, with
level, id, name, parent, padded, true, released, error, abs_error, rel_error.
"""

import pandas as pd


def of_level(frame: pd.DataFrame, level: str) -> pd.DataFrame:
    """The rows of one level."""
    return frame[frame["level"] == level]


def within(
    frame: pd.DataFrame, levels: tuple[str, ...], level: int, region: str, *, wanted: int
) -> pd.DataFrame:
    """The rows of level number `wanted` that lie in a region of level number `level`."""
    codes = {region}
    for k in range(level + 1, wanted + 1):
        rows = of_level(frame, levels[k])
        codes = set(rows.loc[rows["parent"].isin(codes), "id"])
    rows = of_level(frame, levels[wanted])
    return rows[rows["id"].isin(codes)]


def parent_names(frame: pd.DataFrame, levels: tuple[str, ...], level: str) -> pd.Series:
    """The name of each region's parent, beside the rows of `level`."""
    above = of_level(frame, levels[levels.index(level) - 1]).set_index("id")["name"]
    return of_level(frame, level)["parent"].map(above)


def largest_errors(frame: pd.DataFrame, levels: tuple[str, ...], n: int = 10) -> pd.DataFrame:
    """The `n` regions of the last level with the largest relative error in this draw.

    Regions that are truly 0 have no relative error and are left out; regions that tie come in
    level order. Where two regions share a name, a column `above` names their parents. The index
    holds the codes.
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
