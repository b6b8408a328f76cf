"""Facts of a table in parts that are read before any of the budget is spent."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.scale.partitioned import PartitionedTable, values_below
from hierdp_core.scale.simulating import public_domain
from hierdp_core.util.arrays import IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PartSummary:
    """The facts of a part from one pass over it, before budget is spent.

    Attributes:
        root: the exact numbers of the root of the part.
        areas: a hash of its areas, which are public.
        content: a hash of its whole content, for the owner's keyed fingerprint.
    """

    root: IntArray
    areas: bytes
    content: bytes


def part_summary(number: int, table: PartitionedTable) -> PartSummary:
    """Return the facts of a part, after checking that its numbers are possible.

    Raises:
        FileError: the part is missing or was changed.
        TableError: a number is negative, or areas do not add up.
    """
    part = table.read(number)
    leaves = part.values[part.tree.leaves]
    if (leaves < 0).any() or not np.array_equal(values_below(part.tree, leaves), part.values):
        raise TableError(
            f"{table.folder / part.info.file}: a number is negative, or numbers of areas do not "
            "add up. Write the table again."
        )
    areas = hashlib.sha256("\0".join(part.ids).encode())
    areas.update(part.tree.parent.tobytes())
    content = hashlib.sha256(areas.digest())
    content.update(np.ascontiguousarray(leaves).tobytes())
    return PartSummary(root=part.values[0], areas=areas.digest(), content=content.digest())


def require_planned(table: PartitionedTable, plan: Plan, exact: IntArray) -> None:
    """Require a plan that was made for this table, with its public totals.

    Args:
        table: the table to release.
        plan: the plan of `plan_parts`.
        exact: the numbers of the table down to the roots of the parts.

    Raises:
        ChoiceError: the plan was made for another table.
    """
    same = plan.domain.kind == table.kind and plan.levels == table.levels
    domain = public_domain(table, plan.mechanism, exact) if same else None
    if domain is None or domain != plan.domain or domain.total != plan.domain.total:
        raise ChoiceError("The plan was made for another table. Plan again for this one.")


def public_facts(table: PartitionedTable, summaries: Sequence[PartSummary]) -> dict[str, Any]:
    """Return the facts about the areas, which are public, for the ledger."""
    areas = hashlib.sha256("\0".join(table.upper.ids).encode())
    areas.update(table.upper.tree.parent.tobytes())
    for one in summaries:
        areas.update(one.areas)
    return {
        "regions": [list(table.level_sizes)],
        "regions_sha256": areas.hexdigest(),
        "parts_below": table.upper.levels[-1],
    }


def content_of(table: PartitionedTable, summaries: Sequence[PartSummary]) -> Iterator[bytes]:
    """Yield the whole content of a table, piece by piece, for its keyed fingerprint."""
    yield f"{table.kind} in parts".encode()
    yield "\0".join(table.upper.ids).encode()
    yield table.upper.tree.parent.tobytes()
    yield from (one.content for one in summaries)
