"""What people look at in tables of flows: the strongest pairs, one place's flows, a matrix.

Everything is added up to the regions of one level first, so that half a million pairs of
leaves become what a picture can hold. True flows are needed: never for publication.
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
        level: its number in the hierarchies.
        origins, destinations: the hierarchies.
        origin, destination: shape (pairs,), regions counted from 0 within the level.
        true, released: shape (pairs,); every pair that has either is there, once.
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
        """Released less true, shape (pairs,)."""
        difference: NumberArray = self.released - self.true
        return difference

    @property
    def spurious(self) -> BoolArray:
        """Pairs that are released although their true count is 0, shape (pairs,)."""
        return np.asarray((self.released > 0) & (self.true == 0))

    @property
    def missed(self) -> BoolArray:
        """Pairs with a true flow that are released as 0 or less, shape (pairs,)."""
        return np.asarray((self.true > 0) & (self.released <= 0))

    def values(self, shown: Shown) -> NumberArray:
        """True, released or error, shape (pairs,)."""
        return {"true": self.true, "released": self.released, "error": self.error}[shown]

    def kept(self, rows: IntArray | BoolArray) -> Self:
        """Some of the pairs, in the order asked for."""
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
        """The pairs whose ends differ."""
        return self.kept(self.origin != self.destination)

    def strongest(self, n: int, shown: Shown) -> Self:
        """The `n` pairs with the largest number shown, whatever its sign, largest first.

        Pairs of which nothing is shown are left out; ties come by origin and destination.
        """
        size = np.abs(self.values(shown))
        order = np.argsort(-size, kind="stable")[: max(0, n)]
        return self.kept(order[size[order] > 0])

    def of(self, origins: BoolArray, destinations: BoolArray, way: Way) -> Self:
        """The pairs that start in some regions, end in some, or either.

        Args:
            origins: shape (regions of the level,), those that count as a start.
            destinations: likewise, those that count as an end.
            way: "from", "to" or "both".
        """
        starts, ends = origins[self.origin], destinations[self.destination]
        return self.kept({"from": starts, "to": ends, "both": starts | ends}[way])

    def frame(self) -> pd.DataFrame:
        """The pairs as a table: origin, destination, true, released, error, by their names."""
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
    """True and released flows between the regions of level number `level`.

    Raises:
        ChoiceError: the tables have not the same regions, or no such level.
    """
    _check_pair(true, released)
    if not 0 <= level < true.tree.n_levels:
        raise ChoiceError(f"The levels are 0 to {true.tree.n_levels - 1}; got {level}.")
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
    """Return the regions of level number `level` that lie in `node`, which is not below it.

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
    """The flows among the busiest regions of a level; the rest is one row and one column.

    Attributes:
        rows, columns: names of origins and destinations, shape (n,); `OTHERS` comes last
            where some regions are not shown.
        true, released: shape (n, n).
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    true: NumberArray
    released: NumberArray

    def values(self, shown: Shown) -> NumberArray:
        """True, released or error, shape (n, n)."""
        error: NumberArray = self.released - self.true
        return {"true": self.true, "released": self.released, "error": error}[shown]

    def frame(self, shown: Shown) -> pd.DataFrame:
        """The matrix as a table, origins down, destinations across."""
        return pd.DataFrame(self.values(shown), index=list(self.rows), columns=list(self.columns))


def matrix(flows: LevelFlows, n: int) -> Matrix:
    """The `n` regions of the level with the most true departures and arrivals, in level order."""
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
    """False positives and false negatives on every level of the tree, from the root down.

    Columns: `level`; `pairs`, with a true flow; `released`, with a released flow;
    `false_positives`, released although the true count is 0, with `false_positive_trips`, their
    released trips; `false_negatives`, released as 0 or less although the true count is above 0,
    with `false_negative_trips`, their true trips; `moved`, trips counted for another pair than
    their own (half of the absolute error of all pairs); `total`, true trips.
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
    """The keys of two sides together, ascending, and the values of each, 0 where it has none."""
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
            "The release is of another table. Compare it with the table it came from."
        )
