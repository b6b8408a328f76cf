"""Bounds at their limits: certainty, the smallest δ, levels that are not measured."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from hierdp_core.privacy import Budget, GaussianEvent, GeometricEvent
from hierdp_core.privacy.account import EXACT_CURVE, LEAST_DELTA, all_priced, holds
from hierdp_core.privacy.meaning import _highest_of_epsilon, belief
from hierdp_core.privacy.published import deployments
from hierdp_core.privacy.spending import spending
from hierdp_core.privacy.statement import _level_privacy

NOISE = GaussianEvent(level=0, query="q", l2_sensitivity_squared=1, sigma2=Fraction(27))


def released(budget: Budget) -> tuple[GaussianEvent | GeometricEvent, ...]:
    """Return the event of a single count with the noise of a budget."""
    if budget.rho is not None:
        sigma2 = 1 / (2 * budget.rho)
        return (GaussianEvent(level=0, query="q", l2_sensitivity_squared=1, sigma2=sigma2),)
    assert budget.epsilon is not None
    scale = 1 / budget.epsilon
    return (GeometricEvent(level=0, query="q", l1_sensitivity=1, scale=scale),)


def test_no_belief_exceeds_one() -> None:
    assert belief(60.0, 0.999).most == 1.0


@pytest.mark.parametrize(("x", "delta"), [(0.6, 0.1), (0.3, 0.05), (0.89, 0.1)])
def test_the_highest_chance_leaves_room_for_delta(x: float, delta: float) -> None:
    bounds = _highest_of_epsilon(Decimal(1), Decimal(str(delta)), Decimal(str(x)))
    expected = [math.e * x + delta, 1 - math.exp(-1) * (1 - x - delta)]
    assert [float(bound) for bound in bounds] == pytest.approx(expected, rel=1e-12)


def test_no_probability_exceeds_one_where_delta_covers_the_rest() -> None:
    _, without = _highest_of_epsilon(Decimal(1), Decimal("0.1"), Decimal("0.95"))
    assert without == pytest.approx(Decimal(1))


def test_the_exact_curve_holds_at_the_least_delta_and_not_below() -> None:
    epsilon = Fraction(3)
    assert holds((NOISE,), epsilon, LEAST_DELTA)
    assert not holds((NOISE,), epsilon, LEAST_DELTA / 2)
    sources = [
        {bound.source for bound in all_priced((NOISE,), delta)}
        for delta in (LEAST_DELTA, LEAST_DELTA / 2)
    ]
    assert EXACT_CURVE in sources[0]
    assert EXACT_CURVE not in sources[1]


def test_the_least_delta_of_the_exact_curve_is_one_in_a_trillion() -> None:
    assert holds((NOISE,), Fraction(3), Fraction(1, 10**12))
    assert not holds((NOISE,), Fraction(3), Fraction(9, 10**13))


def test_a_plan_at_the_least_delta_has_the_exact_account() -> None:
    at_least = spending(Budget.approximate(1, LEAST_DELTA, noise="gaussian"), released)
    assert at_least.source == EXACT_CURVE
    below = spending(Budget.approximate(1, LEAST_DELTA / 2, noise="gaussian"), released)
    assert below.source != EXACT_CURVE


def test_a_plan_far_above_any_protection_has_no_exact_account() -> None:
    known = spending(Budget.approximate(500, "1e-6", noise="gaussian"), released)
    assert known.source == EXACT_CURVE
    beyond = spending(Budget.approximate(501, "1e-6", noise="gaussian"), released)
    assert beyond.source != EXACT_CURVE


@pytest.mark.parametrize("delta", [Fraction(1, 10**6), Fraction(1, 20)])
def test_the_noise_with_the_least_variance_is_chosen(delta: Fraction) -> None:
    candidates = spending(Budget.approximate(2, delta), released).candidates
    (chosen,) = (one for one in candidates if one.chosen)
    assert len(candidates) == 2
    assert chosen.variance == min(one.variance for one in candidates)


def test_a_level_that_is_not_measured_has_no_cost_and_no_sensitivity() -> None:
    level = _level_privacy("state", None, None)
    assert (level.share, level.epsilon, level.rho, level.sensitivity) == ("0", None, None, 0.0)
    assert level.scale == "not measured"


def test_published_budgets_in_rho_have_a_gaussian_epsilon_and_others_do_not() -> None:
    for deployment in deployments():
        exact = deployment.gaussian_epsilon_at(1e-10)
        if deployment.rho is None:
            assert exact is None
        else:
            assert exact is not None
            assert 0 < exact <= deployment.epsilon_at(1e-10)
