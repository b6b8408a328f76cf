"""Tight accounting proves every amount that it spends, and leaves hardly any of a budget unused."""

import math
from fractions import Fraction

import pytest

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy import Allocation, Budget, Event, GeometricEvent, Sensitivity, level_events
from hierdp_core.privacy.account import holds
from hierdp_core.privacy.budget import GAUSSIAN_NOISE, GEOMETRIC_NOISE
from hierdp_core.privacy.shapes import MOST_SHAPES, largest_shapes, unit_shape
from hierdp_core.privacy.spending import Releases, _question, _typical_variance, spending

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
        of_levels = []
        for event in releases(spent):
            if is_gaussian:
                weights = {k: math.exp(-k * k / (2 * float(event.sigma2))) for k in range(200)}
            else:
                weights = {k: math.exp(-k / float(event.scale)) for k in range(2000)}
            mass = 2 * sum(weights.values()) - 1
            of_levels.append(2 * sum(k * k * w for k, w in weights.items()) / mass / moved)
        # Both levels have the same noise, so its variance is the typical one.
        assert len(of_levels) == 2
        assert all(math.isclose(candidate.variance, one, rel_tol=1e-9) for one in of_levels)


def test_the_typical_variance_is_a_geometric_mean() -> None:
    def events(*scales: Fraction) -> tuple[Event, ...]:
        return tuple(
            GeometricEvent(level=k, query="", l1_sensitivity=1, scale=scale)
            for k, scale in enumerate(scales)
        )

    def variance(scale: Fraction) -> float:
        q = math.exp(-1 / scale)
        return 2 * q / (1 - q) ** 2

    few, many, none = Fraction(2), Fraction(50), Fraction(1, 1000)
    of_few, of_many = variance(few), variance(many)
    cases = {
        (few,): of_few,
        (many, many, many): of_many,
        (few, many): math.sqrt((1 + of_few) * (1 + of_many)) - 1,
        (none, many): math.sqrt(1 + of_many) - 1,  # a number without noise does not make it 0
    }
    for scales, typical in cases.items():
        assert math.isclose(_typical_variance(events(*scales)), typical, rel_tol=1e-12)


def uneven(trips: int, *, levels: int) -> Releases:
    """Return the events of a person with distinct trips, which may share areas above the last."""
    names = tuple(f"level {k}" for k in range(levels))
    above = Sensitivity(l1=trips, l2_squared=trips**2)
    last = Sensitivity(l1=trips, l2_squared=trips, shapes=unit_shape(trips))

    def events(budget: Budget) -> tuple[Event, ...]:
        return level_events(
            budget,
            Allocation.of(None, names),
            query="counts",
            levels=names,
            sensitivities=(above,) * (levels - 1) + (last,),
        )

    return events


@pytest.mark.parametrize(
    ("levels", "trips", "noise"),
    [(3, 25, GEOMETRIC_NOISE), (5, 25, GEOMETRIC_NOISE), (3, 150, GAUSSIAN_NOISE)],
)
def test_the_last_level_of_distinct_trips_does_not_decide_alone(
    levels: int, trips: int, noise: str
) -> None:
    # Gaussian noise has the smaller sum of variances in units of the squared sensitivity.
    # With 25 trips, it has over twice the variance of geometric noise at all levels but the last.
    candidates = spending(Budget.approximate(1, "1e-8"), uneven(trips, levels=levels)).candidates
    assert [one.noise for one in candidates if one.chosen] == [noise]


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
