"""Bounds stay on the safe side and close; a budget is refused only where nothing of it is left."""

import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from support.strategies import binary_places, lomax_flows, regions_of

from hierdp_core.exceptions import BudgetError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.privacy import (
    Allocation,
    Budget,
    GaussianEvent,
    GeometricEvent,
    ThresholdEvent,
)
from hierdp_core.privacy.account import parts_of, total_epsilon, total_rho, within
from hierdp_core.privacy.conversion import (
    _bound_at,
    epsilon_of_rho,
    epsilon_of_rho_tight,
    rho_of_epsilon_tight,
)
from hierdp_core.privacy.meaning import (
    belief,
    conversions,
    highest_chance,
    loss_limit,
    of_a_hundred,
)
from hierdp_core.privacy.numbers import exact_number
from hierdp_core.privacy.published import deployments
from hierdp_core.privacy.rounding import to_decimal, working_digits
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts

LEVELS = ("nation", "state", "county")


def chain(n_levels):
    """Return counts over so many levels with one region each."""
    tree = Hierarchy(parent=np.arange(n_levels) - 1, level_start=np.arange(n_levels + 1))
    return Counts.from_leaves(regions_of(tree), [3])


def with_threshold():
    """Return the plan of a mechanism whose δ is the chance that one record shows."""
    flows = lomax_flows(binary_places(2), 0.5, 0)
    return plan(flows, "stability-histogram", epsilon=1, delta=1e-3)


class TestConversions:
    @pytest.mark.parametrize("rho", ["1e-8", "0.0132", "7"])
    @pytest.mark.parametrize("delta", ["1e-3", "1e-10"])
    def test_the_bound_at_an_order_is_not_below_the_exact_one(self, rho, delta):
        cost = to_decimal(Fraction(rho))
        with working_digits():
            log_inverse = -Decimal(delta).ln()
        for excess in map(Decimal, ("1", "1234.5", "1e7")):
            found = _bound_at(excess, cost, log_inverse)
            with localcontext(prec=200):
                order, width = 1 + excess, -Decimal(delta).ln()
                exact = order * cost + (width - excess.ln()) / excess
                exact -= order * (1 + 1 / excess).ln() / excess
                assert found > exact
            assert float(found) == pytest.approx(float(exact), rel=1e-14)

    @pytest.mark.parametrize(("rho", "delta"), [("1e-10", 0.01), (0, 0.5), ("1e-5", 0.9)])
    def test_no_epsilon_is_negative(self, rho, delta):
        # δ alone covers so small a ρ: by Pinsker's inequality, √(ρ/2) is enough.
        assert math.sqrt(float(rho) / 2) <= delta
        assert epsilon_of_rho_tight(rho, delta=delta) == 0

    def test_a_delta_that_can_hardly_be_told_from_one_has_a_bound(self):
        almost = "0." + "9" * 100
        for rho in ("1e-5", 1, "1e4"):
            bounds = [epsilon_of_rho_tight(rho, delta=delta) for delta in (almost, 0.999)]
            assert 0 <= bounds[0] <= bounds[1] <= epsilon_of_rho(rho, delta=0.999)

    @pytest.mark.parametrize("epsilon", [Fraction(1, 10**4), Fraction(1, 100), Fraction(3)])
    def test_hardly_any_of_a_budget_is_lost(self, epsilon):
        delta = Fraction(1, 10**8)
        rho = rho_of_epsilon_tight(epsilon, delta=delta)
        assert epsilon_of_rho_tight(rho, delta=delta) <= epsilon
        assert epsilon_of_rho_tight(rho * (1 + 2e-9), delta=delta) > epsilon


class TestBudgets:
    def test_a_budget_is_left_as_long_as_one_number_costs_less(self):
        # ε = 1 costs ρ = 0.5.
        assert Budget.zcdp("0.6").less(Fraction(1)).rho == Fraction(1, 10)
        with pytest.raises(BudgetError, match="leaves nothing"):
            Budget.zcdp("0.5").less(Fraction(1))

    def test_a_part_without_weight_is_a_budget_of_0(self):
        assert Budget.pure(1).times(Fraction(0)).words == "ε = 0"

    def test_weights_may_be_whole_numbers_of_any_type(self):
        found = Allocation.of([np.int64(1), 2.0, Fraction(3)], LEVELS)
        assert found == Allocation.of([1, 2, 3], LEVELS)
        assert all(type(weight) is int for weight in found.weights)

    def test_as_many_digits_are_accepted_as_the_message_says(self):
        with pytest.raises(BudgetError, match="too many digits") as refused:
            exact_number("epsilon", "0." + "1" * 1_000)
        (most,) = map(int, re.findall(r"Give (\d+) or fewer", str(refused.value)))
        digits = "1" * most
        assert exact_number("epsilon", f"0.{digits}") == Fraction(int(digits), 10**most)
        with pytest.raises(BudgetError, match="too many digits"):
            exact_number("epsilon", f"0.{digits}1")

    def test_published_budgets_in_epsilon_are_returned_as_published(self):
        stated = [one for one in deployments() if one.rho is None]
        assert stated
        assert all(one.epsilon_at(1e-8) == one.epsilon for one in stated)


class TestMeaning:
    def test_the_loss_of_pure_noise_over_many_levels_has_its_stated_limit(self):
        statement = plan(chain(5), "tree-dp", epsilon=1).privacy
        # ρ = 5 · 0.2²/2 would convert to less than ε = 1 at a large δ.
        assert statement.rho == 0.1
        assert {loss_limit(statement, delta=delta) for delta in (1e-8, 0.3)} == {1.0}

    def test_a_belief_that_is_nearly_certain_is_a_probability(self):
        assert belief(200.0, 0.5).most == 1.0

    def test_geometric_noise_for_epsilon_and_delta_stays_below_the_highest_chance(self):
        made = plan(chain(1), "tree-dp", epsilon=1, delta=1e-8, noise="geometric")
        (event,) = made.events
        q = math.exp(-1 / event.scale)
        for least in range(1, 12):
            without, with_one = q**least / (1 + q), q ** (least - 1) / (1 + q)
            bound = highest_chance(made.privacy, without)
            assert with_one <= bound * (1 + 1e-12)
            assert bound < 1

    def test_the_chance_that_a_record_shows_is_within_the_highest_chance(self):
        made = with_threshold()
        (event,) = made.events
        # Without the record its cell is empty and is never released.
        q, least = math.exp(-1 / event.scale), math.ceil(event.threshold) - 1
        shows = q**least / (1 + q)
        assert shows > 1e-6
        assert shows <= highest_chance(made.privacy, 1e-30)

    def test_a_guarantee_with_a_threshold_is_returned_as_stated(self):
        privacy = with_threshold().privacy
        (found,) = conversions(privacy, delta=1e-8)
        assert (found.name, found.epsilon, found.delta) == ("as stated", 1.0, privacy.delta)
        assert privacy.delta
        assert privacy.delta > 1e-8

    @pytest.mark.parametrize(
        ("without", "at_most", "cases"),
        [
            (0.01, 0.99, (100, 1, 99)),
            (0.0, 0.5, (100, 0, 50)),
            (0.05, 1.0, (100, 5, 100)),
            (0.001, 0.5, (1_000, 1, 500)),
            (1e-15, 0.5, (10**9, 0, 5 * 10**8)),
        ],
    )
    def test_there_are_no_more_cases_than_it_takes(self, without, at_most, cases):
        assert of_a_hundred(without, at_most) == cases


@pytest.mark.parametrize(("budget", "most"), [(Budget.zcdp(1), 1), (Budget.pure(1), 1)])
def test_a_budget_holds_what_it_allows_and_no_more(budget, most):
    def fits(amount):
        if budget.kind == "pure":
            event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=1 / amount)
        else:
            event = GaussianEvent(
                level=0, query="", l2_sensitivity_squared=1, sigma2=1 / (2 * amount)
            )
        return within((event,), budget)

    assert fits(Fraction(most))
    assert not fits(Fraction(most) * Fraction(1001, 1000))
    assert not fits(most + Fraction(1, 10**30))  # which no float tells from the budget


SHAPES = ((2,), (1, 1, 1))
GAUSSIAN = GaussianEvent(
    level=0, query="", l2_sensitivity_squared=4, sigma2=Fraction(9), shapes=SHAPES
)


def test_every_shape_of_an_event_counts_in_its_curve():
    geometric = GeometricEvent(
        level=0, query="", l1_sensitivity=3, scale=Fraction(9), shapes=SHAPES
    )
    assert [part.shapes for part in parts_of((GAUSSIAN, geometric))] == [SHAPES, SHAPES]


def test_a_threshold_beside_other_noise_leaves_no_sum_of_rho_or_epsilon():
    """A sum over the other events would leave out what the threshold costs."""
    threshold = ThresholdEvent(
        level=1, query="", l1_sensitivity=1, scale=Fraction(1), threshold=20.0, created=1, most=1
    )
    assert total_rho((GAUSSIAN,)) is not None
    assert total_rho((GAUSSIAN, threshold)) is None
    assert total_epsilon((GAUSSIAN, threshold)) is None
    assert not within((GAUSSIAN, threshold), Budget.approximate(100, 0.01))


def test_the_tight_conversion_rounds_its_bound_up_to_a_float(monkeypatch):
    bound = 1 + Decimal("1e-20")
    monkeypatch.setattr("hierdp_core.privacy.conversion._bound_at", lambda *_: bound)
    assert Decimal(repr(epsilon_of_rho_tight(0.5, delta=1e-6))) >= bound


def test_all_weights_of_0_name_the_last_level() -> None:
    with pytest.raises(BudgetError, match="at least the last level, county, a weight above 0"):
        Allocation.of((0, 0, 0), ("nation", "state", "county"))


def test_an_unknown_word_is_answered_by_those_that_go_with_the_other() -> None:
    with pytest.raises(BudgetError, match=r"^accounting has no value .*Choose tight") as shown:
        Budget.approximate(1, 1e-6, accounting="loose", noise="geometric")
    assert " or " not in str(shown.value)
    with pytest.raises(BudgetError, match=r"^noise has no value .*geometric"):
        Budget.approximate(1, 1e-6, accounting="tight", noise="pink")
    with pytest.raises(BudgetError, match=r"^noise has no value ") as shown:
        Budget.approximate(1, 1e-6, accounting="zcdp", noise="pink")
    assert "geometric" not in str(shown.value)
