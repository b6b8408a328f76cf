"""Checks that numbers are possible values of an exact table."""

import numpy as np

from hierdp_core.exceptions import TableError
from hierdp_core.hierarchy import Regions, child_sums
from hierdp_core.tables.base import Table
from hierdp_core.tables.values import place
from hierdp_core.util.arrays import NumberArray


def require_exact(table: Table) -> None:
    """Call `table.require_exact()`."""
    table.require_exact()


def require_whole(values: NumberArray) -> None:
    """Require whole numbers.

    Raises:
        TableError: a number is not whole.
    """
    if values.dtype != np.int64:
        raise TableError(
            "The numbers of an exact table must be whole; those of this table may have fractions. "
            "Use the table that was read or built, not a released one."
        )


def require_sums(regions: Regions, values: NumberArray) -> None:
    """Require non-negative integers in which parents are the sums of their children.

    Args:
        regions: the hierarchy.
        values: shape (n_nodes,) or (n_nodes, n_columns), level order.

    Raises:
        TableError: a number is negative or not whole, or a parent differs from the sum of its
            children. Except for numbers that are not whole, the message names a region at fault.
    """
    require_whole(values)
    tree = regions.tree
    if values.size and values.min() < 0:
        cell = tuple(np.argwhere(values < 0)[0])
        raise TableError(
            f"Counts are not negative; {place(regions, int(cell[0]))} has {values[cell]}. Correct "
            "the count."
        )
    for level in range(tree.n_levels - 1):
        nodes = tree.level(level)
        off = np.argwhere(child_sums(tree, values, level) != values[nodes])
        if len(off):
            node = int(off[0][0]) + nodes.start
            raise TableError(
                "The count of a region must be the sum of those of its sub-areas; that of "
                f"{place(regions, node)} is not. Build the table with from_leaves."
            )
