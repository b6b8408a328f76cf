"""The ends of the ranges of budgets, and values that cannot be changed afterwards."""

import dataclasses
from fractions import Fraction

import pytest

from hierdp_core import privacy
from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy import Budget
from hierdp_core.privacy.numbers import exact_number

VALUES = [value for value in vars(privacy).values() if dataclasses.is_dataclass(value)]


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_values_of_privacy_are_frozen_and_named(kind):
    parameters = kind.__dataclass_params__
    assert parameters.frozen
    assert all(field.kw_only for field in dataclasses.fields(kind))


@pytest.mark.parametrize("name", ["epsilon", "rho"])
def test_the_ends_of_the_range_can_be_spent(name):
    for text in ("0.00001", "10000"):
        assert getattr(Budget.of(**{name: text}), name) == Fraction(text)
    for text in ("0.0000099", "10000.1"):
        with pytest.raises(BudgetError, match=r"must lie between 0\.00001 and 10,000"):
            Budget.of(**{name: text})


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400"])
def test_numbers_of_up_to_400_digits_are_read(text):
    assert exact_number("rho", text) == Fraction(text)


@pytest.mark.parametrize("text", ["1e401", "-1e401", "1e-401"])
def test_numbers_of_more_than_400_digits_are_refused(text):
    with pytest.raises(BudgetError, match="far out of range"):
        exact_number("rho", text)


@pytest.mark.parametrize(
    ("budget", "epsilon", "rest"),
    [
        (Budget.of(epsilon=1), Fraction(1, 4), Budget.of(epsilon="0.75")),
        (Budget.of(rho=1), Fraction(1, 2), Budget.of(rho="0.875")),
    ],
)
def test_what_one_number_costs_is_taken_from_the_budget(budget, epsilon, rest):
    assert budget.less(epsilon) == rest


@pytest.mark.parametrize(
    ("budget", "epsilon"), [(Budget.of(epsilon=1), Fraction(1)), (Budget.of(rho=2), Fraction(2))]
)
def test_one_number_cannot_take_the_whole_budget(budget, epsilon):
    with pytest.raises(BudgetError, match="leaves nothing"):
        budget.less(epsilon)


def test_a_part_of_a_budget_is_that_part_of_what_it_can_spend():
    assert Budget.of(epsilon=1).times(Fraction(1, 3)) == Budget(epsilon=Fraction(1, 3))
    assert Budget.of(rho=1).times(Fraction(1, 3)) == Budget(rho=Fraction(1, 3))
    approximate = Budget.of(epsilon=1, delta=1e-8)
    whole = approximate.spendable_rho
    assert whole is not None
    assert approximate.times(Fraction(1, 3)) == Budget(rho=whole / 3)


def test_a_boolean_is_not_a_number():
    with pytest.raises(
        BudgetError, match=r"^rho must be a number, got True\. Give a number, such as 0\.5\.$"
    ):
        exact_number("rho", True)
