"""Random numbers for synthetic samples, the same on every machine and with every NumPy version.

Only the bit stream of the generator is used, which does not change between versions of NumPy.
"""

import numpy as np

from hierdp_core.util.arrays import FloatArray, IntArray


class Uniforms:
    """Uniform numbers in [0, 1), which the seed determines."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def __call__(self, n: int) -> FloatArray:
        return np.asarray((self._bits.random_raw(n) >> np.uint64(11)) * 2.0**-53)


def in_proportion(total: int, weights: IntArray, uniforms: Uniforms) -> IntArray:
    """Divide `total` into integers, each unbiased and within 1 of its proportional part."""
    ends = total * (np.cumsum(weights) / weights.sum())
    ends[-1] = total
    marks = np.floor(np.concatenate([[0.0], ends]) + uniforms(1))
    return np.diff(marks).astype(np.int64)
