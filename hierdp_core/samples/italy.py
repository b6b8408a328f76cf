"""Commuting between the municipalities of Italy: real places, flows by a gravity model."""

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import APPROXIMATE, Boundaries
from hierdp_core.samples import gravity
from hierdp_core.samples.sample import Recipe, SampleInfo
from hierdp_core.tables import Flows, Table
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.data_files import data_file, data_rows
from hierdp_core.util.parallel import NamedProgress
from hierdp_core.util.user_cache import cached

COMMUTERS = 28_871_447  # ISTAT, commuting matrix of 2011

_COUNTRY = "IT"
_SEED = 2011
_VERSION = 1  # of this recipe; tables cached by another version are made again


def italy_regions() -> Regions:
    """Return the hierarchy with the levels country, region, province and municipality.

    Where several municipalities share a name, the plate code of the province follows it.
    """
    rows, provinces = data_rows("it_municipalities.csv"), data_rows("it_provinces.csv")
    parents: dict[str, str | None] = {_COUNTRY: None}
    names = {_COUNTRY: "Italy"}
    for row in sorted(provinces, key=lambda row: row["region"]):
        parents[row["region"]], names[row["region"]] = _COUNTRY, row["region_name"]
    for row in provinces:
        parents[row["province"]], names[row["province"]] = row["region"], row["name"]
    plate = {row["province"]: row["plate"] for row in provinces}
    shared = Counter(row["name"] for row in rows)
    for row in rows:
        code, name = row["code"], row["name"]
        parents[code] = row["province"]
        names[code] = f"{name} ({plate[row['province']]})" if shared[name] > 1 else name
    levels = ("country", "region", "province", "municipality")
    return Regions.from_parents(parents, levels=levels, names=names)


@cache
def _shapes() -> Mapping[str, Mapping[str, Any]]:
    with gzip.open(data_file("it_boundaries.json.gz"), "rt", encoding="utf-8") as file:
        shapes: Mapping[str, Mapping[str, Any]] = json.load(file)
    return shapes


def italy_boundaries(table: Table) -> Boundaries:
    """Return the approximate boundaries of `italy_regions`."""
    regions = table.regions
    levels = ((name, regions.ids[regions.tree.level(k)]) for k, name in enumerate(regions.levels))
    shapes = tuple(tuple(_shapes()[name][id] for id in ids) for name, ids in levels)
    return Boundaries(regions=regions, shapes=shapes, caption=APPROXIMATE, label="italy")


def _people_and_places() -> tuple[IntArray, FloatArray]:
    rows = data_rows("it_municipalities.csv")
    people = np.array([int(row["population"]) for row in rows], dtype=np.int64)
    lat, lon = (np.array([float(row[c]) for row in rows]) for c in ("lat", "lon"))
    return people, gravity.plane(lat, lon)


def commuting_cells(progress: NamedProgress | None = None) -> IntArray:
    """Return the flows as rows (origin, destination, commuters), indexed in the file's order."""
    people, points = _people_and_places()
    blocks, n_cells = [], 0
    for block in gravity.flows(COMMUTERS, people, points, seed=_SEED):
        blocks.append(block)
        n_cells = int(block[-1, 0]) + 1
        if progress:
            progress(n_cells, len(people), "generating commuters")
    return np.concatenate(blocks)


def _table(progress: NamedProgress | None) -> Flows:
    source = data_file("it_municipalities.csv").read_bytes()
    key = f"{_VERSION}-{hashlib.sha256(source).hexdigest()}"
    cells = cached("italy-commuting", key, lambda: commuting_cells(progress))
    regions = italy_regions()
    place = {id: k for k, id in enumerate(regions.ids[regions.tree.leaves])}
    at = np.array([place[row["code"]] for row in data_rows("it_municipalities.csv")])
    return Flows.from_pairs(
        regions, regions, at[cells[:, 0]], at[cells[:, 1]], cells[:, 2], unit="commuters"
    )


ITALY = Recipe(
    info=SampleInfo(
        id="italy-commuting",
        title="Commuting in Italy, 2011",
        kind=Flows.kind,
        about=(
            "People who travel to work or school between the 8,092 municipalities of Italy, in "
            "110 provinces of 20 regions: 28,871,447 commuters in 497,680 of 65,480,464 pairs. "
            "Partially synthetic: the municipalities are real, and the flows follow from a gravity "
            "model. "
            "The map is drawn from centroids within a coarse outline, so its boundaries are "
            "approximate."
        ),
        badge="flows are synthetic (gravity model)",
        real=(
            "Real: the municipalities, their populations and centres, and the number of commuters "
            "in Italy. Fitted: the number of pairs with commuters, about 500,000 as in reality. "
            "Synthetic, from a seeded gravity model: how many commuters each municipality has (in "
            "proportion to its population) and where they go. The proportion that stays in the "
            "same municipality is 58% overall, a quarter in villages and nine in ten in Rome. The "
            "flows say nothing about traffic in Italy."
        ),
        source=(
            "ISTAT: municipalities, people and centroids of 2011, and the total of the commuting "
            "matrix of 2011"
        ),
        licence="ISTAT data: CC BY; the flows are from HierDP",
    ),
    table=_table,
    boundaries=italy_boundaries,
)
