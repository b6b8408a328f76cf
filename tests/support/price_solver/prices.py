# mypy: disable-error-code="no-untyped-def, arg-type, untyped-decorator"
"""Prices of the tree program in compiled code: one machine word, or two where one is too short.

A wide price is a pair (high, low) and stands for high · 2⁶⁰ + low with 0 ≤ low < 2⁶⁰. The
same kernels are compiled for both kinds; which one is needed is known before they run.
"""

import numpy as np
from numba import njit, types
from numba.extending import overload

LARGEST_NARROW = 2**60  # in size; twice that, and a little, still fits a word
LARGEST_WIDE = 2**118
_BITS = 60
_UNIT = 2.0**60
_LOW = 2**60 - 1
_HALF_BITS = 30
_HALF = 2**30 - 1
_FAR = 2**61  # no number of units that counts is as large


def kernel_price(price: int, *, wide: bool):
    """A price as kernels take it."""
    return (np.int64(price >> _BITS), np.int64(price & _LOW)) if wide else np.int64(price)


def after(price, weight, distance):
    """What is left of a price: price − weight × distance. |weight| < 2⁵⁸, |distance| < 2⁶²."""
    raise NotImplementedError("compiled code only")


def own_units(price, weight):
    """Units of a leaf above its target that cost at most `price`, saturated at ±2⁶¹.

    Unit x → x + 1 of weight w costs w(2(x − ñ) + 1): at most the price for ñ + this many.
    """
    raise NotImplementedError("compiled code only")


def moved(price, step):
    """A price further by a step: a float that holds a whole number, up to 2⁶⁰ in size."""
    raise NotImplementedError("compiled code only")


def halfway(low, high):
    """The whole price in the middle, rounded down."""
    raise NotImplementedError("compiled code only")


def less(one, other):
    """Whether one price lies below another."""
    raise NotImplementedError("compiled code only")


def store(price, n):
    """Room for n prices of the kind of `price`, all 0."""
    raise NotImplementedError("compiled code only")


def stored(prices, i):
    """The price at place i of a store."""
    raise NotImplementedError("compiled code only")


def keep(prices, i, price):
    """Put a price at place i of a store."""
    raise NotImplementedError("compiled code only")


def _is_wide(price):
    return isinstance(price, types.BaseTuple)


@njit(cache=True, nogil=True)
def _carried(high, low):
    return high + (low >> _BITS), low & _LOW


@njit(cache=True, nogil=True)
def _wide_after(price, weight, distance):
    w1, w0 = weight >> _HALF_BITS, weight & _HALF
    d1, d0 = distance >> _HALF_BITS, distance & _HALF
    middle = w1 * d0 + w0 * d1
    high = w1 * d1 + (middle >> _HALF_BITS)
    low = ((middle & _HALF) << _HALF_BITS) + w0 * d0
    return _carried(price[0] - high, price[1] - low)


@njit(cache=True, nogil=True)
def _wide_own_units(price, weight):
    whole, rest = np.int64(0), price
    # Floats divide to 50 bits or more a round; the last round is exact.
    while not -2 <= rest[0] <= 1:
        times = np.floor((rest[0] * _UNIT + rest[1]) / weight)
        if abs(times) >= 2 * _UNIT:
            return np.int64(_FAR) if times > 0 else np.int64(-_FAR)
        whole += np.int64(times)
        rest = _wide_after(rest, weight, np.int64(times))
    whole += ((rest[0] << _BITS) + rest[1]) // weight
    return (whole + 1) >> 1


@overload(after)
def _after(price, weight, distance):
    if _is_wide(price):
        return lambda price, weight, distance: _wide_after(price, weight, distance)  # noqa: PLW0108
    return lambda price, weight, distance: price - weight * distance


@overload(own_units)
def _own_units(price, weight):
    if _is_wide(price):
        return lambda price, weight: _wide_own_units(price, weight)  # noqa: PLW0108
    return lambda price, weight: (price // weight + 1) >> 1


@overload(moved)
def _moved(price, step):
    if _is_wide(price):

        def further(price, step):
            high = np.trunc(step / _UNIT)  # so that the rest is exact
            return _carried(price[0] + np.int64(high), price[1] + np.int64(step - high * _UNIT))

        return further
    return lambda price, step: price + np.int64(min(max(step, -_UNIT), _UNIT))


@overload(halfway)
def _halfway(low, high):
    if _is_wide(low):

        def middle(low, high):
            twice = _carried(low[0] + high[0], low[1] + high[1])
            return twice[0] >> 1, (twice[1] + ((twice[0] & 1) << _BITS)) >> 1

        return middle
    return lambda low, high: (low + high) >> 1


@overload(less)
def _less(one, other):
    if _is_wide(one):
        return lambda one, other: one[0] < other[0] or (one[0] == other[0] and one[1] < other[1])
    return lambda one, other: one < other


@overload(store)
def _store(price, n):
    if _is_wide(price):
        return lambda price, n: np.zeros((n, 2), dtype=np.int64)
    return lambda price, n: np.zeros(n, dtype=np.int64)


@overload(stored)
def _stored(prices, i):
    if prices.ndim == 2:
        return lambda prices, i: (prices[i, 0], prices[i, 1])
    return lambda prices, i: prices[i]


@overload(keep)
def _keep(prices, i, price):
    if _is_wide(price):

        def put_both(prices, i, price):
            prices[i, 0] = price[0]
            prices[i, 1] = price[1]

        return put_both

    def put(prices, i, price):
        prices[i] = price

    return put
