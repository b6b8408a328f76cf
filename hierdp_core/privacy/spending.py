"""Tight accounting: how much ρ or ε a plan may spend of a budget of (ε, δ).

A mechanism lists all its events for an amount of ρ (Gaussian noise) or of ε (geometric noise),
including those that belong to no level. The search looks for the largest amount whose events are
shown to be (ε, δ)-DP. The privacy curve of continuous Gaussian noise gives the starting value.
Every amount is then checked with exactly the events that it gives. δ does not always decrease in σ
when σ is below about 1, so one amount proves nothing about its neighbours.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from functools import lru_cache
from typing import Any

from hierdp_core.exceptions import BudgetError
from hierdp_core.privacy.account import (
    EXACT_CURVE,
    LEAST_DELTA,
    SEQUENTIAL,
    below,
    holds,
    losses_of,
    parts_of,
)
from hierdp_core.privacy.budget import (
    BEST_NOISE,
    GAUSSIAN_NOISE,
    GEOMETRIC_NOISE,
    SIMPLE_ACCOUNT,
    TIGHT_ACCOUNT,
    Budget,
)
from hierdp_core.privacy.conversion import BUN_STEINKE, TIGHT
from hierdp_core.privacy.events import Event, GaussianEvent, Sensitivity, ThresholdEvent
from hierdp_core.privacy.rounding import float_up, to_decimal

Releases = Callable[[Budget], tuple[Event, ...]]

_DIGITS = 6  # of the amounts that are tried
_CLOSE = 1.0005  # factor between the chosen amount and one that is too large
_STRIDE = 1.004  # factor between amounts that are tried one by one
_MOST_EPSILON = 500  # above it nothing is protected, and Corollary 13 loses only a few percent
_FEW_OUTCOMES = 2  # ρ from which nearly all noise is 0, 1 or −1, far from the continuous curve
_MOST_TRIES = 150
_STEADY = 3.0  # σ per largest change of a number, from which more noise always protects more


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One kind of noise that a plan could use for a budget of (ε, δ).

    Attributes:
        noise: "gaussian" or "geometric".
        amount: the ρ of Gaussian noise, or the ε of geometric noise, that the plan spends.
        variance: the typical variance of the noise, in units of the squared L2 sensitivity (see
            `_typical_variance`). The kind of noise with the smaller one is chosen.
        chosen: whether the plan uses this kind of noise.
        source: the bound that proves (ε, δ)-DP.
    """

    noise: str
    amount: Fraction
    variance: float
    chosen: bool
    source: str

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as values for JSON; the amount spent is rounded up."""
        unit = "rho" if self.noise == GAUSSIAN_NOISE else "epsilon"
        return {
            "noise": self.noise,
            unit: float_up(self.amount),
            "relative_variance": self.variance,
            "chosen": self.chosen,
            "source": self.source,
        }


@dataclass(frozen=True, kw_only=True)
class Spending:
    """The amount of a budget that a plan spends.

    Attributes:
        budget: a budget of ρ or ε alone, from which the noise follows. A budget that was stated as
            ρ or ε alone is kept.
        accounting: the accounting method for (ε, δ), one of `ACCOUNTS`; empty for other budgets.
        source: the bound that was used; empty for other budgets.
        candidates: with tight accounting, the kinds of noise that were compared; otherwise empty.
    """

    budget: Budget
    accounting: str = ""
    source: str = ""
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Question:
    """How much ρ or ε a budget of (ε, δ) allows for one kind of noise.

    Attributes:
        epsilon, delta: the budget.
        noise: "gaussian" or "geometric".
        usual: an amount that is known to be (ε, δ)-DP: ρ by Corollary 13, or ε itself.
        sample: the events for the usual amount. Two questions with the same attributes up to this
            one are equal.
        releases: a function from a budget to its events.
    """

    epsilon: Fraction
    delta: Fraction
    noise: str
    usual: Fraction
    sample: tuple[Event, ...]
    releases: Releases = field(compare=False)

    @property
    def is_gaussian(self) -> bool:
        return self.noise == GAUSSIAN_NOISE

    def budget(self, amount: Fraction) -> Budget:
        return Budget(rho=amount) if self.is_gaussian else Budget(epsilon=amount)

    def may_hold(self, amount: Fraction) -> bool:
        """Return whether (ε, δ) holds for the longest shape of each event, mostly the worst one."""
        from hierdp_core.privacy.losses import composed  # slow to load, and seldom needed

        parts = parts_of(self.events(amount))
        losses = composed(tuple(part.main_shape for part in parts)) if parts else None
        return losses is not None and losses.delta(below(self.epsilon)) <= below(self.delta)

    def holds(self, amount: Fraction) -> bool:
        """Return whether the exact curve proves that the events of this amount are (ε, δ)-DP."""
        events = self.events(amount)
        return bool(events) and holds(events, self.epsilon, self.delta)

    def events(self, amount: Fraction) -> tuple[Event, ...]:
        """Return the events of an amount; none if it is too small for a part with a fixed cost."""
        try:
            return self.releases(self.budget(amount))
        except BudgetError:
            return ()

    def is_steady(self, amount: Fraction) -> bool:
        """Return whether the noise is wide enough that δ decreases as σ increases."""
        parts = parts_of(self.releases(self.budget(amount))) or ()
        return all(
            part.noise >= (_STEADY * shape[0]) ** 2
            for part in parts
            if part.gaussian
            for shape in part.shapes
        )


def spending(budget: Budget, releases: Releases) -> Spending:
    """Return the amount of a budget that a plan spends.

    Args:
        budget: any budget; only (ε, δ) needs an accounting method.
        releases: a function from a budget of ρ or ε alone to all events of the plan. Smaller
            budgets must give more noise.

    Raises:
        BudgetError: with every kind of noise, a part with a fixed cost leaves nothing of the
            budget for the rest.
    """
    if budget.epsilon is None or budget.delta is None:
        return Spending(budget=budget)
    spendable = budget.spendable_rho
    assert spendable is not None
    if budget.accounting != TIGHT_ACCOUNT:
        source = BUN_STEINKE if budget.accounting == SIMPLE_ACCOUNT else TIGHT
        return Spending(budget=Budget(rho=spendable), accounting=budget.accounting, source=source)
    usual = {GAUSSIAN_NOISE: spendable, GEOMETRIC_NOISE: budget.epsilon}
    kinds = tuple(usual) if budget.noise == BEST_NOISE else (budget.noise,)
    compared = [_candidate(question) for question in _questions(budget, kinds, usual, releases)]
    best = min(compared, key=lambda candidate: candidate.variance)
    amount = best.amount
    return Spending(
        budget=Budget(rho=amount) if best.noise == GAUSSIAN_NOISE else Budget(epsilon=amount),
        accounting=TIGHT_ACCOUNT,
        source=best.source,
        candidates=tuple(replace(one, chosen=one is best) for one in compared),
    )


def _questions(
    budget: Budget, kinds: Sequence[str], usual: Mapping[str, Fraction], releases: Releases
) -> "list[_Question]":
    """Return one question for each kind of noise that has room for all parts with a fixed cost.

    Raises:
        BudgetError: no kind has room.
    """
    questions, refusals = [], []
    for kind in kinds:
        try:
            questions.append(_question(budget, kind, usual[kind], releases))
        except BudgetError as error:
            refusals.append(error)
    if not questions:
        raise refusals[-1]
    return questions


def _question(budget: Budget, noise: str, usual: Fraction, releases: Releases) -> "_Question":
    assert budget.epsilon is not None
    assert budget.delta is not None
    spent = Budget(rho=usual) if noise == GAUSSIAN_NOISE else Budget(epsilon=usual)
    return _Question(
        epsilon=budget.epsilon,
        delta=budget.delta,
        noise=noise,
        usual=usual,
        sample=releases(spent),
        releases=releases,
    )


@lru_cache(maxsize=512)
def _candidate(question: _Question) -> Candidate:
    amount, source = _most(question)
    events = question.releases(question.budget(amount))
    return Candidate(
        noise=question.noise,
        amount=amount,
        variance=_typical_variance(events),
        chosen=False,
        source=source,
    )


def _most(question: _Question) -> tuple[Fraction, str]:
    """Return the largest amount known to be (ε, δ)-DP, and the bound that proves it."""
    usual = question.usual
    known = question.delta >= LEAST_DELTA and question.epsilon <= _MOST_EPSILON
    if known and losses_of(question.sample) is not None:
        guess = _guess(question) if question.is_gaussian else usual
        if not question.is_gaussian or question.is_steady(guess):
            found = _by_halving(question, guess, question.may_hold)
            if not question.holds(found):
                found = _by_halving(question, guess, question.holds)
        else:
            found = _one_by_one(question, guess)
        if found > usual:
            return found, EXACT_CURVE
    return usual, TIGHT if question.is_gaussian else SEQUENTIAL


def _guess(question: _Question) -> Fraction:
    """Return the ρ that continuous Gaussian noise could spend."""
    from hierdp_core.privacy.losses import gaussian_delta

    epsilon, delta = below(question.epsilon), below(question.delta)
    low, high = 1e-12, 1e3  # bounds of μ = √(2ρ)
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if gaussian_delta(middle, epsilon) <= delta else (low, middle)
    return _short(Fraction(low * low / 2))


def _by_halving(
    question: _Question, guess: Fraction, holds: Callable[[Fraction], bool]
) -> Fraction:
    """Return the largest amount that holds, if every smaller amount holds as well."""
    usual, ratio = question.usual, Fraction(1002, 1000)
    low = high = guess
    if guess <= usual or holds(guess):
        while holds(high := _short(low * ratio)):
            low, ratio = high, ratio**2
    else:
        while (low := _short(high / ratio)) > usual and not holds(low):
            high, ratio = low, ratio**2
    while low > usual / 2 and high > low * Fraction(_CLOSE):
        middle = _short((low + high) / 2)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _one_by_one(question: _Question, guess: Fraction) -> Fraction:
    """Return the largest amount that holds, trying each in turn down to the usual one."""
    for amount in _descending(question, guess):
        if question.may_hold(amount) and question.holds(amount):
            return _sharpened(question, amount)
    return question.usual


def _descending(question: _Question, guess: Fraction) -> Iterator[Fraction]:
    """Yield amounts of ρ, downwards from one that cannot hold or is far above the guess.

    Half of all outcomes have a loss of ρ or more, so δ ≥ (1 − exp(ε − ρ)) / 2. The losses of
    neighbouring outcomes of one level differ by 2ρ. Discrete noise departs no further than that
    from the continuous curve.
    """
    delta, last = below(question.delta), float(question.usual)
    near = float(guess) * math.exp(min(2.0, 4 * float(guess / question.epsilon))) * _STRIDE
    most = below(question.epsilon) - math.log1p(-2 * delta) if delta < 0.4 else near
    if guess > _FEW_OUTCOMES:
        yield from _steps(most, max(near, last))
    yield from _steps(min(near, most), last)


def _steps(first: float, last: float) -> Iterator[Fraction]:
    """Yield amounts from `first` down to above `last`, no more than `_MOST_TRIES` + 1."""
    amount, stride = first, max(_STRIDE, (first / last) ** (1 / _MOST_TRIES))
    while amount > last:
        yield _short(Fraction(amount))
        amount /= stride


def _sharpened(question: _Question, amount: Fraction) -> Fraction:
    """Return the largest amount found that holds, below the next larger one, which did not hold."""
    for part in (0.75, 0.5, 0.25):
        larger = _short(amount * Fraction(1 + part * (_STRIDE - 1)))
        if question.may_hold(larger) and question.holds(larger):
            return larger
    return amount


def _short(amount: Fraction) -> Fraction:
    """Return an amount rounded down to a few digits, so that plans state short numbers."""
    return Fraction(Context(prec=_DIGITS, rounding=ROUND_FLOOR).plus(to_decimal(amount)))


def _typical_variance(events: Sequence[Event]) -> float:
    """Return the geometric mean of 1 plus the relative variance of each event, less 1.

    A sum would let one event decide: the numbers of groups with a tenth of the budget, or the last
    level of distinct trips, whose squared sensitivity is far smaller than that of the others. The
    geometric mean weighs the factor between the two kinds of noise alike at every event. The 1
    keeps events with almost no noise from deciding.
    """
    logs = [math.log1p(_relative_variance(event)) for event in events]
    return math.expm1(sum(logs) / len(logs))


def _relative_variance(event: Event) -> float:
    """Return the variance of an event's noise in units of its squared L2 sensitivity."""
    assert not isinstance(event, ThresholdEvent)
    if isinstance(event, GaussianEvent):
        return _gaussian_variance(float(event.sigma2)) / event.l2_sensitivity_squared
    moved = event.l1_sensitivity
    shapes = event.shapes or Sensitivity(l1=moved, l2_squared=moved**2).worst_shapes
    squared = max((sum(d * d for d in shape) for shape in shapes), default=moved**2)
    # 2q / (1 − q)² = 1 / (2 sinh²(1 / 2b)) for q = exp(−1 / b).
    half = 1 / (2 * float(event.scale))
    return (0.5 / math.sinh(half) ** 2 if half < 300 else 0.0) / squared


def _gaussian_variance(sigma2: float) -> float:
    if sigma2 > 10:
        return sigma2  # the variance of discrete noise is smaller by less than 1e-80 of it
    weights = [math.exp(-k * k / (2 * sigma2)) for k in range(1, 60)]
    squares = sum(k * k * weight for k, weight in enumerate(weights, start=1))
    return 2 * squares / (1 + 2 * sum(weights))
