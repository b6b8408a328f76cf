"""What a guarantee means for one person, as odds and beliefs.

Upper bounds are rounded up, lower bounds are rounded down.

The attacker is the strongest possible one. They know all data except those of one person, and ask
only whether the data include this person. If neighbouring datasets differ by replacing one record,
they ask which of two records the person has.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from hierdp_core.privacy.account import EXACT_CURVE, total_epsilon
from hierdp_core.privacy.conversion import epsilon_of_rho, epsilon_of_rho_tight
from hierdp_core.privacy.events import Neighbours
from hierdp_core.privacy.numbers import Number, probability
from hierdp_core.privacy.rounding import (
    float_down,
    float_up,
    lowered,
    percent_up,
    raised,
    to_decimal,
    working_digits,
)
from hierdp_core.privacy.statement import LevelPrivacy, PrivacyStatement
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.text import a, at_most

SIMPLE, COROLLARY_13, EXACT = "simple", "Corollary 13", "exact"

_MOST_CASES = 10**9


@dataclass(frozen=True, kw_only=True)
class Belief:
    """The range of an attacker's belief after seeing a release, given a prior belief.

    Attributes:
        prior: the probability that they gave to a statement about the person before the release.
        least: a lower bound on the probability that they give to it afterwards, rounded down.
        most: an upper bound on that probability, rounded up.
    """

    prior: float
    least: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """A guarantee as (ε, δ), by one of several conversions.

    Attributes:
        name: the name of the conversion.
        epsilon, delta: the guarantee, rounded up.
        formula: the conversion in a few words.
    """

    name: str
    epsilon: float
    delta: float
    formula: str


def loss_limit(statement: PrivacyStatement, *, delta: float | None = None) -> float:
    """Return a privacy loss that a release exceeds with probability at most δ; with pure ε, never.

    Args:
        statement: the guarantee.
        delta: the δ; by default that of the statement, or 10⁻⁸ if it has none. A mechanism with a
            threshold always uses the δ of the statement.

    For a mechanism with a threshold, the result is ε − ln(1 − δ). If the number of an entry depends
    on one record alone, the entry is released with probability at most δ. The entry is therefore
    absent with probability at least 1 − δ if the record is in the data, and certainly if it is not.

    For Gaussian noise and for ρ-zCDP, the result is ρ + 2√(ρ ln(1/δ)). This bounds the loss itself,
    and therefore what an attacker can believe after any one outcome. Other conversions to
    (ε, δ)-DP give a smaller ε, but no such bound. If all noise is geometric, the loss never exceeds
    the ε of the noise, so the result is at most this ε.

    Source: Bun and Steinke 2016, the tail bound in the proof of Proposition 1.3.

    Raises:
        BudgetError: δ is needed, and does not lie strictly between 0 and 1.
    """
    if _by_rho(statement) and statement.rho is not None:
        at = limit_delta(statement, delta=delta)
        assert at is not None
        limit, most = epsilon_of_rho(statement.rho, delta=at), _total_epsilon(statement)
        return limit if most is None else min(limit, most)
    assert statement.epsilon is not None
    if not statement.delta:
        return statement.epsilon
    return _with_absence(statement.epsilon, statement.delta)


def level_loss_limit(
    statement: PrivacyStatement, level: LevelPrivacy, *, delta: float | None = None
) -> float:
    """Return a privacy loss that one level of a release exceeds with probability at most δ.

    Args:
        statement: the guarantee of all levels together.
        level: one of its levels. If a level spends nothing, its loss is 0.
        delta: as in `loss_limit`. The source stated there applies here too.

    Raises:
        BudgetError: δ is needed, and does not lie strictly between 0 and 1.
    """
    at = limit_delta(statement, delta=delta)
    if at is not None and level.rho is not None:
        converted = epsilon_of_rho(level.rho, delta=at)
        return converted if level.epsilon is None else min(converted, level.epsilon)
    if level.epsilon is None:
        return 0.0
    if at is None or _by_rho(statement):
        return level.epsilon
    return _with_absence(level.epsilon, at)


def limit_delta(statement: PrivacyStatement, *, delta: float | None = None) -> float | None:
    """Return the probability with which a loss may exceed its limit; None with pure ε.

    Args:
        statement: the guarantee.
        delta: as in `loss_limit`; it has no effect where the limit needs the δ of the statement.
    """
    if statement.epsilon is not None and not statement.delta:
        return None
    if _by_rho(statement) and delta is not None:
        return delta
    return float(statement.delta or USUAL_DELTA)


def uncertain_fact(statement: PrivacyStatement) -> str:
    """Return the fact that limits on beliefs are about, such as "that a person is in the data".

    Neighbouring datasets differ in this fact alone.
    """
    unit = a(statement.unit.removeprefix("one "))
    if statement.neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return f"that {unit} is in the data"
    return f"that {unit} has the first of two possible records"


def between_records(statement: PrivacyStatement) -> str:
    """Return a sentence on the limit for an attacker who asks which of two records someone has.

    Empty if neighbouring datasets differ by replacing one record. If they differ by adding or
    removing one, two such changes lead from one record to another.
    """
    if statement.neighbours is not Neighbours.ADD_OR_REMOVE_ONE:
        return ""
    unit = a(statement.unit.removeprefix("one "))
    more = (
        f"Anyone who asks which of two records {unit} has, for example in which area, can learn "
        "more. It takes two such changes to replace one record by another, so the limit"
    )
    if statement.epsilon is None or statement.delta:
        return f"{more} is that of two changes, not of one."
    limit = belief(2 * statement.epsilon, 0.5)
    return f"{more} is that of 2ε: from 50% to {at_most(percent_up(limit.most))}."


def belief(loss: float, prior: Number) -> Belief:
    """Return the range of a prior belief after its odds change by a factor of at most e^`loss`.

    Source: Bayes' rule.

    >>> round(belief(1.0, 0.5).most, 3), round(belief(1.0, 0.5).least, 3)
    (0.731, 0.269)

    Raises:
        BudgetError: the prior does not lie strictly between 0 and 1.
    """
    before = to_decimal(probability("The prior", prior))
    with working_digits():
        factor = to_decimal(loss).exp()
        lower = before / (before + (1 - before) * factor)
        upper = before * factor / (before * factor + 1 - before)
    least, most = float_down(lowered(lower)), min(1.0, float_up(raised(upper)))
    return Belief(prior=float(prior), least=least, most=most)


def _with_absence(epsilon: float, delta: float) -> float:
    """Return ε − ln(1 − δ), rounded up."""
    if delta >= 1:
        return math.inf
    with working_digits():
        bound = to_decimal(epsilon) - (1 - to_decimal(delta)).ln()
    return float_up(raised(bound))


def highest_chance(statement: PrivacyStatement, without: float) -> float:
    """Return the highest probability of an outcome with a person in the data, rounded up.

    `without`, written x below, is the probability of the outcome without the person.

    For ε-DP the result is the smaller of e^ε x and 1 − e^−ε (1 − x), which some mechanism attains.
    For (ε, δ) with a threshold it is the smaller of e^ε x + δ and 1 − e^−ε (1 − x − δ).
    For ρ-zCDP it is the smaller of exp(−(√ln(1/x) − √ρ)²), or 1 if ln(1/x) ≤ ρ, and
    1 − exp(−(√ln(1/(1−x)) + √ρ)²). This holds since the Rényi divergence of every order is at most
    the order times ρ, for the outcome and for its complement. If all noise is geometric, the bounds
    for its ε apply as well.

    Source: Wasserman and Zhou 2010, Theorem 2.4 (ε-DP); for ρ-zCDP, Bun and Steinke 2016,
    Definition 1.1 and Lemma 2.2 (post-processing), minimised over the order.

    Raises:
        BudgetError: `without` does not lie strictly between 0 and 1.
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
    """Return the guarantee as (ε, δ) by every conversion that applies.

    They are, in this order: the guarantee as stated, if it is pure; the simple bound;
    Corollary 13; and the exact curve of the noise, if it can be computed.

    A guarantee without ρ is returned as stated, and `delta` has no effect.

    Raises:
        BudgetError: δ does not lie strictly between 0 and 1.
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
    """Return a probability and its upper bound with a person, as whole numbers of cases.

    Returns:
        the number of cases, `without` of them rounded down, and `at_most` of them rounded up.
        There are 100 cases, or as many more, up to 10⁹, as it takes to distinguish `without` from
        0 and `at_most` from 1.

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
    """Return whether ρ bounds the loss: the budget is in ρ, or an accounting method was used."""
    return statement.epsilon is None or bool(statement.accounting)


def _total_epsilon(statement: PrivacyStatement) -> float | None:
    """Return the ε that holds without a δ; None if some noise is Gaussian."""
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
    """Return 1 − `rest`, rounded up."""
    with working_digits(ROUND_CEILING):
        return 1 - rest
