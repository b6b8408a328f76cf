"""The base of counts and group sizes: an array whose rows are the regions of one hierarchy."""

from dataclasses import dataclass, replace
from typing import Self

from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.tables.domain import Fact, Quantity
from hierdp_core.tables.validity import require_sums
from hierdp_core.util.arrays import NumberArray
from hierdp_core.util.shown import Shown


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RegionRows(Shown):
    """The base of tables with one row of numbers per region, in level order.

    Attributes:
        regions: the hierarchy with its names.
        values: shape (n_nodes, ...), read-only.
        taken_from_data: the facts that were taken from the records, and so are not public.
    """

    regions: Regions
    values: NumberArray
    taken_from_data: tuple[Fact, ...] = ()

    @property
    def tree(self) -> Hierarchy:
        return self.regions.tree

    @property
    def content(self) -> NumberArray:
        """The numbers that a mechanism measures: `values`."""
        return self.values

    def regions_of(self, quantity: Quantity) -> Regions:
        return self.regions

    def leaf_changes(self, other: Self) -> NumberArray:
        changes: NumberArray = (other.values - self.values)[self.tree.leaves]
        return changes

    def upper_levels(self, n_levels: int) -> Self:
        regions = self.regions.upper_levels(n_levels)
        return replace(self, regions=regions, values=self.values[: regions.tree.n_nodes])

    def require_exact(self) -> None:
        require_sums(self.regions, self.values)

    def with_values(self, values: NumberArray) -> Self:
        return replace(self, values=values)

    def with_regions(self, regions: Regions) -> Self:
        return replace(self, regions=regions)

    def leaf_arrays(self) -> dict[str, NumberArray]:
        return {"values": self.values[self.tree.leaves]}
