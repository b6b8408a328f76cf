"""Bounds that pages print as numbers are those of the code, rounded the safe way."""

from fractions import Fraction
from pathlib import Path

import pytest

import hierdp_core as hdp
from hierdp_core.privacy.conversion import epsilon_of_rho_tight
from hierdp_core.privacy.meaning import belief
from hierdp_core.privacy.rounding import factor_up, percent_up, upper

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


@pytest.mark.parametrize(("rho", "sentence"), [
    ("2.5562", "which is ε = {} at δ = 10{{sup}}`−10` by Corollary 13, rounded up"),
    ("0.0749", "with ρ = 0.0749, the two numbers are {} and 2.37"),
])  # fmt: skip
def test_the_epsilon_of_published_budgets_is_rounded_up(rho: str, sentence: str) -> None:
    epsilon = epsilon_of_rho_tight(Fraction(rho), delta=Fraction(1, 10**10))
    assert sentence.format(upper(epsilon, 4 if epsilon > 10 else 3)) in page("accounting.md")


def test_the_epsilon_of_a_published_calibration_is_rounded_up() -> None:
    table = hdp.samples.load("us-households-national").table
    plan = hdp.plan(table, "pgsr-c-chain: calibration=published", epsilon=1)
    epsilon = plan.privacy.epsilon
    assert epsilon is not None
    assert f"it is {upper(epsilon, 6)}, rounded up" in page("mechanisms/pgsr-c-chain.md")


def test_beliefs_and_odds_are_rounded_up() -> None:
    found = page("privacy.md")
    assert f"no outcome is more than {factor_up(1)} times as likely" in found
    assert f"at most {percent_up(belief(1, 0.5).most)} sure" in found
    numbers = [f"{percent_up(belief(e, 0.5).most)} for ε = {e}" for e in (0.5, 2, 3)]
    assert f"{numbers[0]}, {numbers[1]} and {numbers[2]}, rounded up" in found
