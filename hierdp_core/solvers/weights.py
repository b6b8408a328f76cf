"""The weight of each level in a least-squares fit: 1/variance, up to a common factor."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from hierdp_core.exceptions import SolverError
from hierdp_core.util.arrays import FloatArray, IntArray

LARGEST_WEIGHT = 2**57
LEAST_VARIANCE = 1e-9
_USUAL_WEIGHT = 2**16
_LEAST_USUAL_WEIGHT = 2**8
_ROUNDING = 2**50  # variances are floats, exact to a few units of their 53rd bit


def level_weights(variances: Sequence[float | None]) -> FloatArray:
    """Return weights in proportion to 1/variance, of which the smallest above 0 is at least 1.

    If the variances have the ratios of small integers, up to the rounding of floats, weights are
    integers. Otherwise they are the nearest floats. A level that is not measured (None) has weight
    0. A variance below 10⁻⁹ counts as 10⁻⁹. Such noise changes about one of a billion counts.

    >>> level_weights([2.0, None, 8.0]), level_weights([0.3, 0.1])
    (array([4., 0., 1.]), array([1., 3.]))
    """
    ratios = _ratios(variances)
    measured = [ratio for ratio in ratios if ratio is not None]
    whole = _smallest_weights(measured, slack=_ROUNDING)
    each = iter(measured if whole is None else [Fraction(weight) for weight in whole])
    return np.array([0.0 if r is None else float(next(each)) for r in ratios])


def whole_weights(variances: Sequence[float | None]) -> IntArray:
    """Return integer weights in proportion to 1/variance, each within 1 part in 500.

    A level that is not measured (None) has weight 0. The level with the smallest noise has the
    largest weight. Equal variances give equal weights of 1. A variance below 10⁻⁹ counts as 10⁻⁹.

    If no variances differ by more than a factor of 256, the largest weight is 65,536, divided by
    the greatest common divisor of all weights. Otherwise the weights are the smallest of the
    required accuracy.

    Raises:
        SolverError: the largest weight would exceed 2**57.

    >>> whole_weights([2.0, None, 8.0]).tolist()
    [4, 0, 1]
    >>> whole_weights([1.0, 1e8]).tolist()
    [100000000, 1]
    """
    ratios = _ratios(variances)
    measured = [ratio for ratio in ratios if ratio is not None]
    if max(measured) <= Fraction(_USUAL_WEIGHT, _LEAST_USUAL_WEIGHT):
        largest = float(max(measured))
        weights = [round(_USUAL_WEIGHT * float(ratio) / largest) for ratio in measured]
    else:
        smallest = _smallest_weights(measured, slack=2 * _LEAST_USUAL_WEIGHT)
        weights = smallest or [round(_LEAST_USUAL_WEIGHT * ratio) for ratio in measured]
    if max(weights) > LARGEST_WEIGHT:
        known = [v for v in variances if v is not None]
        raise SolverError(
            "The noise of two levels differs too much to be weighed against each other: their "
            f"variances are {min(known):.3g} and {max(known):.3g}. Choose a more even budget "
            "allocation."
        )
    common = int(np.gcd.reduce(weights))
    each = iter(weights)
    return np.array([0 if r is None else next(each) // common for r in ratios], dtype=np.int64)


def _ratios(variances: Sequence[float | None]) -> list[Fraction | None]:
    """Return the weight of each level relative to the smallest; None if it is not measured."""
    known = [None if v is None else Fraction(max(v, LEAST_VARIANCE)) for v in variances]
    most = max(v for v in known if v is not None)
    return [None if v is None else most / v for v in known]


def _smallest_weights(ratios: Sequence[Fraction], *, slack: int) -> list[int] | None:
    """Return the smallest integers within 1 part in `slack` of a multiple of `ratios`.

    The multiple is below 256. Return None if there are no such integers.
    """
    for scale in range(1, _LEAST_USUAL_WEIGHT):
        weights = [round(scale * ratio) for ratio in ratios]
        if all(
            abs(weight - scale * ratio) * slack <= scale * ratio
            for weight, ratio in zip(weights, ratios, strict=True)
        ):
            return weights
    return None
