"""Philox 4×64-10: random words as a function of a key and a counter.

Any word can be computed without the words before it. Noise can therefore depend on the place of a
number in a table, and not on the order of computation.

Source: Salmon, Moraes, Dror and Shaw 2011, “Parallel random numbers: as easy as 1, 2, 3”.
"""

import numpy as np
from numba import njit

_ROUNDS = 10
_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
_WEYL_0 = np.uint64(0x9E3779B97F4A7C15)
_WEYL_1 = np.uint64(0xBB67AE8584CAA73B)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)

Words = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@njit(cache=True, nogil=True, inline="always")
def _high(a: np.uint64, b: np.uint64) -> np.uint64:  # type: ignore[type-arg,unused-ignore]
    """Return the upper 64 bits of a · b."""
    a_low, a_high, b_low, b_high = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    middle = a_high * b_low + (a_low * b_low >> _HALF)
    other = a_low * b_high + (middle & _LOW)
    return a_high * b_high + (middle >> _HALF) + (other >> _HALF)


@njit(cache=True, nogil=True)
def philox(key_0: np.uint64, key_1: np.uint64, counter: Words) -> Words:
    """Return four random words of 64 bits.

    Args:
        key_0, key_1: the key, which selects a family of words.
        counter: four words of 64 bits, which select the words of the family.
    """
    w_0, w_1, w_2, w_3 = counter
    for _ in range(_ROUNDS):
        high_0, low_0 = _high(_MULTIPLIER_0, w_0), _MULTIPLIER_0 * w_0
        high_1, low_1 = _high(_MULTIPLIER_1, w_2), _MULTIPLIER_1 * w_2
        w_0, w_1, w_2, w_3 = high_1 ^ w_1 ^ key_0, low_1, high_0 ^ w_3 ^ key_1, low_0
        key_0 += _WEYL_0
        key_1 += _WEYL_1
    return w_0, w_1, w_2, w_3
