"""Quantities by name, and the methods of a table as functions."""

from collections.abc import Sequence

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.tables.base import Table
from hierdp_core.tables.domain import Quantity
from hierdp_core.util.arrays import NumberArray
from hierdp_core.util.text import some


def quantity_named(id: str, quantities: Sequence[Quantity]) -> Quantity:
    """Return the quantity with this id.

    Raises:
        ChoiceError: there is no quantity with this id.
    """
    for quantity in quantities:
        if quantity.id == id:
            return quantity
    names = some([quantity.id for quantity in quantities], shown=6)
    raise ChoiceError(f'This table has no quantity "{id}". Choose one of these: {names}.')


def quantity(table: Table, id: str) -> Quantity:
    """Return `table.quantity(id)`."""
    return table.quantity(id)


def by_region(table: Table, wanted: Quantity) -> NumberArray:
    """Return `table.by_region(wanted)`."""
    return table.by_region(wanted)


def quantity_regions(table: Table, wanted: Quantity) -> Regions:
    """Return `table.regions_of(wanted)`."""
    return table.regions_of(wanted)
