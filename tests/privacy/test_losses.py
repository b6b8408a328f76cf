"""The distributions behind a privacy loss, compared with sums over all integers."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from hierdp_core.privacy.losses import (
    _gaussian,
    _one_gaussian,
    _several,
    gaussian_delta,
    gaussian_epsilon,
)
from hierdp_core.util.arrays import FloatArray

Law = tuple[FloatArray, FloatArray]


def weights(numbers: FloatArray, variance: float) -> FloatArray:
    return np.exp(-(numbers.astype(np.longdouble) ** 2) / (2 * np.longdouble(variance)))


def tail(variance: float, *, farthest: int) -> Callable[[FloatArray], FloatArray]:
    """Return P(x ≥ t) of a discrete Gaussian number by a sum over all integers."""
    numbers = np.arange(-farthest, farthest + 1)
    law = weights(numbers, variance)
    above = np.append(np.cumsum(law[::-1])[::-1] / law.sum(), 0.0)
    return lambda t: above[np.clip(np.ceil(t).astype(int) + farthest, 0, len(numbers))]


@pytest.mark.parametrize("least", [-40_000, 0, 3])
@pytest.mark.parametrize("deviation", [2_700.0, 6_100.5])
def test_blocks_of_wide_noise_err_upwards_by_a_block_at_most(deviation: float, least: int) -> None:
    sums, chances = _one_gaussian(deviation**2, least=least)
    exact = tail(deviation**2, farthest=math.ceil(14 * deviation))
    width = max(1.0, float(np.diff(sums).max()))
    lowest = max(least, -math.ceil(12.5 * deviation) - 1)
    assert sums[0] == lowest + width - 1
    listed = np.cumsum(chances[::-1])[::-1]
    inside = sums <= 10 * deviation
    # At least the tail from a block's largest number, at most that from its smallest.
    assert (listed[inside] >= exact(sums[inside]) * (1 - 1e-12)).all()
    # Ten or more deviations out, the continuous tail is larger by a factor of about 1 + 104 / 24σ².
    slack = 1 + 110 / (24 * deviation**2)
    before = np.append(lowest - 1.0, sums[:-1])[inside]
    assert (listed[inside] <= exact(before + 1) * slack).all()


def test_wide_noise_is_listed_in_blocks_and_other_noise_is_not() -> None:
    for deviation, expected in ((1_000.0, 1.0), (2_700.0, 2.0), (6_100.0, 3.0)):
        sums, _ = _one_gaussian(deviation**2, least=-int(20 * deviation))
        assert set(np.diff(sums)) == {expected}


@pytest.mark.parametrize("sigma2", [0.15, 0.9, 3.0])
@pytest.mark.parametrize("shape", [(2, 1), (3, 1, 1), (2, 2, 1)])
def test_sums_of_several_numbers_have_the_law_of_direct_sums(
    shape: tuple[int, ...], sigma2: float
) -> None:
    sums, chances = _several(shape, sigma2)
    one = math.ceil(15 * math.sqrt(sigma2)) + 2
    law = weights(np.arange(-one, one + 1.0), sigma2)
    law /= law.sum()
    expected = np.ones(1)
    for move in shape:
        spread = np.zeros(2 * one * move + 1)
        spread[::move] = law
        expected = np.convolve(expected, spread)
    there = np.arange(-one * sum(shape), one * sum(shape) + 1)
    wanted = dict(zip(there.tolist(), expected.tolist(), strict=True))
    found = dict(zip(sums.astype(int).tolist(), chances.tolist(), strict=True))
    rounding = 8 * np.finfo(float).eps  # processors add in different orders
    worst = max(abs(found.get(t, 0.0) - p) for t, p in wanted.items())
    assert worst < rounding
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("sigma2", [0.5, 4.0, 30.0])
@pytest.mark.parametrize("shape", [(1,), (4,), (1, 1), (2, 4), (3, 1)])
def test_losses_are_those_of_moved_numbers(shape: tuple[int, ...], sigma2: float) -> None:
    """The mean loss E[L] is |d|² / 2σ² for any symmetric noise."""
    losses, chances = _gaussian(shape, sigma2)
    assert (losses > 0).all()
    # P(L = −l) is exp(−l) times P(L = l), as the noise is symmetric.
    mean = float(np.sum(losses * chances * -np.expm1(-losses)))
    assert mean == pytest.approx(sum(d * d for d in shape) / (2 * sigma2), rel=1e-6)


@pytest.mark.parametrize("rho", [1e-8, 1e-3, 0.5, 30.0, 1e4])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01])
def test_the_first_guess_of_epsilon_is_where_the_continuous_curve_meets_delta(
    rho: float, delta: float
) -> None:
    mu = math.sqrt(2 * rho)
    epsilon = gaussian_epsilon(rho, delta)
    if epsilon == 0:
        assert gaussian_delta(mu, 0.0) <= delta
    else:
        assert gaussian_delta(mu, epsilon) <= delta
        assert gaussian_delta(mu, epsilon * (1 - 1e-6)) > delta
