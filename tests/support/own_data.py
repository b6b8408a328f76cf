"""A small table of a visitor's own."""

from collections.abc import Mapping, Sequence

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.tables import Counts
from pages.ui.shell.datasets import Own


def own_data(
    counts: Sequence[int], *, confidential: bool, names: Mapping[str, str] | None = None
) -> Own:
    """Return three parishes in two districts, with these counts and names."""
    regions = Regions.from_parents(
        {"all": None, "a": "all", "b": "all", "a1": "a", "a2": "a", "b1": "b"},
        levels=("country", "district", "parish"),
        names=names,
    )
    sample = Sample(
        id=OWN,
        title="My parishes",
        kind="counts",
        about="Three parishes.",
        real="Yours.",
        source="a file of yours",
        licence="",
        table=Counts.from_leaves(regions, np.array(counts)),
        read_boundaries=lambda: tile_layout(regions, label="own"),
    )
    return Own(sample=sample, confidential=confidential)
