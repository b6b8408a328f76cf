"""The national table of the papers' experiments, made by their recipe.

Fioretto, Van Hentenryck and Zhu 2021, section 11, after Kuo et al. 2018, section 6: sizes 1
to 7 by state; above 7 each size keeps the groups of the size before with chance r = n_7 / n_6
of its state; 50 outliers uniform in 10…1000; counties in proportion to their size.
"""

import hashlib
from collections.abc import Iterator

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.hierarchy.united_states import us_regions
from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.samples.chance import Uniforms, in_proportion
from hierdp_core.samples.sample import Recipe, SampleInfo
from hierdp_core.samples.us import HOUSEHOLDS, household_sizes, us_boundaries
from hierdp_core.tables import GroupSizes, Table
from hierdp_core.util.arrays import IntArray
from hierdp_core.util.data_files import data_file
from hierdp_core.util.parallel import NamedProgress
from hierdp_core.util.user_cache import cached

LARGEST = 1000
OUTLIERS = 50
_SMALLEST_OUTLIER = 10
_SEED = 2010
_VERSION = 1  # of this recipe: a new one makes cached tables stale


def state_sizes(known: IntArray, uniforms: Uniforms) -> IntArray:
    """Groups of a state by size 0…1000: `known` up to size 7, thinned by n_7 / n_6 above.

    Args:
        known: groups of sizes 1…7, shape (7,).
        uniforms: where the chance comes from.
    """
    sizes = np.zeros(LARGEST + 1, dtype=np.int64)
    sizes[1:8] = known
    ratio = known[6] / known[5] if known[5] else 0.0
    for size in range(8, LARGEST + 1):
        sizes[size] = np.count_nonzero(uniforms(int(sizes[size - 1])) < ratio)
        if not sizes[size]:
            break
    return sizes


def county_cells(
    regions: Regions, households: IntArray, progress: NamedProgress | None = None
) -> IntArray:
    """The table's cells that are not zero, as rows (county, size, groups).

    Args:
        regions: nation, state and county.
        households: by county and size 0…15+, shape (n_leaves, 16).
        progress: called after every state.
    """
    uniforms = Uniforms(_SEED)
    occupied = households[:, 1:].sum(axis=1)
    cells = [*_by_state(regions, households, occupied, uniforms, progress)]
    sizes = _SMALLEST_OUTLIER + np.floor(uniforms(OUTLIERS) * (LARGEST - _SMALLEST_OUTLIER + 1))
    ends = np.cumsum(occupied)
    homes = np.searchsorted(ends, uniforms(OUTLIERS) * ends[-1], side="right")
    cells.append(np.column_stack([homes, sizes, np.ones(OUTLIERS)]).astype(np.int64))
    return np.concatenate(cells)


def _by_state(
    regions: Regions,
    households: IntArray,
    occupied: IntArray,
    uniforms: Uniforms,
    progress: NamedProgress | None,
) -> Iterator[IntArray]:
    tree = regions.tree
    states = range(*tree.level(1).indices(tree.n_nodes))
    for n_states, state in enumerate(states, start=1):
        family = tree.children(state)
        own = slice(family.start - tree.leaves.start, family.stop - tree.leaves.start)
        sizes = state_sizes(households[own, 1:8].sum(axis=0), uniforms)
        for size in np.flatnonzero(sizes).tolist():
            parts = in_proportion(int(sizes[size]), occupied[own], uniforms)
            some = np.flatnonzero(parts)
            yield np.column_stack([some + own.start, np.full(len(some), size), parts[some]])
        if progress:
            progress(n_states, len(states), f"making households: {regions.names[state]}")


def _table(progress: NamedProgress | None) -> GroupSizes:
    regions = us_regions(with_island=True)
    source = data_file("us_households.csv").read_bytes()
    key = f"{_VERSION}-{hashlib.sha256(source).hexdigest()}"
    cells = cached(
        "us-households-national",
        key,
        lambda: county_cells(regions, household_sizes(regions), progress),
    )
    leaves = np.zeros((regions.tree.n_leaves, LARGEST + 1), dtype=np.int64)
    np.add.at(leaves, (cells[:, 0], cells[:, 1]), cells[:, 2])
    return GroupSizes.from_leaves(
        regions,
        leaves,
        group="facilities",
        occupied="facilities",
        top_coded=False,
        empty_groups=False,
    )


def _boundaries(table: Table) -> Boundaries:
    return us_boundaries(table.regions, "us-households-national")


HOUSEHOLDS_NATIONAL = Recipe(
    info=SampleInfo(
        id="us-households-national",
        title="US households and facilities to size 1,000",
        kind=GroupSizes.kind,
        about=(
            "The census table of the papers' experiments, made by their recipe. It holds "
            "households and larger facilities by the number of people in them, 1 to 1,000. The "
            "areas are 3,221 counties and municipios of 50 states, the District of Columbia and "
            "Puerto Rico. There are about 117.4 million groups, none of them empty. Sizes 1 to 7 "
            "by state are the fitted ones of us-households. Above 7, the number of groups falls "
            "from each size to the next by the state's ratio of sevens to sixes. 50 outliers have "
            "random sizes from 10 to 1,000. A state's groups go to its counties in proportion to "
            "their households."
        ),
        badge="sizes are fitted and partly synthetic",
        real=(
            "Real: the places. Fitted: households by state and size. "
            "Synthetic, from a seeded generator: sizes above 7 and the distribution of groups over "
            "counties."
        ),
        source=(
            "Recipe: Fioretto, Van Hentenryck and Zhu 2021 and Kuo et al. 2018. "
            f"{HOUSEHOLDS.info.source}"
        ),
        licence=HOUSEHOLDS.info.licence,
    ),
    table=_table,
    boundaries=_boundaries,
)
