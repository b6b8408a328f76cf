"""Areas of a level in classes by true count, so that errors of small areas are shown separately."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from hierdp_core.evaluation.errors import region_numbers
from hierdp_core.evaluation.size_classes import CLASSES, ZERO, size_classes
from hierdp_core.simulation import Simulation
from hierdp_core.tables import Quantity, Table
from hierdp_core.util.arrays import IntArray

_FEWEST = 2 * CLASSES  # areas of a level; with fewer, a class could be a single area


@dataclass(frozen=True, eq=False, kw_only=True)
class SizeClasses:
    """The areas of each level in classes of `size_classes`.

    Attributes:
        table: the exact table.
        quantity: the quantity by whose true count areas are classified.
        levels: the levels with enough areas whose true count is above 0.
        of: for each of `levels`, the class of each of its areas.
        nodes: for each of `levels`, the nodes of these areas. Copies that pad short branches are
            left out.
    """

    table: Table
    quantity: Quantity
    levels: tuple[int, ...]
    of: tuple[IntArray, ...]
    nodes: tuple[IntArray, ...]

    @classmethod
    def for_table(cls, table: Table, quantity: Quantity | None = None) -> Self:
        """Return classes by `quantity`, by default the table's first (for flows, departures)."""
        counted_quantity = quantity or table.quantities[0]
        true = table.by_region(counted_quantity)
        regions = table.regions_of(counted_quantity)
        tree = regions.tree
        levels, classes, places = [], [], []
        for level in range(tree.n_levels):
            nodes = np.arange(tree.n_nodes)[tree.level(level)]
            nodes = nodes[~regions.padded[nodes]]
            if (true[nodes] > 0).sum() < _FEWEST:
                continue
            levels.append(level)
            classes.append(size_classes(true[nodes]))
            places.append(nodes)
        return cls(
            table=table,
            quantity=counted_quantity,
            levels=tuple(levels),
            of=tuple(classes),
            nodes=tuple(places),
        )

    def errors(self, simulation: Simulation) -> pd.DataFrame:
        """Return the errors of one simulation, one row per level and class.

        Columns: `level`, `size_class`, `places` (the number of areas), and `smallest` and
        `largest` (true counts). Then `bias` (the mean of released minus true) and `mean_abs`, both
        in the quantity's unit, and `mean_rel`, a proportion (NaN for true counts of 0).
        """
        if not self.levels:
            return pd.DataFrame(columns=["level", "size_class"])
        numbers = region_numbers(self.table, simulation, self.quantity.id)
        columns = np.column_stack(
            [numbers[name] for name in ("true", "error", "abs_error", "rel_error")]
        )
        names = self.table.regions_of(self.quantity).levels
        rows = []
        for level, classes, nodes in zip(self.levels, self.of, self.nodes, strict=True):
            for number in np.unique(classes):
                true, error, size, relative = columns[nodes[classes == number]].T
                rows.append(
                    {
                        "level": names[level],
                        "size_class": int(number),
                        "places": len(true),
                        "smallest": float(true.min()),
                        "largest": float(true.max()),
                        "bias": float(error.mean()),
                        "mean_abs": float(size.mean()),
                        "mean_rel": float(relative.mean()) if number != ZERO else np.nan,
                    }
                )
        return pd.DataFrame(rows)
