"""What every kind of table answers alike: its quantities, region by region."""

import re

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.tables.counts import Counts
from hierdp_core.tables.domain import Quantity
from hierdp_core.tables.flows import ARRIVALS, Flows
from hierdp_core.tables.group_sizes import GroupSizes
from hierdp_core.util.arrays import NumberArray

Table = Counts | GroupSizes | Flows


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
    """The number that `wanted` asks for in every region of `quantity_regions`, level order."""
    if isinstance(table, Flows):
        return table.by_region(wanted.id)
    if table.values.ndim == 1:
        return table.values
    result: NumberArray = table.values @ np.array(wanted.weights, dtype=table.values.dtype)
    return result


def quantity_regions(table: Table, wanted: Quantity) -> Regions:
    """The regions that `wanted` has a number for: arrivals are counted at the destinations."""
    if isinstance(table, Flows) and wanted.id == ARRIVALS:
        return table.destinations
    return table.regions
