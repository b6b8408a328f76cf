"""Chance for samples that are made: the same on every machine, whatever the version of NumPy.

Only the bit stream of the generator is used, which NumPy promises to keep.
"""

import numpy as np

from hierdp_core.util.arrays import FloatArray, IntArray


class Uniforms:
    """Numbers uniform in [0, 1), always the same ones."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def __call__(self, n: int) -> FloatArray:
        return np.asarray((self._bits.random_raw(n) >> np.uint64(11)) * 2.0**-53)


def in_proportion(total: int, weights: IntArray, uniforms: Uniforms) -> IntArray:
    """`total` in whole parts, each within 1 of its proportion and right in expectation."""
    ends = total * (np.cumsum(weights) / weights.sum())
    ends[-1] = total
    marks = np.floor(np.concatenate([[0.0], ends]) + uniforms(1))
    return np.diff(marks).astype(np.int64)
