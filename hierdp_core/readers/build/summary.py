"""A summary of a table: a few numbers for each level."""

from typing import Any

import numpy as np

from hierdp_core.tables import Table


def counted_in_areas(table: Table) -> str:
    """Return what the count of a region counts; empty if it is the quantity of the table.

    The count of a region in a table of flows is that of the trips that start there.
    """
    title = table.quantities[0].title
    return "" if title == _quantity(table) else title


def _quantity(table: Table) -> str:
    # The total of flows is that of no region.
    return str(table.labels["unit"]) if table.between_regions else table.quantities[0].title


def summary(table: Table) -> dict[str, Any]:
    """Return levels, regions, the total, the largest region and the zeros of the first quantity.

    These are true values, only for those who have access to the data.
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
        "quantity": _quantity(table),
        "total": int(values[0]),
        "levels": levels,
    }
