"""The interface of every table: its shape, its quantities, and what is public about it.

`Counts`, `GroupSizes` and `Flows` implement it.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.tables.domain import Domain, Fact, Quantity
from hierdp_core.util.arrays import NumberArray

if TYPE_CHECKING:
    import pandas as pd


class Table(Protocol):
    """Statistics over a hierarchy of regions.

    Attributes:
        kind: its name in files: "counts", "group-sizes" or "flows".
        kind_words: the same in words: "group sizes".
        has_groups: whether its records belong to groups, whose sizes are the columns.
        between_regions: whether a number belongs to two regions, an origin and a destination.
    """

    kind: ClassVar[str]
    kind_words: ClassVar[str]
    has_groups: ClassVar[bool]
    between_regions: ClassVar[bool]

    @property
    def regions(self) -> Regions:
        """The hierarchy with its names; for flows, that of the origins."""

    @property
    def tree(self) -> Hierarchy:
        """The hierarchy of `regions` without its names."""

    @property
    def values(self) -> NumberArray:
        """Its numbers: one row per region in level order; for flows, one per pair of leaves."""

    @property
    def content(self) -> Any:
        """The numbers that a mechanism measures: `values`, or for flows the `Pairs`."""

    @property
    def person(self) -> str:
        """The noun for one record, such as "person"."""

    @property
    def total(self) -> int:
        """The number of all records; for top-coded group sizes, a lower bound on it."""

    @property
    def taken_from_data(self) -> tuple[Fact, ...]:
        """The facts that were taken from the records, and so are not public."""

    @property
    def labels(self) -> dict[str, str | bool]:
        """The arguments of `from_leaves` or `from_pairs` that state what its numbers mean."""

    @property
    def published_facts(self) -> dict[str, bool]:
        """Facts about a table that a release states in addition to its numbers."""

    @property
    def domain(self) -> Domain:
        """All that is public about it."""

    @property
    def domain_by_region(self) -> Domain:
        """The domain if the numbers of groups of regions are public; without groups, `domain`."""

    @property
    def domain_with_total(self) -> Domain:
        """The domain if the total is public; `domain` for tables with groups."""

    @property
    def sizes(self) -> range:
        """The group sizes, one per column; empty for a table without groups."""

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers that can be shown for a region, the main one first."""

    def quantity(self, id: str) -> Quantity:
        """Return the quantity with this id.

        Raises:
            ChoiceError: there is no quantity with this id.
        """

    def by_region(self, quantity: Quantity | str) -> NumberArray:
        """Return the numbers of a quantity, which is named by its id or given as an object.

        Returns:
            shape (n_nodes,): one number for each region of `regions_of`, in level order.

        Raises:
            ChoiceError: there is no quantity with this id.
        """

    def regions_of(self, quantity: Quantity) -> Regions:
        """Return the regions that a quantity has numbers for, such as destinations for arrivals."""

    @property
    def counted(self) -> str:
        """The noun for what its numbers count, plural: "people" or "households of each size"."""

    def column_title(self, column: int) -> str:
        """Return the title of a column: "people", "households of 3 people"."""

    def cell_title(self, *place: int) -> str:
        """Return the title of one number: "people in North", "trips from North to South".

        Args:
            place: a node, and a column if there are several; for flows, the places of two
                leaves, counted from 0 on the last level.
        """

    def leaf_changes(self, other: Self) -> NumberArray:
        """Return by how much `other` exceeds this table in each cell of the leaves.

        Both lie over the same regions and have the same columns. Cells that are 0 in both may be
        left out.
        """

    def same_columns(self, other: Self) -> tuple[Self, Self]:
        """Return both tables with the same number of columns, where added columns hold 0."""

    def upper_levels(self, n_levels: int) -> Self:
        """Return the table without the levels below the first `n_levels`."""

    def require_exact(self) -> None:
        """Require non-negative integers in which parents are the sums of their children.

        Raises:
            TableError: the table is not exact.
        """

    def with_values(self, values: Any) -> Self:
        """Return the same table with other content."""

    def with_regions(self, regions: Regions) -> Self:
        """Return the same numbers over other `regions`, whose tree has the same shape."""

    def with_facts(
        self, taken_from_data: Collection[Fact], *, empty_groups: bool | None = None
    ) -> Self:
        """Return the same table with another statement on the facts that are treated as public.

        Args:
            taken_from_data: the facts that were taken from the records.
            empty_groups: whether empty groups are counted; unchanged for None.
        """

    def blank(self) -> Self:
        """Return the same regions and labels with no records."""

    def to_frame(self) -> "pd.DataFrame":
        """Return its numbers as a tidy data frame; `attrs["columns"]` describes each column."""

    def leaf_arrays(self) -> dict[str, NumberArray]:
        """Return the arrays from which `from_leaf_arrays` builds the table again."""

    @classmethod
    def from_leaf_arrays(
        cls,
        regions: Regions,
        arrays: Mapping[str, NumberArray],
        *,
        taken_from_data: Collection[Fact] = (),
        **labels: Any,
    ) -> Self:
        """Return an exact table from the values of `leaf_arrays` and `labels`.

        Raises:
            TableError: a value is negative, fractional or too large.
        """
