"""Isotonic regression of a long stream, of which only the pools are held in memory."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numba import njit

from hierdp_core.util.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Pools:
    """A non-decreasing step function.

    Attributes:
        mean: shape (n_pools,), the mean of each pool, ascending.
        count: shape (n_pools,), the number of values in each pool.
    """

    mean: FloatArray
    count: IntArray


def pool_stream(pieces: Iterable[IntArray]) -> Pools:
    """Return the non-decreasing sequence closest to a stream in least squares, as its pools.

    Args:
        pieces: the stream, piece by piece; each piece is read once.

    Source: pool adjacent violators, Barlow et al. 1972, Chapter 1.
    """
    total = np.empty(0, dtype=np.int64)
    count = np.empty(0, dtype=np.int64)
    for piece in pieces:
        # Sums and counts of integers are exact, whatever the length.
        total, count = _pool(total, count, np.ascontiguousarray(piece))
    return Pools(mean=total / np.maximum(count, 1), count=count)


@njit(cache=True, nogil=True)
def _pool(total, count, piece):
    sums = np.empty(len(total) + len(piece), dtype=np.int64)
    sizes = np.empty(len(total) + len(piece), dtype=np.int64)
    sums[: len(total)] = total
    sizes[: len(count)] = count
    top = len(total) - 1
    for value in piece:
        top += 1
        sums[top] = value
        sizes[top] = 1
        while top > 0 and sums[top - 1] / sizes[top - 1] >= sums[top] / sizes[top]:
            sums[top - 1] += sums[top]
            sizes[top - 1] += sizes[top]
            top -= 1
    return sums[: top + 1].copy(), sizes[: top + 1].copy()
