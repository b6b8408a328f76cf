"""The one rule for "within a tolerance", decided exactly."""

import math
from fractions import Fraction

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray, NumberArray

_INT64_MAX = 2**63 - 1
_UNDECIDED = 1e-12  # relative distance to the limit at which floats may be wrong; they err by 1e-15


def as_written(number: float) -> Fraction:
    """Return the decimal that a float was written as, not its nearest binary value.

    >>> as_written(0.29), as_written(5)
    (Fraction(29, 100), Fraction(5, 1))
    """
    return Fraction(str(number))


def within(error: NumberArray, reference: NumberArray | int, tolerance: float) -> BoolArray:
    """Return where |error| ≤ tolerance × reference, with the tolerance as the decimal written.

    A cell exactly at the tolerance is within it: an error of 29 in a true count of 100 is within
    0.29. Integers are compared by cross-multiplication in int64 if the products fit. Otherwise
    floats decide for cells far enough from the limit, and exact fractions of the stored values
    decide for the rest. Real-valued errors are compared as they are stored.

    >>> within(np.array([29, 30]), np.array([100, 100]), 0.29).tolist()
    [True, False]

    Args:
        error: released − true, or its absolute value; any shape, in the table's unit.
        reference: the true counts for a relative tolerance, of the shape of `error` or
            broadcast to it; 1 for an absolute one.
        tolerance: finite and at least 0: a proportion, or a number in the table's unit.

    Returns:
        shape of `error`. Where the reference is 0, only an error of 0 is within.

    Raises:
        ChoiceError: the tolerance is negative or not a number.
    """
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise ChoiceError(f"Set the tolerance to a number, at least 0; got {tolerance}.")
    exact = as_written(tolerance)
    size, base = np.abs(error), np.asarray(reference)
    if _fits(size, exact.denominator) and _fits(base, exact.numerator):
        return np.asarray(size * exact.denominator <= base * exact.numerator)
    limit: FloatArray = np.asarray(base * float(tolerance), dtype=np.float64)
    inside = np.array(size <= limit)
    close = np.abs(size - limit) <= _UNDECIDED * np.abs(limit)
    if close.any():
        bases = np.broadcast_to(base, size.shape)[close].tolist()
        pairs = zip(size[close].tolist(), bases, strict=True)
        inside[close] = [Fraction(s) <= exact * Fraction(b) for s, b in pairs]
    return inside


def _fits(values: NumberArray | IntArray, factor: int) -> bool:
    """Return whether `values` are integers whose products with `factor` all fit in int64."""
    if not np.issubdtype(values.dtype, np.integer) or factor > _INT64_MAX:
        return False
    largest = max(int(values.max(initial=0)), -int(values.min(initial=0)))
    return largest * factor <= _INT64_MAX
