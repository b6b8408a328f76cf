"""Whether a table can be true."""

import numpy as np

from hierdp_core.exceptions import TableError
from hierdp_core.hierarchy import child_sums
from hierdp_core.tables.flows import Flows
from hierdp_core.tables.quantities import Table
from hierdp_core.tables.values import place


def require_exact(table: Table) -> None:
    """Hold that a table can be true: whole, not negative, parents the sums of their children.

    Raises:
        TableError: it cannot, with the first place where it fails.
    """
    values, tree = table.values, table.tree
    if values.dtype != np.int64:
        raise TableError("A table to be protected holds whole numbers; this one holds fractions.")
    if isinstance(table, Flows):
        if (values < 0).any():
            worst = int(np.argmin(values))
            raise TableError(f"Flows are not negative; {table.pair(worst)} has {values[worst]}.")
        return
    if values.size and values.min() < 0:
        node = int(np.argwhere(values < 0)[0][0])
        raise TableError(
            f"Counts are not negative; {place(table.regions, node)} has {values.min()}."
        )
    for level in range(tree.n_levels - 1):
        nodes = tree.level(level)
        off = np.argwhere(child_sums(tree, values, level) != values[nodes])
        if len(off):
            node = int(off[0][0]) + nodes.start
            raise TableError(
                f"A region is the sum of its parts; {place(table.regions, node)} is not. "
                "Build the table with from_leaves."
            )
