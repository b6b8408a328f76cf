"""The classes of tables, by the name of their kind."""

from collections.abc import Mapping

from hierdp_core.tables.base import Table
from hierdp_core.tables.counts import Counts
from hierdp_core.tables.flows import Flows
from hierdp_core.tables.group_sizes import GroupSizes

KINDS: Mapping[str, type[Table]] = {
    Counts.kind: Counts,
    GroupSizes.kind: GroupSizes,
    Flows.kind: Flows,
}
