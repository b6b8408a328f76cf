"""A statement shows every part of the guarantee, and marks what the guarantee does not cover."""

from decimal import Decimal
from fractions import Fraction

import pytest

from hierdp_core.privacy import (
    Allocation,
    Budget,
    Event,
    GaussianEvent,
    GeometricEvent,
    Invariant,
    Neighbours,
    PrivacyStatement,
    Sensitivity,
    level_events,
    state_privacy,
)
from hierdp_core.privacy.account import EXACT_CURVE
from hierdp_core.privacy.rounding import root_down, root_up

LEVELS = ("nation", "state", "county")


def statement(
    budget: Budget,
    *,
    weights: tuple[int, ...] = (1, 1, 1),
    more: tuple[Event, ...] = (),
    invariants: tuple[Invariant, ...] = (),
    true: int = 1,
    published: int = 1,
) -> PrivacyStatement:
    """Return a statement; noise for the sensitivity `published`, though it is `true`."""
    allocation = Allocation.of(weights, LEVELS)
    events = level_events(
        budget,
        allocation,
        query="counts",
        levels=LEVELS,
        sensitivities=(Sensitivity(l1=true, l2_squared=true),) * 3,
        calibrate_to=(Sensitivity(l1=published, l2_squared=published),) * 3,
    )
    return state_privacy(
        events + more,
        budget=budget,
        allocation=allocation,
        levels=LEVELS,
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        unit="one person",
        invariants=invariants,
        states_what_is_spent=true > published or bool(more),
    )


def test_facts_taken_from_the_data_are_marked_and_not_covered() -> None:
    facts = (
        Invariant(text="the list of areas"),
        Invariant(text="the maximum group size, 7", taken_from_data=True),
    )
    taken = statement(Budget.pure(1), invariants=facts)
    assert taken.invariants[0] == "the list of areas"
    assert taken.invariants[1].startswith("the maximum group size, 7")
    assert "taken from the data" in taken.invariants[1]
    assert taken.taken_from_data == taken.invariants[1:]
    assert taken.as_dict()["taken_from_data"] == [taken.invariants[1]]
    assert "this guarantee does not cover that" in taken.sentence
    stated = statement(Budget.pure(1), invariants=facts[:1])
    assert stated.taken_from_data == ()
    assert "not cover" not in stated.sentence


def test_a_false_claim_is_stated_in_numbers_and_not_converted() -> None:
    false = statement(Budget.pure(1), true=2, published=1)
    assert (false.claimed, false.claimed_epsilon, false.epsilon) == ("ε = 1", 1.0, 2.0)
    assert false.as_dict()["claimed_epsilon"] == 1.0
    for honest in (statement(Budget.pure(1)), statement(Budget.approximate(1, "1e-8"))):
        assert (honest.claimed, honest.claimed_epsilon) == ("", None)
    in_rho = statement(Budget.zcdp(1), true=2, published=1)
    assert in_rho.claimed == "ρ = 1"
    assert in_rho.claimed_epsilon is None
    assert in_rho.as_approximate == ""
    assert statement(Budget.zcdp(1)).as_approximate


def test_a_guarantee_with_delta_is_not_converted_to_another_delta() -> None:
    for delta in ("1e-6", "1e-12"):  # at a larger δ, less ε would do
        assert statement(Budget.approximate(1, delta)).as_approximate == ""


def test_the_method_of_a_budget_with_delta_is_its_conversion() -> None:
    shown = statement(Budget.approximate(1, "1e-6"))
    assert shown.conversion
    assert shown.method == shown.conversion


# Where a record can change a million cells, there are too many shapes for the exact curve.
@pytest.mark.parametrize(("moved", "is_exact"), [(1, True), (10**6, False)])
def test_a_conversion_names_the_bound_that_gives_it(moved: int, is_exact: bool) -> None:
    shown = statement(Budget.zcdp("0.5"), true=moved, published=moved)
    bound = shown.epsilon_at(1e-8)
    assert bound is not None
    assert (bound.source == EXACT_CURVE) is is_exact
    assert ("exact curve" in shown.as_approximate) is is_exact
    assert ("Rényi" in shown.as_approximate) is not is_exact


def test_each_level_shows_its_part_of_the_budget() -> None:
    one = GeometricEvent(level=None, query="size", l1_sensitivity=1, scale=Fraction(100))
    shown = statement(Budget.pure(1), weights=(1, 0, 2), more=(one,))
    assert [level.level for level in shown.levels] == [*LEVELS, "size"]
    assert [level.share for level in shown.levels] == ["1/3", "0", "2/3", ""]


def test_roots_are_exact_where_they_can_be_and_otherwise_on_their_side() -> None:
    assert root_up(0.01) == root_down(0.01) == Decimal("0.1")
    assert root_up(4) == root_down(4) == 2
    assert root_up(Decimal("6.25")) == root_down(Fraction(25, 4)) == Decimal("2.5")
    for value in range(2, 30):
        below, above = Fraction(root_down(value)), Fraction(root_up(value))
        assert below**2 <= value <= above**2
        assert above - below <= Fraction(1, 10**57)


def test_a_round_deviation_is_stated_as_it_is() -> None:
    # σ² = 1 / (2ρ) for each third of the budget.
    shown = statement(Budget.zcdp(Fraction(3, 8)))
    assert {level.scale for level in shown.levels} == {"discrete Gaussian, σ = 2"}


def test_a_statement_prints_its_guarantee_and_not_all_its_values() -> None:
    printed = repr(statement(Budget.pure(1)))
    assert "ε = 1 (pure DP)" in printed
    assert "adding or removing one person" in printed
    assert "GeometricEvent" not in printed


def test_a_printed_sensitivity_is_not_below_the_exact_one() -> None:
    for squared in (2, 3, 5, 7, 8, 11):
        event = GaussianEvent(
            level=None, query="size", l2_sensitivity_squared=squared, sigma2=Fraction(100)
        )
        (*_, shown) = statement(Budget.zcdp(1), more=(event,)).levels
        assert Fraction(repr(shown.sensitivity)) ** 2 >= squared


def test_parts_are_in_one_unit_for_all_rows() -> None:
    beside = GeometricEvent(level=None, query="size", l1_sensitivity=1, scale=Fraction(10))
    in_rho = statement(Budget.zcdp(1), weights=(1, 0, 2), more=(beside,))
    symbol, (first, none, last, size) = in_rho.parts
    assert (symbol, none) == ("ρ", 0)
    assert 2 * first == pytest.approx(last)
    assert first + last == pytest.approx(1)
    assert size == pytest.approx(0.005)
    symbol, parts = statement(Budget.pure(1), weights=(1, 0, 3), more=(beside,)).parts
    assert (symbol, parts) == ("ε", (0.25, 0, 0.75, 0.1))


def test_parts_of_gaussian_noise_under_epsilon_and_delta_are_in_rho() -> None:
    mixed = statement(Budget.approximate(1, "1e-6", noise="gaussian"), weights=(1, 0, 3))
    symbol, (first, none, last) = mixed.parts
    assert (symbol, none) == ("ρ", 0)
    assert 0 < 2 * first < last
    assert mixed.rho == pytest.approx(first + last)
