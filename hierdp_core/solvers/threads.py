"""Work on independent rows or columns, on several threads where that helps.

The threads are Python's, not Numba's. Numba's portable threading layer ends the process if two
sessions enter it at the same time. The compiled kernels release the global interpreter lock.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise

import numpy as np

from hierdp_core.util.parallel import cores, is_one_of_many

_CELLS_WORTH_THREADS = 50_000
_CHUNKS_PER_THREAD = 8  # uneven work is balanced better in small pieces


def in_chunks(work: Callable[[int, int], None], count: int, *, cells: int) -> None:
    """Call `work(start, stop)` for slices that together cover range(count).

    Args:
        work: the function. Its effect must not depend on the order of the calls.
        count: the number of independent pieces of work.
        cells: how many numbers are processed in total. If they are few, all calls are made in
            this thread.
    """
    if cells < _CELLS_WORTH_THREADS or count == 1 or is_one_of_many():
        work(0, count)
        return
    edges = np.linspace(0, count, min(count, _CHUNKS_PER_THREAD * cores()) + 1).astype(int)
    list(_pool().map(lambda ends: work(int(ends[0]), int(ends[1])), pairwise(edges)))


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=cores(), thread_name_prefix="solver")
