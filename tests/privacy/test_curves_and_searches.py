"""The parts of accounting one by one: curves, searches and their fallbacks."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hierdp_core as hdp
from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy import Budget, GaussianEvent, GeometricEvent
from hierdp_core.privacy.account import EXACT_CURVE, below
from hierdp_core.privacy.budget import PRESETS
from hierdp_core.privacy.conversion import BUN_STEINKE, TIGHT
from hierdp_core.privacy.losses import Part, _allowed, _falls, _on_grid, composed, deltas_of_rho
from hierdp_core.privacy.meaning import conversions, of_a_hundred
from hierdp_core.privacy.spending import Candidate, _most
from hierdp_core.privacy.statement import _by_conversion

NOISE = GaussianEvent(level=0, query="q", l2_sensitivity_squared=1, sigma2=Fraction(27))
SHIFT = Part(gaussian=True, noise=27.0, shapes=((1,),))
CERTAIN = Part(gaussian=False, noise=0.01, shapes=((1,),))


def delta_of(losses, chances, epsilon):
    """Return δ(ε) of losses by its definition."""
    return float(np.sum(chances * np.maximum(0.0, -np.expm1(epsilon - losses))))


@st.composite
def loss_laws(draw):
    size = draw(st.integers(1, 12))
    losses = draw(st.lists(st.floats(0.01, 8.0), min_size=size, max_size=size))
    weights = draw(st.lists(st.integers(1, 50), min_size=size, max_size=size))
    return np.array(losses), np.array(weights) / (2.0 * sum(weights))


@given(loss_laws(), st.sampled_from([0.25, 0.5, 1.0]), st.integers(1, 6))
def test_decreases_add_up_to_the_curve_beyond_the_grid_too(law, step, n):
    losses, chances = law
    fall, last = _falls(losses, chances, step, n)
    assert len(fall) == n
    for k in range(n + 1):
        curve = last + float(fall[k:].sum())
        assert curve == pytest.approx(delta_of(losses, chances, k * step), rel=1e-9, abs=1e-14)


@dataclass(frozen=True)
class Shapes:
    """A release whose shapes have these losses, some of them beyond its reach."""

    laws: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
    reach: float

    def losses(self):
        for losses, chances in self.laws:
            yield np.array(losses), np.array(chances)


@pytest.mark.parametrize("n_laws", [1, 2])
def test_the_grid_is_nowhere_below_any_shape(n_laws):
    laws = (((0.3, 6.0), (0.3, 0.05)), ((1.1, 1.9), (0.2, 0.15)))[:n_laws]
    chances, certain = _on_grid(Shapes(laws, reach=1.9), 0.5)
    middle = len(chances) // 2
    losses = 0.5 * np.arange(-middle, middle + 1)
    assert certain + chances.sum() == pytest.approx(1.0)
    assert certain > 0
    for epsilon in np.arange(0.0, 2.6, 0.5):
        above = losses > epsilon
        on_grid = certain + delta_of(losses[above], chances[above], epsilon)
        worst = max(delta_of(np.array(x), np.array(p), epsilon) for x, p in laws)
        assert on_grid == pytest.approx(worst, rel=1e-9)


def test_no_epsilon_is_needed_where_delta_covers_the_whole_curve():
    losses = composed((SHIFT,))
    assert losses is not None
    whole = losses.delta(0.0)
    assert losses.epsilon(whole) == 0.0
    assert losses.epsilon(2 * whole) == 0.0
    assert losses.epsilon(whole * 0.999) > 0.0


def test_a_small_epsilon_is_found_to_many_digits():
    losses = composed((Part(gaussian=True, noise=1e8, shapes=((1,),)),))
    assert losses is not None
    delta = losses.delta(1e-4)
    epsilon = losses.epsilon(delta)
    assert epsilon == pytest.approx(1e-4, rel=1e-9)
    assert losses.delta(epsilon) <= delta


def test_no_delta_exceeds_one_and_all_include_an_allowance():
    losses = composed((CERTAIN,))
    assert losses is not None
    assert losses.delta(0.0) == 1.0
    assert losses.deltas(np.array([0.0, 1.0])).tolist() == [1.0, 1.0]
    assert deltas_of_rho(50.0, np.array([0.0])).max() <= 1.0
    assert _allowed(0.5) - 0.5 >= 0.5e-8


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=1000))
def test_a_fraction_is_rounded_down_to_a_float(value):
    number = below(value)
    assert Fraction(number) <= value < Fraction(math.nextafter(number, math.inf))


def test_one_number_costs_half_its_squared_epsilon_in_rho():
    assert Budget.zcdp(Fraction("0.1")).less(Fraction("0.4")).rho == Fraction("0.02")
    with pytest.raises(BudgetError, match="leaves nothing"):
        Budget.zcdp(Fraction("0.08")).less(Fraction("0.4"))


@pytest.mark.parametrize(
    "levels", [("state", "county"), ("nation", "state", "county", "tract"), ("nation", "province")]
)
def test_the_allocation_of_2020_fits_only_its_own_levels(levels):
    (census,) = (preset for preset in PRESETS if "census" in preset.id)
    assert census.weights_for(("nation", "state", "county")) == (104, 1440, 447)
    assert census.weights_for(levels) is None


@pytest.mark.parametrize(("at_most", "cases"), [(0.99, 100), (0.991, 1000)])
def test_there_are_as_many_cases_as_needed(at_most, cases):
    assert of_a_hundred(0.05, at_most) == (cases, cases // 20, round(at_most * cases))


def test_a_candidate_names_the_unit_of_what_it_spends():
    one = Candidate(
        noise="gaussian", amount=Fraction(1, 3), variance=1.0, chosen=True, source=EXACT_CURVE
    )
    assert one.as_dict()["rho"] == 0.33333333333333337
    assert "epsilon" not in one.as_dict()
    other = replace(one, noise="geometric").as_dict()
    assert other["epsilon"] == 0.33333333333333337
    assert "rho" not in other


@dataclass
class Question:
    """A question with known answers; what the longest shape alone allows is too much."""

    is_gaussian: bool
    usual: Fraction = Fraction(1, 50)
    epsilon: Fraction = Fraction(1)
    delta: Fraction = Fraction(1, 10**8)
    sample: tuple[GaussianEvent, ...] = (NOISE,)
    generous: Fraction = Fraction(3, 100)

    def is_steady(self, amount):
        return True

    def may_hold(self, amount):
        return amount <= self.generous

    def holds(self, amount):
        return amount <= Fraction(24, 1000)


@pytest.mark.parametrize("is_gaussian", [True, False])
@pytest.mark.parametrize("generous", [Fraction(3, 100), Fraction(24, 1000)])
def test_what_the_longest_shape_alone_allows_is_not_spent(is_gaussian, generous):
    found, source = _most(Question(is_gaussian=is_gaussian, generous=generous))
    assert source == EXACT_CURVE
    assert Fraction(24, 1000) / Fraction("1.001") <= found <= Fraction(24, 1000)


def test_statements_show_epsilon_at_delta_only_if_it_is_noticeably_smaller():
    table = hdp.samples.load("us-population").table
    pure, zcdp, approximate = (
        hdp.plan(table, "tree-dp", budget=budget).privacy
        for budget in (Budget.pure(3), Budget.zcdp(0.5), Budget.approximate(1, 1e-6))
    )
    assert approximate.as_approximate == ""
    assert pure.as_approximate == ""
    assert zcdp.as_approximate.startswith("At δ = 10⁻⁸ this is ε = 5.7")
    many = tuple(
        GeometricEvent(level=0, query="q", l1_sensitivity=1, scale=Fraction(10)) for _ in range(30)
    )
    assert replace(pure, events=many).as_approximate.startswith("At δ = 10⁻⁸ this is ε = 2.")
    few = tuple(
        GeometricEvent(level=0, query="q", l1_sensitivity=2, scale=Fraction(8), shapes=((1, 1),))
        for _ in range(4)
    )
    hardly = replace(pure, epsilon=1, events=few)
    assert 0.99 < hardly.epsilon_at(1e-8).epsilon < 1
    assert hardly.as_approximate == ""


def test_pure_guarantees_are_stated_without_delta():
    table = hdp.samples.load("us-population").table
    found = conversions(hdp.plan(table, "tree-dp", epsilon=1).privacy, delta=1e-8)
    assert (found[0].name, found[0].epsilon, found[0].delta) == ("as stated", 1.0, 0.0)


def test_a_conversion_names_its_source():
    simple = _by_conversion(Budget.approximate(1, 1e-8, accounting="simple"))
    assert (simple.source, simple.accounting) == (BUN_STEINKE, "simple")
    tight = _by_conversion(Budget.approximate(1, 1e-8, accounting="zcdp"))
    assert (tight.source, tight.accounting) == (TIGHT, "zcdp")
