"""How much memory a simulation in parts takes, so that a limit is kept or refused beforehand.

The constants bound what was measured on `us-blocks` and on a table of 16 sizes with 7.8 million
areas, from the peak of the process: docs/large-tables.md. They are for one process with threads.
"""

import math

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.scale.ways import BYTES_GATHERED, gathers
from hierdp_core.util.parallel import cores
from hierdp_core.util.text import paragraph

_PROCESS = 350_000_000  # bytes, before the first part is read
_AREA, _NUMBER = 200, 80  # bytes of an area with its code, and of each of its numbers
_HELD = 24  # bytes of a number that waits for the others


def bytes_needed(table: PartitionedTable, mechanism: Mechanism, *, workers: int) -> int:
    """Return an upper bound of the memory that a simulation takes, in bytes.

    Args:
        table: the exact table.
        mechanism: one that can be run in parts.
        workers: parts in memory at once.
    """
    each = _AREA + _NUMBER * table.n_columns
    sizes = sorted((sum(part.rows) for part in table.parts), reverse=True)
    parts = each * sum(sizes[:workers])
    if not gathers(mechanism):
        return _PROCESS + parts
    numbers = table.n_columns * sum(table.level_sizes)
    return _PROCESS + max(BYTES_GATHERED * numbers, _HELD * numbers + parts)


def workers_within(
    memory: int, table: PartitionedTable, mechanism: Mechanism, *, workers: int | None = None
) -> int:
    """Return how many parts can be in memory at once.

    Args:
        memory: the limit, in bytes.
        table, mechanism: as in `bytes_needed`.
        workers: no more than these; as many as cores where not given.

    Raises:
        ChoiceError: one part at a time is too much.
    """
    for n in range(workers or cores(), 0, -1):
        if bytes_needed(table, mechanism, workers=n) <= memory:
            return n
    needed = _gigabytes(bytes_needed(table, mechanism, workers=1))
    raise ChoiceError(
        paragraph(
            f"{mechanism.id} on this table needs about {needed} of memory, and the limit is "
            f"{memory / 1e9:.3g} GB.",
            f"Allow {needed}, or use a mechanism that needs one part at a time, such as hay or "
            "inftda."
            if gathers(mechanism)
            else f"Allow {needed}, or write the table in smaller parts, cut at a lower level.",
        )
    )


def _gigabytes(amount: int) -> str:
    """An amount, rounded up.

    >>> _gigabytes(1_010_000_000)
    '1.1 GB'
    """
    return f"{math.ceil(amount / 1e8) / 10:.1f} GB"
