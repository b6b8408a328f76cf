"""What a budget means for one person: odds and beliefs, from the guarantee alone.

What is at most so much is rounded up, what is at least so much is rounded down.

The attacker is the strongest there is. They know everybody's data but one person's. They ask only
which of two worlds they see, the one with the person or the one without. Where one record is
replaced, they ask which of two records the person has.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from hierdp_core.privacy.account import EXACT_CURVE, total_epsilon
from hierdp_core.privacy.conversion import epsilon_of_rho, epsilon_of_rho_tight
from hierdp_core.privacy.numbers import Number, probability
from hierdp_core.privacy.rounding import (
    float_down,
    float_up,
    lowered,
    raised,
    to_decimal,
    working_digits,
)
from hierdp_core.privacy.statement import PrivacyStatement
from hierdp_core.util.constraints import USUAL_DELTA

SIMPLE, COROLLARY_13, EXACT = "simple", "Corollary 13", "exact"

_MOST_CASES = 10**9


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What an attacker can believe after seeing a release, given what they believed before.

    Attributes:
        prior: the chance that they gave to the first world.
        least: a lower bound on the chance that they give to it afterwards, rounded down.
        most: an upper bound on it, rounded up.
    """

    prior: float
    least: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """One way to say a guarantee as (ε, δ), both rounded up."""

    name: str
    epsilon: float
    delta: float
    formula: str


def loss_limit(statement: PrivacyStatement, *, delta: float = USUAL_DELTA) -> float:
    """A privacy loss ε that a release exceeds with probability at most δ; never for pure ε.

    With a threshold it is the ε stated, and δ the one stated.
    For Gaussian noise and for ρ-zCDP this is ρ + 2√(ρ ln(1/δ)): the bound on the loss itself,
    which holds for what an attacker believes after one outcome. The ε of other conversions to
    (ε, δ)-DP is smaller, and does not. Geometric noise alone never loses more than its ε.

    Source: Bun and Steinke 2016, the tail bound in the proof of Proposition 1.3.

    Raises:
        BudgetError: δ is not a probability.
    """
    if _by_rho(statement) and statement.rho is not None:
        limit, most = epsilon_of_rho(statement.rho, delta=delta), _total_epsilon(statement)
        return limit if most is None else min(limit, most)
    assert statement.epsilon is not None
    return statement.epsilon


def belief(loss: float, prior: Number) -> Belief:
    """What the prior can become when odds move by at most e^`loss`, Bayes' rule.

    >>> round(belief(1.0, 0.5).most, 3), round(belief(1.0, 0.5).least, 3)
    (0.731, 0.269)

    Raises:
        BudgetError: the prior is not a probability.
    """
    before = to_decimal(probability("The prior", prior))
    with working_digits():
        factor = to_decimal(loss).exp()
        lower = before / (before + (1 - before) * factor)
        upper = before * factor / (before * factor + 1 - before)
    least, most = float_down(lowered(lower)), min(1.0, float_up(raised(upper)))
    return Belief(prior=float(prior), least=least, most=most)


def highest_chance(statement: PrivacyStatement, without: float) -> float:
    """The highest chance with a person of any outcome that has chance `without` without them.

    Rounded up.

    For ε-DP the least of e^ε x and 1 − e^−ε (1 − x), which is attained. For ρ-zCDP the least
    of exp(−(√ln(1/x) − √ρ)²) and 1 − exp(−(√ln(1/(1−x)) + √ρ)²): the Rényi divergence of
    every order, of the outcome and of its complement, is at most its order times ρ.

    Source: Wasserman and Zhou 2010, Theorem 2.4 (ε-DP); for ρ-zCDP, Bun and Steinke 2016,
    Definition 1.1 and Lemma 2.2 (post-processing), minimised over the order.

    Raises:
        BudgetError: `without` is not a probability.
    """
    x = to_decimal(probability("The chance without the person", without))
    if _by_rho(statement) and statement.rho is not None:
        bounds = _highest_of_rho(to_decimal(statement.rho), x)
        if (most := _total_epsilon(statement)) is not None:
            bounds += _highest_of_epsilon(to_decimal(most), Decimal(0), x)
    else:
        bounds = _highest_of_epsilon(
            to_decimal(statement.epsilon or 0.0), to_decimal(statement.delta or 0.0), x
        )
    return min(1.0, *map(float_up, bounds))


def conversions(statement: PrivacyStatement, *, delta: float) -> tuple[Conversion, ...]:
    """The guarantee as (ε, δ) by every account there is, and as it was stated where it is pure.

    From the largest ε to the least: the simple bound, Corollary 13, and the exact curve of the
    noise, where that can be worked out.

    Where there is no ρ it is given as it was stated, and δ is passed over.

    Raises:
        BudgetError: δ is not a probability.
    """
    exact = probability("delta", delta)
    found = []
    if statement.epsilon is not None and (not statement.delta or statement.rho is None):
        found.append(
            Conversion(
                name="as stated",
                epsilon=statement.epsilon,
                delta=statement.delta or 0.0,
                formula="no conversion",
            )
        )
    if statement.rho is None:
        return tuple(found)
    return (
        *found,
        Conversion(
            name=SIMPLE,
            epsilon=epsilon_of_rho(statement.rho, delta=exact),
            delta=float_up(exact),
            formula="ε = ρ + 2√(ρ ln(1/δ))",
        ),
        Conversion(
            name=COROLLARY_13,
            epsilon=epsilon_of_rho_tight(statement.rho, delta=exact),
            delta=float_up(exact),
            formula="smallest ε over Rényi orders",
        ),
        *(
            Conversion(
                name=EXACT,
                epsilon=bound.epsilon,
                delta=float_up(exact),
                formula="δ(ε) of the noise itself, composed over levels",
            )
            for bound in statement.all_epsilons_at(exact)
            if bound.source == EXACT_CURVE
        ),
    )


def of_a_hundred(without: float, at_most: float) -> tuple[int, int, int]:
    """A chance and the bound on it with a person, as numbers of so many cases.

    Returns:
        how many cases (100, 1,000, … up to 10⁹, as many as it takes to tell both from never and
        always); `without` of them, rounded down; `at_most` of them, rounded up.

    >>> of_a_hundred(0.05, 0.1359)
    (100, 5, 14)
    >>> of_a_hundred(0.0004, 0.9997)
    (10000, 4, 9997)
    """
    below, above = Fraction(str(without)), Fraction(str(at_most))
    cases = 100
    while cases < _MOST_CASES and (0 < below * cases < 1 or 0 < (1 - above) * cases < 1):
        cases *= 10
    return cases, math.floor(below * cases), math.ceil(above * cases)


def _by_rho(statement: PrivacyStatement) -> bool:
    """The noise was found by an account, whatever the budget was stated as."""
    return statement.epsilon is None or bool(statement.accounting)


def _total_epsilon(statement: PrivacyStatement) -> float | None:
    """The ε that holds without δ; None where some noise is Gaussian."""
    total = total_epsilon(statement.events) if statement.events else None
    return None if total is None else float_up(total)


def _highest_of_epsilon(epsilon: Decimal, delta: Decimal, x: Decimal) -> tuple[Decimal, ...]:
    with working_digits():
        grown = raised(epsilon.exp() * x + delta)
        rest = lowered((-epsilon).exp() * max(Decimal(0), 1 - x - delta))
    return grown, _one_without(rest)


def _highest_of_rho(rho: Decimal, x: Decimal) -> tuple[Decimal, ...]:
    with working_digits():
        root, far = rho.sqrt(), (-x.ln()).sqrt()
        grown = (-((far - root) ** 2)).exp() if far > root else Decimal(1)
        rest = (-(((-(1 - x).ln()).sqrt() + root) ** 2)).exp()
    return raised(grown), _one_without(lowered(rest))


def _one_without(rest: Decimal) -> Decimal:
    """1 − `rest`, rounded up."""
    with working_digits(ROUND_CEILING):
        return 1 - rest
