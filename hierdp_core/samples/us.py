"""The samples of the United States in 2010, and the small example of the papers."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.hierarchy.united_states import NATION, counties, us_regions
from hierdp_core.maps.arcs import Arcs
from hierdp_core.maps.boundaries import Boundaries, Geometry
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.sample import Recipe, SampleInfo
from hierdp_core.tables import Counts, GroupSizes, Table
from hierdp_core.util.data_files import data_file, data_rows

_WITH_ISLAND = "US and PR"  # the code of the nation with Puerto Rico in the file of shapes
BOUNDARIES = "US Census Bureau, cartographic boundary files 2010"
_CENSUS = "2010 Census, US Census Bureau"
_PUBLIC = "Public domain (work of the United States government)"


def county_column(regions: Regions, column: str) -> list[int]:
    """Return one column of the county facts, one value per leaf of `regions`."""
    value = {row["geoid"]: int(row[column]) for row in counties()}
    return [value[id] for id in regions.ids[regions.tree.leaves]]


def household_sizes(regions: Regions) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return housing units by size 0…15+ for every leaf of `regions`, shape (n_leaves, 16)."""
    with data_file("us_households.csv").open(encoding="utf-8") as file:
        next(file)
        lines = (line.rstrip("\n").split(",") for line in file)
        sizes = {line[0]: [int(number) for number in line[1:]] for line in lines}
    return np.array([sizes[id] for id in regions.ids[regions.tree.leaves]], dtype=np.int64)


@cache
def _shapes(*, fine: bool) -> dict[tuple[str, str], Geometry]:
    """Return the shape of every area, by its level and code."""
    arcs = Arcs.read(data_file("us_boundaries.npz"))
    areas = [(row["level"], row["code"]) for row in data_rows("us_boundaries.csv")]
    return dict(zip(areas, arcs.geometries(fine=fine), strict=True))


def us_boundaries(regions: Regions, label: str, *, fine: bool = False) -> Boundaries:
    """Return the shapes of `regions`, which has some or all levels and areas of `us_regions`.

    Args:
        regions: the hierarchy with its names.
        label: a word for file names.
        fine: whether to use full detail at every level, for hierarchies of one state.
    """
    return Boundaries(
        regions=regions,
        shapes=_levels(regions, fine=fine),
        caption=f"Boundaries: {BOUNDARIES}",
        label=label,
        read_fine=None if fine else partial(_levels, regions, fine=True),
    )


def _levels(regions: Regions, *, fine: bool) -> tuple[tuple[Geometry, ...], ...]:
    shapes, tree = _shapes(fine=fine), regions.tree
    with_island = any(id.startswith("72") for id in regions.ids)

    def level(name: str, ids: Sequence[str]) -> tuple[Geometry, ...]:
        codes = (_WITH_ISLAND if with_island and id == NATION else id for id in ids)
        return tuple(shapes[name, code] for code in codes)

    return tuple(level(name, regions.ids[tree.level(k)]) for k, name in enumerate(regions.levels))


def _population(_: object) -> Counts:
    regions = us_regions(divisions=True)
    return Counts.from_leaves(regions, county_column(regions, "population"))


def _households(_: object) -> GroupSizes:
    regions = us_regions()
    return GroupSizes.from_leaves(
        regions,
        household_sizes(regions),
        group="housing units",
        occupied="households",
        top_coded=True,
    )


def _running_example(_: object) -> GroupSizes:
    regions = Regions.from_parents(
        {"US": None, "GA": "US", "NY": "US"},
        levels=("nation", "state"),
        names={"US": "United States", "GA": "Georgia", "NY": "New York"},
    )
    sizes = [[0, 2, 0, 1, 0, 0], [0, 1, 1, 1, 0, 0]]
    return GroupSizes.from_leaves(
        regions, sizes, group="units", occupied="occupied units", empty_groups=False
    )


def _map_of(label: str) -> Any:
    def boundaries(table: Table) -> Boundaries:
        return us_boundaries(table.regions, label)

    return boundaries


POPULATION = Recipe(
    info=SampleInfo(
        id="us-population",
        title="US population, 2010",
        kind=Counts.kind,
        about=(
            "People by county in the 50 states and the District of Columbia, which is a state in "
            "this table: 308,745,538 people in 3,143 counties, 51 states, 9 divisions and "
            "4 regions."
        ),
        real="All counts are real.",
        source=f"{_CENSUS}: county gazetteer. Boundaries: {BOUNDARIES}",
        licence=_PUBLIC,
    ),
    table=_population,
    boundaries=_map_of("us-population"),
)

HOUSEHOLDS = Recipe(
    info=SampleInfo(
        id="us-households",
        title="US households by size, 2010",
        kind=GroupSizes.kind,
        about=(
            "Housing units by the number of people who live in them, 0 (vacant) to 15 or more, in "
            "3,143 counties of 50 states and the District of Columbia. There are 131,704,730 "
            "units, of which 116,716,292 are households, with 2.58 people on average. Household "
            "sizes by county are fitted. In the nine counties of the San Francisco Bay Area, the "
            "real sizes are known, and two constants of the fit were chosen there. In these "
            "counties, the number of households has a mean absolute error of 1.2% and a largest "
            "error of 4.0%. The percentages of sizes 1, 2, 3 and 4 or more have a mean absolute "
            "error of 1.1 percentage points and a largest error of 5.2. Elsewhere, errors may be "
            "larger."
        ),
        badge="fitted: household sizes by county are estimates",
        real=(
            "Real: housing units of every county, and for the nation the number of households, "
            "people per household (2.58) and the percentages of sizes 1 to 7 or more. Fitted: "
            "vacant units and sizes of every county, and single sizes from 7 on."
        ),
        source=(
            f"{_CENSUS}: county gazetteer; Census Brief C2010BR-14; Summary File 1, table H13. "
            f"Boundaries: {BOUNDARIES}"
        ),
        licence=f"{_PUBLIC}; the fitted sizes are from HierDP",
    ),
    table=_households,
    boundaries=_map_of("us-households"),
)

RUNNING_EXAMPLE = Recipe(
    info=SampleInfo(
        id="running-example",
        title="Worked example of the papers",
        kind=GroupSizes.kind,
        about=(
            "Six housing units with one to three people, in two states. The levels are nation and "
            "state, and the sizes go from 0 to 5. Every step can be followed by hand."
        ),
        real="Nothing is real. The example is synthetic.",
        badge="synthetic example",
        source=(
            "Fioretto, Van Hentenryck and Zhu, Differential Privacy of Hierarchical Census Data: "
            "An Optimization Approach, Artificial Intelligence 296, 2021"
        ),
        licence="Not copyrightable (numbers only)",
    ),
    table=_running_example,
    boundaries=lambda table: tile_layout(table.regions, label="running-example"),
)
