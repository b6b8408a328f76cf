"""Group sizes: how many groups of each size every region has."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.hierarchy import Regions, sum_up
from hierdp_core.tables.domain import Domain, Fact, Quantity
from hierdp_core.tables.frames import table_frame
from hierdp_core.tables.group_rows import checked_max_size, leaves_of_groups
from hierdp_core.tables.quantities import quantity_named
from hierdp_core.tables.region_rows import RegionRows
from hierdp_core.tables.top_coding import in_columns, shared_columns
from hierdp_core.tables.values import check_shape, exact_leaves, finite_numbers
from hierdp_core.util.arrays import NumberArray, frozen_array
from hierdp_core.util.earlier import Earlier, accepts
from hierdp_core.util.late import late
from hierdp_core.util.text import counted, join_and

if TYPE_CHECKING:
    import pandas as pd

_CAP = Earlier(
    words=("cap",), now="max_size=…", replace=lambda _given, old: {"max_size": old["cap"]}
)
LISTED_SIZES = 21  # lists of quantities contain the sizes below this one


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GroupSizes(RegionRows):
    """How many groups of each size every region has.

    Sizes run from 0 to N. Size 0 holds the empty groups. If they are counted, a person who joins or
    leaves a group never changes the number of groups, so this number may be public.

    Attributes:
        regions: the hierarchy with its names.
        values: shape (n_nodes, N + 1), groups by region (level order) and size; int64, or float64
            in releases of a mechanism that does not round to integers.
        group: the noun for groups, plural: "housing units".
        occupied: the noun for groups of size 1 or more, plural: "households".
        person: the noun for one member, singular.
        people: the same, plural.
        top_coded: whether size N stands for N or more.
        empty_groups: whether empty groups are counted. If they are not, a group disappears with
            its only member, so a guarantee cannot cover that member.
        taken_from_data: the facts that were taken from the records, and so are not public.

    Raises:
        TableError: the shape does not fit, or a value is not finite.
    """

    kind: ClassVar[str] = "group-sizes"
    kind_words: ClassVar[str] = "group sizes"
    has_groups: ClassVar[bool] = True
    between_regions: ClassVar[bool] = False

    group: str = "groups"
    occupied: str = "occupied groups"
    person: str = "person"
    people: str = "people"
    top_coded: bool = False
    empty_groups: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", finite_numbers(self.values))
        columns = self.values.shape[1] if self.values.ndim == 2 else 0
        if columns < 2:
            raise TableError(
                "Group sizes need a column for each size from 0 to at least 1; got "
                f"{counted(columns, 'column')}. Add the missing columns; one may be all zeros."
            )
        check_shape(self.regions, self.values, (self.regions.tree.n_nodes, columns))

    @classmethod
    def from_leaves(
        cls,
        regions: Regions,
        leaf_values: npt.ArrayLike,
        *,
        group: str = "groups",
        occupied: str = "occupied groups",
        person: str = "person",
        people: str = "people",
        top_coded: bool = False,
        empty_groups: bool = True,
        taken_from_data: Collection[Fact] = (),
    ) -> Self:
        """Return an exact table, summed up from its leaves.

        Args:
            regions: the hierarchy with its names.
            leaf_values: shape (n_leaves, N + 1), the number of groups of each size from 0 to N,
                in the order of the leaves.
            group: the noun for groups, plural: "housing units".
            occupied: the noun for groups of size 1 or more, plural: "households".
            person: the noun for one member, singular.
            people: the same, plural.
            top_coded: whether size N stands for N or more.
            empty_groups: whether empty groups are counted.
            taken_from_data: which facts about the regions, N and empty groups were taken from the
                records. All others are treated as public.

        Raises:
            TableError: the shape does not fit, or a value is negative, fractional, too large or not
                a number. Or groups have size 0 although empty groups are not counted.
        """
        leaves = exact_leaves(regions, leaf_values)
        if leaves.ndim != 2:
            raise TableError(
                "Group sizes have one row per area and one column per size; "
                f"got {counted(leaves.ndim, 'dimension')}. Give an array of shape "
                f"({regions.tree.n_leaves}, sizes), or use Counts for one number per area."
            )
        if not empty_groups and leaves[:, :1].any():
            raise TableError(
                f"The table has {counted(int(leaves[:, 0].sum()), 'group')} of size 0, but empty "
                "groups are not counted. Leave them out, or state empty_groups=True."
            )
        return cls(
            regions=regions,
            values=sum_up(regions.tree, leaves),
            group=group,
            occupied=occupied,
            person=person,
            people=people,
            top_coded=top_coded,
            empty_groups=empty_groups,
            taken_from_data=Fact.ordered(taken_from_data),
        )

    @classmethod
    @accepts(_CAP)
    def from_groups(
        cls,
        regions: Regions,
        region_of_group: Sequence[Any] | npt.NDArray[Any],
        size_of_group: Sequence[Any] | npt.NDArray[Any],
        *,
        group_ids: Sequence[Any] | npt.NDArray[Any] | None = None,
        max_size: int | None = None,
        group: str = "groups",
        occupied: str = "occupied groups",
        person: str = "person",
        people: str = "people",
        empty_groups: bool = True,
    ) -> tuple[Self, int]:
        """Return an exact table from one entry per group, and how many exceed the maximum size.

        Args:
            regions: the hierarchy.
            region_of_group: for each group, the code of its leaf, or the position of this leaf
                among the leaves, counted from 0.
            size_of_group: the number of members of each group; 0 for an empty one.
            group_ids: ids of the groups, to check that none occurs twice.
            max_size: the maximum group size, chosen without looking at the data. Larger groups are
                counted at this size. Without it, the largest size is taken from the data, and
                the privacy statement of every plan states this.
            group: the noun for groups, plural: "housing units".
            occupied: the noun for groups of size 1 or more, plural: "households".
            person: the noun for one member, singular.
            people: the same, plural.
            empty_groups: whether empty groups are counted.

        Returns:
            the table, and the number of groups above the maximum size. Both are equally
            confidential.

        Raises:
            TableError: a region is unknown, a size is negative or not whole, `max_size` is below 1,
                or a group occurs twice.
        """
        leaves, above = leaves_of_groups(
            regions, region_of_group, size_of_group, group_ids=group_ids, max_size=max_size
        )
        table = cls.from_leaves(
            regions,
            leaves,
            group=group,
            occupied=occupied,
            person=person,
            people=people,
            top_coded=max_size is not None,
            empty_groups=empty_groups,
            taken_from_data=() if max_size is not None else (Fact.MAX_SIZE,),
        )
        return table, above

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        levels: str | Sequence[str],
        size: str | None = None,
        count: str | None = None,
        sizes: Sequence[str] = (),
        first_size: int = 1,
        group_id: str | None = None,
        names: str | Sequence[str] = (),
        regions: Any = None,
        max_size: int | None = None,
        top_coded: bool = False,
        empty_groups: bool | None = None,
        add_up: bool = False,
        within: bool = False,
        group: str = "groups",
        occupied: str = "occupied groups",
        person: str = "person",
        people: str = "people",
    ) -> Self:
        """Return an exact table from a data frame of pandas, Polars or PyArrow.

        The arguments that name columns select one of four forms.

            hdp.GroupSizes.from_frame(df, levels=["state"], size="size", count="households")
            hdp.GroupSizes.from_frame(df, levels=["state"], sizes=["one", "two", "three"])
            hdp.GroupSizes.from_frame(df, levels=["state"], size="members")      # one row per group
            hdp.GroupSizes.from_frame(df, levels=["state"], group_id="household")  # one per person

        Args:
            frame: the data.
            levels: the columns of the codes of regions, from the top level down.
            size: the column of group sizes, whole numbers.
            count: the column with the number of groups of that region and size.
            sizes: columns with the number of groups of each size, in ascending order.
            first_size: the size that the first of `sizes` stands for.
            group_id: the column with the id of the group that a person is in.
            names: columns of display names, one for the last level or one per level.
            regions: a data frame with the columns `levels` that lists all regions and was not made
                from the records; as in `Counts.from_frame`.
            max_size: the maximum group size, chosen without looking at the records. Larger groups
                are counted at this size. Without it, the last of `sizes` is the largest. In the
                other forms, the largest size is taken from the data, and privacy statements state
                this.
            top_coded: whether the last of the sizes stands for this size or more.
            empty_groups: whether empty groups are counted. By default, they are counted if a group
                has size 0. Privacy statements then state that this was taken from the data, unless
                the columns `sizes` or rows of persons determine it.
            add_up: whether several rows of one region are added up. Otherwise they are an error.
            within: whether a code is unique only within the region above.
            group: the noun for groups, plural: "housing units".
            occupied: the noun for groups of size 1 or more, plural: "households".
            person: the noun for one member, singular.
            people: the same, plural.

        Raises:
            TableError: a value cannot be used; the message names row and column. Or `max_size` is
                below 1.
            ChoiceError: the arguments select none of the forms, or `frame` lacks a column.
        """
        _require_form(size=size, count=count, sizes=sizes, group_id=group_id)
        largest = 0 if max_size is None else checked_max_size(max_size)
        row = "person" if group_id else "group" if size and not count else "region"
        counted = {None: "", True: "counted", False: "not counted"}[empty_groups]
        layout = {
            "kind": cls.kind,
            "row": row,
            "levels": levels,
            "size": size or "",
            "count": count or "",
            "sizes": sizes,
            "first_size": first_size,
            "group": group_id or "",
            "names": names,
            "largest": largest,
            "top_coded": top_coded,
            "empty_groups": counted,
            "add_up": add_up,
            "within": within,
            "groups": group,
            "occupied": occupied,
            "person": person,
            "people": people,
        }
        table: Self = late("readers.frames", "table_of")(frame, layout, regions=regions)
        return table

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per region and size, in level order.

        Columns: `level`, `id`, `name`, `parent` (the id of the region above, empty for the root),
        `size` (the number of members), and `count`, how many groups have that size.
        `DataFrame.attrs` repeats this.
        """
        return table_frame(self)

    @property
    def n_sizes(self) -> int:
        return int(self.values.shape[1])

    @property
    def sizes(self) -> range:
        return range(self.n_sizes)

    @property
    def total(self) -> int:
        return int(self.values[0] @ np.arange(self.n_sizes))

    @property
    def labels(self) -> dict[str, str | bool]:
        return {
            "group": self.group,
            "occupied": self.occupied,
            "person": self.person,
            "people": self.people,
            "top_coded": self.top_coded,
            "empty_groups": self.empty_groups,
        }

    @property
    def published_facts(self) -> dict[str, bool]:
        return {"top-coded": self.top_coded}

    @property
    def domain(self) -> Domain:
        return Domain(
            kind=self.kind,
            regions=self.regions,
            n_columns=self.n_sizes,
            person=self.person,
            groups=int(self.values[0].sum()),
            group=self.group,
            empty_groups=self.empty_groups,
            taken_from_data=self.taken_from_data,
        )

    @property
    def domain_by_region(self) -> Domain:
        """The domain if the number of groups of every region is public."""
        by_region = frozen_array(self.values.sum(axis=1), np.int64)
        return replace(self.domain, region_groups=by_region)

    @property
    def domain_with_total(self) -> Domain:
        return self.domain

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Occupied groups (the main number), then members, all groups, and the first sizes.

        The list has only sizes that can occur and are below `LISTED_SIZES`. `quantity` accepts
        every size.
        """
        least = 0 if self.empty_groups else 1
        sizes = (self.of_size(size) for size in range(least, min(self.n_sizes, LISTED_SIZES)))
        return (*self._of_all_sizes, *sizes)

    @property
    def _of_all_sizes(self) -> tuple[Quantity, ...]:
        last = self.n_sizes - 1
        top = f"{self.people} (size {last} or more counted as {last})"
        members = top if self.top_coded else self.people
        return (
            Quantity(id="occupied", title=self.occupied, weights=(0,) + (1,) * last),
            Quantity(id="members", title=members, weights=tuple(range(last + 1))),
            Quantity(id="groups", title=self.group, weights=(1,) * (last + 1)),
        )

    def quantity(self, id: str) -> Quantity:
        size = re.fullmatch("size-([0-9]{1,9})", id)
        if size and int(size[1]) < self.n_sizes:
            return self.of_size(int(size[1]))
        # Every simulation calls this, so the many quantities of single sizes are not created.
        own_quantity = next(
            (quantity for quantity in self._of_all_sizes if quantity.id == id), None
        )
        if own_quantity is not None:
            return own_quantity
        sizes = (self.of_size(size) for size in range(0 if self.empty_groups else 1, self.n_sizes))
        return quantity_named(id, (*self._of_all_sizes, *sizes))

    def by_region(self, quantity: Quantity | str) -> NumberArray:
        selected = self.quantity(quantity) if isinstance(quantity, str) else quantity
        result: NumberArray = self.values @ np.array(selected.weights, dtype=self.values.dtype)
        return result

    def of_size(self, size: int) -> Quantity:
        """Return the quantity that counts the groups of this size.

        Raises:
            ChoiceError: the table has no column for this size.
        """
        if not 0 <= size < self.n_sizes:
            raise ChoiceError(
                f"The sizes of this table go from 0 to {self.n_sizes - 1:,}; got {size}. Choose "
                "one of these sizes."
            )
        weights = (0,) * size + (1,) + (0,) * (self.n_sizes - 1 - size)
        return Quantity(id=f"size-{size}", title=self.size_title(size), weights=weights)

    def size_title(self, size: int) -> str:
        """Return the title of the groups of `size`, such as "households of 3 people"."""
        if size == 0:
            return f"empty {self.group}"
        if self.top_coded and size == self.n_sizes - 1:
            return f"{self.occupied} of {size} or more {self.people}"
        return f"{self.occupied} of {size} {self.person if size == 1 else self.people}"

    @property
    def counted(self) -> str:
        return f"{self.group} of each size"

    def column_title(self, column: int) -> str:
        return self.size_title(column)

    def cell_title(self, *place: int) -> str:
        node, size = place
        return f"{self.size_title(size)} in {self.regions.names[node]}"

    def same_columns(self, other: Self) -> tuple[Self, Self]:
        if self.n_sizes == other.n_sizes:
            return self, other
        wide = shared_columns(self.values, other.values)
        return (
            self.with_values(in_columns(self.values, wide)),
            other.with_values(in_columns(other.values, wide)),
        )

    def with_facts(
        self, taken_from_data: Collection[Fact], *, empty_groups: bool | None = None
    ) -> Self:
        counted = self.empty_groups if empty_groups is None else empty_groups
        return replace(self, taken_from_data=Fact.ordered(taken_from_data), empty_groups=counted)

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
        """Return the same regions and labels without groups, and so nothing from the records.

        The sizes are 0 and 1 whatever those of this table are, because the largest size may be
        confidential. `top_coded` is kept. Like the labels, it states the meaning of a column and
        is set without looking at the records.
        """
        return replace(self, values=np.zeros((self.tree.n_nodes, 2), dtype=np.int64))


def _require_form(**columns: str | Sequence[str] | None) -> None:
    """Require arguments that select one of the forms of `from_frame`.

    Raises:
        ChoiceError: they select none.
    """
    named = [name for name, column in columns.items() if column]
    if named not in (["size", "count"], ["sizes"], ["size"], ["group_id"]):
        given = f"got {join_and(named)}" if named else "none of these is given"
        raise ChoiceError(
            "Group sizes are read from size with count, from sizes, from size alone (one row per "
            f"group), or from group_id (one row per person); {given}. Name the columns of one form."
        )
