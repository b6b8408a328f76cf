"""The kinds of tables over a hierarchy.

`Counts` holds one number per region, `GroupSizes` one number for each region and group size, and
`Flows` one number for each pair of leaves with a flow. `Table` is their common interface. A table
that comes from data is *exact*: all numbers are non-negative integers, and every parent is the sum
of its children. `from_leaves` and `from_pairs` build exact tables. A released table has the same
type, but it need not be exact: this depends on its mechanism.
"""

from hierdp_core.tables.base import Table
from hierdp_core.tables.counts import Counts
from hierdp_core.tables.domain import Domain, Fact, Quantity
from hierdp_core.tables.flows import ARRIVALS, DEPARTURES, WITHIN, Flows, Pairs
from hierdp_core.tables.group_sizes import LISTED_SIZES, GroupSizes
from hierdp_core.tables.kinds import KINDS
from hierdp_core.tables.quantities import by_region, quantity, quantity_regions
from hierdp_core.tables.validity import require_exact
from hierdp_core.tables.values import LARGEST_TOTAL, exact_leaves

__all__ = [
    "ARRIVALS",
    "DEPARTURES",
    "KINDS",
    "LARGEST_TOTAL",
    "LISTED_SIZES",
    "WITHIN",
    "Counts",
    "Domain",
    "Fact",
    "Flows",
    "GroupSizes",
    "Pairs",
    "Quantity",
    "Table",
    "by_region",
    "exact_leaves",
    "quantity",
    "quantity_regions",
    "require_exact",
]
