import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy import (
    LARGEST_SHARE,
    PRESETS,
    Allocation,
    Budget,
    GaussianEvent,
    GeometricEvent,
    Invariant,
    Neighbours,
    Sensitivity,
    ThresholdEvent,
    epsilon_of_rho,
    epsilon_of_rho_tight,
    event_delta,
    event_epsilon,
    event_rho,
    level_events,
    rho_of_epsilon,
    state_privacy,
    total_epsilon,
    total_rho,
)
from hierdp_core.privacy.numbers import not_negative, probability, within_range

LEVELS = ("nation", "state", "county")
budgets = st.floats(1e-3, 100)
deltas = st.sampled_from([1e-3, 1e-8, 1e-10])
weights = st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(lambda w: w[-1] > 0)


# Published figures of the 2020 Census: redistricting data by the tight conversion, the
# Demographic and Housing Characteristics File by the simple one.
@pytest.mark.parametrize(
    ("convert", "rho", "published"),
    [
        (epsilon_of_rho_tight, 2.5562, 17.14),
        (epsilon_of_rho_tight, 0.0749, 2.47),
        (epsilon_of_rho, 4.9622, 26.34),
        (epsilon_of_rho, 7.7005, 34.33),
    ],
)
def test_conversions_give_the_published_census_figures(convert, rho, published):
    assert round(convert(rho, delta=1e-10), 2) == published


@pytest.mark.parametrize(("epsilon", "rho"), [(0.1, 1.3535e-4), (1, 0.0132154), (10, 1.07988)])
def test_rho_of_epsilon_gives_the_figures_of_the_flow_paper(epsilon, rho):
    assert math.isclose(rho_of_epsilon(epsilon, delta=1e-8), rho, rel_tol=5e-6)


@given(rho=budgets, delta=deltas)
def test_the_tight_conversion_is_never_above_the_simple_one(rho, delta):
    assert 0 <= epsilon_of_rho_tight(rho, delta=delta) <= epsilon_of_rho(rho, delta=delta)


@given(rho=st.floats(1e-4, 20), delta=deltas, order=st.floats(1.0001, 500))
def test_the_tight_conversion_is_the_least_over_orders(rho, delta, order):
    log_delta = math.log(delta)
    bound = order * rho + (-log_delta - math.log(order - 1) + order * math.log1p(-1 / order)) / (
        order - 1
    )
    assert epsilon_of_rho_tight(rho, delta=delta) <= max(bound, 0) + 1e-6 * abs(bound)


@given(epsilon=budgets, delta=deltas)
def test_rho_of_epsilon_never_overspends(epsilon, delta):
    rho = rho_of_epsilon(epsilon, delta=delta)
    back = epsilon_of_rho(rho, delta=delta)
    assert back <= epsilon
    assert math.isclose(back, epsilon, rel_tol=1e-9)


@given(epsilon=budgets, split=weights)
def test_levels_add_up_to_exactly_the_budget(epsilon, split):
    budget, allocation = Budget.of(epsilon=epsilon), Allocation.of(split, LEVELS)
    events = level_events(
        budget,
        allocation,
        query="counts",
        levels=LEVELS,
        sensitivities=(Sensitivity(l1=2, l2_squared=2),) * 3,
    )
    assert total_epsilon(events) == budget.epsilon
    assert len(events) == sum(w > 0 for w in split)
    assert sum(allocation.fractions) == 1


@given(rho=budgets, split=weights)
def test_gaussian_levels_add_up_to_exactly_the_budget(rho, split):
    budget, allocation = Budget.of(rho=rho), Allocation.of(split, LEVELS)
    events = level_events(
        budget,
        allocation,
        query="counts",
        levels=LEVELS,
        sensitivities=(Sensitivity(l1=2, l2_squared=2),) * 3,
    )
    assert total_rho(events) == budget.rho
    assert total_epsilon(events) is None


def test_costs_of_events():
    geometric = GeometricEvent(level=0, query="q", l1_sensitivity=2, scale=Fraction(6))
    gaussian = GaussianEvent(level=0, query="q", l2_sensitivity_squared=1, sigma2=Fraction(9))
    assert event_epsilon(geometric) == Fraction(1, 3)
    assert event_rho(geometric) == Fraction(1, 18)
    assert event_rho(gaussian) == Fraction(1, 18)
    assert event_epsilon(gaussian) is None
    with pytest.raises(BudgetError, match="event of type str"):
        event_epsilon("laplace")
    with pytest.raises(BudgetError, match="event of type str"):
        event_rho("laplace")


@pytest.mark.parametrize(
    ("given_as", "words", "kind"),
    [
        ({"epsilon": 0.1}, "ε = 0.1", "pure"),
        ({"epsilon": "1"}, "ε = 1", "pure"),
        ({"epsilon": 1, "delta": 1e-8}, "ε = 1, δ = 10⁻⁸", "approximate"),
        ({"rho": 0.5}, "ρ = 0.5", "zcdp"),
        ({"epsilon": "1.2345644"}, "ε = 1.2345644", "pure"),
        ({"epsilon": "0.12345678901234567890123"}, "ε = 0.12345678901234568", "pure"),
        ({"epsilon": 10_000}, "ε = 10,000", "pure"),
    ],
)
def test_budgets_keep_what_was_stated(given_as, words, kind):
    budget = Budget.of(**given_as)
    assert (budget.words, budget.kind) == (words, kind)


def test_a_tenth_is_a_tenth():
    assert Budget.of(epsilon=0.1).epsilon == Fraction(1, 10)


@pytest.mark.parametrize("name", ["epsilon", "rho"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "must lie between"),
        (-1, "must lie between"),
        (float("nan"), "must be finite"),
        (float("inf"), "must be finite"),
        ("1e99999999", "is far out of range"),
        ("1e-99999999", "is far out of range"),
        ("9" * 2000, "is far out of range"),
        ("1." + "1" * 400, "has too many digits. Give 400 or fewer."),
        ("lots", 'must be a number, got "lots"'),
        (True, "must be a number"),
        (1e-9, "must lie between 0.00001 and 10,000"),
        (1e9, "must lie between 0.00001 and 10,000"),
    ],
)
def test_budgets_that_cannot_be_spent_are_refused(name, value, message):
    with pytest.raises(BudgetError, match=f"^{name} {message}"):
        Budget.of(**{name: value})


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({}, "State a budget"),
        ({"delta": 1e-8}, "delta alone is not a budget"),
        ({"epsilon": 1, "rho": 1}, "State the budget once"),
        ({"epsilon": 1, "delta": 0}, "delta must lie strictly between 0 and 1, got 0"),
        ({"epsilon": 1, "delta": 1}, "strictly between"),
        ({"rho": 1, "delta": 1e-8}, "State the budget once"),
    ],
)
def test_a_budget_is_stated_once(stated, message):
    with pytest.raises(BudgetError, match=message):
        Budget.of(**stated)


def test_conversions_refuse_what_is_out_of_range():
    with pytest.raises(BudgetError, match="rho must not be negative"):
        epsilon_of_rho(-1, delta=1e-8)
    with pytest.raises(BudgetError, match="delta must lie strictly"):
        epsilon_of_rho_tight(1, delta=1)
    assert epsilon_of_rho_tight(0, delta=1e-8) == 0


@pytest.mark.parametrize(
    ("given_as", "message"),
    [
        (
            [1, 1],
            "2 weights. Give one for each level that can get noise: nation, state, county",
        ),
        ([1, -1, 1], "cannot be negative; state has -1"),
        ([1, 0.5, 1], "whole numbers; state has 0.5"),
        ([1, "x", 1], "whole numbers; state has x"),
        ([1, float("nan"), 1], "whole numbers; state has nan"),
        ([1, float("inf"), 1], "whole numbers; state has inf"),
        ([0, 0, 0], "All weights are 0. Give at least the last level"),
        ([1, 1, 0], "last level, county, has the weight 0"),
        ([1, LARGEST_SHARE + 1, 1], "go up to 10,000; state has 10001"),
        ([True, 1, 1], "whole numbers; nation has True"),
    ],
)
def test_invalid_weights_are_refused_by_level(given_as, message):
    with pytest.raises(BudgetError, match=message):
        Allocation.of(given_as, LEVELS)


def test_presets_name_every_level_from_the_root_down():
    weights = {p.id: p.weights_for(LEVELS) for p in PRESETS}
    assert weights == {
        "even": (1, 1, 1),
        "top": (4, 2, 1),
        "bottom": (1, 2, 4),
        "census-2020": (104, 1440, 447),
    }
    five = ("nation", "region", "division", "state", "county")
    assert PRESETS[-1].weights_for(five) == (104, 0, 0, 1440, 447)
    assert PRESETS[-1].weights_for(("city", "borough", "zone")) is None
    for preset in PRESETS:
        Allocation.of(preset.weights_for(five), five)


def test_a_statement_shows_what_each_level_spends():
    budget, allocation = Budget.of(epsilon=1), Allocation.of([1, 0, 3], LEVELS)
    events = level_events(
        budget,
        allocation,
        query="counts",
        levels=LEVELS,
        sensitivities=(Sensitivity(l1=1, l2_squared=1),) * 3,
    )
    statement = state_privacy(
        events,
        budget=budget,
        allocation=allocation,
        levels=LEVELS,
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        unit="one person",
        invariants=(Invariant(text="the list of areas"),),
    )
    assert [level.epsilon for level in statement.levels] == [0.25, None, 0.75]
    assert statement.levels[1].scale == "not measured"
    assert statement.guarantee == "ε = 1 (pure DP)"
    assert statement.sentence == (
        "ε = 1 (pure DP). Neighbouring datasets differ by adding or removing one person. No "
        "outcome is more than 2.72 times as likely with one of them as with the other. Treated as "
        "public: the list of areas."
    )
    with pytest.raises(BudgetError, match=r"would spend more than ε = 0\.5"):
        state_privacy(
            events,
            budget=Budget.of(epsilon=0.5),
            allocation=allocation,
            levels=LEVELS,
            neighbours=Neighbours.ADD_OR_REMOVE_ONE,
            unit="one person",
            invariants=(),
        )


def test_a_budget_is_made_by_the_name_of_its_guarantee() -> None:
    assert Budget.pure(1) == Budget.of(epsilon=1)
    assert Budget.approximate(1, 1e-8) == Budget.of(epsilon=1, delta=1e-8)
    assert Budget.zcdp(0.5) == Budget.of(rho=0.5)
    with pytest.raises(BudgetError, match="delta"):
        Budget.approximate(1, 2)


@pytest.mark.parametrize("threshold", [2.0, 1.5, 0.0])
def test_a_threshold_that_one_record_reaches_alone_hides_nothing(threshold: float) -> None:
    event = ThresholdEvent(
        level=0,
        query="flows",
        l1_sensitivity=2,
        scale=Fraction(2),
        threshold=threshold,
        created=1,
        most=2,
    )
    assert event_delta(event) == 1.0


def test_noise_without_a_threshold_has_no_delta() -> None:
    event = GeometricEvent(level=0, query="counts", l1_sensitivity=1, scale=Fraction(1))
    assert event_delta(event) == 0


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("delta", "Give a small probability, such as 0.00000001."), ("The prior", "Correct it.")],
)
def test_a_probability_outside_its_range_is_refused_with_a_remedy(name, remedy):
    with pytest.raises(BudgetError) as refused:
        probability(name, 1)
    assert str(refused.value) == f"{name} must lie strictly between 0 and 1, got 1. {remedy}"


@pytest.mark.parametrize("check", [within_range, not_negative])
def test_a_number_outside_its_range_is_refused_with_a_remedy(check):
    with pytest.raises(BudgetError, match=r"got -1\. Give "):
        check("rho", -1)
