"""Views of tables of flows: the largest flows, the flows of one region, a matrix.

Flows are first added up to the regions of one level, so that a figure can show half a million pairs
of leaves. The views contain true flows and are not for publication.
"""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import pandas as pd

from hierdp_core.evaluation.flow_errors import levels_of
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.tables import Flows
from hierdp_core.tables.flow_tree import FlowTree
from hierdp_core.tables.flows import merged_keys
from hierdp_core.util.arrays import BoolArray, IntArray, NumberArray

Shown = Literal["true", "released", "error"]
Way = Literal["from", "to", "both"]
OTHERS = "all others"


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelFlows:
    """True and released flows between the regions of one level.

    Attributes:
        level: the number of the level in the hierarchies.
        origins, destinations: the hierarchies.
        origin, destination: shape (pairs,), regions counted from 0 within the level.
        true, released: shape (pairs,); every pair with a true or a released flow occurs once.
    """

    level: int
    origins: Regions
    destinations: Regions
    origin: IntArray
    destination: IntArray
    true: NumberArray
    released: NumberArray

    def __len__(self) -> int:
        return len(self.origin)

    @property
    def error(self) -> NumberArray:
        """Released minus true, shape (pairs,)."""
        difference: NumberArray = self.released - self.true
        return difference

    @property
    def spurious(self) -> BoolArray:
        """Whether each pair is a false positive: released above 0, true count 0; shape (pairs,)."""
        return np.asarray((self.released > 0) & (self.true == 0))

    @property
    def missed(self) -> BoolArray:
        """Whether each pair is a false negative: true count above 0, released as 0 or less."""
        return np.asarray((self.true > 0) & (self.released <= 0))

    def values(self, shown: Shown) -> NumberArray:
        """Return the true numbers, the released ones or the errors, shape (pairs,)."""
        return {"true": self.true, "released": self.released, "error": self.error}[shown]

    def kept(self, rows: IntArray | BoolArray) -> Self:
        """Return the pairs of some rows, in their order."""
        return type(self)(
            level=self.level,
            origins=self.origins,
            destinations=self.destinations,
            origin=self.origin[rows],
            destination=self.destination[rows],
            true=self.true[rows],
            released=self.released[rows],
        )

    def between(self) -> Self:
        """Return the pairs whose ends differ."""
        return self.kept(self.origin != self.destination)

    def within(self) -> Self:
        """Return the pairs whose ends are the same."""
        return self.kept(self.origin == self.destination)

    def strongest(self, n: int, shown: Shown) -> Self:
        """Return the `n` pairs with the largest absolute value of `shown`, largest first.

        Pairs with a value of 0 are left out. Ties are ordered by origin and destination.
        """
        size = np.abs(self.values(shown))
        order = np.argsort(-size, kind="stable")[: max(0, n)]
        return self.kept(order[size[order] > 0])

    def of(self, origins: BoolArray, destinations: BoolArray, way: Way) -> Self:
        """Return the pairs that start in some regions, end in some regions, or do either.

        Args:
            origins: shape (regions of the level,), which regions count as a start.
            destinations: shape (regions of the level,), which regions count as an end.
            way: "from", "to" or "both".
        """
        starts, ends = origins[self.origin], destinations[self.destination]
        return self.kept({"from": starts, "to": ends, "both": starts | ends}[way])

    def frame(self) -> pd.DataFrame:
        """Return the pairs as a table: names of origin and destination, true, released, error."""
        origins, destinations = (
            np.array(regions.names[regions.tree.level(self.level)], dtype=object)
            for regions in (self.origins, self.destinations)
        )
        return pd.DataFrame(
            {
                "origin": origins[self.origin],
                "destination": destinations[self.destination],
                "true": self.true,
                "released": self.released,
                "error": self.error,
            }
        )


def at_level(true: Flows, released: Flows, level: int) -> LevelFlows:
    """Return true and released flows between the regions of level number `level`.

    Raises:
        ChoiceError: the tables do not have the same regions, or have no such level.
    """
    _check_pair(true, released)
    if not 0 <= level < true.tree.n_levels:
        raise ChoiceError(
            f"There is no level {level}. Choose a level from 0 to {true.tree.n_levels - 1}."
        )
    width = int(true.destinations.tree.level_sizes[level])
    true_flows, released_flows = true.at(level), released.at(level)
    keys, both = _aligned(
        (true_flows.origin * width + true_flows.destination, true_flows.values),
        (released_flows.origin * width + released_flows.destination, released_flows.values),
    )
    origin = keys // width
    return LevelFlows(
        level=level,
        origins=true.origins,
        destinations=true.destinations,
        origin=origin,
        destination=keys - origin * width,
        true=both[0],
        released=both[1],
    )


def inside(regions: Regions, node: int, level: int) -> BoolArray:
    """Return a mask of the regions of level number `level` in `node`, a node not below it.

    Returns:
        shape (regions of the level,).
    """
    tree = regions.tree
    within = np.arange(tree.level_sizes[tree.level_of[node]]) == (
        node - tree.level(int(tree.level_of[node])).start
    )
    for k in range(int(tree.level_of[node]) + 1, level + 1):
        above = tree.parent[tree.level(k)] - tree.level(k - 1).start
        within = within[above]
    return np.asarray(within)


@dataclass(frozen=True, eq=False, kw_only=True)
class Matrix:
    """The flows among the regions with most flows; all others share one row and one column.

    Attributes:
        rows, columns: names of origins and destinations, shape (n,); `OTHERS` is last if some
            regions are not shown.
        true, released: shape (n, n).
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    true: NumberArray
    released: NumberArray

    def values(self, shown: Shown) -> NumberArray:
        """Return the true numbers, the released ones or the errors, shape (n, n)."""
        error: NumberArray = self.released - self.true
        return {"true": self.true, "released": self.released, "error": error}[shown]

    def frame(self, shown: Shown) -> pd.DataFrame:
        """Return the matrix as a table with origins as rows and destinations as columns."""
        return pd.DataFrame(self.values(shown), index=list(self.rows), columns=list(self.columns))


def matrix(flows: LevelFlows, n: int) -> Matrix:
    """Return the matrix of the `n` regions with most true flows, in level order.

    If origins and destinations are one hierarchy, departures and arrivals are added. Otherwise the
    rows are the origins with most departures, and the columns the destinations with most arrivals.
    """
    sides = []
    for regions, ends in ((flows.origins, flows.origin), (flows.destinations, flows.destination)):
        size = int(regions.tree.level_sizes[flows.level])
        sides.append((regions, ends, size, np.bincount(ends, flows.true, minlength=size)))
    if flows.origins is flows.destinations:
        busy = sides[0][3] + sides[1][3]
        sides = [(regions, ends, size, busy) for regions, ends, size, _ in sides]
    named, at = [], []
    for regions, ends, size, busy in sides:
        chosen = np.sort(np.argsort(-busy, kind="stable")[:n])
        place = np.full(size, len(chosen))
        place[chosen] = np.arange(len(chosen))
        names = np.array(regions.names[regions.tree.level(flows.level)], dtype=object)[chosen]
        named.append((*names, *([OTHERS] if len(chosen) < size else [])))
        at.append(place[ends])
    shape = len(named[0]), len(named[1])
    cells = at[0] * shape[1] + at[1]
    true, released = (_summed(cells, values, shape) for values in (flows.true, flows.released))
    return Matrix(rows=named[0], columns=named[1], true=true, released=released)


def false_flows(true: Flows, released: Flows, tree: FlowTree) -> pd.DataFrame:
    """Return false positives and false negatives on every level of the tree, from the root down.

    The columns are:

    - `level`: the name of the level.
    - `pairs` and `released`: the numbers of pairs with a true flow, and with a released flow.
    - `false_positives` and `false_positive_trips`: the number of pairs released above 0 although
      the true count is 0, and their released trips.
    - `false_negatives` and `false_negative_trips`: the number of pairs released as 0 or less
      although the true count is above 0, and their true trips.
    - `moved`: half of the sum of absolute errors. If the total is kept, this is the number of trips
      that the release moves from one pair to another.
    - `total`: the number of true trips.

    Raises:
        ChoiceError: the two tables do not have the same regions.
    """
    _check_pair(true, released)
    levels = zip(levels_of(tree, true.pairs), levels_of(tree, released.pairs), strict=True)
    rows = []
    for name, (true_flows, released_flows) in zip(tree.levels, levels, strict=True):
        _, (true_pairs, released_pairs) = _aligned(true_flows, released_flows)
        rows.append({"level": name, **_counted(true_pairs, released_pairs)})
    return pd.DataFrame(rows)


def _counted(true_pairs: NumberArray, released_pairs: NumberArray) -> dict[str, float]:
    spurious, missed = (
        (released_pairs > 0) & (true_pairs == 0),
        (true_pairs > 0) & (released_pairs <= 0),
    )
    return {
        "pairs": int(np.count_nonzero(true_pairs)),
        "released": int(np.count_nonzero(released_pairs > 0)),
        "false_positives": int(np.count_nonzero(spurious)),
        "false_positive_trips": float(released_pairs[spurious].sum()),
        "false_negatives": int(np.count_nonzero(missed)),
        "false_negative_trips": float(true_pairs[missed].sum()),
        "moved": float(np.abs(released_pairs - true_pairs).sum() / 2),
        "total": float(true_pairs.sum()),
    }


def _aligned(
    *sides: tuple[IntArray, NumberArray],
) -> tuple[IntArray, list[NumberArray]]:
    """Return all keys of two sides, ascending, and the values of each side, 0 at missing keys."""
    keys = merged_keys(sides[0][0], sides[1][0])
    spread: list[NumberArray] = []
    for own, values in sides:
        wide: NumberArray = np.zeros(len(keys), dtype=np.float64)
        if values.dtype == np.int64:
            wide = np.zeros(len(keys), dtype=np.int64)
        wide[np.searchsorted(keys, own)] = values
        spread.append(wide)
    return keys, spread


def _summed(cells: IntArray, values: NumberArray, shape: tuple[int, int]) -> NumberArray:
    sums = np.asarray(np.bincount(cells, values, minlength=shape[0] * shape[1]).reshape(shape))
    return sums.astype(np.int64) if values.dtype == np.int64 else sums


def _check_pair(true: Flows, released: Flows) -> None:
    same = (
        true.origins.tree is released.origins.tree
        and true.destinations.tree is released.destinations.tree
    )
    if not same:
        raise ChoiceError(
            "The simulation is of another table. Compare it with the table that it was made from."
        )
