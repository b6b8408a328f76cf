"""Counts: one number per region."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import TableError
from hierdp_core.hierarchy import Regions, sum_up
from hierdp_core.tables.domain import Domain, Fact, Quantity
from hierdp_core.tables.frames import table_frame
from hierdp_core.tables.quantities import quantity_named
from hierdp_core.tables.region_rows import RegionRows
from hierdp_core.tables.values import check_shape, exact_leaves, finite_numbers
from hierdp_core.util.arrays import NumberArray
from hierdp_core.util.late import late

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Counts(RegionRows):
    """One number per region.

    Attributes:
        regions: the hierarchy with its names.
        values: shape (n_nodes,), in `unit`, level order; int64, or float64 in releases of a
            mechanism that does not round to integers.
        unit: the noun for what is counted, plural.
        person: the noun for one record, singular.
        taken_from_data: the facts that were taken from the records, and so are not public.

    Raises:
        TableError: the shape does not fit, or a value is not finite.
    """

    kind: ClassVar[str] = "counts"
    kind_words: ClassVar[str] = "counts"
    has_groups: ClassVar[bool] = False
    between_regions: ClassVar[bool] = False

    unit: str = "people"
    person: str = "person"

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", finite_numbers(self.values))
        check_shape(self.regions, self.values, (self.regions.tree.n_nodes,))

    @classmethod
    def from_leaves(
        cls,
        regions: Regions,
        leaf_values: npt.ArrayLike,
        *,
        unit: str = "people",
        person: str = "person",
        taken_from_data: Collection[Fact] = (),
    ) -> Self:
        """Return an exact table, summed up from its leaves.

        Args:
            regions: the hierarchy with its names.
            leaf_values: shape (n_leaves,), non-negative integers, in the order of the leaves.
            unit: the noun for what is counted, plural.
            person: the noun for one record, singular.
            taken_from_data: which facts about the regions were taken from the records. All others
                are treated as public.

        Raises:
            TableError: the shape does not fit, or a value is negative, fractional, too large or not
                a number.
        """
        leaves = exact_leaves(regions, leaf_values)
        if leaves.ndim != 1:
            raise TableError(
                f"Counts have one number per area; got shape {leaves.shape}. Give one number for "
                f"each {regions.levels[-1]}, or use GroupSizes for one column per size."
            )
        return cls(
            regions=regions,
            values=sum_up(regions.tree, leaves),
            unit=unit,
            person=person,
            taken_from_data=Fact.ordered(taken_from_data),
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        levels: str | Sequence[str],
        count: str | None = None,
        names: str | Sequence[str] = (),
        regions: Any = None,
        add_up: bool = False,
        within: bool = False,
        unit: str = "people",
        person: str = "person",
    ) -> Self:
        """Return an exact table from a data frame of pandas, Polars or PyArrow.

            table = hdp.Counts.from_frame(df, levels=["state", "county"], count="people")

        If the first column names more than one region, a level "total" with a single region is
        added above it.

        Args:
            frame: one row per region of the last level; without `count`, one row per person.
            levels: the columns of the codes of regions, from the top level down. For a region
                without sub-areas, the columns below it may be blank.
            count: the column of whole numbers, at least 0.
            names: columns of display names, one for the last level or one per level.
            regions: a data frame with the columns `levels` that lists all regions and was not made
                from the records. Without it, the regions are those that the rows name, and every
                privacy statement states that they were taken from the data.
            add_up: whether several rows of one region are added up. Otherwise they are an error.
            within: whether a code is unique only within the region above, as county numbers are.
            unit: the noun for what is counted, plural.
            person: the noun for one record, singular.

        Raises:
            TableError: a count or a code cannot be used; the message names row and column.
            ChoiceError: `frame` is not a data frame, or lacks a column.
        """
        layout = {
            "kind": cls.kind,
            "row": "person" if count is None else "region",
            "levels": levels,
            "count": count or "",
            "names": names,
            "add_up": add_up,
            "within": within,
            "unit": unit,
            "person": person,
        }
        table: Self = late("readers.frames", "table_of")(frame, layout, regions=regions)
        return table

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per region, in level order.

        Columns: `level`, `id`, `name`, `parent` (the id of the region above, empty for the root)
        and `count`, in `unit`. `DataFrame.attrs` repeats this.
        """
        return table_frame(self)

    @property
    def domain(self) -> Domain:
        return Domain(
            kind=self.kind,
            regions=self.regions,
            n_columns=1,
            person=self.person,
            taken_from_data=self.taken_from_data,
        )

    @property
    def domain_by_region(self) -> Domain:
        return self.domain

    @property
    def domain_with_total(self) -> Domain:
        return replace(self.domain, total=self.total)

    @property
    def total(self) -> int:
        return int(self.values[0])

    @property
    def labels(self) -> dict[str, str | bool]:
        return {"unit": self.unit, "person": self.person}

    @property
    def published_facts(self) -> dict[str, bool]:
        return {}

    @property
    def sizes(self) -> range:
        return range(0)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return (Quantity(id="count", title=self.unit, weights=(1,)),)

    def quantity(self, id: str) -> Quantity:
        return quantity_named(id, self.quantities)

    def by_region(self, quantity: Quantity | str) -> NumberArray:
        if isinstance(quantity, str):
            self.quantity(quantity)
        return self.values

    @property
    def counted(self) -> str:
        return self.unit

    def column_title(self, column: int) -> str:
        return self.unit

    def cell_title(self, *place: int) -> str:
        return f"{self.unit} in {self.regions.names[place[0]]}"

    def same_columns(self, other: Self) -> tuple[Self, Self]:
        return self, other

    def with_facts(
        self, taken_from_data: Collection[Fact], *, empty_groups: bool | None = None
    ) -> Self:
        return replace(self, taken_from_data=Fact.ordered(taken_from_data))

    @classmethod
    def from_leaf_arrays(
        cls,
        regions: Regions,
        arrays: Mapping[str, NumberArray],
        *,
        taken_from_data: Collection[Fact] = (),
        **labels: Any,
    ) -> Self:
        return cls.from_leaves(regions, arrays["values"], taken_from_data=taken_from_data, **labels)

    def blank(self) -> Self:
        """Return the same regions and labels with 0 everywhere, and so nothing from the records."""
        return replace(self, values=np.zeros(self.tree.n_nodes, dtype=np.int64))
