"""What a budget means for one person: odds and beliefs, from the guarantee alone.

The attacker is the strongest there is: they know everybody's data but one person's, and ask
only which of two worlds they see, the one with the person or the one without (or, where one
record is replaced, which of two records the person has).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hierdp_core.privacy.conversion import BUN_STEINKE, epsilon_of_rho, epsilon_of_rho_tight
from hierdp_core.privacy.numbers import probability
from hierdp_core.privacy.statement import PrivacyStatement

USUAL_DELTA = 1e-8


@dataclass(frozen=True, kw_only=True)
class Belief:
    """How sure the attacker can be after seeing a release, given how sure they were before.

    Attributes:
        prior: the chance that they gave to the first world.
        least, most: what they can give to it afterwards, at the outside.
    """

    prior: float
    least: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """One way to say a guarantee as (ε, δ)."""

    name: str
    epsilon: float
    delta: float
    formula: str


def loss_limit(statement: PrivacyStatement, *, delta: float = USUAL_DELTA) -> float:
    """A privacy loss ε that a release exceeds with probability at most δ; never for pure ε.

    With a threshold it is the ε stated, and δ the one stated.
    For Gaussian noise and for ρ-zCDP this is ρ + 2√(ρ ln(1/δ)): the bound on the loss itself,
    which holds for what an attacker believes after one outcome. The tight conversion to
    (ε, δ)-DP is smaller, and does not.

    Source: Bun and Steinke 2016, the tail bound in the proof of Proposition 1.3.

    Raises:
        BudgetError: δ is not a probability.
    """
    if _by_rho(statement) and statement.rho is not None:
        return epsilon_of_rho(statement.rho, delta=delta)
    assert statement.epsilon is not None
    return statement.epsilon


def belief(loss: float, prior: float) -> Belief:
    """What the prior can become when odds move by at most e^`loss`, Bayes' rule.

    >>> round(belief(1.0, 0.5).most, 3), round(belief(1.0, 0.5).least, 3)
    (0.731, 0.269)

    Raises:
        BudgetError: the prior is not a probability.
    """
    prior = float(probability("The prior", prior))
    log_odds = math.log(prior) - math.log1p(-prior)
    return Belief(prior=prior, least=_chance(log_odds - loss), most=_chance(log_odds + loss))


def highest_chance(statement: PrivacyStatement, without: float) -> float:
    """The highest chance with a person of any outcome that has chance `without` without them.

    For ε-DP the least of e^ε x and 1 − e^−ε (1 − x), which is attained. For ρ-zCDP the least
    of exp(−(√ln(1/x) − √ρ)²) and 1 − exp(−(√ln(1/(1−x)) + √ρ)²): the Rényi divergence of
    every order, of the outcome and of its complement, is at most its order times ρ.

    Source: Wasserman and Zhou 2010, Theorem 2.4 (ε-DP); for ρ-zCDP, Bun and Steinke 2016,
    Definition 1.1 and Lemma 2.2 (post-processing), minimised over the order.

    Raises:
        BudgetError: `without` is not a probability.
    """
    x = float(probability("The chance without the person", without))
    if _by_rho(statement) and statement.rho is not None:
        return _highest_of_rho(statement.rho, x)
    epsilon, delta = statement.epsilon or 0.0, statement.delta or 0.0
    if epsilon > 700:
        return 1.0
    grown = math.exp(epsilon) * x + delta
    shrunk = 1 - math.exp(-epsilon) * max(0.0, 1 - x - delta)
    return min(1.0, grown, shrunk)


def conversions(statement: PrivacyStatement, *, delta: float) -> tuple[Conversion, ...]:
    """The guarantee as (ε, δ) by both formulas in use, and as it was stated where it is pure.

    Where there is no ρ it is given as it was stated, and δ is passed over.

    Raises:
        BudgetError: δ is not a probability.
    """
    delta = float(probability("delta", delta))
    found = []
    if statement.epsilon is not None and (not statement.delta or statement.rho is None):
        found.append(
            Conversion(
                name="as it is",
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
            name="simple",
            epsilon=epsilon_of_rho(statement.rho, delta=delta),
            delta=delta,
            formula="ε = ρ + 2√(ρ ln(1/δ))",
        ),
        Conversion(
            name="tight",
            epsilon=epsilon_of_rho_tight(statement.rho, delta=delta),
            delta=delta,
            formula="least ε over Rényi orders",
        ),
    )


def of_a_hundred(chances: Sequence[float]) -> tuple[int, tuple[str, ...]]:
    """Chances as "x of so many" with one number of cases that shows them all.

    Returns:
        how many cases (100, 1,000, …), and each chance as a number of them.

    >>> of_a_hundred([0.05, 0.1359])
    (100, ('5', '14'))
    >>> of_a_hundred([0.0004, 0.5])
    (10000, ('4', '5,000'))
    """
    cases = 100
    smallest = min((c for c in chances if c > 0), default=1.0)
    while smallest * cases < 1 and cases < 10**9:
        cases *= 10
    return cases, tuple(f"{_nearest(chance * cases, cases):,}" for chance in chances)


def _by_rho(statement: PrivacyStatement) -> bool:
    """The noise was priced in ρ, whatever it was stated as."""
    return statement.epsilon is None or statement.conversion == BUN_STEINKE


def _nearest(value: float, cases: int) -> int:
    # Never "all of 100" for what is not certain.
    return min(round(value), cases - 1) if value < cases else cases


def _highest_of_rho(rho: float, x: float) -> float:
    root = math.sqrt(rho)
    far = math.sqrt(-math.log(x))
    grown = math.exp(-((far - root) ** 2)) if far > root else 1.0
    shrunk = -math.expm1(-((math.sqrt(-math.log1p(-x)) + root) ** 2))
    return min(1.0, grown, shrunk)


def _chance(log_odds: float) -> float:
    if log_odds > 700:
        return 1.0
    odds = math.exp(log_odds)
    return odds / (1 + odds)
