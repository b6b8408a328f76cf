"""Flows: numbers of records that go from one leaf to another.

Origins and destinations each have a hierarchy, with the same number of levels; it may be the same
hierarchy. Only pairs with a flow are stored: for example, half a million of 65 million pairs of
municipalities.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.hierarchy import Hierarchy, Regions, leaf_ancestors, sum_up
from hierdp_core.tables.domain import Domain, Fact, Quantity
from hierdp_core.tables.frames import flows_frame
from hierdp_core.tables.quantities import quantity_named
from hierdp_core.tables.validity import require_whole
from hierdp_core.tables.values import LARGEST_TOTAL, finite_numbers
from hierdp_core.util.arrays import IntArray, NumberArray, frozen_array
from hierdp_core.util.late import late
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import a, counted

if TYPE_CHECKING:
    import pandas as pd

DEPARTURES, ARRIVALS, WITHIN = "departures", "arrivals", "within"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Pairs(Shown):
    """Numbers for some pairs of places, each pair once, sorted by origin and destination.

    Attributes:
        origin: shape (pairs,), places counted from 0 within their level.
        destination: shape (pairs,), places counted from 0 within their level.
        values: shape (pairs,); int64, or float64 in releases of a mechanism that does not round to
            integers.

    Raises:
        TableError: the arrays do not belong together, or are not sorted.
    """

    origin: IntArray
    destination: IntArray
    values: NumberArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", frozen_array(self.origin, np.int64))
        object.__setattr__(self, "destination", frozen_array(self.destination, np.int64))
        object.__setattr__(self, "values", finite_numbers(self.values))
        if not (self.origin.shape == self.destination.shape == self.values.shape):
            raise TableError(
                "Every flow needs an origin, a destination and a number; got arrays of shape "
                f"{self.origin.shape}, {self.destination.shape} and {self.values.shape}. Give "
                "three arrays of the same length."
            )
        step = np.diff(self.origin)
        if ((step < 0) | ((step == 0) & (np.diff(self.destination) <= 0))).any():
            raise TableError(
                "Pairs must be unique and sorted by origin, then by destination. Use Pairs.summed "
                "for pairs in any order."
            )

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def summed(cls, origin: IntArray, destination: IntArray, values: NumberArray) -> Self:
        """Return pairs from any order; repeated pairs are added up and zeros are left out."""
        width = int(destination.max(initial=0)) + 1
        return cls.of_keys(*sums_by_key(origin * width + destination, values), width)

    @classmethod
    def of_keys(cls, keys: IntArray, values: NumberArray, width: int) -> Self:
        """Return pairs from ascending keys, origin × width + destination, without zeros."""
        is_flow = values != 0
        if not is_flow.all():
            keys, values = keys[is_flow], values[is_flow]
        origin = keys // width
        return cls(origin=origin, destination=keys - origin * width, values=values)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Flows(Shown):
    """The flows between pairs of leaves.

    Attributes:
        origins: the hierarchy of the areas that flows leave, with its names.
        destinations: the hierarchy of the areas that flows reach, with as many levels.
        pairs: the flows between leaves, which are counted from 0 on the last level.
        unit: the noun for what is counted, plural.
        person: the noun for one record, singular.
        merged: the number of rows that repeated a pair and were added to it.
        taken_from_data: the facts that were taken from the records, and so are not public.

    Raises:
        TableError: the hierarchies differ in depth, or an end lies outside its hierarchy.
    """

    kind: ClassVar[str] = "flows"
    kind_words: ClassVar[str] = "flows"
    has_groups: ClassVar[bool] = False
    between_regions: ClassVar[bool] = True

    origins: Regions
    destinations: Regions
    pairs: Pairs
    unit: str = "trips"
    person: str = "person"
    merged: int = 0
    taken_from_data: tuple[Fact, ...] = ()

    def __post_init__(self) -> None:
        depths = self.origins.tree.n_levels, self.destinations.tree.n_levels
        if depths[0] != depths[1]:
            raise TableError(
                "Origins and destinations need the same number of levels; here they have "
                f"{depths[0]} ({', '.join(self.origins.levels)}) and "
                f"{depths[1]} ({', '.join(self.destinations.levels)}). Leave out a level, or add "
                "one."
            )
        _within(self.origins, self.origin, "origin")
        _within(self.destinations, self.destination, "destination")

    @classmethod
    def from_pairs(
        cls,
        origins: Regions,
        destinations: Regions,
        origin: npt.ArrayLike,
        destination: npt.ArrayLike,
        trips: npt.ArrayLike,
        *,
        unit: str = "trips",
        person: str = "person",
        taken_from_data: Collection[Fact] = (),
    ) -> Self:
        """Return an exact table from rows in any order.

        Args:
            origins: the hierarchy of the origins.
            destinations: the hierarchy of the destinations, which may be the same.
            origin: shape (rows,), where each row starts: the ids of leaves as text, or their
                positions on the last level, counted from 0.
            destination: shape (rows,), where each row ends, in the same form.
            trips: shape (rows,), whole numbers, at least 0. Rows with the same pair are added up,
                and `merged` is the number of rows that repeat a pair. Zeros are left out.
            unit: the noun for what is counted, plural.
            person: the noun for one record, singular.
            taken_from_data: which facts about the regions were taken from the records. All others
                are treated as public.

        Raises:
            TableError: an end lies outside its hierarchy, a number is negative, fractional or
                too large, the hierarchies differ in depth, or the three arrays in length.
        """
        ends = (
            leaf_places(origins, origin, "origin"),
            leaf_places(destinations, destination, "destination"),
        )
        values = _whole_flows(trips)
        if not len(ends[0]) == len(ends[1]) == len(values):
            raise TableError(
                f"Every flow needs an origin, a destination and a number; got "
                f"{counted(len(ends[0]), 'origin')}, {counted(len(ends[1]), 'destination')} and "
                f"{counted(len(values), 'number')}. Give three columns of the same length."
            )
        width = destinations.tree.n_leaves
        keys, sums = sums_by_key(ends[0] * width + ends[1], values)
        return cls(
            origins=origins,
            destinations=destinations,
            pairs=Pairs.of_keys(keys, sums, width),
            unit=unit,
            person=person,
            merged=len(values) - len(keys),
            taken_from_data=Fact.ordered(taken_from_data),
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        origin: str | Sequence[str],
        destination: str | Sequence[str],
        count: str | None = None,
        regions: Any = None,
        add_up: bool = False,
        within: bool = False,
        unit: str = "trips",
        person: str = "person",
    ) -> Self:
        """Return an exact table from a data frame of pandas, Polars or PyArrow.

            hdp.Flows.from_frame(df, origin=["from_state", "from_county"],
                                 destination=["to_state", "to_county"], count="commuters")

        Origins and destinations lie in one hierarchy, whose levels are named after the columns of
        the origin.

        Args:
            frame: one row per pair of regions of the last level; without `count`, one row per trip.
            origin: the columns with the codes of the origin, from the top level down.
            destination: as many columns with the codes of the destination.
            count: the column of whole numbers, at least 0.
            regions: a data frame with the columns `origin` that lists all regions and was not made
                from the records; as in `Counts.from_frame`.
            add_up: whether several rows of one pair are added up. Otherwise they are an error.
            within: whether a code is unique only within the region above.
            unit: the noun for what is counted, plural.
            person: the noun for one record, singular.

        Raises:
            TableError: a count or a code cannot be used; the message names row and column.
            ChoiceError: `frame` is not a data frame, or lacks a column.
        """
        ends = [1 if isinstance(end, str) else len(end) for end in (origin, destination)]
        if ends[0] != ends[1]:
            raise ChoiceError(
                f"origin has {counted(ends[0], 'column')}, and destination has {ends[1]:,}. Name "
                "as many for both, from the top level down."
            )
        layout = {
            "kind": cls.kind,
            "row": "trip" if count is None else "pair",
            "levels": origin,
            "destinations": destination,
            "count": count or "",
            "add_up": add_up,
            "within": within,
            "unit": unit,
            "person": person,
        }
        table: Self = late("readers.frames", "table_of")(frame, layout, regions=regions)
        return table

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per pair of leaves with a flow, sorted by origin and destination.

        Columns: `origin`, `origin_name`, `destination`, `destination_name` (ids and names on the
        last level) and `count`, in `unit`. `DataFrame.attrs` repeats this.
        """
        return flows_frame(self)

    @property
    def origin(self) -> IntArray:
        """Where each flow starts, shape (pairs,): leaves counted from 0 on the last level."""
        return self.pairs.origin

    @property
    def destination(self) -> IntArray:
        """Where each flow ends, shape (pairs,)."""
        return self.pairs.destination

    @property
    def values(self) -> NumberArray:
        """The flows, shape (pairs,), in `unit`, sorted by origin and destination."""
        return self.pairs.values

    @property
    def regions(self) -> Regions:
        """The origins, which a map shows for every quantity except arrivals."""
        return self.origins

    @property
    def tree(self) -> Hierarchy:
        return self.origins.tree

    @property
    def total(self) -> int:
        return int(self.values.sum())

    @property
    def content(self) -> Pairs:
        """The numbers that a mechanism measures: `pairs`."""
        return self.pairs

    @property
    def domain(self) -> Domain:
        return Domain(
            kind=self.kind,
            regions=self.origins,
            n_columns=1,
            person=self.person,
            destinations=self.destinations,
            taken_from_data=self.taken_from_data,
        )

    @property
    def domain_by_region(self) -> Domain:
        return self.domain

    @property
    def domain_with_total(self) -> Domain:
        return replace(self.domain, total=self.total)

    @property
    def labels(self) -> dict[str, str | bool]:
        return {"unit": self.unit, "person": self.person}

    @property
    def published_facts(self) -> dict[str, bool]:
        return {}

    @property
    def sizes(self) -> range:
        return range(0)

    @cached_property
    def same_places(self) -> bool:
        """Whether origins and destinations are the same regions."""
        one, other = self.origins, self.destinations
        return one is other or (
            one.ids == other.ids and np.array_equal(one.tree.parent, other.tree.parent)
        )

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Departures, arrivals and, if both ends have the same regions, flows within a region."""
        quantities = (
            Quantity(id=DEPARTURES, title=f"{self.unit} in flows from the area", weights=()),
            Quantity(id=ARRIVALS, title=f"{self.unit} in flows to the area", weights=()),
        )
        if not self.same_places:
            return quantities
        within = Quantity(
            id=WITHIN, title=f"{self.unit} in flows within the area", weights=(), additive=False
        )
        return (*quantities, within)

    def quantity(self, id: str) -> Quantity:
        return quantity_named(id, self.quantities)

    def regions_of(self, quantity: Quantity) -> Regions:
        return self.destinations if quantity.id == ARRIVALS else self.origins

    def by_region(self, quantity: Quantity | str) -> NumberArray:
        """Return the departures, the arrivals or the flows within each region, in level order."""
        selected = self.quantity(quantity) if isinstance(quantity, str) else quantity
        if selected.id == WITHIN:
            tree, levels = self.tree, []
            for k in range(tree.n_levels):
                under = leaf_ancestors(tree, k)[self.origin]
                inside = under == leaf_ancestors(tree, k)[self.destination]
                levels.append(_totals(under[inside], self.values[inside], tree.level_sizes[k]))
            stacked: IntArray = np.concatenate(levels)
            return stacked
        ends = self.destination if selected.id == ARRIVALS else self.origin
        tree = self.regions_of(selected).tree
        sums: NumberArray = sum_up(tree, _totals(ends, self.values, tree.n_leaves))
        return sums

    def at(self, level: int) -> Pairs:
        """Return the flows between the regions of level number `level`, counted from 0 on it.

        Raises:
            HierarchyError: there is no such level.
        """
        if level == self.tree.n_levels - 1:
            return self.pairs
        origin = leaf_ancestors(self.origins.tree, level)[self.origin]
        destination = leaf_ancestors(self.destinations.tree, level)[self.destination]
        return Pairs.summed(origin, destination, self.values)

    def pair(self, row: int) -> str:
        """Return a row of `pairs` in words: "Roma (058091) → Fiumicino (058120)"."""
        return " → ".join(
            _leaf(regions, int(ends[row]))
            for regions, ends in (
                (self.origins, self.origin),
                (self.destinations, self.destination),
            )
        )

    @property
    def counted(self) -> str:
        return f"{self.unit} between each pair of areas"

    def column_title(self, column: int) -> str:
        return self.quantities[0].title

    def cell_title(self, *place: int) -> str:
        ends = zip((self.origins, self.destinations), place, strict=True)
        names = [regions.names[regions.tree.leaves.start + end] for regions, end in ends]
        origin, destination = names
        return f"{self.unit} from {origin} to {destination}"

    def leaf_changes(self, other: Self) -> NumberArray:
        width = self.destinations.tree.n_leaves
        keys = [table.origin * width + table.destination for table in (self, other)]
        _, changes = sums_by_key(np.concatenate(keys), np.concatenate([-self.values, other.values]))
        return changes

    def same_columns(self, other: Self) -> tuple[Self, Self]:
        return self, other

    def upper_levels(self, n_levels: int) -> Self:
        one = self.origins.upper_levels(n_levels)
        same = self.destinations is self.origins
        return replace(
            self,
            origins=one,
            destinations=one if same else self.destinations.upper_levels(n_levels),
            pairs=self.at(n_levels - 1),
        )

    def require_exact(self) -> None:
        require_whole(self.values)
        if (self.values < 0).any():
            worst = int(np.argmin(self.values))
            raise TableError(
                f"Flows must not be negative; {self.pair(worst)} has {self.values[worst]}. Correct "
                "the flow, or use the table that was read or built, not a released one."
            )

    def with_values(self, values: Pairs) -> Self:
        return replace(self, pairs=values, merged=0)

    def with_regions(self, regions: Regions) -> Self:
        """Return the same flows over other regions.

        If origins and destinations differ, only the origins are replaced.
        """
        ends = regions if self.same_places else self.destinations
        return replace(self, origins=regions, destinations=ends)

    def with_facts(
        self, taken_from_data: Collection[Fact], *, empty_groups: bool | None = None
    ) -> Self:
        return replace(self, taken_from_data=Fact.ordered(taken_from_data))

    def leaf_arrays(self) -> dict[str, NumberArray]:
        pairs = self.pairs
        return {
            "origin": pairs.origin, "destination": pairs.destination, "values": pairs.values
        }  # fmt: skip

    @classmethod
    def from_leaf_arrays(
        cls,
        regions: Regions,
        arrays: Mapping[str, NumberArray],
        *,
        taken_from_data: Collection[Fact] = (),
        **labels: Any,
    ) -> Self:
        """Return an exact table over one hierarchy, that of origins and of destinations."""
        return cls.from_pairs(
            regions,
            regions,
            arrays["origin"],
            arrays["destination"],
            arrays["values"],
            taken_from_data=taken_from_data,
            **labels,
        )

    def blank(self) -> Self:
        """Return the same regions and labels without pairs, and so nothing from the records.

        `merged` counts rows of the file, so it is 0 here.
        """
        none = np.zeros(0, dtype=np.int64)
        return replace(self, pairs=Pairs(origin=none, destination=none, values=none), merged=0)


def sums_by_key(keys: IntArray, values: npt.NDArray[Any]) -> tuple[IntArray, npt.NDArray[Any]]:
    """Return the distinct keys, ascending, and the sum of the values of each."""
    if len(keys) and (np.diff(keys) < 0).any():
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    if len(starts) == len(keys):
        return keys, values
    sums: npt.NDArray[Any] = np.add.reduceat(values, starts)
    return keys[starts], sums


def merged_keys(one: IntArray, other: IntArray) -> IntArray:
    """Return the distinct keys of two ascending lists, ascending."""
    # A stable sort merges two ascending runs; np.union1d would hash them, ten times as slowly.
    keys: IntArray = np.sort(np.concatenate([one, other]), kind="stable")
    merged: IntArray = keys[np.diff(keys, prepend=keys[:1] - 1) != 0]
    return merged


def leaf_places(regions: Regions, ends: npt.ArrayLike, what: str) -> IntArray:
    """Return the places of leaves given by id or by place, counted from 0 on the last level.

    Raises:
        TableError: a place lies outside the hierarchy, or an entry is of the wrong type.
    """
    array = np.asarray(ends)
    if array.ndim != 1:
        raise TableError(
            f"Each {what} is one code or one position; got shape {array.shape}. Give a single "
            "column."
        )
    if array.dtype.kind in "iu":
        places = array.astype(np.int64)
        _within(regions, places, what)
        return places
    if array.dtype.kind not in "UO" or not all(isinstance(end, str) for end in array):
        if not len(array):
            return np.zeros(0, dtype=np.int64)
        raise TableError(
            f"Each {what} is a code as text, or a position as a whole number; these are of type "
            f"{array.dtype}. Convert them with astype(str), or to integers."
        )
    position = {id: k for k, id in enumerate(regions.ids[regions.tree.leaves])}
    positions = np.array([position.get(end, -1) for end in array], dtype=np.int64)
    if len(positions) and positions.min() < 0:
        row = int(np.argmax(positions < 0))
        raise TableError(
            f'The {what} "{array[row]}" of flow {row + 1:,} is not {a(regions.levels[-1])} of the '
            "hierarchy. Correct the code, or add the area to the hierarchy."
        )
    return positions


def _within(regions: Regions, places: IntArray, what: str) -> None:
    outside = (places < 0) | (places >= regions.tree.n_leaves)
    if outside.any():
        row = int(np.argmax(outside))
        raise TableError(
            f"The {what} of flow {row + 1:,} is at position {places[row]}; the last level of the "
            f"hierarchy, {regions.levels[-1]}, has positions 0 to {regions.tree.n_leaves - 1:,}. "
            "Correct the position."
        )


def _whole_flows(trips: npt.ArrayLike) -> IntArray:
    array = np.asarray(trips)
    if array.ndim != 1:
        raise TableError(f"Each flow is one number; got shape {array.shape}. Give a single column.")
    if array.dtype.kind not in "iuf":
        if not len(array):
            return np.zeros(0, dtype=np.int64)
        raise TableError(
            f"Flows must be numbers; these are of type {array.dtype}. Convert them to integers, "
            'for example with astype("int64").'
        )

    def refuse(bad: npt.NDArray[np.bool_], rule: str, remedy: str) -> None:
        if bad.any():
            row = int(np.argmax(bad))
            raise TableError(f"{rule}; flow {row + 1:,} has {array[row]}. {remedy}")

    if array.dtype.kind == "f":
        refuse(
            ~np.isfinite(array),
            "Flows must be finite numbers",
            "Give the number, or leave out the flow.",
        )
        refuse(array != np.floor(array), "Flows must be whole numbers", "Round the flow.")
    refuse(array < 0, "Flows must not be negative", "Correct the flow.")
    refuse(array > LARGEST_TOTAL, f"Flows go up to {LARGEST_TOTAL:,}", "Correct the flow.")
    total = int(np.sum(array.astype(np.float64)))
    if total > LARGEST_TOTAL:
        raise TableError(
            f"All flows together go up to {LARGEST_TOTAL:,}; these add up to about {total:,}. "
            "Count in larger units."
        )
    return array.astype(np.int64)


def _totals(places: IntArray, values: NumberArray, n: int) -> NumberArray:
    # In floats, exact up to 2^53, far above LARGEST_TOTAL.
    sums = np.bincount(places, weights=values, minlength=int(n))
    return sums.astype(np.int64) if values.dtype == np.int64 else sums


def _leaf(regions: Regions, place: int) -> str:
    node = regions.tree.leaves.start + place
    return f"{regions.names[node]} ({regions.ids[node]})"
