"""What a table holds, in a few numbers a level."""

from typing import Any

import numpy as np

from hierdp_core.tables import Table


def summary(table: Table) -> dict[str, Any]:
    """Levels, regions, the total, the largest region and the zeros, of the table's first quantity.

    These are true values: for whoever holds the data.
    """
    quantity = table.quantities[0]
    regions = table.regions
    values = table.by_region(quantity)
    levels = []
    for level, name in enumerate(regions.levels):
        nodes = regions.tree.level(level)
        own = values[nodes]
        largest = int(np.argmax(own))
        levels.append(
            {
                "level": name,
                "regions": len(own),
                "largest": regions.names[nodes.start + largest],
                "value": int(own[largest]),
                "zeros": int((own == 0).sum()),
            }
        )
    return {
        "kind": table.kind,
        "quantity": quantity.title,
        "total": int(values[0]),
        "levels": levels,
    }
