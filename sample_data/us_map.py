"""The map of the counties, drawn from their centroids and areas."""

import csv
from pathlib import Path

import numpy as np

from hierdp_core.cells import Frame, framed_cells
from hierdp_core.geography import Shapes

_SQUARE_MILE = 2_589_988.11  # square metres

LOWER_48 = Frame(projection="EPSG:5070")
INSETS = {
    "AK": Frame(projection="EPSG:3338", scale=0.38, centre=(-17.3, -12.3), tolerance=6_000),
    "HI": Frame(
        projection="+proj=aea +lat_1=8 +lat_2=18 +lat_0=13 +lon_0=-157 +datum=NAD83",
        centre=(-9.0, -13.0),
        closing=3_000,
        tolerance=1_500,
    ),
    "PR": Frame(
        projection="+proj=laea +lat_0=18.2 +lon_0=-66.4 +datum=NAD83",
        centre=(19.0, -13.0),
        scale=1.5,
        closing=6_000,
        tolerance=600,
    ),
}


def county_cells(counties: list[dict[str, str]]) -> Shapes:
    """A polygon for every county on the display plane, shape (n,)."""
    columns = [[float(row[c]) for row in counties] for c in ("lat", "lon", "land_sq_mi")]
    lat, lon, land = (np.array(column) for column in columns)
    states = np.array([row["state"] for row in counties])
    cells = np.empty(len(counties), dtype=object)
    outside = np.isin(states, list(INSETS))
    for frame, chosen in [
        (LOWER_48, ~outside),
        *((frame, states == state) for state, frame in INSETS.items()),
    ]:
        cells[chosen] = framed_cells(frame, lat[chosen], lon[chosen], land[chosen] * _SQUARE_MILE)
    return cells
