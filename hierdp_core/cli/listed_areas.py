"""A list of areas in place of a table, for planning before any record is read."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.own_data import Source, stated_columns
from hierdp_core.exceptions import ChoiceError

if TYPE_CHECKING:
    from hierdp_core.hierarchy import Regions
    from hierdp_core.tables import Table

# The settings of a layout that describe areas, and are read from the list.
_OF_AREAS = (
    "levels", "parent", "prefix", "fill", "within", "level_names", "root", "root_level", "split",
    "fill_down", "encoding", "sheet", "headings",
)  # fmt: skip
# The words for groups of a table, each with its setting.
_OF_GROUPS = {"group": "groups", "occupied": "occupied", "person": "person", "people": "people"}


@dataclass(frozen=True, eq=False, kw_only=True)
class ListedAreas(Source):
    """The areas of a list, with a table that has no records.

    Attributes:
        regions: the path of the list.
        stated: the settings of the columns of the table, as for `--data`.
    """

    regions: str
    stated: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, flags: argparse.Namespace) -> "ListedAreas | None":
        """Return the list that the flags name for a synthetic table; None if they name a table."""
        if not flags.synthetic or not flags.regions or flags.data or flags.config or flags.sample:
            return None
        from hierdp_core.samples.sample import OWN  # loads NumPy

        stated = stated_columns(flags)
        if not stated.get("levels"):
            raise ChoiceError(
                "Without --data, the levels are not known. State the columns of the list, as in "
                "--column levels=state,county."
            )
        return cls(sample=OWN, regions=flags.regions, stated=stated)

    @cached_property
    def _table(self) -> "Table":
        from hierdp_core.settings.own_files import OwnFiles

        areas = {word: value for word, value in self.stated.items() if word in _OF_AREAS}
        areas["levels"] = self.stated.get("list_columns") or areas["levels"]
        # Each area is read as one record, and only the areas are kept.
        words = {**areas, "kind": "counts", "row": "person"}
        reading = OwnFiles.of_paths([self.regions], stated=words).read()
        assert reading.table is not None
        return _empty_table(reading.table.regions, self.stated)

    @property
    def _kind(self) -> str:
        return self.table().kind


def _empty_table(regions: "Regions", stated: dict[str, Any]) -> "Table":
    """Return a table without records, of the kind that the stated columns imply."""
    import numpy as np

    from hierdp_core.tables import Counts, Flows, GroupSizes

    kind = stated.get("kind") or (
        "flows"
        if stated.get("destinations")
        else "group-sizes"
        if stated.keys() & {"size", "sizes", "group", "largest"}
        else "counts"
    )
    n_leaves = regions.tree.n_leaves
    words = {name: stated[name] for name in ("unit", "person") if stated.get(name)}
    makers: dict[str, Callable[[], Table]] = {
        "flows": lambda: Flows.from_pairs(regions, regions, [], [], [], **words),
        "counts": lambda: Counts.from_leaves(regions, np.zeros(n_leaves, dtype=np.int64), **words),
    }
    if kind in makers:
        return makers[kind]()
    if int(stated.get("largest", 0)) < 1 or not (stated.get("empty_groups") or stated.get("group")):
        raise ChoiceError(
            "Without --data, the maximum group size is not known, nor whether empty groups are "
            'counted. State both, as in --column largest=7 --column empty_groups="not counted".'
        )
    return GroupSizes.from_leaves(
        regions,
        np.zeros((n_leaves, int(stated["largest"]) + 1), dtype=np.int64),
        empty_groups=stated.get("empty_groups") == "counted",
        **{name: stated[word] for name, word in _OF_GROUPS.items() if stated.get(word)},
    )
