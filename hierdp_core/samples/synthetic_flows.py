"""The six synthetic tables of flows in the InfTDA paper, generated again.

Source: *Hierarchical Origin/Destination Data with a TopDown Approach*, section 6 and Table 1. One
hierarchy is binary and has 8 levels below the root. The other is random and has 4, with 2 to 10
sub-areas per area. All pairs of leaves have a flow, or half of them, or one in a hundred. Flows
have a Lomax distribution of shape 3, scaled to 1…1,000 and rounded down. The paper's tables are not
public. Of the first few thousand seeds, those were chosen whose numbers of areas and trips are
close to the paper's.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.chance import Uniforms
from hierdp_core.samples.sample import Recipe, SampleInfo
from hierdp_core.tables import Flows
from hierdp_core.util.arrays import FloatArray, IntArray

LARGEST = 1000
BINARY_LEVELS = ("country", "part", "region", "province", "district", "county", "town", "ward")
RANDOM_LEVELS = ("country", "region", "province", "district")
_LEAF = "area"
_DENSITIES = {"complete": 1.0, "dense": 0.5, "sparse": 0.01}
_PARTITION_SEED = 3531  # the only one below 4,000 with the paper's 435 areas


@dataclass(frozen=True, kw_only=True)
class Draw:
    """One of the six tables.

    Attributes:
        seed: the seed of its pairs and flows.
        trips: the number of trips in the table of HierDP.
        pairs: the number of pairs with a flow in it.
        published: the number of trips in the paper's table (Table 1).
    """

    seed: int
    trips: int
    pairs: int
    published: int


BINARY = {
    "complete": Draw(seed=107, trips=1_051_874, pairs=65_536, published=1_051_271),
    "dense": Draw(seed=4, trips=739_131, pairs=32_768, published=734_688),
    "sparse": Draw(seed=1390, trips=23_283, pairs=655, published=23_302),
}
RANDOM = {
    "complete": Draw(seed=59, trips=2_020_305, pairs=189_225, published=2_019_580),
    "dense": Draw(seed=18, trips=1_002_580, pairs=94_612, published=1_003_943),
    "sparse": Draw(seed=1243, trips=67_888, pairs=1_892, published=67_840),
}


def binary_regions() -> Regions:
    """Return 256 areas: every area has two sub-areas, on 8 levels below the root."""
    return _partition((*BINARY_LEVELS, _LEAF), lambda n: np.full(n, 2))


def random_regions(seed: int = _PARTITION_SEED) -> Regions:
    """Return regions on four levels below the root; the numbers of sub-areas, 2 to 10, are random.

    The nine numbers are equally likely.
    """
    uniforms = Uniforms(seed)

    def parts(n: int) -> IntArray:
        return np.asarray(2 + np.floor(9 * uniforms(n)).astype(np.int64))

    return _partition((*RANDOM_LEVELS, _LEAF), parts)


def _partition(levels: tuple[str, ...], parts: Callable[[int], IntArray]) -> Regions:
    whole = "0"
    parents: dict[str, str | None] = {whole: None}
    names, above = {whole: "Synthetic country"}, [whole]
    for level in levels[1:]:
        below = []
        for id, n in zip(above, parts(len(above)).tolist(), strict=True):
            for k in range(1, n + 1):
                code = str(k) if id == whole else f"{id}.{k}"
                parents[code], names[code] = id, f"{level.capitalize()} {code}"
                below.append(code)
        above = below
    return Regions.from_parents(parents, levels=levels, names=names)


def lomax_flows(n: int, uniforms: Uniforms) -> IntArray:
    """Return `n` flows from 1 to 1,000: Lomax of shape 3, scaled and rounded down.

    The inverse of the largest of three uniform numbers, minus 1, has this distribution. It needs no
    powers, which machines round differently.
    """
    u = uniforms(3 * n).reshape(n, 3)
    heavy = 1 / np.maximum(u.max(axis=1), 2.0**-53) - 1
    scaled = np.floor(1 + (LARGEST - 1) * (heavy / heavy.max()))
    return np.asarray(scaled.astype(np.int64))


def chosen_pairs(n_leaves: int, density: float, uniforms: Uniforms) -> IntArray:
    """Return the pairs with a flow, as origin × n_leaves + destination, ascending."""
    n_pairs = n_leaves * n_leaves
    n_chosen = int(n_pairs * density)
    if n_chosen == n_pairs:
        return np.arange(n_pairs)
    keys: FloatArray = uniforms(n_pairs)
    return np.sort(np.argsort(keys, kind="stable")[:n_chosen])


def synthetic_flows(regions: Regions, *, density: float, seed: int) -> Flows:
    """Return flows within `regions`, with the proportion `density` of all pairs positive."""
    uniforms, n = Uniforms(seed), regions.tree.n_leaves
    pairs = chosen_pairs(n, density, uniforms)
    return Flows.from_pairs(
        regions, regions, pairs // n, pairs % n, lomax_flows(len(pairs), uniforms)
    )


_SHAPE = {
    "binary": (
        "The hierarchy is binary: every area has two sub-areas, on 8 levels below the root. So "
        "the last level has 256 areas and 65,536 pairs."
    ),
    "random": (
        "The hierarchy is random: every area has 2 to 10 sub-areas, on 4 levels below the root. "
        "These levels have 2, 12, 75 and 435 areas, and the last one has 189,225 pairs, as in the "
        "paper."
    ),
}
_SPREAD = {
    "complete": "All pairs have",
    "dense": "Half of the pairs have",
    "sparse": "1% of the pairs have",
}


def _recipe(partition: str, density: str, draw: Draw, regions: Callable[[], Regions]) -> Recipe:
    id = f"od-{partition}-{density}"

    def table(_: object) -> Flows:
        return synthetic_flows(regions(), density=_DENSITIES[density], seed=draw.seed)

    return Recipe(
        info=SampleInfo(
            id=id,
            title=f"Synthetic flows: {partition} hierarchy, {density}",
            kind=Flows.kind,
            about=(
                f"{_SHAPE[partition]} {_SPREAD[density]} a flow: {draw.pairs:,} pairs, 1 to 1,000 "
                "trips each, many small and few large (Lomax distribution). "
                f"There are {draw.trips:,} trips here and {draw.published:,} in the paper, whose "
                "table is not public."
            ),
            badge="synthetic",
            real="Nothing is real. Areas and flows come from a seeded generator.",
            source="Recipe of Hierarchical Origin/Destination Data with a TopDown Approach, 2024",
            licence="From HierDP, with the licence of the project",
        ),
        table=table,
        boundaries=lambda table: tile_layout(table.regions, label=id),
    )


SYNTHETIC_FLOWS = tuple(
    _recipe(partition, density, draw, regions)
    for partition, draws, regions in (
        ("binary", BINARY, binary_regions),
        ("random", RANDOM, random_regions),
    )
    for density, draw in draws.items()
)
