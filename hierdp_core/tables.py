"""The kinds of table that live over a hierarchy.

`Counts` holds one number a region, `GroupSizes` one number for each region and
group size. A table that comes from data is *exact*: whole, not negative, and
every parent the sum of its children; `from_leaves` is the door that makes one.
A released table has the same type and may break these rules, as its mechanism does.
"""

import re
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from hierdp_core.arrays import FloatArray, IntArray, NumberArray, frozen_array
from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.hierarchy import Hierarchy, child_sums, sum_up
from hierdp_core.regions import Regions

# Beyond this a sum over regions, or a cost of the tree program, might leave int64.
LARGEST_TOTAL = 10**12

LISTED_SIZES = 21  # quantities of single sizes that a list shows


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One number a region that people ask about, linear in the table.

    Attributes:
        id: its name in files and addresses: "households", "size-3".
        title: the same for people, plural: "households of 3 people".
        weights: shape (n_columns,); a region's number is its row times these.
    """

    id: str
    title: str
    weights: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Domain:
    """All that is public about a table: what a plan may know.

    Attributes:
        kind: "counts" or "group-sizes".
        regions: the hierarchy with its names.
        n_columns: numbers a region has: 1 for counts, N + 1 for group sizes 0…N.
        person: what one record is, singular: "person".
        groups: how many groups there are in all, a public number; None for counts.
        group: what a group is, plural: "housing units"; None for counts.
        region_groups: shape (n_nodes,), how many groups each region has, where the mechanism
            takes that as public; else None.
    """

    kind: str
    regions: Regions = field(repr=False, compare=False)
    n_columns: int
    person: str
    groups: int | None = None
    group: str | None = None
    region_groups: IntArray | None = field(default=None, repr=False, compare=False)

    @property
    def tree(self) -> Hierarchy:
        return self.regions.tree


@dataclass(frozen=True, eq=False, kw_only=True)
class Counts:
    """One number a region.

    Attributes:
        regions: the hierarchy with its names.
        values: shape (n_nodes,), in `unit`, level order; int64, or float64 once released.
        unit: what is counted, plural.
        person: what one record is, singular.

    Raises:
        TableError: the shape does not fit, or a value is not finite.
    """

    kind: ClassVar[str] = "counts"

    regions: Regions
    values: NumberArray
    unit: str = "people"
    person: str = "person"

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _numbers(self.values))
        _check_shape(self.regions, self.values, (self.regions.tree.n_nodes,))

    @classmethod
    def from_leaves(
        cls,
        regions: Regions,
        leaf_values: npt.ArrayLike,
        *,
        unit: str = "people",
        person: str = "person",
    ) -> Self:
        """An exact table, summed up from its leaves, shape (n_leaves,).

        Raises:
            TableError: a value is negative, fractional or too large.
        """
        leaves = exact_leaves(regions, leaf_values)
        if leaves.ndim != 1:
            raise TableError(f"Counts have one number a region; got shape {leaves.shape}.")
        return cls(regions=regions, values=sum_up(regions.tree, leaves), unit=unit, person=person)

    @property
    def tree(self) -> Hierarchy:
        return self.regions.tree

    @property
    def domain(self) -> Domain:
        return Domain(kind=self.kind, regions=self.regions, n_columns=1, person=self.person)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return (Quantity(id="count", title=self.unit, weights=(1,)),)

    def with_values(self, values: NumberArray) -> Self:
        return replace(self, values=values)


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupSizes:
    """How many groups of each size every region has.

    Sizes run from 0 to N. Size 0 holds the empty groups: moving a person in or out of a
    group then never changes how many groups there are, so that number may be public.

    Attributes:
        regions: the hierarchy with its names.
        values: shape (n_nodes, N + 1), groups by region (level order) and size.
        group: what a group is, plural: "housing units".
        occupied: what a group of size 1 or more is, plural: "households".
        person: what one member is, singular.
        people: the same, plural.
        top_coded: True when size N stands for N and more.

    Raises:
        TableError: the shape does not fit, or a value is not finite.
    """

    kind: ClassVar[str] = "group-sizes"

    regions: Regions
    values: NumberArray
    group: str = "groups"
    occupied: str = "occupied groups"
    person: str = "person"
    people: str = "people"
    top_coded: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _numbers(self.values))
        columns = self.values.shape[1] if self.values.ndim == 2 else 0
        if columns < 2:
            raise TableError("Group sizes need a column for each size from 0 to at least 1.")
        _check_shape(self.regions, self.values, (self.regions.tree.n_nodes, columns))

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
    ) -> Self:
        """An exact table, summed up from its leaves, shape (n_leaves, N + 1).

        Raises:
            TableError: a value is negative, fractional or too large.
        """
        leaves = exact_leaves(regions, leaf_values)
        if leaves.ndim != 2:
            raise TableError(
                "Group sizes have a row a region and a column a size; "
                f"got {leaves.ndim} dimension{'s' * (leaves.ndim != 1)}."
            )
        return cls(
            regions=regions,
            values=sum_up(regions.tree, leaves),
            group=group,
            occupied=occupied,
            person=person,
            people=people,
            top_coded=top_coded,
        )

    @property
    def tree(self) -> Hierarchy:
        return self.regions.tree

    @property
    def n_sizes(self) -> int:
        return int(self.values.shape[1])

    @property
    def domain(self) -> Domain:
        return Domain(
            kind=self.kind,
            regions=self.regions,
            n_columns=self.n_sizes,
            person=self.person,
            groups=int(self.values[0].sum()),
            group=self.group,
        )

    @property
    def domain_by_region(self) -> Domain:
        """The domain when the number of groups of every region is public."""
        by_region = frozen_array(self.values.sum(axis=1), np.int64)
        return replace(self.domain, region_groups=by_region)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Occupied groups first (the headline), then members, all groups, and the first sizes.

        `quantity` knows every size; a list of thousands would help nobody.
        """
        last = self.n_sizes - 1
        floor = f" (at least: size {last} counts as {last})" if self.top_coded else ""
        return (
            Quantity(id="occupied", title=self.occupied, weights=(0,) + (1,) * last),
            Quantity(id="members", title=self.people + floor, weights=tuple(range(last + 1))),
            Quantity(id="groups", title=self.group, weights=(1,) * (last + 1)),
            *(self.of_size(size) for size in range(min(self.n_sizes, LISTED_SIZES))),
        )

    def of_size(self, size: int) -> Quantity:
        """How many groups have this size."""
        weights = tuple(int(s == size) for s in range(self.n_sizes))
        return Quantity(id=f"size-{size}", title=self.size_title(size), weights=weights)

    def size_title(self, size: int) -> str:
        """What the groups of `size` are called: "households of 3 people"."""
        if size == 0:
            return f"empty {self.group}"
        more = " or more" if self.top_coded and size == self.n_sizes - 1 else ""
        members = self.person if size == 1 and not more else self.people
        return f"{self.occupied} of {size}{more} {members}"

    def with_values(self, values: NumberArray) -> Self:
        return replace(self, values=values)


Table = Counts | GroupSizes


def quantity(table: Table, id: str) -> Quantity:
    """The quantity of `table` called `id`.

    Raises:
        ChoiceError: there is none.
    """
    for found in table.quantities:
        if found.id == id:
            return found
    size = re.fullmatch("size-([0-9]{1,9})", id)
    if size and isinstance(table, GroupSizes) and int(size[1]) < table.n_sizes:
        return table.of_size(int(size[1]))
    known = ", ".join(q.id for q in table.quantities[:6])
    raise ChoiceError(f'No quantity "{id}" in this table; among those it has: {known}.')


def by_region(table: Table, wanted: Quantity) -> NumberArray:
    """The number that `wanted` asks for in every region, shape (n_nodes,)."""
    if table.values.ndim == 1:
        return table.values
    result: NumberArray = table.values @ np.array(wanted.weights, dtype=table.values.dtype)
    return result


def require_exact(table: Table) -> None:
    """Hold that a table can be true: whole, not negative, parents the sums of their children.

    Raises:
        TableError: it cannot, with the first place where it fails.
    """
    values, tree = table.values, table.tree
    if values.dtype != np.int64:
        raise TableError("A table to be protected holds whole numbers; this one holds fractions.")
    if values.size and values.min() < 0:
        node = int(np.argwhere(values < 0)[0][0])
        raise TableError(
            f"Counts are not negative; {_place(table.regions, node)} has {values.min()}."
        )
    for level in range(tree.n_levels - 1):
        nodes = tree.level(level)
        off = np.argwhere(child_sums(tree, values, level) != values[nodes])
        if len(off):
            node = int(off[0][0]) + nodes.start
            raise TableError(
                f"A region is the sum of its parts; {_place(table.regions, node)} is not. "
                "Build the table with from_leaves."
            )


def exact_leaves(regions: Regions, leaf_values: npt.ArrayLike) -> IntArray:
    """`leaf_values` as int64, refused unless whole, not negative and safe to sum.

    Raises:
        TableError: with the first region at fault.
    """
    array = np.asarray(leaf_values)
    n_leaves = regions.tree.n_leaves
    if array.ndim == 0 or len(array) != n_leaves:
        found = array.shape[0] if array.ndim else 0
        raise TableError(
            f"One row for each {regions.levels[-1]} is needed: {n_leaves}; got {found}."
        )
    if array.dtype.kind not in "iuf" and not _all_integers(array):
        raise TableError("Counts must be numbers; these are text or something else.")
    first_leaf = regions.tree.leaves.start

    def refuse(bad: npt.NDArray[np.bool_], rule: str, remedy: str) -> None:
        if bad.any():
            where = tuple(np.argwhere(bad)[0])
            place = _place(regions, first_leaf + int(where[0]))
            raise TableError(f"{rule}; {place} has {array[where]}. {remedy}")

    if array.dtype.kind == "f":
        refuse(~np.isfinite(array), "Counts must be finite numbers", "Fill it in or leave it out.")
        refuse(array != np.floor(array), "Counts must be whole", "Round it before you load it.")
    refuse(array < 0, "Counts are not negative", "Mend the row.")
    refuse(array > LARGEST_TOTAL, f"Counts go up to {LARGEST_TOTAL:,}", "Mend the row.")
    total = int(np.sum(array.astype(np.float64)))
    if total > LARGEST_TOTAL:
        raise TableError(
            f"All counts together go up to {LARGEST_TOTAL:,}; these add up to about {total:,}. "
            "Count in larger units."
        )
    return array.astype(np.int64)


def _all_integers(array: npt.NDArray[np.object_]) -> bool:
    return array.dtype.kind == "O" and all(
        isinstance(v, int) and not isinstance(v, bool) for v in array.flat
    )


def _numbers(values: NumberArray) -> NumberArray:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise TableError(f"A table holds numbers; these are {array.dtype}.")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise TableError("A table holds finite numbers; some here are not.")
    whole = array.dtype.kind in "iu"
    result: FloatArray | IntArray = frozen_array(array, np.int64 if whole else np.float64)
    return result


def _check_shape(regions: Regions, values: NumberArray, shape: tuple[int, ...]) -> None:
    if values.shape != shape:
        raise TableError(
            f"{regions.tree.n_nodes} regions need values of shape {shape}; got {values.shape}."
        )


def _place(regions: Regions, node: int) -> str:
    level = regions.levels[int(regions.tree.level_of[node])]
    return f"{level} {regions.names[node]} ({regions.ids[node]})"
