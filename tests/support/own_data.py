"""A small table of a visitor's own."""

from collections.abc import Mapping, Sequence

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.tables import Counts, Table
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
    table = Counts.from_leaves(regions, np.array(counts))
    return own_table(table, "My parishes", "Three parishes.", confidential=confidential)


def own_table(table: Table, title: str, about: str, *, confidential: bool) -> Own:
    """Return a table of a visitor's own, with tiles in place of a map."""
    sample = Sample(
        id=OWN,
        title=title,
        kind=table.kind,
        about=about,
        real="Yours.",
        source="a file of yours",
        licence="",
        table=table,
        read_boundaries=lambda: tile_layout(table.regions, label="own"),
    )
    return Own(sample=sample, confidential=confidential)
