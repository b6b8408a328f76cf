"""Tight accounting proves every amount that it spends, and leaves hardly any of a budget unused."""

import math
from fractions import Fraction

import pytest

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy import Allocation, Budget, Event, GeometricEvent, Sensitivity, level_events
from hierdp_core.privacy.account import holds
from hierdp_core.privacy.budget import GAUSSIAN_NOISE, GEOMETRIC_NOISE
from hierdp_core.privacy.shapes import MOST_SHAPES, largest_shapes
from hierdp_core.privacy.spending import Releases, _question, spending

FIXED = Fraction(1, 10)  # the ε of one number whose noise does not depend on the budget


def released(*, levels: int, moved: int = 1, fixed: Fraction | None = None) -> Releases:
    """Return the events of counts where one record changes `moved` cells of each level by 1."""
    names = tuple(f"level {k}" for k in range(levels))

    def events(budget: Budget) -> tuple[Event, ...]:
        one: tuple[Event, ...] = ()
        if fixed is not None:
            budget = budget.less(fixed)
            one = (GeometricEvent(level=None, query="size", l1_sensitivity=1, scale=1 / fixed),)
        return one + level_events(
            budget,
            Allocation.of(None, names),
            query="counts",
            levels=names,
            sensitivities=(Sensitivity(l1=moved, l2_squared=moved),) * levels,
        )

    return events


@pytest.mark.parametrize(
    ("levels", "epsilon", "delta"),
    [(1, 1, "0.001"), (1, 10, "0.001"), (1, 14, "1e-6"), (1, 20, "1e-6"), (3, 60, "1e-8")],
)
def test_no_larger_amount_of_gaussian_noise_would_do(levels: int, epsilon: int, delta: str) -> None:
    # Here σ is so small that some amounts fail although larger ones hold.
    releases = released(levels=levels)
    budget = Budget.approximate(epsilon, delta, noise=GAUSSIAN_NOISE)
    assert budget.epsilon is not None
    assert budget.delta is not None
    found = spending(budget, releases).budget.rho
    assert found is not None
    assert holds(releases(Budget(rho=found)), budget.epsilon, budget.delta)
    # With ρ from here on, half of all outcomes have a loss so far above ε that δ is exceeded.
    largest = epsilon - math.log1p(-2 * float(delta))
    amount = float(found) * 1.005
    while amount < largest:
        events = releases(Budget(rho=Fraction(amount)))
        assert not holds(events, budget.epsilon, budget.delta), amount / float(found)
        amount *= 1.005


@pytest.mark.parametrize("noise", [GAUSSIAN_NOISE, GEOMETRIC_NOISE])
def test_an_amount_far_above_the_budget_is_not_proved(noise: str) -> None:
    budget = Budget.approximate(1, "1e-8", noise=noise)
    assert budget.spendable_rho is not None
    usual = budget.spendable_rho if noise == GAUSSIAN_NOISE else Fraction(1)
    question = _question(budget, noise, usual, released(levels=3))
    assert question.holds(usual * Fraction("0.99"))
    assert not question.holds(2 * usual)
    assert not question.may_hold(2 * usual)


def test_an_amount_below_the_cost_of_a_fixed_part_allows_nothing() -> None:
    budget = Budget.approximate(1, "1e-8", noise=GAUSSIAN_NOISE)
    assert budget.spendable_rho is not None
    question = _question(
        budget, GAUSSIAN_NOISE, budget.spendable_rho, released(levels=3, fixed=FIXED)
    )
    assert len(question.events(budget.spendable_rho)) == 4
    too_little = FIXED**2 / 2
    assert question.events(too_little) == ()
    assert not question.holds(too_little)
    assert not question.may_hold(too_little)


@pytest.mark.parametrize(("epsilon", "delta"), [(1, "1e-8"), (10, "0.001")])
@pytest.mark.parametrize("moved", [1, 3])
def test_kinds_of_noise_are_compared_by_their_true_variance(
    epsilon: int, delta: str, moved: int
) -> None:
    releases = released(levels=2, moved=moved)
    for candidate in spending(Budget.approximate(epsilon, delta), releases).candidates:
        is_gaussian = candidate.noise == GAUSSIAN_NOISE
        spent = Budget(rho=candidate.amount) if is_gaussian else Budget(epsilon=candidate.amount)
        expected = 0.0
        for event in releases(spent):
            if is_gaussian:
                weights = {k: math.exp(-k * k / (2 * float(event.sigma2))) for k in range(200)}
            else:
                weights = {k: math.exp(-k / float(event.scale)) for k in range(2000)}
            mass = 2 * sum(weights.values()) - 1
            expected += 2 * sum(k * k * w for k, w in weights.items()) / mass / moved
        assert math.isclose(candidate.variance, expected, rel_tol=1e-9)


def partitions(total: int) -> int:
    ways = [1] + [0] * total
    for part in range(1, total + 1):
        for k in range(part, total + 1):
            ways[k] += ways[k - part]
    return ways[total]


@pytest.mark.parametrize("l1", [10, 11, 17])
def test_every_shape_of_a_record_with_many_trips_is_listed(l1: int) -> None:
    shapes = largest_shapes(l1, at_most=MOST_SHAPES)
    assert shapes is not None
    assert len(set(shapes)) == len(shapes) == partitions(l1)
    assert all(sum(shape) == l1 for shape in shapes)
    few = largest_shapes(10_000, 2, at_most=MOST_SHAPES)
    assert few == ((1, 1),)


def test_noise_without_room_for_a_fixed_part_is_no_candidate() -> None:
    # The part costs ε = 0.3, or ρ = 0.045. Gaussian noise has less ρ than that here.
    releases = released(levels=2, fixed=Fraction(3, 10))
    found = spending(Budget.approximate(1, "1e-6"), releases)
    assert found.budget.epsilon is not None
    assert found.budget.epsilon >= 1
    assert [candidate.noise for candidate in found.candidates] == [GEOMETRIC_NOISE]
    with pytest.raises(BudgetError, match="leaves nothing"):
        spending(Budget.approximate(1, "1e-6", noise=GAUSSIAN_NOISE), releases)
    with pytest.raises(BudgetError, match=r"leaves nothing of the budget, ε = 0\.2"):
        spending(Budget.approximate("0.2", "1e-6"), releases)
