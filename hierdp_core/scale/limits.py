"""The memory that a simulation in parts takes, to keep it within a limit or to refuse it.

The constants are upper bounds on the peaks measured on `us-blocks` and on a table of 16 sizes with
7.8 million areas: see docs/large-tables.md. They are for one process with threads.
"""

import math
from collections.abc import Sequence

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.scale.ways import BYTES_GATHERED, gathers, goes_by_size
from hierdp_core.util.parallel import cores
from hierdp_core.util.text import paragraph

_PROCESS = 350_000_000  # bytes, before the first part is read
_AREA, _NUMBER = 200, 80  # bytes of an area with its code, and of each of its numbers
_HELD = 24  # bytes of a number that waits for those of other parts
# If sizes are solved one after the other: bytes of an area, with its place in the hierarchy and
# one of its numbers, of an area with areas below it, and of each size of such an area.
_PLACED, _INNER, _INNER_SIZE = 44, 560, 40


def bytes_needed(
    table: PartitionedTable,
    mechanism: Mechanism,
    *,
    workers: int,
    allocation: Sequence[int] | None = None,
) -> int:
    """Return an upper bound on the memory that a simulation takes, in bytes.

    Args:
        table: the exact table.
        mechanism: a mechanism that works on parts.
        workers: the number of parts in memory at once.
        allocation: the allocation of the budget to levels; equal by default.
    """
    each = _AREA + _NUMBER * table.n_columns
    sizes = sorted((sum(part.rows) for part in table.parts), reverse=True)
    parts = each * sum(sizes[:workers])
    if not gathers(mechanism):
        return _PROCESS + parts
    areas = sum(table.level_sizes)
    if _goes_by_size(table, mechanism, allocation):
        inner = areas - table.level_sizes[-1]
        solved = _PLACED * areas + (_INNER + _INNER_SIZE * table.n_columns) * inner
        return _PROCESS + max(solved, _PLACED * areas + parts)
    numbers = table.n_columns * areas
    return _PROCESS + max(BYTES_GATHERED * numbers, _HELD * numbers + parts)


def workers_within(
    memory: int,
    table: PartitionedTable,
    mechanism: Mechanism,
    *,
    workers: int | None = None,
    allocation: Sequence[int] | None = None,
) -> int:
    """Return the number of parts that can be in memory at once.

    Args:
        memory: the limit, in bytes.
        table, mechanism, allocation: as in `bytes_needed`.
        workers: the largest number of workers; one per core by default.

    Raises:
        ChoiceError: even one part at a time exceeds the limit.
    """
    for n in range(workers or cores(), 0, -1):
        if bytes_needed(table, mechanism, workers=n, allocation=allocation) <= memory:
            return n
    needed = _gigabytes(bytes_needed(table, mechanism, workers=1, allocation=allocation))
    others = "topdown-2018 or coc" if table.has_groups else "hay or inftda"
    at_once = gathers(mechanism) and not _goes_by_size(table, mechanism, allocation)
    raise ChoiceError(
        paragraph(
            f"{mechanism.id} on this table needs about {needed} of memory, and the limit is "
            f"{memory / 1e9:.3g} GB.",
            f"Raise the limit to {needed}, or use a mechanism that needs one part at a time, such "
            f"as {others}."
            if at_once
            else f"Raise the limit to {needed}, or write the table again in smaller parts, cut at "
            "a lower level.",
        )
    )


def _goes_by_size(
    table: PartitionedTable, mechanism: Mechanism, allocation: Sequence[int] | None
) -> bool:
    return goes_by_size(mechanism, allocation or [1] * len(table.levels))


def _gigabytes(amount: int) -> str:
    """Return an amount of memory, rounded up.

    >>> _gigabytes(1_010_000_000)
    '1.1 GB'
    """
    return f"{math.ceil(amount / 1e8) / 10:.1f} GB"
