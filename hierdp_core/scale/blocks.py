"""A synthetic table of the United States down to blocks, written part by part.

The counties with their people (2010) are real. So are the national numbers of tracts, block groups
and blocks of the 2020 Census, for 50 states and the District of Columbia. The numbers of these
areas by county, and the people of each block, follow from this recipe:

1. Each county has one tract, and the other tracts go to counties in proportion to their people.
2. Each tract has one block group and each block group one block. The other block groups and blocks
   are assigned at random.
3. Each block is left empty with a probability of 30%. The people of a county are divided over its
   other blocks at random, in proportion to weights from a log-normal distribution. Its long tail
   represents blocks with large buildings.

The generator is that of NumPy, so another version of NumPy may give another table.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from hierdp_core import samples
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.tables import Counts
from hierdp_core.util.arrays import IntArray

TRACTS, BLOCK_GROUPS, BLOCKS = 84_414, 239_780, 8_132_968
LEVELS = ("nation", "state", "county", "tract", "block group", "block")
_EMPTY = 0.3
_TAIL = 1.1  # standard deviation of the logarithm
_SEED = 2020


@dataclass(frozen=True, kw_only=True)
class _State:
    """A state as a part, with its counties and the numbers of areas below them.

    Attributes:
        number: the number of the state, from 0.
        id: the code of the state.
        counties: the codes of its counties.
        people: the number of people of each county.
        tracts: the number of tracts of each county.
        groups: the number of block groups of the state.
        blocks: the number of blocks of the state.
    """

    number: int
    id: str
    counties: tuple[str, ...]
    people: IntArray
    tracts: IntArray
    groups: int
    blocks: int


def write_us_blocks(folder: str | Path, *, share: float = 1.0) -> PartitionedTable:
    """Write the table with one part per state, using no more memory than the largest state needs.

    Args:
        folder: a new or an empty folder.
        share: the proportion of tracts, block groups and blocks to write, for a smaller table.

    Raises:
        ChoiceError: the proportion is not above 0 and at most 1.
        FileError: the folder is not empty, or cannot be written.
    """
    if not 0 < share <= 1:
        raise ChoiceError(
            f"The proportion of blocks must be above 0 and at most 1; got {share}. Give 1 for all "
            "blocks."
        )
    population = samples.load("us-population").table
    regions = population.regions
    upper = regions.upper_levels(1)
    counties, states = regions.tree.leaves, regions.level_index("state")
    above = regions.tree.parent[counties] - regions.tree.level(states).start
    state_ids = regions.ids[regions.tree.level(states)]
    names = regions.names[regions.tree.level(states)]
    people = population.values[counties].astype(np.int64)
    tracts = 1 + _shared(int(TRACTS * share) - len(people), people)
    upper = type(upper).from_parents(
        {upper.ids[0]: None, **dict.fromkeys(state_ids, upper.ids[0])},
        levels=LEVELS[:2],
        names={upper.ids[0]: upper.names[0], **dict(zip(state_ids, names, strict=True))},
    )
    by_state = np.bincount(above, weights=tracts).astype(np.int64)
    groups = by_state + _shared(int(BLOCK_GROUPS * share) - int(tracts.sum()), by_state)
    blocks = groups + _shared(int(BLOCKS * share) - int(groups.sum()), groups)
    codes = np.array(regions.ids[counties])
    table_in_parts = (
        _State(
            number=k,
            id=state_ids[k],
            counties=tuple(codes[above == k]),
            people=people[above == k],
            tracts=tracts[above == k],
            groups=int(groups[k]),
            blocks=int(blocks[k]),
        )
        for k in range(len(state_ids))
    )
    return PartitionedTable.write(
        folder,
        upper=upper,
        levels=LEVELS,
        kind=Counts.kind,
        n_columns=1,
        parts=_parts(table_in_parts),
        labels=dict(population.labels),
        boundaries_of="us-population",
    )


def _parts(states: Iterator[_State]) -> Iterator[tuple[Hierarchy, list[str], IntArray]]:
    for state in states:
        rng = np.random.default_rng([_SEED, state.number])
        n_counties, n_tracts = len(state.counties), int(state.tracts.sum())
        groups = 1 + rng.multinomial(state.groups - n_tracts, [1 / n_tracts] * n_tracts)
        blocks = 1 + rng.multinomial(state.blocks - state.groups, [1 / state.groups] * state.groups)
        sizes = (1, n_counties, n_tracts, state.groups, state.blocks)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        families = (np.array([n_counties]), state.tracts, groups, blocks)
        parents = [
            np.repeat(np.arange(start, start + len(family)), family)
            for start, family in zip(starts, families, strict=False)
        ]
        tree = Hierarchy(parent=np.concatenate([[-1], *parents]), level_start=starts)
        county = np.repeat(np.arange(n_counties), state.tracts).repeat(groups).repeat(blocks)
        yield tree, _codes(state, (groups, blocks)), _people(rng, county, state.people)


def _people(rng: np.random.Generator, county: IntArray, people: IntArray) -> IntArray:
    """Return the number of people in each block."""
    weights = np.exp(_TAIL * rng.standard_normal(len(county)))
    weights[rng.random(len(county)) < _EMPTY] = 0
    ends = np.searchsorted(county, np.arange(len(people) + 1))
    weights[ends[:-1]] += 1e-9  # someone can live in every county
    leaves = np.empty(len(county), dtype=np.int64)
    for k, (start, stop) in enumerate(pairwise(ends)):
        share = weights[start:stop] / weights[start:stop].sum()
        leaves[start:stop] = rng.multinomial(int(people[k]), share)
    return leaves


def _codes(state: _State, families: tuple[IntArray, ...]) -> list[str]:
    """Return codes like those of the census, which begin with the code of the area above."""
    tracts = [
        f"{c}{k:06d}" for c, n in zip(state.counties, state.tracts, strict=True) for k in range(n)
    ]
    codes = [state.id, *state.counties, *tracts]
    above = tracts
    for family, width in zip(families, (1, 4), strict=True):
        above = [
            f"{code}{k:0{width}d}" for code, n in zip(above, family, strict=True) for k in range(n)
        ]
        codes += above
    return codes


def _shared(total: int, weights: IntArray) -> IntArray:
    """Return `total` divided in proportion to weights; the largest fractions are rounded up."""
    real = max(0, total) * weights / weights.sum()
    integers: IntArray = np.floor(real).astype(np.int64)
    remainder = max(0, total) - int(integers.sum())
    integers[np.argsort(integers - real, kind="stable")[:remainder]] += 1
    return integers
