"""Boundaries for a table, and titles for the areas of a level."""

from typing import Any

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.registry import loaded
from hierdp_core.util.text import counted


def boundaries_of(regions: Regions, given: Any = None) -> Boundaries:
    """Return boundaries for `regions`: those given, else those of a sample, else tiles.

    Args:
        regions: the regions of a table.
        given: `Boundaries`, a GeoDataFrame, or None.

    Raises:
        HierdpError: the given boundaries do not fit the regions.
    """
    if given is None:
        samples = (s for s in loaded() if regions in (s.table.regions, *s.table.domain.hierarchies))
        sample = next(samples, None)
        return tile_layout(regions) if sample is None else sample.boundaries
    if not isinstance(given, Boundaries):
        return Boundaries.from_geodataframe(given, regions)
    if given.regions.ids != regions.ids:
        raise ChoiceError(
            "The boundaries belong to other areas than those of the table. Use the boundaries that "
            "were read with it."
        )
    return given


def titled(areas: int, level: str) -> str:
    """Return the areas of a level as a title.

    >>> titled(3143, "county"), titled(1, "nation")
    ('3,143 counties', '1 nation')
    """
    return counted(areas, level)
