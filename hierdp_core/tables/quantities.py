"""Quantities by id, and methods of a table as functions."""

from collections.abc import Sequence

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.tables.base import Table
from hierdp_core.tables.domain import Quantity
from hierdp_core.util.arrays import NumberArray
from hierdp_core.util.text import join_or


def quantity_named(id: str, quantities: Sequence[Quantity]) -> Quantity:
    """Return the quantity with this id.

    Raises:
        ChoiceError: there is no quantity with this id.
    """
    for quantity in quantities:
        if quantity.id == id:
            return quantity
    raise ChoiceError(f'This table has no quantity "{id}". Choose {_listed(quantities)}.')


def _listed(quantities: Sequence[Quantity]) -> str:
    """Return all ids as a choice; of three or more sizes, only the first and the last.

    >>> ids = ("groups", "size-0", "size-1", "size-2")
    >>> _listed([Quantity(id=id, title=id, weights=()) for id in ids])
    'groups or one of size-0 to size-2'
    """
    ids = [quantity.id for quantity in quantities]
    sizes = [id for id in ids if id.startswith("size-")]
    if len(sizes) < 3:
        return join_or(ids)
    others = [id for id in ids if id not in sizes]
    return join_or([*others, f"one of {sizes[0]} to {sizes[-1]}"])


def quantity(table: Table, id: str) -> Quantity:
    """Return `table.quantity(id)`."""
    return table.quantity(id)


def by_region(table: Table, wanted: Quantity) -> NumberArray:
    """Return `table.by_region(wanted)`."""
    return table.by_region(wanted)


def quantity_regions(table: Table, wanted: Quantity) -> Regions:
    """Return `table.regions_of(wanted)`."""
    return table.regions_of(wanted)
