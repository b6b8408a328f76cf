"""What a budget means for one person, compared with the exact distributions of the noise."""

import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from support.strategies import regions_of

from hierdp_core.exceptions import BudgetError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.privacy.meaning import (
    belief,
    between_records,
    conversions,
    highest_chance,
    level_loss_limit,
    limit_delta,
    loss_limit,
    of_a_hundred,
)
from hierdp_core.privacy.published import deployments
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts, Flows

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))


def statement(**budget):
    return plan(Counts.from_leaves(regions_of(TREE), [3, 4]), "tree-dp", **budget).privacy


@given(epsilon=st.sampled_from([0.01, 0.3, 1, 2, 8]), prior=st.floats(0.001, 0.999))
def test_belief_is_bayes_rule_with_the_largest_factor(epsilon, prior):
    found = belief(epsilon, prior)
    for factor, posterior in ((math.exp(epsilon), found.most), (math.exp(-epsilon), found.least)):
        assert posterior == pytest.approx(prior * factor / (prior * factor + 1 - prior))
    assert found.least < prior < found.most


@given(epsilon=st.sampled_from([1e-5, 0.1, 0.7, 1, 3]), thousandths=st.integers(1, 999))
def test_beliefs_are_rounded_outwards_to_the_last_digit(epsilon, thousandths):
    found = belief(epsilon, thousandths / 1000)
    with mpmath.workdps(50):
        prior, factor = mpmath.mpf(thousandths) / 1000, mpmath.exp(mpmath.mpf(repr(epsilon)))
        most = prior * factor / (prior * factor + 1 - prior)
        least = prior / (prior + (1 - prior) * factor)
        # Floats count as the decimals that they print as.
        assert most <= mpmath.mpf(repr(found.most)) <= most * (1 + mpmath.mpf("1e-9"))
        assert least >= mpmath.mpf(repr(found.least)) >= least * (1 - mpmath.mpf("1e-9"))


def test_no_event_of_the_geometric_noise_goes_beyond_the_highest_chance():
    """For ε-DP the bound is attained by the tails of two-sided geometric noise."""
    epsilon = 0.7
    q = math.exp(-epsilon)
    promise = statement(epsilon=epsilon)
    for t in range(12):
        without = q ** (t + 1) / (1 + q)  # P(noise > t)
        with_one = q**t / (1 + q) if t else 1 / (1 + q)  # P(noise > t - 1)
        bound = highest_chance(promise, without)
        assert with_one <= bound + 1e-12
        assert with_one == pytest.approx(bound, rel=1e-9)


@given(
    rho=st.sampled_from([1e-4, 0.0132, 0.3, 2, 20]),
    without=st.floats(1e-6, 1 - 1e-6),
)
def test_no_event_of_gaussian_noise_goes_beyond_the_highest_chance(rho, without):
    bound = highest_chance(statement(rho=rho), without)
    attained = norm.cdf(norm.ppf(without) + math.sqrt(2 * rho))
    assert attained <= bound + 1e-12
    assert bound <= 1
    # The bound is not loose: it is at most what a budget 2.6 times as large attains.
    assert bound <= norm.cdf(norm.ppf(without) + math.sqrt(2 * 2.6 * rho)) + 0.02


@pytest.mark.parametrize("rho", [0.0132, 0.5, 5])
def test_the_loss_of_gaussian_noise_seldom_passes_its_limit(rho):
    for delta in (1e-2, 1e-6):
        limit = loss_limit(statement(rho=rho), delta=delta)
        # The loss of Gaussian noise is N(ρ, 2ρ).
        assert norm.sf((limit - rho) / math.sqrt(2 * rho)) <= delta


@pytest.mark.parametrize("delta", ["1e-12", "1e-20", "1e-6"])
def test_a_belief_holds_at_the_delta_of_the_statement(delta):
    """Texts print the δ of the statement, so the limit is the one at that δ."""
    stated = statement(epsilon=1, delta=delta, noise="gaussian")
    assert loss_limit(stated) == loss_limit(stated, delta=float(delta))
    assert norm.sf((loss_limit(stated) - stated.rho) / math.sqrt(2 * stated.rho)) <= float(delta)
    with_rho = statement(rho=0.1)
    assert loss_limit(with_rho) == loss_limit(with_rho, delta=1e-8)


def test_what_a_threshold_hides_changes_a_belief_too():
    """An absent number is up to 1 / (1 − δ) times as likely where no record brings it about."""
    places = regions_of(TREE)
    table = Flows.from_pairs(places, places, [0], [1], [3])
    stated = plan(table, "stability-histogram", epsilon="0.01", delta="0.3").privacy
    with mpmath.workdps(50):
        exact = mpmath.mpf("0.01") - mpmath.log(mpmath.mpf("0.7"))
        assert exact <= mpmath.mpf(repr(loss_limit(stated))) <= exact * (1 + mpmath.mpf("1e-12"))


def test_the_delta_of_a_limit_is_the_one_that_it_was_computed_with():
    assert limit_delta(statement(epsilon=1), delta=1e-3) is None
    assert limit_delta(statement(rho=1)) == 1e-8
    assert limit_delta(statement(rho=1), delta=1e-3) == 1e-3
    assert limit_delta(statement(epsilon=1, delta="1e-6")) == 1e-6
    assert limit_delta(statement(epsilon=1, delta="1e-6"), delta=1e-3) == 1e-3
    places = regions_of(TREE)
    table = Flows.from_pairs(places, places, [0], [1], [3])
    hidden = plan(table, "stability-histogram", epsilon=1, delta="0.3").privacy
    assert limit_delta(hidden, delta=1e-12) == limit_delta(hidden) == 0.3


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": 0.3}, {"epsilon": 1, "delta": "1e-6"}])
@pytest.mark.parametrize("delta", [1e-2, 1e-10])
def test_a_level_reveals_less_than_all_levels_and_its_noise_keeps_the_limit(budget, delta):
    promise = statement(**budget)
    for level in promise.levels:
        limit = level_loss_limit(promise, level, delta=delta)
        assert 0 < limit < loss_limit(promise, delta=delta)
        if level.epsilon is None:  # the loss of Gaussian noise is N(ρ, 2ρ)
            assert norm.sf((limit - level.rho) / math.sqrt(2 * level.rho)) <= delta
        elif "epsilon" in budget and "delta" not in budget:
            assert limit == level.epsilon


def test_a_level_with_a_threshold_reveals_what_is_absent_and_an_unmeasured_one_nothing():
    places = regions_of(TREE)
    table = Flows.from_pairs(places, places, [0], [1], [3])
    hidden = plan(table, "stability-histogram", epsilon="0.01", delta="0.3").privacy
    measured = [level for level in hidden.levels if level.epsilon]
    assert [level_loss_limit(hidden, level) for level in measured] == [loss_limit(hidden)]
    others = [level for level in hidden.levels if not level.epsilon and not level.rho]
    assert [level_loss_limit(hidden, level) for level in others] == [0.0] * len(others)


def test_the_loss_is_the_stated_one_where_epsilon_is_pure():
    assert loss_limit(statement(epsilon=1.5)) == 1.5
    approximate = statement(epsilon=1, delta=1e-8, accounting="simple")
    assert loss_limit(approximate, delta=1e-8) == pytest.approx(1, abs=1e-9)
    assert loss_limit(approximate, delta=1e-3) < 1
    # The loss of geometric noise never exceeds its ε, whatever kind of budget was stated.
    geometric = statement(epsilon=1, delta=1e-8, noise="geometric")
    assert loss_limit(geometric, delta=1e-12) == 1
    assert highest_chance(geometric, 0.05) <= 0.05 * math.e + 1e-12


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1, 3, 20])
@pytest.mark.parametrize("delta", [1e-12, 1e-8, 1e-3, 0.1])
def test_the_exact_value_of_pure_noise_is_at_most_the_stated_one(epsilon, delta):
    """The grid of the curve sees only a little later that no loss exceeds ε."""
    privacy = statement(epsilon=epsilon)
    by_name = {found.name: found.epsilon for found in conversions(privacy, delta=delta)}
    assert by_name["exact"] <= by_name["as stated"] == epsilon
    # It is still an upper bound. The loss of each of two levels is ε/2 with probability q and
    # −ε/2 otherwise, so that δ = q² (1 − e^(x − ε)) at every x of at least 0.
    q = 1 / (1 + math.exp(-epsilon / 2))
    rest = 1 - delta / q**2
    smallest = max(0.0, epsilon + math.log(rest)) if rest > 0 else 0.0
    assert by_name["exact"] >= smallest * (1 - 1e-12)


def test_conversions_are_named_and_in_order():
    pure = conversions(statement(epsilon=1), delta=1e-8)
    assert [c.name for c in pure] == ["as stated", "simple", "Corollary 13", "exact"]
    # Two levels with half of ε each: ρ = 2 · 0.5²/2.
    assert statement(epsilon=1).rho == 0.25
    assert pure[1].epsilon == pytest.approx(0.25 + 2 * math.sqrt(0.25 * math.log(1e8)))
    assert pure[2].epsilon < pure[1].epsilon
    names = ["simple", "Corollary 13", "exact"]
    assert [c.name for c in conversions(statement(rho=1), delta=1e-8)] == names
    assert [c.name for c in conversions(statement(rho=1), delta=1e-13)] == names[:2]
    sizes = [c.epsilon for c in conversions(statement(rho=1), delta=1e-8)]
    assert sizes == sorted(sizes, reverse=True)
    with pytest.raises(BudgetError, match="delta must lie strictly between 0 and 1, got 0"):
        conversions(statement(rho=1), delta=0)


@given(without=st.floats(1e-7, 1 - 1e-7), at_most=st.floats(1e-7, 1))
def test_probabilities_as_cases_are_close_and_rounded_outwards(without, at_most):
    cases, below, above = of_a_hundred(without, at_most)
    assert 0 <= Fraction(str(without)) * cases - below < 1
    assert 0 <= above - Fraction(str(at_most)) * cases < 1
    # 0 and all cases are returned only for 0 and 1; there are at most 10⁹ cases.
    assert 0 < below < cases
    assert (above == cases) == (at_most > 1 - 1e-9)


@pytest.mark.parametrize("without", ["0.00000001", "0.000000001", "0.000000000001"])
def test_cases_are_as_many_as_a_probability_needs_up_to_a_billion(without):
    needed = min(int(1 / Fraction(without)), 10**9)
    cases, below, above = of_a_hundred(float(without), 0.25)
    assert (cases, below, above) == (needed, int(needed * Fraction(without)), needed // 4)
    far = of_a_hundred(0.25, float(1 - Fraction("0.0000000001")))
    assert far == (10**9, 10**9 // 4, 10**9)


@pytest.mark.parametrize("bad", [0, 1, -0.1, 1.5, math.nan])
def test_a_prior_is_a_probability(bad):
    with pytest.raises(BudgetError, match="The prior must"):
        belief(1.0, bad)


def test_published_budgets_have_one_number_and_the_census_converts_as_stated():
    known = deployments()
    assert len(known) == 34
    assert all((d.epsilon is None) != (d.rho is None) for d in known)
    redistricting = next(d for d in known if d.what == "2020 Census: redistricting data")
    assert redistricting.rho == 2.63
    # As published, ρ = 2.5562 gives ε = 17.14 for persons alone; with housing units it is more.
    assert 17.14 < redistricting.epsilon_at(1e-10) < 17.6
    assert redistricting.like_a_release
    assert not any(d.like_a_release for d in known if "day" in d.period)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 3])
def test_two_records_of_one_person_are_two_changes_apart(epsilon: float) -> None:
    odds = math.exp(2 * epsilon)
    limit = re.search("limit is that of 2ε: from 50% to at most ([0-9.]+)%",
                      between_records(statement(epsilon=epsilon)))  # fmt: skip
    assert limit is not None
    assert odds / (1 + odds) <= float(limit[1]) / 100 < odds / (1 + odds) + 0.011


@pytest.mark.parametrize("budget", [{"epsilon": 1, "delta": 1e-8}, {"rho": 0.1}])
def test_two_changes_have_no_limit_in_percent_without_a_pure_epsilon(
    budget: dict[str, float],
) -> None:
    sentence = between_records(statement(**budget))
    assert sentence.endswith("so the limit is that of two changes, not of one.")


def test_nothing_is_said_of_two_records_where_one_replaces_the_other() -> None:
    regions = regions_of(TREE)
    flows = Flows.from_pairs(regions, regions, [0, 1], [1, 0], [3, 4])
    assert between_records(plan(flows, "inftda", epsilon=1).privacy) == ""
