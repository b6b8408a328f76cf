"""A table with a very long tail: pickups by taxi and zone, generated.

The zones are those of New York. Groups and pickups add up to the totals in Kuo et al. 2018,
Section 6. All else is synthetic. The number of taxis in a zone, and the pickups of each, depend on
the kind of the zone and on random numbers.

The computation uses only operations that every machine rounds in the same way: + − × ÷ and roots.
"""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.chance import Uniforms, in_proportion
from hierdp_core.samples.sample import Recipe, SampleInfo
from hierdp_core.tables import GroupSizes
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.data_files import data_rows

PAIRS = 360_872
PICKUPS = 130_962_398

# A public maximum, chosen without looking at data: about 14 pickups in the same zone on every day
# of a year. The tail ends below it, so nothing is top-coded, and the table takes 11 MB.
LARGEST = 5000

MIDTOWN = frozenset({"100", "161", "162", "163", "164", "170", "186", "230"})
ISLES = frozenset({"103", "104", "105", "194"})  # islands of Manhattan with hardly any streets

_SEED = 2013
_CITY = "NYC"
_AIRPORT = "EWR"  # listed as a borough in the official list

# The weight of a zone of each kind, before random factors.
_BUSY = {"airport": 2.0, "midtown": 2.5, "yellow": 0.4, "isle": 1e-4}
_BUSY_BOROUGH = {
    "Manhattan": 0.1,
    "Queens": 0.01,
    "Brooklyn": 0.012,
    "Bronx": 0.001,
    "Staten Island": 1e-4,
    _AIRPORT: 1e-4,
}


def city_regions() -> Regions:
    """Return city, borough and zone, with the number of the zone after shared names."""
    rows = data_rows("nyc_taxi_zones.csv")
    parents: dict[str, str | None] = {_CITY: None}
    names = {_CITY: "New York City", _AIRPORT: "Newark Airport (EWR)"}
    for borough in dict.fromkeys(row["borough"] for row in rows):
        parents[borough] = _CITY
        names.setdefault(borough, borough)
    shared = Counter(row["name"] for row in rows)
    for row in rows:
        id, name = row["zone"], row["name"]
        parents[id] = row["borough"]
        names[id] = f"{name} ({id})" if shared[name] > 1 else name
    return Regions.from_parents(parents, levels=("city", "borough", "zone"), names=names)


def kind_of(row: Mapping[str, str]) -> str:
    """Return the kind of a zone, which determines its weight: "airport", … or its borough."""
    if row["zone"] in ISLES:
        return "isle"
    if row["zone"] in MIDTOWN:
        return "midtown"
    kinds = {"Airports": "airport", "Yellow Zone": "yellow"}
    return kinds.get(row["service"], row["borough"])


def zone_weights(regions: Regions, uniforms: Uniforms) -> FloatArray:
    """Return a weight for how busy every zone is, shape (n_leaves,).

    It is the weight of the zone's kind times random odds between 1/9 and 9. For kinds whose zones
    are similar, the square root of the odds is used.
    """
    kinds = {row["zone"]: kind_of(row) for row in data_rows("nyc_taxi_zones.csv")}
    zones = [kinds[id] for id in regions.ids[regions.tree.leaves]]
    busy = np.array([(_BUSY | _BUSY_BOROUGH)[kind] for kind in zones])
    chance = 0.1 + 0.8 * uniforms(len(zones))
    odds = chance / (1 - chance)
    alike = np.array([kind in {*_BUSY, "Manhattan"} for kind in zones])
    return np.asarray(busy * np.where(alike, np.sqrt(odds), odds))


def tailed(typical: FloatArray, uniforms: Uniforms) -> FloatArray:
    """Return numbers around `typical` with a long tail: log-logistic of shape 4."""
    chance = uniforms(len(typical))
    return np.asarray(typical * np.sqrt(np.sqrt(chance / (1 - chance))))


def whole_sizes(wanted: FloatArray, total: int, largest: int) -> IntArray:
    """Return sizes 0…`largest` that add up to `total` and increase with `wanted`.

    `wanted` is scaled until the sum is right, and transformed so that it stays below `largest` + 1.
    Small sizes are in proportion to `wanted`. All numbers of `wanted` must be above 0, and `total`
    must be less than the sum of sizes that are all `largest`.
    """

    def at(scale: float) -> IntArray:
        free = wanted * scale
        bent = np.floor(free * ((largest + 1) / (largest + 1 + free)))
        return np.asarray(np.minimum(bent, largest).astype(np.int64))

    low, high = 0.0, 1.0
    while at(high).sum() < total:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if at(middle).sum() < total else (low, middle)
    sizes = at(high)
    edge = np.flatnonzero(sizes > at(low))  # these step up between the two scales
    sizes[edge[: sizes.sum() - total]] -= 1
    return sizes


def _table(_: object) -> GroupSizes:
    regions = city_regions()
    uniforms = Uniforms(_SEED)
    weights = zone_weights(regions, uniforms)
    # A zone 16 times as busy has twice the taxis, and each picks up 8 times as often.
    taxis = np.sqrt(np.sqrt(weights))
    pairs = in_proportion(PAIRS, np.floor(taxis * 2**32).astype(np.int64), uniforms)
    sizes = whole_sizes(
        tailed(np.repeat(weights / taxis, pairs), uniforms), total=PICKUPS, largest=LARGEST
    )
    zones, columns = len(pairs), LARGEST + 1
    cells = np.repeat(np.arange(zones), pairs) * columns + sizes
    return GroupSizes.from_leaves(
        regions,
        np.bincount(cells, minlength=zones * columns).reshape(zones, columns),
        group="taxi-zone pairs",
        occupied="active taxi-zone pairs",
        person="pickup",
        people="pickups",
    )


TAXI = Recipe(
    info=SampleInfo(
        id="taxi",
        title="Taxi pickups in New York",
        kind=GroupSizes.kind,
        about=(
            "A synthetic table with a very long tail. A group is a pair of a taxi and a zone. Its "
            "size is the number of pickups of this taxi in this zone in a year, 0 to 4,379. The "
            "maximum group size of 5,000 is public and means about 14 pickups a day. There are "
            "360,872 groups with 130,962,398 pickups, in 263 zones of 5 boroughs and Newark "
            "Airport. Midtown and the airports are busy, and Staten Island is nearly empty. The "
            "guarantee protects one pickup, but neither a taxi nor its driver."
        ),
        badge="pickups are synthetic",
        real=(
            "Real: the zones, and the totals of pairs and pickups, which are those of the "
            "paper's table of Manhattan. Synthetic, from a seeded generator: who picked up where "
            "and how often. The table says nothing about traffic in New York."
        ),
        source=(
            "Zones: taxi zone list, New York City Taxi and Limousine Commission. Totals: Kuo, "
            "Chiu, Kifer, Hay and Machanavajjhala, Differentially Private Hierarchical "
            "Count-of-Counts Histograms, PVLDB 11, 2018"
        ),
        licence="Facts that are free to use; the generated values are HierDP's",
        person="pickup",
    ),
    table=_table,
    boundaries=lambda table: tile_layout(table.regions, label="taxi"),
)
