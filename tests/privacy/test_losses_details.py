"""The details on which bounds of privacy curves rest, compared with laws summed directly."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hierdp_core.privacy.conversion import epsilon_of_rho, epsilon_of_rho_tight
from hierdp_core.privacy.losses import (
    ABSOLUTE_ALLOWANCE,
    Part,
    _gaussian,
    _on_grid,
    _one_gaussian,
    _several,
    _step,
    composed,
    deltas_of_rho,
)
from hierdp_core.util.constraints import SMALLEST_BUDGET


def gaussian(sigma, *shapes):
    return Part(gaussian=True, noise=sigma**2, shapes=shapes or ((1,),))


def geometric(scale, *shapes):
    return Part(gaussian=False, noise=scale, shapes=shapes or ((1,),))


def law_of_sums(shape, sigma2):
    """Return the values of Σ d x for independent x and their probabilities, by direct sums."""
    one = math.ceil(14 * math.sqrt(sigma2)) + 2
    numbers = np.arange(-one, one + 1)
    law = np.exp(-(numbers**2) / np.longdouble(2 * sigma2))
    law /= law.sum()
    sums = np.ones(1, dtype=np.longdouble)
    for move in shape:
        spread = np.zeros(2 * one * move + 1, dtype=np.longdouble)
        spread[::move] = law
        sums = np.convolve(sums, spread)
    return np.arange(-one * sum(shape), one * sum(shape) + 1), sums


# Probabilities of losses.


@pytest.mark.parametrize(
    ("shape", "sigma2"),
    [
        ((8, 1), 9.0),  # one Gaussian for the sum would be wrong by 12% at some values
        ((30, 1), 910.0),  # here by 5e-9
        ((3, 2, 1), 20.0),
        ((4, 4, 4, 4), 1.5),
        ((5, 5, 5), 30.0),
        ((6, 6), 12.0),
    ],
)
def test_every_loss_above_zero_has_the_probability_of_its_sum(shape, sigma2):
    sums, law = law_of_sums(shape, sigma2)
    twice = sum(move * move for move in shape) + 2 * sums  # the loss is this over 2 σ²
    losses, chances = _gaussian(shape, sigma2)
    listed = dict(zip(np.rint(losses * 2 * sigma2).astype(int).tolist(), chances, strict=True))
    expected = {
        loss: float(chance)
        for loss, chance in zip(twice.tolist(), law, strict=True)
        if loss > 0 and chance > 1e-13
    }
    assert len(expected) > 10
    for loss, chance in expected.items():
        assert listed.get(loss, 0.0) == pytest.approx(chance, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    ("shape", "sigma2"), [((1,), 6.0), ((3,), 2.0), ((1, 1), 12.0), ((1,) * 20, 12.0)]
)
def test_unlikely_losses_of_one_number_or_steady_noise_have_many_digits_too(shape, sigma2):
    """One Gaussian gives them. A transform has rounding errors of about 1e-16."""
    sums, law = law_of_sums(shape, sigma2)
    losses, chances = _gaussian(shape, sigma2)
    squares = sum(move * move for move in shape)
    place = np.rint((2 * sigma2 * losses - squares) / 2).astype(int) - sums[0]
    exact = law[place]
    unlikely = (exact > 1e-24) & (exact < 1e-15)
    assert np.count_nonzero(unlikely) > 2
    assert chances[unlikely] == pytest.approx(exact[unlikely].astype(float), rel=1e-9, abs=0)


@pytest.mark.parametrize("deviation", [2_621.2, 2_621.3])  # the exact law and that of blocks
def test_no_number_that_is_listed_alone_has_less_than_its_probability(deviation):
    """Continuous probabilities are smaller by 6e-9 of their size, which composition multiplies."""
    sums, chances = _one_gaussian(deviation**2, least=-40_000)
    assert set(np.diff(sums)) == {1.0}
    numbers = np.arange(-40_000, 40_001)
    law = np.exp(-(numbers**2) / np.longdouble(2 * deviation**2))
    law /= law.sum()
    inside = (sums >= -deviation) & (sums <= 4 * deviation)
    exact = law[40_000 + sums[inside].astype(int)]
    assert (chances[inside] >= exact * (1 - 1e-11)).all()
    assert (chances[inside] <= exact * (1 + 1e-6)).all()


@pytest.mark.parametrize("shape", [(2, 1), (3, 1, 1), (1,) * 200])
@pytest.mark.parametrize("sigma2", [0.3, 8.9])
def test_no_sum_has_a_negative_probability(shape, sigma2):
    """Rounding errors of the transform would otherwise lower δ where it is small."""
    _, chances = _several(shape, sigma2)
    assert (chances >= 0).all()


@pytest.mark.parametrize("sigma", [1.0, 3.0, 5.0, 9.0, 30.0])
@pytest.mark.parametrize("shapes", [((1,),), ((2,), (1, 1)), ((3,), (2, 2, 2))])
def test_no_loss_on_the_grid_has_a_negative_probability(shapes, sigma):
    part = gaussian(sigma, *shapes)
    chances, certain = _on_grid(part, _step((part,)))
    assert (chances >= 0).all()
    assert certain >= 0


# Shapes.


def test_the_main_shape_has_the_largest_squares():
    """It need be neither the first shape nor the one with the largest single change."""
    for shapes in (((3,), (2, 2, 2)), ((2, 2, 2), (3,))):
        assert gaussian(5.0, *shapes).main_shape == gaussian(5.0, (2, 2, 2))


@pytest.mark.parametrize("scattered", [(1,) * 8, (2, 1, 1, 1, 1, 1, 1)])
def test_shapes_that_are_never_the_worst_leave_epsilon_as_it_is(scattered):
    """The grid reaches as far as the longest shape needs, whatever others there are."""
    for shapes in (((8,), scattered), (scattered, (8,))):
        both, alone = composed((gaussian(16.0, *shapes),)), composed((gaussian(16.0, (8,)),))
        for delta in (1e-4, 1e-8, 1e-12):
            assert both.epsilon(delta) == pytest.approx(alone.epsilon(delta), rel=1e-3)


# Curves.


def test_deltas_are_those_of_one_epsilon_at_a_time():
    losses = composed((gaussian(3.0), gaussian(5.0, (2,))))
    epsilons = np.linspace(0.0, 2.0, 9)
    expected = [losses.delta(float(epsilon)) for epsilon in epsilons]
    assert losses.deltas(epsilons) == pytest.approx(expected, rel=1e-10, abs=2e-15)


def test_every_delta_includes_the_allowance():
    """The sums of the library may fall below 0 by rounding where losses are very unlikely."""
    losses = composed((gaussian(0.1),) * 3)
    epsilons = np.linspace(0.0, 450.0, 200)
    assert losses.deltas(epsilons).min() >= ABSOLUTE_ALLOWANCE
    assert min(losses.delta(float(epsilon)) for epsilon in epsilons) >= ABSOLUTE_ALLOWANCE


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_geometric_noise_never_needs_more_than_its_own_epsilon(scale):
    """No loss is larger, so δ is nothing but the allowance there."""
    losses = composed((geometric(scale),))
    assert losses.epsilon(ABSOLUTE_ALLOWANCE) == pytest.approx(1 / scale, rel=1e-5)


@pytest.mark.parametrize("sigma", [1e5, 1e6, 1e7])
def test_a_small_epsilon_has_as_many_digits_as_a_large_one(sigma):
    losses = composed((gaussian(sigma),))
    for times in (0.3, 1.0, 1.7):
        epsilon = times / sigma
        assert losses.epsilon(losses.delta(epsilon)) == pytest.approx(epsilon, rel=1e-9, abs=0)


def test_an_epsilon_is_found_where_hardly_any_noise_is_added():
    """The number is released as it is, but for a chance of e⁻¹¹²⁵⁰, with a loss of 11,250."""
    losses = composed((gaussian(1 / 150),))
    assert 11_250 * (1 - 1e-9) <= losses.epsilon(1e-8) <= 11_250 * 1.001


def test_two_kinds_of_noise_together_have_a_curve_where_each_alone_has_one():
    parts = (geometric(1.0), gaussian(1 / 60))
    alone, both = composed(parts[1:]), composed(parts)
    low, high = alone.epsilon(1e-6), both.epsilon(1e-6)
    assert low < high < low + 1.0 + 0.01 * low


@pytest.mark.parametrize("delta", [1e-10, 1e-7, 1e-3])
def test_the_curve_of_the_smallest_budget_is_that_of_its_conversion(delta):
    epsilon = epsilon_of_rho_tight(SMALLEST_BUDGET, delta=Fraction(delta))
    (bound,) = deltas_of_rho(float(SMALLEST_BUDGET), np.array([epsilon]))
    assert delta * (1 - 1e-6) <= bound <= delta * 1.03


@pytest.mark.parametrize("sigma", [1e17, 1e20, 1e30])
def test_noise_of_any_width_has_a_curve(sigma):
    losses = composed((gaussian(sigma),))
    assert losses.delta(0.0) == pytest.approx(0.4 / sigma + ABSOLUTE_ALLOWANCE, rel=1e-3, abs=0)
    assert losses.epsilon(1e-12) == 0.0


def test_there_is_no_curve_where_rounding_could_exceed_the_allowance():
    # With 1,000 numbers and this σ², the computed δ lay 0.1% below the exact one.
    assert composed((gaussian(math.sqrt(8.253), (1,) * 1000),)) is None
    assert composed((geometric(5.0), gaussian(2.0, (1,), (1,) * 101))) is None
    for part in (
        gaussian(math.sqrt(8.253), (1,) * 100),
        gaussian(3.0, (1,) * 1000),
        gaussian(2.0, (3,)),
        geometric(5.0, (1,) * 1000),
    ):
        assert composed((part,)) is not None


def test_a_conversion_of_hardly_any_loss_stays_a_bound():
    # The least bound over all orders is 2.00309478…e-54, computed to 400 digits.
    assert epsilon_of_rho_tight("1e-110", delta="1e-100") > 2.003094e-54
    for rho in ("1e-31", "1e-30", "1e-29"):
        assert 0 <= epsilon_of_rho_tight(rho, delta="1e-10") <= epsilon_of_rho(rho, delta="1e-10")


@pytest.mark.parametrize(("sigma2", "move"), [(2.5e5, 1_000), (4e4, 30)])
def test_delta_is_never_below_that_of_noise_with_many_outcomes_in_a_step(
    sigma2: float, move: int
) -> None:
    """Losses are rounded onto the grid in the direction of less privacy, and not to the nearest."""
    curve = composed((Part(gaussian=True, noise=sigma2, shapes=((move,),)),))
    assert curve is not None
    numbers = np.arange(-int(13 * sigma2**0.5), int(13 * sigma2**0.5) + 1, dtype=np.longdouble)
    chances = np.exp(-(numbers**2) / (2 * np.longdouble(sigma2)))
    chances /= chances.sum()
    losses = (move**2 - 2 * move * numbers) / (2 * np.longdouble(sigma2))
    step = move / sigma2**0.5 / 128
    for epsilon in (*(step * np.arange(0, 400, 7)), *(step * np.linspace(0.3, 400, 50))):
        above = losses > epsilon
        exact = float((chances[above] * -np.expm1(epsilon - losses[above])).sum())
        assert exact <= curve.delta(float(epsilon)) <= 1.001 * exact + 1e-13
