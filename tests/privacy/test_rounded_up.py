"""Numbers of a guarantee are rounded up, and what a budget may spend is rounded down."""

import re
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import pytest

from hierdp_core.hierarchy import Regions
from hierdp_core.privacy import (
    Allocation,
    Budget,
    GaussianEvent,
    GeometricEvent,
    Neighbours,
    Spending,
    ThresholdEvent,
    epsilon_of_rho,
    epsilon_of_rho_tight,
    state_privacy,
)
from hierdp_core.privacy.account import (
    SEQUENTIAL,
    all_priced,
    event_epsilon,
    event_rho,
    threshold_delta,
    total_delta,
    total_epsilon,
    total_rho,
)
from hierdp_core.privacy.losses import gaussian_epsilon
from hierdp_core.privacy.meaning import _with_absence, loss_limit
from hierdp_core.privacy.rounding import rounded_up
from hierdp_core.privacy.spending import Candidate
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts

DOCS = Path(__file__).parents[2] / "docs"


def test_the_delta_of_a_threshold_is_rounded_up() -> None:
    with localcontext(Context(prec=80)):
        for tenths in range(25, 300, 7):
            event = ThresholdEvent(
                level=0,
                query="",
                l1_sensitivity=3,
                scale=Fraction(tenths, 10),
                threshold=20.0,
                created=3,
                most=1,
            )
            released = (Decimal(-19) * 10 / tenths).exp()
            exact = 3 * released / (1 + (Decimal(-10) / tenths).exp())
            assert exact < Decimal(repr(threshold_delta(event))) < exact * (1 + Decimal(2) ** -50)


def test_the_sum_of_deltas_is_rounded_up() -> None:
    """The sum of two floats is often nearest to a float below it."""
    events = [
        ThresholdEvent(
            level=0, query="", l1_sensitivity=2, scale=Fraction(tenths, 10), threshold=threshold,
            created=2, most=1,
        )
        for tenths in range(7, 40, 3)
        for threshold in (4.0, 9.0, 17.0)
    ]  # fmt: skip
    for one in events:
        for other in events:
            exact = Fraction(repr(threshold_delta(one))) + Fraction(repr(threshold_delta(other)))
            assert Fraction(repr(total_delta((one, other)))) >= exact


def test_the_conversions_of_published_budgets_are_rounded_up() -> None:
    text = " ".join((DOCS / "accounting.md").read_text(encoding="utf-8").split())
    found = re.search(
        r"ρ = ([\d.]+) for persons, which is ε = ([\d.]+) at δ = 10\{sup\}`−10` .*? "
        r"gives ε = ([\d.]+), .*? with ρ = ([\d.]+), the two numbers are ([\d.]+) and ([\d.]+)\. ",
        text,
    )
    assert found
    persons, *of_persons, units, first, second = found.groups()
    for rho, stated in ((persons, of_persons), (units, [first, second])):
        exact = [
            epsilon_of_rho_tight(rho, delta=Fraction(1, 10**10)),
            gaussian_epsilon(float(rho), 1e-10),
        ]
        digits = [len(number.replace(".", "")) for number in stated]
        pairs = zip(exact, digits, strict=True)
        assert [str(rounded_up(value, n)) for value, n in pairs] == stated


@pytest.mark.parametrize("delta", ["1e-12", "1e-8", "0.001"])
@pytest.mark.parametrize("epsilon", ["0.00123", "0.1", "1", "7.77", "400"])
def test_the_rho_that_a_budget_may_spend_converts_to_no_more_than_its_epsilon(
    epsilon: str, delta: str
) -> None:
    convert = {
        "simple": epsilon_of_rho,
        "zcdp": epsilon_of_rho_tight,
        "tight": epsilon_of_rho_tight,
    }
    for accounting, epsilon_of in convert.items():
        budget = Budget.of(epsilon=epsilon, delta=delta, accounting=accounting)
        assert budget.spendable_rho is not None
        back = Fraction(repr(epsilon_of(budget.spendable_rho, delta=delta)))
        assert Fraction(epsilon) * (1 - Fraction(1, 10**7)) <= back <= Fraction(epsilon)


@pytest.mark.parametrize("neighbours", ["bounded", "unbounded"])
def test_the_epsilon_that_a_published_split_spends_is_rounded_up(neighbours: str) -> None:
    options = {"split": "reference", "neighbours": neighbours}
    parents = {"n": None, "a": "n", "b": "n", "c": "a", "d": "b"}
    table = Counts.from_leaves(Regions.from_parents(parents, levels=("n", "s", "t")), [7, 5])
    for k in range(1, 60):
        epsilon = Fraction(2 * k + 1, 30)
        made = plan(table, "inftda", epsilon=epsilon, options=options)
        spent = total_epsilon(made.events)
        assert spent == epsilon / 2
        assert made.privacy.epsilon is not None
        assert spent <= Fraction(repr(made.privacy.epsilon)) < spent * (1 + Fraction(1, 2**50))


def geometric_events(k: int) -> tuple[GeometricEvent, ...]:
    """Return two events whose ε together is k/30 + 1/70, which no float equals."""
    return tuple(
        GeometricEvent(level=level, query="", l1_sensitivity=1, scale=1 / epsilon)
        for level, epsilon in enumerate((Fraction(k, 30), Fraction(1, 70)))
    )


@pytest.mark.parametrize("k", range(1, 40))
def test_the_sum_of_epsilon_is_rounded_up_wherever_it_is_the_smallest_bound(k: int) -> None:
    events = geometric_events(k)
    spent = total_epsilon(events)
    assert spent is not None
    sums = [
        one.epsilon for one in all_priced(events, Fraction(1, 10**12)) if one.source == SEQUENTIAL
    ]
    statement = state_privacy(
        events,
        budget=Budget.approximate(2 * spent, "1e-12"),
        allocation=Allocation.of(None, ("a", "b")),
        levels=("a", "b"),
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        unit="one person",
        invariants=(),
        spending=Spending(budget=Budget(epsilon=spent), accounting="tight", source=SEQUENTIAL),
    )
    for found in (*sums, loss_limit(statement, delta=1e-300)):
        assert spent <= Fraction(repr(found)) < spent * (1 + Fraction(1, 2**50))
    assert sums


@pytest.mark.parametrize(("noise", "unit"), [("gaussian", "rho"), ("geometric", "epsilon")])
def test_the_amount_of_a_candidate_is_rounded_up(noise: str, unit: str) -> None:
    for k in range(1, 40):
        amount = Fraction(k, 210)
        one = Candidate(noise=noise, amount=amount, variance=1.0, chosen=True, source="")
        found = Fraction(repr(one.as_dict()[unit]))
        assert amount <= found < amount * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("epsilon", ["0.00001", "0.3", "1", "1.01", "3", "40", "9999"])
@pytest.mark.parametrize("moved", [1, 2, 7])
def test_geometric_noise_costs_half_of_its_epsilon_squared_however_large(
    epsilon: str, moved: int
) -> None:
    spent = Fraction(epsilon)
    event = GeometricEvent(level=0, query="", l1_sensitivity=moved, scale=moved / spent)
    assert event_epsilon(event) == spent
    assert event_rho(event) == total_rho((event,)) == spent**2 / 2
    gaussian = GaussianEvent(
        level=1, query="", l2_sensitivity_squared=moved, sigma2=moved / (2 * spent)
    )
    assert event_rho(gaussian) == spent
    assert total_rho((event, gaussian)) == spent**2 / 2 + spent


def test_what_an_absent_number_reveals_is_rounded_up() -> None:
    with localcontext(Context(prec=80)):
        for k in range(1, 60):
            epsilon, delta = k / 7, k / 1000
            exact = Decimal(repr(epsilon)) - (1 - Decimal(repr(delta))).ln()
            assert exact <= Decimal(repr(_with_absence(epsilon, delta)))
