"""Checks that numbers are possible values of an exact table."""

import numpy as np

from hierdp_core.exceptions import TableError
from hierdp_core.hierarchy import Regions, child_sums
from hierdp_core.tables.base import Table
from hierdp_core.tables.values import cell_and_value
from hierdp_core.util.arrays import NumberArray


def require_exact(table: Table) -> None:
    """Call `table.require_exact()`."""
    table.require_exact()


def require_whole(values: NumberArray) -> None:
    """Require numbers of type int64.

    Raises:
        TableError: they are of another type.
    """
    if values.dtype != np.int64:
        raise TableError(
            "The numbers of an exact table must be whole; those of this table are of type "
            f"{values.dtype}, which may have fractions. Use the table that was "
            "read or built, not a released one."
        )


def require_sums(regions: Regions, values: NumberArray) -> None:
    """Require non-negative integers in which parents are the sums of their children.

    Args:
        regions: the hierarchy.
        values: shape (n_nodes,) or (n_nodes, n_columns), level order.

    Raises:
        TableError: the numbers are not of type int64, one is negative, or a parent differs from
            the sum of its children. For the last two, the message names the region, and the size
            in a table of group sizes.
    """
    require_whole(values)
    tree = regions.tree
    if values.size and values.min() < 0:
        cell = tuple(np.argwhere(values < 0)[0].tolist())
        raise TableError(
            f"Counts must not be negative; {cell_and_value(regions, cell, values[cell])}. "
            "Correct the count, or use the table that was read or built, not a released one."
        )
    for level in range(tree.n_levels - 1):
        nodes = tree.level(level)
        off = np.argwhere(child_sums(tree, values, level) != values[nodes])
        if len(off):
            node, *column = off[0].tolist()
            cell = (node + nodes.start, *column)
            sums = child_sums(tree, values, level)[tuple(off[0])]
            raise TableError(
                "The count of an area must be the sum of the counts of its sub-areas; "
                f"{cell_and_value(regions, cell, values[cell])}, and the sum is {sums}. Build the "
                "table with from_leaves."
            )
