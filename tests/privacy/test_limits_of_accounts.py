"""Limits and rounding of the accounting methods: each limit itself, and just beyond it."""

import math
from decimal import ROUND_CEILING
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy import (
    EXACT_CURVE,
    Budget,
    GaussianEvent,
    GeometricEvent,
    Sensitivity,
    ThresholdEvent,
    epsilon_of_rho_tight,
)
from hierdp_core.privacy.account import (
    SEQUENTIAL,
    all_priced,
    below,
    holds,
    losses_of,
    parts_of,
    threshold_delta,
    total_delta,
    within,
)
from hierdp_core.privacy.budget import SIMPLE_ACCOUNT, ZCDP_ACCOUNT
from hierdp_core.privacy.losses import Part, composed, deltas_of_rho
from hierdp_core.privacy.meaning import of_a_hundred
from hierdp_core.privacy.rounding import _percent, upper
from hierdp_core.privacy.shapes import largest_shapes, unit_shape
from hierdp_core.privacy.spending import (
    _by_halving,
    _descending,
    _gaussian_variance,
    _one_by_one,
    _Question,
    _relative_variance,
    _sharpened,
)
from hierdp_core.privacy.statement import _by_conversion, _rounded_up

LEAST = Fraction(1, 10**12)


def gaussian(sigma2: Fraction | float, moved: int = 1) -> GaussianEvent:
    return GaussianEvent(level=0, query="", l2_sensitivity_squared=moved, sigma2=Fraction(sigma2))


def geometric(scale: Fraction | float, moved: int = 1) -> GeometricEvent:
    return GeometricEvent(level=0, query="", l1_sensitivity=moved, scale=Fraction(scale))


def threshold(at: float, *, scale: int = 1, created: int = 1) -> ThresholdEvent:
    return ThresholdEvent(
        level=0,
        query="",
        l1_sensitivity=1,
        scale=Fraction(scale),
        threshold=at,
        created=created,
        most=1,
    )


# Rounding.


@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**30))
def test_below_is_the_largest_float_that_is_not_above(value: Fraction) -> None:
    number = below(value)
    assert Fraction(number) <= value < Fraction(math.nextafter(number, math.inf))


@pytest.mark.parametrize("number", [0.1, 1.0, 3e-12, 5e10])
def test_below_leaves_a_float_as_it_is(number: float) -> None:
    assert below(Fraction(number)) == number


# The curve.


def test_the_curve_is_used_from_its_smallest_delta_on() -> None:
    events = [gaussian(100)]
    assert holds(events, Fraction(5), LEAST)
    assert not holds(events, Fraction(5), LEAST * Fraction(999, 1000))
    sources = [bound.source for bound in all_priced(events, LEAST)]
    assert EXACT_CURVE in sources
    less = [bound.source for bound in all_priced(events, LEAST * Fraction(999, 1000))]
    assert less == [source for source in sources if source != EXACT_CURVE]


def test_a_delta_that_is_met_exactly_is_kept() -> None:
    events = [gaussian(2)]
    losses = losses_of(events)
    assert losses is not None
    delta = losses.delta(1.5)
    assert holds(events, Fraction(1.5), Fraction(delta))
    assert not holds(events, Fraction(1.5), Fraction(math.nextafter(delta, 0)))


def test_the_curve_ends_where_nothing_is_protected() -> None:
    assert losses_of([gaussian(Fraction(1, 40_000))]) is not None  # ρ = 20,000
    assert losses_of([gaussian(Fraction(1, 40_001))]) is None
    assert losses_of([]) is None
    assert losses_of([gaussian(4), threshold(30.0)]) is None


def test_shapes_that_are_not_listed_are_all_within_the_sensitivity() -> None:
    parts = parts_of([geometric(2, 3)])
    assert parts is not None
    assert parts[0].shapes == ((3,), (2, 1), (1, 1, 1))
    assert parts_of([geometric(2, 3), threshold(30.0)]) is None


def test_a_geometric_loss_reaches_as_far_as_the_longest_shape() -> None:
    part = Part(gaussian=False, noise=2.0, shapes=((3,), (1, 1)))
    assert part.deviation == part.reach == 1.5


def test_a_grid_that_would_be_too_long_is_not_made() -> None:
    assert composed((Part(gaussian=True, noise=1 / 1900**2, shapes=((1,),)),)) is not None
    assert composed((Part(gaussian=True, noise=1 / 2100**2, shapes=((1,),)),)) is None


def test_shapes_keep_to_both_sensitivities() -> None:
    assert Sensitivity(l1=3, l2_squared=5, shapes=((2, 1),)).shapes == ((2, 1),)
    for shape in ((3,), (2, 1, 1)):
        with pytest.raises(ValueError, match="exceeds the L1 sensitivity"):
            Sensitivity(l1=3, l2_squared=5, shapes=(shape,))


def test_shapes_are_listed_up_to_their_number() -> None:
    shapes = largest_shapes(4, 8, at_most=3)
    assert shapes is not None
    assert len(shapes) == 3
    assert largest_shapes(4, 8, at_most=2) is None
    assert unit_shape(1) == ((1,),)
    assert len(unit_shape(10_000)[0]) == 10_000


@pytest.mark.parametrize("rho", [1e-4, 0.1, 3.0])
@pytest.mark.parametrize("delta", [1e-10, 1e-5, 1e-2])
def test_the_curve_of_a_rho_is_that_of_the_conversion(rho: float, delta: float) -> None:
    epsilon = epsilon_of_rho_tight(Fraction(rho), delta=Fraction(delta))
    (found,) = deltas_of_rho(rho, np.array([epsilon]))
    assert found <= delta * 1.02
    assert found >= delta * (1 - 1e-9) or epsilon == 0


# Sums.


def test_a_threshold_has_a_delta_of_at_most_one() -> None:
    assert threshold_delta(threshold(2.0, scale=1000, created=10)) == 1.0
    assert threshold_delta(threshold(1.0)) == 1.0
    assert threshold_delta(threshold(1e9, scale=1)) > 0  # below every decimal above 0


def test_the_sum_is_a_bound_where_its_delta_is_met_exactly() -> None:
    events = [threshold(20.0), threshold(25.0)]
    spent = Fraction(repr(total_delta(events)))
    assert [bound.source for bound in all_priced(events, spent)] == [SEQUENTIAL]
    assert all_priced(events, spent * Fraction(999, 1000)) == ()


def test_two_thresholds_cost_the_sum_of_their_deltas() -> None:
    events = [threshold(20.0), threshold(20.5, created=2)]
    each = [Fraction(repr(threshold_delta(event))) for event in events]
    assert min(each) > 0
    spent = Fraction(repr(total_delta(events)))
    assert sum(each) <= spent <= sum(each) * (1 + Fraction(1, 2**50))
    assert total_delta([*events, geometric(1)]) == total_delta(events)


@pytest.mark.parametrize(
    ("share", "kept"),
    [(Fraction(1001, 1000), True), (Fraction(999, 1000), False), (Fraction(51, 100), False)],
)
def test_a_budget_is_kept_by_two_thresholds_where_it_has_all_of_their_delta(
    share: Fraction, kept: bool
) -> None:
    events = [threshold(20.0), threshold(20.0)]
    delta = Fraction(repr(total_delta(events)))
    budget = Budget.approximate(2, delta * share)
    assert within(events, budget) == kept
    assert not within(events, Budget.approximate(Fraction(199, 100), delta))


def test_a_budget_without_delta_allows_no_threshold_and_no_gaussian_noise() -> None:
    generous = Budget.pure(100)
    assert within([geometric(1)], generous)
    assert not within([threshold(30.0)], generous)
    assert not within([gaussian(1e6)], generous)
    assert not within([geometric(1), gaussian(1e6)], generous)


def test_a_budget_is_kept_where_it_is_met_exactly() -> None:
    assert within([geometric(4), geometric(4)], Budget.pure(0.5))
    assert not within([geometric(4), geometric(Fraction(399, 100))], Budget.pure(0.5))
    assert within([gaussian(1)], Budget.zcdp(0.5))
    assert not within([gaussian(Fraction(99, 100))], Budget.zcdp(0.5))


# What is spent.


def question(usual: Fraction, events: tuple[object, ...] = ()) -> Any:
    return SimpleNamespace(usual=usual, releases=lambda _: events, budget=lambda _: None)


@pytest.mark.parametrize("guess", [0.35, 0.999, 1.0, 1.001, 4.0, 600.0])
def test_the_largest_amount_that_holds_is_found_from_any_guess(guess: float) -> None:
    most, asked = Fraction(1), []

    def keeps(amount: Fraction) -> bool:
        asked.append(amount)
        return amount <= most

    found = _by_halving(question(Fraction(1, 1000)), Fraction(guess), keeps)
    assert found <= most < found * Fraction(1.0005)
    assert len(asked) <= 40


def test_where_no_amount_holds_at_most_the_usual_one_is_returned() -> None:
    found = _by_halving(question(Fraction(1, 10)), Fraction(3), lambda _: False)
    assert found <= Fraction(1, 10)


def test_noise_is_steady_from_three_times_the_longest_move_on() -> None:
    def steady(sigma: float, l2_squared: int) -> bool:
        event = gaussian(Fraction(sigma) ** 2, l2_squared)
        return _Question.is_steady(question(Fraction(1), (event,)), Fraction(1))

    assert steady(3.0, 1)
    assert not steady(2.999, 1)
    # With 5 as squared sensitivity, one number may change by 2 and another by 1.
    assert steady(6.0, 5)
    assert not steady(5.999, 5)


@pytest.mark.parametrize(("scale", "moved"), [(0.7, 1), (3.0, 2), (40.0, 5), (3.0, 150)])
def test_variances_are_compared_in_units_of_the_squared_sensitivity(
    scale: float, moved: int
) -> None:
    q = math.exp(-1 / scale)
    found = _relative_variance(geometric(scale, moved))
    assert found == pytest.approx(2 * q / (1 - q) ** 2 / moved**2, rel=1e-12)
    sigma2 = 50.0 * scale
    assert _relative_variance(gaussian(sigma2, moved)) == pytest.approx(sigma2 / moved, rel=1e-12)


def test_noise_that_is_nearly_never_added_has_no_variance() -> None:
    assert _relative_variance(geometric(Fraction(1, 1000))) == 0.0


@pytest.mark.parametrize("delta", [0.01, 0.3])
def test_amounts_are_tried_from_the_largest_that_delta_could_allow(delta: float) -> None:
    """Half of all outcomes have a loss of ρ or more, so ρ is at most ε − ln(1 − 2 δ)."""
    asked = question(Fraction(1, 10))
    asked.epsilon, asked.delta = Fraction(1), Fraction(delta)
    amounts = list(_descending(asked, Fraction(10)))
    most = 1 - math.log1p(-2 * delta)
    assert most * 0.9999 <= amounts[0] <= most
    assert all(later < earlier for earlier, later in pairwise(amounts))
    assert Fraction(1, 10) < amounts[-1] < Fraction(104, 1000)


@pytest.mark.parametrize("most", [1.0005, 1.0015, 1.0025, 1.0035])
def test_a_refined_amount_holds_for_all_shapes_and_the_longest(most: float) -> None:
    """The next larger amount that was tried, larger by 0.4%, did not hold."""
    asked = question(Fraction(1, 10))
    for strict, loose in (("holds", "may_hold"), ("may_hold", "holds")):
        setattr(asked, strict, lambda amount: amount <= Fraction(most))
        setattr(asked, loose, lambda _: True)
        found = _sharpened(asked, Fraction(1))
        assert found <= Fraction(most)
        assert found >= Fraction(most) - Fraction(11, 10_000)
    asked.holds = asked.may_hold = lambda _: True
    assert _sharpened(asked, Fraction(1)) == Fraction("1.003")


def test_the_largest_amount_that_holds_is_found_by_trying_one_by_one() -> None:
    asked = question(Fraction(1, 10))
    asked.epsilon, asked.delta = Fraction(1), Fraction(1, 100)
    asked.may_hold = lambda _: True
    asked.holds = lambda amount: Fraction(1, 2) <= amount <= Fraction(6, 10)  # not steadily
    found = _one_by_one(asked, Fraction(1, 2))
    assert Fraction(588, 1000) <= found <= Fraction(6, 10)
    asked.holds = lambda _: False
    assert _one_by_one(asked, Fraction(1, 2)) == Fraction(1, 10)


@pytest.mark.parametrize("sigma2", [0.05, 0.3, 1.0, 9.9, 10.1])
def test_the_variance_of_gaussian_noise_is_that_of_whole_numbers(sigma2: float) -> None:
    k = np.arange(-200, 201)
    weights = np.exp(-(k**2) / (2 * sigma2))
    exact = float((k**2 * weights).sum() / weights.sum())
    assert _gaussian_variance(sigma2) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("accounting", [SIMPLE_ACCOUNT, ZCDP_ACCOUNT])
def test_noise_of_a_converted_budget_is_stated_with_its_account(accounting: str) -> None:
    budget = Budget.approximate(1, 1e-6, accounting=accounting)
    assert _by_conversion(budget).accounting == accounting
    assert _by_conversion(Budget.pure(1)).accounting == ""


# Words.


def test_cases_suffice_to_distinguish_a_probability_from_zero_and_one() -> None:
    assert of_a_hundred(0.05, 0.9997) == (10_000, 500, 9_997)
    assert of_a_hundred(0.0004, 0.5) == (10_000, 4, 5_000)
    assert of_a_hundred(0.05, 0.1359) == (100, 5, 14)


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (1e-5, "0.001%"),
        (0.99e-5, "less than 0.001%"),
        (0.99999, "99.999%"),
        (0.999991, "more than 99.999%"),
    ],
)
def test_percentages_beyond_their_limits_are_shown_as_limits(chance: float, words: str) -> None:
    assert _percent(chance, ROUND_CEILING) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.00012, "0.00012"),
        (0.000012, "1.2 × 10⁻⁵"),
        (1_230_000, "1,230,000"),
        (12_300_000, "1.23 × 10⁷"),
    ],
)
def test_numbers_are_plain_from_four_zeros_to_millions(value: float, words: str) -> None:
    assert upper(value) == words


def test_a_guarantee_has_six_digits() -> None:
    assert _rounded_up(1 / 3) == "0.333334"


def test_a_long_word_is_shortened_in_the_message() -> None:
    with pytest.raises(BudgetError, match=f'has no value "{"x" * 40}"'):
        Budget.approximate(1, 1e-6, accounting="x" * 99)


def test_the_delta_of_a_very_high_threshold_is_the_smallest_number_above_zero() -> None:
    for high in (1e9, 1e19):
        assert threshold_delta(threshold(high, scale=1)) == 5e-324
